/**
 * Paging of lists (spec §4.6): opaque cursors that are bound to their list, and the paging objects of both API versions. A
 * cursor holds a position, so it stays valid when items are inserted.
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

/** undefined if the cursor is not from this list. */
function readCursor(list: string, cursor: string): number | undefined {
  const position = Number(Buffer.from(cursor, "base64url").toString().split("|").at(-1));
  return Number.isSafeInteger(position) && buildCursor(list, position) === cursor ? position : undefined;
}

type ListContract = Contract & { query: z.ZodMiniObject & z.ZodMiniType<{ limit: number }> };

/**
 * Reads the input of a list request and the range of its page. Throws what `readInput` throws. A cursor of another list is
 * invalid.
 */
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
    if (found === undefined) errors.push({ param, message: "is not a cursor from this list" });
    return found ?? null;
  };
  const [after, cursor, before] = [position("after"), position("cursor"), position("before")];
  if (after !== null && cursor !== null && after !== cursor) {
    errors.push({ param: "cursor", message: "differs from after; send only one of them" });
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

/** The URL of the request at another position, with the same limit and filters. */
function pageUrl(context: Context, position: Record<string, string | null>): string {
  const url = new URL(context.url);
  for (const name of ["after", "before", "cursor"]) url.searchParams.delete(name);
  for (const [name, value] of Object.entries(position)) if (value !== null) url.searchParams.set(name, value);
  return url.href;
}
