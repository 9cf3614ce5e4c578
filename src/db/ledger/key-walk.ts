/** Reads pages of a partner's IDs until there is something to show: what is listed can lie far apart. */

import { Buffer } from "node:buffer";

/** The most pages that one request reads. */
export const MAX_PAGES = 4;

interface Walked<Item> {
  items: Item[];
  /** The ID after which the list continues, null at its end. */
  next: string | null;
}

/** Reads until the page is full, or the list ends, or `MAX_PAGES` were read. */
export async function walk<Item>(
  { after, limit }: { after: string | null; limit: number },
  read: (range: { after: string | null; limit: number }) => Promise<Walked<Item>>,
): Promise<Walked<Item>> {
  const items: Item[] = [];
  let next = after;
  for (let pages = 0; pages < MAX_PAGES; pages++) {
    const page = await read({ after: next, limit: limit - items.length });
    items.push(...page.items);
    next = page.next;
    if (next === null || items.length >= limit) break;
  }
  return { items, next };
}

/** How far a text lies between two others, from 0 to 1, by the bytes after what all of them begin with. */
export function shareOf(first: string, last: string, text: string): number {
  const [low, high, at] = [first, last, text].map((one) => Buffer.from(one)) as [Buffer, Buffer, Buffer];
  let same = 0;
  while (same < low.length && same < high.length && low[same] === high[same]) same++;
  const toNumber = (bytes: Buffer) =>
    [0, 1, 2, 3].reduce((sum, index) => sum * 256 + (bytes[same + index] ?? 0), 0);
  const range = toNumber(high) - toNumber(low);
  return range <= 0 ? 0 : Math.min(1, Math.max(0, (toNumber(at) - toNumber(low)) / range));
}
