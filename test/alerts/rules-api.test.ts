/** The rules and alerts of the operator API, and their pages. */
import { beforeEach, describe, expect, it } from "vitest";
import { MAX_RULES } from "../../src/db/alerts/rules.ts";
import { ask, call, DEMO, env, freshDemo, freshState, type ProblemBody, rejection } from "../harness.ts";
import { SESSIONS, startSessions } from "../security/support.ts";

const PATH = "/operator/v1/alert-rules";
const token = DEMO.operatorToken;
type Items = { data: { items: Record<string, unknown>[] } };

beforeEach(() =>
  freshState("sessions", async () => {
    await freshDemo();
    await startSessions();
  }),
);

const errorsOf = async (json: object, path = PATH, method = "POST") => {
  const { status, body } = await ask<ProblemBody>(path, { json, method, token });
  expect(status).toBe(400);
  return body.errors?.map(({ param, message }) => `${param} ${message}`);
};

it("has rules for operators at first, which can be changed and deleted", async () => {
  const { body } = await ask<Items>(PATH, { token });
  expect(body.data.items.map(({ kind, app_token }) => [kind, app_token])).toEqual(
    [
      "partner_silent",
      "costs_rejected",
      "discrepancy",
      "purge_late",
      "database_large",
      "url_prices_limited",
      "sub_links_full",
    ].map((kind) => [kind, null]),
  );
  expect(body.data.items[1]).toEqual({
    id: 2,
    app_token: null,
    kind: "costs_rejected",
    count: 10,
    percent: 5,
  });
  const changed = await ask<Items>(`${PATH}/2`, { method: "PATCH", json: { percent: 7 }, token });
  expect(changed.body.data.items).toEqual([
    { id: 2, app_token: null, kind: "costs_rejected", count: 10, percent: 7 },
  ]);
  const deleted = await ask<Items>(`${PATH}/2`, { method: "DELETE", token });
  expect(deleted.body.data.items).toEqual(changed.body.data.items);
  expect((await ask(`${PATH}/2`, { token })).status).toBe(404);
  const log = await env.DB.prepare(
    "SELECT action, detail FROM audit_log WHERE subject = 'rule 2' ORDER BY id",
  ).all();
  expect(log.results.map(({ action, detail }) => [action, JSON.parse(String(detail))])).toEqual([
    ["update alert rule", { kind: "costs_rejected", app_token: null, percent: { from: 5, to: 7 } }],
    ["delete alert rule", { kind: "costs_rejected", app_token: null, count: 10, percent: 7 }],
  ]);
});

it("says which setting of which rule is wrong, all at the same time", async () => {
  expect(await errorsOf({ kind: "partner_silent", percent: 5 })).toEqual([
    "hours is required for a rule of partner_silent",
    "percent is not a setting of partner_silent",
  ]);
  expect(await errorsOf({ kind: "partner_silent", hours: 1 })).toEqual([
    "hours must be from 2 to 336 for partner_silent",
  ]);
  expect(await errorsOf({ kind: "purge_late", hours: 3, app_token: DEMO.appToken })).toEqual([
    "kind must be one of partner_silent, costs_rejected, spend_above, discrepancy for an app",
  ]);
  expect(
    await errorsOf({
      kind: "spend_above",
      app_token: "nosuchapp000",
      partner_id: 99,
      link_token: "x",
      of_app_token: "nosuchapp000",
    }),
  ).toEqual([
    "amount is required for a rule of spend_above",
    "currency is required for a rule of spend_above",
    "period is required for a rule of spend_above",
    "of_app_token is not a setting of spend_above in an app",
    "app_token must be the token of an existing app",
    "of_app_token must be the token of an existing app",
    "partner_id must be the ID of an existing partner",
    "link_token must be the token of a link of the app",
  ]);
  const spend = { kind: "spend_above", amount: "1", currency: "usd", period: "day" };
  expect(await errorsOf({ ...spend, app_token: DEMO.otherAppToken, link_token: DEMO.linkToken })).toEqual([
    "link_token must be the token of a link of the app",
  ]);
  expect(await errorsOf({ hours: 500 }, `${PATH}/1`, "PATCH")).toEqual([
    "hours must be from 2 to 336 for partner_silent",
  ]);
  expect(await errorsOf({}, `${PATH}/1`, "PATCH")).toHaveLength(1);
});

it(`allows ${MAX_RULES} rules for an app`, async () => {
  const one = { kind: "partner_silent", hours: 5, app_token: DEMO.appToken };
  // The app has one.
  await env.DB.prepare(
    `WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < ${MAX_RULES - 1})
     INSERT INTO alert_rules (app_token, kind, settings) SELECT ?, 'partner_silent', '{"hours":5}' FROM n`,
  )
    .bind(DEMO.appToken)
    .run();
  expect((await ask(PATH, { json: one, token })).status).toBe(201);
  expect(await rejection(PATH, { json: one, token })).toMatchObject({ code: "limit_reached" });
  expect((await ask(PATH, { json: { ...one, app_token: DEMO.otherAppToken }, token })).status).toBe(201);
});

it("lists the alerts of operators and of each app, the newest first", async () => {
  await env.DB.batch(
    [
      [1, 1, null, null],
      [2, 1, null, 5],
      [3, 101, DEMO.appToken, null],
    ].map(([id, rule, app, closed]) =>
      env.DB.prepare(
        `INSERT INTO alerts (id, rule_id, app_token, kind, subject, data, opened_at, closed_at)
         VALUES (?, ?, ?, 'partner_silent', 'partner ' || ?1, '{"partner_id":1,"partner":"Acme Ads","last_cost_at":null,"waiting_since":"2026-03-01T00:00:00.000Z"}', 1, ?)`,
      ).bind(id, rule, app, closed),
    ),
  );
  const ids = async (query: string) =>
    (await ask<Items>(`/operator/v1/alerts${query}`, { token })).body.data.items.map(({ id }) => id);
  expect(await ids("")).toEqual([2, 1]);
  expect(await ids("?limit=1")).toEqual([2]);
  expect(await ids(`?app_token=${DEMO.appToken}`)).toEqual([3]);
  expect(await ids(`?app_token=${DEMO.otherAppToken}`)).toEqual([]);
  const page = await (await call("/operator", { headers: { cookie: SESSIONS.operator } })).text();
  expect(page).toContain("No cost from Acme Ads after 1 Mar 2026, 00:00 UTC");
  const overview = await (
    await call(`/apps/${DEMO.appToken}`, { headers: { cookie: SESSIONS.member } })
  ).text();
  expect(overview).toContain("Open alerts (1)");
});

describe.each([
  ["/operator/alerts", SESSIONS.operator, null],
  [`/apps/${DEMO.appToken}/alerts`, SESSIONS.member, DEMO.appToken],
] as const)("the page %s", (path, cookie, app) => {
  const open = (below = "") => call(path + below, { headers: { cookie } });
  const send = (below: string, fields: Record<string, string>) =>
    call(path + below, {
      method: "POST",
      headers: { cookie, "content-type": "application/x-www-form-urlencoded", accept: "text/html" },
      body: new URLSearchParams(fields).toString(),
    });
  const newest = () =>
    env.DB.prepare("SELECT id, app_token, kind, settings FROM alert_rules ORDER BY id DESC LIMIT 1").first();

  it("creates, changes and deletes a rule", async () => {
    expect(await (await open("/new")).text()).toContain("Spend above a limit");
    const sent = {
      kind: "spend_above",
      amount: "99.50",
      currency: "eur",
      period: "month",
      partner_id: "",
      link_token: "",
    };
    const created = await send("/new", sent);
    expect([created.status, created.headers.get("location")?.split("?")[0]]).toEqual([303, path]);
    const rule = await newest();
    expect(rule).toMatchObject({
      app_token: app,
      settings: '{"amount":9950000,"currency":"EUR","period":"month"}',
    });
    expect(await (await open()).text()).toContain("More than €99.50 in a month (UTC)");
    const { kind: _, ...changed } = { ...sent, amount: "1", partner_id: "1" };
    expect((await send(`/rules/${rule?.id}`, changed)).status).toBe(303);
    expect((await newest())?.settings).toBe(
      '{"amount":100000,"currency":"EUR","period":"month","partner_id":1}',
    );
    expect(await (await open(`/rules/${rule?.id}`)).text()).toContain('value="1"');
    expect((await send(`/rules/${rule?.id}`, { action: "delete" })).status).toBe(303);
    expect((await newest())?.id).not.toBe(rule?.id);
  });

  it("shows a rejected form again with what was entered and every error", async () => {
    const response = await send("/new", {
      kind: "costs_rejected",
      count: "x",
      percent: "101",
      partner_id: "",
    });
    expect(response.status).toBe(400);
    const text = await response.text();
    expect(text).toContain("must be a whole number");
    expect(text).toContain('value="101"');
    const late = await send("/new", { kind: "costs_rejected", count: "1", percent: "101", partner_id: "" });
    expect(await late.text()).toContain("must be from 0 to 100");
    expect((await send("/new", { kind: "none" })).status).toBe(400);
  });

  it("says that nothing is checked without a rule", async () => {
    expect(await (await open()).text()).not.toContain("There are no rules");
    await env.DB.prepare("DELETE FROM alert_rules").run();
    const text = await (await open()).text();
    expect(text).toContain("There are no rules, so nothing is checked.");
    expect(text).toContain(`<a href="${path}/new?kind=partner_silent">`);
    expect(text).not.toContain("No alert is open");
  });

  it("has no rule of somebody else", async () => {
    expect((await open(`/rules/${app === null ? 101 : 1}`)).status).toBe(404);
    expect((await send(`/rules/${app === null ? 101 : 102}`, { action: "delete" })).status).toBe(404);
  });
});
