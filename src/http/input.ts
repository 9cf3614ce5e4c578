/** Reads and validates the path, query and body of a request together, so that one error names every invalid parameter. */
import { Buffer } from "node:buffer";
import * as z from "zod/mini";
import { DeadlineError, withDeadline } from "../deadline.ts";
import type { Context } from "../env.ts";
import { AppError, type InputError } from "../errors.ts";
import { type CsvTable, readTable } from "./csv-input.ts";
import { type ListRange, readPosition, readTextPosition, type TextRange } from "./cursors.ts";
import { discardBody } from "./unread-body.ts";

export const MAX_BODY_BYTES = 64 * 1024;

/** What a request must look like. Path and query values are strings, the body is JSON. */
export interface Contract {
  path?: z.ZodMiniType;
  query?: z.ZodMiniObject;
  /** Request headers in addition to Authorization. */
  headers?: z.ZodMiniObject;
  /** A body that has a default, which is an object without required keys, can be absent or empty. */
  body?: z.ZodMiniType;
  /** The body can also be a table in CSV: `body` then parses an object with its rows as the list `csv.key`. */
  csv?: CsvTable & { key: string; example: string };
  /** 64 KiB unless the contract says otherwise. */
  maxBodyBytes?: number;
  /**
   * A list: `query` is or extends `pageQuery`, and the parsed input has the `range` of the page. A list "by text" is sorted by a
   * text; its `query` has `cursor` and `limit`.
   */
  paged?: true | "by text";
}

export type Parsed<C extends Contract> = {
  [Part in keyof C]: C[Part] extends z.ZodMiniType ? z.output<C[Part]> : undefined;
} & (C extends { paged: true } ? { range: ListRange } : unknown) &
  (C extends { paged: "by text" } ? { range: TextRange } : unknown);

/** Throws AppError: invalid_request with every error, payload_too_large, unsupported_media_type and request_timeout. */
export async function readInput<C extends Contract>(context: Context, contract: C): Promise<Parsed<C>> {
  const errors: InputError[] = [];
  const parsed: { [Part in keyof Contract | "range"]?: unknown } = {};
  const readAt = contract.paged === "by text" ? readTextPosition : readPosition;
  const position = contract.paged && readAt(context.url, Object.keys(contract.query?.shape ?? {}), errors);
  if (contract.headers) {
    const sent = Object.keys(contract.headers.shape).map((name) => [name, context.request.headers.get(name)]);
    const present = Object.fromEntries(sent.filter(([, value]) => value !== null));
    parsed.headers = parsePart(contract.headers, present, errors);
  }
  if (contract.path) parsed.path = parsePart(contract.path, context.params, errors);
  if (contract.query) {
    const pairs = readPairs(context.url.search.slice(1));
    parsed.query = parsePairs(contract.query, pairs, "rejected", errors);
  }
  if (contract.body) {
    const read = contract.csv && mediaType(context.request) === "text/csv" ? readCsv : readJson;
    const isAbsent = isOptional(contract.body) && !context.request.headers.has("content-type");
    const value = isAbsent ? undefined : await read(context.request, contract, errors);
    if (isAbsent || value !== undefined) parsed.body = parsePart(contract.body, value, errors);
  }
  if (errors.length > 0) throw invalidRequest(errors);
  if (position) parsed.range = { ...position, limit: (parsed.query as { limit: number }).limit };
  return parsed as Parsed<C>;
}

/** Whether a request can have no body. */
export function isOptional(body: z.ZodMiniType): boolean {
  return body.safeParse(undefined).success;
}

export function invalidRequest(errors: InputError[]): AppError {
  const names = [...new Set(errors.map(({ param }) => param))];
  const detail =
    names.length === 1
      ? errors.map(toSentence).join(" ")
      : `Fix ${LIST.format(names)}, then resend the request.`;
  return new AppError("invalid_request", detail, { errors });
}

const LIST = new Intl.ListFormat("en-US");

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
  if (!(schema instanceof z.ZodMiniObject) || typeof value !== "object" || value === null) return value;
  const { shape } = schema._zod.def;
  const isAbsent = (key: string, field: unknown) =>
    field === null &&
    Object.hasOwn(shape, key) &&
    shape[key] !== undefined &&
    !z.safeParse(shape[key], null).success &&
    z.safeParse(shape[key], undefined).success;
  if (Array.isArray(value) || !Object.values(value).includes(null)) return value;
  return Object.fromEntries(Object.entries(value).filter(([key, field]) => !isAbsent(key, field)));
}

/** Parses a value. Throws invalid_request with every error. */
export function parseOrThrow<T extends z.ZodMiniType>(schema: T, value: unknown): z.output<T> {
  const errors: InputError[] = [];
  const parsed = parsePart(schema, value, errors);
  if (errors.length > 0) throw invalidRequest(errors);
  return parsed as z.output<T>;
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
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => ({
      param: at ? `${at}.${key}` : key,
      message: "is not a known parameter; remove it",
    }));
  }
  return [{ param: at || name, message: issue.message }];
}

export interface Pair {
  name: string;
  value: string;
  /** Percent-encoding that is not UTF-8 is an error: decoded leniently, two different IDs would become equal. */
  isUtf8: boolean;
}

/** The name-value pairs of a query string or a form body. */
export function readPairs(encoded: string): Pair[] {
  const parts = encoded.split("&").filter((part) => part !== "");
  // URLSearchParams gives one pair for each part that is not empty. The leading ampersand keeps it from dropping a
  // question mark.
  return [...new URLSearchParams(`&${encoded}`)].map(([name, value], index) => ({
    name,
    value,
    isUtf8: isUtf8(parts[index] ?? ""),
  }));
}

function isUtf8(encoded: string): boolean {
  if (!encoded.includes("%")) return true;
  try {
    encoded.replace(/(?:%[0-9A-Fa-f]{2})+/g, decodeURIComponent);
    return true;
  } catch {
    return false;
  }
}

/**
 * Parses the pairs that a schema knows. Other names are ignored, or errors if the schema is a strict object. A repeated name is
 * an error; with "same value", only if the values differ. If there is any error, adds it to the list and returns undefined.
 */
export function parsePairs<T extends z.ZodMiniObject>(
  schema: T,
  pairs: Pair[],
  repeats: "rejected" | "same value",
  errors: InputError[],
): z.output<T> | undefined {
  const values = new Map<string, string>();
  const found = new Map<string, InputError>();
  const isStrict = schema._zod.def.catchall?._zod.def.type === "never";
  for (const { name, value, isUtf8 } of pairs) {
    if (!isStrict && !Object.hasOwn(schema.shape, name)) continue;
    const first = values.get(name);
    if (first === undefined) values.set(name, value);
    else if (repeats === "rejected") found.set(name, { param: name, message: "is given more than once" });
    else if (first !== value && !isSame(schema.shape[name], first, value))
      found.set(name, { param: name, message: "is given twice with different values" });
    if (!isUtf8) found.set(name, { param: name, message: "must be percent-encoded UTF-8" });
  }
  errors.push(...found.values());
  const parsed = parsePart(schema, Object.fromEntries(values), errors);
  return found.size > 0 ? undefined : parsed;
}

/** Whether two texts have the same meaning, for example `0.5` and `0.50`. */
function isSame(field: z.core.$ZodType | undefined, first: string, second: string): boolean {
  if (!field) return false;
  const [one, other] = [z.safeParse(field, first), z.safeParse(field, second)];
  return one.success && other.success && one.data === other.data;
}

/** Adds errors and returns undefined if the body is not such a table. */
async function readCsv(request: Request, contract: Contract, errors: InputError[]): Promise<unknown> {
  const text = decodeUtf8(await readBody(request, contract.maxBodyBytes ?? MAX_BODY_BYTES));
  if (text === undefined) errors.push({ param: "body", message: "must be UTF-8" });
  const rows = text !== undefined && contract.csv && readTable(text, contract.csv, errors);
  return rows ? { [contract.csv?.key ?? ""]: rows } : undefined;
}

/** Adds an error and returns undefined if the body is not JSON. */
async function readJson(request: Request, contract: Contract, errors: InputError[]): Promise<unknown> {
  const type = mediaType(request);
  if (type !== "application/json" && !type.endsWith("+json")) {
    const accepted = contract.csv ? "application/json or text/csv" : "application/json";
    throw new AppError("unsupported_media_type", `Send the body as ${accepted}.`);
  }
  const text = decodeUtf8(await readBody(request, contract.maxBodyBytes ?? MAX_BODY_BYTES));
  const reject = (message: string) => void errors.push({ param: "body", message });
  // Some clients send a content type with every request.
  if (text === "" && contract.body && isOptional(contract.body)) return {};
  if (text === "") return reject("must not be empty");
  try {
    const json: unknown = text && JSON.parse(text);
    if (json !== undefined) return isDeep(json) ? reject(`must be at most ${MAX_LEVELS} levels deep`) : json;
  } catch {
    // Reported below, like a body that is not text.
  }
  return reject("must be JSON in UTF-8");
}

/** Deeper than any contract. Without a limit, code that walks the JSON recursively could run out of stack. */
const MAX_LEVELS = 20;

function isDeep(value: unknown, levels = MAX_LEVELS): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeep(inner, levels - 1));
}

export function mediaType(request: Request): string {
  return (request.headers.get("content-type") ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";
}

const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });

/** undefined where the bytes are not UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return UTF8.decode(bytes);
  } catch {
    return undefined;
  }
}

/** Enough for a body of 1 MiB at 280 kbit/s. */
const BODY_DEADLINE_MS = 30_000;

/**
 * Reads a body and stops at `maxBytes`. Throws payload_too_large, request_timeout, and invalid_request for a body that is cut
 * off.
 */
export async function readBody(request: Request, maxBytes = MAX_BODY_BYTES): Promise<Uint8Array> {
  try {
    return await withDeadline(readBytes(request, maxBytes), BODY_DEADLINE_MS, "the body");
  } catch (error) {
    if (error instanceof AppError) throw error;
    if (error instanceof DeadlineError) throw new AppError("request_timeout");
    throw invalidRequest([{ param: "body", message: "did not arrive completely; resend the request" }]);
  }
}

async function readBytes(request: Request, maxBytes: number): Promise<Uint8Array> {
  const tooLarge = () => new AppError("payload_too_large", `The body can have at most ${maxBytes} bytes.`);
  const length = request.headers.get("content-length");
  if (Number(length) > maxBytes) {
    await discardBody(request);
    throw tooLarge();
  }
  // A body with a Content-Length is never longer than that, so it is read in one piece. Reading it as a stream takes longer
  // than the rest of a small request.
  if (length !== null && /^\d+$/.test(length)) {
    const bytes = await request.bytes();
    if (bytes.byteLength > maxBytes) throw tooLarge();
    return bytes;
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body ?? []) {
    size += chunk.byteLength;
    if (size > maxBytes) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}
