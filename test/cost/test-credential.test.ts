/** GET /cost and GET /cost/{cost_id} with a test credential: the submissions of its own round, in the states of live costs. */
import { beforeEach, describe, expect, it } from "vitest";
import { createToken, hashToken } from "../../src/auth/secrets.ts";
import { COST_WINDOW_MS, RETENTION_MS } from "../../src/domain/time.ts";
import {
  ask,
  type Call,
  call,
  click,
  countingDatabase,
  DAY,
  DEMO,
  env,
  freshDemo,
  ledgerOn,
  NOW,
  rejection,
  rows,
  sendCost,
  view,
} from "../harness.ts";
import { isWhole } from "../part.ts";

const token = DEMO.testCostToken;
const link = "demo1nk007";

type Item = { cost_id: string; match: string } & Record<string, unknown>;
interface Listed {
  items: Item[];
  paging: { cursor: string | null; next: string | null };
  test?: true;
}

beforeEach(async () => {
  await freshDemo();
  await rows("DELETE FROM round_entries");
  await rows("UPDATE rounds SET entry_count = 0");
});

const send = (cost_id: string, params: Record<string, string> = {}, options: Call = {}) =>
  sendCost({ cost_id, ...params }, { token, ...options });
const read = (id: string, options: Call = {}) =>
  ask<Item>(`/cost/${encodeURIComponent(id)}`, { token, ...options });
const list = async (query = "", options: Call = {}) =>
  (await ask<Listed>(`/cost${query}`, { token, ...options })).body;
const idsOf = async (query = "", options: Call = {}) =>
  (await list(query, options)).items.map((item) => item.cost_id);

/** Opens a round of the partner and returns its test credential. */
async function openRound(partner_id: number, cost_types: string[]): Promise<string> {
  const { body } = await ask<{ data: { items: { test_credential: string }[] } }>("/operator/v1/rounds", {
    token: DEMO.operatorToken,
    json: { partner_id, cost_types },
  });
  return body.data.items[0]?.test_credential ?? "";
}

describe("a cost that was sent with a test credential", () => {
  it.runIf(isWhole)("has the fields of a live cost, and says that it is a test", async () => {
    await click("read-test-0001", { link });
    await send("read-test-0001", { cost_amount: "0.2", tag: "first" });
    const { status, body } = await read("read-test-0001");
    expect({ http: status, ...body, request_id: "" }).toEqual({
      http: 200,
      status: "ok",
      cost_id: "read-test-0001",
      cost_type: "cpc",
      cost_currency: "USD",
      amount: "0.2",
      tag: "first",
      source: "call",
      received_at: new Date(NOW).toISOString(),
      match: "matched",
      may_match_until: null,
      mismatch: null,
      url_price: null,
      engagement: { kind: "click", occurred_at: new Date(NOW).toISOString(), link_token: link },
      test: true,
      request_id: "",
    });
    const listed = await list();
    expect(listed).toMatchObject({ test: true, paging: { cursor: null, next: null } });
    const { status: _, request_id: __, test: ___, ...item } = body;
    expect(listed.items).toEqual([item]);
  });

  it.runIf(isWhole)("is not marked as a test with a live credential", async () => {
    await sendCost({ cost_id: "read-live-0001" });
    const live = { token: DEMO.costToken };
    expect((await read("read-live-0001", live)).body).not.toHaveProperty("test");
    expect(await list("", live)).not.toHaveProperty("test");
  });

  it("is pending until a click arrives, and lapses a millisecond after the window", async () => {
    await send("read-test-0001");
    expect((await read("read-test-0001")).body).toMatchObject({
      match: "pending",
      may_match_until: new Date(NOW + COST_WINDOW_MS).toISOString(),
      engagement: null,
    });
    const states = async (now: number) => (await read("read-test-0001", { now })).body.match;
    expect([await states(NOW + COST_WINDOW_MS), await states(NOW + COST_WINDOW_MS + 1)]).toEqual([
      "pending",
      "lapsed",
    ]);
    await click("read-test-0001", { link, now: NOW + COST_WINDOW_MS });
    expect(await states(NOW + COST_WINDOW_MS)).toBe("matched");
  });

  it.runIf(isWhole)("says why it does not match an engagement of another kind", async () => {
    await click("read-test-0001", { link });
    await send("read-test-0001", { cost_type: "cpm", cost_amount: "1" });
    expect((await read("read-test-0001")).body).toMatchObject({
      match: "pending",
      mismatch: "wrong_engagement",
      engagement: null,
    });
  });

  it.runIf(isWhole)("has the amount that a later call added, or the price on the URL", async () => {
    await env.DB.exec("UPDATE partners SET cost_parameters = 'cost_amount={price}' WHERE id = 3");
    await click("read-test-0001", { link, query: "&cost_type=cpc&cost_amount=0.3&cost_currency=USD" });
    await send("read-test-0001");
    await click("read-test-0002", { link });
    await send("read-test-0002");
    expect((await read("read-test-0002")).body.amount).toBeNull();
    await send("read-test-0002", { cost_amount: "0.4" });
    expect((await list()).items).toMatchObject([{ amount: "0.3" }, { amount: "0.4" }]);
  });

  it.runIf(isWhole)(
    "keeps the values of the first call after a conflict, and those of the correction after a difference from the URL",
    async () => {
      await send("read-test-0001", { cost_amount: "1" });
      expect((await send("read-test-0001", { cost_amount: "2" })).status).toBe(400);
      await click("read-test-0002", { link, query: "&cost_type=cpc&cost_amount=0.3&cost_currency=USD" });
      await send("read-test-0002", { cost_amount: "9" });
      expect((await read("read-test-0002")).body).toMatchObject({ match: "matched", amount: "9" });
      await send("read-test-0002", { cost_amount: "0.3" });
      expect((await list()).items).toMatchObject([{ amount: "1" }, { amount: "0.3" }]);
    },
  );

  it.runIf(isWhole)(
    "still has its click after the click was forgotten, and after the round has ended",
    async () => {
      await click("read-test-0001", { link });
      await send("read-test-0001", { cost_amount: "1" });
      await call("/operator/v1/rounds/1/close", { method: "POST", token: DEMO.operatorToken });
      expect((await read("read-test-0001")).body).toMatchObject({ engagement: { link_token: link } });
      expect((await read("read-test-0001", { now: NOW + RETENTION_MS + DAY })).body).toMatchObject({
        match: "matched",
        engagement: { kind: "click", link_token: null },
      });
    },
  );

  it("is absent if it was rejected, and others of the round are not", async () => {
    await send("read-test-0001", { cost_type: "cpa" });
    await send("short");
    await send("read-test-0003", { cost_type: "cpe" });
    expect(await idsOf()).toEqual(["read-test-0003"]);
    expect(await rejection("/cost/read-test-0001", { token })).toMatchObject({
      status: 404,
      code: "not_found",
    });
  });

  it.runIf(isWhole)("never has a void", async () => {
    await send("read-test-0001");
    const { status, body } = await ask<object>("/cost/read-test-0001/void", { method: "POST", token });
    expect([status, body]).toMatchObject([
      403,
      { code: "test_credential", title: "A test credential cannot do this" },
    ]);
    expect(await idsOf("?match=voided")).toEqual([]);
  });
});

describe("the list of a test credential", () => {
  it("is in the order of UTF-8, page by page, and filtered by state", async () => {
    const ids = ["a", "B", "é", "\u{ffee}", "\u{1f600}"].map((letter) => `read-test-${letter}1`);
    for (const id of [...ids].reverse()) await send(id);
    await click(ids[1] ?? "", { link });
    const sorted = [ids[1], ids[0], ids[2], ids[3], ids[4]];
    expect(await idsOf()).toEqual(sorted);
    const pages: string[][] = [];
    for (let query: string | null = "?limit=2"; query !== null; ) {
      const { items, paging } = await list(query);
      pages.push(items.map((item) => item.cost_id));
      query = paging.next && new URL(paging.next).search;
    }
    expect(pages).toEqual([sorted.slice(0, 2), sorted.slice(2, 4), sorted.slice(4)]);
    expect(await idsOf("?match=matched")).toEqual([ids[1]]);
    expect(await idsOf("?match=pending")).toEqual(sorted.slice(1));
    expect(await idsOf("?match=lapsed", { now: NOW + COST_WINDOW_MS + DAY })).toEqual(sorted.slice(1));
  });

  it("is also CSV, in which values are as they were sent", async () => {
    await send("=HYPERLINK(1)", { tag: "+1+1" });
    const file = await call("/cost", { token, headers: { accept: "text/csv" } });
    const [, line] = (await file.text()).split("\r\n");
    expect(line?.startsWith("=HYPERLINK(1),cpc,USD,,+1+1,call,")).toBe(true);
  });

  it("ends with the last of 1,000 submissions", async () => {
    await env.DB.exec(
      `WITH RECURSIVE numbers(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM numbers WHERE value < 1000)
       INSERT INTO round_entries (round_id, number, received_at, cost_id, record)
       SELECT 1, value, ${NOW}, printf('full-round-%04d', value), json_object('sent', json('{}'), 'errors', json('[]'), 'engagements', json('{}'), 'answer', 'ok',
         'cost', json_object('costId', printf('full-round-%04d', value), 'costType', 'cpc', 'currency', 'USD', 'amount', 1, 'tag', 't'))
       FROM numbers`.replaceAll("\n", " "),
    );
    const { items, paging } = await list("?limit=1000");
    expect([items.length, paging.next]).toEqual([1000, null]);
    expect(await idsOf("?limit=1000&match=matched")).toEqual([]);
  });
});

describe("a test credential reads only its own round", () => {
  const ID = "shared-cost-0001";

  it("and neither the ledger of its partner nor other partners' costs, with any ID", async () => {
    await rows("UPDATE credentials SET partner_id = 1 WHERE mode = 'test'");
    await sendCost({ cost_id: ID });
    expect(await idsOf()).toEqual([]);
    for (const id of [ID, "demo-click-recent-0001", "demo-spend-00-0"])
      expect(await rejection(`/cost/${id}`, { token })).toMatchObject({ status: 404, code: "not_found" });
  });

  it("and not another round, of its partner or of another", async () => {
    await send(ID, { cost_amount: "1" });
    await call("/operator/v1/rounds/1/close", { method: "POST", token: DEMO.operatorToken });
    for (const partner of [2, 3]) {
      const credential = await openRound(partner, ["cpc"]);
      expect(await idsOf("", { token: credential })).toEqual([]);
      expect((await read(ID, { token: credential })).status).toBe(404);
      await send(ID, { cost_amount: "7" }, { token: credential });
      expect((await read(ID, { token: credential })).body).toMatchObject({ amount: "7" });
    }
    expect((await read(ID)).body).toMatchObject({ amount: "1" });
  });

  it("and never another partner's click with the same ID", async () => {
    await click(ID);
    await view(ID);
    await send(ID);
    expect((await read(ID)).body).toMatchObject({ match: "pending", engagement: null });
  });

  it("and is never read with a live credential", async () => {
    await rows("UPDATE credentials SET partner_id = 3 WHERE mode = 'live'");
    await send(ID);
    expect(await idsOf("", { token: DEMO.costToken })).toEqual([]);
    expect((await read(ID, { token: DEMO.costToken })).status).toBe(404);
  });

  it("until it is revoked, also between two pages", async () => {
    await send("read-test-0001");
    await send("read-test-0002");
    const { paging } = await list("?limit=1");
    await rows("UPDATE credentials SET revoked_at = ? WHERE mode = 'test'", NOW);
    const next = new URL(paging.next ?? "").search;
    for (const path of ["/cost", `/cost${next}`, "/cost/read-test-0001", "/cost/read-test-0009"])
      expect(await rejection(path, { token })).toMatchObject({ status: 403, code: "credential_revoked" });
  });

  it("with a cursor of a live list too, which says only where the page begins", async () => {
    const { paging } = await list("?limit=1", { token: DEMO.costToken });
    await send("zzzz-test-0001");
    await send("0000-test-0001");
    const listed = await list(new URL(paging.next ?? "").search);
    expect(listed.items.map((item) => item.cost_id)).toEqual(["zzzz-test-0001"]);
  });

  it("and gets 401 while it is unknown", async () => {
    const unknown = { token: createToken("test") };
    for (const path of ["/cost", "/cost/read-test-0001", "/cost/short"])
      expect(await rejection(path, unknown)).toMatchObject({ status: 401, code: "unauthorized" });
  });

  it("and nothing if it has no round", async () => {
    const bare = createToken("test");
    await rows(
      "INSERT INTO credentials (token_hash, partner_id, mode, cost_types, hint, created_at) VALUES (?, 1, 'test', 1, '', 0)",
      hashToken(bare, ["test"]),
    );
    await send(ID);
    expect(await idsOf("", { token: bare })).toEqual([]);
    expect((await read(ID, { token: bare })).status).toBe(404);
  });
});

it("a page and a cost of a round are read with one call to each database, and nothing is written", async () => {
  await click("read-test-0001", { link });
  await send("read-test-0001", { cost_amount: "1" });
  const shards = ledgerOn().shards.length;
  for (const path of ["/cost", "/cost/read-test-0001"]) {
    const { database, counts } = countingDatabase();
    await call(path, { token, env: { DB: database } });
    // The links of what the shards found are in DB.
    expect([counts.calls, counts.written], path).toEqual([shards === 0 ? 1 : shards + 2, 0]);
  }
});
