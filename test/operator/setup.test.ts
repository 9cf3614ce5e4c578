import { beforeEach, expect, it } from "vitest";
import { Browser, freshSession, type PageResponse } from "../account/support.ts";
import { call, DEMO, freshDemo, rows } from "../harness.ts";
import { hrefOf, textOf } from "../workspace/page-text.ts";

let operator: Browser;
beforeEach(async () => {
  operator = await freshSession(freshDemo, DEMO.operatorEmail, DEMO.operatorPassword);
});

const SETUP = "/operator/partners/6/setup";
const create = () => operator.post("/operator/partners/new", { display_name: "Delta" });
/** `Done` or `To do` of each step. */
const marks = ({ text }: PageResponse) =>
  [...text.matchAll(/<h2 id="step-\d">[^<]*<\/h2><span class="badge[^>]*>([^<]*)</g)].map(([, mark]) => mark);
const pasted = ({ text }: PageResponse) =>
  (/<textarea id="text"[^>]*>([^<]*)</.exec(text)?.[1] ?? "")
    .replaceAll("&quot;", '"')
    .replaceAll("&amp;", "&");
const secretOf = ({ text }: PageResponse) => /id="secret"[^>]*>([^<]+)</.exec(text)?.[1] ?? "";

it("leads from a name to a live credential, and marks what is done", async () => {
  const created = await create();
  expect(created.headers.get("location")).toBe(`${SETUP}?notice=partner-created`);
  expect(marks(await operator.get(SETUP))).toEqual(["Done", "To do", "To do", "To do"]);

  const preset = await operator.get(`${SETUP}?preset=calls`);
  expect(textOf(preset.text)).toContain("&creative={creative_name}&cost_id={click_id} Impression URL");
  await operator.post(SETUP, { click_parameters: "sub=[x]", cost_parameters: "cost_id=[y]" });
  const saved = await operator.get(SETUP);
  expect(textOf(saved.text)).toContain("/LINK_TOKEN?sub=[x]&cost_id=[y]");
  expect(marks(saved)).toEqual(["Done", "Done", "To do", "To do"]);

  const opened = await operator.post(`${SETUP}/round`, { app_token: DEMO.appToken, cost_types: "cpc" });
  const token = secretOf(opened);
  expect(token).toMatch(/^ll_test_/);
  expect(pasted(opened)).toContain(`Test credential: ${token}`);
  // What is shown once is first, with the focus.
  const [, focused = ""] = /<p role="status" tabindex="-1" autofocus>([^<]*)</.exec(opened.text) ?? [];
  expect(focused).toBe("Copy this now. You won&#39;t be able to see it again.");
  expect(opened.text.indexOf('id="secret"')).toBeLessThan(opened.text.indexOf('id="step-1"'));
  const [, url = "", id = ""] = /https?:\/\/[^/]+(\/\w{10}\?cost_id=([\w-]+))/.exec(pasted(opened)) ?? [];
  expect(marks(opened)).toEqual(["Done", "Done", "Done", "To do"]);
  // A later visit has no secret.
  const later = await operator.get(SETUP);
  expect([secretOf(later), pasted(later).includes("(your test credential)")]).toEqual(["", true]);

  expect((await call(`${url}&s2s=1`)).status).toBe(200);
  const [, values = ""] = /-d "([^"]+)"/.exec(pasted(opened)) ?? [];
  expect(new URLSearchParams(values).get("cost_id")).toBe(id);
  const sent = await call("/cost", { method: "POST", token, body: new URLSearchParams(values) });
  expect(sent.status).toBe(200);
  const tested = await operator.get(SETUP);
  expect(marks(tested)).toEqual(["Done", "Done", "Done", "Done"]);
  await operator.post(`${hrefOf(tested.text, "Review round 2")}/approve`, { cost_types: "cpc" });
  expect(marks(await operator.get(SETUP))).toEqual(["Done", "Done", "Done", "To do"]);

  const live = await operator.post(`${SETUP}/credential`, { mode: "live" });
  expect(secretOf(live)).toMatch(/^ll_live_/);
  expect(pasted(live)).toContain(`Live credential: ${secretOf(live)}`);
  expect(marks(live)).toEqual(["Done", "Done", "Done", "Done"]);
});

it("opens no round for an app that cannot have the link", async () => {
  await create();
  await rows("UPDATE apps SET archived_at = 1 WHERE token = ?", DEMO.appToken);
  await rows("UPDATE apps SET max_links = created_link_count WHERE token = ?", DEMO.otherAppToken);
  for (const app_token of [DEMO.appToken, DEMO.otherAppToken, "nosuchapp000"]) {
    const rejected = await operator.post(`${SETUP}/round`, { app_token, cost_types: "cpc" });
    expect([rejected.status, rejected.text.includes('<a href="#round-app_token">')]).toEqual([400, true]);
  }
  expect(await rows("SELECT id FROM rounds WHERE partner_id = 4")).toEqual([]);
});

it("creates only the link if a round is open", async () => {
  await rows("UPDATE links SET partner_id = NULL WHERE partner_id = 3");
  const { headers } = await operator.post("/operator/partners/3/setup/round", { app_token: DEMO.appToken });
  expect(headers.get("location")).toBe("/operator/partners/3/setup?notice=link-created#step-4");
  expect(await rows("SELECT count(*) AS n FROM rounds")).toEqual([{ n: 1 }]);
  expect(await rows("SELECT label FROM links WHERE partner_id = 3")).toEqual([
    { label: "Corsair Media test" },
  ]);
});

it("tells partners and people whom to ask", async () => {
  const env = { OPERATOR_CONTACT: "ops@example.com" };
  const page = await operator.get("/operator/partners/3/setup", { env });
  expect(pasted(page)).toContain("Questions: ops@example.com");
  expect((await new Browser().get("/login", { env })).text).toContain(
    'Contact your operator (<a href="mailto:ops@example.com">ops@example.com</a>).',
  );
  const https = { env: { OPERATOR_CONTACT: "https://help.example.com/" } };
  expect((await new Browser().get("/login", https)).text).toContain('(<a href="https://help.example.com/">');
  const text = { env: { OPERATOR_CONTACT: "room <12>" } };
  expect((await new Browser().get("/login", text)).text).toContain(
    "Contact your operator (room &lt;12&gt;).",
  );
  expect((await new Browser().get("/login")).text).toContain("Contact your operator.");
});

it("continues from the round: its test link, then one button to the live credential", async () => {
  await create();
  await operator.post(`${SETUP}/round`, { app_token: DEMO.appToken, cost_types: "cpc" });
  const round = hrefOf((await operator.get(SETUP)).text, "Round 2");
  const open = (await operator.get(round)).text;
  expect(textOf(open)).toMatch(/Link Delta test \w{10}/);
  expect(textOf((await operator.get(hrefOf(open, "Show what to send"))).text)).toContain(
    "Send this to Delta",
  );
  await rows("UPDATE links SET archived = 1 WHERE label = 'Delta test'");
  expect(hrefOf((await operator.get(round)).text, "Create a test link")).toBe(`${round}/link`);

  await rows("UPDATE rounds SET state = 'approved', approved_types = 1, ended_at = 1 WHERE id = 2");
  await rows("UPDATE partners SET supports_cost_data = 1, integrated_types = 1 WHERE id = 6");
  const approved = (await operator.get(round)).text;
  const [, action = ""] = /<form method="post" action="([^"]*)" id="live"/.exec(approved) ?? [];
  expect(action).toBe(`${SETUP}/credential`);
  expect(textOf(approved)).toContain("Its cost parameters have no cost_id");
  expect(secretOf(await operator.post(action, { mode: "live" }))).toMatch(/^ll_live_/);
  const after = (await operator.get(round)).text;
  expect(after).not.toContain('id="live"');
  expect(textOf(after)).toContain("Delta has a live credential");
});

it("names the link that the partner has already when a round is opened on its page, and else where to create one", async () => {
  const opened = async (partner: number) =>
    (await operator.post(`/operator/partners/${partner}/rounds`, { cost_types: "cpc" })).text;
  const beacon = await opened(2);
  expect(textOf(beacon)).toContain(
    "Send the partner the token of its test link together with this credential: Beacon demo1nk006",
  );
  expect(textOf((await operator.get(hrefOf(beacon, "Beacon"))).text)).toContain("Link token demo1nk006");
  await create();
  expect(hrefOf(await opened(6), "create a test link")).toBe("/operator/rounds/3/link");
});

it("has the form for a live credential open while there is none", async () => {
  const isOpen = async () =>
    (await operator.get("/operator/partners/1")).text.includes(
      "<details open>\n      <summary>Issue a credential",
    );
  expect(await isOpen()).toBe(false);
  await rows("UPDATE credentials SET revoked_at = 1 WHERE partner_id = 1");
  expect(await isOpen()).toBe(true);
});
