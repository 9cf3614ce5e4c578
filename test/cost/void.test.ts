/** POST /cost/{cost_id}/void: a partner takes back one of its costs. */
import { beforeEach, describe, expect, it } from "vitest";
import { COST_WINDOW_MS, RETENTION_MS } from "../../src/domain/time.ts";
import { purge } from "../../src/purge.ts";
import {
  ask,
  type Call,
  click,
  countingDatabase,
  DAY,
  DEMO,
  ledgerOn,
  NOW,
  rows,
  sendCost,
  view,
} from "../harness.ts";
import { isWhole } from "../part.ts";
import { changedBefore, freshLedger, totals } from "../support.ts";

beforeEach(freshLedger);

const ID = "void-cost-00001";
const voidCost = (now = NOW, id = ID, options: Call = {}) =>
  ask(`/cost/${id}/void`, { method: "POST", token: DEMO.costToken, now, ...options });
const send = (amount: string | undefined, now = NOW, more: Record<string, string> = {}) =>
  sendCost({ cost_id: ID, ...(amount && { cost_amount: amount }), ...more }, { now });
const PRICE = "&cost_type=cpc&cost_amount=0.3&cost_currency=USD";

describe("a void", () => {
  it("removes a matched cost from the totals, and the same values do not bring it back", async () => {
    await click(ID);
    await send("0.5");
    expect((await voidCost()).body).toMatchObject({ status: "ok", match: "voided", duplicate: false });
    expect(await totals()).toEqual([]);
    expect((await send("0.5")).body).toMatchObject({ match: "voided", duplicate: true });
    expect((await send(undefined)).body).toMatchObject({ match: "voided", duplicate: true });
    expect((await voidCost()).body).toMatchObject({ duplicate: true });
    expect(await totals()).toEqual([]);
  });

  it.runIf(isWhole)("is lifted by a call with other values", async () => {
    await click(ID);
    await send("0.5");
    await voidCost();
    expect((await send("0.4")).body).toMatchObject({ match: "matched", duplicate: false, amount: "0.4" });
    expect(await totals()).toEqual([{ state: "matched", count: 1, amount: 40_000 }]);
  });

  it.runIf(isWhole).each([
    ["click", 6 * DAY],
    ["impression", COST_WINDOW_MS + 1],
  ])("of one of two equal prices is read back with its engagement, the %s", async (kind, clickedAfter) => {
    const price = PRICE.replace("cpc", "cpi");
    await view(ID, { query: price });
    await click(ID, { query: price, now: NOW + clickedAfter });
    const now = NOW + COST_WINDOW_MS;
    const read = async () => (await ask(`/cost/${ID}`, { token: DEMO.costToken, now })).body;
    const before = await read();
    expect(before).toMatchObject({ match: "matched", engagement: { kind } });
    expect((await voidCost(now)).status).toBe(200);
    expect(await read()).toEqual({ ...before, match: "voided", request_id: expect.any(String) });
  });

  it.runIf(isWhole)("removes a price on a URL for good: only a call can count after it", async () => {
    await click(ID, { query: PRICE });
    expect(await totals()).toEqual([{ state: "matched", count: 1, amount: 30_000 }]);
    expect((await voidCost()).body).toMatchObject({ match: "voided", duplicate: false });
    expect(await totals()).toEqual([]);
    expect((await send("0.3")).body).toMatchObject({ match: "voided", duplicate: true });
    expect((await send("0.2")).body).toMatchObject({ match: "matched", amount: "0.2" });
    expect(await totals()).toEqual([{ state: "matched", count: 1, amount: 20_000 }]);
  });

  it.runIf(isWhole)(
    "of a price on a URL reads back as that price, also when an engagement with another price comes later",
    async () => {
      const read = async (now = NOW) => {
        const { body } = await ask<Record<string, unknown>>(`/cost/${ID}`, { token: DEMO.costToken, now });
        const { match, source, cost_type, amount, engagement } = body;
        return { match, source, cost_type, amount, engagement };
      };
      await view(ID, { query: "&cost_type=cpm&cost_amount=7&cost_currency=USD" });
      const before = await read();
      expect(before).toMatchObject({ match: "matched", source: "url", amount: "7" });
      await voidCost();
      await click(ID, { query: PRICE });
      expect(await read()).toEqual({ ...before, match: "voided" });
      expect(await totals()).toEqual([]);
    },
  );

  it.runIf(isWhole).each([
    [COST_WINDOW_MS, 200],
    [COST_WINDOW_MS + 1, 400],
  ])("is possible until seven days after the engagement: %i ms", async (age, status) => {
    await click(ID);
    await send("0.5");
    expect((await voidCost(NOW + age)).status).toBe(status);
  });

  it.runIf(isWhole)(
    "of a price holds for the price also while the call that lifts it is pending, and after that gets its amount",
    async () => {
      await click(ID, { query: PRICE });
      await voidCost();
      for (const [sent, amount] of [
        [undefined, 0],
        ["2", 200_000],
      ] as const) {
        const { body } = await send(sent, NOW, { cost_type: "cpm" });
        expect(body).toMatchObject({ match: "pending", duplicate: false });
        expect(await totals()).toEqual([{ state: "pending", count: 1, amount }]);
      }
      const { body } = await ask(`/cost/${ID}`, { token: DEMO.costToken });
      expect(body).toMatchObject({ match: "pending", url_price: null });
    },
  );

  it.runIf(isWhole)("keeps the amount that a cost took from its URL", async () => {
    await click(ID, { query: PRICE });
    expect((await send(undefined)).body).toMatchObject({ match: "matched", amount: "0.3" });
    await voidCost();
    expect((await send("0.3")).body).toMatchObject({ match: "voided", duplicate: true });
    expect((await send(undefined)).body).toMatchObject({ match: "voided", amount: "0.3" });
    expect(await totals()).toEqual([]);
  });

  it.runIf(isWhole).each([
    ["a price on a URL", false],
    ["a pending cost beside it", true],
  ])("of %s is possible until seven days after the engagement with the price", async (_what, isPending) => {
    await click(ID, { query: PRICE, now: NOW - 1 });
    if (isPending) await send("1", NOW, { cost_type: "cpm" });
    expect((await voidCost(NOW + COST_WINDOW_MS)).body).toMatchObject({ code: "window_closed" });
    expect((await voidCost(NOW + COST_WINDOW_MS - 1)).status).toBe(200);
  });

  it.each([
    ["credential_revoked", `revoked_at = ${NOW}`],
    ["test_credential", "mode = 'test'"],
  ])("changes nothing with a credential that gets %s", async (code, change) => {
    await click(ID);
    await send("0.5");
    await rows(`UPDATE credentials SET ${change} WHERE partner_id = 1`);
    expect((await voidCost()).body).toMatchObject({ status: 403, code });
    expect(await totals()).toEqual([{ state: "matched", count: 1, amount: 50_000 }]);
  });

  it.runIf(isWhole)("is 404 for an ID without a cost", async () => {
    await click(ID);
    expect((await voidCost()).body).toMatchObject({ status: 404, code: "not_found" });
    expect((await voidCost(NOW, "never-seen-cost-1")).body).toMatchObject({ status: 404 });
  });
});

describe("a void that races", () => {
  const RUNS = 4;
  const idOf = (run: number) => `void-race-${String(run).padStart(5, "0")}`;
  /**
   * Runs both requests concurrently. In half of the runs `one` reaches the database first, in the others `other`. Returns what
   * they returned.
   */
  async function race<A, B>(
    prepare: (id: string) => Promise<unknown>,
    one: (id: string, options: Call) => Promise<A>,
    other: (id: string, options: Call) => Promise<B>,
  ) {
    const ids = Array.from({ length: RUNS }, (_, run) => idOf(run));
    for (const id of ids) await prepare(id);
    return Promise.all(
      ids.map(async (id, run) => {
        const isFirst = run % 2 === 0;
        const { promise, resolve } = Promise.withResolvers<void>();
        const late = { env: { DB: changedBefore(1, () => promise) } };
        const early = <T>(work: Promise<T>) => work.finally(resolve);
        const [first, second] = await Promise.all(
          isFirst ? [early(one(id, {})), other(id, late)] : [one(id, late), early(other(id, {}))],
        );
        return { id, isFirst, first, second };
      }),
    );
  }
  const nothing = async () => undefined;
  const voidOne = (id: string, options: Call) => voidCost(NOW, id, options);
  const sendOne =
    (cost_amount: string) =>
    (cost_id: string, options: Call = {}) =>
      sendCost({ cost_id, cost_amount }, options);
  /** The totals of half of the costs, with this amount each. */
  const totalOf = (amount: number) => [{ state: "matched", count: RUNS / 2, amount: (amount * RUNS) / 2 }];
  const stateOf = async (id: string) =>
    (await rows<{ state: string | null }>("SELECT state FROM ledger_entries WHERE cost_id = ?", id))[0]
      ?.state;
  const sendBatch = (cost_id: string, amounts: string[], options: Call) =>
    ask<{ results: { status: "ok" | number; match?: string; code?: string }[] }>("/cost/batch", {
      token: DEMO.costToken,
      json: {
        costs: amounts.map((cost_amount) => ({
          cost_type: "cpc",
          cost_currency: "USD",
          tag: "t",
          cost_id,
          cost_amount,
        })),
      },
      ...options,
    });

  it("with the same cost leaves it voided, whichever comes first", async () => {
    const prepare = async (id: string) => {
      await click(id);
      await sendOne("0.5")(id);
    };
    for (const { id, first, second } of await race(prepare, voidOne, sendOne("0.5"))) {
      expect(first.body).toMatchObject({ status: "ok", duplicate: false });
      expect(second.body).toMatchObject({ status: "ok", duplicate: true });
      expect(await stateOf(id)).toBe("voided");
    }
    expect(await totals()).toEqual([]);
  });

  it("with other values is lifted by them if it comes first, else they are a conflict", async () => {
    const prepare = async (id: string) => {
      await click(id);
      await sendOne("0.5")(id);
    };
    for (const { id, isFirst, first, second } of await race(prepare, voidOne, sendOne("0.4"))) {
      expect(first.body).toMatchObject({ status: "ok", duplicate: false });
      expect(second.body).toMatchObject(isFirst ? { match: "matched" } : { code: "cost_id_conflict" });
      expect(await stateOf(id)).toBe(isFirst ? "matched" : "voided");
    }
    expect(await totals()).toEqual(totalOf(40_000));
  });

  it("with the first call for an ID voids it if it comes second, else there is nothing to void", async () => {
    for (const { id, isFirst, first, second } of await race(click, voidOne, sendOne("0.5"))) {
      expect(second.body).toMatchObject({ status: "ok", match: "matched", duplicate: false });
      expect(first.status).toBe(isFirst ? 404 : 200);
      expect(await stateOf(id)).toBe(isFirst ? "matched" : "voided");
    }
    expect(await totals()).toEqual(totalOf(50_000));
  });

  it("with the click of a pending cost leaves it voided, whichever comes first", async () => {
    for (const { id, first } of await race(sendOne("0.5"), voidOne, click)) {
      expect(first.body).toMatchObject({ status: "ok", match: "voided", duplicate: false });
      expect(await rows("SELECT state, click_at FROM ledger_entries WHERE cost_id = ?", id)).toEqual([
        { state: "voided", click_at: NOW },
      ]);
    }
    expect(await totals()).toEqual([]);
  });

  it("with a click that has a price voids the price if it comes second, else there is nothing to void", async () => {
    const open = (id: string, options: Call) => click(id, { query: PRICE, ...options });
    for (const { id, isFirst, first } of await race(nothing, voidOne, open)) {
      expect(first.status).toBe(isFirst ? 404 : 200);
      expect(await stateOf(id)).toBe(isFirst ? null : "voided");
    }
    expect(await totals()).toEqual(totalOf(30_000));
  });

  it("with a batch comes before or after all of its costs for the ID, never between them", async () => {
    const prepare = async (id: string) => {
      await click(id);
      await sendOne("0.5")(id);
    };
    const batch = (id: string, options: Call) => sendBatch(id, ["0.5", "0.4", "0.4"], options);
    for (const { id, isFirst, first, second } of await race(prepare, voidOne, batch)) {
      expect(first.body).toMatchObject({ status: "ok", duplicate: false });
      const results = second.body.results.map(({ match, code }) => match ?? code);
      expect(results).toEqual(
        isFirst ? ["voided", "matched", "matched"] : ["matched", "cost_id_conflict", "cost_id_conflict"],
      );
      expect(await stateOf(id)).toBe(isFirst ? "matched" : "voided");
    }
    expect(await totals()).toEqual(totalOf(40_000));
  });

  it("with other voids of the ID voids it once", async () => {
    await click(ID);
    await send("0.5");
    const answers = await Promise.all(Array.from({ length: 20 }, () => voidCost()));
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
    expect(answers.filter(({ body }) => body.duplicate === (false as never))).toHaveLength(1);
    expect(await totals()).toEqual([]);
  });

  it("with the purge of a forgotten cost finds nothing, and its total stays", async () => {
    await click(ID);
    await send("0.5");
    const later = NOW + RETENTION_MS + DAY;
    const [{ status }] = await Promise.all([voidCost(later), purge(ledgerOn(), later)]);
    expect(status).toBe(404);
    expect(await rows("SELECT 1 FROM ledger_entries WHERE cost_id = ?", ID)).toEqual([]);
    expect(await totals()).toEqual([{ state: "matched", count: 1, amount: 50_000 }]);
  });
});

describe("the audit entry of a void", () => {
  const requested = ledgerOn().shards.length > 0 ? { outcome: "requested" } : {};
  const entries = async () =>
    (
      await rows<{ detail: string }>("SELECT happened_at, user_id, action, subject, detail FROM audit_log")
    ).map((entry) => ({ ...entry, detail: JSON.parse(entry.detail) }));
  const entry = (values: object) => ({
    happened_at: NOW,
    user_id: null,
    action: "void cost",
    subject: "partner 1",
    detail: {
      cost_id: ID,
      cost_type: "cpc",
      currency: "USD",
      app_token: DEMO.appToken,
      ...values,
      credential_id: 1,
      hint: `ll_live_…${DEMO.costToken.slice(-4)}`,
      ...requested,
    },
  });

  it.runIf(isWhole).each([
    ["0", "0"],
    ["0.00001", "0.00001"],
    ["0.50", "0.5"],
    ["10", "10"],
    ["25.10203", "25.10203"],
    ["1000000", "1000000"],
    [undefined, null],
  ])("names the partner, its credential and the removed values: %s", async (sent, amount) => {
    await click(ID);
    await send(sent);
    expect((await voidCost()).status).toBe(200);
    expect(await entries()).toEqual([entry({ amount })]);
  });

  it("has the values of a price on a URL with its app, and those of a pending cost, which has none", async () => {
    await click(ID, { query: PRICE });
    await voidCost();
    await rows("DELETE FROM ledger_entries");
    await send("7", NOW, { cost_type: "cpm" });
    await voidCost();
    const pending = entry({ cost_type: "cpm", amount: "7", app_token: null });
    expect(await entries()).toEqual([entry({ amount: "0.3" }), pending]);
  });

  it("is written once for a cost that is voided twice, and not for a void that is rejected", async () => {
    await click(ID);
    await send("0.5");
    expect((await voidCost(NOW + COST_WINDOW_MS + 1)).status).toBe(400);
    expect((await voidCost(NOW, "never-seen-cost-1")).status).toBe(404);
    expect((await ask(`/cost/${ID}/void`, { method: "POST", token: DEMO.testCostToken })).status).toBe(403);
    expect(await entries()).toEqual([]);
    await voidCost();
    await voidCost();
    expect(await entries()).toEqual([entry({ amount: "0.5" })]);
  });
});

describe("the budget of a void", () => {
  /** Sends the void and returns its calls and rows by D1's own count. */
  async function measure(id = ID, now = NOW) {
    const isVoided = async () =>
      (await rows("SELECT 1 FROM ledger_entries WHERE cost_id = ? AND state = 'voided'", id)).length;
    const before = await isVoided();
    await voidCost(now, "void-warm-up-0001");
    const { database, counts } = countingDatabase();
    const path = `/cost/${id}/void`;
    const { status } = await ask(path, { method: "POST", token: DEMO.costToken, now, env: { DB: database } });
    // With shards, the audit entry is between the check and the void.
    const isSplit = ledgerOn().shards.length > 0 && (await isVoided()) > before;
    expect(counts.calls).toBe(isSplit ? 3 : 1);
    expect(counts.read).toBeLessThanOrEqual(20);
    return { status, written: counts.written };
  }

  // The row, its total, that of its audience, the audit entry and its indexes, that by app only if it has one; one more total if a price counts again or no more.
  it.each<[string, () => Promise<unknown>, number]>([
    ["a matched cost", () => click(ID).then(() => send("0.5")), 6],
    ["an unpriced cost", () => click(ID).then(() => send(undefined)), 6],
    [
      "a cost with a click and an impression",
      () =>
        click(ID)
          .then(() => view(ID))
          .then(() => send("0.5")),
      6,
    ],
    ["a pending cost", () => send("0.5"), 4],
    ["a price on a URL", () => click(ID, { query: PRICE }), 6],
    [
      "a pending cost beside a price on a URL",
      () => click(ID, { query: PRICE }).then(() => send("1", NOW, { cost_type: "cpm" })),
      7,
    ],
  ])(
    "is one call and 20 rows read for %s, with nothing written the second time",
    async (_name, prepare, written) => {
      await prepare();
      expect(await measure()).toEqual({ status: 200, written });
      expect(await measure()).toEqual({ status: 200, written: 0 });
    },
  );

  it("writes nothing when it is rejected", async () => {
    expect(await measure()).toEqual({ status: 404, written: 0 });
    await click(ID);
    await send("0.5");
    expect(await measure(ID, NOW + COST_WINDOW_MS + 1)).toEqual({ status: 400, written: 0 });
  });
});
