/** Voids by operators: what they change, what the audit log keeps, and how they meet other writers. */
import { beforeEach, describe, expect, it } from "vitest";
import { HOUR_MS, RETENTION_MS } from "../../src/domain/time.ts";
import { purge } from "../../src/purge.ts";
import { Browser } from "../account/support.ts";
import {
  ask,
  type Call,
  click,
  countingDatabase,
  DEMO,
  ledgerOn,
  NOW,
  rejection,
  rows,
  sendCost,
  withMethods,
  wrapDatabases,
} from "../harness.ts";
import { isLong, isWhole } from "../part.ts";
import { failingDatabase, freshLedger, totals } from "../support.ts";
import { textOf } from "../workspace/page-text.ts";

const ID = "operator-void-0001";
const PATH = "/operator/v1/partners/1/voids";
const PRICE = "&cost_type=cpc&cost_amount=0.3&cost_currency=USD";
const token = DEMO.operatorToken;
const json = { cost_id: ID, reason: "The network reported fraud" };
const voidCost = (more: Call = {}) => ask(PATH, { token, json, ...more });
const send = (amount: string | undefined, now = NOW) =>
  sendCost({ cost_id: ID, ...(amount && { cost_amount: amount }) }, { now });

interface Entry {
  user_id: number;
  action: string;
  subject: string;
  detail: string;
}
/** The entries of operators. */
const entries = async () =>
  (
    await rows<Entry>(
      "SELECT user_id, action, subject, detail FROM audit_log WHERE action = 'void cost' AND user_id IS NOT NULL",
    )
  ).map((entry) => ({ ...entry, detail: JSON.parse(entry.detail) }));

const isSharded = ledgerOn().shards.length > 0;
/** What the entry of a void says in addition if another database has the cost. */
const requested = isSharded ? { outcome: "requested" } : {};
/** The app of its click. */
const inApp = { app_token: DEMO.appToken };

beforeEach(freshLedger);

describe("an operator's void", () => {
  it("removes a matched cost, and the audit entry keeps the reason and the removed values", async () => {
    await click(ID);
    await send("0.5");
    const { status, body } = await voidCost();
    expect([status, body]).toEqual([
      200,
      { status: "ok", cost_id: ID, match: "voided", duplicate: false, request_id: body.request_id },
    ]);
    expect(await totals()).toEqual([]);
    expect(await entries()).toEqual([
      {
        user_id: 2,
        action: "void cost",
        subject: "partner 1",
        detail: { ...json, cost_type: "cpc", currency: "USD", amount: "0.5", ...inApp, ...requested },
      },
    ]);
    expect((await send("0.5")).body).toMatchObject({ match: "voided", duplicate: true });
    expect((await send("0.4")).body).toMatchObject({ match: "matched", duplicate: false });
    expect(await totals()).toEqual([{ state: "matched", count: 1, amount: 40_000 }]);
  });

  it("removes a price on a URL, a pending cost and an unpriced one", async () => {
    await click(ID, { query: PRICE });
    const [pending, unpriced] = ["operator-void-0002", "operator-void-0003"];
    await sendCost({ cost_id: pending, cost_amount: "2" });
    await click(unpriced);
    await sendCost({ cost_id: unpriced });
    for (const cost_id of [ID, pending, unpriced]) {
      expect((await voidCost({ json: { ...json, cost_id } })).body).toMatchObject({ duplicate: false });
    }
    expect(await totals()).toEqual([]);
    expect((await entries()).map(({ detail }) => [detail.cost_id, detail.amount, detail.app_token])).toEqual([
      [ID, "0.3", DEMO.appToken],
      [pending, "2", null],
      [unpriced, null, DEMO.appToken],
    ]);
  });

  it("is a duplicate for a cost that the partner voided, and then writes nothing", async () => {
    await click(ID);
    await send("0.5");
    await ask(`/cost/${ID}/void`, { method: "POST", token: DEMO.costToken });
    expect((await voidCost()).body).toMatchObject({ match: "voided", duplicate: true });
    expect(await entries()).toEqual([]);
  });

  it("is possible as long as the cost is remembered, also when the partner is stopped", async () => {
    await click(ID);
    await send("0.5");
    await ask("/operator/v1/partners/1", { token, method: "PATCH", json: { stopped: true } });
    expect(await rejection(PATH, { token, json, now: NOW + RETENTION_MS + 1 })).toMatchObject({
      status: 404,
    });
    expect(await entries()).toEqual([]);
    expect((await voidCost({ now: NOW + RETENTION_MS })).body).toMatchObject({ duplicate: false });
  });

  it("is 404 for an unknown partner, an ID of another partner, and an ID without a cost", async () => {
    await click(ID);
    const { body } = await voidCost();
    expect(body).toMatchObject({
      code: "not_found",
      detail: expect.stringContaining("has no accepted cost with this ID"),
    });
    await send("0.5");
    expect(await rejection("/operator/v1/partners/2/voids", { token, json })).toMatchObject({ status: 404 });
    const unknown = await ask("/operator/v1/partners/99/voids", { token, json });
    expect(unknown.body).toMatchObject({ code: "not_found", detail: "This partner does not exist." });
    expect(await totals()).toEqual([{ state: "matched", count: 1, amount: 50_000 }]);
    expect(await entries()).toEqual([]);
  });

  it.runIf(isWhole).each([
    [{ ...json, reason: "" }, ["reason"]],
    [{ ...json, reason: "   " }, ["reason"]],
    [{ ...json, reason: "r".repeat(501) }, ["reason"]],
    [{ cost_id: "" }, ["cost_id", "reason"]],
    [{ cost_id: "x".repeat(257), reason: "r", note: "x" }, ["cost_id", "note"]],
  ])("rejects %j", async (sent, params) => {
    const rejected = await rejection(PATH, { token, json: sent });
    expect({ ...rejected, params: rejected.params.toSorted() }).toEqual({
      status: 400,
      code: "invalid_request",
      params,
    });
  });

  it.runIf(isWhole)("accepts a reason of 500 characters", async () => {
    await click(ID);
    await send("0.5");
    expect((await voidCost({ json: { ...json, reason: "r".repeat(500) } })).status).toBe(200);
  });

  it("makes two calls, four with shards, with few rows", async () => {
    await click(ID);
    await send("0.5");
    await ask("/operator/v1/partners/1", { token });
    const { database, counts } = countingDatabase();
    await voidCost({ env: { DB: database } });
    // The operator and the void; with shards, the check and the audit entry in between.
    expect(counts.calls).toBe(isSharded ? 4 : 2);
    expect(counts.read).toBeLessThanOrEqual(25);
    // The row, its total, its spend by country and platform, the audit entry and its index.
    expect(counts.written).toBe(6);
  });
});

describe("concurrent with an operator's void,", () => {
  const numbers = Array.from({ length: isLong ? 12 : 6 }, (_, index) => index);
  const idOf = (index: number) => `racing-void-${String(index).padStart(4, "0")}`;
  const voidOne = (index: number) =>
    ask<{ duplicate?: boolean }>(PATH, { token, json: { ...json, cost_id: idOf(index) } });

  it("the completion of the cost counts or is removed, and the audit entry has what was removed", async () => {
    for (const index of numbers) {
      await click(idOf(index));
      await sendCost({ cost_id: idOf(index) });
    }
    const results = await Promise.all(
      numbers.flatMap((index) => {
        const both = [voidOne(index), sendCost({ cost_id: idOf(index), cost_amount: "0.5" })];
        return index % 2 ? both : both.reverse();
      }),
    );
    expect(new Set(results.map(({ status }) => status))).toEqual(new Set([200]));
    const stored = await rows<{ cost_id: string; state: string; amount: number | null }>(
      "SELECT cost_id, state, amount FROM ledger_entries WHERE cost_id LIKE 'racing-void-%'",
    );
    const audited = await entries();
    for (const { cost_id, state, amount } of stored) {
      const last = audited.filter(({ detail }) => detail.cost_id === cost_id).at(-1);
      expect(last).toBeDefined();
      // A void of the unpriced cost is lifted by the amount; otherwise the amount was removed.
      expect([state, amount]).toEqual([last?.detail.amount === null ? "matched" : "voided", 50_000]);
    }
    const counting = stored.filter(({ state }) => state === "matched").length;
    expect(await totals()).toEqual(
      counting ? [{ state: "matched", count: counting, amount: counting * 50_000 }] : [],
    );
  });

  it("an amount that comes just before the void is what it removes and what the log has", async () => {
    await click(ID);
    await send(undefined);
    await ask("/operator/v1/partners/1", { token });
    let calls = 0;
    const database = wrapDatabases((real) =>
      withMethods(real, {
        batch: async (statements: D1PreparedStatement[]) => {
          // After the operator; with shards, after the check and the audit entry too.
          if (++calls === (isSharded ? 4 : 2)) await send("0.5");
          return real.batch(statements);
        },
      }),
    );
    expect((await voidCost({ env: { DB: database } })).body).toMatchObject({ duplicate: false });
    expect(await totals()).toEqual([]);
    const before = { ...json, cost_type: "cpc", currency: "USD", amount: null, ...inApp };
    expect((await entries()).map(({ detail }) => detail)).toEqual([
      ...(isSharded ? ["requested", "not carried out"].map((outcome) => ({ ...before, outcome })) : []),
      { ...before, amount: "0.5", ...requested },
    ]);
    expect((await send("0.5")).body).toMatchObject({ match: "voided", duplicate: true });
  });

  it("another void is a duplicate: exactly one is not", async () => {
    await click(idOf(0));
    await sendCost({ cost_id: idOf(0), cost_amount: "0.5" });
    const results = await Promise.all([voidOne(0), voidOne(0), voidOne(0)]);
    expect(results.map(({ body }) => body.duplicate).toSorted()).toEqual([false, true, true]);
    expect(await totals()).toEqual([]);
    const all = await entries();
    const notCarriedOut = all.filter(({ detail }) => detail.outcome === "not carried out");
    expect(all.length - 2 * notCarriedOut.length).toBe(1);
  });

  it("a purge forgets the cost or not, and the total is right in both cases", async () => {
    for (const index of numbers) {
      await click(idOf(index));
      await sendCost({ cost_id: idOf(index), cost_amount: "0.5" });
    }
    const now = NOW + RETENTION_MS;
    const [results] = await Promise.all([
      Promise.all(
        numbers.map((index) =>
          ask(PATH, { token, json: { ...json, cost_id: idOf(index) }, now: now + (index % 2) }),
        ),
      ),
      purge(ledgerOn(), now + HOUR_MS + 1, 3),
    ]);
    const voided = results.filter(({ status }) => status === 200).length;
    expect(results.filter((_, index) => index % 2).every(({ status }) => status === 404)).toBe(true);
    const left = numbers.length - voided;
    expect(await totals()).toEqual([{ state: "matched", count: left, amount: left * 50_000 }]);
    expect(await rows("SELECT cost_id FROM ledger_entries WHERE cost_id LIKE 'racing-void-%'")).toEqual([]);
  });
});

describe("the cost that an operator looks at", () => {
  const read = async (id = ID, more: Call = {}) => {
    const path = `/operator/v1/partners/1/costs/${encodeURIComponent(id)}`;
    return (await ask<{ data: { items: object[] } }>(path, { token, ...more })).body.data.items[0];
  };
  const LINK = { token: DEMO.linkToken, label: "Acme" };

  it("is as the partner reads it, with its app and its link", async () => {
    await click(ID, { query: PRICE });
    await send("0.5");
    for (const state of ["matched", "voided"]) {
      const { body } = await ask<Record<string, unknown>>(`/cost/${ID}`, { token: DEMO.costToken });
      const { status: _, request_id: __, ...own } = body;
      expect(own).toMatchObject({ match: state, engagement: { kind: "click", link_token: DEMO.linkToken } });
      expect(await read()).toEqual({ ...own, app_token: DEMO.appToken, link: LINK, rejections: [] });
      await voidCost();
    }
  });

  it("has the app and the link of an engagement that it does not match, and of the price beside it", async () => {
    await click(ID, { query: PRICE });
    await sendCost({ cost_id: ID, cost_type: "cpm", cost_amount: "1" });
    expect(await read()).toMatchObject({
      match: "pending",
      mismatch: "wrong_engagement",
      engagement: null,
      url_price: { cost_type: "cpc", cost_currency: "USD", amount: "0.3" },
      app_token: DEMO.appToken,
      link: LINK,
    });
    await sendCost({ cost_id: "operator-void-0009" });
    expect(await read("operator-void-0009")).toMatchObject({ match: "pending", app_token: null, link: null });
  });

  it("is not found once it is forgotten, for another partner, and without a cost", async () => {
    const status = async (path: string, now = NOW) => (await ask(path, { token, now })).status;
    const path = `/operator/v1/partners/1/costs/${ID}`;
    await click(ID);
    expect(await status(path)).toBe(404);
    await send("0.5");
    expect(await status(path, NOW + RETENTION_MS)).toBe(200);
    expect(await status(path, NOW + RETENTION_MS + 1)).toBe(404);
    expect(await status(`/operator/v1/partners/2/costs/${ID}`)).toBe(404);
    expect(await status("/operator/v1/partners/1/costs/short")).toBe(404);
    expect(await rejection(`/operator/v1/partners/1/costs/${"x".repeat(257)}`, { token })).toMatchObject({
      params: ["cost_id"],
    });
  });

  it("takes two calls after the operator was checked, with shards three, with few rows", async () => {
    await click(ID);
    await send("0.5");
    await ask("/operator/v1/partners/1", { token });
    const { database, counts } = countingDatabase();
    await read(ID, { env: { DB: database } });
    // DB has what was rejected as invalid.
    const calls = ledgerOn().shards.length === 0 ? 3 : 4;
    expect(counts).toEqual({ calls, read: expect.any(Number), written: 0 });
    expect(counts.read).toBeLessThanOrEqual(12);
  });
});

describe.runIf(isWhole)("the console", () => {
  it("shows a cost before it is voided with a reason, and what was voided", async () => {
    await click(ID);
    await send("0.5");
    const operator = new Browser();
    await operator.signIn(DEMO.operatorEmail, DEMO.operatorPassword);
    const path = "/operator/partners/1/voids";
    expect((await operator.get("/operator/partners/1")).text).toContain(`method="get" action="${path}"`);
    const found = textOf((await operator.get(`${path}?cost_id=+${ID}+`)).text);
    expect(found).toContain(`${ID} Matched Cost Type cpc Amount $0.50 Source Sent by the partner`);
    expect(found).toContain("Click or impression click, 15 Mar 2026, 12:00 UTC Day in reports 15 Mar 2026");
    expect(found).toContain(`App ${DEMO.appToken} Link Acme ${DEMO.linkToken} Adjust the spend`);
    expect(found).toContain("Void this cost It no longer counts as spend.");
    const rejected = await operator.post(path, { cost_id: ID, reason: "" });
    expect(rejected.status).toBe(400);
    expect(rejected.text).toContain(`name="cost_id" value="${ID}"`);
    expect(rejected.text).toContain('<a href="#reason">');
    expect(await totals()).toEqual([{ state: "matched", count: 1, amount: 50_000 }]);
    const done = await operator.post(path, { cost_id: ID, reason: "fraud" });
    const target = done.headers.get("location") ?? "";
    expect([done.status, target]).toEqual([303, `${path}?cost_id=${ID}&notice=cost-voided`]);
    const page = await operator.get(target);
    expect(page.text).toContain("Cost voided. It no longer counts.");
    expect(textOf(page.text)).toContain(`Cost ${ID} Voided Cost Type cpc Amount $0.50`);
    expect(page.text).not.toContain("Void this cost");
    expect(await entries()).toHaveLength(1);
  });

  it("says that an ID has no cost", async () => {
    const operator = new Browser();
    await operator.signIn(DEMO.operatorEmail, DEMO.operatorPassword);
    const path = "/operator/partners/1/voids";
    for (const id of ["never-seen-cost-1", "short", "\u202ehidden-cost-1"]) {
      const page = await operator.get(`${path}?cost_id=${encodeURIComponent(id)}`);
      expect([page.status, page.text]).toEqual([
        200,
        expect.stringContaining("This partner has no accepted cost with this ID"),
      ]);
    }
    const unknown = await operator.post(path, { cost_id: "never-seen-cost-1", reason: "typo" });
    expect([unknown.status, unknown.text]).toEqual([
      400,
      expect.stringContaining('value="never-seen-cost-1"'),
    ]);
    expect((await operator.get("/operator/partners/99/voids")).status).toBe(404);
  });
});

it("writes the audit entry before a shard changes, and with one database only together with the change", async () => {
  await click(ID);
  await send("0.5");
  // Writes the day of the token's last use, so that the next request does not.
  await ask("/operator/v1/partners/1", { token });
  // The void itself: after the operator and, with shards, the check and the audit entry.
  const { database } = failingDatabase((number) => number === (isSharded ? 4 : 2));
  expect((await voidCost({ env: { DB: database } })).status).toBe(500);
  expect(await totals()).toEqual([{ state: "matched", count: 1, amount: 50_000 }]);
  expect(await entries()).toHaveLength(isSharded ? 1 : 0);
});
