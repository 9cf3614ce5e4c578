/** The paging rules of every list in each version (spec §4.6). */
import { beforeEach, describe, expect, it } from "vitest";
import { env, freshDemo, freshState, ORIGIN } from "../harness.ts";
import { once } from "../once.ts";
import { isLong } from "../part.ts";
import {
  asUser,
  createLink,
  type Envelope,
  errorsOf,
  LINKS,
  LINKS_V2,
  PARTNERS,
  type PagingV1,
  type PagingV2,
} from "./support.ts";

type Item = { id: number } | { token: string };
type PageResponse<Paging> = { status: number; body: Envelope<Item, Paging> };

const pageV1 = (address: string): Promise<PageResponse<PagingV1>> => asUser(address);
const pageV2 = (address: string): Promise<PageResponse<PagingV2>> => asUser(address);
const keyOf = (item: Item) => ("id" in item ? item.id : item.token);

async function addPartner(name: string): Promise<void> {
  await env.DB.prepare(
    `INSERT INTO partners (display_name, supports_cost_data, server_to_server, click_parameters,
       impression_parameters, cost_parameters, created_at) VALUES (?, 0, 0, '', '', '', 0)`,
  )
    .bind(name)
    .run();
}

async function addLinks(names: string[], parent_token?: string): Promise<void> {
  const links = names.map((name) => ({ name, ...(parent_token && { parent_token }) }));
  const { status } = await asUser(`${LINKS}/bulk`, { json: { links } });
  expect(status).toBe(200);
}

const LISTS_V1 = [
  {
    list: "partners",
    path: PARTNERS,
    add: addPartner,
    addAll: (names: string[]) => Promise.all(names.map(addPartner)).then(() => undefined),
  },
  { list: "links", path: LINKS, add: createLink, addAll: (names: string[]) => addLinks(names) },
  {
    list: "sub-links",
    path: `${LINKS}/demo1nk003/children`,
    add: (name: string) => createLink(name, "demo1nk003"),
    addAll: (names: string[]) => addLinks(names, "demo1nk003"),
  },
];
const LISTS_V2 = LISTS_V1.slice(1).map((list) => ({ ...list, path: list.path.replace("v1", "v2") }));

const keys = once("lists of 11 items", () => new Map<string, (string | number)[]>());

/** Resets to a state in which a list has 11 items. Returns their keys. The items are added once in a process. */
async function fill({ list, path, addAll }: (typeof LISTS_V1)[number]): Promise<(string | number)[]> {
  await freshState(`11 ${list}`, async () => {
    await freshDemo();
    const address = path.replace("v2", "v1");
    const { length } = (await pageV1(address)).body.data.items;
    await addAll(Array.from({ length: 11 - length }, (_, count) => `item ${length + count}`));
    const whole = (await pageV1(address)).body.data.items.map(keyOf);
    expect(whole).toHaveLength(11);
    keys.set(list, whole);
  });
  return keys.get(list) ?? [];
}

let whole: (string | number)[] = [];

describe.each(LISTS_V1)("the list of $list in version 1", (list) => {
  beforeEach(async () => {
    whole = await fill(list);
  });

  it("is complete when its pages are read one after another, forward and backward", async () => {
    // All lists walk their pages with the same code.
    for (const limit of isLong || list.list === "sub-links" ? [1, 4, 11] : [4, 11]) {
      const forward: (string | number)[] = [];
      const pages: PagingV1[] = [];
      for (let next: string | null = `${list.path}?limit=${limit}`; next; ) {
        const { body }: PageResponse<PagingV1> = await pageV1(next);
        forward.push(...body.data.items.map(keyOf));
        pages.push(body.data.paging);
        next = body.data.paging.next;
      }
      expect(forward).toEqual(whole);
      expect(pages).toHaveLength(Math.ceil(11 / limit));

      const backward: (string | number)[] = [];
      for (let previous = pages.at(-1)?.previous ?? null; previous; ) {
        const { body }: PageResponse<PagingV1> = await pageV1(previous);
        backward.unshift(...body.data.items.map(keyOf));
        previous = body.data.paging.previous;
      }
      const lastPage = 11 % limit || limit;
      expect(backward).toEqual(whole.slice(0, -lastPage));
    }
  });

  it("counts the page and the whole list as strings on every page", async () => {
    const first = (await pageV1(`${list.path}?limit=4`)).body.data.paging;
    const second = (await pageV1(first.next ?? "")).body.data.paging;
    const third = (await pageV1(second.next ?? "")).body.data.paging;
    const counts = { page_size: "4", total: "11" };
    expect(first).toMatchObject({ ...counts, collection_size: "4" });
    expect(second).toMatchObject({ ...counts, collection_size: "4" });
    expect(third).toMatchObject({ ...counts, collection_size: "3" });
    for (const paging of [first, second, third]) {
      expect(Object.keys(paging)).toEqual([
        "page_size",
        "collection_size",
        "total",
        "next",
        "previous",
        "cursors",
      ]);
      expect(Object.keys(paging.cursors)).toEqual(["after", "before"]);
    }
  });

  it("links to the neighbor pages with absolute URLs and the given limit, and with null at the ends", async () => {
    const first = (await pageV1(`${list.path}?limit=4&x=%7Bkept%7D`)).body.data.paging;
    expect(first.previous).toBeNull();
    expect(first.cursors.before).toBeNull();
    const next = new URL(first.next ?? "");
    expect(next.origin).toBe(ORIGIN);
    expect(next.pathname).toBe(list.path);
    expect(Object.fromEntries(next.searchParams)).toEqual({
      limit: "4",
      x: "{kept}",
      after: first.cursors.after,
    });

    const second = (await pageV1(next.href)).body.data.paging;
    const previous = new URL(second.previous ?? "");
    expect(previous.pathname).toBe(list.path);
    expect(Object.fromEntries(previous.searchParams)).toEqual({
      limit: "4",
      x: "{kept}",
      before: second.cursors.before,
    });

    const third = (await pageV1(second.next ?? "")).body.data.paging;
    expect(third.next).toBeNull();
    expect(third.cursors.after).toBeNull();
    expect(third.previous).not.toBeNull();
  });

  it("returns the range between after and before, excluding both, on one page or several", async () => {
    const at = async (index: number) => {
      const { body } = await pageV1(`${list.path}?limit=${index + 1}`);
      return body.data.paging.cursors.after;
    };
    const range = `${list.path}?after=${await at(1)}&before=${await at(7)}`;
    expect((await pageV1(range)).body.data.items.map(keyOf)).toEqual(whole.slice(2, 7));

    const walked: (string | number)[] = [];
    for (let next: string | null = `${range}&limit=2`; next; ) {
      const { body }: PageResponse<PagingV1> = await pageV1(next);
      walked.push(...body.data.items.map(keyOf));
      next = body.data.paging.next;
    }
    expect(walked).toEqual(whole.slice(2, 7));
  });

  it("returns the page directly before a cursor if only before is given", async () => {
    const before = (await pageV1(`${list.path}?limit=8`)).body.data.paging.cursors.after;
    const { body } = await pageV1(`${list.path}?limit=3&before=${before}`);
    expect(body.data.items.map(keyOf)).toEqual(whole.slice(4, 7));
    const after = await pageV1(body.data.paging.next ?? "");
    expect(after.body.data.items.map(keyOf)).toEqual(whole.slice(7, 10));
  });

  it("continues from the first page when it was reached backward", async () => {
    const before = (await pageV1(`${list.path}?limit=3`)).body.data.paging.cursors.after;
    const first = (await pageV1(`${list.path}?limit=5&before=${before}`)).body.data;
    expect(first.items.map(keyOf)).toEqual(whole.slice(0, 2));
    expect(first.paging.previous).toBeNull();
    const second = (await pageV1(first.paging.next ?? "")).body.data;
    expect(second.items.map(keyOf)).toEqual(whole.slice(2, 7));
  });

  it("loses and repeats nothing while items are added between pages", async () => {
    const first = await pageV1(`${list.path}?limit=6`);
    await list.add("added between");
    const second = await pageV1(first.body.data.paging.next ?? "");
    const read = [...first.body.data.items, ...second.body.data.items].map(keyOf);
    expect(read.slice(0, 11)).toEqual(whole);
    expect(read).toHaveLength(12);
    expect(second.body.data.paging.total).toBe("12");
    const back = await pageV1(second.body.data.paging.previous ?? "");
    expect(back.body.data.items.map(keyOf)).toEqual(whole.slice(0, 6));
  });

  it("returns 50 items without a limit and treats a limit above 1000 as 1000", async () => {
    await list.addAll(Array.from({ length: 50 }, (_, count) => `more ${count}`));
    const unlimited = (await pageV1(list.path)).body.data;
    expect(unlimited.items).toHaveLength(50);
    expect(unlimited.paging).toMatchObject({ page_size: "50", collection_size: "50" });
    const sizes = { "1000": "1000", "1001": "1000", "99999999999999999999": "1000", "999": "999" };
    for (const [requested, effective] of Object.entries(sizes)) {
      expect((await pageV1(`${list.path}?limit=${requested}`)).body.data.paging.page_size).toBe(effective);
    }
  });

  it("rejects a limit of 0", async () => {
    expect(await errorsOf(`${list.path}?limit=0`)).toEqual(["limit: must be a positive integer"]);
  });

  it("rejects a garbled cursor under each of its names", async () => {
    const { after } = (await pageV1(`${list.path}?limit=1`)).body.data.paging.cursors;
    const garbled = [
      "",
      "x",
      "%00",
      `${after}A`,
      `${after}%3D`,
      after?.slice(0, -2),
      btoa("1|partners|x"),
      "MQ",
    ];
    for (const cursor of garbled) {
      // All lists read their parameters with the same code.
      for (const param of isLong || list.list === "sub-links" ? ["after", "before", "cursor"] : ["after"]) {
        expect(await errorsOf(`${list.path}?${param}=${cursor}`)).toEqual([
          `${param}: is not a cursor from this list`,
        ]);
      }
    }
  });

  it("links from the empty page after the last item back to the last items", async () => {
    const { next } = (await pageV1(`${list.path}?limit=10`)).body.data.paging;
    const { before: last } = (await pageV1(next ?? "")).body.data.paging.cursors;
    const { items, paging } = (await pageV1(`${list.path}?limit=3&after=${last}`)).body.data;
    expect([items, paging.next]).toEqual([[], null]);
    const back = (await pageV1(paging.previous ?? "")).body.data;
    expect(back.items.map(keyOf)).toEqual(whole.slice(8));
  });

  it("links from the empty page before the first item to the first items", async () => {
    const { after: first } = (await pageV1(`${list.path}?limit=1`)).body.data.paging.cursors;
    const { items, paging } = (await pageV1(`${list.path}?limit=3&before=${first}`)).body.data;
    expect([items, paging.previous]).toEqual([[], null]);
    const forward = (await pageV1(paging.next ?? "")).body.data;
    expect(forward.items.map(keyOf)).toEqual(whole.slice(0, 3));
  });
});

/** All lists read their parameters with the same code. */
describe("the parameters of the list of sub-links in version 1", () => {
  const list = LISTS_V1[2] as (typeof LISTS_V1)[number];
  beforeEach(async () => {
    whole = await fill(list);
  });

  it("accepts cursor as another name for after, and both if they are equal", async () => {
    const { after } = (await pageV1(`${list.path}?limit=5`)).body.data.paging.cursors;
    for (const query of [`cursor=${after}`, `after=${after}`, `after=${after}&cursor=${after}`]) {
      expect((await pageV1(`${list.path}?${query}`)).body.data.items.map(keyOf)).toEqual(whole.slice(5));
    }
  });

  it("rejects cursor with a different after", async () => {
    const one = (await pageV1(`${list.path}?limit=5`)).body.data.paging.cursors.after;
    const other = (await pageV1(`${list.path}?limit=6`)).body.data.paging.cursors.after;
    expect(await errorsOf(`${list.path}?after=${one}&cursor=${other}`)).toEqual([
      "cursor: differs from after; send only one of them",
    ]);
  });

  it.each(["-1", "1.5", "abc", "", "1e3", "+5", " 5", "0x10"])("rejects the limit '%s'", async (limit) => {
    expect(await errorsOf(`${list.path}?limit=${encodeURIComponent(limit)}`)).toEqual([
      "limit: must be a positive integer",
    ]);
  });

  it("accepts a parameter that is repeated with the same value, as a client does on `next`, and no other", async () => {
    const { after } = (await pageV1(`${list.path}?limit=1`)).body.data.paging.cursors;
    const page = await pageV1(`${list.path}?limit=2&after=${after}&limit=2&after=${after}`);
    expect(page.body.data.items).toEqual(
      (await pageV1(`${list.path}?limit=2&after=${after}`)).body.data.items,
    );
    const twice = "is given twice with different values; send it once";
    expect(await errorsOf(`${list.path}?limit=5&limit=05`)).toEqual([`limit: ${twice}`]);
    expect(await errorsOf(`${list.path}?after=${after}&after=x`)).toEqual([`after: ${twice}`]);
  });

  it("rejects a cursor with a position that is not an integer, or is above 2^53 - 1", async () => {
    const { after } = (await pageV1(`${list.path}?limit=1`)).body.data.paging.cursors;
    const text = atob((after ?? "").replaceAll("-", "+").replaceAll("_", "/"));
    for (const position of ["NaN", "Infinity", "-Infinity", "1.5", "9007199254740992", "1e+21"]) {
      const encoded = btoa(text.replace(/\d+$/, position)).replaceAll("=", "");
      const cursor = encoded.replaceAll("+", "-").replaceAll("/", "_");
      expect(cursor).not.toBe(after);
      expect(await errorsOf(`${list.path}?after=${cursor}`)).toEqual([
        "after: is not a cursor from this list",
      ]);
    }
  });
});

describe.each(LISTS_V2)("the list of $list in version 2", (list) => {
  beforeEach(async () => {
    whole = await fill(list);
  });

  it("is complete when next is followed and when the cursor is passed by hand", async () => {
    for (const limit of [4, 11]) {
      const followed: (string | number)[] = [];
      for (let next: string | null = `${list.path}?limit=${limit}`; next; ) {
        const { body }: PageResponse<PagingV2> = await pageV2(next);
        followed.push(...body.data.items.map(keyOf));
        next = body.data.paging.next;
      }
      expect(followed).toEqual(whole);

      const passed: (string | number)[] = [];
      for (let cursor: string | null = ""; cursor !== null; ) {
        const from = cursor && `&cursor=${cursor}`;
        const { body }: PageResponse<PagingV2> = await pageV2(`${list.path}?limit=${limit}${from}`);
        passed.push(...body.data.items.map(keyOf));
        cursor = body.data.paging.cursor;
      }
      expect(passed).toEqual(whole);
    }
  });

  it("links to the next page with cursor=, an absolute URL and the limit, and with null on the last page", async () => {
    const { paging } = (await pageV2(`${list.path}?limit=6`)).body.data;
    expect(paging.next).toBe(`${ORIGIN}${list.path}?limit=6&cursor=${paging.cursor}`);
    const last = (await pageV2(paging.next ?? "")).body.data.paging;
    expect(last).toEqual({ cursor: null, next: null });
  });

  it("accepts after and before as well, and the cursors of version 1", async () => {
    const listV1 = { ...list, path: list.path.replace("v2", "v1") };
    const { after } = (await pageV1(`${listV1.path}?limit=5`)).body.data.paging.cursors;
    const follow = async (query: string) =>
      (await pageV2(`${list.path}?${query}`)).body.data.items.map(keyOf);
    expect(await follow(`after=${after}`)).toEqual(whole.slice(5));
    expect(await follow(`before=${after}`)).toEqual(whole.slice(0, 4));
    expect(await follow(`before=${after}&limit=2`)).toEqual(whole.slice(2, 4));
  });

  it("loses and repeats nothing while items are added between pages", async () => {
    const first = await pageV2(`${list.path}?limit=6`);
    await list.add("added between");
    const second = await pageV2(first.body.data.paging.next ?? "");
    const read = [...first.body.data.items, ...second.body.data.items].map(keyOf);
    expect(read).toHaveLength(12);
    expect(read.slice(0, 11)).toEqual(whole);
  });

  it("rejects the same limits and cursors as version 1", async () => {
    expect(await errorsOf(`${list.path}?limit=0&cursor=garbled`)).toEqual([
      "cursor: is not a cursor from this list",
      "limit: must be a positive integer",
    ]);
  });
});

describe("a range of the list of sub-links in version 2", () => {
  const list = LISTS_V2[1] as (typeof LISTS_V2)[number];
  beforeEach(async () => {
    whole = await fill(list);
  });

  it("keeps before in next, so that the pages of a range end before that cursor", async () => {
    const followed: (string | number)[] = [];
    const [after, before] = [await cursorAt(1), await cursorAt(7)];
    for (let next: string | null = `${list.path}?after=${after}&before=${before}&limit=2`; next; ) {
      const { body }: PageResponse<PagingV2> = await pageV2(next);
      followed.push(...body.data.items.map(keyOf));
      next = body.data.paging.next;
      if (next) expect(new URL(next).searchParams.get("before")).toBe(before);
    }
    expect(followed).toEqual(whole.slice(2, 7));
  });

  it("has no next page for a range of exactly limit items, and one for a range of limit + 1 items", async () => {
    const range = `${list.path}?after=${await cursorAt(1)}&before=${await cursorAt(7)}`;
    const exact = (await pageV2(`${range}&limit=5`)).body.data;
    expect(exact.items.map(keyOf)).toEqual(whole.slice(2, 7));
    expect(exact.paging).toEqual({ cursor: null, next: null });
    const shorter = (await pageV2(`${range}&limit=4`)).body.data;
    expect(shorter.items.map(keyOf)).toEqual(whole.slice(2, 6));
    expect((await pageV2(shorter.paging.next ?? "")).body.data.items.map(keyOf)).toEqual([whole[6]]);
  });

  it("omits before from next if before is the only cursor, so that next continues after it", async () => {
    const { items, paging } = (await pageV2(`${list.path}?before=${await cursorAt(7)}&limit=3`)).body.data;
    expect(items.map(keyOf)).toEqual(whole.slice(4, 7));
    expect((await pageV2(paging.next ?? "")).body.data.items.map(keyOf)).toEqual(whole.slice(7, 10));
  });

  it("rejects a garbled before next to a valid cursor", async () => {
    expect(await errorsOf(`${list.path}?cursor=${await cursorAt(1)}&before=garbled`)).toEqual([
      "before: is not a cursor from this list",
    ]);
  });

  /** The cursor of the item with this index. */
  const cursorAt = async (index: number) =>
    (await pageV2(`${list.path}?limit=${index + 1}`)).body.data.paging.cursor;
});

it("starts at a cursor with any limit and in both versions", async () => {
  await freshDemo();
  const first = (await pageV1(`${LINKS}?limit=2`)).body.data;
  const again = (await pageV1(`${LINKS}?limit=1&after=${first.paging.cursors.after}`)).body.data;
  const far = (await pageV1(`${LINKS_V2}?limit=1000&cursor=${first.paging.cursors.after}`)).body.data;
  expect(again.items[0]).toEqual(far.items[0]);
});
