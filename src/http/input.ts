/** Reads a request against a contract: path, query and body at once, so that a refusal names every fault at once. */
import { Buffer } from "node:buffer";
import type * as z from "zod/mini";
import { DeadlineError, withDeadline } from "../deadline.ts";
import type { Context } from "../env.ts";
import { AppError, type InputError } from "../errors.ts";

export const MAX_BODY_BYTES = 64 * 1024;

/** What a request must look like. Query values come as strings, JSON bodies as they are. */
export interface Contract {
  path?: z.ZodMiniType;
  query?: z.ZodMiniObject;
  body?: z.ZodMiniType;
  /** 64 KiB unless the contract says otherwise. */
  maxBodyBytes?: number;
}

export type Parsed<C extends Contract> = {
  [Part in keyof C]: C[Part] extends z.ZodMiniType ? z.output<C[Part]> : undefined;
};

/**
 * Throws AppError: invalid_request with every fault, those found before among them, payload_too_large,
 * unsupported_media_type, request_timeout.
 */
export async function readInput<C extends Contract>(
  context: Context,
  contract: C,
  errors: InputError[] = [],
): Promise<Parsed<C>> {
  const parsed: Partial<Record<keyof Contract, unknown>> = {};
  if (contract.path) parsed.path = parsePart(contract.path, context.params, errors);
  if (contract.query) {
    const pairs = readPairs(context.url.search.slice(1));
    parsed.query = parsePairs(contract.query, pairs, "refused", errors);
  }
  if (contract.body) {
    const json = await readJson(context.request, contract.maxBodyBytes ?? MAX_BODY_BYTES, errors);
    if (json !== undefined) parsed.body = parsePart(contract.body, json, errors);
  }
  throwIfInvalid(errors);
  return parsed as Parsed<C>;
}

/** Throws invalid_request when there is any fault. */
export function throwIfInvalid(errors: InputError[]): void {
  if (errors.length > 0) throw invalidRequest(errors);
}

export function invalidRequest(errors: InputError[]): AppError {
  const names = [...new Set(errors.map((fault) => fault.param))].join(", ");
  return new AppError("invalid_request", `Mend ${names} and send the request again.`, { errors: errors });
}

/** Parses one part, adding its faults to the list. The value is undefined where it has any. `name` is the part as a whole. */
export function parsePart<T extends z.ZodMiniType>(
  schema: T,
  value: unknown,
  errors: InputError[],
  name = "body",
): z.output<T> | undefined {
  const result = schema.safeParse(value, { error: describeIssue });
  if (result.success) return result.data;
  errors.push(...result.error.issues.flatMap((issue) => toInputErrors(issue, name)));
  return undefined;
}

/** The words for what a contract has none of its own for: zod/mini brings none along. */
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
      message: "is not known here",
    }));
  }
  return [{ param: at || name, message: issue.message }];
}

export interface Pair {
  name: string;
  value: string;
  /** Percent-encoding that is not UTF-8 is a fault: read leniently, two different ids would become one. */
  isUtf8: boolean;
}

/** The name-value pairs of a query string or a form body. */
export function readPairs(encoded: string): Pair[] {
  const parts = encoded.split("&").filter((part) => part !== "");
  // A pair for each part that is not empty. The first character is an ampersand, for a question mark there would be left out.
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
 * Reads the pairs that a schema knows; other names are ignored. A name again is a fault, or only with another value. The
 * value is undefined where there is any fault.
 */
export function parsePairs<T extends z.ZodMiniObject>(
  schema: T,
  pairs: Pair[],
  repeats: "refused" | "same value",
  errors: InputError[],
): z.output<T> | undefined {
  const values = new Map<string, string>();
  const found = new Map<string, InputError>();
  for (const { name, value, isUtf8 } of pairs) {
    if (!Object.hasOwn(schema.shape, name)) continue;
    const first = values.get(name);
    if (first === undefined) values.set(name, value);
    else if (repeats === "refused" || first !== value)
      found.set(name, { param: name, message: "is given more than once" });
    if (!isUtf8) found.set(name, { param: name, message: "is not percent-encoded UTF-8" });
  }
  errors.push(...found.values());
  const parsed = parsePart(schema, Object.fromEntries(values), errors);
  return found.size > 0 ? undefined : parsed;
}

/** undefined, with a fault, for a body that is no JSON. */
async function readJson(request: Request, maxBytes: number, errors: InputError[]): Promise<unknown> {
  const type = mediaType(request);
  if (type !== "application/json" && !type.endsWith("+json")) {
    throw new AppError("unsupported_media_type", "Send the body as application/json.");
  }
  const text = decodeUtf8(await readBody(request, maxBytes));
  const reject = (message: string) => void errors.push({ param: "body", message });
  if (text === "") return reject("must not be empty");
  try {
    const json: unknown = text && JSON.parse(text);
    if (json !== undefined) return isDeep(json) ? reject(`must be at most ${MAX_LEVELS} levels deep`) : json;
  } catch {
    // Told below, like a body that is no text at all.
  }
  return reject("must be JSON in UTF-8");
}

/** More than any contract has. What is to be written as JSON again, level by level, must not be without end. */
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

/** A body of 1 MiB takes this long over 280 kbit/s. Whoever sends more slowly holds a request open for nothing. */
const BODY_DEADLINE_MS = 30_000;

/**
 * Reads at most `maxBytes`, and no further than the limit. Throws payload_too_large, request_timeout, and invalid_request for
 * a body that broke off.
 */
export async function readBody(request: Request, maxBytes: number): Promise<Uint8Array> {
  try {
    return await withDeadline(readBytes(request, maxBytes), BODY_DEADLINE_MS, "a body");
  } catch (error) {
    if (error instanceof AppError) throw error;
    if (error instanceof DeadlineError) throw new AppError("request_timeout");
    throw invalidRequest([{ param: "body", message: "did not arrive whole" }]);
  }
}

async function readBytes(request: Request, maxBytes: number): Promise<Uint8Array> {
  const tooLarge = () => new AppError("payload_too_large", `A body here holds at most ${maxBytes} bytes.`);
  const length = request.headers.get("content-length");
  if (Number(length) > maxBytes) {
    // An answer may else wait until the body that nobody reads was sent.
    await request.body?.cancel();
    throw tooLarge();
  }
  // A body with a Content-Length is never longer than that, so it is taken whole: to ask for the stream makes one, and
  // reading it takes longer than the rest of a small request.
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
