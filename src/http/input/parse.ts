/** Parses values by their schema. All errors go into one list, and one error of the API names them all. */
import * as z from "zod/mini";
import { AppError, type InputError } from "../../errors.ts";

/** Whether a request can have no body. */
export const isOptional = (body: z.ZodMiniType): boolean => body.safeParse(undefined).success;

export function invalidRequest(errors: InputError[]): AppError {
  const names = [...new Set(errors.map(({ param }) => param))];
  const detail =
    names.length === 1
      ? errors.map(toSentence).join(" ")
      : `Fix ${inList().format(names)}, then resend the request.`;
  return new AppError("invalid_request", detail, { errors });
}

let list: Intl.ListFormat | undefined;
/** Created with the first error that needs it, because Intl takes long to start. */
const inList = () => (list ??= new Intl.ListFormat("en-US"));

/** A sentence about one invalid parameter. A message that starts with a capital letter is a sentence of its own. */
export function toSentence({ param, message }: InputError): string {
  if (/^\p{Lu}/u.test(message)) return message;
  return `${param === "body" ? "The body" : param} ${message}.`;
}

/**
 * Parses one part of a request. If it is invalid, adds its errors to the list and returns undefined. In the errors, `name` is
 * the name of the whole part.
 */
export function parsePart<T extends z.ZodMiniType>(
  schema: T,
  value: unknown,
  errors: InputError[],
  name = "body",
): z.output<T> | undefined {
  const result = schema.safeParse(withoutNulls(schema, value), { error: describeIssue });
  if (result.success) return result.data;
  errors.push(...result.error.issues.flatMap((issue) => toInputErrors(issue, name)));
  return undefined;
}

/**
 * In JSON, an optional key that is null counts as absent, unless null has a meaning of its own. `z.core.$ZodObject` would bring all of
 * zod into the script.
 */
function withoutNulls(schema: z.core.$ZodType, value: unknown): unknown {
  if (schema instanceof z.ZodMiniDefault) return withoutNulls(schema._zod.def.innerType, value);
  if (!(schema instanceof z.ZodMiniObject) || typeof value !== "object" || Array.isArray(value)) return value;
  if (value === null || !Object.values(value).includes(null)) return value;
  const { shape } = schema._zod.def;
  const means = (key: string) => {
    const field = Object.hasOwn(shape, key) ? shape[key] : undefined;
    const accepts = (sent: unknown) => field !== undefined && z.safeParse(field, sent).success;
    return accepts(undefined) && !accepts(null) ? "absent" : "null";
  };
  return Object.fromEntries(
    Object.entries(value).filter(([key, sent]) => sent !== null || means(key) === "null"),
  );
}

/** Parses a value. Throws invalid_request with every error. */
export function parseOrThrow<T extends z.ZodMiniType>(schema: T, value: unknown): z.output<T> {
  const errors: InputError[] = [];
  const parsed = parsePart(schema, value, errors);
  if (errors.length > 0) throw invalidRequest(errors);
  return parsed as z.output<T>;
}

/**
 * Parses the values of a form. If some are not valid, `judge` says what else is wrong with those that are, so that a person reads
 * everything in one response. Throws invalid_request. If all are valid, the operation judges them.
 */
export async function parseForm<T extends z.ZodMiniObject>(
  schema: T,
  sent: Record<string, unknown>,
  judge: (valid: Partial<z.output<T>>) => InputError[] | Promise<InputError[]>,
): Promise<z.output<T>> {
  const errors: InputError[] = [];
  const parsed = parsePart(schema, sent, errors);
  if (parsed !== undefined) return parsed;
  const each = Object.entries<z.core.$ZodType>(schema._zod.def.shape).flatMap(([name, field]) => {
    const value = z.safeParse(field, sent[name]);
    return value.success && value.data !== undefined ? [[name, value.data]] : [];
  });
  const nameOf = ({ param }: InputError) => param.split(".", 1)[0];
  const known = new Set(errors.map(nameOf));
  const found = await judge(Object.fromEntries(each) as Partial<z.output<T>>);
  throw invalidRequest([...errors, ...found.filter((error) => !known.has(nameOf(error)))]);
}

/** The default messages, because zod/mini has none. */
function describeIssue(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code !== "invalid_type") return undefined;
  return issue.input === undefined ? "is required" : `must be ${withArticle(issue.expected)}`;
}

function withArticle(type: string): string {
  const name = type === "int" ? "integer" : type;
  return `${/^[aeiou]/.test(name) ? "an" : "a"} ${name}`;
}

function toInputErrors(issue: z.core.$ZodIssue, name: string): InputError[] {
  const at = issue.path.join(".");
  if (issue.code === "unrecognized_keys")
    return issue.keys.map((key) => ({
      param: at ? `${at}.${key}` : key,
      message: "is not a known parameter; remove it",
    }));
  return [{ param: at || name, message: issue.message }];
}
