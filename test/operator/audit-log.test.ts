import { beforeEach, expect, test } from "vitest";
import { auditSubLinks } from "../../src/db/links/sub-links/audit.ts";
import { Browser, freshSession } from "../account/support.ts";
import { call, DAY, DEMO, env, freshDemo, NOW, rows, sendCost } from "../harness.ts";
import { PartnerBrowser } from "../partner/support.ts";
import { hrefOf, mainOf, textOf } from "../workspace/page-text.ts";

async function changeMuch(operator: Browser) {
  await operator.post("/operator/partners/1/costs", { stopped: "yes" });
  await operator.post("/operator/partners/2", { display_name: "Beacon", max_url_amount: "25" });
  await operator.post("/operator/rounds/1/dismissals", { finding: "entry 9", reason: "agreed" });
  await operator.post(`/operator/apps/${DEMO.otherAppToken}/members`, { email: DEMO.email });
}

let operator: Browser;
beforeEach(async () => {
  operator = await freshSession(freshDemo, DEMO.operatorEmail, DEMO.operatorPassword, changeMuch);
});

const sentences = async (path: string) =>
  [...(await operator.get(path)).text.matchAll(/<th scope="row"[^>]*>([\s\S]*?)<\/th>/g)].map(([, text]) =>
    (text ?? "")
      .replace(/<div class="change">.*?<\/div>|<[^>]*>/g, "")
      .replace(/\s+/g, " ")
      .trim(),
  );
const who = DEMO.operatorEmail;
const SENTENCES = [
  `${who} added ${DEMO.email} to Other App`,
  `${who} dismissed entry 9 in round 1 of Corsair Media: agreed`,
  `${who} changed the partner Beacon`,
  `${who} stopped Acme Ads`,
  `${who} signed in with Unknown browser`,
];

test("tells what happened in sentences with names and links, newest first", async () => {
  const found = await sentences("/operator/audit");
  expect(found.map((text) => text.replace(/to (?!Other)\S.* App$/, "to Other App"))).toEqual(SENTENCES);
  const { text } = await operator.get("/operator/audit");
  expect(hrefOf(mainOf(text), "Acme Ads")).toBe("/operator/partners/1");
  expect(hrefOf(text, "round 1 of Corsair Media")).toBe("/operator/rounds/1");
  expect(text).toContain("15 Mar 2026, 12:00:00 UTC");
});

test("shows old and new values", async () => {
  const { text } = await operator.get("/operator/audit?object=Beacon");
  expect(textOf(text)).toContain("Display name: Beacon Network → Beacon");
  // Below the sentence of the entry, and nothing where nothing changed.
  const [, body = ""] = /<tbody>([\s\S]*)<\/tbody>/.exec((await operator.get("/operator/audit")).text) ?? [];
  expect(body.match(/<tr>[\s\S]*?<\/tr>/g)?.map((row) => row.split('class="change"').length - 1)).toEqual([
    0, 0, 2, 1, 0,
  ]);
});

test.each([
  ["who=demo%40example.com", []],
  [`who=${encodeURIComponent(who)}&action=update%20partner`, [2, 3]],
  ["object=acme%20ads", [3]],
  ["object=partner%201", [3]],
  ["object=round%201", [1]],
  ["action=dismiss%20mismatch", [1]],
  ["action=sign%20in", [4]],
  ["from=2026-03-15&to=2026-03-15", [0, 1, 2, 3, 4]],
  ["to=2026-03-14", []],
  ["from=2026-03-16", []],
  ["object=nothing", []],
])("with %s lists the entries %j", async (query, expected) => {
  const found = await sentences(`/operator/audit?${query}`);
  const all = await sentences("/operator/audit");
  expect(found.map((text) => all.indexOf(text))).toEqual(expected);
});

test("shows an action that the code does not know, as after a rollback", async () => {
  await rows(
    "INSERT INTO audit_log (happened_at, user_id, action, subject, detail) VALUES (?, 1, 'do more', 'user 1', '{}')",
    NOW + DAY,
  );
  expect((await sentences("/operator/audit"))[0]).toMatch(`${DEMO.email} do more`);
});

test("finds an entry of the first millisecond of another day by its day", async () => {
  await rows(
    "INSERT INTO audit_log (happened_at, user_id, action, subject, detail) VALUES (?, 1, 'sign out', 'user 1', '{}')",
    Date.UTC(2026, 2, 16),
  );
  expect(await sentences("/operator/audit?from=2026-03-16&to=2026-03-16")).toEqual([
    `${DEMO.email} signed out`,
  ]);
  expect(await sentences("/operator/audit?to=2026-03-15")).toHaveLength(SENTENCES.length);
});

test("has a line for each action of a request", async () => {
  await operator.post("/operator/partners/new", { display_name: "Delta" });
  const setup = { app_token: DEMO.appToken, cost_types: "cpc" };
  expect((await operator.post("/operator/partners/6/setup/round", setup)).status).toBe(200);
  expect((await sentences("/operator/audit")).slice(0, 3)).toEqual([
    expect.stringMatching(new RegExp(`^${who} created the test link Delta test \\(\\w+\\)$`)),
    `${who} opened round 2 of Delta for cpc`,
    `${who} created the partner Delta`,
  ]);
});

test("has pages that keep the filters", async () => {
  await rows(
    "INSERT INTO audit_log (happened_at, user_id, action, subject, detail) SELECT ?, 1, 'sign out', 'user 1', '{}' FROM json_each(?)",
    NOW,
    JSON.stringify(Array.from({ length: 80 }, (_, index) => index)),
  );
  const first = await operator.get("/operator/audit?action=sign%20out");
  const [, next = ""] = /rel="next" href="([^"]+)"/.exec(first.text) ?? [];
  expect(next).toMatch(/^\/operator\/audit\?action=sign\+out&amp;before=\d+$/);
  const second = await operator.get(next.replace("&amp;", "&"));
  expect(await sentences(next.replace("&amp;", "&"))).toHaveLength(30);
  expect(second.text).toContain('rel="prev" href="/operator/audit?action=sign+out"');
});

test("downloads what is shown as CSV, only for operators", async () => {
  const { text, headers } = await operator.get("/operator/audit.csv?object=Beacon");
  expect(headers.get("content-disposition")).toContain('filename="audit-log-2026-03-15.csv"');
  const lines = text.trim().split("\r\n");
  expect(lines).toHaveLength(2);
  expect(lines[1]).toContain(`${who},changed the partner Beacon,Beacon,`);
  const member = new Browser();
  await member.signIn();
  expect((await member.get("/operator/audit.csv")).status).toBe(403);
  expect((await call("/operator/audit.csv")).status).toBe(303);
});

test("has no space before a colon in the CSV", async () => {
  const { text } = await operator.get("/operator/audit.csv?object=round%201");
  expect(text).toContain(",dismissed entry 9 in round 1 of Corsair Media: agreed,");
});

test("says that there are no older entries", async () => {
  const { text } = await operator.get("/operator/audit?before=1");
  expect(text).toContain("No older entries.");
});

test("names the kind of several dismissed mismatches in words", async () => {
  await operator.post("/operator/rounds/1/dismissals", { kind: "engagement_without_cost" });
  const [sentence] = await sentences("/operator/audit");
  expect(sentence).toMatch(
    /dismissed \d mismatches \(click or impression without a cost\) in round 1 of Corsair Media$/,
  );
});

test("describes changes of links as their page does", async () => {
  const path = `/public/v1/apps/${DEMO.appToken}/trackers/${DEMO.linkToken}`;
  const options = { token: DEMO.apiToken, method: "PATCH", json: { name: "Winter", partner_id: 2 } };
  expect((await call(path, options)).status).toBe(200);
  const [sentence] = await sentences(`/operator/audit?object=${DEMO.linkToken}`);
  expect(sentence).toMatch(
    /^demo@example\.com renamed the link from “.+” to “Winter”, attached the link to Beacon instead of Acme Ads, and turned cost data off: Winter \(demo1nk001\)$/,
  );
  const { text } = await operator.get(`/operator/audit?object=${DEMO.linkToken}`);
  expect(text).not.toContain('class="change"');
});

test("tells how many sub-links clicks and impressions created on a day", async () => {
  for (const campaign of ["one", "two"]) await call(`/${DEMO.linkToken}?s2s=1&campaign=${campaign}`);
  await auditSubLinks(env.DB, NOW);
  await auditSubLinks(env.DB, NOW + DAY);
  const [found] = await sentences("/operator/audit?action=create%20sub-links");
  expect(found).toBe(
    "linkledger created 2 sub-links below Acme (demo1nk001) for clicks and impressions of 2026-03-15",
  );
});

test("names the partner and its credential for what a partner did, and the object of what was done for it", async () => {
  await call("/operator/v1/partners/1", {
    token: DEMO.operatorToken,
    method: "PATCH",
    json: { stopped: false },
  });
  const partner = new PartnerBrowser();
  await partner.post("/partner", { credential: DEMO.costToken });
  for (const cost_id of ["audited-cost-0001", "audited-cost-0002"])
    await sendCost({ cost_id, cost_amount: "1" });
  await partner.post("/partner/costs/audited-cost-0001/void");
  await partner.post("/partner/sign-out");
  await operator.post("/operator/partners/1/voids", { cost_id: "audited-cost-0002", reason: "fraud" });
  const acme = `Acme Ads (ll_live_…${DEMO.costToken.slice(-4)})`;
  expect((await sentences("/operator/audit?object=partner%201")).slice(0, 4)).toEqual([
    `${who} voided cost audited-cost-0002 of Acme Ads (cpc, $1.00): fraud`,
    `${acme} signed out`,
    `${acme} voided cost audited-cost-0001 (cpc, $1.00)`,
    `${acme} signed in with Unknown browser`,
  ]);
  const { text } = await operator.get("/operator/audit.csv?action=sign%20out");
  expect(text).toContain(`,${acme},signed out,`);
});

test("says of a void on a shard that it was requested, and whether it was not carried out", async () => {
  const add = (user: number | null, detail: object) =>
    rows(
      "INSERT INTO audit_log (happened_at, user_id, action, subject, detail) VALUES (?, ?, 'void cost', 'partner 1', ?)",
      NOW,
      user,
      JSON.stringify({ cost_id: "audited-cost-0001", ...detail }),
    );
  for (const outcome of ["requested", "not carried out"]) {
    await add(2, { reason: "fraud", outcome });
    await add(null, { credential_id: 1, hint: "ll_live_…0000", outcome });
  }
  expect(await sentences("/operator/audit?action=void%20cost")).toEqual([
    "Acme Ads (ll_live_…0000) did not void cost audited-cost-0001 (it had changed)",
    `${who} did not void cost audited-cost-0001 of Acme Ads (it had changed)`,
    "Acme Ads (ll_live_…0000) requested to void cost audited-cost-0001",
    `${who} requested to void cost audited-cost-0001 of Acme Ads: fraud`,
  ]);
});

test("tells a wrong password in a session from a failed sign-in", async () => {
  const member = new Browser();
  await member.signIn();
  await member.post("/account/token/show", { password: "not-the-password" });
  await new Browser().signIn(DEMO.email, "not-the-password");
  expect((await sentences("/operator/audit")).slice(0, 2)).toEqual([
    `Somebody failed to sign in as ${DEMO.email} (wrong password)`,
    `${DEMO.email} entered a wrong password at /account/token/show`,
  ]);
});
