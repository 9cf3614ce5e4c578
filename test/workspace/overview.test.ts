/** The Overview page: its figures are those of the API, and what needs attention has a link to its fix. */
import { beforeEach, describe, expect, it } from "vitest";
import { type Browser, freshSession } from "../account/support.ts";
import {
  ask,
  call,
  click,
  countingDatabase,
  DAY,
  DEMO,
  env,
  freshWholeDemo,
  IPHONE,
  ledgerOn,
  NOW,
  type ProblemBody,
  rows,
  sendCost,
} from "../harness.ts";
import { isLong, isWhole } from "../part.ts";
import { inLedger } from "../support.ts";
import { APP, figuresOf, hrefOf, linksOf, mainOf, open, tablesOf, textOf } from "./page-text.ts";

const today = NOW / DAY - 0.5;
let browser: Browser;

beforeEach(async () => {
  browser = await freshSession(freshWholeDemo);
});

type Items = Record<string, string | number>[];

async function report(name: string, query: string): Promise<Items> {
  const { body } = await ask<{ data: { items: Items } }>(
    `/public/v1/apps/${DEMO.appToken}/${name}?${query}`,
    { token: DEMO.apiToken },
  );
  return body.data.items;
}

const overview = async (query = "") => mainOf(await open(browser, `${APP}?${query}`));
const captionsOf = (page: string) =>
  [...page.matchAll(/<figcaption><span[^>]*>([^<]*)/g)].map(([, caption]) => caption);
const problems = (page: string) => {
  const list = /<h2 id="attention">[\s\S]*?<\/section>/.exec(page)?.[0] ?? "";
  return [...list.matchAll(/<li>([\s\S]*?)<\/li>/g)].map(([, item = ""]) => ({
    text: textOf(item.replace(/<form[\s\S]*<\/form>/, "")),
    // Before it are the names of partners.
    href: linksOf(item.replace(/<form[\s\S]*<\/form>/, "")).at(-1)?.href,
  }));
};

describe("the figures", () => {
  it("equal the sums of the API, for the days and the days before", async () => {
    await env.DB.prepare(
      "INSERT INTO daily_totals SELECT ?, ? - 7 * value, 1, 1, 'cpc', 'USD', 'unpriced', 3 - value, 0 FROM json_each('[0, 1]')",
    )
      .bind(DEMO.appToken, today - 1)
      .run();
    const page = await overview("from=2026-03-08&to=2026-03-14");
    const [now, before] = ["from=2026-03-08&to=2026-03-14", "from=2026-03-01&to=2026-03-07"];
    const spend = new Intl.NumberFormat("en-US", { style: "currency", currency: "USD" });
    const percent = (one: number, other: number) =>
      `${one > other ? "▲ +" : "▼ −"}${(Math.trunc((Math.abs(one - other) / other) * 1e6) / 1e4).toFixed(1).replace(/\.0$/, "")}%`;
    const usd = async (days: string) =>
      (await report("spend", `${days}&group_by=partner&currency=USD`)).reduce(
        (sum, row) => sum + Number(row.spend),
        0,
      );
    const counted = async (kind: string, days: string) =>
      (await report("engagements", `${days}&group_by=kind&kind=${kind}`)).reduce(
        (sum, row) => sum + Number(row.count),
        0,
      );
    expect(figuresOf(page)).toContain(
      `Spend in USD ${spend.format(await usd(now))} ${percent(await usd(now), await usd(before))}`,
    );
    for (const [name, kind] of [
      ["Clicks", "click"],
      ["Impressions", "impression"],
    ] as const) {
      const [count, earlier] = [await counted(kind, now), await counted(kind, before)];
      expect(figuresOf(page)).toContain(
        `${name} ${count.toLocaleString("en-US")} ${percent(count, earlier)}`,
      );
    }
    expect(figuresOf(page).map((text) => text.replace(/ [^A-Za-z]*\d.*/, ""))).toEqual([
      "Spend in USD",
      "Spend in EUR",
      "Clicks",
      "Impressions",
    ]);
    expect(textOf(page)).toContain("Compared with 1 – 7 Mar 2026. Not final : costs");
    // What is no figure is in the line below them, with its report, unless it is zero.
    await call(`/${DEMO.linkToken}?cost_id=short`, { headers: { "user-agent": IPHONE } });
    const lineOf = async (days: string) => {
      const [line = ""] =
        /<p class="hint">Compared[\s\S]*?<\/p>|<p class="hint">Today[\s\S]*?<\/p>/.exec(
          await overview(days),
        ) ?? [];
      return [linksOf(line), textOf(line).replace(/^.* arrive( until \d+ \w+ \d+)?\. ?/, "")];
    };
    expect(await lineOf(now)).toEqual([
      [{ href: `${APP}/partners?${now}&sort=-unpriced`, text: "3 costs without amount" }],
      "3 costs without amount",
    ]);
    const upToNow = "from=2026-03-09&to=2026-03-15";
    expect(await lineOf(upToNow)).toEqual([
      [
        { href: `${APP}/partners?${upToNow}&sort=-unpriced`, text: "3 costs without amount" },
        { href: `${APP}/ignored?${upToNow}`, text: "1 dropped URL parameter" },
      ],
      "3 costs without amount · 1 dropped URL parameter",
    ]);
    expect(await lineOf("from=2026-02-22&to=2026-02-28")).toEqual([[], ""]);
  });

  it.runIf(isWhole)(
    "have one chart, with the days before, in the currency that is chosen for it and for what changed",
    async () => {
      const week = "from=2026-03-08&to=2026-03-14";
      const usd = await overview(week);
      expect(captionsOf(usd)).toEqual([expect.stringMatching(/^Spend in USD by day and partner: \$/)]);
      expect(hrefOf(usd, "EUR")).toBe(`${APP}?${week}&currency=EUR`);
      const eur = await overview(`${week}&currency=EUR`);
      expect(captionsOf(eur)).toEqual([expect.stringMatching(/^Spend in EUR by day/)]);
      expect(textOf(eur.slice(eur.indexOf('id="changed"')))).toContain(
        "Spend in EUR, compared with 1 – 7 Mar 2026.",
      );
      expect(figuresOf(eur)).toEqual(figuresOf(usd));
      const days = await report("spend", "from=2026-03-01&to=2026-03-07&group_by=day&currency=EUR");
      const money = new Intl.NumberFormat("en-US", { style: "currency", currency: "EUR" });
      const earlier = [...eur.matchAll(/aria-label="\d+ Mar 2026: [^"]*Previous period ([^",)]*)/g)];
      expect(earlier.map(([, spend]) => spend)).toEqual(days.map(({ spend }) => money.format(Number(spend))));
      // Without spend in it, clicks say more than an empty chart.
      const gbp = await overview(`${week}&currency=GBP`);
      expect(captionsOf(gbp)).toEqual([expect.stringMatching(/^Clicks by day: \d/)]);
      expect(textOf(gbp)).toContain("No spend in GBP in this period.");
    },
  );

  it.runIf(isWhole)("of today are not compared", async () => {
    for (const days of ["period=today", "from=2026-03-09&to=2026-03-15"]) {
      const page = await overview(days);
      expect(textOf(page)).toContain("Today isn't over, so it isn't compared with the days before.");
      expect(figuresOf(page).filter((figure) => /new|%|no change/.test(figure))).toEqual([]);
      expect(figuresOf(page).length).toBeGreaterThan(3);
    }
  });

  it.runIf(isWhole)("have no changes where no day before them has data, and say so", async () => {
    const older = `DELETE FROM {} WHERE day < ${today - 3}`;
    await inLedger(...["daily_engagements", "daily_totals"].map((table) => older.replace("{}", table)));
    const page = await overview();
    expect(textOf(page)).toContain("There is no data before 12 Mar 2026 to compare with.");
    expect(figuresOf(page).filter((figure) => /new|%/.test(figure))).toEqual([]);
    expect(figuresOf(page).length).toBeGreaterThan(3);
  });

  it.runIf(isWhole)("lead to pages with the same days", async () => {
    const page = await overview("from=2026-03-09&to=2026-03-15");
    const days = "from=2026-03-09&to=2026-03-15";
    const links = linksOf(/<ul class="figures"[\s\S]*?<\/ul>/.exec(page)?.[0] ?? "");
    expect(links.map(({ href }) => href)).toEqual([
      `${APP}/performance?${days}&currency=USD`,
      `${APP}/performance?${days}&currency=EUR`,
      `${APP}/performance?${days}&metric=clicks`,
      `${APP}/performance?${days}&metric=impressions&columns=spend%2Cclicks%2Cimpressions%2Ccost_per_click%2Ccoverage`,
    ]);
    for (const { href } of links) await open(browser, href);
    // A day of a preset period leads to that day only.
    for (const shown of [page, await overview("period=7d")]) {
      const chartDays = [...shown.matchAll(/<a href="[^"]*" aria-label="9 Mar/g)];
      expect(chartDays.map(([day]) => linksOf(`${day}">x</a>`)[0]?.href)).toEqual([
        `${APP}/performance?from=2026-03-09&to=2026-03-09&currency=USD`,
      ]);
    }
  });

  it.runIf(isWhole)(
    "are followed by the five campaigns whose spend changed most, each with its page",
    async () => {
      const days = "from=2026-03-02&to=2026-03-08";
      const page = await overview(days);
      const [changed = []] = tablesOf(page);
      const { body } = await ask<{ data: { items: (Items[number] & { previous: { spend: string } })[] } }>(
        `/public/v1/apps/${DEMO.appToken}/performance?${days}&group_by=link&limit=1000`,
        { token: DEMO.apiToken },
      );
      const changes = body.data.items
        .map((item) => ({ item, by: Math.abs(Number(item.spend) - Number(item.previous.spend)) }))
        .filter(({ by }) => by > 0)
        .sort((left, right) => right.by - left.by)
        .slice(0, 5);
      // A link without a campaign.
      const isDirect = (item: Items[number]) => !String(item.link_name).includes("::");
      expect(changed.length).toBe(changes.length + 1);
      expect(changes.length).toBe(5);
      expect(changed.slice(1).map(({ cells }) => cells[0])).toEqual(
        changes.map(
          ({ item }) => String(item.link_name).replaceAll("::", " › ") + (isDirect(item) ? " direct" : ""),
        ),
      );
      expect(changed.slice(1).map(({ href }) => href)).toEqual(
        changes.map(({ item }) => {
          const only = isDirect(item) ? "direct=1&group_by=day" : "level=3";
          return `${APP}/performance?${days}&link=${item.link_token}&${only}&currency=USD`;
        }),
      );
      // What opens has the figures of the row.
      for (const { cells, href } of changed.slice(1))
        expect(figuresOf(mainOf(await open(browser, href ?? "")))[0]).toBe(
          `Spend ${cells[1]}${cells[2] === "–" ? "" : ` ${cells[2]}`}`,
        );
      expect(hrefOf(page, "Show all")).toBe(`${APP}/performance?${days}&currency=USD`);
      // The note says what the colors of prices mean, so that a phone shows these too.
      expect(page).toMatch(
        /<td data-label="Cost per click"[^>]*>.*?<td data-label="Change" class="number phone-/s,
      );
      expect(page).not.toContain("more-figures");
    },
  );

  it.runIf(isWhole)("are not followed by what changed if there was nothing before", async () => {
    expect(await overview("period=90d")).not.toContain("Changed most");
  });
});

describe("needs attention", () => {
  const partnersPage = `${APP}/partners`;

  it.runIf(isWhole)("names partners that have no cost data yet", async () => {
    expect(problems(await overview())).toEqual([
      {
        text: "Beacon Network and Corsair Media have no cost data yet: 61 clicks without a cost. Open partners",
        href: `${partnersPage}?period=7d`,
      },
      {
        text: "Delta Reach is stopped. Its costs are rejected, and its clicks and impressions have cost data off. Open partner",
        href: `${partnersPage}/4?period=7d`,
      },
    ]);
  });

  it.runIf(isWhole)("shows three items, and the others in a closed list", async () => {
    await inLedger(`DELETE FROM daily_totals WHERE day >= ${today - 1}`);
    await env.DB.prepare("INSERT INTO daily_totals VALUES (?, ?, 1, 1, 'cpc', 'USD', 'unpriced', 2, 0)")
      .bind(DEMO.appToken, today - 3)
      .run();
    const page = await overview();
    expect(problems(page)).toHaveLength(5);
    const [first = "", more = ""] = page
      .slice(page.indexOf('id="attention"'))
      .split("<details><summary>2 more</summary>");
    expect([first, more].map((part) => problems(`<h2 id="attention">${part}</section>`).length)).toEqual([
      3, 2,
    ]);
  });

  it.runIf(isWhole)("names a stopped partner", async () => {
    await env.DB.exec("UPDATE partners SET supports_cost_data = 1, integrated_types = 1 WHERE id = 2");
    await env.DB.exec("UPDATE links SET cost_switch = 1 WHERE partner_id = 2");
    await env.DB.exec("UPDATE partners SET stopped_at = 1 WHERE id = 1");
    const [stopped] = problems(await overview()).filter(({ text }) => text.startsWith("Acme"));
    expect(stopped?.text).toMatch(/^Acme Ads is stopped. Its costs are rejected/);
    expect(stopped?.href).toBe(`${partnersPage}/1?period=7d`);
  });

  it("names a partner without costs for its clicks of the last two days", async () => {
    const recent = `day >= ${today - 1}`;
    await inLedger(`DELETE FROM daily_totals WHERE ${recent}`);
    const recorded = async () =>
      textOf(await overview()).match(
        /No cost from Acme Ads after \d+ Mar, with ([\d,]+) clicks and impressions in two days. Ask/,
      )?.[1];
    expect(await recorded()).toMatch(/^[1-9]/);
    await inLedger(`UPDATE daily_engagements SET recorded = 0 WHERE ${recent}`);
    const [first] = problems(await overview());
    expect(first?.text).toMatch(/^The latest clicks and impressions of Acme Ads have no cost ID/);
    expect(first?.href).toBe(`${APP}/links?partner=1`);
    await inLedger(`DELETE FROM daily_engagements WHERE ${recent}`);
    const silent = problems(await overview()).map(({ text }) => text);
    expect(silent).toContainEqual(
      expect.stringMatching("^No clicks, impressions or costs from Acme Ads in two days"),
    );
    await env.DB.prepare("INSERT INTO daily_totals VALUES (?, ?, 1, 1, 'cpc', 'USD', 'unpriced', 2, 0)")
      .bind(DEMO.appToken, today - 1)
      .run();
    const page = await overview();
    expect(problems(page).map(({ text }) => text)).toEqual([
      expect.stringMatching("^Beacon Network and Corsair Media have no cost data yet"),
      expect.stringMatching("^Delta Reach is stopped"),
      "2 costs of Acme Ads have no amount. Ask the partner to resend them. Open partner",
      expect.stringMatching("^No clicks, impressions or costs from Echo Media in two days"),
    ]);
    const unpriced = problems(page).find(({ text }) => text.startsWith("2 costs"));
    expect(textOf(await open(browser, unpriced?.href ?? ""))).toContain("−2 The cost has no amount");
  });

  it.runIf(isWhole)("counts dropped parameters and leads to their report", async () => {
    for (const id of ["short", "too-short"]) await click(id);
    await call("/demo1nk003?cost_id=short", { headers: { "user-agent": IPHONE } });
    const page = await overview("period=today");
    expect(problems(page)).toContainEqual({
      text: "3 URL parameters were dropped, most of them on “Acme”. Show the reasons",
      href: `${APP}/ignored?period=today`,
    });
    expect(hrefOf(page, "3 dropped URL parameters")).toBe(`${APP}/ignored?period=today`);
    expect(textOf(await overview("from=2026-03-13&to=2026-03-14"))).not.toContain("dropped URL param");
  });

  it("says that rejected costs are those up to now, beside days that are over", async () => {
    const text = async (query: string) => textOf(await overview(query));
    expect(await text("")).not.toContain("Rejected costs include");
    await click("overview-late-01", { now: NOW - 8 * DAY });
    await sendCost({ cost_id: "overview-late-01" });
    expect(problems(await overview("")).map(({ text }) => text)).toContainEqual(
      expect.stringMatching("^1 cost of Acme Ads was rejected"),
    );
    expect(await text("")).toContain("Covers 8 – 14 Mar 2026. Rejected costs include those of today.");
    expect(await text("period=today")).not.toContain("Rejected costs include");
  });

  it("has the events of Performance, and also the costs that were rejected today", async () => {
    const rejected = (day: number, count: number) =>
      `INSERT INTO daily_rejections (partner_id, app_token, day, code, count) VALUES (1, '${DEMO.appToken}', ${day}, 'window_closed', ${count})`;
    const [database = env.DB] = ledgerOn().shards;
    await database.batch([rejected(today - 1, 3), rejected(today, 2)].map((sql) => database.prepare(sql)));
    const eventsOf = (page: string) =>
      [...page.matchAll(/<ul class="events"[\s\S]*?<\/ul>/g)].flatMap(([list]) =>
        [...list.matchAll(/<li>([\s\S]*?)<\/li>/g)].map(([, item = ""]) => textOf(item)),
      );
    const page = await overview("currency=USD");
    const events = eventsOf(page);
    expect(events).toEqual(eventsOf(mainOf(await open(browser, `${APP}/performance?currency=USD`))));
    expect(events.join()).toContain("14 Mar 2026 3 costs of Acme Ads were rejected");
    expect(problems(page).map(({ text }) => text)).toContainEqual(
      expect.stringMatching("^5 costs of Acme Ads were rejected"),
    );
  });

  it.runIf(isWhole)("says what is missing in an app without spend", async () => {
    await inLedger("DELETE FROM daily_totals");
    await env.DB.exec("UPDATE links SET cost_switch = 0");
    const page = await overview();
    expect(problems(page)[0]).toEqual({
      text: "Cost data is off on the links of Acme Ads , Delta Reach , and Echo Media . Turn it on. Show these links",
      href: `${APP}/links?cost=off`,
    });
    expect(textOf(page)).toContain(
      "No spend in this period. Cost data is off on the links of Acme Ads , Delta Reach , and Echo Media .",
    );
    expect(captionsOf(page)).toEqual([expect.stringMatching(/^Clicks by day: \d/)]);
    await inLedger("DELETE FROM daily_engagements WHERE kind = 'click'");
    expect(captionsOf(await overview())).toEqual([expect.stringMatching(/^Impressions by day: \d/)]);
    await inLedger("DELETE FROM daily_engagements");
    expect(captionsOf(await overview())).toEqual([]);
    expect(figuresOf(page)[0]).toBe("Spend None");
  });

  it.each(["partner_id = NULL", "archived = 1"])("is absent when nothing is wrong: %s", async (change) => {
    await env.DB.exec(`UPDATE links SET ${change} WHERE partner_id <> 1`);
    expect(await overview()).not.toContain("Needs attention");
  });
});

it.runIf(isLong || ledgerOn().shards.length === 0)(
  "shows its figures when there are too many links to compare them",
  async () => {
    await env.DB.exec(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50001) INSERT INTO daily_totals SELECT '${DEMO.appToken}', ${today}, 3000 + i, 1, 'cpc', 'USD', 'matched', 1, 100000 FROM n`,
    );
    const page = await overview("period=today");
    expect(textOf(page)).toContain("Too many links had spend or clicks to compare them. Choose fewer days.");
    expect(figuresOf(page)[0]).toMatch(/^Spend in USD \$50,0\d\d\.\d\d/);
    const total = textOf(mainOf(await open(browser, `${APP}/performance?level=4&period=today`)));
    expect(total).toContain(
      "There are too many rows to list. Choose another breakdown, or filter by a link.",
    );
    expect(total).toMatch(/Spend \$50,0\d\d\.\d\d/);
    const report = `/public/v1/apps/${DEMO.appToken}/spend?from=2026-03-15&to=2026-03-15&group_by=link`;
    const { status, body } = await ask<ProblemBody>(report, { token: DEMO.apiToken });
    const message = "gives more than 50,000 rows; use fewer groups or fewer days";
    expect([status, body.errors]).toEqual([400, [{ param: "group_by", message }]]);
  },
);

it.runIf(isWhole)("rejects unknown parameters and days with a way back", async () => {
  for (const query of ["period=x", "from=2026-03-01", "compare=1", "by=day"]) {
    const { status, text } = await browser.get(`${APP}?${query}`);
    expect([query, status]).toEqual([query, 400]);
    expect(hrefOf(mainOf(text), "Reset filters and dates")).toBe(APP);
  }
});

it("is only for members, and shows nothing of another app", async () => {
  for (const app of [DEMO.otherAppToken, "nosuchapp000"])
    expect((await browser.get(`/apps/${app}`)).status).toBe(404);
  await inLedger(
    `INSERT INTO daily_totals VALUES ('${DEMO.otherAppToken}', ${today}, 9, 3, 'cpc', 'CHF', 'matched', 1, 5)`,
  );
  const page = await overview();
  expect(page).not.toContain("CHF");
  await rows("DELETE FROM memberships WHERE app_token = ? AND user_id = 1", DEMO.appToken);
  expect((await browser.get(APP)).status).toBe(404);
});

describe("the database budget", () => {
  const LINKS = isLong ? 40 : 10;
  const DAYS = 14;

  beforeEach(async () => {
    const each = `WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ${LINKS * DAYS * 2 - 1})`;
    const values = `${today} - i % ${DAYS}, 2000 + i / ${DAYS} % ${LINKS}, 1 + i / ${DAYS * LINKS}`;
    await inLedger(
      "DELETE FROM daily_totals",
      "DELETE FROM daily_engagements",
      `${each} INSERT INTO daily_totals SELECT '${DEMO.appToken}', ${values}, 'cpc', 'USD', 'matched', 1, 5 FROM n`,
      `${each} INSERT INTO daily_engagements SELECT '${DEMO.appToken}', ${values}, 'click', 2, 1 FROM n`,
    );
    await env.DB.exec(
      `${each} INSERT INTO links (id, token, app_token, parent_id, level, label, created_at) SELECT 2000 + i, 'budget' || i, '${DEMO.appToken}', 3, 4, 'B', 0 FROM n WHERE i < ${LINKS}`,
    );
    // Fills the isolate's memory of partners.
    await overview();
  });

  /** The totals of a week in one report. */
  const WEEK = LINKS * 7 * 2;
  /** The session and its apps, access checks, attachments and the identity of each database. */
  const OTHER = 120;

  const BUDGETS: [path: string, budget: number][] = [
    // Two reports cover two weeks, four cover one of them, and two cover two days. Dropped URL parameters read the engagements of a week.
    ["", 3 * (2 * 2 + 4) * WEEK + 3 * 2 * LINKS * 4 + 2 * WEEK],
    ["/performance.csv?group_by=partner", 3 * 4 * WEEK],
    ["/performance.csv?level=4&open=budget1", 3 * 4 * WEEK],
    // With the days of the chart.
    ["/performance?level=4&metric=cost_per_click", (3 + 3) * 4 * WEEK],
  ];
  it("is one call for the session, and one for everything else", async () => {
    for (const [path, budget] of BUDGETS) await expectBudget(path, budget);
  });

  async function expectBudget(path: string, budget: number): Promise<void> {
    const { database, counts } = countingDatabase();
    const { status } = await browser.get(`${APP}${path}`, { env: { DB: database } });
    expect([path, status]).toEqual([path, 200]);
    const shards = ledgerOn().shards.length;
    // With shards: one call to each, and another to DB for the names of links that only shards have. Overview: one to DB for dropped
    // parameters. Overview and Performance: one to each for rejected costs.
    const more = path === "" ? 1 + shards : path.includes(".csv") ? 0 : shards;
    expect({ path, calls: counts.calls, written: counts.written }).toEqual({
      path,
      calls: shards > 0 ? 2 + shards + more : 2,
      written: 0,
    });
    const databases = 1 + shards;
    expect(counts.read, path).toBeLessThanOrEqual(budget * databases + 5 * LINKS * 2 + OTHER * databases);
  }

  it("reads no total of other days", async () => {
    // With shards, DB has no day of an app whose clicks all have an ID.
    if (ledgerOn().shards.length > 0) await env.DB.exec("DELETE FROM daily_engagements");
    const read = async () => {
      const { database, counts } = countingDatabase();
      const { text } = await browser.get(`${APP}?period=today`, { env: { DB: database } });
      expect(figuresOf(text)).not.toEqual([]);
      return counts.read;
    };
    const [database = env.DB] = ledgerOn().shards;
    const addDays = (from: number, to: number) => {
      const days = `WITH RECURSIVE n(i) AS (SELECT ${from} UNION ALL SELECT i + 1 FROM n WHERE i < ${to})`;
      const statements = [
        `${days} INSERT INTO daily_totals SELECT '${DEMO.appToken}', ${today} - i, 1, 1, 'cpc', 'USD', 'matched', 1, 5 FROM n`,
        `${days} INSERT INTO daily_engagements SELECT '${DEMO.appToken}', ${today} - i, 1, 1, 'click', 2, 1 FROM n`,
      ];
      return database.batch(statements.map((sql) => database.prepare(sql)));
    };
    // How to begin looks at the first 1,000 rows of an app.
    await addDays(30, 1_029);
    const before = await read();
    await addDays(1_030, 2_029);
    expect(await read()).toBe(before);
  });
});
