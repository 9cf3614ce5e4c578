/** GET …/performance/changes: why spend differs from that of the days before. */
import { beforeEach, describe, expect, it } from "vitest";
import { LINKS } from "../campaign/support.ts";
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
  sendCost,
} from "../harness.ts";
import { isWhole } from "../part.ts";
import { freshLedger } from "../support.ts";
import { CHANGES, type ChangesBody, readChanges, spend } from "./changes-support.ts";

/** The four days up to today, and the four before them. */
const DAYS = "from=2026-03-12&to=2026-03-15";
const token = DEMO.operatorToken;

beforeEach(freshLedger);

const eventsOf = async (query = DAYS, options = {}) => (await readChanges(query, options)).events;
const asOperator = async (path: string, json: object, now = NOW, method = "POST") => {
  const { status } = await ask(`/operator/v1${path}`, {
    ...{ token, json, now, method },
    headers: { "idempotency-key": crypto.randomUUID() },
  });
  expect(status).toBeLessThan(300);
};

describe("the change", () => {
  it("is one item with its parts, its types and what changed most, in the version 1 envelope", async () => {
    await spend("more-clicks", { days: 5, count: 4, amount: "2", link: "demo1nk003" });
    await spend("less-clicks", { days: 1, count: 2, amount: "3", link: "demo1nk003" });
    await spend("new-network", { days: 1, amount: "0.5" });
    await click("one-install-01");
    await sendCost({ cost_id: "one-install-01", cost_type: "cpi", cost_amount: "7" });
    const { body, headers } = await ask<ChangesBody>(`${CHANGES}?${DAYS}`, { token: DEMO.apiToken });
    const cpc = {
      ...{ spend: "6.5", previous_spend: "8", change: "-1.5", matched: 3, previous_matched: 4 },
      ...{ volume: "-2", price: "0.5" },
    };
    const cpi = {
      ...{ spend: "7", previous_spend: "0", change: "7", matched: 1, previous_matched: 0 },
      ...{ volume: "0", price: "0" },
    };
    expect(body.data).toEqual({
      api_version: "1",
      request_id: headers.get("x-request-id"),
      timestamp: new Date(NOW).toISOString(),
      ...{ from: "2026-03-12", to: "2026-03-15", previous_from: "2026-03-08", previous_to: "2026-03-11" },
      currency: "USD",
      final: false,
      items: [
        {
          ...{ spend: "13.5", previous_spend: "8", change: "5.5" },
          too_few_clicks: true,
          ...{ volume: "-2", price: "0.5", rest: "7", adjustments: "0" },
          cost_types: [
            { cost_type: "cpc", state: "continued", ...cpc },
            { cost_type: "cpi", state: "new", ...cpi },
          ],
          links: [
            {
              ...{ link_token: DEMO.linkToken, link_label: "Acme", link_name: "Acme" },
              ...{ spend: "7.5", previous_spend: "0", change: "7.5" },
            },
            {
              ...{ link_token: "demo1nk002", link_label: "Spring", link_name: "Acme::Spring" },
              ...{ spend: "6", previous_spend: "8", change: "-2" },
            },
          ],
          events: [],
          more_events: false,
        },
      ],
    });
  });

  it.runIf(isWhole)("is nothing without any cost", async () => {
    const { about, ...item } = await readChanges(DAYS);
    expect(about.currency).toBe(null);
    expect(item).toEqual({
      ...{ spend: "0", previous_spend: "0", change: "0", volume: "0", price: "0", rest: "0" },
      ...{
        adjustments: "0",
        too_few_clicks: false,
        cost_types: [],
        links: [],
        events: [],
        more_events: false,
      },
    });
  });

  it("covers the 7 days up to yesterday by default, and is final 7 days after the last one", async () => {
    expect((await readChanges("")).about).toMatchObject({
      from: "2026-03-08",
      to: "2026-03-14",
      final: false,
    });
    expect((await readChanges("from=2026-03-07&to=2026-03-07")).about.final).toBe(true);
  });

  it.runIf(isWhole).each([
    [19, 0, true],
    [20, 0, false],
    [0, 20, false],
    [19, 19, true],
  ])("%i clicks, and %i before: too few to say why is %s", async (now, before, few) => {
    await spend("clicks-with-cost", { days: 1 });
    await spend("clicks-before-it", { days: 5 });
    const add = (count: number, days: number) =>
      env.DB.prepare(
        `INSERT INTO daily_engagements VALUES (?, ?, 1, 1, 'click', ?3, 0)
         ON CONFLICT DO UPDATE SET count = count + excluded.count`,
      )
        .bind(DEMO.appToken, Math.floor(NOW / DAY) - days, Math.max(count - 1, 0))
        .run();
    await add(now, 0);
    await add(before, 5);
    expect((await readChanges(DAYS)).too_few_clicks).toBe(few);
    // Of a type, its clicks are those with a cost ID.
    expect((await readChanges(`${DAYS}&cost_type=cpc`)).too_few_clicks).toBe(true);
  });

  it.runIf(isWhole)("is of what is below the link of a filter, one level deeper", async () => {
    await spend("at-the-creative", { days: 1, link: "demo1nk004" });
    await spend("at-the-ad-group", { days: 1, link: "demo1nk003", amount: "3" });
    await spend("at-the-network", { days: 1, amount: "9" });
    const namesOf = async (query: string) =>
      (await readChanges(`${DAYS}${query}`)).links?.map(({ link_name, change }) => [link_name, change]);
    expect(await namesOf("")).toEqual([
      ["Acme", "9"],
      ["Acme::Spring", "4"],
    ]);
    expect(await namesOf(`&link=${DEMO.linkToken}`)).toEqual([
      ["Acme", "9"],
      ["Acme::Spring", "4"],
    ]);
    expect(await namesOf("&link=demo1nk002")).toEqual([["Acme::Spring::Runners", "4"]]);
    expect(await namesOf("&link=demo1nk003")).toEqual([
      ["Acme::Spring::Runners", "3"],
      ["Acme::Spring::Runners::Video 15s", "1"],
    ]);
    expect(await rejection(`${CHANGES}?link=demo1nk009`, { token: DEMO.apiToken })).toMatchObject({
      status: 404,
    });
  });

  it.runIf(isWhole)("takes no groups, order or pages", async () => {
    const query = "group_by=link&level=2&sort=spend&limit=5&cursor=x";
    const { status, params } = await rejection(`${CHANGES}?${query}`, { token: DEMO.apiToken });
    expect([status, params]).toEqual([400, ["group_by", "level", "sort", "limit", "cursor"]]);
  });
});

describe("events", () => {
  beforeEach(async () => {
    await spend("some-spend-now", { days: 1 });
    await spend("some-spend-then", { days: 5 });
  });

  it.runIf(isWhole)(
    "say that a partner was stopped and resumed and that its parameters changed, without values, also in the days before",
    async () => {
      await asOperator("/partners/1", { stopped: true }, NOW - 6 * DAY, "PATCH");
      await asOperator("/partners/1", { stopped: false }, NOW - 5 * DAY, "PATCH");
      await asOperator("/partners/1", { click_parameters: "secret={x}" }, NOW - 2 * DAY, "PATCH");
      await asOperator("/partners/1", { display_name: "Acme" }, NOW - DAY, "PATCH");
      await asOperator("/partners/2", { stopped: true }, NOW - DAY, "PATCH");
      const of = { partner_id: 1, partner_name: "Acme" };
      expect(await eventsOf()).toEqual([
        { type: "parameters_changed", day: "2026-03-13", ...of },
        { type: "partner_started", day: "2026-03-10", ...of },
        { type: "partner_stopped", day: "2026-03-09", ...of },
      ]);
      expect(await eventsOf("from=2026-03-14&to=2026-03-15")).toMatchObject([{ type: "parameters_changed" }]);
      expect(await eventsOf("from=2026-03-15&to=2026-03-15")).toEqual([]);
      // The figures have nothing of the other partner, but the question is about it.
      expect(await eventsOf(`${DAYS}&partner_id=2`)).toMatchObject([
        { type: "partner_stopped", partner_id: 2 },
      ]);
    },
  );

  it.runIf(isWhole)("say which cost types went live", async () => {
    const round = { partner_id: 1, cost_types: ["cpc", "cpi"], approved: ["cpi"], state: {}, entries: 2 };
    await env.DB.prepare(
      "INSERT INTO audit_log (happened_at, user_id, action, subject, detail) VALUES (?, 2, 'approve round', 'round 1', ?)",
    )
      .bind(NOW - DAY, JSON.stringify(round))
      .run();
    const live = { type: "types_live", day: "2026-03-14", partner_id: 1, partner_name: "Acme Ads" };
    expect(await eventsOf()).toEqual([{ ...live, cost_types: ["cpi"] }]);
    expect(await eventsOf(`${DAYS}&cost_type=cpi`)).toEqual([{ ...live, cost_types: ["cpi"] }]);
    expect(await eventsOf(`${DAYS}&cost_type=cpc`)).toEqual([]);
  });

  it.runIf(isWhole)(
    "say for which links cost data was switched: of a request together, of the link of a filter, below it and above it",
    async () => {
      const change = (link: string, cost_data_enabled: boolean | null, now = NOW) =>
        ask(`${LINKS}/${link}`, {
          ...{ token: DEMO.apiToken, method: "PATCH", json: { cost_data_enabled }, now },
        });
      expect((await change("demo1nk003", false)).status).toBe(200);
      const of = {
        type: "cost_data_switched",
        day: "2026-03-15",
        partner_id: 1,
        partner_name: "Acme Ads",
        count: 1,
      };
      const off = { ...of, link_token: "demo1nk003", link_label: "Runners", cost_data_enabled: false };
      expect(await eventsOf()).toEqual([off]);
      for (const link of [DEMO.linkToken, "demo1nk002", "demo1nk003", "demo1nk004"])
        expect(await eventsOf(`${DAYS}&link=${link}`)).toEqual([off]);
      expect(await eventsOf(`${DAYS}&link=demo1nk006`)).toEqual([]);
      await change("demo1nk003", null, NOW + 1);
      expect((await eventsOf()).map((event) => event.cost_data_enabled)).toEqual([null, false]);
      await env.DB.batch(
        ["demo1nk002", "demo1nk004"].map((link) =>
          env.DB.prepare(
            "INSERT INTO audit_log (happened_at, user_id, action, subject, detail, request_id) VALUES (?, 1, 'update link', ?, ?, 'bulk')",
          ).bind(NOW - DAY, `link ${link}`, JSON.stringify({ cost_data_enabled: { from: null, to: true } })),
        ),
      );
      expect((await eventsOf()).at(-1)).toMatchObject({
        day: "2026-03-14",
        cost_data_enabled: true,
        count: 2,
      });
    },
  );

  it("count rejected costs by code, with the days on which they were", async () => {
    for (const days of [2, 1]) {
      await click(`rejected-cost-${days}`, { now: NOW - days * DAY });
      const sent = { cost_id: `rejected-cost-${days}`, cost_amount: "1" };
      await sendCost(sent, { now: NOW - days * DAY });
      expect((await sendCost({ ...sent, cost_amount: "2" }, { now: NOW - days * DAY })).status).toBe(400);
    }
    const of = { partner_id: 1, partner_name: "Acme Ads" };
    expect(await eventsOf()).toEqual([
      {
        ...{ type: "costs_rejected", code: "cost_id_conflict", count: 2, ...of },
        ...{ first_day: "2026-03-13", day: "2026-03-14" },
      },
    ]);
    expect(await eventsOf("from=2026-03-15&to=2026-03-15")).toEqual([]);
  });

  it("count voids of partners and operators, and leave out those of pending costs", async () => {
    await spend("voided-costs", { days: 1, count: 2 });
    await sendCost({ cost_id: "a-pending-cost", cost_amount: "1" });
    for (const cost_id of ["voided-costs-000000", "a-pending-cost"])
      expect((await ask(`/cost/${cost_id}/void`, { method: "POST", token: DEMO.costToken })).status).toBe(
        200,
      );
    await asOperator("/partners/1/voids", { cost_id: "voided-costs-000001", reason: "secret" }, NOW - DAY);
    expect(await eventsOf()).toEqual([
      {
        ...{ type: "costs_voided", count: 2, partner_id: 1, partner_name: "Acme Ads" },
        ...{ first_day: "2026-03-14", day: "2026-03-15" },
      },
    ]);
    // With shards, one that was requested and not carried out.
    for (const outcome of ["requested", "not carried out"])
      await env.DB.prepare(
        "INSERT INTO audit_log (happened_at, user_id, action, subject, detail) VALUES (?, 2, 'void cost', 'partner 1', ?)",
      )
        .bind(NOW - 3 * DAY, JSON.stringify({ app_token: DEMO.appToken, outcome }))
        .run();
    expect(await eventsOf("from=2026-03-11&to=2026-03-12")).toEqual([]);
  });

  it.runIf(isWhole)("add up the adjustments of a day in the currency of the figures", async () => {
    const adjust = (amount: string, more: object = {}) =>
      asOperator("/adjustments", {
        ...{ app_token: DEMO.appToken, link_token: DEMO.linkToken, day: "2026-03-13", partner_id: 1 },
        ...{ cost_type: "cpc", currency: "USD", amount, reason: "secret", ...more },
      });
    await adjust("-2.5");
    await adjust("-0.00000001", { cost_type: "cpm" });
    await adjust("7", { currency: "EUR" });
    await adjust("5", { day: "2026-03-09" });
    const { events, rest, adjustments } = await readChanges(DAYS);
    expect(events).toEqual([
      {
        ...{ type: "spend_adjusted", day: "2026-03-13", partner_id: 1, partner_name: "Acme Ads" },
        ...{ amount: "-2.50000001", currency: "USD" },
      },
    ]);
    expect([rest, adjustments]).toEqual(["-7.50000001", "-7.50000001"]);
    // By country or platform there are none.
    for (const audience of ["country=XX", "platform=ios"])
      expect((await readChanges(`${DAYS}&partner_id=1&${audience}`)).events).toEqual([]);
  });

  it.runIf(isWhole)("have nothing that is only an absence", async () => {
    await freshLedger();
    await spend("many-before-this", { days: 5, count: 20 });
    expect(await readChanges(DAYS)).toMatchObject({ change: "-20", rest: "-20", events: [] });
  });

  it("say that coverage fell by 10 points, of 20 clicks with a cost ID or more in both periods", async () => {
    await freshLedger();
    await spend("covered-before", { days: 5, count: 20 });
    await spend("covered-now", { days: 1, count: 18 });
    await click("without-a-cost-01", { now: NOW - DAY });
    expect(await eventsOf()).toEqual([]);
    await click("without-a-cost-02", { now: NOW - DAY });
    expect(await eventsOf()).toEqual([
      {
        ...{ type: "coverage_fell", day: "2026-03-15", partner_id: 1, partner_name: "Acme Ads" },
        ...{ kind: "click", coverage: "0.9", previous_coverage: "1" },
      },
    ]);
  });

  it.runIf(isWhole)("are the newest 100, and the answer says whether there are more", async () => {
    const add = (count: number, time: number) =>
      env.DB.prepare(
        `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
         INSERT INTO audit_log (happened_at, user_id, action, subject, detail)
         SELECT ?2 + i * 60000, 2, 'update partner', 'partner 1', '{"click_parameters":{"from":"a","to":"b"}}' FROM n`,
      )
        .bind(count, time)
        .run();
    await add(100, NOW - 2 * DAY);
    expect(await readChanges(DAYS)).toMatchObject({ events: { length: 100 }, more_events: false });
    await add(1, NOW - 2 * DAY - 60_000);
    expect(await readChanges(DAYS)).toMatchObject({ events: { length: 100 }, more_events: true });
    expect((await readChanges("from=2026-03-15&to=2026-03-15")).more_events).toBe(false);
  });
});

describe("members of another app with the same partner", () => {
  it("see the partner's own events, and neither voids, adjustments, rejected costs nor links of other apps", async () => {
    const other = `/public/v1/apps/${DEMO.otherAppToken}`;
    await env.DB.batch([
      env.DB.prepare("UPDATE links SET partner_id = 1, cost_switch = 1 WHERE token = 'demo1nk009'"),
      env.DB.prepare(
        "INSERT INTO memberships (user_id, app_token) VALUES (2, ?) ON CONFLICT DO NOTHING",
      ).bind(DEMO.otherAppToken),
    ]);
    for (const link of [DEMO.linkToken, "demo1nk009"]) {
      await spend(`${link}-spend`, { days: 1, count: 2, link });
      const sent = { cost_id: `${link}-spend-000001`, cost_amount: "9" };
      expect((await sendCost(sent, { now: NOW - DAY })).status).toBe(400);
      await ask(`/cost/${link}-spend-000000/void`, { method: "POST", token: DEMO.costToken });
    }
    await asOperator("/adjustments", {
      ...{ app_token: DEMO.otherAppToken, link_token: "demo1nk009", day: "2026-03-14", partner_id: 1 },
      ...{ cost_type: "cpc", currency: "USD", amount: "-1", reason: "theirs" },
    });
    const switched = await ask(`${LINKS.replace(DEMO.appToken, DEMO.otherAppToken)}/demo1nk009`, {
      ...{ token, method: "PATCH", json: { cost_data_enabled: false } },
    });
    expect(switched.status).toBe(200);
    await asOperator("/partners/1", { stopped: true }, NOW, "PATCH");
    const own = await eventsOf();
    expect(own.map(({ type, count }) => [type, count])).toEqual([
      ["partner_stopped", undefined],
      ["costs_voided", 1],
      ["costs_rejected", 1],
    ]);
    const theirs = (await ask<ChangesBody>(`${other}/performance/changes?${DAYS}`, { token })).body.data
      .items[0];
    expect(theirs.events.map(({ type, count }) => [type, count])).toEqual([
      ["partner_stopped", undefined],
      ["cost_data_switched", 1],
      ["costs_voided", 1],
      ["costs_rejected", 1],
      ["spend_adjusted", undefined],
    ]);
    const { status } = await ask(`${other}/performance/changes?${DAYS}`, { token: DEMO.apiToken });
    expect(status).toBe(404);
  });
});

describe("the budget", () => {
  it("is one call without shards; with them one to each, one more for rejected costs, and one for the names of links", async () => {
    await spend("some-spend-now", { days: 1, count: 3 });
    // Fills the isolate's memory of partners.
    await readChanges(DAYS);
    const { database, counts } = countingDatabase();
    await readChanges(DAYS, { env: { DB: database } });
    const shards = ledgerOn().shards.length;
    expect([counts.calls, counts.written]).toEqual([shards > 0 ? 2 + 2 * shards : 1, 0]);
    // The access of each statement, the judgement and the sums of a few totals, and each partner's rejections.
    expect(counts.read).toBeLessThanOrEqual(80 * (1 + shards));
  });

  it("does not grow with what other apps voided, other links did, or happened before", async () => {
    await readChanges(DAYS);
    const measure = async () => {
      const { database, counts } = countingDatabase();
      await readChanges(DAYS, { env: { DB: database } });
      return counts.read;
    };
    const before = await measure();
    const fill = (action: string, subject: string, detail: string, time: number) =>
      env.DB.prepare(
        `WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 999)
         INSERT INTO audit_log (happened_at, user_id, action, subject, detail) SELECT ?, 2, ?, ?, ? FROM n`,
      ).bind(time, action, subject, detail);
    await env.DB.batch([
      fill("void cost", "partner 1", JSON.stringify({ app_token: DEMO.otherAppToken }), NOW - DAY),
      fill("update link", `link ${DEMO.linkToken}`, '{"name":{"from":"a","to":"b"}}', NOW - DAY),
      fill("void cost", "partner 1", JSON.stringify({ app_token: DEMO.appToken }), NOW - 30 * DAY),
      fill("update partner", "partner 1", "{}", NOW - 30 * DAY),
    ]);
    expect(await measure()).toBe(before);
  });
});
