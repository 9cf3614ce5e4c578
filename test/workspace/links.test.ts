/** The Links page: the tree, search, filters, order, figures with everything below a link, and every empty and wrong view. */
import { beforeEach, describe, expect, it } from "vitest";
import { STATES } from "../../src/pages/costs/states.ts";
import { type Browser, freshSession } from "../account/support.ts";
import {
  ask,
  click,
  countingDatabase,
  DAY,
  DEMO,
  env,
  ledgerOn,
  NOW,
  rows,
  sendCost,
  view,
} from "../harness.ts";
import { freshLedger } from "../support.ts";
import { APP, decode, hrefOf, linksOf, open, textOf } from "./page-text.ts";

const PAGE = `${APP}/links`;

let browser: Browser;
beforeEach(async () => {
  browser = await freshSession(freshLedger);
});

interface Row {
  name: string;
  level: string;
  path: string;
  /** Below the name. */
  signal: string;
  partner: string;
  costData: string;
  clicks: string;
  spend: string;
  perClick: string;
}

/** The rows of the table, without those that lead to more links. */
function rowsOf(page: string): Row[] {
  return [...page.matchAll(/<tr[^>]*>\s*<th scope="row">([\s\S]*?)<\/tr>/g)].map(([, row = ""]) => {
    const cell = (head: string) =>
      textOf(new RegExp(`data-label="${head}"[^>]*>([\\s\\S]*?)</td>`).exec(row)?.[1] ?? "?");
    const [, name = ""] = /<a href="[^"]*\/links\/\w+[^"]*"><bdi>([^<]*)</.exec(row) ?? [];
    return {
      name: decode(name),
      level:
        /class="(?:muted level|visually-hidden)">(Network|Campaign|Ad group|Creative)</.exec(row)?.[1] ?? "",
      path: textOf(/class="muted path"[^>]*>([\s\S]*?)<\/span>/.exec(row)?.[1] ?? ""),
      signal: textOf(/class="(?:phone|narrow)-only">(?:<[^>]*>|\s)*([^<]*)</.exec(row)?.[1] ?? ""),
      partner: cell("Partner"),
      costData: cell("Cost data"),
      clicks: cell("Clicks"),
      spend: cell("Spend"),
      perClick: cell("Cost per click"),
    };
  });
}

const names = (page: string) => rowsOf(page).map(({ name }) => name);
const namesAt = async (query: string) => names(await open(browser, `${PAGE}?${query}`));

/** Adds links to the demo app, below a link or at level 1. */
async function addLinks(
  count: number,
  parent: number | null,
  level: number,
  prefix = "L",
  app: string = DEMO.appToken,
) {
  await env.DB.prepare(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
     INSERT INTO links (id, token, app_token, parent_id, level, label, created_at)
     SELECT 1000 * ?4 + i, 'x' || lower(?2) || printf('%08d', i), ?5, ?3, ?4, ?2 || printf(' %05d', i), 0 FROM n`,
  )
    .bind(count, prefix, parent, level, app)
    .run();
}

/** What is said of Beacon. */
const [NOT_YET] = STATES.not_integrated;
const TOP = ["Acme", "Beacon", "Corsair", "Delta", "Echo", "Newsletter"];

describe("the tree", () => {
  it("shows the links of level 1 by name", async () => {
    const page = await open(browser, PAGE);
    expect(names(page)).toEqual(TOP);
    expect(rowsOf(page)[1]).toMatchObject({
      ...{ level: "Network", costData: "Off" },
      ...{ partner: `Beacon Network ${NOT_YET}`, signal: NOT_YET },
    });
    expect(rowsOf(page)[5]).toMatchObject({ partner: "None", clicks: "0", spend: "–", perClick: "–" });
  });

  it("opens and closes branches by links, at every level", async () => {
    let page = await open(browser, PAGE);
    for (const name of ["Acme", "Spring", "Runners"]) {
      const [toggle] = linksOf(page).filter(({ text }) => text.includes(`Open ${name},`));
      page = await open(browser, toggle?.href ?? "");
    }
    expect(
      rowsOf(page)
        .slice(0, 5)
        .map(({ name, level }) => [name, level]),
    ).toEqual([
      ["Acme", "Network"],
      ["Brand search", "Campaign"],
      ["Launch week", "Campaign"],
      ["Retargeting", "Campaign"],
      ["Spring", "Campaign"],
    ]);
    expect(names(page)).toContain("Video 15s");
    expect(rowsOf(page).find(({ name }) => name === "Video 15s")).toMatchObject({
      partner: "Acme Ads inherited",
      costData: "On",
    });
    const [toggle] = linksOf(page).filter(({ text }) => text.includes("Close Acme,"));
    expect(names(await open(browser, toggle?.href ?? ""))).toEqual(TOP);
  });

  it("opens at most 20 branches: the one that was opened first closes", async () => {
    await addLinks(21, null, 1, "N");
    await rows("UPDATE links SET child_count = 1 WHERE token LIKE 'xn%'");
    const tokens = Array.from({ length: 20 }, (_, index) => `xn${String(index + 1).padStart(8, "0")}`);
    const page = await open(browser, `${PAGE}?open=${tokens}`);
    const [toggle] = linksOf(page).filter(({ text }) => text.includes("Open N 00021,"));
    const next = new URL(toggle?.href ?? "", "https://x").searchParams.get("open");
    expect(next).toBe([...tokens.slice(1), "xn00000021"].join());
    expect((await browser.get(`${PAGE}?open=${[...tokens, "xn00000021"]}`)).status).toBe(400);
  });

  it("has 50 links of a branch on a page, and then the others, in each branch by itself", async () => {
    await addLinks(120, null, 1, "N");
    await addLinks(60, 8, 2, "S");
    const first = await open(browser, `${PAGE}?open=demo1nk008&sort=name&q=`);
    expect(names(first)).toHaveLength(50);
    const seen = [...names(first)];
    let page = first;
    for (const expected of [50, 26]) {
      page = await open(browser, hrefOf(page, "Show 50 more"));
      const next = names(page).filter((name) => !name.startsWith("S "));
      expect(next).toHaveLength(expected);
      seen.push(...next);
      expect(linksOf(page).map(({ text }) => text)).toContain("Back to the first links");
    }
    const top = await rows<{ label: string }>(
      "SELECT label FROM links WHERE app_token = ? AND parent_id IS NULL ORDER BY label COLLATE NOCASE",
      DEMO.appToken,
    );
    expect(seen).toEqual(top.map(({ label }) => label));
    // The last page has the open branch with its own next page.
    const more = linksOf(page).filter(({ text }) => text === "Show 50 more");
    expect(more).toHaveLength(1);
    await rows("DELETE FROM links WHERE token LIKE 'xn%'");
    const branch = await open(browser, `${PAGE}?open=demo1nk008`);
    expect(names(branch)).toHaveLength(6 + 50);
    const rest = await open(browser, hrefOf(branch, "Show 50 more"));
    expect(names(rest)).toHaveLength(6 + 10);
    expect(names(await open(browser, hrefOf(rest, "Back to the first links")))).toEqual(names(branch));
  });

  it("keeps links with the same name, by age", async () => {
    await rows("UPDATE links SET label = 'same' WHERE app_token = ?", DEMO.appToken);
    await addLinks(100, null, 1, "Same");
    await rows("UPDATE links SET label = 'SAME' WHERE token LIKE 'xsame%'");
    const first = await open(browser, PAGE);
    const second = await open(browser, hrefOf(first, "Show 50 more"));
    const third = await open(browser, hrefOf(second, "Show 50 more"));
    expect([first, second, third].map((page) => names(page).length)).toEqual([50, 50, 6]);
    const tokens = [first, second, third].flatMap((page) =>
      [...page.matchAll(/links\/(\w+)\/qr\.svg/g)].map(([, token]) => token),
    );
    expect(new Set(tokens).size).toBe(106);
  });

  it("hides archived links unless they are asked for", async () => {
    await rows("UPDATE links SET archived = 1 WHERE token = 'demo1nk006'");
    expect(await namesAt("")).not.toContain("Beacon");
    const page = await open(browser, PAGE);
    expect(textOf(page)).toContain("Archived links are hidden here and left out of the export.");
    expect(names(await open(browser, hrefOf(page, "Include archived links")))).toEqual(TOP);
    expect(textOf(await open(browser, `${PAGE}?archived=all`))).not.toContain("Archived links are hidden");
    expect(await namesAt("archived=all")).toEqual(TOP);
    expect(await namesAt("archived=only")).toEqual(["Beacon"]);
    expect(textOf(await open(browser, `${PAGE}?archived=only`))).toContain(
      `Beacon Archived ${NOT_YET} Network`,
    );
  });

  it("says why a link has no costs as usual, on a phone below its name", async () => {
    const signalOf = async (name: string) =>
      rowsOf(await open(browser, PAGE)).find((row) => row.name === name)?.signal;
    expect(await signalOf("Acme")).toBe("");
    expect(await signalOf("Newsletter")).toBe("");
    await rows("UPDATE links SET cost_switch = 0 WHERE token = 'demo1nk001'");
    expect(await signalOf("Acme")).toBe("Cost data off");
    await rows("INSERT OR REPLACE INTO partner_activity VALUES (1, 1, 0, 1, 1, ?, ?, 0)", NOW - DAY, NOW);
    expect(await signalOf("Acme")).toBe("No cost after 14 Mar");
    await rows("UPDATE partners SET stopped_at = 1 WHERE id = 1");
    expect(await signalOf("Acme")).toBe("Stopped");
    const ofSearch = rowsOf(await open(browser, `${PAGE}?q=runners`)).map(({ signal }) => signal);
    expect(new Set(ofSearch)).toEqual(new Set(["Stopped"]));
  });

  it("says it once for a link and those below it that inherit its partner", async () => {
    const campaign = async (page: string) => {
      const found = rowsOf(await open(browser, page)).find(({ name }) => name === "Spring");
      return [found?.partner, found?.signal];
    };
    const pages = [`${PAGE}?open=demo1nk001`, `${PAGE}/demo1nk001`];
    const statesOf = () => Promise.all(pages.map(campaign));
    const inherited = ["Acme Ads inherited", ""];
    await rows("UPDATE links SET cost_switch = 0 WHERE token = 'demo1nk001'");
    expect(await statesOf()).toEqual([inherited, inherited]);
    await rows("UPDATE links SET cost_switch = 0 WHERE token = 'demo1nk002'");
    expect((await statesOf()).map(([, signal]) => signal)).toEqual(["Cost data off", "Cost data off"]);
    await rows("UPDATE partners SET stopped_at = 1 WHERE id IN (1, 2)");
    expect((await statesOf()).map(([partner]) => partner)).toEqual([
      "Acme Ads inherited",
      "Acme Ads inherited",
    ]);
    await rows("UPDATE links SET partner_id = 2 WHERE token = 'demo1nk002'");
    const own = ["Beacon Network Stopped", "Stopped"];
    expect(await statesOf()).toEqual([own, own]);
  });
});

describe("search and filters", () => {
  it("finds words in any order and anywhere in the names from the network down, in any case", async () => {
    const page = await open(browser, `${PAGE}?q=ideo`);
    expect(rowsOf(page).map(({ name, path }) => [name, path])).toEqual([
      ["Video 15s", "Acme › Spring › Runners"],
      ["Video 30s", "Acme › Spring › Runners"],
    ]);
    expect(textOf(page)).toContain("2 links match “ideo”.");
    expect(await namesAt("q=15S+acm")).toEqual(["Video 15s"]);
    expect(await namesAt("q=Acme::Spring")).toEqual(await namesAt("q=Acme+%E2%80%BA+Spring"));
    expect(await namesAt("q=Acme+%3E+Spring")).toEqual(await namesAt("q=Acme::Spring"));
    expect(await namesAt("q=Acme::Spring::Runn&level=3")).toEqual(["Runners"]);
    expect(await namesAt("q=Acme+%3E+Runn&level=3")).toEqual(["Runners"]);
    expect(await namesAt("q=Runn+%3E+Acme")).toEqual([]);
    expect(await namesAt("q=acm+spri+%E2%80%BA+15s")).toEqual(["Video 15s"]);
    expect(await namesAt("q=Acme+%3E+Acme")).toEqual([]);
    expect(await namesAt("q=%22video+15s%22")).toEqual(["Video 15s"]);
    expect(await namesAt("q=%2215s+video%22")).toEqual([]);
    expect(await namesAt("q=%22acme+spring%22")).toEqual([]);
    expect(await namesAt("q=runners+%3E")).toEqual(await namesAt("q=runners"));
    expect(await namesAt("q=demo1nk004")).toEqual(["Video 15s"]);
    expect(await namesAt("q=demo1nk00")).toEqual([]);
    expect(await namesAt("q=DEMO1NK004+")).toEqual(["Video 15s"]);
    expect(await namesAt("q=%25")).toEqual(["Lookalike 1%"]);
    await rows("UPDATE links SET label = 'Café' WHERE token = 'demo1nk008'");
    expect(await namesAt(`q=${encodeURIComponent("cafe\u0301")}`)).toEqual(["Café"]);
  });

  it("finds a path with > between names, also without spaces, and a name with a >", async () => {
    const spring = await namesAt("q=Acme+%3E+Spring");
    expect(spring).toContain("Spring");
    expect(await namesAt("q=acme%3Espring")).toEqual(spring);
    expect(await namesAt("q=acme%3E+runn%3E15s")).toEqual(["Video 15s"]);
    expect(await namesAt("q=spring%3Eacme")).toEqual([]);
    await rows("UPDATE links SET label = 'Age>30' WHERE token = 'demo1nk008'");
    expect(await namesAt("q=age%3E30")).toEqual(["Age>30"]);
    expect((await browser.get(`${PAGE}?q=${"a%3Eb%3E".repeat(6)}`)).status).toBe(200);
    expect(
      (await browser.get(`${PAGE}?q=${Array.from({ length: 11 }, (_, at) => at).join("%3E")}`)).status,
    ).toBe(400);
  });

  it.each([
    "https://go.example.com/DEMO1NK004",
    "https://go.example.com/demo1nk004?cost_id={id}&campaign=Spring>Runners#top",
    `https://go.example.com/impression/demo1nk004?utm_source=${"x".repeat(300)}`,
    `https://app.example.com${PAGE}/demo1nk004?period=7d`,
    "go.example.com/demo1nk004",
    " https://go.example.com/demo1nk004\t",
  ])("finds a link by its URL: %s", async (url) => {
    expect(await namesAt(`q=${encodeURIComponent(url)}`)).toEqual(["Video 15s"]);
  });

  it("reads a tab between words as a space", async () => {
    expect(await namesAt("q=acme%0915s")).toEqual(["Video 15s"]);
  });

  it("names the words that no link has, and offers archived links that match", async () => {
    const nothing = textOf(await open(browser, `${PAGE}?q=video+nosuch+<b>`));
    expect(nothing).toContain("No link of this app has “nosuch” and “<b>”.");
    expect(textOf(await open(browser, `${PAGE}?q=video+beacon`))).toContain("none has all of them");
    await rows("UPDATE links SET archived = 1 WHERE token = 'demo1nk004'");
    const page = await open(browser, `${PAGE}?q=15s`);
    expect(names(page)).toEqual([]);
    expect(names(await open(browser, hrefOf(page, "Show 1 archived match")))).toEqual(["Video 15s"]);
  });

  it("reads each link of the app once, and at most 20,000", async () => {
    const count = async () => {
      const { database, counts } = countingDatabase();
      const page = await open(browser, `${PAGE}?q=N+00001`, { env: { DB: database } });
      return { read: counts.read, text: textOf(page) };
    };
    // A shard reads 22 rows: its identity, 9 to judge whether there is too much to add up, and the figures of what is found.
    const others = 65 + 22 * ledgerOn().shards.length;
    await addLinks(500, null, 1, "N");
    // Once, so that the catalog of partners is known.
    await count();
    const some = await count();
    expect(some.read - 500).toBeLessThan(others);
    expect(some.text).not.toContain("first 20,000");
    await rows(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
       INSERT INTO links (token, app_token, parent_id, level, label, created_at)
       SELECT 'more' || i, ?, 8, 2, 'More ' || i, 0 FROM n`,
      DEMO.appToken,
    );
    const all = await count();
    expect(all.read - 20_001).toBeLessThan(others);
    expect(all.text).toContain("of the first 20,000 match. The others weren't searched");
  });

  it("finds by level, attached partner and cost data, also together", async () => {
    expect(await namesAt("level=4")).toEqual(["Video 15s", "Video 30s"]);
    expect(await namesAt("partner=2")).toEqual(["Beacon"]);
    expect(await namesAt("cost=on")).toEqual(["Acme", "Delta", "Echo"]);
    expect(await namesAt("cost=off")).toEqual(["Beacon", "Corsair"]);
    await rows("UPDATE links SET cost_switch = 0 WHERE token = 'demo1nk003'");
    expect(await namesAt("cost=off")).toEqual(["Beacon", "Corsair", "Runners"]);
    expect(await namesAt("cost=off&level=3")).toEqual(["Runners"]);
    expect(await namesAt("cost=own")).toEqual(["Runners"]);
    expect(textOf(await open(browser, `${APP}/links?cost=own`))).toContain("Off own: off");
    expect(await namesAt("partner=1&q=b")).toEqual([]);
    expect(await namesAt("partner=1&cost=on&level=1&q=a&archived=all")).toEqual(["Acme"]);
    await rows("UPDATE partners SET supports_cost_data = 0, integrated_types = 0 WHERE id = 1");
    expect(await namesAt("cost=on")).toEqual(["Delta", "Echo"]);
  });

  it("reads what it finds page by page, over all levels", async () => {
    await addLinks(70, null, 1, "Z");
    await addLinks(70, 8, 2, "Zz");
    let page = await open(browser, `${PAGE}?q=z`);
    const seen = [...names(page)];
    for (const expected of [50, 40]) {
      page = await open(browser, hrefOf(page, "Show 50 more"));
      expect(names(page)).toHaveLength(expected);
      seen.push(...names(page));
    }
    expect(new Set(seen).size).toBe(140);
    expect(seen[69]).toBe("Z 00070");
    expect(seen[70]).toBe("Zz 00001");
    expect(linksOf(page).map(({ text }) => text)).not.toContain("Show 50 more");
  });

  it("keeps the rest of the view when a form is sent, and accepts its empty fields", async () => {
    const page = await open(browser, `${PAGE}?period=30d&open=demo1nk001&q=v`);
    expect(page).toContain('<input type="hidden" name="period" value="30d">');
    expect(page).toContain('<input type="hidden" name="open" value="demo1nk001">');
    expect(await namesAt("q=&level=&partner=&cost=&archived=&sort=name&from=&to=")).toEqual(TOP);
    expect(names(await open(browser, hrefOf(page, "Clear filters")))).toContain("Spring");
  });
});

describe("figures", () => {
  it("add up everything below a link, by currency and cost type", async () => {
    const at = (link: string) => ({ link });
    await click("figures-click-01", at("demo1nk004"));
    await sendCost({ cost_id: "figures-click-01", cost_amount: "1.5" });
    await click("figures-click-02", at("demo1nk005"));
    await sendCost({ cost_id: "figures-click-02", cost_amount: "0.5" });
    await click("figures-click-03", at("demo1nk001"));
    await sendCost({ cost_id: "figures-click-03", cost_amount: "3", cost_currency: "EUR", cost_type: "cpi" });
    await view("figures-view-01", at("demo1nk004"));
    await sendCost({ cost_id: "figures-view-01", cost_amount: "2", cost_type: "cpm" });
    await click("", at("demo1nk008"));
    const found = rowsOf(await open(browser, `${PAGE}?open=demo1nk001,demo1nk002,demo1nk003`));
    const of = (name: string) => found.find((row) => row.name === name);
    expect(of("Video 15s")).toMatchObject({ clicks: "1", spend: "$1.50", perClick: "$1.500" });
    expect(of("Runners")).toMatchObject({ clicks: "2", spend: "$2.00", perClick: "$1.000" });
    expect(of("Spring")).toMatchObject(of("Runners") ? { clicks: "2", spend: "$2.00" } : {});
    expect(of("Acme")).toMatchObject({
      clicks: "3",
      spend: "$2.00 €3.00",
      // Of cpc costs only.
      perClick: "$1.000 –",
    });
    expect(of("Newsletter")).toMatchObject({ clicks: "1", spend: "–", perClick: "–" });
  });

  it("are those of the API for each link and everything below it, on the days of the page", async () => {
    for (const [index, link] of ["demo1nk001", "demo1nk003", "demo1nk004", "demo1nk008"].entries()) {
      const now = NOW - (index + 1) * DAY;
      await click(`figures-api-${index}0`, { link, now });
      await sendCost({ cost_id: `figures-api-${index}0`, cost_amount: `${index + 1}.25` }, { now });
    }
    for (const days of [
      "from=2026-03-14&to=2026-03-15",
      "from=2026-03-12&to=2026-03-13",
      "from=2026-01-01&to=2026-03-15",
    ]) {
      const found = rowsOf(await open(browser, `${PAGE}?open=demo1nk001,demo1nk002,demo1nk003&${days}`));
      for (const [name, link] of [
        ["Acme", "demo1nk001"],
        ["Runners", "demo1nk003"],
        ["Video 15s", "demo1nk004"],
      ]) {
        const items = async (report: string) =>
          (
            await ask<{ data: { items: { spend: string; count: number }[] } }>(
              `/public/v1/apps/${DEMO.appToken}/${report}?link=${link}&${days}&group_by=${report === "spend" ? "cost_type" : "kind"}`,
              { token: DEMO.apiToken },
            )
          ).body.data.items;
        const [spend] = await items("spend");
        const [clicks] = await items("engagements");
        const row = found.find((row) => row.name === name);
        expect([days, name, row?.spend, row?.clicks]).toEqual([
          days,
          name,
          spend ? `$${Number(spend.spend).toFixed(2)}` : "–",
          String(clicks?.count ?? 0),
        ]);
      }
    }
  });

  it("order links by clicks and by spend, the highest first, then the others by name, in each branch", async () => {
    await addLinks(60, 8, 2, "S");
    for (const [link, clicks] of [
      ["xs00000007", 3],
      ["xs00000060", 5],
      ["demo1nk006", 1],
    ] as const) {
      for (let count = 0; count < clicks; count++) await click("", { link });
    }
    expect((await namesAt("sort=-clicks")).slice(0, 4)).toEqual(["Newsletter", "Beacon", "Acme", "Corsair"]);
    const first = await open(browser, `${PAGE}?sort=-clicks&open=demo1nk008`);
    const branch = names(first).filter((name) => name.startsWith("S "));
    expect(branch).toHaveLength(50);
    expect(branch.slice(0, 4)).toEqual(["S 00060", "S 00007", "S 00001", "S 00002"]);
    const second = await open(browser, hrefOf(first, "Show 50 more"));
    const rest = names(second).filter((name) => name.startsWith("S "));
    expect(rest).toHaveLength(10);
    expect(new Set([...branch, ...rest]).size).toBe(60);
    expect((await namesAt("sort=-clicks&q=s")).slice(0, 3)).toEqual(["Newsletter", "S 00060", "S 00007"]);
    await click("figures-spend-1", { link: "demo1nk004" });
    await sendCost({ cost_id: "figures-spend-1", cost_amount: "1" });
    for (const filter of ["cost=on", "partner=1", "level=1&cost=on"]) {
      expect([filter, await namesAt(`sort=-spend&${filter}`)]).toEqual([
        filter,
        filter.includes("partner") ? ["Acme"] : ["Acme", "Delta", "Echo"],
      ]);
    }
    expect(await namesAt("sort=-clicks&level=4&q=video")).toEqual(["Video 15s", "Video 30s"]);
    const bySpend = await open(browser, `${PAGE}?sort=-spend`);
    expect(names(bySpend)).toEqual(TOP);
    expect(textOf(bySpend)).toContain("Ordered by spend in USD");
  });

  it("rank more than 50 links over several pages", async () => {
    await addLinks(130, null, 1, "N");
    await env.DB.prepare(
      `INSERT INTO daily_engagements SELECT app_token, ?, id, 0, 'click', id, 0 FROM links WHERE token LIKE 'xn%' AND id <= 1100`,
    )
      .bind(Math.floor(NOW / DAY))
      .run();
    const first = await open(browser, `${PAGE}?sort=-clicks`);
    const second = await open(browser, hrefOf(first, "Show 50 more"));
    const third = await open(browser, hrefOf(second, "Show 50 more"));
    expect(names(first)).toEqual(
      Array.from({ length: 50 }, (_, index) => `N ${String(100 - index).padStart(5, "0")}`),
    );
    expect(names(second).at(-1)).toBe("N 00001");
    expect(names(third)).toEqual([
      ...TOP.slice(0, 5),
      ...Array.from({ length: 30 }, (_, index) => `N ${String(101 + index).padStart(5, "0")}`),
      "Newsletter",
    ]);
    expect(linksOf(third).map(({ text }) => text)).not.toContain("Show 50 more");
  });
});

describe("an empty page", () => {
  it("explains how to start if the app has no links", async () => {
    await rows("UPDATE apps SET link_count = 0");
    expect(textOf(await open(browser, PAGE))).toContain("Demo App has no links yet");
  });

  it("offers to clear the filters if nothing is found", async () => {
    const page = await open(browser, `${PAGE}?q=nothing&period=30d`);
    expect(textOf(page)).toContain("No links match these filters");
    expect(hrefOf(page, "Clear filters")).toBe(`${PAGE}?period=30d`);
  });

  it("offers the archived links if all are archived", async () => {
    await rows("UPDATE links SET archived = 1");
    const page = await open(browser, PAGE);
    expect(textOf(page)).toContain("All links of this app are archived");
    expect(names(await open(browser, hrefOf(page, "Show archived links")))).toContain("Acme");
  });
});

describe("a view that doesn't exist says so, with a way back", () => {
  const cursor = (parts: unknown[]) =>
    btoa(JSON.stringify(parts)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  it.each([
    [
      "from=2026-02-30&to=2026-03-01&level=5&partner=x&cost=maybe&archived=yes&sort=age&open=a'b&q=%00&color=red",
      "The From date",
      "The level must be 1, 2, 3 or 4.",
      "The partner must be a positive integer.",
      "The cost data filter must be on, off or own.",
      "The filter for archived items must be only or all.",
      "The order must be one of name, -clicks, -spend.",
      "The list of open links must be the tokens of links",
      "The search must not contain control characters.",
      "color is not a known parameter; remove it.",
    ],
    ["from=2026-03-02", "The To date"],
    ["period=year", "The period"],
    ["level=1&level=2", "The level is given twice with different values; send it once."],
    ["partner=99", "The partner doesn't exist."],
    ["open=nosuchlink", "The list of open links names nosuchlink, which this app doesn't have."],
    ["open=demo1nk009", "The list of open links names demo1nk009, which this app doesn't have."],
    ["after=x", "The position in the list is invalid."],
    [`after=-.${cursor(["name", 1, 1])}`, "The position in the list is invalid."],
    [`after=-.${cursor(["-clicks", -1])}`, "The position in the list is invalid."],
    [`after=-.${cursor(["-clicks", 50])}`, "The position in the list belongs to a list in another order."],
    [
      `after=demo1nk008.${cursor(["name", 2, 1, "a"])}`,
      "The position in the list names demo1nk008, which isn't open.",
    ],
    [`q=${"x".repeat(256)}`, "The search has 256 characters; it can have at most 255."],
    ["q=%ff", "The search must be percent-encoded UTF-8."],
  ])("%s", async (query, ...messages) => {
    const { status, text } = await browser.get(`${PAGE}?${query}`);
    expect(status).toBe(400);
    expect(textOf(text)).toContain("Check the filters and dates");
    for (const message of messages) expect(textOf(text)).toContain(message);
    // An old link still shows what it can.
    expect(names(text)).toEqual(TOP);
    expect(hrefOf(text, "Reset filters and dates")).toBe(PAGE);
  });
});
