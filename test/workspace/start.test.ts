/** The steps of a new app, in the place of figures that are all zero. */
import { beforeEach, describe, expect, it } from "vitest";
import { databasesOf } from "../../src/db/ledger/shards.ts";
import { type Browser, freshSession } from "../account/support.ts";
import { createLink, patchLink } from "../campaign/support.ts";
import {
  call,
  click,
  countingDatabase,
  DEMO,
  freshDemo,
  IPHONE,
  ledgerOn,
  ORIGIN,
  rows,
  sendCost,
} from "../harness.ts";
import { isWhole } from "../part.ts";
import { inLedger } from "../support.ts";
import { APP, decode, mainOf, open, textOf } from "./page-text.ts";

let browser: Browser;
beforeEach(async () => {
  browser = await freshSession(newApp);
});

/** As an operator creates it. */
async function newApp(): Promise<void> {
  await freshDemo();
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
}

const page = async () => mainOf(await open(browser, APP));
/** `Done` or `To do` of each step. */
const marks = (text: string) =>
  [...text.matchAll(/<li><h3>([^<]*?) <span class="badge[^>]*>([^<]*)</g)].map(
    ([, name, mark]) => `${name}: ${mark}`,
  );
const NAMES = ["Create a link", "Share the click URL", "First click", "Attach a partner", "First cost"];
const steps = (...done: number[]) =>
  NAMES.map((name, at) => `${name}: ${done.includes(at + 1) ? "Done" : "To do"}`);

it("tick as links, a partner, clicks and costs arrive, and end with the first cost", async () => {
  const empty = await page();
  expect(marks(empty)).toEqual(steps());
  expect(empty).not.toContain('class="figures"');
  const action = decode(/<form method="post" action="([^"]*)"/.exec(empty)?.[1] ?? "");
  const { headers } = await browser.post(action, { network: "Nova", campaign: "First" });
  expect(headers.get("location")).toMatch(/\/links\/\w{10}\?notice=created/);

  const created = await page();
  expect(marks(created)).toEqual(steps(1));
  expect(textOf(created)).toContain("These partners send cost data: Acme Ads and Echo Media");
  const [, token = ""] = /\/links\/(\w{10})\/settings/.exec(created) ?? [];
  // The URL is there before a partner is.
  expect(created).toContain(`>${ORIGIN}/${token}</code>`);
  expect(created).toContain(`/links/${token}/qr.svg`);
  expect(created).toContain(`/links/${token}/test`);
  await patchLink(token, { partner_id: 1 });

  const attached = await page();
  expect(marks(attached)).toEqual(steps(1, 4));
  expect(textOf(attached)).toContain(`/${token}?`);
  expect(textOf(attached)).toContain("Cost data is off on the links of Acme Ads . Turn it on.");
  await patchLink(token, { cost_data_enabled: true });
  expect(textOf(await page())).toContain(
    "Waiting. A cost appears here once it matches a click or an impression.",
  );

  await click("new-app-click-0001", { link: token });
  // With shards, a click with a cost ID is not in DB.
  await call(`/${token}`, { headers: { "user-agent": IPHONE } });
  const clicked = await page();
  expect(marks(clicked)).toEqual(steps(1, 2, 3, 4));
  expect(textOf(clicked)).toContain("On 15 Mar 2026.");
  expect(clicked).toContain('class="figures"');

  expect((await sendCost({ cost_id: "new-app-click-0001" })).status).toBe(200);
  expect(await page()).not.toContain('id="start"');
});

it.runIf(isWhole)("end a week after the first click, also without a cost", async () => {
  const link = await createLink("Only clicks");
  await call(`/${link.token}`, { headers: { "user-agent": IPHONE } });
  expect(await page()).toContain('id="start"');
  await rows("UPDATE daily_engagements SET day = day - 7");
  expect(await page()).toContain('id="start"');
  await rows("UPDATE daily_engagements SET day = day - 1");
  expect(await page()).not.toContain('id="start"');
});

it.runIf(isWhole)("show the URL of the link with a partner, and not of the first one by name", async () => {
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
  // With shards, the first day is asked for before, in each database.
  const { shards } = ledgerOn();
  expect(counts.calls).toBe(1 + (shards.length > 0 ? 2 : 1) * databasesOf(ledgerOn()).length);
});

it("are not shown for an app that only has costs of other days", async () => {
  await rows(
    "INSERT INTO daily_totals VALUES (?, 1000, 1, 1, 'cpc', 'USD', 'matched', 1, 100000)",
    DEMO.appToken,
  );
  expect(await page()).not.toContain('id="start"');
});

describe.runIf(isWhole)("a link that tests a partner", () => {
  let token = "";
  beforeEach(async () => {
    const opened = await call("/operator/v1/rounds/1/links", {
      token: DEMO.operatorToken,
      json: { app_token: DEMO.appToken, name: "Corsair test" },
    });
    expect(opened.status).toBe(201);
    ({ token } = ((await opened.json()) as { data: { items: [{ token: string }] } }).data.items[0]);
  });

  it("ticks nothing, also with clicks and sub-links, and is marked", async () => {
    expect(marks(await page())).toEqual(steps());
    await call(`/${token}`, { headers: { "user-agent": IPHONE } });
    await click("test-link-click-01", { link: token });
    const child = await createLink("Below the test", token);
    await call(`/${child.token}`, { headers: { "user-agent": IPHONE } });
    const shown = await page();
    expect(marks(shown)).toEqual(steps());
    expect(shown).not.toContain(token);
    for (const path of [`${APP}/links?open=${token}`, `${APP}/links?q=corsair`, `${APP}/links?q=below`])
      expect(textOf(mainOf(await open(browser, path)))).toMatch(
        /test (Network )?Test |Below the test (Campaign )?Test /,
      );
    expect(textOf(mainOf(await open(browser, `${APP}/links/${token}`)))).toContain(
      "An operator created this link to test Corsair Media.",
    );
  });

  it("is a link like any other once its cost data is on", async () => {
    await rows("UPDATE links SET partner_id = 1 WHERE token = ?", token);
    await call(`/${token}`, { headers: { "user-agent": IPHONE } });
    await patchLink(token, { cost_data_enabled: true });
    expect(marks(await page())).toEqual(steps(1, 2, 3, 4));
    expect(textOf(mainOf(await open(browser, `${APP}/links`)))).not.toContain("Test ");
  });

  it("leaves the start to the first click on another link", async () => {
    await call(`/${token}`, { headers: { "user-agent": IPHONE } });
    const own = await createLink("Newsletter");
    expect(marks(await page())).toEqual(steps(1));
    await call(`/${own.token}`, { headers: { "user-agent": IPHONE } });
    expect(marks(await page())).toEqual(steps(1, 2, 3));
  });
});

it.runIf(isWhole)("an app whose links have no partner has nothing that needs attention", async () => {
  const link = await createLink("Newsletter");
  await call(`/${link.token}`, { headers: { "user-agent": IPHONE } });
  expect(await page()).not.toContain('id="attention"');
  await rows("UPDATE daily_engagements SET day = day - 30");
  const later = await page();
  expect(later).not.toContain('id="attention"');
  expect(textOf(later)).toContain("No link has a partner. Attach a partner to a link.");
});
