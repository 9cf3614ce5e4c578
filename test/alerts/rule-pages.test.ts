/** The page of alerts of an app, and the link of a rule, with more links than a list offers. */
import { beforeEach, expect, it } from "vitest";
import { judgeAlerts } from "../../src/alerts.ts";
import { type Browser, freshSession } from "../account/support.ts";
import { DEMO, freshDemo, ledgerOn, NOW, rows } from "../harness.ts";
import { hrefOf, mainOf, textOf } from "../workspace/page-text.ts";

const ALERTS = `/apps/${DEMO.appToken}/alerts`;
const FORM = { kind: "spend_above", amount: "5", currency: "USD", period: "day", partner_id: "" };
let member: Browser;

async function freshManyLinks() {
  await freshDemo();
  await rows(
    `INSERT INTO links (token, app_token, parent_id, level, label, created_at)
     WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)
     SELECT 'many' || i, ?, (SELECT id FROM links WHERE token = 'demo1nk002'), 3, 'Many ' || i, 0 FROM n`,
    DEMO.appToken,
  );
}
beforeEach(async () => {
  member = await freshSession(freshManyLinks);
});

const optionsOf = (page: string) =>
  [...page.matchAll(/<option value="(many\d+|demo1nk\d+)" (selected)?>/g)].map(([, token]) => token);

it("is found by words of its path for a new rule, and stays chosen if the rule is rejected", async () => {
  const first = await member.get(`${ALERTS}/new?kind=spend_above`);
  expect(textOf(first.text)).toContain("The app has more links than the newest 200");
  expect(first.text).toContain('<option value="many200">Acme › Spring › Many 200</option>');
  const found = await member.get(`${ALERTS}/new?kind=spend_above&find=spring+›+MANY+17`);
  expect(textOf(found.text)).toContain("12 links found.");
  expect(optionsOf(found.text)).toHaveLength(12);
  expect(mainOf(found.text)).toContain('<input type="hidden" name="kind" value="spend_above">');
  const old = await member.get(`${ALERTS}/new?kind=spend_above&find=newsletter`);
  expect(optionsOf(old.text)).toEqual(["demo1nk008"]);
  const rejected = await member.post(`${ALERTS}/new`, {
    ...{ ...FORM, amount: "x", link_token: "many17", find: "many 17" },
  });
  expect(rejected.status).toBe(400);
  expect(rejected.text).toMatch(/<option value="many17" selected>/);
});

it("of a rule that exists stays chosen while another one is looked for", async () => {
  const link_token = "many17";
  expect((await member.post(`${ALERTS}/new`, { ...FORM, link_token })).status).toBe(303);
  const [{ id } = { id: 0 }] = await rows<{ id: number }>("SELECT max(id) AS id FROM alert_rules");
  const { text } = await member.get(`${ALERTS}/rules/${id}?find=newsletter`);
  expect(textOf(text)).toContain("1 link found.");
  expect(optionsOf(text)).toEqual(["many17", "demo1nk008"]);
  expect(text).toMatch(/<option value="many17" selected>/);
  await member.post(`${ALERTS}/rules/${id}`, { ...FORM, link_token: "demo1nk008", find: "newsletter" });
  const [rule] = await rows<{ settings: string }>("SELECT settings FROM alert_rules WHERE id = ?", id);
  expect(JSON.parse(rule?.settings ?? "{}")).toMatchObject({ link_token: "demo1nk008" });
});

it("is not said to be without alerts before the first check, and not long after the last one", async () => {
  const shown = async () => textOf((await member.get(ALERTS)).text);
  expect(await shown()).toContain("There are no rules, so nothing is checked.");
  await member.post(`${ALERTS}/new`, { ...FORM, amount: "1000", link_token: "" });
  expect(await shown()).toContain("Not checked yet. The first check is within an hour.");
  await judgeAlerts(ledgerOn(), NOW, false);
  expect(await shown()).toContain("No alert is open. Checked in the hour from 15 Mar 2026, 12:00 UTC.");
  await rows("UPDATE cost_activity SET hour = hour - 3");
  expect(await shown()).toContain("No alert is open. Checked in the hour from 15 Mar 2026, 09:00 UTC.");
  await rows("UPDATE cost_activity SET hour = hour - 1");
  expect(await shown()).toContain("Not checked since 15 Mar 2026, 08:00 UTC.");
});

it("leads from an open alert to its partner", async () => {
  const data = JSON.stringify({ partner_id: 1, partner: "Acme Ads", cost_type: "cpc", discrepancy: "0.1" });
  await rows(
    "INSERT INTO alerts (rule_id, app_token, kind, subject, data, opened_at) VALUES (0, ?, 'discrepancy', 'x', ?, 1)",
    ...[DEMO.appToken, data],
  );
  expect(hrefOf((await member.get(ALERTS)).text, "Open partner Acme Ads")).toBe(
    `/apps/${DEMO.appToken}/partners/1`,
  );
});

it("is looked for as often as a user may ask for reports", async () => {
  member = await freshSession(freshDemo);
  const env = { REPORTS: { limit: async () => ({ success: false }) } };
  expect((await member.get(`${ALERTS}/new?kind=spend_above&find=a`, { env })).status).toBe(429);
  expect((await member.get(`${ALERTS}/new?kind=spend_above`, { env })).status).toBe(200);
});
