/** The test of a link: it says what recording would do, and stores nothing. */
import { beforeEach, describe, expect, it } from "vitest";
import { checkEngagement } from "../../src/db/ledger/engagement-check.ts";
import { recordOne } from "../../src/db/ledger/record-engagements.ts";
import { DROP_REASONS } from "../../src/domain/engagements/sub-links.ts";
import { readReported } from "../../src/usecases/engagements/read.ts";
import { type Browser, freshSession } from "../account/support.ts";
import { createLink, patchLink } from "../campaign/support.ts";
import { call, click, DEMO, IPHONE, ledgerOn, NOW, ORIGIN, rows } from "../harness.ts";
import { isWhole } from "../part.ts";
import { everything } from "../security/support.ts";
import { freshLedger } from "../support.ts";
import { APP, mainOf, open, tablesOf, textOf } from "./page-text.ts";

let browser: Browser;
beforeEach(async () => {
  browser = await freshSession(freshLedger);
});

const pathOf = (token: string, url?: string) =>
  `${APP}/links/${token}/test${url === undefined ? "" : `?${new URLSearchParams({ url })}`}`;
const pageOf = async (token: string, query?: string) =>
  mainOf(await open(browser, pathOf(token, query === undefined ? undefined : `${ORIGIN}/${token}?${query}`)));
/** The facts of the result by their names. */
const factsOf = (page: string) =>
  Object.fromEntries(
    [...page.matchAll(/<dt>([\s\S]*?)<\/dt><dd>([\s\S]*?)<\/dd>/g)].map(([, name = "", value = ""]) => [
      textOf(name),
      textOf(value),
    ]),
  );
const ignoredOf = (page: string) => (tablesOf(page)[0] ?? []).slice(1).map(({ cells }) => cells);

const setTemplates = (click: string, cost: string) =>
  rows("UPDATE partners SET click_parameters = ?, cost_parameters = ? WHERE id = 1", click, cost);

describe("without a URL", () => {
  it("tests the click URL with a test cost ID and empty macros", async () => {
    const page = await pageOf(DEMO.linkToken);
    const [, entered = ""] = /<textarea[^>]*>([\s\S]*?)<\/textarea>/.exec(page) ?? [];
    expect(entered).toMatch(/cost_id=test-[\da-f-]{36}/);
    expect(entered).not.toMatch(/[{}]/);
    const found = factsOf(page);
    expect(found).toMatchObject({
      "Would be recorded": "A click on Acme",
      "Can a cost match?":
        "Yes: a cost of Acme Ads with this cost ID and the type cpc, cpi or cpe, within seven days.",
    });
    expect(Object.keys(found)).toEqual(
      expect.arrayContaining(["iPhone and iPad", "Android", "Computers", "Recorded today so far"]),
    );
    expect(textOf(page)).toContain("Dropped URL parameters None.");
  });

  it("stores nothing, with and without sub-links in the URL", async () => {
    await setTemplates("campaign={c}&adgroup={a}", "cost_id={id}");
    const urls = ["", "campaign=Never seen&adgroup=Also new&cost_id=test-click-00001", "s2s=1&cost_id=null"];
    await pageOf(DEMO.linkToken);
    const before = await everything();
    for (const url of urls) await pageOf(DEMO.linkToken, url);
    expect(await everything()).toEqual(before);
  });

  it("counts what was recorded today", async () => {
    const { token } = await createLink("Counted");
    expect(factsOf(await pageOf(token))["Recorded today so far"]).toBe("0 clicks, 0 impressions");
    await call(`/${token}`, { headers: { "user-agent": IPHONE } });
    expect(factsOf(await pageOf(token))["Recorded today so far"]).toBe("1 click, 0 impressions");
  });
});

/** Each is judged, then recorded, and both say the same. */
describe.runIf(isWhole)("says what recording does", () => {
  const cases: [name: string, query: string, prepare?: string][] = [
    ["nothing on the URL", ""],
    ["a cost ID", "cost_id=same-click-00001"],
    ["a cost ID that is a macro of the template", "cost_id=%23id%23"],
    ["a placeholder", "cost_id=null"],
    ["a repeated cost ID", "cost_id=demo-click-recent-0001"],
    ["new sub-links on three levels", "campaign=New&adgroup=Newer&creative=Newest"],
    ["an existing and a new one", "campaign=Spring&adgroup=Runners&creative=Newest"],
    ["a level without the one above", "adgroup=Runners"],
    ["an invalid level above a valid one", "campaign=a%3A%3Ab&adgroup=Runners"],
    ["an unfilled macro below a new one", "campaign=New&adgroup={adgroup}&creative=Video"],
    [
      "no room for new ones",
      "campaign=New&adgroup=Newer",
      "UPDATE links SET from_engagement_count = 10000 WHERE id = 1",
    ],
    [
      "no room today",
      "campaign=New",
      `UPDATE links SET new_sub_link_day = ${Math.floor(NOW / 86_400_000)}, new_sub_link_count = 1000 WHERE id = 1`,
    ],
    [
      "a sub-link of another partner",
      "campaign=Spring",
      "UPDATE links SET partner_id = 2 WHERE token = 'demo1nk002'",
    ],
    ["a price", "cost_type=cpc&cost_currency=USD&cost_amount=0.25"],
    ["a price above the limit", "cost_type=cpc&cost_currency=USD&cost_amount=999999"],
    [
      "a price in another currency",
      "cost_type=cpc&cost_currency=EUR&cost_amount=0.25&cost_id=euro-click-0001",
    ],
    ["a price with a bad cost ID", "cost_id=x&cost_type=cpc&cost_currency=USD&cost_amount=0.25"],
    ["a price of a wrong kind", "cost_type=cpm&cost_currency=USD&cost_amount=0.25"],
    ["cost data off", "cost_id=same-click-00001", "UPDATE links SET cost_switch = 0 WHERE id = 1"],
    [
      "no partner",
      "cost_id=same-click-00001&campaign=New",
      "UPDATE links SET partner_id = NULL WHERE id = 1",
    ],
    ["a stopped partner", "cost_id=same-click-00001", "UPDATE partners SET stopped_at = 1 WHERE id = 1"],
  ];

  it.each(cases)("%s", async (_name, query, prepare) => {
    await setTemplates(
      "campaign={c}&adgroup={a}&creative={k}",
      "cost_id=#id#&cost_type={t}&cost_currency=USD&cost_amount={p}",
    );
    await rows("UPDATE partners SET macros = ? WHERE id = 1", "\n#id#\n");
    await click("demo-click-recent-0001");
    if (prepare) await rows(prepare);
    const url = new URL(`${ORIGIN}/${DEMO.linkToken}?s2s=1&${query}`);
    const opening = { url, now: NOW + 1, request: new Request(url) };
    const opened = readReported(opening, DEMO.linkToken, "click");
    const said = await checkEngagement(ledgerOn(), opened, NOW + 1);
    const before = await rows<{ link_id: number; count: number }>(
      "SELECT link_id, count FROM daily_engagements",
    );
    const done = await recordOne(ledgerOn(), opened, NOW + 1);

    const sumOf = (of: { link_id: number; count: number }[], id: number) =>
      of.reduce((sum, row) => sum + (row.link_id === id ? row.count : 0), 0);
    const after = await rows<{ link_id: number; count: number }>(
      "SELECT link_id, count FROM daily_engagements",
    );
    const [counted] = after.filter(({ link_id }) => sumOf(after, link_id) > sumOf(before, link_id));
    const labels = new Map(
      (
        await rows<{ id: number; label: string; parent_id: number | null }>(
          "SELECT id, label, parent_id FROM links",
        )
      ).map((link) => [link.id, link]),
    );
    const names: string[] = [];
    for (let at = labels.get(counted?.link_id ?? 0); at; at = labels.get(at.parent_id ?? 0))
      names.unshift(at.label);
    expect({
      names: [...(said?.names ?? []), ...(said?.created ?? [])],
      costId: said?.costId,
      hasCostData: said?.hasCostData,
      isDuplicate: said?.earlierAt !== null,
      // A repeated ID is said as the first one that has it.
      dropped: [
        ...(said?.dropped.map(([parameter]) => parameter) ?? []),
        ...(said?.earlierAt ? ["cost_id"] : []),
      ],
    }).toEqual({
      names,
      costId: done?.costId,
      hasCostData: done?.hasCostData,
      isDuplicate: done?.isDuplicate,
      dropped: done?.dropped,
    });
  });
});

it("explains a cost ID that is taken, with the time of the first click", async () => {
  await click("taken-click-0001");
  const page = await pageOf(DEMO.linkToken, "cost_id=taken-click-0001");
  expect(factsOf(page)["Can a cost match?"]).toBe(
    "No: a click of 15 Mar 2026, 12:00 UTC has this cost ID, and the first one counts.",
  );
});

describe.runIf(isWhole)("the page explains", () => {
  it("ignored parameters, each with its value and reason", async () => {
    await setTemplates("campaign={c}", "cost_id={id}");
    const query =
      "cost_id={click_id}&campaign=%5Bcampaign_name%5D&adgroup=Women&redirect=https://evil.test/&utm_source=mail";
    const page = await pageOf(DEMO.linkToken, query);
    expect(ignoredOf(page)).toEqual([
      ["cost_id", "{click_id}", "The network did not replace its macro."],
      ["campaign", "[campaign_name]", "The network did not replace its macro."],
      ["redirect", "https://evil.test/", DROP_REASONS.not_allowed],
      ["adgroup", "Women", "The partner's template doesn't have this parameter."],
    ]);
    expect(textOf(page)).toContain("Not parameters of linkledger: utm_source .");
    expect(factsOf(page)["Can a cost match?"]).toBe("No: the cost ID is dropped.");
  });

  it("new sub-links, and levels that the link already has", async () => {
    await setTemplates("campaign={c}&adgroup={a}", "cost_id={id}");
    const page = await pageOf("demo1nk002", "campaign=Spring&adgroup=New");
    expect(factsOf(page)["Would be recorded"]).toBe(
      "A click on Acme › Spring › New , which creates 1 sub-link",
    );
    expect(ignoredOf(page)).toEqual([["campaign", "Spring", "The link is at this level or below it."]]);
  });

  it("what the target gets from the URL, on each device", async () => {
    await rows("UPDATE apps SET redirect_hosts = '[\"shop.test\"]' WHERE token = ?", DEMO.appToken);
    await patchLink(DEMO.linkToken, { target: "https://shop.test/{platform}?c={campaign}&t={link_token}" });
    const found = factsOf(await pageOf(DEMO.linkToken, "campaign=Summer%20%26%20Sun"));
    expect(found["iPhone and iPad"]).toBe(`https://shop.test/ios?c=Summer%20%26%20Sun&t=${DEMO.linkToken}`);
    expect(found.Android).toBe(`https://shop.test/android?c=Summer%20%26%20Sun&t=${DEMO.linkToken}`);
    // A link below it has the same one.
    expect(factsOf(await pageOf("demo1nk002", "")).Android).toBe("https://shop.test/android?c=&t=demo1nk002");
  });

  it("an impression, and a URL that a server opens", async () => {
    const view = `${ORIGIN}/impression/${DEMO.linkToken}?cost_id=test-view-000001`;
    const shown = factsOf(mainOf(await open(browser, pathOf(DEMO.linkToken, view))));
    expect(shown["Would be recorded"]).toBe("An impression on Acme");
    expect(shown.Response).toBe("A transparent image of 1 × 1 pixel");
    expect(shown["Can a cost match?"]).toContain("the type cpi, cpe or cpm, within seven days.");
    const server = factsOf(await pageOf(DEMO.linkToken, "s2s=1"));
    expect(server.Response).toBe("JSON, for a server: nobody is redirected");
  });

  it.each([
    [
      "no partner",
      "UPDATE links SET partner_id = NULL, cost_switch = NULL WHERE id = 1",
      "the link has no partner.",
    ],
    ["a stopped partner", "UPDATE partners SET stopped_at = 1 WHERE id = 1", "Acme Ads is stopped."],
    [
      "no cost data",
      "UPDATE partners SET supports_cost_data = 0 WHERE id = 1",
      "Acme Ads has no cost data yet.",
    ],
    ["the switch", "UPDATE links SET cost_switch = 0 WHERE id = 1", "cost data is off on this link."],
  ])("why no cost can match: %s", async (_, change, text) => {
    await rows(change);
    const page = await pageOf(DEMO.linkToken, "cost_id=test-click-000001");
    expect(factsOf(page)["Can a cost match?"]).toBe(`No: ${text}`);
  });

  it.each([
    ["another link's", `${ORIGIN}/demo1nk002`],
    ["another site's", `https://other.test/${DEMO.linkToken}`],
    ["no", "hello"],
    ["an empty", ""],
  ])("that it is %s URL", async (_, url) => {
    const { status, text } = await browser.get(pathOf(DEMO.linkToken, url));
    expect(status).toBe(400);
    expect(textOf(text)).toContain("The URL must be the click URL or the impression URL of this link");
  });

  it("how long it is, beside the field, which keeps it", async () => {
    const urlOf = (length: number) => `${ORIGIN}/${DEMO.linkToken}?utm_source=`.padEnd(length, "x");
    expect(factsOf(mainOf(await open(browser, pathOf(DEMO.linkToken, urlOf(8192)))))).toHaveProperty(
      "Would be recorded",
      "A click on Acme",
    );
    const { status, text } = await browser.get(pathOf(DEMO.linkToken, urlOf(8193)));
    expect(status).toBe(400);
    expect(
      textOf(/<p class="field-error" id="[\w-]*url-error"[^>]*>[\s\S]*?<\/p>/.exec(text)?.[0] ?? ""),
    ).toBe("The URL has 8,193 characters; it can have at most 8,192.");
    expect(text).toContain(`${urlOf(8193)}</textarea>`);
  });
});

it.runIf(isWhole).each(["\t", "\r\n", "\n", " ", "\u00a0", "\ufeff"])(
  "a URL is read without %j around it",
  async (space) => {
    const url = `${space}${ORIGIN}/${DEMO.linkToken}?utm_source=mail${space}`;
    const found = factsOf(mainOf(await open(browser, pathOf(DEMO.linkToken, url))));
    expect(found["Would be recorded"]).toBe("A click on Acme");
  },
);

it.runIf(isWhole)("a URL is read without the line ends in it, as a browser reads it", async () => {
  const page = await pageOf(DEMO.linkToken, "utm_so\r\nurce=m\tail");
  expect(textOf(page)).toContain("Not parameters of linkledger: utm_source .");
});

describe("a link's page", () => {
  it("always says what was recorded today", async () => {
    expect(textOf(mainOf(await open(browser, `${APP}/links/${DEMO.linkToken}?period=30d`)))).toMatch(
      /Today so far: \d+ clicks?, \d+ impressions?\./,
    );
  });

  it("shows today if nothing was recorded on the link before", async () => {
    const { token } = await createLink("New today");
    await call(`/${token}`, { headers: { "user-agent": IPHONE } });
    const page = mainOf(await open(browser, `${APP}/links/${token}`));
    expect(page).toMatch(/<a[^>]*period=today[^>]*aria-current="true"/);
    expect(textOf(page)).toContain("Clicks 1");
    // An older link that had its first click today.
    await rows("UPDATE links SET created_at = created_at - 864000000 WHERE token = ?", token);
    expect(textOf(mainOf(await open(browser, `${APP}/links/${token}`)))).toContain("Clicks 1");
    await rows(
      "UPDATE daily_engagements SET day = day - 1 WHERE link_id = (SELECT id FROM links WHERE token = ?)",
      token,
    );
    expect(mainOf(await open(browser, `${APP}/links/${token}`))).not.toMatch(
      /<a[^>]*period=today[^>]*aria-current="true"/,
    );
  });
});
