/** The own targets of several links in one change: set, cleared, and returned to inherited. */
import { beforeEach, describe, expect, it } from "vitest";
import { type Browser, freshSession } from "../account/support.ts";
import { patchLink, readLink } from "../campaign/support.ts";
import { call, countingDatabase, DEMO, freshDemo, IPHONE, rows } from "../harness.ts";
import { APP, decode, hrefOf, mainOf, tablesOf, textOf } from "./page-text.ts";

const BULK = `${APP}/links/bulk`;
const TARGET = "https://example.com/sale?c={campaign}";
const [NETWORK, CAMPAIGN, OTHER] = ["demo1nk001", "demo1nk004", "demo1nk008"];
const links = [NETWORK, CAMPAIGN, OTHER].join();

let browser: Browser;
beforeEach(async () => {
  browser = await freshSession(freshDemo);
});

const targetOf = async (token: string) => (await readLink(token)).own.target;
const targets = () => Promise.all([NETWORK, CAMPAIGN, OTHER].map(targetOf));
const leads = async (token: string) =>
  (await call(`/${token}?campaign=Spring`, { headers: { "user-agent": IPHONE } })).headers.get("location");
const changeRows = (page: string) => tablesOf(page)[0]?.slice(1) ?? [];

const review = (query: Record<string, string>) =>
  browser.get(`${BULK}?${new URLSearchParams({ links, ...query })}`);
function formOf(page: string): Record<string, string> {
  const [, form = ""] =
    /<form method="post" action="[^"]*\/links\/bulk"[^>]*>([\s\S]*?Change \d[\s\S]*?)<\/form>/.exec(page) ??
    [];
  expect(form).not.toBe("");
  const inputs = form.matchAll(/name="(\w+)" value="([^"]*)"/g);
  return Object.fromEntries([...inputs].map(([, name = "", value = ""]) => [name, decode(value)]));
}
/** Reviews and confirms, and returns the result page. `between`: what happens after the review. */
async function change(query: Record<string, string>, between = async () => {}): Promise<string> {
  const { text } = await review(query);
  const sent = formOf(text);
  await between();
  return mainOf((await browser.post(BULK, sent)).text);
}

it("sets a target, which clicks follow, and returns the links to inherited", async () => {
  const { text } = await review({ action: "target", target: TARGET });
  expect(textOf(text)).toContain(`Set the target ${TARGET}: 3 of 3 selected links will change.`);
  expect(changeRows(text)[0]?.cells[2]).toBe(`Target: inherited → ${TARGET}.`);
  expect(await targets()).toEqual([null, null, null]);
  const done = await change({ action: "target", target: TARGET });
  expect(textOf(done)).toContain("Target set for 3 links");
  expect(await targets()).toEqual([TARGET, TARGET, TARGET]);
  for (const token of [NETWORK, CAMPAIGN, OTHER])
    expect(await leads(token)).toBe("https://example.com/sale?c=Spring");
  expect(textOf(await change({ action: "target-inherit", links: `${CAMPAIGN},${OTHER}` }))).toContain(
    "Target inherited from parent for 2 links",
  );
  expect(await targets()).toEqual([TARGET, null, null]);
  expect(await leads(CAMPAIGN)).toBe("https://example.com/sale?c=Spring");
  expect(await leads(OTHER)).not.toContain("sale");
});

it("leads back to the URLs of the app, also below a link with a target", async () => {
  await patchLink(NETWORK, { target: TARGET });
  const done = await change({ action: "target-app", links: CAMPAIGN });
  expect(textOf(done)).toContain("Target set to the app's URLs for 1 link");
  expect([await targetOf(NETWORK), await targetOf(CAMPAIGN)]).toEqual([TARGET, ""]);
  expect(await leads(CAMPAIGN)).not.toContain("sale");
});

it("is in the audit log of each link", async () => {
  await change({ action: "target", target: TARGET });
  const entries = await rows<{ detail: string }>("SELECT detail FROM audit_log WHERE action = 'update link'");
  expect(entries.map(({ detail }) => JSON.parse(detail).target)).toEqual(
    Array(3).fill({ from: null, to: TARGET }),
  );
});

it("of links that have it already, or of none, changes nothing", async () => {
  await patchLink(NETWORK, { target: TARGET });
  const { text } = await review({ action: "target", target: TARGET, links: NETWORK });
  expect(textOf(text)).toContain("0 of 1 selected link will change.");
  expect(text).not.toMatch(/Change \d/);
});

describe("a target that a link cannot have", () => {
  it.each([
    ["https://evil.example/", "Target must have an allowed host, not evil.example"],
    ["javascript:alert(1)", "Target must have an allowed scheme, not javascript"],
    ["https://example.com/{campaign", "Target must have one name in each pair of braces"],
    ["nowhere", "Target must be an absolute URL"],
  ])("is rejected in the review, for each link: %s", async (target, message) => {
    const { text } = await review({ action: "target", target });
    expect(changeRows(text).map(({ cells }) => cells[2])).toEqual(
      Array(3).fill(expect.stringContaining(message)),
    );
    expect(text).not.toMatch(/Change \d/);
    const forced = await browser.post(BULK, { action: "target", target, links, back: "" });
    expect(textOf(forced.text)).toContain("No links changed. 3 links not changed.");
    expect(await targets()).toEqual([null, null, null]);
  });

  it.each([
    ["none", { action: "target", target: "" }],
    ["without the field", { action: "target" }],
    [
      "longer than 1,000 characters",
      { action: "target", target: `https://example.com/${"x".repeat(1_000)}` },
    ],
  ])("is rejected with a sentence: %s", async (_, query) => {
    const { status, text } = await review(query as unknown as Record<string, string>);
    expect([status, textOf(text)]).toEqual([400, expect.stringMatching(/enter the URL|at most 1000/)]);
    expect((await browser.post(BULK, { links, back: "", ...query } as Record<string, string>)).status).toBe(
      400,
    );
  });

  it("is an error of its field, with what was chosen and the way back to the search and the selection", async () => {
    const back = "?q=acme&archived=all&selected=other";
    const long = `https://example.com/${"x".repeat(1_000)}`;
    for (const target of ["", long]) {
      const main = mainOf((await review({ action: "target", target, back })).text);
      expect(textOf(main)).not.toContain("filters and dates");
      expect(main).toMatch(/<p class="field-error" id="target-error"/);
      expect(main).toMatch(/<option value="target" selected>/);
      expect(main).toContain(`value="${target}"`);
      const query = `q=acme&archived=all&selected=${links}`;
      expect(decodeURIComponent(hrefOf(main, "Back to links"))).toBe(`${APP}/links?${query}`);
      const [, form = ""] = /<form method="get"[^>]*>([\s\S]*?)<\/form>/.exec(main) ?? [];
      const hidden = [...form.matchAll(/type="hidden" name="(\w+)" value="([^"]*)"/g)];
      const sent = Object.fromEntries(hidden.map(([, name = "", value = ""]) => [name, decode(value)]));
      expect(sent).toEqual({ links, back });
      const fixed = await review({ ...sent, action: "target", target: TARGET });
      expect(textOf(fixed.text)).toContain("3 of 3 selected links will change.");
    }
  });

  it("without an action or with too many links leads back to the search too", async () => {
    const back = "?q=acme";
    const { status, text } = await review({ action: "", back });
    expect([status, textOf(text)]).toEqual([
      400,
      expect.stringContaining("Action must be chosen from the list."),
    ]);
    expect(decodeURIComponent(hrefOf(text, "Back to links"))).toBe(`${APP}/links?q=acme&selected=${links}`);
    const many = Array.from({ length: 201 }, (_, at) => `t${at}`).join();
    const tooMany = await review({ action: "archive", links: many, back });
    expect([tooMany.status, textOf(tooMany.text)]).toEqual([
      400,
      expect.stringContaining("Links can have at most 200 links."),
    ]);
    expect(hrefOf(tooMany.text, "Back to links")).toBe(`${APP}/links?q=acme`);
  });

  it("is one above the 1,000 of an app: those that fit are set", async () => {
    // Two links of the demo data have one.
    await rows(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 996)
       INSERT INTO links (token, app_token, level, label, created_at, target) SELECT 'many' || i, ?, 1, 'M' || i, 0, '' FROM n`,
      DEMO.appToken,
    );
    const done = await change({ action: "target", target: TARGET });
    expect(textOf(done)).toContain("At most 1,000 links of an app have a target of their own.");
    expect((await targets()).filter((target) => target === TARGET)).toHaveLength(2);
  });
});

it("is not set over a target that somebody changed after the review", async () => {
  const mine = "https://example.com/mine";
  const done = await change({ action: "target", target: TARGET }, () =>
    patchLink(CAMPAIGN, { target: mine }).then(() => undefined),
  );
  expect(textOf(done)).toContain("Nothing was changed, because the links are not as you reviewed them.");
  expect(textOf(done)).toContain(`Target: ${mine} → ${TARGET}.`);
  expect(await targets()).toEqual([null, mine, null]);
});

it("does not read the field with another action", async () => {
  const done = await change({ action: "archive", target: "left in the form", links: OTHER });
  expect(textOf(done)).toContain("1 link archived");
  expect(await targetOf(OTHER)).toBe(null);
});

it("is set for all links that a search finds", async () => {
  const { text } = await review({ action: "target", target: TARGET, links: "all", back: "?q=acme" });
  const sent = formOf(text);
  const done = await browser.post(BULK, sent);
  expect(textOf(done.text)).toMatch(/Target set for \d+ links/);
  const [{ n }] = (await rows<{ n: number }>("SELECT count(*) AS n FROM links WHERE target = ?", TARGET)) as [
    { n: number },
  ];
  expect(n).toBe(Number(/Target set for (\d+)/.exec(textOf(done.text))?.[1]));
  expect(n).toBeGreaterThan(3);
});

it("of 200 asks D1 for the links, for what the app allows, to write, and for where clicks lead", async () => {
  await rows(
    `WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 199)
     INSERT INTO links (token, app_token, level, label, created_at) SELECT 't' || i, ?, 1, 'T ' || i, 0 FROM n`,
    DEMO.appToken,
  );
  const many = Array.from({ length: 200 }, (_, at) => `t${at}`).join();
  const { text } = await review({ action: "target", target: TARGET, links: many });
  const { database, counts } = countingDatabase();
  const { status } = await browser.post(BULK, formOf(text), { env: { DB: database } });
  expect([status, counts.calls]).toEqual([200, 5]);
  expect(counts.written).toBeLessThanOrEqual(200 * 8);
});
