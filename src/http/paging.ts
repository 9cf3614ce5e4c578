/**
 * Paging on the wire (spec §4.6): opaque cursors bound to the list they were cut from, and the paging objects of both
 * versions. A cursor is a position, so it stays good whatever is inserted.
 */
import { Buffer } from "node:buffer";
import type * as z from "zod/mini";
import type { Page, Range } from "../db/keyset.ts";
import type { Context } from "../env.ts";
import type { InputError } from "../errors.ts";
import { type Contract, type Parsed, readInput } from "./input.ts";

const CURSOR_VERSION = "1";

function buildCursor(list: string, position: number): string {
  return Buffer.from([CURSOR_VERSION, list, position].join("|")).toString("base64url");
}

/** undefined for a cursor that this list did not give. */
function readCursor(list: string, cursor: string): number | undefined {
  const position = Number(Buffer.from(cursor, "base64url").toString().split("|").at(-1));
  return Number.isSafeInteger(position) && buildCursor(list, position) === cursor ? position : undefined;
}

type ListContract = Contract & { query: z.ZodMiniObject & z.ZodMiniType<{ limit: number }> };

/** Reads the input of a list, and where its page lies. Throws as `readInput`, for cursors of other lists too. */
export async function readListInput<C extends ListContract>(
  context: Context,
  contract: C,
  list: string,
): Promise<{ input: Parsed<C>; range: Range }> {
  const errors: InputError[] = [];
  const position = readPosition(list, context.url.searchParams, errors);
  const input = await readInput(context, contract, errors);
  const { limit } = input.query as { limit: number };
  return { input, range: { ...position, limit } };
}

function readPosition(list: string, query: URLSearchParams, errors: InputError[]): Omit<Range, "limit"> {
  const position = (param: "after" | "before" | "cursor") => {
    const cursor = query.get(param);
    if (cursor === null) return null;
    const found = readCursor(list, cursor);
    if (found === undefined) errors.push({ param, message: "is not a cursor of this list" });
    return found ?? null;
  };
  const [after, cursor, before] = [position("after"), position("cursor"), position("before")];
  if (after !== null && cursor !== null && after !== cursor) {
    errors.push({ param: "cursor", message: "says the same as after: send one of them" });
  }
  return { after: cursor ?? after, before };
}

/** The version 1 paging object (spec §2.3). */
export function pagingV1(context: Context, list: string, range: Range, page: Page<unknown>, total: number) {
  const after = page.next === null ? null : buildCursor(list, page.next);
  const before = page.previous === null ? null : buildCursor(list, page.previous);
  const keep = range.after !== null ? context.url.searchParams.get("before") : null;
  return {
    page_size: String(range.limit),
    collection_size: String(page.items.length),
    total: String(total),
    next: after && pageUrl(context, { after, before: keep }),
    previous: before && pageUrl(context, { before }),
    cursors: { after, before },
  };
}

/** The version 2 paging object (spec §2.3). */
export function pagingV2(context: Context, list: string, range: Range, page: Page<unknown>) {
  const cursor = page.next === null ? null : buildCursor(list, page.next);
  const keep = range.after !== null ? context.url.searchParams.get("before") : null;
  return { cursor, next: cursor && pageUrl(context, { cursor, before: keep }) };
}

/** The caller's own URL, so that limit and filters stay, at another position. */
function pageUrl(context: Context, position: Record<string, string | null>): string {
  const url = new URL(context.url);
  for (const name of ["after", "before", "cursor"]) url.searchParams.delete(name);
  for (const [name, value] of Object.entries(position)) if (value !== null) url.searchParams.set(name, value);
  return url.href;
}
