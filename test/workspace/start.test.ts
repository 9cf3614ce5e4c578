/** The steps of a new app, in the place of figures that are all zero. */
import { beforeEach, expect, it } from "vitest";
import { databasesOf } from "../../src/db/ledger/shards.ts";
import { type Browser, signedIn } from "../account/support.ts";
import { createLink, patchLink } from "../campaign/support.ts";
import {
  call,
  click,
  countingDatabase,
  DEMO,
  freshDemo,
  IPHONE,
  ledgerOn,
  rows,
  sendCost,
} from "../harness.ts";
import { inLedger } from "../support.ts";
import { APP, decode, mainOf, open, textOf } from "./page-text.ts";

let browser: Browser;
beforeEach(async () => {
  await freshDemo();
  // As an operator creates it.
  await inLedger(
    "DELETE FROM daily_totals",
    "DELETE FROM daily_engagements",
    "DELETE FROM daily_audience",
    "DELETE FROM daily_audience_spend",
    "DELETE FROM ledger_entries",
  );
  await rows("DELETE FROM adjustments");
  await rows("UPDATE links SET archived = 1, partner_id = NULL");
  await rows("UPDATE apps SET link_count = 0, created_link_count = 0");
  browser = await signedIn();
});

const page = async () => mainOf(await open(browser, APP));
/** `Done` or `To do` of each step. */
const marks = (text: string) =>
  [...text.matchAll(/<li><h3>([^<]*?) <span class="badge[^>]*>([^<]*)</g)].map(
    ([, name, mark]) => `${name}: ${mark}`,
  );
const steps = (done: number) =>
  ["Create a link", "Attach a partner", "Share the click URL", "First click", "First cost"].map(
    (name, at) => `${name}: ${at < done ? "Done" : "To do"}`,
  );

it("tick as links, a partner, clicks and costs arrive, and end with the first cost", async () => {
  const empty = await page();
  expect(marks(empty)).toEqual(steps(0));
  expect(empty).not.toContain('class="figures"');
  const action = decode(/<form method="post" action="([^"]*)"/.exec(empty)?.[1] ?? "");
  const { headers } = await browser.post(action, { network: "Nova", campaign: "First" });
  expect(headers.get("location")).toMatch(/\/links\/\w{10}\?notice=created/);

  const created = await page();
  expect(marks(created)).toEqual(steps(1));
  expect(textOf(created)).toContain("These partners send cost data: Acme Ads and Echo Media");
  const [, token = ""] = /\/links\/(\w{10})\/settings/.exec(created) ?? [];
  await patchLink(token, { partner_id: 1 });

  const attached = await page();
  expect(marks(attached)).toEqual(steps(2));
  expect(textOf(attached)).toContain(`/${token}?`);
  expect(attached).toContain(`/links/${token}/qr.svg`);
  expect(textOf(attached)).toContain("Cost data is off on the links of Acme Ads . Turn it on.");
  await patchLink(token, { cost_data_enabled: true });
  expect(textOf(await page())).toContain(
    "Waiting. A cost appears here once it matches a click or an impression.",
  );

  await click("new-app-click-0001", { link: token });
  // With shards, a click with a cost ID is not in DB.
  await call(`/${token}`, { headers: { "user-agent": IPHONE } });
  const clicked = await page();
  expect(marks(clicked)).toEqual(steps(4));
  expect(textOf(clicked)).toContain("On 15 Mar 2026.");
  expect(clicked).toContain('class="figures"');

  expect((await sendCost({ cost_id: "new-app-click-0001" })).status).toBe(200);
  expect(await page()).not.toContain('id="start"');
});

it("end a week after the first click, also without a cost", async () => {
  const link = await createLink("Only clicks");
  await call(`/${link.token}`, { headers: { "user-agent": IPHONE } });
  expect(await page()).toContain('id="start"');
  await rows("UPDATE daily_engagements SET day = day - 7");
  expect(await page()).toContain('id="start"');
  await rows("UPDATE daily_engagements SET day = day - 1");
  expect(await page()).not.toContain('id="start"');
});

it("show the URL of the link with a partner, and not of the first one by name", async () => {
  const first = await createLink("Acme");
  const archived = await createLink("Beta");
  await patchLink(archived.token, { partner_id: 1, archived: true });
  expect(await page()).toContain(`/links/${first.token}/settings`);
  const child = await createLink("Below", first.token);
  await patchLink(child.token, { partner_id: 1 });
  expect(await page()).toContain(`/links/${child.token}/qr.svg`);
  const last = await createLink("Zeta");
  await patchLink(last.token, { partner_id: 5 });
  const shown = await page();
  expect(shown).toContain(`/links/${last.token}/qr.svg`);
  expect(shown).not.toContain(`/links/${child.token}/qr.svg`);
});

it("ask D1 twice: for the session, and for what there is with the link to share", async () => {
  await createLink("Acme");
  const { database, counts } = countingDatabase();
  await browser.get(APP, { env: { DB: database } });
  expect(counts.calls).toBe(1 + databasesOf(ledgerOn()).length);
});

it("are not shown for an app that only has costs of other days", async () => {
  await rows(
    "INSERT INTO daily_totals VALUES (?, 1000, 1, 1, 'cpc', 'USD', 'matched', 1, 100000)",
    DEMO.appToken,
  );
  expect(await page()).not.toContain('id="start"');
});
