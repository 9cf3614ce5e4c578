import { beforeEach, describe, expect, it } from "vitest";
import { COST_WINDOW_MS } from "../../src/domain/matching.ts";
import worker from "../../src/index.ts";
import { purge } from "../../src/purge.ts";
import { click, DAY, env, ledgerOn, NOW, rows, sendCost, view } from "../harness.ts";
import { failingDatabase, freshLedger, inLedger, totals } from "../support.ts";

beforeEach(async () => {
  await freshLedger();
  await inLedger("DELETE FROM engagements");
});

/** The safety margin of the purge. */
const HOUR = 3_600_000;
const CLOSED = COST_WINDOW_MS + HOUR;
const EXPIRED = 2 * COST_WINDOW_MS + HOUR;
/** When a click at NOW is past the window and has not expired. */
const LATER = NOW + CLOSED + DAY;

const ID = "purged-cost-0001";
const send = (cost_id = ID, now = NOW, cost_type = "cpc") =>
  sendCost({ cost_id, cost_type, cost_amount: "1" }, { now });
const costs = () => rows("SELECT cost_id FROM costs ORDER BY cost_id");
const engagements = () => rows("SELECT cost_id, kind FROM engagements ORDER BY cost_id, kind");
const wholeTotals = () =>
  rows("SELECT * FROM daily_totals ORDER BY app_token, day, link_id, cost_type, currency, state");

describe("the purge deletes", () => {
  it.each([
    ["a matched cost, seven days and one hour after its click", () => click(ID).then(() => send()), CLOSED],
    [
      "a matched cpm, seven days and one hour after its impression",
      () => view(ID).then(() => send(ID, NOW, "cpm")),
      CLOSED,
    ],
    ["a pending cost, seven days and one hour after it arrived", () => send(), CLOSED],
    ["a cpi on an impression, with the impression", () => view(ID).then(() => send(ID, NOW, "cpi")), EXPIRED],
    ["a cpe on an impression, with the impression", () => view(ID).then(() => send(ID, NOW, "cpe")), EXPIRED],
    ["a cpi on a click, with the click", () => click(ID).then(() => send(ID, NOW, "cpi")), EXPIRED],
    ["a pending cpi, seven days and one hour after it arrived", () => send(ID, NOW, "cpi"), CLOSED],
  ] as [string, () => Promise<unknown>, number][])(
    "%s, and not a millisecond before",
    async (_description, create, age) => {
      await create();
      await purge(ledgerOn(), NOW + age);
      expect(await costs()).toHaveLength(1);
      await purge(ledgerOn(), NOW + age + 1);
      expect(await costs()).toEqual([]);
    },
  );

  it("an engagement after fourteen days and one hour, with or without a cost, and not a millisecond before", async () => {
    await click(ID);
    await send();
    await view("purged-cost-0002");
    await purge(ledgerOn(), NOW + EXPIRED);
    expect(await engagements()).toHaveLength(2);
    await purge(ledgerOn(), NOW + EXPIRED + 1);
    expect(await engagements()).toEqual([]);
  });

  it("no engagement before its cost, even if the purge of the costs lags behind", async () => {
    await view(ID);
    await send(ID, NOW, "cpi");
    const late = failingDatabase((call) => call <= ledgerOn().databases.size);
    await expect(purge(ledgerOn(late.database), NOW + EXPIRED + 1)).rejects.toThrow("injected");
    const bounds = [NOW + EXPIRED + 1, 5_000, 0] as const;
    await purge(ledgerOn(), ...bounds);
    expect(await engagements()).toHaveLength(1);
    await purge(ledgerOn(), NOW + EXPIRED + 1);
    expect([await costs(), await engagements()]).toEqual([[], []]);
  });

  it("no cpi on an impression while it can move to a later click", async () => {
    await view(ID);
    await send(ID, NOW, "cpi");
    await click(ID, { now: NOW + COST_WINDOW_MS + DAY });
    await purge(ledgerOn(), NOW + EXPIRED + 1);
    expect((await send(ID, NOW + EXPIRED + 2, "cpi")).body).toMatchObject({
      duplicate: true,
      match: "matched",
    });
    await purge(ledgerOn(), NOW + COST_WINDOW_MS + DAY + CLOSED + 1);
    expect(await costs()).toEqual([]);
    expect(await totals()).toEqual([{ state: "matched", count: 1, amount: 100_000 }]);
  });

  it.each([
    ["is sent again after", () => view(ID, { now: LATER }).then(() => send(ID, LATER, "cpi"))],
    [
      "is a price on the URL of",
      () => view(ID, { now: LATER, query: "&cost_type=cpi&cost_amount=1&cost_currency=USD" }),
    ],
  ] as [string, () => Promise<unknown>][])(
    "no cpi on a click that could count again: it %s a later impression with its ID",
    async (_description, repeat) => {
      await click(ID);
      await send(ID, NOW, "cpi");
      await purge(ledgerOn(), LATER - 1);
      await repeat();
      await purge(ledgerOn(), NOW + EXPIRED + 1);
      await send(ID, NOW + EXPIRED + 2, "cpi");
      expect(await totals()).toEqual([{ state: "matched", count: 1, amount: 100_000 }]);
    },
  );

  it.each(["cpi", "cpe"])(
    "a %s on an impression, seven days and one hour after a later click with its ID, and not a millisecond before",
    async (costType) => {
      const clickedAt = NOW + COST_WINDOW_MS + DAY;
      await view(ID);
      await send(ID, NOW, costType);
      await click(ID, { now: clickedAt });
      await purge(ledgerOn(), clickedAt + CLOSED);
      expect(await costs()).toEqual([{ cost_id: ID }]);
      await purge(ledgerOn(), clickedAt + CLOSED + 1);
      expect(await costs()).toEqual([]);
      expect(await totals()).toEqual([{ state: "matched", count: 1, amount: 100_000 }]);
    },
  );

  it("a cpi on an impression, with the impression, if the later click has another ID", async () => {
    await view(ID);
    await send(ID, NOW, "cpi");
    await click("purged-cost-0002", { now: NOW + COST_WINDOW_MS + DAY });
    await purge(ledgerOn(), NOW + EXPIRED + 1);
    expect(await costs()).toEqual([]);
  });

  it("no cost or engagement that is still in use", async () => {
    await click("purged-cost-live");
    await send("purged-cost-live");
    await send("purged-cost-pend");
    const before = await rows("SELECT * FROM costs JOIN engagements");
    await purge(ledgerOn(), NOW + COST_WINDOW_MS, 1);
    expect(await rows("SELECT * FROM costs JOIN engagements")).toEqual(before);
  });
});

describe("the purge does not change", () => {
  it("the daily totals", async () => {
    await click(ID);
    await send();
    await click("purged-cost-0002");
    await sendCost({ cost_id: "purged-cost-0002" });
    await send("purged-cost-0003");
    const before = await wholeTotals();
    expect(before).toHaveLength(3);
    for (const age of [CLOSED + 1, EXPIRED + 1]) {
      await purge(ledgerOn(), NOW + age);
      expect(await wholeTotals()).toEqual(before);
    }
    expect([await costs(), await engagements()]).toEqual([[], []]);
  });

  it("the rejection of a deleted cost that is sent again: window_closed, and not counted again", async () => {
    await click(ID);
    await send();
    await purge(ledgerOn(), NOW + CLOSED + 1);
    const before = await wholeTotals();
    for (const now of [NOW + CLOSED + 2, NOW + 2 * COST_WINDOW_MS]) {
      expect((await send(ID, now)).body).toMatchObject({ status: 400, code: "window_closed" });
    }
    await click(ID, { now: NOW + CLOSED + 3 });
    expect((await send(ID, NOW + CLOSED + 4)).body.code).toBe("window_closed");
    expect(await wholeTotals()).toEqual(before);
  });

  it("the count of a lapsed cost: the same cost sent again is pending again", async () => {
    await send();
    await purge(ledgerOn(), NOW + CLOSED + 1);
    expect((await send(ID, NOW + CLOSED + 2)).body).toMatchObject({ match: "pending", duplicate: false });
    await click(ID, { now: NOW + CLOSED + 3 });
    expect(await totals()).toEqual([
      { state: "pending", count: 1, amount: 100_000 },
      { state: "matched", count: 1, amount: 100_000 },
    ]);
  });
});

/** Creates twelve unordered cost IDs, each with a click, an impression and a cost. Every third one is still in use. */
async function createMixed(): Promise<void> {
  for (let index = 0; index < 12; index++) {
    const now = index % 3 === 0 ? NOW + 2 * EXPIRED : NOW;
    const id = `purged-mix-${String((index * 7) % 12).padStart(4, "0")}`;
    await click(id, { now });
    await view(id, { now });
    await send(id, now, index % 2 ? "cpc" : "cpm");
  }
}
const IN_USE = { costs: 4, engagements: 8 };
const countRows = async () => ({ costs: (await costs()).length, engagements: (await engagements()).length });
const purgeAt = NOW + 2 * EXPIRED + 1;

describe("a purge in slices", () => {
  it.each([1, 2, 5, 11, 12, 13, 24, 5_000])(
    "of %i keys deletes everything that is due and nothing else",
    async (slice) => {
      await createMixed();
      await purge(ledgerOn(), purgeAt, slice);
      expect(await countRows()).toEqual(IN_USE);
      await purge(ledgerOn(), purgeAt, slice);
      expect(await countRows()).toEqual(IN_USE);
    },
  );

  it.each([1, 2, 5])(
    "of %i keys continues after a failure at any call and completes",
    { timeout: 60_000 },
    async (slice) => {
      await createMixed();
      const before = await wholeTotals();
      await inLedger(
        "CREATE TABLE kept_engagements AS SELECT * FROM engagements",
        "CREATE TABLE kept_costs AS SELECT * FROM costs",
      );
      for (let broken = 1; ; broken++) {
        await inLedger(
          ...["costs", "engagements", "daily_totals"].map((table) => `DELETE FROM ${table}`),
          "INSERT INTO engagements SELECT * FROM kept_engagements",
          "INSERT INTO costs SELECT * FROM kept_costs",
        );
        const { database, calls } = failingDatabase((call) => call === broken);
        const failed = await purge(ledgerOn(database), purgeAt, slice).then(
          () => false,
          () => true,
        );
        if (!failed) {
          expect(broken).toBeGreaterThan(calls());
          break;
        }
        // The next hourly runs: the first completes the interrupted pass, the second makes a full pass.
        await purge(ledgerOn(), purgeAt, slice);
        await purge(ledgerOn(), purgeAt, slice);
        expect({ broken, ...(await countRows()) }).toEqual({ broken, ...IN_USE });
        expect(await wholeTotals()).toEqual(before);
      }
    },
  );

  it("of 2 keys completes in several hourly runs of two slices each", async () => {
    await createMixed();
    for (let hour = 0; hour < 12; hour++) await purge(ledgerOn(), purgeAt, 2, 2);
    expect(await countRows()).toEqual(IN_USE);
  });

  it("can run several times concurrently", async () => {
    await createMixed();
    const before = await wholeTotals();
    await Promise.all([
      purge(ledgerOn(), purgeAt, 2),
      purge(ledgerOn(), purgeAt, 2),
      purge(ledgerOn(), purgeAt, 5),
    ]);
    await purge(ledgerOn(), purgeAt, 2);
    await purge(ledgerOn(), purgeAt, 2);
    expect(await countRows()).toEqual(IN_USE);
    expect(await wholeTotals()).toEqual(before);
  });

  it("can run while costs and clicks arrive", async () => {
    await createMixed();
    const ids = Array.from({ length: 10 }, (_, index) => `purged-new-${String(index).padStart(4, "0")}`);
    await Promise.all([
      purge(ledgerOn(), purgeAt, 1),
      ...ids.map((id) => click(id, { now: purgeAt }).then(() => send(id, purgeAt))),
    ]);
    expect(await countRows()).toEqual({ costs: IN_USE.costs + 10, engagements: IN_USE.engagements + 10 });
  });
});

it("is run by the hourly trigger of the Worker, with the scheduled time", async () => {
  await click(ID);
  await send();
  const run = (scheduledTime: number) =>
    worker.scheduled(
      { scheduledTime, cron: "17 * * * *", noRetry: () => undefined } as ScheduledController,
      env,
    );
  await run(NOW + CLOSED);
  expect(await costs()).toHaveLength(1);
  await run(NOW + CLOSED + 1);
  expect(await costs()).toEqual([]);
});
