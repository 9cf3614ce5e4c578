/** Needs attention: networks and apps in which clicks created nearly as many links as they can. The counts are exact. */
import { beforeEach, describe, expect, it } from "vitest";
import { type Browser, freshSession } from "../account/support.ts";
import { call, countingDatabase, DAY, DEMO, freshDemo, IPHONE, NOW, rows } from "../harness.ts";
import { APP, linksOf, mainOf, open, textOf } from "./page-text.ts";

const today = Math.floor(NOW / DAY);
const IMPORT = { text: "Import the names you expect", href: `${APP}/links/import` };
let browser: Browser;

beforeEach(async () => {
  browser = await freshSession(freshDemo);
});

const items = async (options = {}) => {
  const page = mainOf(await open(browser, APP, options));
  const list = /<h2 id="attention">[\s\S]*?<\/section>/.exec(page)?.[0] ?? "";
  return [...list.matchAll(/<li>\s*<span>([\s\S]*?)<\/span>/g)]
    .map(([, item = ""]) => ({ text: textOf(item.replace(/<a [\s\S]*/, "")), links: linksOf(item) }))
    .filter(({ text }) => text.startsWith("Clicks and impressions created"));
};
const texts = async () => (await items()).map(({ text }) => text);
const count = (set: string, where = `token = '${DEMO.linkToken}'`, table = "links") =>
  rows(`UPDATE ${table} SET ${set} WHERE ${where}`);

describe("new links of a network on a day", () => {
  it.each([
    [7_999, 10_000, 0],
    [8_000, 10_000, 1],
    [79, 100, 0],
    [80, 100, 1],
    [4, 5, 1],
    [0, 0, 0],
    [3, 0, 0],
  ])("%i of %i are %i items", async (newLinks, most, shown) => {
    await count(`max_new_sub_links = ${most}`, "true", "apps");
    await count(`new_sub_link_count = ${newLinks}, new_sub_link_day = ${today}`);
    expect(await texts()).toHaveLength(shown);
  });

  it("say how many there are, what happens then, and where to import names", async () => {
    await count(`new_sub_link_count = 812, new_sub_link_day = ${today}`);
    expect(await items()).toEqual([
      {
        text: "Clicks and impressions created 812 new links below “Acme” today (UTC), of at most 1,000 a day. Other new names will count for the links above them.",
        links: [IMPORT],
      },
    ]);
    await open(browser, IMPORT.href);
    await count("new_sub_link_count = 1000");
    expect((await texts())[0]).toContain("a day. Other new names count for the links above them.");
  });

  it("are those of today: on the next day there are none", async () => {
    await count(`new_sub_link_count = 1000, new_sub_link_day = ${today - 1}`);
    expect(await texts()).toEqual([]);
  });

  it("are counted from the clicks that create them, and importing or archiving frees their places", async () => {
    await count("max_new_sub_links = 5", "true", "apps");
    for (const name of ["One", "Two", "Three"])
      await call(`/${DEMO.linkToken}?campaign=${name}`, { headers: { "user-agent": IPHONE } });
    expect(await texts()).toEqual([]);
    await call(`/${DEMO.linkToken}?campaign=Four`, { headers: { "user-agent": IPHONE } });
    expect((await texts())[0]).toContain("created 4 new links below “Acme” today (UTC), of at most 5 a day");
    await count("archived = 1", "label = 'Four'");
    expect(await texts()).toEqual([]);
  });
});

it("counts the new links of an app, of which there can be five times as many", async () => {
  await count(`new_sub_link_count = 3999, new_sub_link_day = ${today}`, `token = '${DEMO.appToken}'`, "apps");
  expect(await texts()).toEqual([]);
  await count("new_sub_link_count = 4000", `token = '${DEMO.appToken}'`, "apps");
  expect(await items()).toEqual([
    {
      text: "Clicks and impressions created 4,000 new links in this app today (UTC), of at most 5,000 a day. Other new names will count for the links above them.",
      links: [IMPORT],
    },
  ]);
});

it("counts all links of a network, and leads to the form that archives and to the import", async () => {
  await count("from_engagement_count = 7999");
  expect(await texts()).toEqual([]);
  await count("from_engagement_count = 8000");
  const [item, ...others] = await items();
  expect(others).toEqual([]);
  expect(item).toEqual({
    text: "Clicks and impressions created 8,000 of at most 10,000 links below “Acme”. Other new names will count for the links above them. Archive those without costs.",
    links: [
      { text: "Archive unused sub-links", href: `${APP}/links/unused?network=${DEMO.linkToken}` },
      IMPORT,
    ],
  });
  expect(mainOf(await open(browser, item?.links[0]?.href ?? ""))).toContain("8,000 sub-links of");
});

it("can be hidden, each for itself", async () => {
  await count(`new_sub_link_count = 900, new_sub_link_day = ${today}, from_engagement_count = 9000`);
  expect(await texts()).toHaveLength(2);
  for (const [key, left] of [
    ["new_links:1", 1],
    ["links:1", 0],
  ] as const) {
    const { status } = await browser.post(`${APP}/attention/hide`, { item: key, query: "" });
    expect(status).toBe(303);
    expect(await texts()).toHaveLength(left);
  }
});

it("reads 500 networks of an app with more, and asks the database as often as before", async () => {
  const read = async () => {
    const { database, counts } = countingDatabase();
    const found = await items({ env: { DB: database } });
    return { ...counts, found };
  };
  const insert = (from: number, to: number) =>
    rows(
      `WITH RECURSIVE n(i) AS (SELECT ? UNION ALL SELECT i + 1 FROM n WHERE i < ?)
       INSERT INTO links (id, token, app_token, level, label, created_at, from_engagement_count)
       SELECT 5000 + i, 'network' || i, ?, 1, 'N' || i, 0, 9000 FROM n`,
      from,
      to,
      DEMO.appToken,
    );
  const [{ n }] = (await rows<{ n: number }>(
    "SELECT count(*) AS n FROM links WHERE app_token = ? AND parent_id IS NULL",
    DEMO.appToken,
  )) as [{ n: number }];
  await insert(1, 500 - n);
  const full = await read();
  expect(full.found).toHaveLength(500 - n);
  await insert(501, 3_000);
  const more = await read();
  expect(more.found).toHaveLength(500 - n);
  expect([more.calls, more.read - full.read]).toEqual([full.calls, 0]);
});
