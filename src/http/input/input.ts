/** Reads and validates the path, query and body of a request together, so that one error names every invalid parameter. */
import type * as z from "zod/mini";
import type { Context } from "../../env.ts";
import { AppError, type InputError } from "../../errors.ts";
import { type ListRange, readPosition, readTextPosition, type TextRange } from "../cursors.ts";
import { decodeTable, decodeUtf8, isNamedUtf8, MAX_BODY_BYTES, mediaType, readBody } from "./body.ts";
import { type Json, parseJson } from "./json.ts";
import { parsePairs, readPairs } from "./pairs.ts";
import { invalidRequest, isOptional, parsePart } from "./parse.ts";
import type { CsvTable } from "./table.ts";

/** What a request must look like. Path and query values are strings, the body is JSON. */
export interface Contract {
  path?: z.ZodMiniType;
  query?: z.ZodMiniObject;
  /** Names that belong to another operation, and what to do with them. */
  misplaced?: { names: string[]; message: string };
  /** Request headers in addition to Authorization. */
  headers?: z.ZodMiniObject;
  /** A body that has a default, which is an object without required keys, can be absent or empty. */
  body?: z.ZodMiniType;
  /**
   * The body can also be a table in CSV: `body` then parses an object with its rows as the list `csv.key`, and `lines` has the
   * line of each.
   */
  csv?: CsvTable & { key: string; example: string };
  /** In JSON, numbers with this name are read as the text that they have there. */
  numberAsText?: string;
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
  (C extends { paged: "by text" } ? { range: TextRange } : unknown) &
  (C extends { csv: CsvTable } ? { lines: number[] | undefined } : unknown);

/** Throws AppError: invalid_request with every error, payload_too_large, unsupported_media_type and request_timeout. */
export async function readInput<C extends Contract>(context: Context, contract: C): Promise<Parsed<C>> {
  const errors: InputError[] = [];
  const parsed: { [Part in keyof Contract | "range" | "lines"]?: unknown } = {};
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
    const misplaced = pairs.filter(({ name }) => contract.misplaced?.names.includes(name));
    const message = contract.misplaced?.message ?? "";
    errors.push(...new Map(misplaced.map(({ name }) => [name, { param: name, message }])).values());
    const others = misplaced.length > 0 ? pairs.filter((pair) => !misplaced.includes(pair)) : pairs;
    parsed.query = parsePairs(contract.query, others, "same text", errors);
  }
  if (contract.body) {
    const isAbsent = isOptional(contract.body) && !context.request.headers.has("content-type");
    let value: unknown;
    if (contract.csv && mediaType(context.request) === "text/csv") {
      const rows = await readCsv(context.request, contract, contract.csv, errors);
      if (rows) value = { [contract.csv.key]: rows.map(({ item }) => item) };
      parsed.lines = rows?.map(({ line }) => line);
    } else if (!isAbsent) value = await readJson(context.request, contract, errors);
    if (isAbsent || value !== undefined) parsed.body = parsePart(contract.body, value, errors);
  }
  if (errors.length > 0) throw invalidRequest(errors);
  if (position) parsed.range = { ...position, limit: (parsed.query as { limit: number }).limit };
  return parsed as Parsed<C>;
}

/** Adds errors and returns undefined if the body is not such a table. */
async function readCsv(request: Request, contract: Contract, csv: CsvTable, errors: InputError[]) {
  const text = decodeTable(await readBody(request, contract.maxBodyBytes ?? MAX_BODY_BYTES), errors);
  const { readTable } = await import("./table.ts");
  return text === undefined ? undefined : readTable(text, csv, errors);
}

/** Adds an error and returns undefined if the body is not JSON. */
async function readJson(request: Request, contract: Contract, errors: InputError[]): Promise<unknown> {
  const type = mediaType(request);
  if (type !== "application/json" && !type.endsWith("+json")) {
    const accepted = contract.csv ? "application/json or text/csv" : "application/json";
    throw new AppError("unsupported_media_type", `Send the body as ${accepted}.`);
  }
  if (!isNamedUtf8(request))
    throw new AppError(
      "unsupported_media_type",
      "JSON must be in UTF-8: send `charset=utf-8`, or no charset.",
    );
  const text = decodeUtf8(await readBody(request, contract.maxBodyBytes ?? MAX_BODY_BYTES));
  const reject = (message: string) => void errors.push({ param: "body", message });
  // Some clients send a content type with every request.
  if (text === "" && contract.body && isOptional(contract.body)) return {};
  if (text === "") return reject("must not be empty");
  const json = text === undefined ? undefined : parseJson(text, contract.numberAsText);
  if (!json) return reject("must be JSON in UTF-8");
  errors.push(...repeatedNames(json));
  return isDeep(json.value) ? reject(`must be at most ${MAX_LEVELS} levels deep`) : json.value;
}

/** The errors of names that a JSON object has twice. */
export const repeatedNames = ({ repeated }: Json): InputError[] =>
  repeated.map((param) => ({ param, message: "is given twice; send it once" }));

/** Deeper than any contract. Without a limit, code that walks the JSON recursively could run out of stack. */
const MAX_LEVELS = 20;

function isDeep(value: unknown, levels = MAX_LEVELS): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeep(inner, levels - 1));
}
