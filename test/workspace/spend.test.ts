/** The Spend page: its numbers are those of the API, for every grouping and filter, and so is its CSV. */
import { beforeEach, describe, expect, it } from "vitest";
import { type Browser, signedIn } from "../account/support.ts";
import { ask, call, DAY, DEMO, env, freshDemo, NOW, rows, withMethods, wrapDatabases } from "../harness.ts";
import { inLedger } from "../support.ts";
import { APP, figuresOf, hrefOf, linksOf, mainOf, open, plain, tablesOf, textOf } from "./page-text.ts";

const SPEND = `${APP}/spend`;
const MONTH = "from=2026-02-14&to=2026-03-15";
const today = NOW / DAY - 0.5;

let browser: Browser;

beforeEach(async () => {
  await freshDemo();
  await env.DB.batch([
    totalOf({ partner: 2, amount: 1_234_567_89012 }),
    totalOf({ partner: 2, amount: 75_000, currency: "JPY", link: 7 }),
    totalOf({ partner: 0, amount: 5, day: 40 }),
    env.DB.prepare(
      `INSERT INTO adjustments (app_token, day, link_id, partner_id, cost_type, currency, amount, reason, user_id, created_at)
       VALUES (?, ?, 3, 1, 'cpc', 'USD', -150000001, '', 2, 0)`,
    ).bind(DEMO.appToken, today - 1),
  ]);
  browser = await signedIn();
});

/** Inserts the spend of a partner at a link on a day before today. */
function totalOf(more: {
  partner: number;
  amount: number;
  day?: number;
  currency?: string;
  link?: number;
  app?: string;
}) {
  const { partner, amount, day = 0, currency = "USD", link = 6, app = DEMO.appToken } = more;
  return env.DB.prepare("INSERT INTO daily_totals VALUES (?, ?, ?, ?, 'cpc', ?, 'matched', 1, ?)").bind(
    app,
    today - day,
    link,
    partner,
    currency,
    amount,
  );
}

interface Item {
  day?: string;
  link_name?: string;
  partner_name?: string | null;
  cost_type?: string;
  currency: string;
  spend: string;
  adjusted: string;
  matched: number;
  unpriced: number;
}

async function report(query: string): Promise<Item[]> {
  const { status, body } = await ask<{ data: { items: Item[] } }>(
    `/public/v1/apps/${DEMO.appToken}/spend?${query}`,
    { token: DEMO.apiToken },
  );
  expect([query, status]).toEqual([query, 200]);
  return body.data.items;
}

const toDate = (text: string) =>
  /^\d+ \w+ \d{4}$/.test(text) ? new Date(`${text} UTC`).toISOString().slice(0, 10) : text;

/** The lines of the page's tables, by column. */
function linesOf(page: string) {
  return tablesOf(page).flatMap(([head, ...lines]) => {
    const names = head?.cells ?? [];
    const currency = names[1]?.replace("Spend, ", "") ?? "";
    return lines.map(({ cells, href }) => {
      const at = (name: string) => cells[names.indexOf(name)] ?? "";
      return {
        name: toDate(cells[0] ?? "").replace(" (own spend)", ""),
        currency,
        spend: plain(cells[1] ?? ""),
        adjusted: plain(at("Adjusted") || "0"),
        matched: Number(at("Matched").replaceAll(",", "")),
        unpriced: Number(at("Unpriced").replaceAll(",", "")),
        share: at("Share"),
        before: plain(at("Before")),
        change: at("Change"),
        href,
      };
    });
  });
}

const TYPES: Record<string, string> = {
  cpc: "cpc, cost per click",
  cpi: "cpi, cost per install",
  cpe: "cpe, cost per event",
  cpm: "cpm, cost per 1,000 impressions",
};

function nameOf(item: Item): string {
  if (item.day) return item.day;
  if (item.link_name) return item.link_name.replaceAll("::", " › ");
  return item.cost_type ? (TYPES[item.cost_type] ?? "") : (item.partner_name ?? "No partner");
}

const sorted = (texts: string[]) => [...texts].sort();
const toText = ({ name, currency, spend, adjusted, matched, unpriced }: ReturnType<typeof linesOf>[number]) =>
  [name, currency, spend, adjusted, matched, unpriced].join("|");
const itemText = (item: Item) =>
  [nameOf(item), item.currency, item.spend, item.adjusted, item.matched, item.unpriced].join("|");

describe("the numbers of the page", () => {
  it.each([
    ["by=day", "group_by=day", 61],
    ["by=partner", "group_by=partner", 4],
    ["by=cost_type", "group_by=cost_type", 7],
    ["by=link", "group_by=link&level=1", 4],
    ["by=link&level=2", "group_by=link&level=2", 8],
    ["by=link&level=3&partner=1", "group_by=link&level=3&partner_id=1", 9],
    ["by=link&level=own", "group_by=link", 12],
    ["by=link&level=4&cost_type=CPC&currency=usd", "group_by=link&level=4&cost_type=cpc&currency=USD", 8],
    ["by=day&link=demo1nk001", "group_by=day&link=demo1nk001", 60],
    ["by=partner&link=demo1nk003&currency=USD", "group_by=partner&link=demo1nk003&currency=USD", 1],
    ["by=cost_type&partner=2", "group_by=cost_type&partner_id=2", 2],
  ])("equal those of the API: %s", async (page, api, count) => {
    const items = await report(`${MONTH}&${api}`);
    expect(items).toHaveLength(count);
    const lines = linesOf(await open(browser, `${SPEND}?${MONTH}&${page}`));
    const isTotal = ({ name }: { name: string }) => name === "Total";
    expect(sorted(lines.filter((line) => !isTotal(line)).map(toText))).toEqual(sorted(items.map(itemText)));
    const totals = await report(`${MONTH}&${api.replace(/group_by=\w+(&level=\d)?/, "group_by=partner")}`);
    for (const total of lines.filter(isTotal)) {
      const units = totals
        .filter(({ currency }) => currency === total.currency)
        .reduce((sum, { spend }) => sum + toUnits(spend), 0n);
      expect(toUnits(total.spend)).toBe(units);
    }
    expect(
      lines
        .filter(isTotal)
        .map(({ currency }) => currency)
        .sort(),
    ).toEqual([...new Set(items.map(({ currency }) => currency))].sort());
  });

  it("shows money in the digits of its currency, and exactly in the table", async () => {
    const page = await open(browser, `${SPEND}?${MONTH}&by=partner&partner=2`);
    expect(figuresOf(page)).toEqual(["Spend in JPY ¥1 1 matched", "Spend in USD $1,234,567.89 1 matched"]);
    expect(tablesOf(page).map(([, line]) => line?.cells.slice(0, 3))).toEqual([
      ["Beacon Network", "0.75", "100.0%"],
      ["Beacon Network", "1,234,567.89012", "100.0%"],
    ]);
  });

  it("shows the last seven days by default, and the share of each line", async () => {
    const page = await open(browser, SPEND);
    expect(textOf(mainOf(page))).toContain("8 – 14 Mar 2026, UTC");
    const shares = linesOf(await open(browser, `${SPEND}?by=partner&currency=USD`));
    const [first, , total] = shares;
    expect([first?.name, first?.share, total?.share]).toEqual(["Acme Ads", "100.0%", undefined]);
  });

  it("names no partner", async () => {
    const page = await open(browser, `${SPEND}?from=2026-02-03&to=2026-02-03&by=partner`);
    expect(linesOf(page).map(({ name, spend }) => [name, spend])).toEqual([
      ["No partner", "0.00005"],
      ["Total", "0.00005"],
    ]);
  });
});

const toUnits = (amount: string) => {
  const [whole = "", places = ""] = amount.split(".");
  return BigInt(whole + places.padEnd(8, "0"));
};

describe("the comparison", () => {
  it.each([
    ["day", 14],
    ["partner", 2],
    ["cost_type", 6],
    ["link", 2],
  ])("by %s has the spend of the days before", async (by, count) => {
    const level = by === "link" ? "&level=1" : "";
    const page = await open(browser, `${SPEND}?from=2026-03-08&to=2026-03-14&compare=1&by=${by}`);
    const before = await report(`from=2026-03-01&to=2026-03-07&group_by=${by}${level}`);
    const nextWeek = (day: string) => new Date(Date.parse(day) + 7 * DAY).toISOString().slice(0, 10);
    const expected = before.map((item) =>
      [item.day ? nextWeek(item.day) : nameOf(item), item.currency, item.spend].join("|"),
    );
    const lines = linesOf(page).filter(({ name }) => name !== "Total");
    const shown = lines.filter((line) => line.before !== "0");
    expect(expected).toHaveLength(count);
    expect(sorted(shown.map((line) => [line.name, line.currency, line.before].join("|")))).toEqual(
      sorted(expected),
    );
    for (const line of lines) {
      const [now, then] = [toUnits(line.spend), toUnits(line.before)];
      if (then === 0n) expect(line.change).toBe("new");
      else if (now === then) expect(line.change).toBe("no change");
      else expect(line.change).toMatch(now > then ? /^\+[\d.,]+%$|^0%$/ : /^−[\d.,]+%$|^0%$/);
    }
    expect(textOf(mainOf(page))).toContain("8 – 14 Mar 2026, UTC, compared with 1 – 7 Mar 2026");
  });

  it("keeps what had spend only before", async () => {
    const page = await open(browser, `${SPEND}?from=2026-03-16&to=2026-03-16&compare=1&by=partner&partner=2`);
    expect(linesOf(page).map(({ name, spend, before, change }) => [name, spend, before, change])).toEqual([
      ["Beacon Network", "0", "0.75", "−100.0%"],
      ["Total", "0", "0.75", "−100.0%"],
      ["Beacon Network", "0", "1234567.89012", "−100.0%"],
      ["Total", "0", "1234567.89012", "−100.0%"],
    ]);
  });
});

it("leads from each row to a page with the same total", async () => {
  for (const by of ["day", "partner", "cost_type", "link", "link&level=2", "link&level=3"]) {
    const page = await open(browser, `${SPEND}?${MONTH}&by=${by}`);
    for (const line of linesOf(page)) {
      if (!line.href || (by === "link&level=2" && !line.name.includes("›"))) continue;
      if (by === "link&level=3" && line.name.split("›").length < 3) continue;
      const below = linesOf(await open(browser, line.href)).find(
        ({ name, currency }) => name === "Total" && currency === line.currency,
      );
      expect([line.name, below?.spend]).toEqual([line.name, line.spend]);
    }
  }
});

it("leads from each day of the chart to that day", async () => {
  const page = await open(browser, `${SPEND}?from=2026-03-09&to=2026-03-15&compare=1&currency=USD`);
  const days = [...page.matchAll(/<a href="([^"]*)" aria-label="(\d+ Mar 2026): ([^"(]*)/g)];
  expect(days).toHaveLength(7);
  for (const [, href = "", day = "", spend = ""] of days) {
    const below = await open(browser, href.replaceAll("&amp;", "&"));
    expect(textOf(mainOf(below))).toContain(`${day}, UTC`);
    expect(figuresOf(below)[0]).toContain(`Spend in USD ${spend.trim()}`);
  }
});

describe("filters", () => {
  const filters = "link=demo1nk001&partner=1&cost_type=cpc&currency=USD";

  it("are chips that remove them one by one, or all", async () => {
    const page = await open(browser, `${SPEND}?${MONTH}&by=partner&${filters}`);
    const list = /<ul class="chips"[^>]*>([\s\S]*?)<\/ul>/.exec(page)?.[1] ?? "";
    const chips = linksOf(list);
    expect(chips.map(({ text }) => text)).toEqual([
      "Remove filter Link: Acme and everything below it ×",
      "Remove filter Partner: Acme Ads ×",
      "Remove filter Cost type: cpc, cost per click ×",
      "Remove filter Currency: USD ×",
      "Clear filters",
    ]);
    const kept = `${SPEND}?${MONTH}&by=partner&`;
    expect(chips.map(({ href }) => href)).toEqual([
      `${kept}partner=1&cost_type=cpc&currency=USD`,
      `${kept}link=demo1nk001&cost_type=cpc&currency=USD`,
      `${kept}link=demo1nk001&partner=1&currency=USD`,
      `${kept}link=demo1nk001&partner=1&cost_type=cpc`,
      kept.slice(0, -1),
    ]);
  });

  it("stay when the days or the grouping change", async () => {
    const page = await open(browser, `${SPEND}?${MONTH}&${filters}`);
    for (const name of ["Last 7 days", "Link", "Compare with the same number of days before"])
      expect(hrefOf(mainOf(page), name)).toContain(filters);
  });

  it("offers the levels from that of the link on", async () => {
    const page = await open(browser, `${SPEND}?${MONTH}&by=link&level=3&link=demo1nk003`);
    const levels = /aria-label="Level">([\s\S]*?)<\/nav>/.exec(page)?.[1] ?? "";
    expect(linksOf(levels).map(({ text }) => text)).toEqual(["Ad groups", "Creatives", "Own spend only"]);
  });
});

describe("the CSV", () => {
  it.each(["by=day", "by=link&level=2", "by=partner&currency=USD", "by=cost_type&compare=1"])(
    "equals the view: %s",
    async (query) => {
      const page = await open(browser, `${SPEND}?${MONTH}&${query}`);
      const href = hrefOf(page, "Download CSV");
      const file = await browser.get(href);
      expect(file.status).toBe(200);
      const by = /by=(\w+)/.exec(query)?.[1];
      expect(file.headers.get("content-disposition")).toBe(
        `attachment; filename="spend-${DEMO.appToken}-2026-02-14-2026-03-15-by-${by}.csv"`,
      );
      const [header = "", ...records] = file.text.trim().split("\r\n");
      const names = header.split(",");
      const shown = linesOf(page).filter(({ name }) => name !== "Total");
      const cells = records.map((record) => {
        const values = record.split(",");
        const at = (name: string) => values[names.indexOf(name)] ?? "";
        const item = {
          link_name: at("link_name"),
          day: at("day"),
          cost_type: at("cost_type"),
        };
        const name = nameOf({ ...item, partner_name: at("partner_name") } as unknown as Item);
        return [name, at("currency"), at("spend"), at("matched"), at("previous_spend")];
      });
      expect(cells).toEqual(
        shown.map((line) => [line.name, line.currency, line.spend, String(line.matched), line.before]),
      );
    },
  );

  it("equals the API's CSV in its columns", async () => {
    const { text } = await browser.get(`${SPEND}.csv?${MONTH}&by=link&level=own`);
    const api = await call(`/public/v1/apps/${DEMO.appToken}/spend?${MONTH}&group_by=link`, {
      token: DEMO.apiToken,
      headers: { accept: "text/csv" },
    });
    const expected = (await api.text()).split("\r\n");
    expect(text.split("\r\n")[0]).toBe(expected[0]);
    expect(text.split("\r\n").sort()).toEqual(expected.sort());
  });
});

describe("states", () => {
  const show = async (query: string, status = 200) => {
    const page = await browser.get(`${SPEND}?${query}`);
    expect([query, page.status]).toEqual([query, status]);
    return mainOf(page.text);
  };
  const NONE = "from=2020-01-01&to=2020-01-31";
  const clear = () => inLedger("DELETE FROM daily_totals", "DELETE FROM adjustments");

  it("no result for the filters, with a way back", async () => {
    const page = await show(`${NONE}&partner=1&currency=CHF`);
    expect(textOf(page)).toContain("No spend matches these filters");
    expect(
      linksOf(page)
        .filter(({ text }) => text === "Clear filters")
        .map(({ href }) => href),
    ).toEqual([`${SPEND}?${NONE}`, `${SPEND}?${NONE}`]);
  });

  it("no spend in these days", async () => {
    const page = await show(NONE);
    expect(textOf(page)).toContain("No spend in these days No cost matched a click or an impression");
    expect(hrefOf(page, "Show the last 30 days")).toBe(`${SPEND}?period=30d`);
    expect(page).not.toContain("Download CSV");
  });

  it.each([
    ["no link", "UPDATE apps SET link_count = 0", "This app has no links yet.", "Go to links"],
    [
      "no partner",
      "UPDATE links SET partner_id = NULL, cost_switch = NULL",
      "No link has a partner.",
      "Go to links",
    ],
    [
      "no partner with cost data",
      "UPDATE links SET cost_switch = NULL; UPDATE partners SET supports_cost_data = 0, integrated_types = 0",
      "Acme Ads, Beacon Network, and Corsair Media don't support cost data yet.",
      "Go to partners",
    ],
    [
      "cost data off",
      "UPDATE links SET cost_switch = 0",
      "Cost data is off on the links of Acme Ads.",
      "Show these links",
    ],
    [
      "a stopped partner",
      "UPDATE partners SET stopped_at = 1 WHERE id = 1",
      "Acme Ads is stopped",
      "Go to partners",
    ],
  ])("no spend because of %s", async (_, change, text, fix) => {
    await clear();
    await env.DB.exec(change);
    const page = await show("");
    expect(textOf(page)).toContain(text);
    const href = hrefOf(page, fix);
    expect(href).toMatch(fix === "Go to partners" ? /\/partners$/ : /\/links(\?cost=off)?$/);
    await open(browser, href);
  });

  it.each([
    ["by=week", "The grouping must be one of day, link, partner, cost_type."],
    ["level=5", "The level must be one of 1, 2, 3, 4, own."],
    ["currency=XYZ", "The currency must be an ISO 4217 currency code"],
    ["cost_type=cpx", "The cost type must be one of cpc, cpi, cpe, cpm."],
    ["partner=x", "The partner must be a positive integer."],
    ["from=2026-02-30&to=2026-03-01", "The first day must be a calendar date"],
    ["from=2026-03-02&to=2026-03-01", "The last day must not be before from."],
    ["from=2026-03-02", "The last day is required with from."],
    ["period=year", "The period must be one of 7d, 30d, 90d, month, today."],
    ["group=day", "group is not a known parameter"],
  ])("%s is a page that says so, with a way back", async (query, text) => {
    const page = await show(query, 400);
    expect(textOf(page)).toContain(text);
    expect(hrefOf(page, "Reset this view")).toBe(SPEND);
  });

  it("names every error", async () => {
    const text = textOf(await show("by=week&currency=XYZ&from=x&to=y", 400));
    for (const name of ["The grouping", "The currency", "The first day", "The last day"])
      expect(text).toContain(name);
  });

  it.each([
    ["link=nosuchlink", "This app has no link with this token."],
    ["link=demo1nk009", "This app has no link with this token."],
    ["partner=99", "There is no partner with this ID."],
  ])("%s is not found, with a way back", async (query, text) => {
    const page = await show(query, 404);
    expect(textOf(page)).toContain(text);
    expect(hrefOf(page, "Back to spend")).toBe(SPEND);
  });

  it("escapes names", async () => {
    await rows(`UPDATE partners SET display_name = '"><script>' WHERE id = 1`);
    await rows(`UPDATE links SET label = '<b>bold' WHERE id = 1`);
    for (const by of ["partner", "link"]) expect(await show(`by=${by}&${MONTH}`)).not.toMatch(/<b>|<script>/);
  });
});

describe("access", () => {
  it("is only for members of the app, and only while they are", async () => {
    for (const path of ["spend", "spend.csv"]) {
      for (const app of [DEMO.otherAppToken, "nosuchapp000"])
        expect((await browser.get(`/apps/${app}/${path}`)).status).toBe(404);
    }
    await rows("DELETE FROM memberships WHERE app_token = ? AND user_id = 1", DEMO.appToken);
    for (const path of [SPEND, `${SPEND}.csv`]) expect((await browser.get(path)).status).toBe(404);
    await rows("DELETE FROM sessions");
    for (const path of [SPEND, `${SPEND}.csv`]) {
      const { status, headers } = await browser.get(path);
      expect([status, headers.get("location")?.startsWith("/login?")]).toEqual([303, true]);
    }
  });

  it.each([
    ["DELETE FROM sessions", 401],
    ["DELETE FROM memberships WHERE user_id = 1", 404],
  ])("ends with the call that reads the figures: %s", async (change, status) => {
    for (const path of [APP, SPEND, `${SPEND}.csv`]) {
      const page = await browser.get(path, { env: { DB: changedBeforeCall(2, change) } });
      expect([path, page.status]).toEqual([path, status]);
      expect(page.text).not.toMatch(/Acme|\$\d/);
      await freshDemo();
      browser = await signedIn();
    }
  });

  it("shows nothing of another app", async () => {
    await totalOf({ partner: 1, amount: 5, currency: "CHF", app: DEMO.otherAppToken, link: 9 }).run();
    expect(await open(browser, `${SPEND}?${MONTH}`)).not.toContain("CHF");
  });
});

/** D1 in which a change is committed before the call with this number. */
function changedBeforeCall(number: number, change: string): D1Database {
  let calls = 0;
  return wrapDatabases((real) =>
    withMethods(real, {
      batch: async (statements: D1PreparedStatement[]) => {
        calls++;
        if (calls === number) await env.DB.exec(change);
        return real.batch(statements);
      },
    }),
  );
}
