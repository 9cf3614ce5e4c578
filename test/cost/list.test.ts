/** GET /cost: a partner lists its own costs by ID. */
import { Buffer } from "node:buffer";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, test, vi } from "vitest";
import { createToken, hashToken } from "../../src/auth/secrets.ts";
import { MATCHES, type MatchFilter } from "../../src/db/ledger/cost-list.ts";
import { MAX_KEYS } from "../../src/db/ledger/key-pages.ts";
import { shardFor } from "../../src/db/ledger/shards.ts";
import { COST_WINDOW_MS, RETENTION_MS, toIso } from "../../src/domain/time.ts";
import { buildCursor } from "../../src/http/cursors.ts";
import {
  ask,
  type Call,
  call,
  click,
  countingDatabase,
  DAY,
  DEMO,
  IPHONE,
  ledgerOn,
  NOW,
  rejection,
  rows,
  sendCost,
  view,
} from "../harness.ts";
import { isWhole, runs } from "../part.ts";
import { failingDatabase, freshEmptyLedger, inLedger } from "../support.ts";

interface Item {
  cost_id: string;
  match: MatchFilter;
}

interface Listed {
  items: Item[];
  paging: { cursor: string | null; next: string | null };
  request_id: string;
}

beforeEach(freshEmptyLedger);
afterEach(() => vi.restoreAllMocks());

const list = (query = "", options: Call = {}) =>
  ask<Listed>(`/cost${query}`, { token: DEMO.costToken, ...options });
const idsOf = async (query = "", options: Call = {}) =>
  (await list(query, options)).body.items.map((item) => item.cost_id);
const readBack = async (id: string, options: Call = {}) =>
  (await ask(`/cost/${encodeURIComponent(id)}`, { token: DEMO.costToken, ...options })).body;
const PRICE = "&cost_type=cpc&cost_amount=0.3&cost_currency=USD";

/** Requests the list page by page, as `next` says. */
async function walk(query: string, options: Call = {}): Promise<Item[][]> {
  const pages: Item[][] = [];
  for (let search: string | null = query; search !== null; ) {
    const { status, body } = await list(search, options);
    expect(status).toBe(200);
    pages.push(body.items);
    const { next, cursor }: Listed["paging"] = body.paging;
    expect(cursor).toBe(next && new URL(next).searchParams.get("cursor"));
    search = next && new URL(next).search;
    if (pages.length > 500) throw new Error("The list does not end.");
  }
  return pages;
}

const CALL = { cost_type: "cpc", currency: "USD", amount: 25_000, tag: "t", received_at: NOW };
const clickAt = (at: number) => ({
  click_app_token: DEMO.appToken,
  click_link_id: 1,
  click_at: at,
  click_cost_data_on: 1,
});
const impressionAt = (at: number) => ({
  impression_app_token: DEMO.appToken,
  impression_link_id: 2,
  impression_at: at,
  impression_cost_data_on: 1,
});
const price = { click_url_cost_type: "cpc", click_url_currency: "USD", click_url_amount: 30_000 };
/** The columns of a row by what it is in the list: a state of a cost, or what the list leaves out. */
const ROWS: Record<
  MatchFilter | `${MatchFilter} by URL` | "matched with both" | "absent" | "forgotten",
  object
> = {
  matched: { ...CALL, ...clickAt(NOW - DAY) },
  "matched with both": { ...CALL, ...clickAt(NOW - DAY), ...impressionAt(NOW - DAY) },
  "matched by URL": { ...clickAt(NOW - DAY), ...price, click_price_counts: 1 },
  pending: { ...CALL, received_at: NOW - COST_WINDOW_MS },
  "pending by URL": {
    ...CALL,
    cost_type: "cpm",
    ...clickAt(NOW - DAY),
    ...price,
    click_price_counts: 1,
  },
  lapsed: { ...CALL, received_at: NOW - COST_WINDOW_MS - 1 },
  "lapsed by URL": {
    ...CALL,
    cost_type: "cpm",
    received_at: NOW - COST_WINDOW_MS - 1,
    ...clickAt(NOW - DAY),
    ...price,
    click_price_counts: 1,
  },
  voided: { ...CALL, ...clickAt(NOW - DAY), void_state: "voided" },
  "voided by URL": {
    ...CALL,
    received_at: null,
    tag: null,
    amount: price.click_url_amount,
    ...clickAt(NOW - DAY),
    ...price,
    click_price_counts: 1,
    void_state: "voided",
    void_kind: "click",
  },
  absent: { ...clickAt(NOW - DAY), ...price },
  forgotten: { ...CALL, received_at: NOW - RETENTION_MS - 1, ...clickAt(NOW - RETENTION_MS - 1) },
};
type RowKind = keyof typeof ROWS;

async function insert(entries: { id: string; kind: RowKind; partner?: number }[]): Promise<void> {
  const byDatabase = Map.groupBy(entries, ({ id, partner = 1 }) =>
    shardFor(ledgerOn(), { partnerId: partner, costId: id }),
  );
  for (const [db, some] of byDatabase) {
    const alike = Map.groupBy(some, ({ kind, partner = 1 }) => `${partner} ${kind}`).values();
    await db.batch(
      [...alike].map((ids) => {
        const [{ kind, partner = 1 }] = ids as [(typeof ids)[0]];
        const row = { partner_id: partner, ...ROWS[kind] };
        const marks = Object.keys(row).map(() => "?");
        return db
          .prepare(
            `INSERT INTO ledger_entries (cost_id, ${Object.keys(row)}) SELECT value, ${marks} FROM json_each(?)`,
          )
          .bind(...Object.values(row), JSON.stringify(ids.map(({ id }) => id)));
      }),
    );
  }
}

const byBytes = (left: string, right: string) => Buffer.compare(Buffer.from(left), Buffer.from(right));

describe("an item", () => {
  it("is what reading the cost by its ID returns, for every state", async () => {
    await insert(
      Object.keys(ROWS).map((kind, at) => ({ id: `list-state-${at}-${kind}`, kind: kind as RowKind })),
    );
    const { status, body, headers } = await list();
    expect(status).toBe(200);
    expect(body.request_id).toBe(headers.get("x-request-id"));
    expect(body.items).toHaveLength(9);
    for (const item of body.items) {
      const { status: _, request_id: __, ...single } = await readBack(item.cost_id);
      expect(item).toEqual(single);
    }
    expect(body.items.map(({ match }) => match)).toEqual([
      "matched",
      "matched",
      "matched",
      "pending",
      "pending",
      "lapsed",
      "lapsed",
      "voided",
      "voided",
    ]);
  });

  it.runIf(isWhole)("shows a cost from its call to its void and correction", async () => {
    const id = "list-story-00001";
    await sendCost({ cost_id: id, cost_amount: "0.5" });
    expect((await list()).body.items).toMatchObject([{ match: "pending", amount: "0.5", engagement: null }]);
    await click(id);
    expect((await list()).body.items).toMatchObject([
      { match: "matched", engagement: { kind: "click", link_token: DEMO.linkToken } },
    ]);
    await call(`/cost/${id}/void`, { method: "POST", token: DEMO.costToken });
    expect((await list("?match=voided")).body.items).toMatchObject([{ match: "voided", amount: "0.5" }]);
    await sendCost({ cost_id: id, cost_amount: "0.4" });
    expect((await list("?match=matched")).body.items).toMatchObject([{ match: "matched", amount: "0.4" }]);
    expect(await idsOf("?match=voided")).toEqual([]);
  });

  it.runIf(isWhole)(
    "with an unpriced call is matched, and has the link of the impression that it matches",
    async () => {
      await view("list-unpriced-001");
      await sendCost({ cost_id: "list-unpriced-001", cost_type: "cpm" });
      expect((await list("?match=matched")).body.items).toMatchObject([
        { amount: null, engagement: { kind: "impression", link_token: DEMO.linkToken } },
      ]);
    },
  );

  it.runIf(isWhole)("with a price on a URL without a cost ID has the generated ID", async () => {
    await call(`/${DEMO.linkToken}?${PRICE}`, { headers: { "user-agent": IPHONE } });
    expect((await list()).body.items).toMatchObject([
      { cost_id: expect.stringMatching(/^url-[0-9a-f-]{36}$/), source: "url", amount: "0.3" },
    ]);
  });

  it.runIf(isWhole)(
    "is absent from the moment when it is forgotten, whether it was purged or not",
    async () => {
      await sendCost({ cost_id: "list-forgotten-01" });
      expect(await idsOf("", { now: NOW + RETENTION_MS })).toEqual(["list-forgotten-01"]);
      expect(await idsOf("", { now: NOW + RETENTION_MS + 1 })).toEqual([]);
    },
  );

  it.runIf(isWhole)("of another partner is never listed", async () => {
    await insert([
      { id: "list-partner-001", kind: "matched", partner: 2 },
      { id: "list-partner-002", kind: "matched" },
      { id: "list-partner-003", kind: "matched", partner: 3 },
    ]);
    expect(await idsOf()).toEqual(["list-partner-002"]);
  });
});

describe("the pages", () => {
  const anyId = fc
    .array(fc.constantFrom("a", "B", "b", "-", "%", "é", "\u{fffd}", "\u{e000}", "😀", "日"), {
      minLength: 1,
      maxLength: 3,
    })
    .map((parts) => `list-page-${parts.join("")}-01`);
  const kinds = Object.keys(ROWS) as RowKind[];

  it("contain every cost exactly once and in order, for any costs, limit and filter", async () => {
    const anyRows = fc.uniqueArray(fc.record({ id: anyId, kind: fc.constantFrom(...kinds) }), {
      selector: ({ id }) => id,
      maxLength: 25,
    });
    const anyFilter = fc.constantFrom(undefined, ...MATCHES);
    await fc.assert(
      fc.asyncProperty(anyRows, fc.integer({ min: 1, max: 8 }), anyFilter, async (entries, limit, match) => {
        await inLedger("DELETE FROM ledger_entries");
        await insert([...entries, { id: "list-page-of-another", kind: "matched", partner: 2 }]);
        const pages = await walk(`?limit=${limit}${match ? `&match=${match}` : ""}`);
        const expected = entries.flatMap(({ id, kind }) => {
          const state = MATCHES.find((one) => kind.split(" ")[0] === one);
          return state && (match ?? state) === state ? [{ cost_id: id, match: state }] : [];
        });
        expect(pages.flat().map(({ cost_id, match }) => ({ cost_id, match }))).toEqual(
          expected.sort((left, right) => byBytes(left.cost_id, right.cost_id)),
        );
        for (const page of pages.slice(0, -1)) expect(page).toHaveLength(limit);
        expect(pages.at(-1)?.length).toBeLessThanOrEqual(limit);
        expect(pages).toHaveLength(Math.max(1, Math.ceil(expected.length / limit)));
      }),
      runs(40, 10),
    );
  });

  const bulk = (count: number, kindOf: (id: string) => RowKind) =>
    Array.from({ length: count }, (_, index) => {
      const id = `list-bulk-${String(index).padStart(6, "0")}`;
      return { id, kind: kindOf(id) };
    });

  it("read at most 5,000 keys, also where there are only engagements: then a page is short and another follows", async () => {
    const shardOf = (costId: string) => shardFor(ledgerOn(), { partnerId: 1, costId });
    const ids = bulk(6_000, () => "absent").map(({ id }) => id);
    const parts = [...Map.groupBy(ids, shardOf).values()];
    // The first page reads this many keys of each database, and ends where the first of them ends. Costs lie around these ends.
    const keys = Math.floor(MAX_KEYS / 2 / parts.length);
    const end = parts.map((part) => part[keys - 1] ?? "").sort()[0] ?? "";
    const matched = parts.flatMap((part) => part.slice(keys - 2, keys + 2)).sort();
    await insert(bulk(6_000, (id) => (matched.includes(id) ? "matched" : "absent")));
    const { database, counts } = countingDatabase();
    const options = { env: { DB: database } };
    const { body } = await list("?limit=10", options);
    expect(body.items.map(({ cost_id }) => cost_id)).toEqual(matched.filter((id) => id <= end));
    expect(body.paging.next).not.toBeNull();
    // Beside the keys: the credential in each database, and the links.
    expect(counts.read).toBeLessThanOrEqual(MAX_KEYS + 40);
    expect(counts.read).toBeGreaterThan(MAX_KEYS * 0.9);
    const all = (await walk("?limit=10")).flat().map(({ cost_id }) => cost_id);
    expect(all).toEqual(matched);
    expect((await walk("?match=voided")).flat()).toEqual([]);
  });

  it("end exactly at the last key, with an empty page after 2,500 keys that are not listed", async () => {
    await insert(bulk(MAX_KEYS / 2, () => "absent"));
    const pages = await walk("");
    expect(pages.flat()).toEqual([]);
    expect(pages).toHaveLength(2);
  });

  it("stay valid when a cost is added or voided between them", async () => {
    await insert(
      [1, 3, 5, 7].map((number) => ({ id: `list-moving-000${number}`, kind: "matched" as const })),
    );
    const first = (await list("?limit=2")).body;
    await insert([2, 6].map((number) => ({ id: `list-moving-000${number}`, kind: "matched" as const })));
    expect(await idsOf(`?cursor=${first.paging.cursor}`)).toEqual([
      "list-moving-0005",
      "list-moving-0006",
      "list-moving-0007",
    ]);
  });

  it("have 50 items by default and at most 1,000", async () => {
    await insert(bulk(1_100, () => "pending"));
    expect(await idsOf()).toHaveLength(50);
    for (const limit of ["1000", "1001", "99999999999999999999"]) {
      const { body } = await list(`?limit=${limit}`);
      expect(body.items).toHaveLength(1_000);
      expect(body.paging.next).toContain(`limit=${limit}`);
    }
  });
});

describe.runIf(isWhole)("an invalid parameter", () => {
  it.each([
    ["?limit=0", "limit"],
    ["?limit=-1", "limit"],
    ["?limit=abc", "limit"],
    ["?limit=1.5", "limit"],
    ["?limit=", "limit"],
    ["?limit=5&limit=6", "limit"],
    ["?match=unpriced", "match"],
    ["?match=Matched", "match"],
    ["?match=", "match"],
    ["?match=matched&match=pending", "match"],
    ["?cursor=", "cursor"],
    ["?cursor=abc", "cursor"],
    ["?cursor=%FF", "cursor"],
  ])("%s is named", async (query, param) => {
    const { status, code, params } = await rejection(`/cost${query}`, { token: DEMO.costToken });
    expect({ status, code, params: [...new Set(params)] }).toEqual({
      status: 400,
      code: "invalid_request",
      params: [param],
    });
  });

  it("is one that the list does not know", async () => {
    expect(await rejection("/cost?since=2026-03-01&offset=3", { token: DEMO.costToken })).toEqual({
      status: 400,
      code: "invalid_request",
      params: ["since", "offset"],
    });
  });

  it("gets one response that names all of them", async () => {
    const { params } = await rejection("/cost?limit=0&match=x&cursor=x", { token: DEMO.costToken });
    expect(params.toSorted()).toEqual(["cursor", "limit", "match"]);
  });

  it("is a cursor of another list, of another filter, or of another version", async () => {
    const reject = (query: string) => rejection(`/cost${query}`, { token: DEMO.costToken });
    const own = buildCursor("/cost", "list-cursor-0001");
    expect((await list(`?cursor=${own}`)).status).toBe(200);
    const foreign = [
      buildCursor("/operator/v1/partners", 5),
      buildCursor(`/apps/${DEMO.appToken}/trackers`, 5),
      buildCursor("/cost match=matched", "list-cursor-0001"),
      buildCursor("/cost", ""),
      Buffer.from("2|/cost|list-cursor-0001").toString("base64url"),
      `${own}=`,
    ];
    for (const cursor of foreign) {
      expect(await reject(`?cursor=${cursor}`)).toMatchObject({ status: 400, params: ["cursor"] });
    }
    expect(await reject(`?match=pending&cursor=${own}`)).toMatchObject({ status: 400, params: ["cursor"] });
  });
});

describe.runIf(isWhole)("as CSV", () => {
  const csv = async (query = "") => {
    const response = await call(`/cost${query}`, { token: DEMO.costToken, headers: { accept: "text/csv" } });
    return { response, lines: (await response.text()).split("\r\n") };
  };
  const HEADER =
    "cost_id,cost_type,cost_currency,amount,tag,source,received_at,match,may_match_until,mismatch,url_cost_type,url_cost_currency,url_amount,engagement_kind,engagement_at,link_token";

  it("has the same costs, a column for each value, and the next page in the Link header", async () => {
    await insert([
      { id: "=list-csv-0001", kind: "matched" },
      { id: "list-csv-0002", kind: "pending by URL" },
      { id: "list-csv-0003", kind: "voided" },
    ]);
    const { response, lines } = await csv("?limit=2");
    expect(response.headers.get("content-type")).toBe("text/csv; charset=utf-8; header=present");
    expect(response.headers.get("vary")).toBe("Accept");
    expect(lines).toEqual([
      HEADER,
      `=list-csv-0001,cpc,USD,0.25,t,call,2026-03-15T12:00:00.000Z,matched,,,,,,click,2026-03-14T12:00:00.000Z,${DEMO.linkToken}`,
      `list-csv-0002,cpm,USD,0.25,t,call,2026-03-15T12:00:00.000Z,pending,${toIso(NOW + COST_WINDOW_MS)},wrong_engagement,cpc,USD,0.3,,,`,
      "",
    ]);
    const { next } = (await list("?limit=2")).body.paging;
    expect(response.headers.get("link")).toBe(`<${next}>; rel="next"`);
    const last = await csv(new URL(next ?? "").search);
    expect(last.lines[1]).toMatch(/^list-csv-0003,.*,voided,/);
    expect(last.response.headers.get("link")).toBeNull();
  });

  it("without costs has only the header", async () => {
    expect((await csv()).lines).toEqual([HEADER, ""]);
  });
});

describe("a credential", () => {
  it.runIf(isWhole).each([
    ["that is missing", undefined],
    ["that is malformed", "noise"],
    ["that is an API token", DEMO.apiToken],
    ["that was never issued", createToken("live")],
  ])("%s gets 401, also with invalid parameters", async (_name, token) => {
    for (const query of ["", "?limit=0"]) {
      expect(await rejection(`/cost${query}`, { token })).toEqual({
        status: 401,
        code: "unauthorized",
        params: [],
      });
    }
  });

  it("that is revoked gets 403", async () => {
    await rows("UPDATE credentials SET revoked_at = ? WHERE mode = 'live'", NOW);
    expect(await rejection("/cost", { token: DEMO.costToken })).toMatchObject({
      status: 403,
      code: "credential_revoked",
    });
  });

  it("that no shard knows yet is copied to them, and lists the costs of every shard", async () => {
    const token = createToken("live");
    const ids = Array.from({ length: 12 }, (_, index) => `list-new-key-${String(index).padStart(3, "0")}`);
    await insert(ids.map((id) => ({ id, kind: "matched" as const })));
    await rows(
      "INSERT INTO credentials (token_hash, partner_id, mode, cost_types, hint, created_at) VALUES (?, 1, 'live', 1, '', 0)",
      hashToken(token, ["live"]),
    );
    expect(await idsOf("", { token, replicates: false })).toEqual(ids);
  });

  it("of a stopped partner may read", async () => {
    await insert([{ id: "list-stopped-0001", kind: "matched" }]);
    await rows("UPDATE partners SET stopped_at = ? WHERE id = 1", NOW);
    expect(await idsOf()).toEqual(["list-stopped-0001"]);
  });
});

test("the list is unavailable, not shorter, while any database fails", async () => {
  vi.spyOn(console, "error").mockImplementation(() => {});
  await insert([{ id: "list-failing-0001", kind: "matched" }]);
  await list();
  const size = Math.max(1, ledgerOn().shards.length);
  for (let failing = 1; failing <= size; failing++) {
    const { database } = failingDatabase((number) => number === failing);
    const { status } = await call("/cost", { token: DEMO.costToken, env: { DB: database } });
    expect(status).toBe(500);
  }
});

test.each<[RowKind, number]>([
  ["matched", 1],
  ["matched with both", 1],
  ["pending", 0],
])(
  "a page of 50 costs that are %s takes one call for each database and one for links on shards, reads %i links a cost and at most 10 rows beside them, and writes nothing",
  async (kind, links) => {
    await insert(
      Array.from({ length: 300 }, (_, index) => ({
        id: `list-budget-${String(index).padStart(5, "0")}`,
        kind,
      })),
    );
    await list();
    const { database, counts } = countingDatabase();
    const { body } = await list("", { env: { DB: database } });
    expect(body.items).toHaveLength(50);
    const shards = ledgerOn().shards.length;
    const calls = shards > 0 ? shards + links : 1;
    expect(counts).toEqual({ calls, read: expect.any(Number), written: 0 });
    // DB reads the link of each cost with it; with shards, DB reads each link once, and every shard may have to fill the page.
    expect(counts.read).toBeLessThanOrEqual(shards > 0 ? 60 * shards : 60 + 50 * links);
  },
);
