import { beforeEach, describe, expect, it } from "vitest";
import { databasesOf } from "../../src/db/ledger/shards.ts";
import { RETENTION_MS } from "../../src/domain/time.ts";
import worker from "../../src/index.ts";
import { purge } from "../../src/purge.ts";
import { click, DAY, env, freshState, ledgerOn, NOW, rows, sendCost, view } from "../harness.ts";
import { CALL_STEP, isLong, isWhole } from "../part.ts";
import { failingDatabase, freshEmptyLedger, inLedger } from "../support.ts";

beforeEach(freshEmptyLedger);

/** The safety margin of the purge. */
const HOUR = 3_600_000;
const EXPIRED = RETENTION_MS + HOUR;

const ID = "purged-cost-0001";
const send = (cost_id = ID, now = NOW, cost_type = "cpc") =>
  sendCost({ cost_id, cost_type, cost_amount: "1" }, { now });
const costs = () => rows("SELECT cost_id FROM costs ORDER BY cost_id");
const engagements = () => rows("SELECT cost_id, kind FROM engagements ORDER BY cost_id, kind");
const entries = () => rows("SELECT * FROM ledger_entries ORDER BY partner_id, cost_id");
const wholeTotals = () =>
  rows("SELECT * FROM daily_totals ORDER BY app_token, day, link_id, cost_type, currency, state");

describe("the purge deletes all rows of an ID together", () => {
  const later = NOW + 6 * DAY;
  const price = "&cost_type=cpc&cost_amount=1&cost_currency=USD";
  /** What there is of an ID, and since when it is only kept for fourteen days and one hour. */
  const CASES: [description: string, create: (id: string) => Promise<unknown>, since: number][] = [
    ["a click without a cost", (id) => click(id), NOW],
    ["an impression without a cost", (id) => view(id), NOW],
    ["a click with a price on its URL", (id) => click(id, { query: price }), NOW],
    ["the click of a later cost", (id) => click(id).then(() => send(id, later)), NOW],
    ["the impression of a later cpm", (id) => view(id).then(() => send(id, later, "cpm")), NOW],
    ["the click of an earlier cost", (id) => send(id).then(() => click(id, { now: later })), later],
    [
      "the later of click and impression",
      async (id) => {
        await view(id);
        await send(id, NOW, "cpi");
        await click(id, { now: later });
      },
      later,
    ],
    [
      "the later of impression and click, also of a kind that does not fit",
      async (id) => {
        await click(id);
        await send(id);
        await view(id, { now: later });
      },
      later,
    ],
    ["a repeated click, which is not kept", (id) => click(id).then(() => click(id, { now: later })), NOW],
    ["the arrival of a cost without an engagement", (id) => send(id), NOW],
    [
      "the first arrival of a completed cost without an engagement",
      (id) => sendCost({ cost_id: id }).then(() => send(id, later)),
      NOW,
    ],
  ];

  it.runIf(isWhole)(
    "fourteen days and one hour after its last engagement or its cost, and not a millisecond before",
    async () => {
      const idOf = (index: number) => `purged-case-${String(index).padStart(4, "0")}`;
      for (const [index, [, create]] of CASES.entries()) await create(idOf(index));
      const left = async () => {
        const ids = new Set((await entries()).map(({ cost_id }) => cost_id));
        return CASES.filter((_, index) => ids.has(idOf(index))).map(([description]) => description);
      };
      const from = (first: number) => CASES.filter(([, , since]) => since >= first).map(([name]) => name);
      const before = await entries();
      await purge(ledgerOn(), NOW + EXPIRED);
      expect(await entries()).toEqual(before);
      await purge(ledgerOn(), NOW + EXPIRED + 1);
      expect(await left()).toEqual(from(later));
      await purge(ledgerOn(), later + EXPIRED);
      expect(await left()).toEqual(from(later));
      await purge(ledgerOn(), later + EXPIRED + 1);
      expect(await entries()).toEqual([]);
    },
  );

  it.runIf(isWhole)("and nothing that is still in use", async () => {
    await click("purged-cost-live");
    await send("purged-cost-live");
    await send("purged-cost-pend");
    const before = await entries();
    await purge(ledgerOn(), NOW + EXPIRED, 1);
    expect(await entries()).toEqual(before);
  });
});

it.runIf(isWhole)("does not change the daily totals", async () => {
  await click(ID);
  await send();
  await click("purged-cost-0002");
  await sendCost({ cost_id: "purged-cost-0002" });
  await send("purged-cost-0003");
  const before = await wholeTotals();
  expect(before).toHaveLength(3);
  await purge(ledgerOn(), NOW + EXPIRED + 1);
  expect(await wholeTotals()).toEqual(before);
  expect([await costs(), await engagements()]).toEqual([[], []]);
});

/** Resets to twelve unordered cost IDs, each with a click, an impression and a cost. Every third one is still in use. */
const freshMixed = () => freshState("mixed purge", createMixed);
async function createMixed(): Promise<void> {
  await freshEmptyLedger();
  const create = async (index: number) => {
    const now = index % 3 === 0 ? NOW + 2 * EXPIRED : NOW;
    const id = `purged-mix-${String((index * 7) % 12).padStart(4, "0")}`;
    await click(id, { now });
    await view(id, { now });
    await send(id, now, index % 2 ? "cpc" : "cpm");
  };
  await Promise.all(Array.from({ length: 12 }, (_, index) => create(index)));
}
const IN_USE = { costs: 4, engagements: 8 };
const countRows = async () => ({ costs: (await costs()).length, engagements: (await engagements()).length });
const purgeAt = NOW + 2 * EXPIRED + 1;

/** Around the twelve keys. A shard has about three of them. */
const SLICES =
  ledgerOn().shards.length === 0
    ? isLong
      ? [1, 5, 11, 12, 13, 5_000]
      : [1, 11, 12, 13]
    : isLong
      ? [1, 2, 3, 5_000]
      : [2];

/** The distance between the calls that fail. Each database makes the same calls. */
const STEP = isLong ? 1 : CALL_STEP * databasesOf(ledgerOn()).length;

describe("a purge in slices", () => {
  it.each(SLICES)("of %i keys deletes everything that is due and nothing else", async (slice) => {
    await freshMixed();
    await purge(ledgerOn(), purgeAt, slice);
    expect(await countRows()).toEqual(IN_USE);
    await purge(ledgerOn(), purgeAt, slice);
    expect(await countRows()).toEqual(IN_USE);
  });

  it.each(isLong ? [1, 2, 5] : [5])(
    "of %i keys continues after a failure at any call of its walk and completes",
    async (slice) => {
      await freshMixed();
      const before = await wholeTotals();
      const stored = await env.DB.prepare("PRAGMA table_info(ledger_entries)").all<{ name: string }>();
      const columns = stored.results.map(({ name }) => name).join(", ");
      await inLedger(`CREATE TABLE kept_entries AS SELECT ${columns} FROM ledger_entries`);
      let isDone = false;
      for (let broken = 0; !isDone; broken += broken === 0 ? 1 : STEP) {
        await inLedger(
          "DELETE FROM ledger_entries",
          "DELETE FROM daily_totals",
          `INSERT INTO ledger_entries (${columns}) SELECT * FROM kept_entries`,
        );
        // The walk through the ledger comes after the calls for everything else, of which one fails first.
        let others = Number.POSITIVE_INFINITY;
        const { database, calls } = failingDatabase((call) => call === (broken === 0 ? 1 : others + broken));
        const left = () => {
          others = calls();
          return 500;
        };
        const failed = await purge(ledgerOn(database), purgeAt, slice, left).then(
          () => false,
          () => true,
        );
        isDone = calls() - others < broken;
        expect([broken, failed]).toEqual([broken, !isDone]);
        // The next hourly runs: the first completes the interrupted pass, the second makes a full pass.
        await purge(ledgerOn(), purgeAt);
        await purge(ledgerOn(), purgeAt);
        expect({ broken, ...(await countRows()) }).toEqual({ broken, ...IN_USE });
        expect(await wholeTotals()).toEqual(before);
      }
    },
  );

  it("throws the error of each call before its walk, and walks all the same", async () => {
    await freshMixed();
    const unbroken = failingDatabase(() => false);
    let others = 0;
    await purge(ledgerOn(unbroken.database), NOW, 5_000, () => {
      others = unbroken.calls();
      return 500;
    });
    expect(others).toBeGreaterThan(10);
    for (let broken = 1; broken <= others; broken += STEP) {
      const { database } = failingDatabase((call) => call === broken);
      await expect(purge(ledgerOn(database), purgeAt)).rejects.toThrow();
    }
    expect(await countRows()).toEqual(IN_USE);
  });

  it("of 2 keys completes in several hourly runs of two slices each", async () => {
    await freshMixed();
    for (let hour = 0; hour < 4; hour++)
      await purge(ledgerOn(), purgeAt, 2, () => 2 * databasesOf(ledgerOn()).length);
    expect(await countRows()).toEqual(IN_USE);
  });

  it("can run several times concurrently", async () => {
    await freshMixed();
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

  it.runIf(isWhole)("can run while costs and clicks arrive", async () => {
    await freshMixed();
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
  await run(NOW + EXPIRED);
  expect(await costs()).toHaveLength(1);
  await run(NOW + EXPIRED + 1);
  expect(await costs()).toEqual([]);
});
