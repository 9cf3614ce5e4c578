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

/** The purge stays an hour behind. */
const HOUR = 3_600_000;
const CLOSED = COST_WINDOW_MS + HOUR;
const FORGOTTEN = 2 * COST_WINDOW_MS + HOUR;
/** A click of NOW is past the window, and still remembered. */
const AGAIN = NOW + CLOSED + DAY;

const ID = "purged-cost-0001";
const send = (cost_id = ID, now = NOW, cost_type = "cpc") =>
  sendCost({ cost_id, cost_type, cost_amount: "1" }, { now });
const costs = () => rows("SELECT cost_id FROM costs ORDER BY cost_id");
const engagements = () => rows("SELECT cost_id, kind FROM engagements ORDER BY cost_id, kind");
const wholeTotals = () =>
  rows("SELECT * FROM daily_totals ORDER BY app_token, day, link_id, cost_type, currency, state");

describe("what goes, and when", () => {
  it.each([
    ["a matched cost, seven days and an hour after its click", () => click(ID).then(() => send()), CLOSED],
    ["a matched cpm, as long after its impression", () => view(ID).then(() => send(ID, NOW, "cpm")), CLOSED],
    ["a pending cost, as long after it came", () => send(), CLOSED],
    [
      "a cpi on an impression, with the impression",
      () => view(ID).then(() => send(ID, NOW, "cpi")),
      FORGOTTEN,
    ],
    [
      "a cpe on an impression, with the impression",
      () => view(ID).then(() => send(ID, NOW, "cpe")),
      FORGOTTEN,
    ],
    ["a cpi on a click, with the click", () => click(ID).then(() => send(ID, NOW, "cpi")), FORGOTTEN],
    ["a pending cpi, as any that is pending", () => send(ID, NOW, "cpi"), CLOSED],
  ] as [string, () => Promise<unknown>, number][])(
    "%s, and not a millisecond before",
    async (_what, make, age) => {
      await make();
      await purge(ledgerOn(), NOW + age);
      expect(await costs()).toHaveLength(1);
      await purge(ledgerOn(), NOW + age + 1);
      expect(await costs()).toEqual([]);
    },
  );

  it("an engagement after fourteen days and an hour, with or without a cost, and not a millisecond before", async () => {
    await click(ID);
    await send();
    await view("purged-cost-0002");
    await purge(ledgerOn(), NOW + FORGOTTEN);
    expect(await engagements()).toHaveLength(2);
    await purge(ledgerOn(), NOW + FORGOTTEN + 1);
    expect(await engagements()).toEqual([]);
  });

  it("an engagement never before its cost, though the walk of the costs lags behind", async () => {
    await view(ID);
    await send(ID, NOW, "cpi");
    const late = failingDatabase((call) => call <= ledgerOn().databases.size);
    await expect(purge(ledgerOn(late.database), NOW + FORGOTTEN + 1)).rejects.toThrow("injected");
    const bounds = [NOW + FORGOTTEN + 1, 5_000, 0] as const;
    await purge(ledgerOn(), ...bounds);
    expect(await engagements()).toHaveLength(1);
    await purge(ledgerOn(), NOW + FORGOTTEN + 1);
    expect([await costs(), await engagements()]).toEqual([[], []]);
  });

  it("a cpi on an impression stays while a later click could take it over", async () => {
    await view(ID);
    await send(ID, NOW, "cpi");
    await click(ID, { now: NOW + COST_WINDOW_MS + DAY });
    await purge(ledgerOn(), NOW + FORGOTTEN + 1);
    expect((await send(ID, NOW + FORGOTTEN + 2, "cpi")).body).toMatchObject({
      duplicate: true,
      match: "matched",
    });
    await purge(ledgerOn(), NOW + COST_WINDOW_MS + DAY + CLOSED + 1);
    expect(await costs()).toEqual([]);
    expect(await totals()).toEqual([{ state: "matched", count: 1, amount: 100_000 }]);
  });

  it.each([
    ["is sent again for", () => view(ID, { now: AGAIN }).then(() => send(ID, AGAIN, "cpi"))],
    [
      "is carried by the URL of",
      () => view(ID, { now: AGAIN, query: "&cost_type=cpi&cost_amount=1&cost_currency=USD" }),
    ],
  ] as [string, () => Promise<unknown>][])(
    "a cpi on a click that %s a later impression with its ID counts once",
    async (_what, again) => {
      await click(ID);
      await send(ID, NOW, "cpi");
      await purge(ledgerOn(), AGAIN - 1);
      await again();
      await purge(ledgerOn(), NOW + FORGOTTEN + 1);
      await send(ID, NOW + FORGOTTEN + 2, "cpi");
      expect(await totals()).toEqual([{ state: "matched", count: 1, amount: 100_000 }]);
    },
  );

  it.each(["cpi", "cpe"])(
    "a %s on an impression stays while a click with its ID is exactly seven days and an hour old, and goes a millisecond later",
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

  it("a cpi on an impression goes with the impression where the later click has another ID", async () => {
    await view(ID);
    await send(ID, NOW, "cpi");
    await click("purged-cost-0002", { now: NOW + COST_WINDOW_MS + DAY });
    await purge(ledgerOn(), NOW + FORGOTTEN + 1);
    expect(await costs()).toEqual([]);
  });

  it("nothing that is live", async () => {
    await click("purged-cost-live");
    await send("purged-cost-live");
    await send("purged-cost-wait");
    const before = await rows("SELECT * FROM costs JOIN engagements");
    await purge(ledgerOn(), NOW + COST_WINDOW_MS, 1);
    expect(await rows("SELECT * FROM costs JOIN engagements")).toEqual(before);
  });
});

describe("what stays as it was", () => {
  it("the daily totals, to the byte", async () => {
    await click(ID);
    await send();
    await click("purged-cost-0002");
    await sendCost({ cost_id: "purged-cost-0002" });
    await send("purged-cost-0003");
    const before = await wholeTotals();
    expect(before).toHaveLength(3);
    for (const age of [CLOSED + 1, FORGOTTEN + 1]) {
      await purge(ledgerOn(), NOW + age);
      expect(await wholeTotals()).toEqual(before);
    }
    expect([await costs(), await engagements()]).toEqual([[], []]);
  });

  it("the answer to a cost that is sent again after it went: too late, and not counted again", async () => {
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

  it("the count of a pending cost that lapsed: the same sent again waits anew", async () => {
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

/** Twelve costs on clicks and views, of which every third is live, of both kinds and with ids in no order. */
async function mixed(): Promise<void> {
  for (let index = 0; index < 12; index++) {
    const now = index % 3 === 0 ? NOW + 2 * FORGOTTEN : NOW;
    const id = `purged-mix-${String((index * 7) % 12).padStart(4, "0")}`;
    await click(id, { now });
    await view(id, { now });
    await send(id, now, index % 2 ? "cpc" : "cpm");
  }
}
const LIVE = { costs: 4, engagements: 8 };
const left = async () => ({ costs: (await costs()).length, engagements: (await engagements()).length });
const then = NOW + 2 * FORGOTTEN + 1;

describe("in slices", () => {
  it.each([1, 2, 5, 11, 12, 13, 24, 5_000])(
    "of %i keys, all that is due goes and all that is live stays",
    async (slice) => {
      await mixed();
      await purge(ledgerOn(), then, slice);
      expect(await left()).toEqual(LIVE);
      await purge(ledgerOn(), then, slice);
      expect(await left()).toEqual(LIVE);
    },
  );

  it.each([1, 2, 5])(
    "of %i keys, it goes on after a failure at any call, and ends right",
    { timeout: 60_000 },
    async (slice) => {
      await mixed();
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
        const failed = await purge(ledgerOn(database), then, slice).then(
          () => false,
          () => true,
        );
        if (!failed) {
          expect(broken).toBeGreaterThan(calls());
          break;
        }
        // The hours that follow: the first ends the walk that broke off, the second walks all.
        await purge(ledgerOn(), then, slice);
        await purge(ledgerOn(), then, slice);
        expect({ broken, ...(await left()) }).toEqual({ broken, ...LIVE });
        expect(await wholeTotals()).toEqual(before);
      }
    },
  );

  it("of 2 keys, two an hour, it gets to the end in some hours", async () => {
    await mixed();
    for (let hour = 0; hour < 12; hour++) await purge(ledgerOn(), then, 2, 2);
    expect(await left()).toEqual(LIVE);
  });

  it("may run twice at once", async () => {
    await mixed();
    const before = await wholeTotals();
    await Promise.all([purge(ledgerOn(), then, 2), purge(ledgerOn(), then, 2), purge(ledgerOn(), then, 5)]);
    await purge(ledgerOn(), then, 2);
    await purge(ledgerOn(), then, 2);
    expect(await left()).toEqual(LIVE);
    expect(await wholeTotals()).toEqual(before);
  });

  it("may run beside costs and clicks that come in", async () => {
    await mixed();
    const ids = Array.from({ length: 10 }, (_, index) => `purged-new-${String(index).padStart(4, "0")}`);
    await Promise.all([
      purge(ledgerOn(), then, 1),
      ...ids.map((id) => click(id, { now: then }).then(() => send(id, then))),
    ]);
    expect(await left()).toEqual({ costs: LIVE.costs + 10, engagements: LIVE.engagements + 10 });
  });
});

it("is what the hourly trigger of the Worker runs, at the time that it was scheduled for", async () => {
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
