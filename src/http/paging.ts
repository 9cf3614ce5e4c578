/** The paging objects of both API versions (spec §2.3, §4.6). */
import type { Page } from "../db/keyset.ts";
import type { Context } from "../env.ts";
import { buildCursor, type ListRange, type TextRange } from "./cursors.ts";

/** The version 1 paging object (spec §2.3). */
export function pagingV1(context: Context, range: ListRange, page: Page<unknown>, total: number) {
  const after = page.next === null ? null : buildCursor(range.list, page.next);
  const before = page.previous === null ? null : buildCursor(range.list, page.previous);
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
export function pagingV2(
  context: Context,
  range: Pick<ListRange | TextRange, "list" | "after">,
  page: { next: number | string | null },
) {
  const cursor = page.next === null ? null : buildCursor(range.list, page.next);
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
