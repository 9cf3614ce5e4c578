/** Filters of link lists: archived, partner_id, and name, which is a prefix. */
import fc from "fast-check";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { countingDatabase, DEMO, env, freshDemo } from "../harness.ts";
import { runs } from "../part.ts";
import {
  asUser,
  createLink,
  type Envelope,
  errorsOf,
  LINKS,
  LINKS_V2,
  type Link,
  type PagingV1,
  type PagingV2,
  patchLink,
} from "./support.ts";

async function labels(address: string): Promise<string[]> {
  return (await asUser(address)).body.data.items.map(({ label }) => label);
}

async function totalOf(address: string): Promise<string> {
  return (await asUser(address)).body.data.paging.total;
}

describe("a filter", () => {
  beforeEach(freshDemo);

  it("archived=true and archived=false split the list and its total", async () => {
    await patchLink("demo1nk006", { archived: true });
    await patchLink("demo1nk008", { archived: true });
    expect(await labels(`${LINKS}?archived=true`)).toEqual(["Beacon", "Newsletter"]);
    expect(await labels(`${LINKS}?archived=false`)).toEqual(["Acme", "Corsair", "Delta", "Echo"]);
    expect(await labels(LINKS)).toHaveLength(6);
    expect(await totalOf(`${LINKS}?archived=true&limit=1`)).toBe("2");
    expect(await totalOf(`${LINKS}?archived=false&limit=1`)).toBe("4");
    await patchLink("demo1nk008", { archived: false });
    expect(await totalOf(`${LINKS}?archived=true`)).toBe("1");
    expect(await totalOf(`${LINKS}?archived=false`)).toBe("5");
  });

  it("partner_id finds the links that the partner is attached to, but not those that inherit it", async () => {
    expect(await labels(`${LINKS}?partner_id=1`)).toEqual(["Acme"]);
    expect(await labels(`${LINKS}?partner_id=999`)).toEqual([]);
    expect(await totalOf(`${LINKS}?partner_id=999`)).toBe("0");
    expect(await labels(`${LINKS}/${DEMO.linkToken}/children?partner_id=1`)).toEqual([]);
    await patchLink("demo1nk002", { partner_id: 1 });
    expect(await labels(`${LINKS}/${DEMO.linkToken}/children?partner_id=1`)).toEqual(["Spring"]);
  });

  it("name is a prefix of the own name in any ASCII case, and not a pattern", async () => {
    for (const name of ["news 2", "NEWS 1", "100% new", "_ews", "Ärger", "news\u{10FFFF}x", "new"]) {
      await createLink(name);
    }
    expect(await labels(`${LINKS}?name=News`)).toEqual(["Newsletter", "news 2", "NEWS 1", "news\u{10FFFF}x"]);
    expect(await totalOf(`${LINKS}?name=News&limit=1`)).toBe("4");
    expect(await labels(`${LINKS}?name=%25`)).toEqual([]);
    expect(await labels(`${LINKS}?name=_`)).toEqual(["_ews"]);
    expect(await labels(`${LINKS}?name=%C3%84r`)).toEqual(["Ärger"]);
    expect(await labels(`${LINKS}/demo1nk003/children?name=video%203`)).toEqual(["Video 30s"]);
    expect(await labels(`${LINKS}/demo1nk003/children?name=Acme`)).toEqual([]);
  });

  it("works in version 2 and on sub-links, and the total counts only the filtered links", async () => {
    await patchLink("demo1nk005", { archived: true });
    const v2 = await asUser<Envelope<Link, PagingV2>>(`${LINKS_V2}/demo1nk003/children?archived=false`);
    expect(v2.body.data.items.map(({ label }) => label)).toEqual(["Video 15s"]);
    expect(await totalOf(`${LINKS}/demo1nk003/children?archived=false`)).toBe("1");
    expect(await totalOf(`${LINKS}/demo1nk003/children?archived=true`)).toBe("1");
    expect(await totalOf(`${LINKS}/demo1nk003/children?name=Video`)).toBe("2");
  });

  it("stays in the links between pages, and its cursors are not valid for another list", async () => {
    for (const index of [1, 2, 3]) await createLink(`Spring ${index}`);
    await createLink("Autumn");
    const first = (await asUser(`${LINKS}?name=spring&limit=2`)).body.data;
    expect(first.items.map(({ label }) => label)).toEqual(["Spring 1", "Spring 2"]);
    expect(await labels(first.paging.next ?? "")).toEqual(["Spring 3"]);
    const { after } = first.paging.cursors;
    for (const other of ["", "&name=Spring", "&name=spring&archived=false", "&archived=true"]) {
      expect(await errorsOf(`${LINKS}?after=${after}${other}`)).toEqual([
        "after: is not a cursor from this list",
      ]);
    }
    const bare = (await asUser(`${LINKS}?limit=1`)).body.data.paging.cursors.after;
    expect(await errorsOf(`${LINKS}?cursor=${bare}&name=spring`)).toEqual([
      "cursor: is not a cursor from this list",
    ]);
  });

  it("is rejected with every error if it is malformed", async () => {
    expect(await errorsOf(`${LINKS}?archived=yes&partner_id=0&name=`)).toEqual([
      "archived: must be true or false",
      "partner_id: must be a positive integer",
      "name: must not be empty",
    ]);
    for (const query of ["archived=TRUE", "archived=", "archived=1", "archived=true&archived=false"]) {
      expect(await errorsOf(`${LINKS}?${query}`)).toEqual([expect.stringMatching(/^archived: /)]);
    }
    for (const query of [
      "partner_id=-1",
      "partner_id=1.5",
      "partner_id=null",
      "partner_id=9999999999999999",
    ]) {
      expect(await errorsOf(`${LINKS}?${query}`)).toEqual([expect.stringMatching(/^partner_id: /)]);
    }
    expect(await errorsOf(`${LINKS}?name=${"x".repeat(256)}`)).toEqual([expect.stringMatching(/^name: /)]);
    expect(await errorsOf(`${LINKS}?name=%ff`)).toEqual([expect.stringMatching(/^name: /)]);
  });

  it("finds nothing in an app of another user", async () => {
    const { status } = await asUser(`/public/v1/apps/${DEMO.otherAppToken}/trackers?name=Secret`);
    expect(status).toBe(404);
  });

  it("returns the same links as filtering the whole list, page by page, forward and backward", async () => {
    await manyLinks(60, 7);
    const everything = (await asUser(`${LINKS}?limit=1000`)).body.data.items;
    const anyFilter = fc.record(
      {
        archived: fc.constantFrom("true", "false"),
        partner_id: fc.constantFrom("1", "2"),
        name: fc.constantFrom("l", "LINK 1", "link 2", "b", "zzz"),
      },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(anyFilter, fc.integer({ min: 1, max: 20 }), async (filter, limit) => {
        const expected = everything
          .filter(({ archived }) => filter.archived === undefined || String(archived) === filter.archived)
          .filter(({ partner_id }) => !filter.partner_id || String(partner_id) === filter.partner_id)
          .filter(({ label }) => label.toLowerCase().startsWith((filter.name ?? "").toLowerCase()))
          .map(({ token }) => token);
        const query = new URLSearchParams({ ...filter, limit: String(limit) });
        const forwards: string[] = [];
        let last = `${LINKS}?${query}`;
        for (let next: string | null = last; next; ) {
          const { items, paging }: Envelope<Link, PagingV1>["data"] = (await asUser(next)).body.data;
          expect(paging.total).toBe(String(expected.length));
          forwards.push(...items.map(({ token }) => token));
          last = next;
          next = paging.next;
        }
        expect(forwards).toEqual(expected);
        const backwards: string[] = [];
        for (let previous: string | null = last; previous; ) {
          const { items, paging }: Envelope<Link, PagingV1>["data"] = (await asUser(previous)).body.data;
          backwards.unshift(...items.map(({ token }) => token));
          previous = paging.previous;
        }
        expect(backwards).toEqual(expected);
      }),
      runs(25, 8),
    );
  });
});

describe("the database budget of a list", () => {
  const SIZE = 20_000;

  beforeAll(async () => {
    await freshDemo();
    await manyLinks(SIZE, 200);
  });

  // Of each 200 links one is archived and another has the partner. In total, 100 are archived and 111 begin with "link 77".
  it.each([
    ["archived=true", 100],
    ["archived=false", 100],
    ["partner_id=1", 101],
    ["name=LINK%2077", 111],
    ["name=link%2077&archived=false&partner_id=1", 111],
    ["partner_id=1&archived=false", 101],
  ])(
    "%s: one call, and rows read in proportion to the %i rows in the filter's index, not to the app",
    async (query, held) => {
      const { database, counts } = countingDatabase();
      const { status } = await asUser(`${LINKS}?${query}`, { env: { DB: database } });
      expect(status).toBe(200);
      expect(counts).toMatchObject({ calls: 1, written: 0 });
      expect(counts.read).toBeLessThanOrEqual(60 + 3 * held);
    },
  );

  it("without a filter: at most 60 rows read", async () => {
    const { database, counts } = countingDatabase();
    const { body } = await asUser(LINKS, { env: { DB: database } });
    expect(body.data.paging.total).toBe(String(SIZE + 6));
    expect(counts.read).toBeLessThanOrEqual(60);
  });
});

/** Inserts links of level 1. Of each `each` links, the first is archived and the second has partner 1. */
async function manyLinks(count: number, each: number): Promise<void> {
  await env.DB.prepare(
    `WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ?1 - 1)
     INSERT INTO links (token, app_token, level, label, archived, partner_id, created_at)
     SELECT 'many' || i, ?3, 1, 'Link ' || i, i % ?2 = 0, iif(i % ?2 = 1, 1, NULL), 0 FROM n`,
  )
    .bind(count, each, DEMO.appToken)
    .run();
}
