/** Reads the bytes of a body, within a size and a time. */
import { Buffer } from "node:buffer";
import { DeadlineError, withDeadline } from "../../deadline.ts";
import { inEnglish } from "../../domain/texts.ts";
import { AppError, type InputError } from "../../errors.ts";
import { invalidRequest } from "./parse.ts";

export const MAX_BODY_BYTES = 64 * 1024;

export function mediaType(request: Request): string {
  return (request.headers.get("content-type") ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";
}

/** Whether the content type names no charset other than UTF-8. */
export function isNamedUtf8(request: Request): boolean {
  const [, ...parameters] = (request.headers.get("content-type") ?? "").toLowerCase().split(";");
  return parameters.every((parameter) => {
    const [name, value = ""] = parameter.split("=");
    return name?.trim() !== "charset" || /^(utf-?8|"utf-?8")$/.test(value.trim());
  });
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

/** Spreadsheets can write it. Text in UTF-8 has no byte 0. */
export function isUtf16([first, second]: Uint8Array): boolean {
  return (
    (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff) || first === 0 || second === 0
  );
}

/** The text of a table; undefined where it is not UTF-8, with an error that says so. */
export function decodeTable(bytes: Uint8Array, errors: InputError[]): string | undefined {
  const text = isUtf16(bytes) ? undefined : decodeUtf8(bytes);
  const message = isUtf16(bytes) ? "is UTF-16; it must be UTF-8" : "must be UTF-8";
  if (text === undefined) errors.push({ param: "body", message });
  return text;
}

/** Enough for a body of 1 MiB at 280 kbit/s. */
const BODY_DEADLINE_MS = 30_000;

/**
 * Reads a body and stops at `maxBytes`. Throws payload_too_large, request_timeout, and invalid_request for a body that is cut
 * off.
 */
export async function readBody(request: Request, maxBytes = MAX_BODY_BYTES): Promise<Uint8Array> {
  try {
    return await withDeadline(readDecoded(request, maxBytes), BODY_DEADLINE_MS, "the body");
  } catch (error) {
    if (error instanceof AppError) throw error;
    if (error instanceof DeadlineError) throw new AppError("request_timeout");
    throw invalidRequest([{ param: "body", message: "did not arrive completely; resend the request" }]);
  }
}

const tooLargeFor = (maxBytes: number) =>
  new AppError("payload_too_large", `The body can have at most ${inEnglish(maxBytes)} bytes.`);

/** Decodes gzip. A body is limited as it was sent, and again while it is decoded. */
async function readDecoded(request: Request, maxBytes: number): Promise<Uint8Array> {
  const coding = (request.headers.get("content-encoding") ?? "").trim().toLowerCase();
  const isGzip = coding === "gzip" || coding === "x-gzip";
  if (!isGzip && coding !== "" && coding !== "identity") {
    await discardBody(request);
    throw new AppError(
      "unsupported_media_type",
      `The Content-Encoding ${coding.slice(0, 100)} is not supported. Send the body with gzip, or without one.`,
      { headers: { "accept-encoding": "gzip" } },
    );
  }
  const sent = await readBytes(request, maxBytes);
  if (!isGzip || sent.byteLength === 0) return sent;
  const decoded = new Response(sent).body?.pipeThrough(new DecompressionStream("gzip"));
  try {
    return await collect(decoded ?? [], maxBytes);
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw invalidRequest([
      { param: "body", message: "is not one complete gzip member, as its Content-Encoding says" },
    ]);
  }
}

async function collect(stream: AsyncIterable<Uint8Array> | Iterable<Uint8Array>, maxBytes: number) {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stream) {
    size += chunk.byteLength;
    if (size > maxBytes) throw tooLargeFor(maxBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}

async function readBytes(request: Request, maxBytes: number): Promise<Uint8Array> {
  const tooLarge = () => tooLargeFor(maxBytes);
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
  return collect(request.body ?? [], maxBytes);
}

const MAX_DISCARDED_BYTES = 16 * 1024 * 1024;
const DEADLINE_MS = 2_000;

/**
 * Takes a body from its connection, if it is at most 16 MiB and arrives within two seconds. Otherwise a proxy that shares
 * connections, such as that of `wrangler dev`, can answer 500 to this request or the next one
 * (github.com/cloudflare/workers-sdk/issues/15203).
 */
async function discardBody({ body, headers }: Request): Promise<void> {
  if (!body) return;
  if (Number(headers.get("content-length")) > MAX_DISCARDED_BYTES) return body.cancel();
  const reader = body.getReader();
  try {
    await withDeadline(readToEnd(reader), DEADLINE_MS, "the body");
  } catch {
    // Cut off or too slow: the response does not wait for it.
  }
  await reader.cancel();
}

async function readToEnd(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  let size = 0;
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    size += read.value.byteLength;
    if (size > MAX_DISCARDED_BYTES) return;
  }
}
