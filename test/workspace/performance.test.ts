/** The Performance page: its rows are those of the API, for every grouping, order and filter, and its address is the view. */
import { beforeEach, describe, expect, it } from "vitest";
import { daysOf as daysOfGroup, fieldNames, REPORT_GROUPS } from "../../src/domain/figures/groups.ts";
import { GROUP_CHOICES } from "../../src/workspace/performance/groups.ts";
import { type Browser, freshSession } from "../account/support.ts";
import { ask, call, DAY, DEMO, env, freshWholeDemo, ledgerOn, NOW, rows } from "../harness.ts";
import { inLedger } from "../support.ts";
import { APP, figuresOf, hrefOf, linksOf, mainOf, open, tablesOf, textOf } from "./page-text.ts";

const PAGE = `${APP}/performance`;
const WEEK = "from=2026-03-01&to=2026-03-07";
const MATCHED = "&columns=spend,clicks,cost_per_click,matched,coverage";

let browser: Browser;

beforeEach(async () => {
  browser = await freshSession(freshWholeDemo);
});

const show = async (query: string, status = 200) => {
  const page = await browser.get(`${PAGE}?${query}`);
  expect([query, page.status]).toEqual([query, status]);
  return mainOf(page.text);
};

interface Item {
  [name: string]: string | number | boolean | null | Item;
  previous: Item;
}
async function report(query: string): Promise<Item[]> {
  const { body } = await ask<{ data: { items: Item[] } }>(
    `/public/v1/apps/${DEMO.appToken}/performance?${query}&limit=1000`,
    { token: DEMO.apiToken },
  );
  return body.data.items;
}

/** The rows of the table, with the texts of their columns; of the legend's table nothing. */
const linesOf = (page: string) => {
  const [head, ...lines] =
    tablesOf(page).findLast(([first]) =>
      first?.cells.some((name) => /^(Spend|Clicks|Impressions) /.test(`${name} `)),
    ) ?? [];
  const names = head?.cells.map((name) => name.replace(/( [▲▼])?( \+ [A-Z]{3})*$/, "")) ?? [];
  return lines.map(({ cells, href }) => {
    const at = (name: string, after = 0) => cells[names.indexOf(name) + after] ?? "";
    return {
      name: (cells[0] ?? "").replace(/^[▸▾] (Open|Close) \S+( \S+)? ?(?=[A-Z])/, ""),
      spend: at("Spend").replace(/ \+.*/, ""),
      otherSpend: /\+.*/.exec(at("Spend"))?.[0],
      spendChange: at("Spend", 1),
      clicks: at("Clicks"),
      cost: at("Cost per click"),
      costChange: at("Cost per click", 1),
      matched: at("Matched costs"),
      coverage: at("Coverage"),
      signal: at("Signal"),
      href,
    };
  });
};

const usd = (spend: unknown) => Number(spend).toLocaleString("en-US", { style: "currency", currency: "USD" });
const price = (value: unknown) =>
  value === null
    ? "–"
    : Number(value).toLocaleString("en-US", { style: "currency", currency: "USD", minimumFractionDigits: 3 });
/** What is only in other currencies, which a link says in the place of a spend of zero, comes last. */
const isElsewhere = (item: Item | undefined) =>
  item?.other_currencies === true && Number(item.spend) === 0 && item.matched === 0;
const inOrder = (items: Item[]) => [
  ...items.filter((item) => !isElsewhere(item)),
  ...items.filter(isElsewhere),
];
const percent = (value: unknown) =>
  value === null
    ? "–"
    : Number(value).toLocaleString("en-US", { style: "percent", minimumFractionDigits: 1 });

/** The total of the week, which no test changes before it asks. */
let total: Promise<Item[]> | undefined;

describe("the rows", () => {
  it.each(
    GROUP_CHOICES.map(({ group_by, level }) => [
      `group_by=${group_by}${group_by === "link" ? `&level=${level}` : ""}`,
      daysOfGroup(group_by) ? `sort=${group_by}` : "sort=-spend",
    ]),
  )("are those of the API, with their total: %s", async (group, sort) => {
    const items = inOrder(await report(`${WEEK}&currency=USD&${group}&${sort}`));
    const lines = linesOf(await show(`${WEEK}&currency=USD&${group}${MATCHED}`));
    total ??= report(`${WEEK}&currency=USD`);
    const [all] = await total;
    expect(lines).toHaveLength(items.length + 1);
    const isInHeading =
      items.length > 1 && items.every((item) => item.other_currencies === true && !isElsewhere(item));
    for (const [index, item] of [...items, all].entries()) {
      expect(lines[index]).toMatchObject({
        spend: isElsewhere(item)
          ? "in EUR"
          : Number(item?.spend) > 0 && Number(item?.spend) < 0.005
            ? "<$0.01"
            : usd(item?.spend),
        // The total has it beside the figures.
        otherSpend:
          item !== all && item?.other_currencies === true && !isElsewhere(item) && !isInHeading
            ? "+ EUR"
            : undefined,
        cost:
          item?.cost_per_click === null && Number(item.matched) > 0 && group !== "group_by=cost_type"
            ? "no cpc"
            : price(item?.cost_per_click),
        matched: Number(item?.matched).toLocaleString("en-US"),
        coverage: group === "group_by=cost_type" ? "" : percent(item?.coverage),
      });
      if (group !== "group_by=cost_type")
        expect(lines[index]?.clicks).toBe(Number(item?.clicks).toLocaleString("en-US"));
    }
  });

  it.each(REPORT_GROUPS.performance)(
    "by %s have the fields of the group in the API and the CSV, and a name that leads to what they are about",
    async (group) => {
      const query = `${WEEK}&currency=USD&group_by=${group}`;
      const fields = fieldNames([group]);
      const items = await report(query);
      expect(items).not.toEqual([]);
      expect(Object.keys(items[0] ?? {}).slice(0, fields.length + 1)).toEqual([...fields, "spend"]);
      const csv = await call(`/public/v1/apps/${DEMO.appToken}/performance?${query}`, {
        token: DEMO.apiToken,
        headers: { accept: "text/csv" },
      });
      const header = `${[...fields, "currency", "spend"].join()},`;
      expect((await csv.text()).startsWith(header)).toBe(true);
      const file = await browser.get(`${PAGE}.csv?${query}`);
      expect(file.text.startsWith(header)).toBe(true);
      for (const field of fields) expect(await report(`${query}&sort=-${field}`)).toHaveLength(items.length);
      // Those of links lead to the page of the link.
      if (group === "link") return;
      const lines = linesOf(await show(query));
      const linked = lines.slice(0, -1).filter(({ href }) => href);
      expect(linked).not.toEqual([]);
      for (const { spend, href } of [...linked.slice(0, 1), ...linked.slice(-1)]) {
        const page = mainOf(await open(browser, href ?? ""));
        if (spend.startsWith("in ")) continue;
        if (group === "partner" && spend !== "$0.00")
          expect(figuresOf(page)[0]?.split(/ (?=[▲▼])/)[0]).toBe(`Spend in USD ${spend}`);
        if (group !== "partner") expect(linesOf(page).at(-1)?.spend).toBe(spend);
      }
    },
  );

  it("show campaigns of the currency with the most costs by default, the highest spend first", async () => {
    const page = await show(WEEK);
    expect(linesOf(page).map(({ spend }) => spend)).toEqual(
      linesOf(await show(`${WEEK}&group_by=link&level=2&currency=USD&sort=-spend`)).map(({ spend }) => spend),
    );
    expect(page).toContain('aria-sort="descending"');
  });

  it("are sorted by every heading, and by the next click the other way around", async () => {
    const page = await show(`${WEEK}&group_by=partner`);
    const heads = /<thead[^>]*>([\s\S]*?)<\/thead>/.exec(page.slice(page.indexOf("performance by") - 1))?.[1];
    const hrefs = linksOf(/<thead[^>]*>([\s\S]*?)<\/thead>/.exec(page)?.[1] ?? heads ?? "");
    expect(hrefs).toHaveLength(9);
    for (const { href, text } of hrefs) {
      const sorted = mainOf(await open(browser, href));
      const again = linksOf(/<thead[^>]*>([\s\S]*?)<\/thead>/.exec(sorted)?.[1] ?? "");
      const back = again.find(
        (link) => link.text.startsWith(text.replace(/ [▲▼]$/, "")) && link.href !== href,
      );
      expect(back).toBeDefined();
    }
    const names = linesOf(await show(`${WEEK}&group_by=partner&sort=name`)).slice(0, -1);
    expect(names.map(({ name }) => name)).toEqual(names.map(({ name }) => name).toSorted());
  });

  it("open in place into the level below, down to creatives", async () => {
    const query = `${WEEK}&level=1&open=demo1nk001,demo1nk002,demo1nk003`;
    const lines = linesOf(await show(query));
    const below = async (link: string, level: number) =>
      await report(`${WEEK}&currency=USD&group_by=link&link=${link}&level=${level}`);
    const campaigns = await below("demo1nk001", 2);
    const creatives = await below("demo1nk003", 4);
    for (const item of [...campaigns, ...creatives]) {
      expect(lines.map(({ spend }) => spend)).toContain(usd(item.spend));
    }
    const closed = linesOf(await show(`${WEEK}&level=1`));
    const adGroups = await below("demo1nk002", 3);
    const opened = [...campaigns, ...adGroups, ...creatives];
    expect(lines).toHaveLength(closed.length + opened.length);
    const toggle = linesOf(await show(`${WEEK}&level=1`));
    expect(toggle[0]?.href).toContain("open=");
  });

  it("mark links that were created for a round, and those below them, until somebody turns on cost data", async () => {
    const marked = async (level: number) => {
      const lines = tablesOf(await show(`${WEEK}&level=${level}`)).at(-1) ?? [];
      return lines.flatMap(({ cells, href }) =>
        / Test$/.test(cells[0] ?? "") ? [/\w+$/.exec(href ?? "")?.[0]] : [],
      );
    };
    const set = (settings: string) => rows(`UPDATE links SET ${settings} WHERE token = ?`, DEMO.linkToken);
    expect([await marked(1), await marked(2)]).toEqual([[], []]);
    await set("round_id = (SELECT min(id) FROM rounds), cost_switch = NULL");
    expect(await marked(1)).toEqual([DEMO.linkToken]);
    expect(await marked(2)).toContain("demo1nk002");
    await set("cost_switch = 1");
    expect([await marked(1), await marked(2)]).toEqual([[], []]);
  });

  it("say why no cost can come from a partner, and nothing of what has no partner", async () => {
    await inLedger("DELETE FROM daily_totals");
    const lines = linesOf(await show(`${WEEK}&group_by=partner&sort=name`));
    expect(lines.map(({ name, coverage, signal }) => [name, signal || coverage])).toEqual([
      ["Acme Ads", "0.0%"],
      ["Beacon Network", "No cost data yet"],
      ["Corsair Media", "No cost data yet"],
      ["Delta Reach", "Stopped"],
      ["Echo Media", "0.0%"],
      ["No partner", "–"],
      ["Total, 6 rows", "0.0%"],
    ]);
  });

  it("have a signal where something is wrong", async () => {
    await inLedger("DELETE FROM daily_totals", "DELETE FROM daily_engagements");
    const [database = env.DB] = ledgerOn().shards;
    await database.batch(
      [
        // The link, clicks, recorded clicks and matched costs in both weeks.
        [2, 100, 100, 100, 100],
        [3, 100, 100, 50, 100],
        [8, 100, 0, 0, 0],
        [9, 19, 19, 19, 19],
      ].flatMap(([link, count, recorded, matched, before]) =>
        [
          [NOW / DAY - 0.5 - 8, matched, 2],
          [NOW / DAY - 0.5 - 15, before, 1],
        ].flatMap(([day, costs, price]) =>
          [
            `INSERT INTO daily_engagements VALUES ('${DEMO.appToken}', ${day}, ${link}, 1, 'click', ${count}, ${recorded})`,
            `INSERT INTO daily_totals VALUES ('${DEMO.appToken}', ${day}, ${link}, 1, 'cpc', 'USD', 'matched', ${costs}, ${(costs ?? 0) * (price ?? 0) * 100_000})`,
          ].map((sql) => database.prepare(sql)),
        ),
      ),
    );
    const linesWith = async (columns: string) =>
      linesOf(await show(`${WEEK}&level=4&sort=-signal${columns}`)).map(({ name, coverage, signal }) => [
        name,
        coverage,
        signal,
      ]);
    expect(await linesWith("&columns=spend,cost_per_click")).toEqual([
      [expect.stringContaining("Newsletter"), "", "Cost data off"],
      [expect.stringContaining("Runners"), "", "50% no cost"],
      [expect.stringContaining("Spring"), "", "Price up 100%"],
      [expect.any(String), "", "Too few clicks"],
      [expect.stringContaining("Total"), "", ""],
    ]);
    // A column of coverage marks what is low, and does not repeat it.
    const lines = await linesWith("");
    expect(lines.map(([name, , signal]) => [name, signal])).toEqual([
      [expect.stringContaining("Newsletter"), "Cost data off"],
      [expect.stringMatching("Runners|Spring"), "Price up 100%"],
      [expect.stringMatching("Runners|Spring"), "Price up 100%"],
      [expect.any(String), "Too few clicks"],
      [expect.stringContaining("Total"), ""],
    ]);
    const page = await show(`${WEEK}&level=4`);
    expect(page.match(/data-label="Coverage"[^>]*><span class="badge warn">[^<]*/g)).toEqual([
      expect.stringMatching(/>50\.0%$/),
    ]);
  });
});

it.each(["performance?level=4&", "partners?", "links?"])(
  "a cost per click without costs of type cpc says which costs there are, as on %s",
  async (page) => {
    const day = NOW / DAY - 1.5;
    await inLedger(
      "DELETE FROM daily_totals",
      "DELETE FROM daily_engagements",
      `INSERT INTO daily_engagements VALUES ('${DEMO.appToken}', ${day}, 3, 1, 'click', 100, 100)`,
      `INSERT INTO daily_totals VALUES ('${DEMO.appToken}', ${day}, 3, 1, 'cpi', 'USD', 'matched', 100, 1000000000)`,
    );
    const text = mainOf(await open(browser, `${APP}/${page}from=2026-03-14&to=2026-03-14`));
    const cells = text.match(/<td data-label="Cost per click"[^>]*>[\s\S]*?<\/td>/g) ?? [];
    expect(cells.map(textOf)).toContain("no cpc");
  },
);

describe("the figures", () => {
  it("are those of the total, and choose what the chart shows", async () => {
    const [total] = await report(`${WEEK}&currency=USD`);
    const page = await show(WEEK);
    const [recorded] = await rows(
      "SELECT SUM(recorded) AS count FROM daily_engagements WHERE app_token = ? AND kind = 'click' AND day BETWEEN unixepoch('2026-03-01') / 86400 AND unixepoch('2026-03-07') / 86400",
      DEMO.appToken,
    );
    expect(figuresOf(page).map((text) => text.replace(/ [▲▼–].*/, ""))).toEqual([
      `Spend ${usd(total?.spend)}`,
      expect.stringMatching(
        new RegExp(`^Clicks [\\d,]+ from USD partners ${Number(total?.clicks).toLocaleString("en-US")}$`),
      ),
      `Cost per click ${price(total?.cost_per_click)}`,
      `Coverage of ${Number(recorded?.count).toLocaleString("en-US")} cost IDs ${percent(total?.coverage)}`,
    ]);
    expect(textOf(page)).toContain("vs 22 – 28 Feb 2026");
    for (const metric of ["clicks", "cost_per_click", "coverage"]) {
      const chosen = await show(`${WEEK}&metric=${metric}`);
      expect(/<figcaption><span[^>]*>([^<]*)/.exec(chosen)?.[1]).toMatch(
        /^(Clicks|Cost per click|Coverage) by day and campaign: /,
      );
    }
  });

  it("have spend from a million on in short", async () => {
    const day = NOW / DAY - 1.5;
    for (const [amount, shown] of [
      [99_999_999_000, "$999,999.99"],
      [100_000_000_000, "$1M"],
    ] as const) {
      await inLedger(
        "DELETE FROM daily_totals",
        `INSERT INTO daily_totals VALUES ('${DEMO.appToken}', ${day}, 9, 1, 'cpc', 'USD', 'matched', 100, ${amount})`,
      );
      expect(figuresOf(await show("from=2026-03-14&to=2026-03-14"))[0]).toContain(`Spend ${shown}`);
    }
  });

  it("of today are not compared", async () => {
    const page = await show("from=2026-03-14&to=2026-03-15");
    expect(textOf(page)).toContain("Today isn't over, so it isn't compared with the days before.");
    expect(page).not.toMatch(/class="change|line before/);
    expect(textOf(page)).not.toContain("Changes are");
  });

  it("of today are not signals either", async () => {
    await inLedger(
      ...[
        [NOW / DAY - 0.5, 2],
        [NOW / DAY - 1.5, 1],
      ].flatMap(([day, price = 0]) => [
        `INSERT OR REPLACE INTO daily_engagements VALUES ('${DEMO.appToken}', ${day}, 9, 1, 'click', 100, 100)`,
        `INSERT OR REPLACE INTO daily_totals VALUES ('${DEMO.appToken}', ${day}, 9, 1, 'cpc', 'USD', 'matched', 100, ${price * 10_000_000})`,
      ]),
    );
    const signals = async (days: string) =>
      linesOf(await show(`${days}&level=4`)).map(({ signal }) => signal);
    expect(await signals("period=today")).not.toContain("Price up 100%");
    expect(await signals("from=2026-03-15&to=2026-03-15")).not.toContain("Price up 100%");
  });

  it.each(["group_by=cost_type", "group_by=partner&cost_type=cpc"])(
    "of one cost type have no coverage and no signal for the clicks that others cover: %s",
    async (query) => {
      const columnsIn = async (shown: string) => {
        const page = await show(`${WEEK}&${shown}`);
        return ["Spend", "Coverage", "Signal"].filter((name) => page.includes(`data-label="${name}"`));
      };
      expect(await columnsIn("")).toEqual(["Spend", "Coverage", "Signal"]);
      expect(await columnsIn(query)).toEqual(["Spend"]);
    },
  );

  it("say until when costs can arrive, and are not final until then", async () => {
    for (const page of ["performance", "links/demo1nk003", "partners", "partners/1", ""]) {
      const textFor = async (days: string) => textOf(mainOf(await open(browser, `${APP}/${page}?${days}`)));
      const unfinished = await textFor("from=2026-03-10&to=2026-03-14");
      expect([page, unfinished]).toEqual([
        page,
        expect.stringContaining("Not final : costs can arrive until 21 Mar 2026."),
      ]);
      const final = await textFor(WEEK);
      expect([page, final]).toEqual([page, expect.stringContaining("Final : no more costs can arrive.")]);
      expect([page, final]).toEqual([page, expect.not.stringContaining("Not final")]);
    }
  });

  it.each([
    [100_950, " worse", "▲ +1.0%"],
    [100_949, "", "▲ +0.9%"],
    [100_000, "", "no change"],
    [99_051, "", "▼ −0.9%"],
    [99_050, " better", "▼ −1.0%"],
  ])(
    "have color if their prices change by 1% or more, and in no other column: 100,000 to %s",
    async (now, tone, text) => {
      await inLedger(
        "DELETE FROM daily_totals",
        ...[
          [8, now],
          [15, 100_000],
        ].map(
          ([ago = 0, amount = 0]) =>
            `INSERT INTO daily_totals VALUES ('${DEMO.appToken}', ${NOW / DAY - 0.5 - ago}, 3, 1, 'cpc', 'USD', 'matched', 100, ${amount * 100})`,
        ),
      );
      const page = await show(`${WEEK}&level=1`);
      const [, row = ""] = /<tr id="row-demo1nk001"[^>]*>([\s\S]*?)<\/tr>/.exec(page) ?? [];
      const [, kind, shown = ""] =
        /<td data-label="Cost per click"[^>]*>[\s\S]*?<span class="change([^"]*)">([\s\S]*?)<\/span><\/td>/.exec(
          row,
        ) ?? [];
      expect([kind, textOf(shown)]).toEqual([tone, text]);
      const tonesIn = (markup: string) =>
        [...markup.matchAll(/class="change([^"]*)"/g)].map(([, one]) => one);
      // The spend changes as much, and the clicks too.
      expect(tonesIn(row).toSorted()).toEqual(["", "", tone].toSorted());
      expect(textOf(page).split(" Only changes of prices of 1% or more are colored.").length).toBe(2);
    },
  );

  it("say that there was nothing before", async () => {
    await inLedger(
      "DELETE FROM daily_totals WHERE day < 20513",
      "DELETE FROM daily_engagements WHERE day < 20513",
    );
    const page = await show(WEEK);
    expect(textOf(page)).toContain("No data in the previous period, 22 – 28 Feb 2026.");
    expect(page).not.toMatch(/class="change|line before|Previous period/);
  });
});

describe("columns", () => {
  const headsOf = (page: string) =>
    linesOf(page).length > 0 ? (tablesOf(page).at(-1)?.[0]?.cells ?? []) : [];
  const columnsIn = (page: string) => headsOf(page).map((head) => head.replace(/ [▲▼]$/, ""));

  it("are chosen one by one in a menu, with the figures of the report by cost type", async () => {
    const page = await show(`${WEEK}&level=4`);
    expect(columnsIn(page)).not.toContain("Impressions");
    const names = ["Impressions", "Cost per install", "Cost per event", "Cost per 1,000 impressions"];
    let shown = page;
    for (const name of names) shown = mainOf(await open(browser, hrefOf(shown, `Show ${name}`)));
    for (const name of names) {
      expect(columnsIn(shown)).toContain(name);
      expect(figuresOf(shown).some((text) => text.startsWith(name))).toBe(true);
    }
    const total = (tablesOf(shown).at(-1) ?? []).at(-1)?.cells ?? [];
    for (const [name, type, unit] of [
      ["Cost per install", "cpi", 1],
      ["Cost per event", "cpe", 1],
      ["Cost per 1,000 impressions", "cpm", 1000],
    ] as const) {
      const [item] = (await report(`${WEEK}&currency=USD&group_by=cost_type`)).filter(
        ({ cost_type }) => cost_type === type,
      );
      const value = item?.matched
        ? Math.round((Number(item.spend) / Number(item.matched)) * unit * 1e3) / 1e3
        : null;
      expect([name, total[columnsIn(shown).indexOf(name)]]).toEqual([name, price(value)]);
    }
    for (const name of names) shown = mainOf(await open(browser, hrefOf(shown, `Hide ✓ ${name}`)));
    expect(columnsIn(shown)).toEqual(columnsIn(page));
    expect(hrefOf(shown, "Download CSV")).toBe(hrefOf(page, "Download CSV"));
  });

  it("sort by their figures and by the changes of these", async () => {
    await inLedger(
      ...[2, 3, 8].flatMap((link) =>
        [8.5, 15.5].flatMap((ago) =>
          ["cpi", "cpm"].map(
            (type) =>
              `INSERT OR REPLACE INTO daily_totals VALUES ('${DEMO.appToken}', ${NOW / DAY - ago}, ${link}, 1, '${type}', 'USD', 'matched', 10, ${Math.round(link * ago * 90_000)})`,
          ),
        ),
      ),
    );
    for (const [column, name, after] of [
      ["impressions", "Impressions", 0],
      ["impressions_change", "Impressions", 1],
      ["cost_per_install", "Cost per install", 0],
      ["cost_per_mille_change", "Cost per 1,000 impressions", 1],
    ] as const) {
      const page = await show(
        `${WEEK}&level=4&currency=USD&columns=impressions,cost_per_install,cost_per_mille&sort=-${column}`,
      );
      const at = columnsIn(page).indexOf(name) + after;
      const cells = (tablesOf(page).at(-1) ?? []).slice(1, -1).map((row) => row.cells[at] ?? "");
      const values = cells
        .filter((text) => text !== "–")
        .map((text) => Number(text.replace("−", "-").replace(/[^\d.-]/g, "")));
      expect(values.length).toBeGreaterThan(1);
      expect([column, values]).toEqual([column, values.toSorted((one, other) => other - one)]);
    }
  });

  it("of changes are not there without a comparison", async () => {
    const page = await show(WEEK);
    const without = mainOf(await open(browser, hrefOf(page, "No comparison")));
    expect(columnsIn(without)).toEqual(columnsIn(page).filter((name) => name !== "Change"));
    expect(without).not.toMatch(/class="change|line before/);
    expect(textOf(without)).toContain("Not compared");
  });
});

it("adjustments have no figures but an amount by country and platform, no signal, and no row without one", async () => {
  await inLedger("DELETE FROM adjustments");
  const day = NOW / DAY - 0.5 - 8;
  const adjust = (id: number, on: number, amount: number) =>
    inLedger(
      `INSERT INTO adjustments SELECT ${id}, '${DEMO.appToken}', ${on}, min(id), 1, 'cpc', 'USD', ${amount}, 'x', 2, 0 FROM links`,
    );
  const none = { spend: "–", spendChange: "–", clicks: "–", cost: "–", coverage: "–", signal: "" };
  for (const group of ["country", "platform"]) {
    const shown = async () =>
      linesOf(await show(`${WEEK}&group_by=${group}`)).find(({ name }) => name === "Adjustments");
    await inLedger("DELETE FROM adjustments");
    await adjust(8, day - 7, -100_000_000);
    expect(await shown()).toBeUndefined();
    await adjust(9, day, -200_000_000);
    expect(await shown()).toMatchObject({ ...none, spend: "−$2.00" });
  }
});

it("rows that all have spend in another currency have it in the heading only", async () => {
  await inLedger(
    ...[1, 2].map(
      (ago) =>
        `INSERT OR REPLACE INTO daily_totals SELECT '${DEMO.appToken}', ${NOW / DAY - 0.5 - ago}, 9, 1, 'cpc', column1, 'matched', 100, 1000000 FROM (VALUES ('USD'), ('JPY'))`,
    ),
  );
  const headingOf = async (days: string) => {
    const page = await show(`${days}&group_by=day&currency=USD`);
    return [
      tablesOf(page).at(-1)?.[0]?.cells[1],
      /\+ [A-Z]{3}/.test(
        linesOf(page)
          .map((line) => line.otherSpend)
          .join(),
      ),
    ];
  };
  expect(await headingOf("from=2026-03-13&to=2026-03-14")).toEqual([
    expect.stringMatching(/^Spend \+.* JPY/),
    false,
  ]);
  expect(await headingOf("from=2026-03-12&to=2026-03-14")).toEqual(["Spend", expect.any(Boolean)]);
});

describe("rows with costs only in another currency", () => {
  it("lead to it in the place of a spend of zero, after the others, and the clicks of the currency are named", async () => {
    const query = `${WEEK}&group_by=partner&currency=USD`;
    const page = await show(query);
    const items = await report(`${WEEK}&group_by=partner&currency=USD&sort=spend`);
    const elsewhere = items.filter(isElsewhere);
    expect(elsewhere).not.toEqual([]);
    for (const sort of ["spend", "-spend"]) {
      const lines = linesOf(await show(`${query}&sort=${sort}`)).slice(0, -1);
      const last = lines.slice(-elsewhere.length);
      for (const { spend } of last) expect(spend).toMatch(/^in EUR/);
      expect(lines.slice(0, -elsewhere.length).filter(({ spend }) => spend.startsWith("in"))).toEqual([]);
    }
    for (const link of ["in EUR", "+ EUR"]) expect(hrefOf(page, link)).toContain("currency=EUR");
    const own = items.filter((item) => Number(item.spend) !== 0 || item.matched !== 0);
    const clicks = own.reduce((sum, item) => sum + Number(item.clicks), 0);
    expect(figuresOf(page)[1]).toContain(`${clicks.toLocaleString("en-US")} from USD partners`);
  });

  it("are counted beside the figures, with the way to them", async () => {
    const page = await show(`${WEEK}&currency=USD&metric=clicks&level=1&q=acme`);
    const items = await report(`${WEEK}&group_by=partner&currency=USD&sort=-clicks`);
    const paid = items.filter((item) => item.other_currencies === true).map((item) => item.partner_name);
    expect(paid.length).toBeGreaterThan(0);
    const [, state = ""] = /<div class="state [^"]*">([\s\S]*?)<\/div>/.exec(page) ?? [];
    const partners = paid.length === 1 ? "1 partner" : `${paid.length} partners`;
    expect(textOf(state)).toContain(`${partners} paid in EUR`);
    const href = hrefOf(state, partners);
    expect(href).toBe(`${PAGE}?${WEEK}&currency=EUR&metric=clicks&group_by=partner`);
    const there = linesOf(mainOf(await open(browser, href)));
    expect(there.filter(({ spend }) => spend.includes("€")).map(({ name }) => name)).toEqual(
      expect.arrayContaining(paid),
    );
  });

  it("are not there where all costs are in one currency", async () => {
    await inLedger(`DELETE FROM daily_totals WHERE currency <> 'USD'`, `DELETE FROM adjustments`);
    const page = await show(`${WEEK}&group_by=partner`);
    expect(textOf(page)).not.toMatch(/in (EUR|USD)\b(?! this)|(EUR|USD) partners|paid in [A-Z]/);
  });
});

it("rows have the course of the chart's figure and days, in at most 30 steps, and totals none", async () => {
  const pathsOf = (page: string) =>
    [...page.matchAll(/<svg class="spark"[^>]*><path d="m([^"]*)"/g)].map(
      ([, path = ""]) => path.replaceAll("-", " -").trim().split(/ +/).length / 2,
    );
  const page = await show(`${WEEK}&level=1`);
  expect(page.split("<tfoot>")[1]).not.toContain('class="spark"');
  const week = pathsOf(page);
  expect(week.length).toBeGreaterThan(0);
  for (const points of week) expect(points).toBe(7);
  for (const points of pathsOf(await show("from=2026-01-01&to=2026-03-07"))) expect(points).toBe(22);
  expect(pathsOf(await show(`${WEEK}&group_by=day`))).toEqual([]);
  // Of the days of the chart only.
  const long = await show("from=2026-01-01&to=2026-03-14");
  const days = long.match(/<rect class="area"/g)?.length ?? 0;
  expect(days).toBeLessThan(73);
  expect(days).toBeGreaterThan(6);
  const [points] = pathsOf(long);
  expect(points).toBe(Math.ceil(days / Math.ceil(days / 30)));
  // The whole period would have 25 steps.
  expect(points).not.toBe(25);
});

describe("a search of rows", () => {
  it("shows the rows with all words, their total, and that of all rows", async () => {
    const all = linesOf(await show(`${WEEK}&level=4`));
    const page = await show(`${WEEK}&level=4&q=spring+RUNNERS`);
    const lines = linesOf(page);
    expect(lines.length).toBeGreaterThan(1);
    expect(lines.length).toBeLessThan(all.length);
    const found = lines.slice(0, -2);
    for (const { name } of found) expect(name).toMatch(/(?=.*Spring)(?=.*Runners)/s);
    const dollars = (text = "") => Math.round(Number(text.replace(/[$,]/g, "")) * 100);
    const part = lines.at(-2);
    expect(part).toMatchObject({ name: `Total of ${found.length} rows`, signal: "" });
    const sumOf = (of: "spend" | "clicks") =>
      found.reduce((sum, one) => sum + (/\d/.test(one[of]) ? dollars(one[of]) : 0), 0);
    expect(dollars(part?.spend)).toBe(sumOf("spend"));
    expect(dollars(part?.clicks)).toBe(sumOf("clicks"));
    expect(lines.at(-1)).toEqual({ ...all.at(-1), name: `Total, all ${all.length - 1} rows` });
    const names = async (q: string) => linesOf(await show(`${WEEK}&level=4&q=${q}`)).map(({ name }) => name);
    expect(await names("spring%3ERUNNERS")).toEqual(await names("spring+RUNNERS"));
    const csv = await browser.get(hrefOf(page, "Download CSV"));
    expect(csv.text.trim().split("\r\n")).toHaveLength(lines.length - 1);
  });

  it("totals the days that it finds, with those before", async () => {
    const days = await show(`${WEEK}&group_by=day`);
    expect(textOf(days)).not.toContain("Total of");
    const found = linesOf(await show(`${WEEK}&group_by=day&q=2026-03-0`));
    const [part, total] = found.slice(-2);
    expect(part).toEqual({ ...total, name: "Total of 7 rows" });
  });

  it("is offered where there is more than one row", async () => {
    const one = `${WEEK}&level=1&link=demo1nk001`;
    expect(linesOf(await show(one))).toHaveLength(2);
    expect(await show(one)).not.toContain("Search rows");
    // Also with one that finds none or one of them.
    for (const query of [WEEK, `${one}&q=acme`, `${WEEK}&q=spring`])
      expect(await show(query)).toContain("Search rows");
  });

  it("says that no row has them, with a way back", async () => {
    const page = await show(`${WEEK}&q=nosuchname`);
    expect(textOf(page)).toContain("No rows match “nosuchname”.");
    expect(hrefOf(page, "Show all rows")).toBe(`${PAGE}?${WEEK}`);
  });

  it.each([
    ["group_by=partner&q=acme", "Acme Ads"],
    ["group_by=country&q=germ", "Germany"],
    ["group_by=platform&q=ios", "iOS"],
  ])("finds names in every grouping: %s", async (query, name) => {
    await rows(
      `INSERT INTO daily_audience VALUES ('${DEMO.appToken}', 1, ${NOW / DAY - 8.5}, 1, 'click', 'DE', 'ios', 5, 5)`,
    );
    const lines = linesOf(await show(`${WEEK}&${query}`));
    expect(lines.slice(0, -1).map((line) => line.name)).toEqual([name]);
  });
});

describe("filters", () => {
  it("are chosen in a form that keeps the view, and shown as chips that remove them", async () => {
    const page = await show(`${WEEK}&level=1&sort=name&country=DE`);
    const form = /<form class="filters"[^>]*aria-label="filters">[\s\S]*?<\/form>/.exec(page)?.[0] ?? "";
    const kept = [...form.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)">/g)];
    expect(kept.map(([, name, value]) => `${name}=${value}`).join("&")).toBe(`${WEEK}&level=1&sort=name`);
    expect([...form.matchAll(/<(?:select|input id="[^"]*") name="(\w+)"/g)].map(([, name]) => name)).toEqual([
      ...["link", "partner_id", "cost_type", "country", "platform"],
    ]);
    expect(form).toContain('name="country" value="Germany"');
    // As the browser sends it, with its empty fields.
    const chosen = await show(
      `${WEEK}&level=1&sort=name&link=demo1nk001&partner_id=1&cost_type=cpc&country=Germany&platform=`,
    );
    for (const [chip, name] of [
      ["Link: Acme and everything below it", "link"],
      ["Partner: Acme Ads", "partner_id"],
      ["Cost type: cpc, cost per click", "cost_type"],
      ["Country: Germany", "country"],
    ])
      expect(hrefOf(chosen, `Remove filter ${chip} ×`)).not.toMatch(`[?&]${name}=`);
    expect(hrefOf(chosen, "Clear filters")).toBe(`${PAGE}?${WEEK}&level=1&sort=name&platform=`);
  });

  it("by country and platform give the rows of the API", async () => {
    await inLedger(
      `INSERT INTO daily_audience VALUES ('${DEMO.appToken}', 3, ${NOW / DAY - 8.5}, 1, 'click', 'DE', 'ios', 57, 5)`,
    );
    const items = await report(`${WEEK}&currency=USD&group_by=link&level=4&country=DE&platform=ios`);
    const lines = linesOf(await show(`${WEEK}&currency=USD&level=4&country=de&platform=ios`));
    expect(lines.slice(0, -1).map(({ clicks }) => clicks)).toEqual(items.map(({ clicks }) => String(clicks)));
    expect(lines).toHaveLength(2);
  });

  it.each([
    ["de", "DE", "Germany"],
    ["trinidad+and+tobago", "TT", "Trinidad &amp; Tobago"],
  ])("by country take %s, show its name and keep its code", async (entered, code, name) => {
    const page = await show(`${WEEK}&country=${entered}`);
    expect(page).toContain(`</span>Country: ${name} <`);
    expect(hrefOf(page, "Download CSV")).toBe(`${PAGE}.csv?${WEEK}&country=${code}`);
  });

  it.each([
    ["germani", "for example Germany or DE."],
    ["korea", "for example North Korea, South Korea or KP."],
  ])("by a country that is not known say what to enter, and are not applied: %s", async (entered, text) => {
    const sent = new URLSearchParams({ country: entered });
    const page = await show(`${WEEK}&level=1&${sent}`, 400);
    expect(textOf(page)).toContain(
      `Filter not applied. Fix the error below and try again. The country must be a full name in English or a code of two letters, ${text}`,
    );
    expect(page).toContain('<details class="menu " open><summary>+ Filter</summary>');
    expect(/<input id="filter-country"[^>]*>/.exec(page)?.[0]).toBe(
      `<input id="filter-country" name="country" value="${entered}" maxlength="255" autocomplete="off" aria-invalid="true" aria-describedby="filter-country-error">`,
    );
    expect(page).toContain('<a href="#filter-country">');
    expect(linesOf(page)).toEqual(linesOf(await show(`${WEEK}&level=1`)));
    expect(hrefOf(page, "Download CSV")).toBe(`${PAGE}.csv?${WEEK}&level=1`);
  });

  it.each([
    ["country", "DE", "Germany"],
    ["platform", "ios", "iOS"],
  ])("by %s are offered where it occurs", async (group, value, name) => {
    await inLedger(
      `INSERT INTO daily_audience VALUES ('${DEMO.appToken}', 3, ${NOW / DAY - 8.5}, 1, 'click', 'DE', 'ios', 57, 5)`,
    );
    const page = await show(`${WEEK}&group_by=${group}`);
    expect(hrefOf(page, name)).toBe(`${PAGE}?${WEEK}&${group}=${value}`);
    if (group === "country") expect(page).toContain(`<option value="${name}">${value}</option>`);
    expect(textOf(await open(browser, hrefOf(page, name)))).toContain(`${name} ×`);
  });
});

describe("countries and platforms", () => {
  it.each([
    [
      "32 days",
      "from=2026-02-01&to=2026-03-04&group_by=country",
      "at most 31 days of an app. You chose 32 days. Of one link, it shows 93 days.",
      "from=2026-02-02&to=2026-03-04",
    ],
    [
      "90 days",
      "period=90d&platform=ios",
      "at most 31 days of an app. You chose 90 days.",
      "from=2026-02-12&to=2026-03-14",
    ],
    [
      "94 days of one link",
      "from=2025-12-01&to=2026-03-04&group_by=platform&link=demo1nk001",
      "at most 93 days. You chose 94 days.",
      "from=2025-12-02&to=2026-03-04",
    ],
  ])("of %s are a page that names the limit and offers the nearest days", async (_, query, text, days) => {
    const page = await show(query, 400);
    expect(textOf(page)).toContain(`By country and platform, Performance shows ${text}`);
    const offered = linksOf(page).find((link) => link.text.startsWith("Show") && link.href.includes(days));
    expect(offered).toBeDefined();
    await open(browser, offered?.href ?? "");
    await open(
      browser,
      hrefOf(page, query.includes("link=") ? "Show the last 90 days" : "Show the last 30 days"),
    );
    const campaigns = await open(browser, hrefOf(page, "Show campaigns"));
    expect(mainOf(campaigns)).not.toContain("Country:");
  });

  it.each([
    "from=2026-02-02&to=2026-03-04&group_by=country",
    "from=2025-12-02&to=2026-03-04&country=DE&link=demo1nk001",
  ])("of the most days are shown: %s", async (query) => {
    await show(query);
  });
});

describe("the chart", () => {
  /** The texts of the values of each day, in total and by name. */
  const daysOf = (page: string) =>
    [...page.matchAll(/aria-label="(\d+ Mar 2026): ([^"( ]+)(?: \(([^"]*)\))?"/g)].map(
      ([, , total, parts = ""]) => ({
        total,
        parts: new Map(
          parts
            .split(",\n")
            .map((part) => [part.slice(0, part.lastIndexOf(" ")), part.slice(part.lastIndexOf(" ") + 1)]),
        ),
      }),
    );
  const write = {
    clicks: (item: Item) => Number(item.clicks).toLocaleString("en-US"),
    spend: (item: Item) => usd(item.spend),
    cost_per_click: (item: Item) => price(item.cost_per_click),
  };

  it.each([
    ["group_by=link&level=2", "Acme › Spring", "link=demo1nk002"],
    ["group_by=partner", "Acme Ads", "partner_id=1"],
    ["group_by=country", "Germany", "country=DE"],
    ["group_by=platform&country=DE", "iOS", "country=DE&platform=ios"],
    ["group_by=cost_type", "cpc", "cost_type=cpc"],
  ])("has the days of the API in total, before and of each row: %s", async (group, name, filter) => {
    await inLedger(
      ...[1, 2, 3].flatMap((day) => {
        const key = `'${DEMO.appToken}', ${NOW / DAY - 8.5 - day}, 3, 1, 'click'`;
        const added =
          "ON CONFLICT DO UPDATE SET count = count + excluded.count, recorded = recorded + excluded.recorded";
        return [
          `INSERT INTO daily_audience VALUES ('${DEMO.appToken}', 3, ${NOW / DAY - 8.5 - day}, 1, 'click', 'DE', 'ios', ${10 + day}, 5) ${added}`,
          `INSERT INTO daily_engagements VALUES (${key}, ${10 + day}, 5) ${added}`,
        ];
      }),
    );
    const of = group.includes("country=DE") ? "&country=DE" : "";
    const all = await report(`${WEEK}&currency=USD&group_by=day${of}`);
    const own = await report(`${WEEK}&currency=USD&group_by=day&${filter}`);
    for (const metric of ["clicks", "spend", "cost_per_click"] as const) {
      if (group === "group_by=cost_type" && metric === "clicks") continue;
      if (filter.includes("country") && metric !== "clicks") continue;
      const days = daysOf(await show(`${WEEK}&currency=USD&metric=${metric}&${group}`));
      expect(days).toHaveLength(7);
      // The price of the others is that of all, whose line they would be on.
      const isApart = metric !== "cost_per_click" || group === "group_by=link&level=2";
      const found = (items: Item[], index: number) =>
        items.find(({ day }) => day === `2026-03-0${index + 1}`);
      for (const [index, { total, parts }] of days.entries()) {
        const [whole, part] = [found(all, index), found(own, index)];
        const label = [metric, index];
        if (whole) expect([...label, total]).toEqual([...label, write[metric](whole)]);
        const isNone = !part || !Number(part[metric]);
        const shown = isNone ? undefined : write[metric](part);
        if (isApart && (metric !== "cost_per_click" || shown))
          expect([...label, parts.get(name)]).toEqual([...label, shown]);
        const before = whole?.previous;
        if (before && Number(before[metric]))
          expect([...label, parts.get("Previous period")]).toEqual([...label, write[metric](before)]);
      }
      expect(days.some(({ parts }) => parts.has(name))).toBe(isApart);
    }
  });
});

it("the chart of one day has its figures", async () => {
  const day = "from=2026-03-05&to=2026-03-05&currency=USD";
  const [total] = await report(day);
  expect(await show(day)).toContain(`aria-label="5 Mar 2026: ${usd(total?.spend)}`);
});

const legendOf = (page: string) => {
  const legend = /<table class="legend"[^>]*>([\s\S]*?)<\/table>/.exec(page)?.[1] ?? "";
  return (tablesOf(`<table>${legend}</table>`)[0] ?? []).map(({ cells }) => cells);
};

describe("the legend", () => {
  it.each(["-spend", "spend", "-clicks_change"])(
    "has the first rows of the table sorted by %s, with their values and changes",
    async (sort) => {
      for (const metric of ["spend", "cost_per_click"]) {
        const page = await show(`${WEEK}&level=4&metric=${metric}&currency=USD&sort=${sort}`);
        const lines = linesOf(page)
          .slice(0, -1)
          .map((line) => [
            line.name,
            metric === "spend" ? line.spend : line.cost,
            metric === "spend" ? line.spendChange : line.costChange,
            line.signal,
          ])
          .filter(
            ([, value, , signal]) =>
              /[1-9]/.test(value ?? "") && (metric === "spend" || signal !== "Too few clicks"),
          )
          .map((line) => line.slice(0, 3));
        const own = legendOf(page).filter(([name = ""]) => !/others?$|^All$|^Total$|^Previous/.test(name));
        // A total that is much larger than each of them is shown without their lines.
        const amounts = lines.slice(0, 5).map(([, value = ""]) => Number(value.replace(/[^\d.]/g, "")));
        const all = Number(
          linesOf(page)
            .at(-1)
            ?.spend.replace(/[^\d.]/g, ""),
        );
        const isFlat =
          metric === "spend" &&
          all > 5 * Math.max(...amounts) &&
          all > 2 * amounts.reduce((sum, amount) => sum + amount, 0);
        expect(isFlat).toBe(metric === "spend" && sort === "spend");
        expect(amounts.length).toBeGreaterThan(0);
        expect(own).toEqual(isFlat ? [] : lines.slice(0, 5));
      }
    },
  );
});

it.each(["cost_per_click", "coverage"])(
  "without a chosen order, the first rows of the table and of the chart are those with the most of %s",
  async (metric) => {
    const shown = `${WEEK}&level=4&currency=USD&metric=${metric}&columns=spend,clicks,impressions,cost_per_click,coverage`;
    const [page, sorted, bySpend] = await Promise.all(
      ["", `&sort=-${metric}`, "&sort=-spend"].map((sort) => show(shown + sort)),
    );
    const namesOf = (page = "") => linesOf(page).map(({ name }) => name);
    expect(namesOf(page)).toEqual(namesOf(sorted));
    expect(namesOf(page)).not.toEqual(namesOf(bySpend));
    expect(legendOf(page ?? "")).toEqual(legendOf(sorted ?? ""));
    // Only money has a change that the sentence explains.
    expect(/Spend (rose|fell)/.test(textOf(page ?? ""))).toBe(metric === "cost_per_click");
  },
);

it("a row whose price is that of all has no line and no place in the legend", async () => {
  const shown = `${WEEK}&group_by=partner&partner_id=1&currency=USD`;
  const namesOf = async (metric: string) =>
    legendOf(await show(`${shown}&metric=${metric}`)).map(([name]) => name);
  expect(await namesOf("clicks")).toEqual(["Acme Ads", "Previous period"]);
  expect(await namesOf("cost_per_click")).toEqual(["All", "Previous period"]);
  expect(await namesOf("coverage")).toEqual(["All", "Previous period"]);
});

describe("a direct row", () => {
  it("opens the figures of its link without what is below it", async () => {
    const page = await show(`${WEEK}&currency=USD&group_by=link&open=demo1nk002`);
    const direct = linesOf(page).filter(({ name }) => name.endsWith(" direct"));
    expect(direct.length).toBeGreaterThan(1);
    for (const { href = "", clicks, spend } of direct) {
      expect(href).toMatch(/&group_by=day&link=\w+&direct=1$/);
      const own = await show(href.slice(href.indexOf("?") + 1));
      const total = linesOf(own).at(-1);
      expect([clicks, spend]).toEqual([total?.clicks, total?.spend.replace(/^\$0\.00$/, spend)]);
      expect(textOf(own)).toMatch(/Remove filter Link: \S+ direct/);
    }
    // Every filter keeps it, and without its link it says nothing.
    const [{ href = "" } = {}] = direct;
    const own = await show(href.slice(href.indexOf("?") + 1));
    expect(own).toContain('<input type="hidden" name="direct" value="1">');
    const removed = linksOf(own).find(({ text }) => text.startsWith("Remove filter Link:"));
    expect(removed?.href).not.toContain("direct");
    const [stray, all] = await Promise.all([`${WEEK}&direct=1`, WEEK].map((query) => show(query)));
    const figures = (page = "") => linesOf(page).map(({ href: _, ...figures }) => figures);
    expect(figures(stray)).toEqual(figures(all));
    // By campaign, it is one row.
    const [row, total] = linesOf(await show(`${WEEK}&link=demo1nk002&direct=1`));
    expect([row?.name, row?.clicks]).toEqual(["Spring direct Acme", total?.clicks]);
  });

  it("has only its own adjustments and changes of cost data", async () => {
    const adjusted = (link: number, amount: number) =>
      env.DB.prepare(
        `INSERT INTO adjustments (app_token, day, link_id, partner_id, cost_type, currency, amount, reason, user_id, created_at)
         VALUES (?, ${Date.parse("2026-03-05") / DAY}, ${link}, 1, 'cpc', 'USD', ${amount}, 'r', 2, 0)`,
      ).bind(DEMO.appToken);
    await env.DB.batch([adjusted(1, -100_000_000), adjusted(2, -700_000_000)]);
    const text = textOf(await show(`${WEEK}&link=demo1nk001&direct=1&currency=USD`));
    expect(text).toContain("Spend includes −$1.00 in adjustments");
    expect(text).not.toContain("−$7.00");
  });
});

describe("without spend", () => {
  it("the chart and its tile are those of clicks", async () => {
    await inLedger("DELETE FROM daily_totals");
    const page = await show(WEEK);
    expect(/<figcaption><span[^>]*>([^<]*)/.exec(page)?.[1]).toMatch(/^Clicks by day/);
    expect(/<a [^>]*aria-current="true"><span class="name">([^<]*)/.exec(page)?.[1]).toBe("Clicks");
  });
});

describe("the address", () => {
  it("keeps the view when the currency, the grouping or a filter changes", async () => {
    const page = await show(`${WEEK}&metric=clicks&partner_id=1&currency=USD`);
    for (const [text, part] of [
      ["EUR", "currency=EUR"],
      ["Network", "level=1"],
      ["Week", "group_by=week"],
    ]) {
      const href = hrefOf(page, text ?? "");
      expect(href).toContain(part);
      for (const kept of ["metric=clicks", "partner_id=1", "from=2026-03-01"]) expect(href).toContain(kept);
      await open(browser, href);
    }
    expect(hrefOf(page, "Remove filter Partner: Acme Ads ×")).not.toContain("partner_id");
  });

  it("keeps the days on the other tabs and in the list of apps", async () => {
    const { text } = await browser.get(`${PAGE}?${WEEK}`);
    for (const [tab, path] of [
      ["Overview", APP],
      ["Links", `${APP}/links`],
      ["Partners", `${APP}/partners`],
    ] as const) {
      expect(hrefOf(text, tab)).toBe(`${path}?${WEEK}`);
      expect(hrefOf(await open(browser, hrefOf(text, tab)), "Performance")).toBe(`${PAGE}?${WEEK}`);
    }
    expect(hrefOf(text, "Demo App")).toBe(`${PAGE}?${WEEK}`);
  });

  it.each(["", "/links", "/links/demo1nk003", "/partners", "/partners/1", "/performance", "/ignored"])(
    "with dates in the wrong order is still the page, here and on the others: %s",
    async (path) => {
      const { status, text } = await browser.get(`${APP}${path}?from=2026-03-02&to=2026-03-01`);
      expect([status, /<title>Error: (\w+)/.exec(text)?.[1]]).toEqual([400, expect.any(String)]);
      const page = mainOf(text);
      expect(textOf(page)).toContain("The To date must be on or after the From date.");
      expect(textOf(page)).toContain("8 – 14 Mar 2026, UTC");
      expect(page).toContain('name="from" value="2026-03-02"');
      // The other tabs have days that can be shown.
      expect(hrefOf(text, "Links")).toBe(`${APP}/links`);
    },
  );

  it("leads from each day of the chart to that day", async () => {
    const page = await show(`${WEEK}&currency=USD`);
    const days = [...page.matchAll(/<a href="([^"]*)" aria-label="(\d+ Mar 2026): ([^"( ]*)/g)];
    expect(days).toHaveLength(7);
    for (const [, href = "", day = "", spend = ""] of [days[0] ?? [], days[6] ?? []]) {
      const below = mainOf(await open(browser, href.replaceAll("&amp;", "&")));
      expect(textOf(below)).toContain(`${day}, UTC`);
      expect(figuresOf(below)[0]).toContain(`Spend ${spend}`);
    }
  });
});

it.each(["", "&group_by=partner&sort=name", "&level=1&open=demo1nk001&currency=EUR", "&group_by=day"])(
  "the CSV has exactly the rows of the table: %s",
  async (query) => {
    const page = await show(WEEK + query + MATCHED);
    const { status, text } = await browser.get(hrefOf(page, "Download CSV"));
    const [header = "", ...lines] = text.trim().split("\r\n");
    const at = header.split(",").indexOf("matched");
    expect(status).toBe(200);
    expect(lines.map((line) => line.split(",")[at])).toEqual(
      linesOf(page)
        .slice(0, -1)
        .map(({ matched }) => matched.replaceAll(",", "")),
    );
  },
);

it("the CSV has no other days than those that were asked for", async () => {
  const { status, text } = await browser.get(`${PAGE}.csv?from=2026-03-07&to=2026-03-01`);
  expect([status, textOf(mainOf(text))]).toEqual([
    400,
    expect.stringContaining("The To date must be on or after the From date."),
  ]);
});

it("shows 50 rows, and 50 more", async () => {
  const few = linesOf(await show(`${WEEK}&level=1`));
  await env.DB.exec(
    `WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 59) INSERT INTO links (id, token, app_token, parent_id, level, label, created_at) SELECT 2000 + i, 'many' || i, '${DEMO.appToken}', NULL, 1, 'Many ' || i, 0 FROM n`,
  );
  await inLedger(
    `WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 59) INSERT INTO daily_engagements SELECT '${DEMO.appToken}', ${NOW / DAY - 0.5 - 10}, 2000 + i, 0, 'click', 100, 0 FROM n`,
  );
  const page = await show(`${WEEK}&level=1&sort=-clicks`);
  expect(linesOf(page)).toHaveLength(51);
  const more = linesOf(mainOf(await open(browser, hrefOf(page, "Show 50 more"))));
  expect(more).toHaveLength(few.length + 60);
});

describe("states", () => {
  const NONE = "from=2020-01-01&to=2020-01-31";

  it("no cost in the currency, with rows that have clicks", async () => {
    const page = await show(`${WEEK}&currency=JPY`);
    expect(textOf(page)).toContain("No matched costs in JPY in this period.");
    expect(linesOf(page)).toHaveLength(linesOf(await show(WEEK)).length);
  });

  it("no result for the filters, and none in these days, with a way back", async () => {
    const filtered = await show(`${NONE}&partner_id=1`);
    expect(textOf(filtered)).toContain("No clicks or costs match these filters");
    expect(linesOf(filtered)).toEqual([]);
    const none = await show(NONE);
    expect(hrefOf(none, "Show the last 30 days")).toBe(`${PAGE}?period=30d`);
  });

  it.each([
    ["no link", "UPDATE apps SET link_count = 0", "This app has no links yet."],
    ["no partner", "UPDATE links SET partner_id = NULL, cost_switch = NULL", "No link has a partner."],
    [
      "cost data off",
      "UPDATE links SET cost_switch = 0",
      "Cost data is off on the links of Acme Ads , Delta Reach , and Echo Media .",
    ],
  ])("nothing because of %s", async (_, change, text) => {
    await inLedger("DELETE FROM daily_totals", "DELETE FROM adjustments", "DELETE FROM daily_engagements");
    await env.DB.exec(change);
    expect(textOf(await show(""))).toContain(text);
  });

  it("each wrong parameter is named on a page with a way back", async () => {
    const errors = [
      [
        "group_by=hour",
        "The grouping must be one of link, partner, cost_type, day, week, country, platform.",
      ],
      ["level=5", "The level must be 1, 2, 3 or 4."],
      ["currency=XYZ", "The currency must be an ISO 4217 currency code"],
      ["metric=cost", "The metric of the chart must be one of spend, clicks, impressions, cost_per_click,"],
      ["sort=-cost", "The order must be one of name, spend"],
      ["columns=spend,toString", "The list of columns must be some of spend, clicks, impressions,"],
      ["compare=1", "The comparison must be 0."],
      ["partner_id=x", "The partner must be a positive integer."],
      ["open=!", "The list of open links must be the tokens of links"],
      ["group=day", "group is not a known parameter"],
    ];
    const page = await show(errors.map(([query]) => query).join("&"), 400);
    for (const [, text = ""] of errors) expect(textOf(page)).toContain(text);
    expect(hrefOf(page, "Reset filters and dates")).toBe(PAGE);
    expect(hrefOf(await show("level=5", 400), "Reset filters and dates")).toBe(PAGE);
  });

  it.each([
    ["link=nosuchlink", "This app has no link with this token."],
    ["link=demo1nk009", "This app has no link with this token."],
    ["partner_id=99", "There is no partner with this ID."],
  ])("%s is not found, with a way back", async (query, text) => {
    const page = await show(query, 404);
    expect(textOf(page)).toContain(text);
    expect(hrefOf(page, "Back to performance")).toBe(PAGE);
  });

  it("escapes names", async () => {
    await rows(`UPDATE partners SET display_name = '"><script>' WHERE id = 1`);
    await rows(`UPDATE links SET label = '<b>bold' WHERE id = 1`);
    for (const group of ["partner", "link"])
      expect(await show(`group_by=${group}&${WEEK}`)).not.toMatch(/<b>|<script>/);
  });
});
