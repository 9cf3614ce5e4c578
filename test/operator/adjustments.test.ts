/** Adjustments by operators: once for each key, audited, listed, and included in every report. */
import { beforeEach, describe, expect, it } from "vitest";
import { purge } from "../../src/purge.ts";
import { Browser } from "../account/support.ts";
import {
  ask,
  type Call,
  call,
  click,
  DAY,
  DEMO,
  ledgerOn,
  NOW,
  rejection,
  rows,
  sendCost,
} from "../harness.ts";
import { freshLedger } from "../support.ts";

const PATH = "/operator/v1/adjustments";
const token = DEMO.operatorToken;
const BODY = {
  app_token: DEMO.appToken,
  link_token: DEMO.linkToken,
  day: "2026-03-14",
  partner_id: 1,
  cost_type: "cpc",
  currency: "USD",
  amount: "-12.5",
  reason: "Credit note 4711",
};

interface Items<T = Record<string, unknown>> {
  data: { items: T[]; paging: { total: string; next: string | null }; request_id: string };
}

let lastKey = 0;
const adjust = (body: object = {}, more: Call = {}) =>
  ask<Items>(PATH, {
    token,
    json: { ...BODY, ...body },
    headers: { "idempotency-key": `adjust-${++lastKey}` },
    ...more,
  });
const spend = async (query: string) =>
  (
    await ask<Items>(`/public/v1/apps/${DEMO.appToken}/spend?from=2026-03-01&to=2026-03-31&${query}`, {
      token: DEMO.apiToken,
    })
  ).body.data.items;

beforeEach(freshLedger);

describe("an adjustment", () => {
  it("is created with its location, and the audit log has its values", async () => {
    const { status, headers, body } = await adjust();
    const item = {
      id: 1,
      ...BODY,
      created_by: { id: 2, email: DEMO.operatorEmail },
      created_at: new Date(NOW).toISOString(),
    };
    expect([status, headers.get("location"), body.data.items]).toEqual([201, `${PATH}/1`, [item]]);
    expect((await ask<Items>(`${PATH}/1`, { token })).body.data.items).toEqual([item]);
    const [entry] = await rows<{ subject: string; user_id: number; detail: string }>(
      "SELECT subject, user_id, detail FROM audit_log WHERE action = 'create adjustment'",
    );
    expect({ ...entry, detail: JSON.parse(entry?.detail ?? "") }).toEqual({
      subject: "adjustment 1",
      user_id: 2,
      detail: BODY,
    });
  });

  it("is added once for a key: the same request gets the first response with its own request ID", async () => {
    const headers = { "idempotency-key": "credit-note-4711" };
    const first = await adjust({}, { headers });
    const again = await adjust({}, { headers });
    const withoutId = ({ data: { request_id: _, ...data } }: Items) => data;
    expect([again.status, again.headers.get("location")]).toEqual([201, `${PATH}/1`]);
    expect(withoutId(again.body)).toEqual(withoutId(first.body));
    expect(again.body.data.request_id).not.toBe(first.body.data.request_id);
    expect(await rows("SELECT id FROM adjustments")).toEqual([{ id: 1 }]);
    const other = await rejection(PATH, { token, json: { ...BODY, amount: "-13" }, headers });
    expect([other.status, other.code]).toEqual([422, "idempotency_key_reused"]);
    // The key expires after a day.
    expect((await adjust({}, { headers, now: NOW + DAY })).body.data.items).toMatchObject([{ id: 2 }]);
  });

  it("is added once by concurrent requests with one key, and by each of those with others", async () => {
    const headers = { "idempotency-key": "racing-key" };
    const same = await Promise.all([1, 2, 3, 4, 5].map(() => adjust({}, { headers })));
    for (const { status } of same) expect(status).toBe(201);
    expect(await rows("SELECT id FROM adjustments")).toHaveLength(1);
    await Promise.all([1, 2, 3].map(() => adjust()));
    expect(await rows("SELECT id FROM adjustments")).toHaveLength(4);
    expect(await rows("SELECT 1 FROM audit_log WHERE action = 'create adjustment'")).toHaveLength(4);
  });

  it.each([
    [{ amount: "0" }, ["amount"]],
    [{ amount: "-0.00000000" }, ["amount"]],
    [{ amount: "1.000000001" }, ["amount"]],
    [{ amount: "1000000000.00000001" }, ["amount"]],
    [{ amount: "-10000000000" }, ["amount"]],
    [{ amount: "+1" }, ["amount"]],
    [{ amount: "1e3" }, ["amount"]],
    [{ amount: -12.5 }, ["amount"]],
    [{ day: "2026-02-30", cost_type: "cpx", currency: "XXQ" }, ["cost_type", "currency", "day"]],
    [{ reason: " ", note: "x" }, ["note", "reason"]],
    [{ day: "2026-03-16" }, ["day"]],
    [{ app_token: "unknownapp01", partner_id: 99 }, ["app_token", "partner_id"]],
    [{ app_token: DEMO.otherAppToken }, ["link_token"]],
    [{ link_token: "unknown", partner_id: 99, day: "2027-01-01" }, ["day", "link_token", "partner_id"]],
  ])("is rejected with %j, with every reason", async (change, params) => {
    const json = { ...BODY, ...change };
    const rejected = await rejection(PATH, { token, json, headers: { "idempotency-key": "k" } });
    expect({ ...rejected, params: rejected.params.toSorted() }).toEqual({
      status: 400,
      code: "invalid_request",
      params,
    });
    expect(await rows("SELECT id FROM adjustments")).toEqual([]);
    expect(await rows("SELECT key FROM idempotency_keys")).toEqual([]);
  });

  it.each(["1000000000", "-1000000000", "0.00000001", "-0.00000001"])("can be %s", async (amount) => {
    expect((await adjust({ amount })).body.data.items).toMatchObject([{ amount }]);
    expect(await spend("group_by=day")).toEqual([
      { day: "2026-03-14", currency: "USD", spend: amount, adjusted: amount, matched: 0, unpriced: 0 },
    ]);
  });

  it("needs an Idempotency-Key", async () => {
    const { status, params } = await rejection(PATH, { token, json: BODY });
    expect([status, params]).toEqual([400, ["Idempotency-Key"]]);
  });

  it("can be of today in UTC", async () => {
    expect((await adjust({ day: "2026-03-15" })).status).toBe(201);
  });
});

it("lists adjustments in pages, also those of one app", async () => {
  await ask("/operator/v1/apps", { token, json: { name: "Third", default_url: "https://t.test/" } });
  const [link] = await rows<{ token: string }>(
    "SELECT token FROM links WHERE app_token = ?",
    DEMO.otherAppToken,
  );
  const other = { app_token: DEMO.otherAppToken, link_token: link?.token };
  for (const body of [{}, other, { amount: "3" }, other, {}]) expect((await adjust(body)).status).toBe(201);
  const list = async (query: string) =>
    (await ask<Items<{ id: number }>>(`${PATH}?${query}`, { token })).body.data;
  const first = await list("limit=2");
  expect([first.items.map(({ id }) => id), first.paging.total]).toEqual([[1, 2], "5"]);
  const { search } = new URL(first.paging.next ?? "");
  expect((await list(search.slice(1))).items.map(({ id }) => id)).toEqual([3, 4]);
  const ofApp = await list(`app_token=${DEMO.otherAppToken}`);
  expect([ofApp.items.map(({ id }) => id), ofApp.paging.total]).toEqual([[2, 4], "2"]);
  expect(await rejection(`${PATH}/99`, { token })).toMatchObject({ status: 404 });
});

describe("reports", () => {
  it("show adjustments separately and include them, next to costs and without any", async () => {
    await click("adjusted-cost-0001", { link: "demo1nk003" });
    await sendCost({ cost_id: "adjusted-cost-0001", cost_amount: "20" });
    await adjust({ day: "2026-03-15", link_token: "demo1nk003", amount: "-0.5" });
    await adjust({ day: "2026-03-15", amount: "-30" });
    await adjust({ currency: "EUR", partner_id: 2, cost_type: "cpm", amount: "0.00000001" });
    const sums = { matched: 0, unpriced: 0 };
    expect(await spend("group_by=day")).toEqual([
      { day: "2026-03-14", currency: "EUR", spend: "0.00000001", adjusted: "0.00000001", ...sums },
      { day: "2026-03-15", currency: "USD", spend: "-10.5", adjusted: "-30.5", ...sums, matched: 1 },
    ]);
    expect(await spend("group_by=link&currency=USD")).toMatchObject([
      { link_token: DEMO.linkToken, spend: "-30", adjusted: "-30", matched: 0 },
      {
        link_token: "demo1nk003",
        link_name: "Acme::Spring::Runners",
        spend: "19.5",
        adjusted: "-0.5",
        matched: 1,
      },
    ]);
    expect(await spend("group_by=link&level=1&currency=USD")).toMatchObject([
      { spend: "-10.5", adjusted: "-30.5" },
    ]);
    expect(await spend("group_by=link&link=demo1nk002&level=3")).toMatchObject([{ spend: "19.5" }]);
    expect(await spend("group_by=partner,cost_type&partner_id=2")).toMatchObject([
      { partner_name: "Beacon Network", cost_type: "cpm", adjusted: "0.00000001" },
    ]);
    expect(await spend("group_by=day&cost_type=cpi")).toEqual([]);
    await purge(ledgerOn(), NOW + 60 * DAY);
    expect(await spend("group_by=day")).toHaveLength(2);
  });

  it("stay exact over many large adjustments, which cancel to a row of 0", async () => {
    const repeat = () =>
      rows(
        `INSERT INTO adjustments SELECT NULL, app_token, day, link_id, partner_id, cost_type, currency, amount, reason, user_id, 0
         FROM (SELECT * FROM adjustments ORDER BY id DESC LIMIT 1), (SELECT 1 FROM json_each(?))`,
        JSON.stringify(Array(99).fill(0)),
      );
    await adjust({ amount: "999999999.99999999" });
    await repeat();
    expect(await spend("group_by=day")).toMatchObject([
      { adjusted: "99999999999.999999", spend: "99999999999.999999" },
    ]);
    await adjust({ amount: "-999999999.99999999" });
    await repeat();
    expect(await spend("group_by=day")).toMatchObject([{ adjusted: "0", spend: "0" }]);
  });

  it("have the column in CSV", async () => {
    await adjust();
    const response = await call(
      `/public/v1/apps/${DEMO.appToken}/spend?from=2026-03-14&to=2026-03-14&group_by=link`,
      { token: DEMO.apiToken, headers: { accept: "text/csv" } },
    );
    expect(await response.text()).toBe(
      `link_token,link_label,link_name,currency,spend,adjusted,matched,unpriced\r\n${DEMO.linkToken},Acme,Acme,USD,-12.5,-12.5,0,0\r\n`,
    );
  });

  it("of other apps do not change, and the overview shows an app with only adjustments", async () => {
    await adjust();
    const member = new Browser();
    await member.signIn();
    const { text } = await member.get(`/apps/${DEMO.appToken}`);
    expect(text).toContain("−$12.50");
    expect(text).not.toContain("NaN");
  });
});

describe("the console", () => {
  const FORM = { ...BODY, partner_id: "1", idempotency_key: "form-key-1" };
  const path = "/operator/adjustments";

  it("offers archived apps, marked, in the form and in the filter", async () => {
    await rows("UPDATE apps SET archived_at = 1 WHERE token = ?", DEMO.appToken);
    const operator = new Browser();
    await operator.signIn(DEMO.operatorEmail, DEMO.operatorPassword);
    const option = new RegExp(`<option value="${DEMO.appToken}"[^>]*>Demo App, archived`);
    expect((await operator.get(`${path}/new`)).text).toMatch(option);
    for (const idempotency_key of ["first", "second"])
      expect((await operator.post(`${path}/new`, { ...FORM, idempotency_key })).status).toBe(303);
    expect((await operator.get(path)).text).toMatch(option);
  });

  it("offers the links of the app that was chosen, and currencies", async () => {
    const operator = new Browser();
    await operator.signIn(DEMO.operatorEmail, DEMO.operatorPassword);
    const choice = (await operator.get(`${path}/new?partner_id=1`)).text;
    expect(choice).toContain("Choose app");
    expect(choice).toContain('name="partner_id" value="1"');
    expect(choice).not.toContain("Add adjustment");
    expect((await operator.get(`${path}/new?partner_id=1&app_token=nosuchapp001`)).text).toBe(choice);
    const shown = (await operator.get(`${path}/new?app_token=${DEMO.appToken}&partner_id=1`)).text;
    expect(shown).toContain('<option value="demo1nk002" >Acme › Spring (demo1nk002)</option>');
    expect(shown).not.toContain("demo1nk009");
    expect(shown).toMatch(/<select id="currency"[^>]* required/);
    expect(shown).toMatch(/<option value="1"\s+selected>/);
    const other = (await operator.get(`${path}/new?app_token=${DEMO.appToken}&link_token=older0link`)).text;
    expect(other).toContain('value="older0link"');
  });

  it("finds a link by words of its path in an app with more links than are offered", async () => {
    await rows(
      `INSERT INTO links (token, app_token, parent_id, level, label, created_at)
       WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)
       SELECT 'many' || i, ?, (SELECT id FROM links WHERE token = 'demo1nk002'), 3, 'Many ' || i, 0 FROM n`,
      DEMO.appToken,
    );
    const operator = new Browser();
    await operator.signIn(DEMO.operatorEmail, DEMO.operatorPassword);
    const at = (find: string) =>
      `${path}/new?${new URLSearchParams({ app_token: DEMO.appToken, ...(find && { find }) })}`;
    const optionsOf = (page: string) =>
      [...page.matchAll(/<option value="([^"]+)" >[^<]* \(\1\)/g)].map(([, token]) => token);
    const first = (await operator.get(at(""))).text;
    expect(first).toContain("The app has more links than the newest 200, which are offered below.");
    expect(first).toContain('<option value="many200">Acme › Spring › Many 200</option>');
    const found = (await operator.get(at("spring › MANY 17"))).text;
    expect(found).toContain("12 links found.");
    expect(optionsOf(found)).toHaveLength(12);
    expect(optionsOf((await operator.get(at("newsletter"))).text)).toEqual(["demo1nk008"]);
    expect((await operator.get(at("nowhere"))).text).toContain("No link has all of these words.");
    const rejected = await operator.post(`${path}/new`, {
      ...FORM,
      link_token: "many17",
      amount: "0",
      find: "many 17",
    });
    expect(rejected.text).toMatch(/<option value="many17" selected>/);
  });

  it("adds an adjustment once, lists it, and keeps the input of a rejected form", async () => {
    const operator = new Browser();
    await operator.signIn(DEMO.operatorEmail, DEMO.operatorPassword);
    const rejected = await operator.post(`${path}/new`, { ...FORM, amount: "0", cost_type: "cpm" });
    expect(rejected.status).toBe(400);
    for (const kept of [BODY.reason, BODY.day, DEMO.linkToken, "form-key-1"]) {
      expect(rejected.text).toContain(`value="${kept}"`);
    }
    expect(rejected.text).toMatch(/<option value="cpm"\s+selected>/);
    const empty = await operator.post(`${path}/new`, {
      ...{ ...FORM, link_token: "", currency: "", day: "", amount: "", reason: "" },
    });
    const summary = /<div class="notice error"[\s\S]*?<\/div>/.exec(empty.text)?.[0] ?? "";
    expect([...summary.matchAll(/<a href="#([^"]*)">([^<]*)/g)].map(([, id, text]) => [id, text])).toEqual([
      ["link_token", "Choose a link."],
      ["day", "Day must be a calendar date, for example 2026-03-14."],
      ["currency", "Choose a currency."],
      ["amount", "Amount must be a plain decimal with at most 8 decimal places, for example -12.5."],
      ["reason", "Reason must not be empty."],
    ]);
    for (let times = 0; times < 2; times++) {
      const { status, headers } = await operator.post(`${path}/new`, FORM);
      expect([status, headers.get("location")]).toEqual([303, `${path}?notice=adjustment-created`]);
    }
    const listed = await operator.get(path);
    expect(listed.text.match(/>Credit note 4711</g)).toHaveLength(1);
    expect(listed.text).toContain("−$12.50");
    const reused = await operator.post(`${path}/new`, { ...FORM, amount: "-1" });
    expect(reused.status).toBe(422);
    // The page has a new key, so that sending it again adds the other adjustment.
    expect(reused.text).not.toContain('value="form-key-1"');
    expect(await rows("SELECT id FROM adjustments")).toEqual([{ id: 1 }]);
  });
});
