/** Coverage and discrepancy: of live partners over seven days, and of rounds. */
import { beforeEach, describe, expect, it, test } from "vitest";
import { shardFor } from "../../src/db/ledger/shards.ts";
import { findRates } from "../../src/db/operator/rates.ts";
import { storeRates } from "../../src/db/operator/stored-rates.ts";
import { toRates } from "../../src/domain/figures/rates.ts";
import { Browser } from "../account/support.ts";
import {
  ask,
  type Call,
  click,
  countingDatabase,
  DAY,
  DEMO,
  freshState,
  ledgerOn,
  NOW,
  rejection,
  sendCost,
  view,
} from "../harness.ts";
import { isWhole } from "../part.ts";
import { freshLedger, inLedger, setSwitch } from "../support.ts";

const token = DEMO.operatorToken;
const PATH = "/operator/v1/partners/1/rates";
const FULL_URL = "&cost_type=cpc&cost_currency=USD&cost_amount=0.5";

interface Rates {
  cost_type: string;
  matched: number;
  recorded: number | null;
  coverage: number | null;
  expected: number | null;
  agreeing: number | null;
  discrepancy: number | null;
  within_threshold: boolean | null;
}
interface PartnerRates {
  partner_id: number;
  from: string;
  to: string;
  threshold: number;
  complete: boolean;
  types: Rates[];
}

async function read(options: Call = {}): Promise<PartnerRates> {
  const { status, body } = await ask<{ data: { items: PartnerRates[] } }>(PATH, { token, ...options });
  expect(status).toBe(200);
  return body.data.items[0] as PartnerRates;
}
const ratesOf = async (type: string) => (await read()).types.find(({ cost_type }) => cost_type === type);

let last = 0;
const newId = () => `rates-cost-${String(++last).padStart(5, "0")}`;
/** Records a click with its cost, or without one. */
async function clicked(cost?: Record<string, string>, options: { query?: string; now?: number } = {}) {
  const id = newId();
  await click(id, options);
  if (cost) await sendCost({ cost_id: id, ...cost }, options.now ? { now: options.now } : {});
  return id;
}

beforeEach(() =>
  freshState("rates", async () => {
    await freshLedger();
    await inLedger("DELETE FROM ledger_entries WHERE partner_id = 1");
  }),
);

describe("the rates of a partner", () => {
  it.runIf(isWhole)("are null without engagements, for each integrated type", async () => {
    const none = { matched: 0, recorded: 0, coverage: null, discrepancy: null, within_threshold: null };
    const unjudged = { ...none, expected: null, agreeing: null };
    const judged = { ...none, expected: 0, agreeing: 0 };
    expect(await read()).toEqual({
      partner_id: 1,
      from: "2026-03-09",
      to: "2026-03-15",
      threshold: 0.05,
      complete: true,
      days: [15, 14, 13, 12, 11, 10, 9].map((day) => ({
        day: `2026-03-${String(day).padStart(2, "0")}`,
        ...{ coverage: null, impression_coverage: null, cost_data_off: 0, no_cost: 0, voided: 0, lapsed: 0 },
        rejected: [],
      })),
      types: [
        { cost_type: "cpc", ...judged },
        { cost_type: "cpi", ...unjudged },
        { cost_type: "cpe", ...unjudged },
        { cost_type: "cpm", ...judged },
      ],
    });
    const other = await ask<{ data: { items: PartnerRates[] } }>("/operator/v1/partners/2/rates", { token });
    expect(other.body.data.items[0]?.types).toEqual([]);
    expect(await rejection("/operator/v1/partners/99/rates", { token })).toMatchObject({ status: 404 });
  });

  it("cover clicks for cpc, cpi and cpe, and impressions for cpm, with unpriced costs but no pending ones", async () => {
    await clicked({ cost_amount: "1" });
    await clicked({});
    await clicked({ cost_type: "cpi", cost_amount: "2" });
    await clicked();
    await sendCost({ cost_id: newId(), cost_amount: "3" });
    for (const priced of [true, false, false]) {
      const id = newId();
      await view(id);
      if (priced) await sendCost({ cost_id: id, cost_type: "cpm", cost_amount: "1" });
    }
    // Without an ID, an engagement is not recorded in the ledger.
    await click("");
    const { types } = await read();
    expect(
      types.map(({ cost_type, matched, recorded, coverage }) => [cost_type, matched, recorded, coverage]),
    ).toEqual([
      ["cpc", 2, 4, 0.5],
      ["cpi", 1, 4, 0.25],
      ["cpe", 0, 4, 0],
      ["cpm", 1, 3, 0.3333],
    ]);
  });

  it("agree if the matched cost has an amount and equals the values of the URL, or is the price on the URL", async () => {
    await clicked({ cost_amount: "0.5" });
    await clicked({ cost_amount: "0.5" }, { query: "&cost_type=cpc&cost_currency=USD" });
    await clicked({ cost_amount: "0.5" }, { query: FULL_URL });
    await clicked({}, { query: FULL_URL });
    await clicked(undefined, { query: FULL_URL });
    expect(await ratesOf("cpc")).toMatchObject({
      expected: 5,
      agreeing: 5,
      discrepancy: 0,
      within_threshold: null,
    });
  });

  it.runIf(isWhole).each<[string, () => Promise<unknown>]>([
    ["a missing cost", () => clicked()],
    ["a cost without an amount", () => clicked({})],
    ["another amount", () => clicked({ cost_amount: "0.4" }, { query: FULL_URL })],
    ["another currency", () => clicked({ cost_amount: "0.5", cost_currency: "EUR" }, { query: FULL_URL })],
    [
      "a void cost",
      async () => {
        const id = await clicked({ cost_amount: "0.5" });
        await ask(`/cost/${id}/void`, { method: "POST", token: DEMO.costToken });
      },
    ],
  ])("do not agree with %s", async (_, send) => {
    await send();
    await clicked({ cost_amount: "1" });
    expect(await ratesOf("cpc")).toMatchObject({
      expected: 2,
      agreeing: 1,
      discrepancy: 0.5,
      within_threshold: null,
    });
  });

  it("do not expect a cost where cost data was off, or where the URL or the cost has another type", async () => {
    await clicked({ cost_amount: "1" });
    await clicked({ cost_amount: "2", cost_type: "cpi" });
    await clicked(undefined, { query: "&cost_type=cpi" });
    await setSwitch(DEMO.linkToken, false);
    await clicked();
    expect(await ratesOf("cpc")).toMatchObject({ recorded: 4, expected: 1, agreeing: 1 });
  });

  it.runIf(isWhole)("cover today and the six days before it in UTC", async () => {
    const start = Date.UTC(2026, 2, 9);
    await clicked({ cost_amount: "1" }, { now: start });
    await clicked({ cost_amount: "1" }, { now: start - 1 });
    await clicked({ cost_amount: "1" });
    expect(await ratesOf("cpc")).toMatchObject({ matched: 2, recorded: 2, expected: 2, agreeing: 2 });
    expect((await read({ now: NOW + DAY })).types[0]).toMatchObject({ matched: 1, recorded: 1, expected: 1 });
  });

  it("are of all apps, and of one partner", async () => {
    await clicked({ cost_amount: "1" });
    await click(newId(), { link: "demo1nk006" });
    await inLedger(
      "INSERT INTO daily_engagements VALUES ('aaa', 20525, 1, 1, 'click', 2, 2), ('zzz', 20525, 1, 1, 'click', 1, 1), ('zzz', 20525, 1, 2, 'click', 7, 7)",
    );
    const databases = 1 + ledgerOn().shards.length;
    expect(await ratesOf("cpc")).toMatchObject({ matched: 1, recorded: 1 + 3 * databases });
  });

  it.runIf(isWhole)("are bounded: beyond the limits they are incomplete, without coverage", async () => {
    const ids: string[] = [];
    for (let index = 0; index < 12; index++) ids.push(await clicked({ cost_amount: "1" }));
    const ledger = ledgerOn();
    const cpcOf = async (limits: { maxTotals: number; maxIds: number }) => {
      const { complete, counts } = await findRates(ledger, 1, NOW, limits);
      return { complete, ...counts[0] };
    };
    const enough = { maxTotals: 1, maxIds: 12 };
    expect(await cpcOf(enough)).toMatchObject({
      complete: true,
      recorded: 12,
      discrepancy: { expected: 12 },
    });
    const few = await cpcOf({ ...enough, maxIds: 1 });
    expect(few).toMatchObject({ complete: false, recorded: 12 });
    // Each database reads one ID more than it may.
    const onEach = Map.groupBy(ids, (costId) => shardFor(ledger, { partnerId: 1, costId }));
    const found = [...onEach.values()].reduce((sum, { length }) => sum + Math.min(2, length), 0);
    expect(few.discrepancy?.expected).toBe(found);
    expect(few.discrepancy?.agreeing).toBe(few.discrepancy?.expected);
    expect(await cpcOf({ ...enough, maxTotals: 0 })).toMatchObject({ complete: false, recorded: null });
    // Writes the day of the token's last use, so that the next request does not.
    await read();
    const { database, counts } = countingDatabase();
    await read({ env: { DB: database } });
    // The operator, the partner, and each database.
    expect(counts.calls).toBe(3 + ledger.shards.length);
    expect(counts.read).toBeLessThanOrEqual(12 * 5 + 40 * (1 + ledger.shards.length));
  });
});

test.each([
  [0, 0, null, null],
  [20, 20, 0, true],
  [19, 19, 0, null],
  [19, 0, 1, null],
  [10_000, 9_501, 0.0499, true],
  [20, 19, 0.05, false],
  [3, 2, 0.3333, null],
])(
  "of %i expected and %i agreeing, the discrepancy is %s",
  (expected, agreeing, discrepancyRate, isWithinThreshold) => {
    const counts = { costType: "cpc" as const, matched: 0, recorded: 0, discrepancy: { expected, agreeing } };
    expect(toRates(counts)).toMatchObject({ discrepancyRate, isWithinThreshold, coverage: null });
  },
);

describe("the rates of a round", () => {
  it("are in its report, with the engagements that no cost names", async () => {
    const { body } = await ask<{ data: { items: { report: { types: { rates: Rates }[] } }[] } }>(
      "/operator/v1/rounds/1",
      { token },
    );
    const none = { expected: null, agreeing: null, discrepancy: null, within_threshold: null };
    expect(body.data.items[0]?.report.types.map(({ rates }) => rates)).toEqual([
      {
        cost_type: "cpc",
        matched: 3,
        recorded: 9,
        coverage: 0.3333,
        // Without the three clicks whose URL has cpi.
        expected: 6,
        agreeing: 3,
        discrepancy: 0.5,
        // Fewer than 20 say little.
        within_threshold: null,
      },
      { cost_type: "cpi", matched: 1, recorded: 9, coverage: 0.1111, ...none },
      { cost_type: "cpe", matched: 0, recorded: 9, coverage: 0, ...none },
      {
        cost_type: "cpm",
        matched: 1,
        recorded: 2,
        coverage: 0.5,
        expected: 2,
        agreeing: 1,
        discrepancy: 0.5,
        within_threshold: null,
      },
    ]);
  });

  it.runIf(isWhole)("are on its page, and those of a partner on its page", async () => {
    for (let index = 0; index < 9; index++) await clicked({ cost_amount: "1" });
    for (let index = 0; index < 10; index++) await clicked();
    const operator = new Browser();
    await operator.signIn(DEMO.operatorEmail, DEMO.operatorPassword);
    // Fewer than 20 clicks say little.
    const few = await operator.get("/operator/partners/1");
    expect(few.text).toContain('<span class="badge ">52.6%</span>');
    expect(few.text).toContain("With fewer than 20 expected, a discrepancy says little");
    await clicked({ cost_amount: "1" });
    const round = await operator.get("/operator/rounds/1");
    expect(round.text).toContain('aria-label="Coverage and discrepancy by cost type"');
    const partner = await operator.get("/operator/partners/1");
    expect(partner.text).toContain('aria-label="Discrepancy of the last 7 days"');
    expect(partner.text).toContain('<span class="badge warn">50.0%</span>');
    expect(partner.text).toContain("Last 7 days with today: ");
    // A reason that no day has is no column.
    const reasons = ["Cost data off", "No cost", "Voided", "Lapsed", "Rejected"];
    expect(reasons.filter((reason) => partner.text.includes(`data-label="${reason}"`))).toEqual(["No cost"]);
    expect((await operator.get("/operator/partners/2")).text).not.toContain('id="rates"');
  });

  it.runIf(isWhole)(
    "say what is next if cost data was off for all clicks, on the page of the partner and on the start page",
    async () => {
      const operator = new Browser();
      await operator.signIn(DEMO.operatorEmail, DEMO.operatorPassword);
      const off = "cost data is off on all links";
      let day = 0;
      const steps = async () => {
        day += DAY;
        await storeRates(ledgerOn(), NOW + day);
        const pages = ["/operator/partners/1", "/operator"].map((path) => operator.get(path));
        return (await Promise.all(pages)).map(({ text }) => text.includes(off));
      };
      expect(await steps()).toEqual([false, false]);
      await setSwitch(DEMO.linkToken, false);
      await clicked();
      expect(await steps()).toEqual([true, true]);
      await setSwitch(DEMO.linkToken, true);
      await clicked();
      expect(await steps()).toEqual([false, false]);
    },
  );
});
