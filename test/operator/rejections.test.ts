/** GET /operator/v1/partners/{id}/rejections: the rejected costs of a partner by day and code. */
import { beforeEach, describe, expect, it } from "vitest";
import { signedIn } from "../account/support.ts";
import {
  ask,
  click,
  countingDatabase,
  DAY,
  DEMO,
  freshState,
  NOW,
  rejection,
  sendCost,
  view,
} from "../harness.ts";
import { signedIn as partnerSignedIn } from "../partner/support.ts";
import { freshLedger, inLedger, setSwitch } from "../support.ts";
import { textOf } from "../workspace/page-text.ts";

const token = DEMO.operatorToken;
const PATH = "/operator/v1/partners/1/rejections";
const read = async (query = "", path = PATH) => {
  const { status, body } = await ask<{ data: { items: object[] } }>(`${path}${query}`, { token });
  expect(status).toBe(200);
  return body.data.items;
};

beforeEach(freshLedger);

describe("the rejections of a partner", () => {
  async function setUp() {
    await freshLedger();
    const late = (id: string, now: number) =>
      click(id, { now: now - 8 * DAY }).then(() => sendCost({ cost_id: id }, { now }));
    await late("rejected-late-1", NOW);
    await late("rejected-late-2", NOW);
    await late("rejected-late-3", NOW - DAY);
    await sendCost({ cost_id: "short" });
    await sendCost({ cost_id: "rejected-ago-01", cost_amount: "x" }, { now: NOW - 40 * DAY });
  }
  beforeEach(() => freshState("rejections", setUp));

  it("are counted by day of the last 30 days by default, and by the groups that are asked for", async () => {
    expect(await read()).toEqual([
      { day: "2026-03-14", count: 1 },
      { day: "2026-03-15", count: 3 },
    ]);
    expect(await read("?group_by=code")).toEqual([
      { code: "invalid_request", count: 1 },
      { code: "window_closed", count: 3 },
    ]);
    expect(await read("?group_by=code,day&from=2026-01-01")).toEqual([
      { day: "2026-02-03", code: "invalid_request", count: 1 },
      { day: "2026-03-14", code: "window_closed", count: 1 },
      { day: "2026-03-15", code: "invalid_request", count: 1 },
      { day: "2026-03-15", code: "window_closed", count: 2 },
    ]);
    expect(await read("?from=2026-03-15&to=2026-03-15")).toEqual([{ day: "2026-03-15", count: 3 }]);
    expect(await read("", "/operator/v1/partners/2/rejections")).toEqual([]);
  });

  it("of an app are those whose ID is that of one of its clicks", async () => {
    expect(await read(`?app_token=${DEMO.appToken}&group_by=code`)).toEqual([
      { code: "window_closed", count: 3 },
    ]);
    expect(await read(`?app_token=${DEMO.otherAppToken}`)).toEqual([]);
  });

  it("of an unknown partner are not found, and unknown parameters are named", async () => {
    expect(await rejection("/operator/v1/partners/99/rejections", { token })).toMatchObject({ status: 404 });
    expect(
      await rejection(`${PATH}?group_by=app&since=1&app_token=x&from=2026-03-15&to=2026-03-14`, { token }),
    ).toEqual({
      status: 400,
      code: "invalid_request",
      params: ["app_token", "group_by", "since", "to"],
    });
  });
});

describe("the counts are read", () => {
  const insert = (apps: number, days: number) =>
    inLedger(
      `WITH RECURSIVE a(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM a WHERE n < ${apps}), d(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM d WHERE n < ${days})
       INSERT INTO daily_rejections (partner_id, app_token, day, code, count)
       SELECT 1, 'app' || a.n, ${NOW / DAY - 0.5} - d.n, 'window_closed', 1 FROM a, d`,
    );

  it("with at most three rows for each that is counted, and six for each app", async () => {
    await insert(20, 300);
    const { database, counts } = countingDatabase();
    await ask(`${PATH}?from=2026-03-10`, { token, env: { DB: database } });
    expect(counts.read).toBeLessThanOrEqual(20 * 5 * 3 + 20 * 6 + 30);
  });

  it("up to 200,000 of them", async () => {
    await insert(1_000, 200);
    expect(await read("?group_by=code&from=2025-06-01")).toEqual([
      { code: "window_closed", count: expect.any(Number) },
    ]);
    await inLedger(
      `INSERT INTO daily_rejections (partner_id, app_token, day, code, count) VALUES (1, 'one more', ${NOW / DAY - 0.5}, 'window_closed', 1)`,
    );
    expect(await rejection(`${PATH}?from=2025-06-01`, { token })).toMatchObject({ code: "report_too_large" });
  });
});

/** What becomes of clicks and costs today and yesterday, with one of each reason. */
async function setEveryReason(): Promise<void> {
  await freshLedger();
  await inLedger("DELETE FROM ledger_entries");
  await click("reason-matched-1");
  await sendCost({ cost_id: "reason-matched-1" });
  await click("reason-no-cost-1");
  await click("reason-voided-01");
  await sendCost({ cost_id: "reason-voided-01", cost_amount: "1" });
  await ask("/cost/reason-voided-01/void", { method: "POST", token: DEMO.costToken });
  await setSwitch(DEMO.linkToken, false);
  await click("reason-is-off-01", { now: NOW - DAY });
  await setSwitch(DEMO.linkToken, true);
  await sendCost({ cost_id: "reason-is-off-01" });
  await view("reason-seen-0001", { now: NOW - DAY });
  await sendCost({ cost_id: "reason-seen-0001", cost_type: "cpm" });
  await sendCost({ cost_id: "reason-lapsed-01" }, { now: NOW - 7 * DAY - 1 });
  await sendCost({ cost_id: "reason-waits-01" }, { now: NOW - 7 * DAY });
}

describe("the coverage of each day", () => {
  beforeEach(() => freshState("every reason", setEveryReason));

  const [TODAY, YESTERDAY] = ["2026-03-15", "2026-03-14"];
  const none = { cost_data_off: 0, no_cost: 0, voided: 0, lapsed: 0, rejected: [] };

  it("is about all types of clicks together, and says why it is not complete", async () => {
    const { body } = await ask<{ data: { items: { days: { day: string }[] }[] } }>(
      "/operator/v1/partners/1/rates",
      { token },
    );
    const days = body.data.items[0]?.days ?? [];
    expect(days).toHaveLength(7);
    expect(days.slice(0, 2)).toEqual([
      {
        ...none,
        day: TODAY,
        coverage: 0.3333,
        impression_coverage: null,
        no_cost: 1,
        voided: 1,
        lapsed: 1,
        rejected: [{ code: "cost_data_disabled", count: 1 }],
      },
      { ...none, day: YESTERDAY, coverage: 0, impression_coverage: 1, cost_data_off: 1 },
    ]);
    for (const day of days.slice(2)) expect(day).toMatchObject({ ...none, coverage: null });
  });

  it("and the reasons of rejections are on the page of the partner, for operators and for the partner", async () => {
    const operator = await signedIn(DEMO.operatorEmail, DEMO.operatorPassword);
    const ofOperator = textOf((await operator.get("/operator/partners/1")).text);
    const ofPartner = (await (await partnerSignedIn()).get("/partner")).text;
    for (const text of [ofOperator, ofPartner]) {
      expect(text).toContain("15 Mar, so far 33.3% of 3 – 0 1 1 1 1 14 Mar 0.0% of 1 100.0% of 1 1 0 0 0 0");
      expect(text).toContain("Rejected costs 1 cost: Cost data was off for this click or impression");
    }
  });

  it("needs attention in the app of the click, and in no other app", async () => {
    await sendCost({ cost_id: "short" });
    const member = await signedIn();
    const page = textOf((await member.get(`/apps/${DEMO.appToken}?period=7d`)).text);
    expect(page).toContain(
      "1 cost of Acme Ads was rejected. Cost data was off for this click or impression: 1. Show its links",
    );
    expect(page).not.toContain("The request is invalid");
  });
});
