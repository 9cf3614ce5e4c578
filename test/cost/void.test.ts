/** POST /cost/{cost_id}/void: a partner takes back one of its costs. */
import { beforeEach, describe, expect, it } from "vitest";
import { COST_WINDOW_MS, RETENTION_MS } from "../../src/domain/time.ts";
import { purge } from "../../src/purge.ts";
import { ask, click, countingDatabase, DAY, DEMO, ledgerOn, NOW, rows, sendCost, view } from "../harness.ts";
import { freshLedger, totals } from "../support.ts";

beforeEach(freshLedger);

const ID = "void-cost-00001";
const voidCost = (now = NOW, id = ID) =>
  ask(`/cost/${id}/void`, { method: "POST", token: DEMO.costToken, now });
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

  it("is lifted by a call with other values", async () => {
    await click(ID);
    await send("0.5");
    await voidCost();
    expect((await send("0.4")).body).toMatchObject({ match: "matched", duplicate: false, amount: "0.4" });
    expect(await totals()).toEqual([{ state: "matched", count: 1, amount: 40_000 }]);
  });

  it("removes a price on a URL for good: only a call can count after it", async () => {
    await click(ID, { query: PRICE });
    expect(await totals()).toEqual([{ state: "matched", count: 1, amount: 30_000 }]);
    expect((await voidCost()).body).toMatchObject({ match: "voided", duplicate: false });
    expect(await totals()).toEqual([]);
    expect((await send("0.3")).body).toMatchObject({ match: "voided", duplicate: true });
    expect((await send("0.2")).body).toMatchObject({ match: "matched", amount: "0.2" });
    expect(await totals()).toEqual([{ state: "matched", count: 1, amount: 20_000 }]);
  });

  it("of a price on a URL reads back as that price, also when an engagement with another price comes later", async () => {
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
  });

  it.each([
    [COST_WINDOW_MS, 200],
    [COST_WINDOW_MS + 1, 400],
  ])("is possible until seven days after the engagement: %i ms", async (age, status) => {
    await click(ID);
    await send("0.5");
    expect((await voidCost(NOW + age)).status).toBe(status);
  });

  it("of a price holds for the price also while the call that lifts it is pending", async () => {
    await click(ID, { query: PRICE });
    await voidCost();
    expect((await send("2", NOW, { cost_type: "cpm" })).body).toMatchObject({ match: "pending" });
    expect(await totals()).toEqual([{ state: "pending", count: 1, amount: 200_000 }]);
    const { body } = await ask(`/cost/${ID}`, { token: DEMO.costToken });
    expect(body).toMatchObject({ match: "pending", url_price: null });
  });

  it("keeps the amount that a cost took from its URL", async () => {
    await click(ID, { query: PRICE });
    expect((await send(undefined)).body).toMatchObject({ match: "matched", amount: "0.3" });
    await voidCost();
    expect((await send("0.3")).body).toMatchObject({ match: "voided", duplicate: true });
    expect((await send(undefined)).body).toMatchObject({ match: "voided", amount: "0.3" });
    expect(await totals()).toEqual([]);
  });

  it.each([
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

  it("is 404 for an ID without a cost", async () => {
    await click(ID);
    expect((await voidCost()).body).toMatchObject({ status: 404, code: "not_found" });
    expect((await voidCost(NOW, "never-seen-cost-1")).body).toMatchObject({ status: 404 });
  });
});

describe("a void that races", () => {
  const RUNS = 16;
  const idOf = (run: number) => `void-race-${String(run).padStart(5, "0")}`;
  /** Runs both requests concurrently, each of them first in half of the runs. Returns what they returned. */
  async function race<A, B>(
    prepare: (id: string) => Promise<unknown>,
    one: (id: string) => Promise<A>,
    other: (id: string) => Promise<B>,
  ) {
    const ids = Array.from({ length: RUNS }, (_, run) => idOf(run));
    for (const id of ids) await prepare(id);
    return Promise.all(
      ids.map(async (id, run) => {
        const late = () => scheduler.wait(run % 4).then(() => other(id));
        const [first, second] =
          run % 2
            ? await Promise.all([one(id), late()])
            : await Promise.all([late(), one(id)]).then(([b, a]) => [a, b] as const);
        return { id, first, second };
      }),
    );
  }
  const nothing = async () => undefined;
  const voidOne = (id: string) => voidCost(NOW, id);
  const sendOne = (cost_amount: string) => (cost_id: string) => sendCost({ cost_id, cost_amount });
  /** The totals of matched costs with these amounts. */
  const totalOf = (amounts: number[]) =>
    amounts.length === 0
      ? []
      : [{ state: "matched", count: amounts.length, amount: amounts.reduce((sum, amount) => sum + amount) }];
  const stateOf = async (id: string) =>
    (await rows<{ state: string | null }>("SELECT state FROM ledger_entries WHERE cost_id = ?", id))[0]
      ?.state;
  const sendBatch = (cost_id: string, amounts: string[]) =>
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
    const counted: number[] = [];
    for (const { id, first, second } of await race(prepare, voidOne, sendOne("0.4"))) {
      expect(first.body).toMatchObject({ status: "ok", duplicate: false });
      if (second.status === 200) counted.push(40_000);
      else expect(second.body).toMatchObject({ code: "cost_id_conflict" });
      expect(await stateOf(id)).toBe(second.status === 200 ? "matched" : "voided");
    }
    expect(await totals()).toEqual(totalOf(counted));
  });

  it("with the first call for an ID voids it if it comes second, else there is nothing to void", async () => {
    const counted: number[] = [];
    for (const { id, first, second } of await race(click, voidOne, sendOne("0.5"))) {
      expect(second.body).toMatchObject({ status: "ok", match: "matched", duplicate: false });
      if (first.status === 404) counted.push(50_000);
      else expect(first.status).toBe(200);
      expect(await stateOf(id)).toBe(first.status === 200 ? "voided" : "matched");
    }
    expect(await totals()).toEqual(totalOf(counted));
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
    const counted: number[] = [];
    for (const { id, first } of await race(nothing, voidOne, (id) => click(id, { query: PRICE }))) {
      if (first.status === 404) counted.push(30_000);
      else expect(first.status).toBe(200);
      expect(await stateOf(id)).toBe(first.status === 200 ? "voided" : null);
    }
    expect(await totals()).toEqual(totalOf(counted));
  });

  it("with a batch comes before or after all of its costs for the ID, never between them", async () => {
    const prepare = async (id: string) => {
      await click(id);
      await sendOne("0.5")(id);
    };
    const counted: number[] = [];
    const batch = (id: string) => sendBatch(id, ["0.5", "0.4", "0.4"]);
    for (const { id, first, second } of await race(prepare, voidOne, batch)) {
      expect(first.body).toMatchObject({ status: "ok", duplicate: false });
      const results = second.body.results.map(({ match, code }) => match ?? code);
      const isFirst = results[0] === "voided";
      expect(results).toEqual(
        isFirst ? ["voided", "matched", "matched"] : ["matched", "cost_id_conflict", "cost_id_conflict"],
      );
      if (isFirst) counted.push(40_000);
      expect(await stateOf(id)).toBe(isFirst ? "matched" : "voided");
    }
    expect(await totals()).toEqual(totalOf(counted));
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

describe("the budget of a void", () => {
  /** Sends the void and returns its calls and rows by D1's own count. */
  async function measure(id = ID, now = NOW) {
    await voidCost(now, "void-warm-up-0001");
    const { database, counts } = countingDatabase();
    const path = `/cost/${id}/void`;
    const { status } = await ask(path, { method: "POST", token: DEMO.costToken, now, env: { DB: database } });
    expect(counts.calls).toBe(1);
    expect(counts.read).toBeLessThanOrEqual(20);
    return { status, written: counts.written };
  }

  it.each<[string, () => Promise<unknown>, number]>([
    ["a matched cost", () => click(ID).then(() => send("0.5")), 2],
    ["an unpriced cost", () => click(ID).then(() => send(undefined)), 2],
    [
      "a cost with a click and an impression",
      () =>
        click(ID)
          .then(() => view(ID))
          .then(() => send("0.5")),
      2,
    ],
    ["a pending cost", () => send("0.5"), 2],
    ["a price on a URL", () => click(ID, { query: PRICE }), 2],
    [
      "a pending cost beside a price on a URL",
      () => click(ID, { query: PRICE }).then(() => send("1", NOW, { cost_type: "cpm" })),
      3,
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
