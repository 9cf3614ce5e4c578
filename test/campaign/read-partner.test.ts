/** GET …/apps/{app_token}/partners/{id}: the state of a partner, and why its clicks and impressions have no cost. */
import { beforeEach, describe, expect, it } from "vitest";
import { storeActivity } from "../../src/db/operator/partner-activity.ts";
import {
  ask,
  click,
  countingDatabase,
  DAY,
  DEMO,
  env,
  ledgerOn,
  NOW,
  rejection,
  rows,
  sendCost,
  view,
} from "../harness.ts";
import { freshEmptyLedger, setSwitch } from "../support.ts";

const HOUR = 3_600_000;
const PATH = `/public/v1/apps/${DEMO.appToken}/partners`;
const TODAY = "?from=2026-03-15&to=2026-03-15";

interface Status {
  id: number;
  state: string;
  since: string | null;
  cost_types: { cost_type: string; state: string; since: string | null }[];
  last_cost_at: string | null;
  silent_since: string | null;
  checked_at: string | null;
  spend: {
    currency: string;
    spend: string;
    cost_per_click: string | null;
    matched: number;
    unpriced: number;
  }[];
  clicks: number;
  impressions: number;
  coverage: string | null;
  discrepancies: object[];
  funnel: { step: string; count: number; losses: { reason: string; count: number }[] }[];
  rejections: object[];
}

async function read(query = TODAY, partner = 1, more: Parameters<typeof ask>[1] = {}): Promise<Status> {
  const { status, body } = await ask<{ data: { items: [Status] } }>(`${PATH}/${partner}${query}`, {
    token: DEMO.apiToken,
    ...more,
  });
  expect(status).toBe(200);
  return body.data.items[0];
}

/** `step: count`, and below it `reason: count`. */
const linesOf = ({ funnel }: Status) =>
  funnel.flatMap(({ step, count, losses }) => [
    `${step}: ${count}`,
    ...losses.map(({ reason, count }) => `- ${reason}: ${count}`).sort(),
  ]);

/** Every step has those of the one before without its losses. */
function expectToAddUp({ funnel }: Status): void {
  for (const [index, { count, losses }] of funnel.entries()) {
    const before = funnel[index - 1]?.count ?? count;
    expect(losses.reduce((sum, loss) => sum + loss.count, 0)).toBe(before - count);
  }
}

beforeEach(freshEmptyLedger);

describe("the state", () => {
  const set = (sql: string) => env.DB.prepare(sql).run();
  const approve = (types: number, approved: number | null, days: number) =>
    set(
      `INSERT INTO rounds (partner_id, cost_types, state, opened_at, ended_at, approved_types) VALUES (1, ${types}, 'approved', 0, ${NOW - days * DAY}, ${approved})`,
    );
  const at = (days: number) => new Date(NOW - days * DAY).toISOString();

  it("is live since the first round in which a type was approved, and null where no round is known", async () => {
    expect(await read()).toMatchObject({ id: 1, state: "live", since: null });
    await approve(1 + 2, 1, 9);
    await approve(2 + 4 + 8, null, 5);
    await approve(1, null, 2);
    const { since, cost_types } = await read();
    expect([since, cost_types.filter(({ state }) => state === "live")]).toEqual([
      at(9),
      [
        { cost_type: "cpc", state: "live", since: at(9) },
        { cost_type: "cpi", state: "live", since: at(5) },
        { cost_type: "cpe", state: "live", since: at(5) },
        { cost_type: "cpm", state: "live", since: at(5) },
      ],
    ]);
  });

  it("is stopped since the time of the stop, whatever is live", async () => {
    expect(await read(TODAY, 4)).toMatchObject({ state: "stopped", since: at(3) });
  });

  it("is in_round since the round was opened, and not_integrated without one", async () => {
    const [round] = await rows<{ opened_at: number }>("SELECT opened_at FROM rounds WHERE partner_id = 3");
    const since = new Date(Number(round?.opened_at)).toISOString();
    expect(await read(TODAY, 3)).toMatchObject({ state: "in_round", since });
    await set("UPDATE rounds SET state = 'closed'");
    expect(await read(TODAY, 3)).toMatchObject({ state: "not_integrated", since: null, cost_types: [] });
  });

  it("is silent from 24 hours without a cost on while clicks go on, by the hours in which the cron looked", async () => {
    expect(await read()).toMatchObject({ last_cost_at: null, silent_since: null, checked_at: null });
    await sendCost({ cost_id: "silence-cost-001", cost_amount: "1" });
    const found = async (hours: number) => {
      await click(`silence-click-${hours}`, { now: NOW + hours * HOUR });
      await storeActivity(ledgerOn(), NOW + hours * HOUR);
      const { last_cost_at, silent_since, checked_at } = await read("", 1, { now: NOW + 90 * DAY });
      return [last_cost_at, silent_since, checked_at];
    };
    const hour = (hours: number) => new Date(NOW + hours * HOUR).toISOString();
    expect(await found(0)).toEqual([hour(0), null, hour(0)]);
    expect(await found(23)).toEqual([hour(0), null, hour(23)]);
    expect(await found(24)).toEqual([hour(0), hour(0), hour(24)]);
    await set(`UPDATE partners SET stopped_at = ${NOW} WHERE id = 1`);
    expect(await found(25)).toEqual([hour(0), null, hour(25)]);
  });

  it("is not silent while nothing waits for a cost", async () => {
    await sendCost({ cost_id: "silence-cost-001", cost_amount: "1" });
    for (const hours of [0, 48]) await storeActivity(ledgerOn(), NOW + hours * HOUR);
    expect(await read()).toMatchObject({ last_cost_at: new Date(NOW).toISOString(), silent_since: null });
  });
});

describe("the funnel", () => {
  it("says of each click and impression without a cost why, and adds up at every step", async () => {
    await click("funnel-matched-1");
    await sendCost({ cost_id: "funnel-matched-1", cost_amount: "0.25" });
    // No ID, in five ways.
    await click("");
    await click("null");
    await click("{click_id}");
    await click("short");
    await click("funnel-matched-1", { now: NOW + 1 });
    // An ID without a cost that counts.
    await click("funnel-no-cost-1");
    await click("funnel-voided-01");
    await sendCost({ cost_id: "funnel-voided-01", cost_amount: "1" });
    await ask("/cost/funnel-voided-01/void", { method: "POST", token: DEMO.costToken });
    await setSwitch(DEMO.linkToken, false);
    await click("funnel-is-off-01");
    await setSwitch(DEMO.linkToken, true);
    await sendCost({ cost_id: "funnel-is-off-01", cost_amount: "1" });
    await click("funnel-two-0001");
    await view("funnel-two-0001");
    await sendCost({ cost_id: "funnel-two-0001", cost_amount: "1" });
    await click("funnel-other-001");
    await sendCost({ cost_id: "funnel-other-001", cost_type: "cpm", cost_amount: "1" });
    await click("funnel-unpriced1");
    await sendCost({ cost_id: "funnel-unpriced1" });
    // A click of a partner without any cost, and one of another day.
    await click("funnel-beacon-01", { link: "demo1nk006" });
    await click("funnel-before-01", { now: NOW - DAY });
    const status = await read();
    expect(linesOf(status)).toEqual([
      "recorded: 13",
      "with_cost_id: 8",
      "- invalid: 1",
      "- no_cost_id: 1",
      "- placeholder: 1",
      "- repeated_id: 1",
      "- unfilled_macro: 1",
      "matched: 3",
      "- cost_data_off: 1",
      "- does_not_fit: 1",
      "- no_cost: 1",
      "- other_engagement: 1",
      "- voided: 1",
      "priced: 2",
      "- no_amount: 1",
    ]);
    expectToAddUp(status);
    expect([status.clicks, status.impressions, status.coverage]).toEqual([12, 1, "0.4285"]);
    expect(status.spend).toEqual([
      { currency: "USD", spend: "1.25", cost_per_click: "0.625", matched: 2, unpriced: 1 },
    ]);
    expect(status.rejections).toEqual([{ code: "cost_data_disabled", count: 1 }]);
  });

  it("names a rejected cost while it and its ID are kept", async () => {
    await click("funnel-late-0001", { now: NOW - 8 * DAY });
    await sendCost({ cost_id: "funnel-late-0001", cost_amount: "1" });
    const day = "?from=2026-03-07&to=2026-03-07";
    expect(linesOf(await read(day))).toContain("- rejected: 1");
    const later = await read(day, 1, { now: NOW + 5 * DAY });
    expect(linesOf(later)).toContain("- rejected: 1");
    expect(linesOf(await read(day, 1, { now: NOW + 7 * DAY + 1 }))).toEqual([
      "recorded: 1",
      "with_cost_id: 1",
      "matched: 0",
      "- not_known: 1",
      "priced: 0",
    ]);
  });

  it("has those whose IDs are forgotten as not known", async () => {
    await click("funnel-old-00001", { now: NOW - 14 * DAY });
    await click("funnel-old-00002", { now: NOW - 14 * DAY - 1 });
    const status = await read("?from=2026-03-01&to=2026-03-01");
    expect(linesOf(status)).toEqual([
      "recorded: 2",
      "with_cost_id: 2",
      "matched: 0",
      "- no_cost: 1",
      "- not_known: 1",
      "priced: 0",
    ]);
  });

  it("gives a dropped ID to no partner if the link changed its partner on that day", async () => {
    const attach = (partner: number) =>
      env.DB.prepare("UPDATE links SET partner_id = ? WHERE token = ?").bind(partner, DEMO.linkToken).run();
    await click("short");
    await attach(5);
    await click("brief");
    await click("");
    for (const [partner, count] of [
      [1, 1],
      [5, 2],
    ] as const) {
      expect(linesOf(await read(TODAY, partner))).toEqual([
        `recorded: ${count}`,
        "with_cost_id: 0",
        `- partner_changed: ${count}`,
        "matched: 0",
        "priced: 0",
      ]);
    }
  });
});

describe("who may read it", () => {
  it("is a member of the app; the partner's clicks of other apps are not in it", async () => {
    await env.DB.prepare("UPDATE links SET partner_id = 1, cost_switch = 1 WHERE token = 'demo1nk009'").run();
    await click("other-app-00001", { link: "demo1nk009" });
    await click("other-app-short", { link: "demo1nk009", query: "&cost_id=x" });
    await click("own-app-0000001");
    expect(linesOf(await read())).toEqual([
      "recorded: 1",
      "with_cost_id: 1",
      "matched: 0",
      "- no_cost: 1",
      "priced: 0",
    ]);
    const other = `/public/v1/apps/${DEMO.otherAppToken}/partners/1${TODAY}`;
    expect(await rejection(other, { token: DEMO.apiToken })).toMatchObject({
      status: 404,
      code: "not_found",
    });
    const { body } = await ask<{ data: { items: [Status] } }>(other, { token: DEMO.operatorToken });
    expect(body.data.items[0]).toMatchObject({ clicks: 2, funnel: [{}, { count: 1 }, {}, {}] });
  });

  it("finds no unknown partner, and names invalid parameters", async () => {
    const token = DEMO.apiToken;
    expect(await rejection(`${PATH}/99`, { token })).toMatchObject({ status: 404, code: "not_found" });
    expect(await rejection(`${PATH}/x?from=y&group_by=day`, { token })).toMatchObject({
      status: 400,
      params: ["partner_id", "from", "group_by"],
    });
  });
});

it("asks each database once for the sums and once for the reasons, and reads each ID once", async () => {
  for (let index = 0; index < 20; index++) await click(`budget-click-${String(index).padStart(4, "0")}`);
  const { database, counts } = countingDatabase();
  await read(TODAY, 1, { env: { DB: database } });
  const shards = ledgerOn().shards.length;
  expect([counts.calls, counts.written]).toEqual([2 + 2 * shards, 0]);
  expect(counts.read).toBeLessThanOrEqual(120 + 60 * shards);
});
