/**
 * The Model Context Protocol, revision 2026-07-28, over HTTP: reads a message and checks that its headers agree with it. Without I/O except
 * the body. Older revisions begin with a handshake, which is answered and not remembered.
 */
import { AppError } from "../errors.ts";
import { decodeUtf8, isNamedUtf8, mediaType, readBody } from "../http/input/body.ts";
import { parseJson } from "../http/input/json.ts";

export const REVISION = "2026-07-28";
/** The newest first. */
const OLDER = ["2025-11-25", "2025-06-18", "2025-03-26"];
export const VERSIONS = [REVISION, ...OLDER];

/** The codes of JSON-RPC and of the protocol, with the status of the response. */
const CODES = {
  parse_error: { code: -32700, status: 400 },
  invalid_request: { code: -32600, status: 400 },
  method_not_found: { code: -32601, status: 404 },
  invalid_params: { code: -32602, status: 400 },
  header_mismatch: { code: -32020, status: 400 },
  unsupported_version: { code: -32022, status: 400 },
} as const;

/** An error of the message itself, which becomes the error of a JSON-RPC response. */
export class MessageError extends Error {
  readonly kind: keyof typeof CODES;
  readonly data: object | undefined;
  constructor(kind: keyof typeof CODES, message: string, data?: object) {
    super(message);
    this.kind = kind;
    this.data = data;
  }
}

export interface Message {
  /** Absent in a notification. */
  id?: string | number;
  method: string;
  params: Record<string, unknown>;
  /** Whether it is of a revision with a handshake. Its clients read errors only from responses with the status 200. */
  isOlder: boolean;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Reads one JSON value. Throws MessageError, payload_too_large, unsupported_media_type and request_timeout. */
export async function readValue(request: Request): Promise<unknown> {
  if (mediaType(request) !== "application/json" || !isNamedUtf8(request))
    throw new AppError("unsupported_media_type", "Send the body as application/json in UTF-8.");
  const bytes = await readBody(request).catch((error) => {
    if (error instanceof AppError && error.code === "invalid_request")
      throw new MessageError("parse_error", "The body did not arrive completely; resend the request");
    throw error;
  });
  const json = parseJson(decodeUtf8(bytes) ?? "");
  if (!json) throw new MessageError("parse_error", "The body must be JSON in UTF-8");
  // A proxy that reads the first of two equal names would see another message.
  const [twice] = json.repeated;
  if (twice !== undefined) throw new MessageError("invalid_request", "A name is given twice; send it once");
  return json.value;
}

/** The ID of a message, as far as it has one. */
export function idOf(value: unknown): string | number | undefined {
  const id = isObject(value) ? value.id : undefined;
  return typeof id === "string" || Number.isSafeInteger(id) ? (id as string | number) : undefined;
}

/** Whether a message is of a revision with a handshake: only newer ones have `_meta` with their version. */
export function isOlder(value: unknown, headers: Headers): boolean {
  const header = headers.get("mcp-protocol-version");
  const sent = isObject(value) && isObject(value.params) ? versionIn(value.params) : undefined;
  return header === null ? sent === undefined : OLDER.includes(header) && (sent ?? header) === header;
}

const META = "io.modelcontextprotocol/";
const versionIn = ({ _meta }: Record<string, unknown>) =>
  isObject(_meta) ? _meta[`${META}protocolVersion`] : undefined;

/** Checks a message as its revision says. Throws MessageError. */
export function toMessage(value: unknown, headers: Headers): Message {
  if (!isObject(value) || value.jsonrpc !== "2.0" || typeof value.method !== "string")
    throw new MessageError("invalid_request", "The body must be one JSON-RPC 2.0 request or notification");
  const { method, params = {} } = value;
  const id = idOf(value);
  if ("id" in value && id === undefined)
    throw new MessageError("invalid_request", "The id must be a string or an integer");
  if (!isObject(params)) throw new MessageError("invalid_params", "params must be an object");
  const message = { ...(id !== undefined && { id }), method, params, isOlder: isOlder(value, headers) };
  if (id !== undefined && !message.isOlder) checkMetadata(message, headers);
  return message;
}

/** What every request of the revision says of itself, in its body and again in its headers. */
function checkMetadata({ method, params }: Message, headers: Headers): void {
  const header = headers.get("mcp-protocol-version");
  const version = versionIn(params);
  if (typeof version !== "string")
    throw new MessageError("invalid_params", `params._meta must have ${META}protocolVersion`);
  requireEqual("MCP-Protocol-Version", header, version);
  if (version !== REVISION)
    throw new MessageError("unsupported_version", "Unsupported protocol version", {
      supported: VERSIONS,
      requested: version,
    });
  if (!isObject((params._meta as Record<string, unknown>)[`${META}clientCapabilities`]))
    throw new MessageError("invalid_params", `params._meta must have ${META}clientCapabilities`);
  requireEqual("Mcp-Method", headers.get("mcp-method"), method);
  if (method === "tools/call") requireEqual("Mcp-Name", decode(headers.get("mcp-name")), params.name);
}

function requireEqual(name: string, header: string | null, inBody: unknown): void {
  if (header === null) throw new MessageError("header_mismatch", `Header mismatch: ${name} is missing`);
  if (header !== inBody)
    throw new MessageError("header_mismatch", `Header mismatch: ${name} does not agree with the body`);
}

/** The text of a header that can be in Base64. */
function decode(header: string | null): string | null {
  const [, encoded] = /^=\?base64\?(.*)\?=$/.exec(header ?? "") ?? [];
  if (encoded === undefined) return header;
  try {
    return decodeUtf8(Uint8Array.from(atob(encoded), (each) => each.charCodeAt(0))) ?? null;
  } catch {
    return null;
  }
}

/** The version that answers the handshake of an older client. */
export const agreeOn = (version: unknown) => OLDER.find((one) => one === version) ?? OLDER[0];

/** The error as JSON-RPC, and the status that it is sent with. */
export function toError(error: MessageError, id: string | number | undefined, isOlder: boolean) {
  const { code, status } = CODES[error.kind];
  const { message, data } = error;
  return {
    status: isOlder && id !== undefined ? 200 : status,
    body: {
      jsonrpc: "2.0",
      ...(id !== undefined && { id }),
      error: { code, message, ...(data && { data }) },
    },
  };
}
