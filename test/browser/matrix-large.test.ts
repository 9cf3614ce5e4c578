/** Every page with the data of a customer's size, in its widths and colors, and nothing that moves under the pointer. */
import type { Page, Request } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { LARGE } from "../../src/dev/demo/large/links.ts";
import { liveToken, PARTNERS } from "../../src/dev/demo/large/partners.ts";
import { metrics } from "../../src/workspace/performance/query.ts";
import { BASE_URL } from "./browser.ts";
import { measureLayout } from "./layout.ts";
import { checkModes, useWindows } from "./matrix.ts";
import { LARGE_PAGES } from "./pages.ts";

const [partner] = PARTNERS;
const windowOf = useWindows(() => ({
  url: BASE_URL,
  credential: partner ? liveToken(partner) : "",
}));

type Check = (page: Page) => Promise<void>;

/** The cases that look at a page, by its address. */
const visits = new Map<string, { who: string; path: string; looks: [title: string, check: Check][] }>();

/** A case that looks at a page, which is loaded once for all of them. It closes what it opens. */
function look(who: string, path: string, title: string, check: Check): void {
  const visit = visits.get(`${who} ${path}`) ?? { who, path, looks: [] };
  visits.set(`${who} ${path}`, visit);
  visit.looks.push([title, check]);
}

for (const [who, path] of LARGE_PAGES)
  look(who, path, "is accessible and fits", (page) =>
    checkModes(page, path, [
      [390, "dark"],
      [1280, "forced"],
    ]),
  );

// In the page, not in the window, which the browser scrolls to what the pointer moves to.
const topsOf = (page: Page, selector: string) =>
  page.evaluate(
    `[...document.querySelectorAll(${JSON.stringify(selector)})].map((element) => element.getBoundingClientRect().top + scrollY)`,
  ) as Promise<number[]>;

look("demo", `/apps/${LARGE.appToken}/links`, "does not move when a link is selected", async (page) => {
  await page.setViewportSize({ width: 1280, height: 900 });
  const rows = await topsOf(page, "main tbody tr");
  expect(rows.length).toBeGreaterThan(20);
  const bar = page.getByRole("region", { name: "Selected links" });
  expect(await bar.isVisible()).toBe(false);
  await page.locator("main tbody input[type=checkbox]").first().check();
  await bar.getByText("1 selected").waitFor();
  expect(await bar.getByRole("button", { name: "Review changes" }).isVisible()).toBe(true);
  expect(await topsOf(page, "main tbody tr")).toEqual(rows);
  await page.locator("main tbody input[type=checkbox]").first().uncheck();
});

look("demo", `/apps/${LARGE.appToken}`, "does not move when a day is under the pointer", async (page) => {
  await page.setViewportSize({ width: 1280, height: 900 });
  const headings = await topsOf(page, "main h2");
  const days = page.locator(".plot a .area");
  const labels: string[] = [];
  for (const day of [1, 3, 5]) {
    await days.nth(day).hover();
    const label = (await page.locator(".plot a").nth(day).getAttribute("aria-label")) ?? "";
    const [name = "", details = ""] = label.replace(/\)$/, "").split(" (");
    expect((await page.locator(".chart-tip:visible > div").allTextContents()).join("\n")).toBe(
      [name, ...details.split(",\n")].join("\n"),
    );
    expect(await topsOf(page, "main h2")).toEqual(headings);
    labels.push(label);
  }
  // One of them has an event, which has no mark.
  expect(labels.filter((label) => label.includes("was stopped by an operator"))).toHaveLength(1);
});

for (const width of [1280, 768])
  look(
    "demo",
    `/apps/${LARGE.appToken}`,
    `has the values of a day beside it, in the window, with one line for its events: ${width} px`,
    async (page) => {
      await page.setViewportSize({ width, height: 800 });
      const [chart, tip] = [page.locator(".daily-chart"), page.locator(".chart-tip")];
      const days = chart.locator(".plot a .area");
      const events: string[] = [];
      for (const isLow of [false, true]) {
        // Once as the page begins, and once with the end of the chart below the window.
        await page.evaluate(
          `scrollTo(0, ${isLow ? 'document.querySelector(".plot").getBoundingClientRect().bottom + scrollY - 790' : 0})`,
        );
        for (let day = 0; day < 7; day++) {
          await days.nth(day).hover();
          const [area, box] = [await days.nth(day).boundingBox(), await tip.boundingBox()];
          if (!area || !box) throw new Error("no box");
          expect([day, box.y >= 0, box.y + box.height <= 800]).toEqual([day, true, true]);
          expect([day, box.x >= 0, box.x + box.width <= width]).toEqual([day, true, true]);
          expect([day, box.x + box.width <= area.x || box.x >= area.x + area.width]).toEqual([day, true]);
          expect(box.height).toBeLessThanOrEqual(165);
          const lines = await tip.locator("> div:not(:first-child):not(:has(svg))").allInnerTexts();
          events.push(lines.filter((line) => line !== "Not final").join("|"));
        }
      }
      // The newest day has several.
      expect(events.slice(0, 7)).toEqual([
        ...["", "", "", expect.stringMatching(/^.+ was stopped by an operator$/)],
        ...[
          expect.stringMatching(/^No cost from .+ after \d+ \w+$/),
          "",
          expect.stringMatching(/^\d events$/),
        ],
      ]);
    },
  );

describe("Performance in one window", () => {
  const PAGE = `/apps/${LARGE.appToken}/performance`;
  const heightsOf = (page: Page, selector: string) =>
    page.locator(selector).evaluateAll((all) => all.map((one) => one.getBoundingClientRect().height));

  /** Whether the days are final, and how many partners are paid in other currencies. */
  const checkState = async (page: Page, query: string) => {
    const state = page.locator(".state");
    const [final = "", euros = ""] = await state.locator("p").allInnerTexts();
    expect([query, final]).toEqual([
      query,
      expect.stringMatching(/^Not final: costs can arrive until \d+ \w+ \d{4}\.$/),
    ]);
    const paid = PARTNERS.filter(({ currency, isIntegrated }) => currency === "EUR" && isIntegrated);
    expect(euros).toBe(`${paid.length} partners paid in EUR`);
    // No text is cut.
    for (const line of await state.locator("p").all())
      expect(await line.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0);
    const [box, chart] = [await state.boundingBox(), await page.locator(".card.charts").boundingBox()];
    expect((box?.y ?? 800) + (box?.height ?? 0)).toBeLessThanOrEqual(chart?.y ?? 0);
    // In the row of the tiles, whose height does not change with it.
    expect(Math.round(box?.height ?? 0)).toBeLessThanOrEqual(72);
  };

  it("at 1280 x 800 px, has a row of the table after 25 stops for Tab", async () => {
    const page = await windowOf("demo");
    await page.emulateMedia({ colorScheme: "light", forcedColors: "none" });
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.goto(PAGE);
    // It draws only the total where it is much larger than each campaign.
    expect(await page.locator(".plot .line:not(.before, .behind)").count()).toBe(0);
    expect(await page.locator(".plot .bar").count()).toBe(7);
    expect(await page.locator("figcaption").innerText()).toMatch(/^Spend by day: /);
    // Each campaign has its own course.
    expect(await page.locator(".spark").count()).toBeGreaterThan(40);
    let stops = 0;
    const isInRows = () => page.evaluate("document.activeElement.closest('.performance tbody') !== null");
    do await page.keyboard.press("Tab");
    while (++stops < 60 && !(await isInRows()));
    expect(stops).toBeLessThanOrEqual(26);
  });

  const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10);
  for (const name of [
    "",
    "?group_by=partner",
    "?level=4",
    `?from=${day(1)}&to=${day(1)}`,
    "?period=90d&metric=cost_per_click&sort=-cost_per_click",
  ])
    look(
      "demo",
      PAGE + name,
      "at 1280 x 800 px, has one row of controls, its state above the chart, and a row of the table at the top 560 px",
      async (page) => {
        const { y = 0 } = (await page.locator(".performance tbody tr").first().boundingBox()) ?? {};
        expect([name, y]).toEqual([name, expect.any(Number)]);
        expect(y, name).toBeLessThanOrEqual(560);
        const [controls = 0] = await heightsOf(page, ".head > .toolbar");
        expect(controls).toBe(40);
        expect(new Set(await heightsOf(page, ".figures > li"))).toEqual(new Set([72]));
        const [chart = 0] = await heightsOf(page, ".daily-chart");
        expect(Math.round(chart)).toBe(180);
        const rows = await heightsOf(page, ".performance tbody tr");
        expect(rows).toHaveLength(Math.min(rows.length, 50));
        expect([...new Set(rows.map(Math.round))], name).toEqual([36]);
        if (!name.includes("level") && !name.includes("from")) await checkState(page, name);
      },
    );

  look("demo", PAGE, "keeps its rows where they are while a menu is open", async (page) => {
    const top = async () => (await page.locator(".performance tbody tr").first().boundingBox())?.y;
    const before = await top();
    const menus = page.locator("main .menu:visible > summary");
    expect(await menus.count()).toBeGreaterThan(5);
    for (const menu of await menus.all()) {
      await menu.click();
      expect([await menu.innerText(), await top()]).toEqual([await menu.innerText(), before]);
    }
    await page.evaluate("for (const menu of document.querySelectorAll('.menu[open]')) menu.open = false");
  });

  const WITH_ALL = `${PAGE}?columns=${metrics.join()}`;
  look(
    "demo",
    WITH_ALL,
    "has all columns in tiles of one size, in rows of the same columns",
    async (page) => {
      for (const [width, most] of [
        [1280, 5],
        [768, 3],
        [390, 2],
      ] as const) {
        await page.setViewportSize({ width, height: 800 });
        const boxes = await page
          .locator(".figures > li")
          .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().toJSON()));
        expect(boxes).toHaveLength(metrics.length);
        expect([width, new Set(boxes.map((box) => Math.round(box.width))).size]).toEqual([width, 1]);
        expect([width, new Set(boxes.map((box) => Math.round(box.x))).size]).toEqual([width, most]);
      }
    },
  );

  look(
    "demo",
    PAGE,
    "has its four tiles in two rows of two below 1,024 px, with their whole texts",
    async (page) => {
      for (const width of [768, 390, 320]) {
        await page.setViewportSize({ width, height: 844 });
        const boxes = await page
          .locator(".figures > li")
          .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().toJSON()));
        const placesOf = (of: "x" | "y") => new Set(boxes.map((box) => Math.round(box[of]))).size;
        expect([width, boxes.length, placesOf("x"), placesOf("y")]).toEqual([width, 4, 2, 2]);
        const wider = await page
          .locator(".figures > li")
          .evaluateAll((all) => all.filter((one) => one.scrollWidth > one.clientWidth).length);
        expect([width, wider]).toEqual([width, 0]);
        const own = page.locator(".figures .own");
        expect(await own.count()).toBe(2);
        for (const part of await own.all())
          expect(await part.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
      }
    },
  );

  // The second has a long text.
  for (const name of ["", `?from=${day(35)}&to=${day(1)}`])
    look("demo", PAGE + name, "has its menus within a window of 768 px", async (page) => {
      await page.setViewportSize({ width: 768, height: 800 });
      const rights = await page
        .locator(".head > .toolbar :is(summary, .button)")
        .evaluateAll((all) =>
          all.filter((one) => one.checkVisibility()).map((one) => one.getBoundingClientRect().right),
        );
      expect(rights.length).toBeGreaterThan(4);
      expect(Math.max(...rights)).toBeLessThanOrEqual(768);
    });

  look("demo", `${PAGE}?compare=0`, "has all columns at 768 px, without a cut heading", async (page) => {
    await page.setViewportSize({ width: 768, height: 800 });
    const table = page.locator(".performance .table");
    expect(await table.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
  });

  look("demo", WITH_ALL, "has names that stay where they are while the figures scroll", async (page) => {
    await page.setViewportSize({ width: 768, height: 800 });
    const table = page.locator(".performance .table");
    await table.evaluate((element) => element.scrollTo(400, 0));
    const [name, box] = await Promise.all([
      page.locator(".performance tbody th").first().boundingBox(),
      table.boundingBox(),
    ]);
    expect(Math.abs((name?.x ?? 0) - (box?.x ?? 1))).toBeLessThan(2);
    await table.evaluate((element) => element.scrollTo(0, 0));
  });

  look("demo", PAGE, "on a phone, has two lines a row", async (page) => {
    await page.setViewportSize({ width: 390, height: 844 });
    const rows = await heightsOf(page, ".performance tbody tr");
    expect(rows.length).toBe(50);
    expect(Math.max(...rows)).toBeLessThanOrEqual(72);
    // The chart is in the window, below tiles of one height, and high enough to be read.
    const [plot = 0] = await heightsOf(page, ".plot .area");
    expect(Math.round(plot)).toBe(140);
    const end = await page.locator(".daily-chart").boundingBox();
    expect((end?.y ?? 844) + (end?.height ?? 0)).toBeLessThanOrEqual(844);
    expect(await page.locator(".legend td").first().isVisible()).toBe(true);
    // As on other pages, the title is at the top.
    const title = await page.getByRole("heading", { level: 1 }).boundingBox();
    expect([Math.round(title?.y ?? 0), title?.x, (title?.width ?? 0) > 100]).toEqual([100, 20, true]);
    const tiles = await heightsOf(page, ".figures > li");
    expect(new Set(tiles.map(Math.round)).size).toBe(1);
    expect(Math.max(...tiles)).toBeLessThan(90);
    // The first one has no line above it.
    expect(new Set(rows.slice(1).map(Math.round)).size).toBe(1);
    const choices = await page
      .locator(".by :is(.choices a, .menu > summary)")
      .evaluateAll((all) => all.map((one) => Math.round(one.getBoundingClientRect().top)));
    expect(choices.length).toBe(5);
    expect(new Set(choices).size).toBe(1);
    // What the chart says is not cut.
    for (const selector of [".readout", ".legend th span"])
      for (const part of await page.locator(selector).all())
        expect(await part.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
  });

  look(
    "demo",
    `${PAGE}?group_by=partner`,
    "on a phone, has its choices in one row, whichever is chosen",
    async (page) => {
      await page.setViewportSize({ width: 390, height: 844 });
      const tops = await page
        .locator(".by :is(.choices a, .menu > summary)")
        .evaluateAll((all) => all.map((one) => Math.round(one.getBoundingClientRect().top)));
      expect(new Set(tops).size).toBe(1);
    },
  );

  look("demo", `${PAGE}?period=90d`, "has the marks of 90 days beside each other", async (page) => {
    for (const [width, least] of [
      [390, 4],
      [1280, 7],
    ] as const) {
      await page.setViewportSize({ width, height: 844 });
      const marks = (await page.locator(".event path").evaluateAll((all) =>
        all
          .filter((one) => one.checkVisibility())
          .map((one) => one.getBoundingClientRect().toJSON())
          .sort((one, other) => one.left - other.left),
      )) as { left: number; right: number }[];
      expect(marks.length).toBeGreaterThanOrEqual(least);
      const over = marks.filter(({ left }, at) => at > 0 && left < (marks[at - 1]?.right ?? 0));
      expect([width, over]).toEqual([width, []]);
    }
  });
});

// The table of Performance in a narrow window.
{
  /** The headings in view; where cells begin, by column; the smallest gap between figures; names that are cut beside a whole second text. */
  const MEASURE = `(() => {
    const box = (one) => {
      const range = document.createRange();
      range.selectNodeContents(one);
      return range.getBoundingClientRect();
    };
    const table = document.querySelector(".performance table");
    const isShown = (cell) => cell.clientWidth > 1 && getComputedStyle(cell).position !== "absolute";
    const heads = [...table.querySelectorAll("thead th")].filter(isShown);
    const rows = [...table.querySelectorAll("tbody tr, tfoot tr")].map((row) => [...row.querySelectorAll(innerWidth < 640 ? "td.number:not(.folded)" : "td.number")].filter(isShown).map(box));
    const isCut = (one) => one.scrollWidth > one.clientWidth;
    return {
      heads: heads.map((head) => head.innerText.replace(/\\s+/g, " ").replace(/ [▲▼]$/, "")),
      lefts: [heads.map(box), ...rows].map((cells) => cells.map(({ left }) => Math.round(left)).join()),
      gap: Math.min(...rows.flatMap((cells) => cells.slice(1).map(({ left }, index) => left - cells[index].right))),
      cut: [...table.querySelectorAll(".name:has(> a + .muted)")].filter((name) => {
        const [text, second] = [name.querySelector(":scope > a > bdi"), name.querySelector(":scope > .muted:not(:has(bdi + bdi))")];
        return text && second && isCut(text) && second.clientWidth > 30;
      }).map((name) => name.textContent),
    };
  })()`;
  for (const [query, expected] of [
    ["", ["Spend", "Change", "Cost per click", "Change"]],
    ["?group_by=partner", ["Spend", "Change", "Cost per click", "Change"]],
    ["?level=4", ["Spend", "Change", "Cost per click", "Change"]],
    ["?compare=0", ["Spend", "Clicks", "Cost per click", "Coverage"]],
    ["?columns=clicks,impressions,coverage", ["Clicks", "Change", "Impressions", "Change"]],
  ] as const)
    look(
      "demo",
      `/apps/${LARGE.appToken}/performance${query}`,
      "labels its columns once on a phone, whose figures are at least 12 px apart, and 11 px at 768 px",
      async (page) => {
        await page.setViewportSize({ width: 390, height: 844 });
        const { heads, lefts, gap, cut } = await page.evaluate<{
          heads: string[];
          lefts: string[];
          gap: number;
          cut: string[];
        }>(MEASURE);
        expect(heads).toEqual(expected);
        expect([lefts.length > 9, new Set(lefts).size]).toEqual([true, 1]);
        expect(gap).toBeGreaterThanOrEqual(12);
        // What follows a name loses its end before the name does.
        expect(cut).toEqual([]);
        if (query !== "" && query !== "?group_by=partner") return;
        await page.setViewportSize({ width: 768, height: 844 });
        expect((await page.evaluate<{ gap: number }>(MEASURE)).gap).toBeGreaterThanOrEqual(11);
        const table = page.locator(".performance .table");
        expect(await table.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
      },
    );
}

// Tables at 1280 px.
{
  /** Of each table, the gap between its longest name, or the line beside the names, and its first figures; and its names that are cut. */
  const MEASURE = `[...document.querySelectorAll(".table table")].map((table) => {
    const boxOf = (one) => {
      const range = document.createRange();
      range.selectNodeContents(one);
      return range.getBoundingClientRect();
    };
    const rows = [...table.tBodies[0].rows];
    const ends = rows.map(({ cells: [name] }) => name.querySelector(".spark")?.getBoundingClientRect().left ?? Math.min(boxOf(name.querySelector("a") ?? name).right, (name.querySelector("a") ?? name).getBoundingClientRect().right));
    const gap = Math.round(Math.min(...rows.map(({ cells }) => boxOf(cells[1]).left)) - Math.max(...ends));
    const cut = [...table.querySelectorAll("tbody th bdi")].filter((one) => one.scrollWidth > one.clientWidth && getComputedStyle(one).display !== "inline");
    return { label: table.parentElement.ariaLabel, gap, cut: cut.map((one) => one.textContent) };
  })`;
  const measure = (page: Page) => page.evaluate<{ label: string; gap: number; cut: string[] }[]>(MEASURE);

  for (const [who, path, labels] of [
    ["demo", `/apps/${LARGE.appToken}/performance?group_by=day`, ["Performance by day"]],
    ["demo", `/apps/${LARGE.appToken}/performance?group_by=partner`, ["Performance by partner"]],
    ["demo", `/apps/${LARGE.appToken}/performance?columns=spend`, ["Performance by campaign"]],
    ["operator", "/operator/spend", ["Spend in USD", "Spend in EUR", "Spend in JPY"]],
    ["operator", "/operator/partners/1", ["Discrepancy of the last 7 days"]],
  ] as [string, string, string[]][])
    look(who, path, "has at most 300 px between names and figures in tables of few columns", async (page) => {
      const tables = (await measure(page)).filter(({ label }) => labels.includes(label));
      expect(tables.map(({ label }) => label)).toEqual(labels);
      expect(tables.filter(({ gap }) => gap < 12 || gap > 300)).toEqual([]);
    });

  look(
    "demo",
    `/apps/${LARGE.appToken}`,
    "leaves the names of what changed most the room that the other columns have",
    async (page) => {
      const [table] = await measure(page);
      expect(table).toMatchObject({ label: "Campaigns whose spend changed most", cut: [] });
      // Underlined as one link, not each name by itself.
      const lines = await page.evaluate<string[]>(`[...document.querySelectorAll("a.path")].map((one) => {
      const { textDecorationLine, borderBottomWidth } = getComputedStyle(one);
      return textDecorationLine + " " + borderBottomWidth;
    })`);
      expect(new Set(lines)).toEqual(new Set(["none 1px"]));
    },
  );

  const signalOf = (page: Page) => page.locator("thead th:has(#sort-signal)");
  look(
    "demo",
    `/apps/${LARGE.appToken}/performance`,
    "has signals only if one is shown, and cuts a name after what follows it",
    async (page) => {
      const signal = signalOf(page);
      expect([await page.locator("[data-label=Signal]").count(), await signal.count()]).toEqual([0, 0]);
      const early = await page.locator(".performance .name:has(> .path)").evaluateAll((names) =>
        names.filter((name) => {
          const [text, path] = [name.querySelector("a > bdi"), name.querySelector(".path")];
          return text && path && text.scrollWidth > text.clientWidth && path.clientWidth > 30;
        }),
      );
      expect(early).toHaveLength(0);
    },
  );

  look("demo", `/apps/${LARGE.appToken}/performance?sort=-signal`, "has signals", async (page) => {
    const signal = signalOf(page);
    expect(await signal.getAttribute("aria-sort")).toBe("descending");
    expect(await page.locator("[data-label=Signal]").first().innerText()).not.toBe("");
  });
}

// A link's page at 1280 x 800 px.
{
  const PAGE = `/apps/${LARGE.appToken}/links/atlas01000`;

  look(
    "demo",
    PAGE,
    "has its URL with Copy, its QR code, its figures and its charts in the window, and no more than 1,200 px below",
    async (page) => {
      const bottomOf = async (selector: string) => {
        const box = await page.locator(selector).first().boundingBox();
        return Math.round((box?.y ?? 800) + (box?.height ?? 0));
      };
      expect(await bottomOf(".urls [data-copy]")).toBeLessThan(300);
      expect(await bottomOf(".urls .menu > summary")).toBeLessThan(350);
      expect(await bottomOf(".figures")).toBeLessThan(560);
      const plots = await page.locator(".daily-chart .plot").all();
      const boxes = await Promise.all(plots.map((plot) => plot.boundingBox()));
      expect(boxes).toHaveLength(2);
      expect(boxes[1]?.y).toBe(boxes[0]?.y);
      expect((boxes[0]?.y ?? 800) + (boxes[0]?.height ?? 0)).toBeLessThan(740);
      expect(await bottomOf(".daily-chart .readout")).toBeLessThan(800);
      expect(await page.evaluate("document.documentElement.scrollHeight")).toBeLessThanOrEqual(2000);
      await page.locator(".urls summary").click();
      const code = page.getByRole("img", { name: /^QR code of http/ });
      expect((await code.boundingBox())?.height).toBe(176);
      // The whole URL is in view. On a phone, two lines of it in full width are, and all of it once it has the focus.
      const url = page.locator(".urls code").first();
      const sizeOf = () =>
        url.evaluate((code) => ({
          isCut: code.scrollWidth > code.clientWidth || code.scrollHeight > code.clientHeight,
          isTwoLines: code.clientHeight > 30 && code.clientHeight < 40,
          width: code.clientWidth,
        }));
      expect((await sizeOf()).isCut).toBe(false);
      await page.setViewportSize({ width: 390, height: 844 });
      const { width, ...shown } = await sizeOf();
      expect([shown, width > 300]).toEqual([{ isCut: true, isTwoLines: true }, true]);
      await url.focus();
      expect((await sizeOf()).isCut).toBe(false);
      await url.blur();
      await page.locator(".urls summary").click();
    },
  );

  for (const query of ["", "?period=90d"])
    for (const path of [`/apps/${LARGE.appToken}/links/atlas01070`, PAGE])
      look(
        "demo",
        path + query,
        "has charts that fill their card, and tables within their frames, 8 px below their headings, with the currency once",
        async (page) => {
          const tables = await page
            .locator(".halves .table")
            .evaluateAll((all) => all.map((one) => one.scrollWidth - one.clientWidth));
          expect(tables.length).toBeGreaterThan(2);
          expect(Math.max(...tables)).toBe(0);
          const section = page.locator("section[aria-labelledby=audience]");
          const heading = section.getByRole("heading", {
            name: "Countries and platforms, in USD",
            exact: true,
          });
          const [above, below] = await Promise.all([
            heading.boundingBox(),
            section.locator(".table").first().boundingBox(),
          ]);
          expect((below?.y ?? 0) - (above?.y ?? 0) - (above?.height ?? 0)).toBeGreaterThanOrEqual(8);
          const heads = (await section.locator("thead th").allInnerTexts()).map((head) =>
            head.replace(/\s+/g, " "),
          );
          expect(heads.filter((head) => /Spend|Cost/.test(head))).toEqual(
            Array(2).fill(["Spend", "Cost per click"]).flat(),
          );
          const [card, ...charts] = await Promise.all(
            [".card:has(> .charts)", ".card > .charts > *"].map((selector) =>
              page
                .locator(selector)
                .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().toJSON())),
            ),
          );
          const right = (card?.[0]?.right ?? 0) - 30;
          const rows = Map.groupBy(charts.flat(), ({ top }) => Math.round(top));
          expect(rows.size).toBeGreaterThan(0);
          for (const row of rows.values())
            expect(Math.max(...row.map((box) => box.right))).toBeGreaterThan(right);
        },
      );
}

// Rows of links.
{
  const APP = `/apps/${LARGE.appToken}`;
  const PAGES = [
    ["tree", `${APP}/links`],
    ["tree", `${APP}/links?sort=-spend&open=atlas01000,atlas01026`],
    // Everything that was found has the names above it in a second line, or in a third one below a badge.
    ["campaigns", `${APP}/links?q=ski`],
    ["creatives", `${APP}/links?q=15s+video`],
  ] as const;
  /**
   * The heights of the rows that are links, with one line, two, and three; by how much tables are wider than their place; the badges that
   * are not wholly in their lines, and those with less than 4 px to the figures below.
   */
  const MEASURE = `(() => {
    const rows = [...document.querySelectorAll(".links tbody tr")].filter((row) => !row.querySelector("[colspan]"));
    const top = (element) => element.getBoundingClientRect().top;
    const isLower = (element) => element.clientHeight > 0 && top(element) > top(element.parentElement) + 12;
    const has = (row, selector) => [...row.querySelectorAll(selector)].some(isLower);
    const linesOf = (row) => has(row, ".badge ~ .path, :has(> .badge) ~ .path") ? 3 : has(row, ".below, .number > div + div") ? 2 : 1;
    const heights = [1, 2, 3].map((lines) => [...new Set(rows.filter((row) => linesOf(row) === lines).map((row) => Math.round(row.clientHeight)))]);
    const cut = [...document.querySelectorAll(".table")].map((table) => table.scrollWidth - table.clientWidth);
    const badges = [...document.querySelectorAll(".links .badge")].filter((badge) => badge.checkVisibility());
    const isCut = (badge) => {
      const [inner, outer] = [badge, badge.parentElement].map((one) => one.getBoundingClientRect());
      return inner.left < outer.left - 1 || inner.right > outer.right + 1 || inner.top < outer.top - 1 || inner.bottom > outer.bottom + 1;
    };
    const textTop = (cell) => {
      const range = document.createRange();
      range.selectNodeContents(cell);
      return range.getBoundingClientRect().top;
    };
    const isClose = (badge) => {
      const { bottom } = badge.getBoundingClientRect();
      const figures = [...badge.closest("tr").querySelectorAll("td.number")].map(textTop);
      return badge.closest("th") !== null && Math.min(...figures.filter((one) => one > bottom - 8)) < bottom + 4;
    };
    return { count: rows.length, heights, cut, badges: badges.length, cutBadges: badges.filter((one) => isCut(one) || (innerWidth < 640 && isClose(one))).map((badge) => badge.textContent) };
  })()`;
  const HEIGHTS = [
    [1280, { tree: [[40], [], []], campaigns: [[], [56], []], creatives: [[], [56], []] }],
    [768, { tree: [[40], [56], []], campaigns: [[], [56], [65]], creatives: [[], [56], [65]] }],
    [390, { tree: [[72], [72], []], campaigns: [[], [72], [87]], creatives: [[], [72], []] }],
  ] as const;
  for (const [kind, path] of PAGES)
    look(
      "demo",
      path,
      "has rows with a height for one line, one for two and one for three, and nothing is cut",
      async (page) => {
        for (const [width, expected] of HEIGHTS) {
          await page.setViewportSize({ width, height: 900 });
          const { count, heights, cut, badges, cutBadges } = (await page.evaluate(MEASURE)) as {
            count: number;
            heights: number[][];
            cut: number[];
            badges: number;
            cutBadges: string[];
          };
          expect([width, count > 25, cut, cutBadges]).toEqual([width, true, [0], []]);
          // On a phone, a card has none until it is opened.
          expect([width, badges > 25]).toEqual([width, width > 390]);
          expect([width, heights]).toEqual([width, expected[kind]]);
        }
      },
    );

  look(
    "demo",
    `${APP}/links/atlas01070`,
    "has below its URLs a hint in full width, and the partner, cost data and buttons in rows",
    async (page) => {
      for (const [width, expected] of [
        [1280, [1, 1, 1]],
        [768, [0, 2, 1]],
        [390, [0, 2, 1]],
      ] as const) {
        await page.setViewportSize({ width, height: 900 });
        // The partner's state, which a notice says too; the rows of the facts, and those of the buttons.
        const found = await page.evaluate(`(() => {
      const middlesOf = (selector) => new Set([...document.querySelectorAll(".urls > .actions " + selector)].map((one) => {
        const { top, bottom } = one.getBoundingClientRect();
        return Math.round((top + bottom) / 16);
      }));
      const badges = [...document.querySelectorAll(".urls .partner .badge")].filter((one) => one.checkVisibility());
      return [badges.length, middlesOf("dt").size, middlesOf(":is(summary, .button)").size];
    })()`);
        expect([width, found]).toEqual([width, expected]);
        const [hint, urls] = await Promise.all(
          [".urls .hint", ".urls"].map((one) => page.locator(one).boundingBox()),
        );
        expect((hint?.width ?? 0) / (urls?.width ?? 1)).toBeGreaterThan(0.85);
      }
    },
  );

  look(
    "demo",
    `${APP}/links`,
    "shows period and search in one row, and on a phone the rest of a card with its menu",
    async (page) => {
      const bottomOf = async (selector: string) => {
        const box = await page.locator(selector).boundingBox();
        return box && Math.round(box.y + box.height);
      };
      const bottoms = await Promise.all(
        [
          ".period summary",
          ".filters input[type=search]",
          ".filters summary",
          ".filters .actions button",
        ].map(bottomOf),
      );
      expect(new Set(bottoms).size).toBe(1);
      const headings = await page.evaluate<number[]>(
        `[...document.querySelectorAll(".links thead th:not(.action)")].map((head) => {
        const range = document.createRange();
        range.selectNodeContents(head.querySelector("a") ?? head);
        return Math.round(range.getBoundingClientRect().bottom);
      })`,
      );
      expect(headings.length).toBeGreaterThan(4);
      expect(new Set(headings).size).toBe(1);
      await page.setViewportSize({ width: 390, height: 900 });
      const card = page.locator(".links tbody tr").nth(1);
      expect(await card.locator("[data-label=Partner]").isVisible()).toBe(false);
      await card.locator(".menu summary").click();
      expect(await card.locator("[data-label=Partner]").isVisible()).toBe(true);
      expect(await card.locator("[data-label='Cost data']").isVisible()).toBe(true);
      await card.locator(".menu summary").click();
    },
  );

  for (const [who, path] of [
    ["demo", `${APP}/partners`],
    ["operator", "/operator/partners"],
    ["operator", "/operator"],
  ] as const)
    look(who, path, "has rows that fit into 768 px", async (page) => {
      await page.setViewportSize({ width: 768, height: 900 });
      const found = (await page.evaluate(MEASURE)) as { cut: number[] };
      expect(found.cut.filter((px) => px > 0)).toEqual([]);
    });
}

look(
  "demo",
  `/apps/${LARGE.appToken}/links?q=ski`,
  "has what it finds below its heading, with a Copy button of 28 px",
  async (page) => {
    const leftOf = async (selector: string) => (await page.locator(selector).first().boundingBox())?.x ?? 0;
    expect(
      Math.abs((await leftOf(".links thead a")) - (await leftOf(".links tbody .name > div > div > a"))),
    ).toBeLessThan(1);
    expect((await page.locator(".links tbody summary").first().boundingBox())?.height).toBe(28);
  },
);

for (const path of ["", "/links/atlas01070", "/partners/1"])
  look(
    "demo",
    `/apps/${LARGE.appToken}${path}`,
    "has tiles that fill their rows at 768 px, in the columns of the first one",
    async (page) => {
      await page.setViewportSize({ width: 768, height: 900 });
      const boxes = (await page
        .locator(".figures > li")
        .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().toJSON()))) as {
        top: number;
        left: number;
        right: number;
      }[];
      const [first = [], ...others] = Map.groupBy(boxes, ({ top }) => Math.round(top)).values();
      const columns = first.map(({ left }) => Math.round(left));
      expect(first.at(-1)?.right).toBeCloseTo(748, 0);
      for (const row of others) {
        expect(columns).toEqual(expect.arrayContaining(row.map(({ left }) => Math.round(left))));
        expect(row.at(-1)?.right).toBeCloseTo(first.at(-1)?.right ?? 0, 0);
      }
    },
  );

look(
  "operator",
  "/operator/adjustments",
  "has one line for each, and on a phone their partner, amount and reason",
  async (page) => {
    const rows = page.locator(".table tbody tr");
    const heights = await rows.evaluateAll((all) => all.map((one) => Math.round(one.clientHeight)));
    expect(heights.length).toBeGreaterThan(1);
    expect(Math.max(...heights)).toBeLessThanOrEqual(40);
    await page.setViewportSize({ width: 390, height: 800 });
    expect(await rows.first().locator("th a").getAttribute("href")).toMatch(/^\/operator\/partners\//);
    for (const label of ["Amount", "Reason"])
      expect(await rows.first().locator(`[data-label="${label}"]`).isVisible()).toBe(true);
  },
);

// Rows of the console.
{
  /** Their heights; by how much tables are wider than their place; the headings; actions that are not beside the badge of their row. */
  const ROWS = `(() => {
    const rows = [...document.querySelectorAll(".two-lines tbody tr")];
    return {
      count: rows.length,
      heights: [...new Set(rows.map((row) => Math.round(row.getBoundingClientRect().height)))],
      wide: [...document.querySelectorAll(".table")].map((table) => table.scrollWidth - table.clientWidth).filter((px) => px > 0),
      heads: [...document.querySelectorAll("main thead th:not(.action)")].map((head) => head.innerText.replace(/\\s*[▲▼]$/, "")),
      below: [...document.querySelectorAll("td.action")].filter((cell) => {
        const badge = cell.parentElement.querySelector(".badge");
        return badge && cell.firstElementChild && Math.abs(middleOf(badge) - middleOf(cell.firstElementChild)) > 4;
      }).length,
      page: document.documentElement.scrollHeight,
    };
    function middleOf(one) {
      const { top, bottom } = one.getBoundingClientRect();
      return (top + bottom) / 2;
    }
  })()`;
  const rowsOf = (page: Page) =>
    page.evaluate<{
      count: number;
      heights: number[];
      wide: number[];
      heads: string[];
      below: number;
      page: number;
    }>(ROWS);

  for (const path of ["/operator/credentials", "/operator/partners/6"])
    look(
      "operator",
      path,
      "has credentials in one line of 36 px, with Revoke beside the state",
      async (page) => {
        // As late on a day of many clicks, whatever the time is now.
        await page.evaluate(
          `globalThis.replaced = [...document.querySelectorAll("td")].filter((cell) => /% of \\d+$/.test(cell.innerHTML)).map((cell) => [cell, cell.innerHTML]);
        for (const [cell, html] of replaced) cell.innerHTML = html.replace(/(% of )\\d+$/, "$18,888")`,
        );
        for (const width of [1280, 768]) {
          await page.setViewportSize({ width, height: 844 });
          const { count, heights, wide, below } = await rowsOf(page);
          expect([width, count > 0, wide, below]).toEqual([width, true, [], 0]);
          expect(Math.min(...heights)).toBeGreaterThanOrEqual(36);
          expect(Math.max(...heights)).toBeLessThanOrEqual(37);
        }
        await page.evaluate("for (const [cell, html] of replaced) cell.innerHTML = html");
      },
    );

  look(
    "operator",
    "/operator/audit",
    "has no column for changes, which are below their entry",
    async (page) => {
      const { heads, heights } = await rowsOf(page);
      expect(heads).toEqual(["What happened", "Time"]);
      expect(Math.min(...heights)).toBe(36);
      const [row, time] = await Promise.all(
        [".two-lines tbody tr", ".two-lines tbody time"].map((one) =>
          page.locator(one).first().boundingBox(),
        ),
      );
      // The sentences have the room that the times leave.
      expect((row?.x ?? 0) + (row?.width ?? 0) - (time?.x ?? 0) - (time?.width ?? 0)).toBeLessThan(20);
    },
  );

  for (const [path, height, most] of [
    ["/operator/credentials", 72, 2_600],
    ["/operator/audit", 62, 4_000],
  ] as const)
    look("operator", path, "has rows of two lines on a phone, which open to the rest", async (page) => {
      await page.setViewportSize({ width: 390, height: 844 });
      const { count, heights, wide, page: length } = await rowsOf(page);
      expect([count > 20, wide]).toEqual([true, []]);
      expect(Math.max(...heights) - Math.min(...heights)).toBeLessThanOrEqual(1);
      expect(Math.max(...heights)).toBeLessThanOrEqual(height);
      expect(length).toBeLessThanOrEqual(most);
      const longText = path.endsWith("audit") ? "Credit note" : "";
      const row = page.locator(".two-lines tbody tr", { hasText: longText }).first();
      const rest = row.locator(path.endsWith("audit") ? ".sentence" : ".action summary");
      const isCut = () => rest.evaluate((one) => !one.checkVisibility() || one.scrollWidth > one.clientWidth);
      expect(await isCut()).toBe(true);
      await row.locator(".more-figures > summary").click();
      expect(await isCut()).toBe(false);
      await row.locator(".more-figures > summary").click();
    });

  for (const path of ["/operator/partners", "/operator/apps", "/operator/users"])
    look("operator", path, "has a title and text in the lines of other pages on a phone", async (page) => {
      await page.setViewportSize({ width: 390, height: 844 });
      const title = await page.getByRole("heading", { level: 1 }).boundingBox();
      expect(Math.round(title?.y ?? 0)).toBe(100);
      const heights = await page.evaluate<number[]>(
        `[...document.querySelectorAll(".toolbar > :is(p, .count)")].map((one) => parseFloat(getComputedStyle(one).lineHeight))`,
      );
      expect(heights.filter((px) => px > 25)).toEqual([]);
    });
}

// On a phone.
{
  /** Of the cards: their heights, where the cells of a column begin, and names that end without an ellipsis. */
  const CARDS = `(() => {
    const rows = [...document.querySelectorAll(".two-lines:not([aria-label^=Waiting]) :is(tbody, tfoot) tr")];
    const begin = {};
    for (const row of rows)
      for (const cell of row.querySelectorAll("td.number[class*=phone-]"))
        (begin[cell.dataset.label] ??= new Set()).add(Math.round(cell.getBoundingClientRect().left));
    const cut = rows.flatMap((row) => [...row.querySelectorAll("th *")]).filter((one) =>
      one.scrollWidth > one.clientWidth && one.clientWidth > 0 && getComputedStyle(one).textOverflow !== "ellipsis");
    return {
      count: rows.length,
      heights: [...new Set(rows.map((row) => Math.round(row.clientHeight)))],
      ragged: Object.entries(begin).filter(([, lefts]) => lefts.size > 1).map(([name]) => name),
      cut: cut.map((one) => one.textContent),
    };
  })()`;
  const lookOnPhone = (who: string, path: string, title: string, check: Check) =>
    look(who, path, `on a phone, ${title}`, async (page) => {
      await page.setViewportSize({ width: 390, height: 900 });
      await check(page);
    });

  for (const [who, path] of [
    ["demo", `/apps/${LARGE.appToken}`],
    ["demo", `/apps/${LARGE.appToken}/links`],
    ["demo", `/apps/${LARGE.appToken}/partners`],
    ["operator", "/operator/partners"],
    ["operator", "/operator/rounds/1"],
  ] as const)
    look(who, path, "has headings of two lines at most in a window of middle width", async (page) => {
      await page.setViewportSize({ width: 768, height: 900 });
      const found = (await page.evaluate(`(() => {
      const linesOf = (heading) => {
        const range = document.createRange();
        range.selectNodeContents(heading);
        return new Set([...range.getClientRects()].map(({ bottom }) => Math.round(bottom / 8))).size;
      };
      const middle = (one) => one.getBoundingClientRect().top + one.getBoundingClientRect().height / 2;
      const beside = [...document.querySelectorAll(".toolbar:has(> .filters) :is(p, .count):not(.actions)")].map(middle);
      return {
        long: [...document.querySelectorAll("thead th:not(.action)")].filter((one) => linesOf(one) > 2).map((one) => one.innerText),
        apart: beside.length > 1 ? Math.round(Math.abs(beside[0] - beside.at(-1))) : 0,
      };
    })()`)) as unknown;
      expect(found).toEqual({ long: [], apart: 0 });
    });

  for (const [who, path, folded] of [
    ["demo", `/apps/${LARGE.appToken}/partners`, "Cost per click"],
    ["operator", "/operator/partners", "Next step"],
    ["operator", "/operator", "Next step"],
    ["partner", "/partner/costs", "Received"],
    ["operator", "/operator/partners/1/costs", "Link"],
    ["operator", "/operator/partners/6/costs", "Link"],
  ] as const)
    lookOnPhone(
      who,
      path,
      "a card has two lines, its figures are below those of the others, and it opens",
      async (page) => {
        const found = (await page.evaluate(CARDS)) as {
          count: number;
          heights: number[];
          ragged: string[];
          cut: string[];
        };
        expect([found.count > 10, found.heights.slice(1), found.ragged, found.cut]).toEqual([
          true,
          [],
          [],
          [],
        ]);
        expect(found.heights[0]).toBeLessThanOrEqual(72);
        const card = page.locator(".two-lines:not([aria-label^=Waiting]) tbody tr").first();
        const cell = card.locator(`[data-label="${folded}"]`);
        expect(await cell.isVisible()).toBe(false);
        await card.locator("summary").focus();
        await page.keyboard.press("Enter");
        expect(await cell.isVisible()).toBe(true);
        await page.keyboard.press("Enter");
      },
    );

  for (const [who, path] of [
    ["demo", `/apps/${LARGE.appToken}/links`],
    ["demo", `/apps/${LARGE.appToken}/links/atlas02274`],
    ["partner", "/partner/costs"],
    ["operator", "/operator/partners/1/costs"],
  ] as const)
    lookOnPhone(who, path, "menus open inside the window", async (page) => {
      const found =
        (await page.evaluate(`[...document.querySelectorAll("main details.menu")].filter((menu) => menu.checkVisibility()).map((menu) => {
      menu.open = true;
      const { left, right } = menu.lastElementChild.getBoundingClientRect();
      menu.open = false;
      return [left, right];
    })`)) as [left: number, right: number][];
      expect(found.length).toBeGreaterThan(0);
      expect(found.filter(([left, right]) => left < 0 || right > 390)).toEqual([]);
    });

  for (const [who, path] of [
    ["demo", `/apps/${LARGE.appToken}/partners`],
    ["operator", "/operator/partners"],
  ] as const)
    lookOnPhone(who, path, "a name and the total use the whole line", async (page) => {
      const cut =
        await page.evaluate(`[...document.querySelectorAll(".two-lines:not([aria-label^=Waiting]) :is(tbody, tfoot) tr")].flatMap((row) => {
        const [name, beside] = [row.querySelector(".cut"), row.querySelector(".phone-beside")];
        const text = name.querySelector("a > bdi") ?? name.querySelector("a") ?? name;
        const isCut = text.scrollWidth > text.clientWidth && text.clientWidth > 0;
        const more = row.querySelector(".more-figures")?.getBoundingClientRect().left;
        const end = beside ? [...beside.children].at(-1)?.getBoundingClientRect().left : undefined;
        const free = (end ?? more ?? row.getBoundingClientRect().right - 14) - name.getBoundingClientRect().right;
        return isCut && free > 12 ? [[text.textContent, free]] : [];
      })`);
      expect(cut).toEqual([]);
    });

  lookOnPhone("partner", "/partner/costs", "an ID is never cut", async (page) => {
    const ids = page.locator(".two-lines tbody th code");
    expect(await ids.count()).toBe(50);
    expect(
      await page.evaluate(
        `[...document.querySelectorAll(".two-lines tbody th a")].filter((one) => one.scrollWidth > one.clientWidth).length`,
      ),
    ).toBe(0);
  });

  lookOnPhone(
    "operator",
    "/operator/partners",
    "the tabs of the console show that they scroll",
    async (page) => {
      // At the first tab, names fade at the right only, into the background.
      const tabs = (await page.evaluate(`(() => {
      const tabs = document.querySelector(".tabs");
      tabs.scrollLeft = 0;
      const { left, right } = tabs.getBoundingClientRect();
      const [surface] = [getComputedStyle(document.querySelector(".top")).backgroundColor];
      const fades = ["::before", "::after"].map((one) => getComputedStyle(tabs, one));
      const first = tabs.querySelector("a");
      return [
        tabs.scrollWidth > tabs.clientWidth,
        fades.every(({ position, backgroundImage }) => position === "sticky" && backgroundImage.includes(surface)),
        first.getBoundingClientRect().left + parseFloat(getComputedStyle(first).paddingLeft) - left >= parseFloat(fades[0].width),
      ];
    })()`)) as unknown[];
      expect(tabs).toEqual([true, true, true]);
    },
  );
}

describe("by what the pages say, with one request a click and at most three of them", () => {
  const APP = `/apps/${LARGE.appToken}`;
  /** Counts the clicks, and the pages that they request. */
  async function from(who: string, path: string) {
    const page = await windowOf(who);
    await page.emulateMedia({ colorScheme: "light", forcedColors: "none" });
    await page.setViewportSize({ width: 1280, height: 900 });
    await page.goto(path);
    let clicks = 0;
    const requested: string[] = [];
    const note = (request: Request) => {
      if (!/\.(css|js|svg)$/.test(new URL(request.url()).pathname)) requested.push(request.url());
    };
    page.on("request", note);
    const click = async (name: string, role: "link" | "button" = "link") => {
      clicks++;
      await page.locator("main, nav").getByRole(role, { name, exact: true }).first().click();
      await page.waitForLoadState();
    };
    const end = (most: number) => {
      page.off("request", note);
      expect([requested.length, clicks]).toEqual([most, most]);
    };
    return { page, click, end };
  }
  const textIn = async (page: Page) => (await page.locator("main").innerText()).replace(/\s+/g, " ");
  const day = (ago: number) => new Date(Date.now() - ago * 86_400_000);
  const shown = (date: Date) =>
    `${date.getUTCDate()} ${date.toLocaleString("en-US", { month: "short", timeZone: "UTC" })} ${date.getUTCFullYear()}`;

  it("an operator learns why an ID was rejected", async () => {
    const { page, click, end } = await from("operator", "/operator");
    await click("Northwind Ads");
    await click("Rejected costs");
    const id = (await page.locator("main tbody a code").first().innerText()).trim();
    await click(id);
    end(3);
    const text = await textIn(page);
    expect(text).toContain("Rejected costs with this ID");
    expect(text).toMatch(/The click or impression is more than seven days old|Cost data was off/);
  });

  it("a member learns what a partner sent yesterday that does not count", async () => {
    const { page, click, end } = await from("demo", APP);
    await click("Partners");
    await click("Northwind Ads");
    await click("Show all");
    end(3);
    const text = await textIn(page);
    expect(text.split(shown(day(1))).length - 1).toBe(41);
  });

  it("an operator lists the costs of a day on a link that are above an amount", async () => {
    const { page, click, end } = await from("operator", "/operator");
    await click("Northwind Ads");
    await click("Costs");
    const of = day(6);
    await page.getByLabel("Day", { exact: true }).fill(of.toISOString().slice(0, 10));
    await page.getByLabel("Link token").fill("atlas01000");
    // The price of a click, which every day has.
    await page.getByLabel("Amount over").fill("0.4");
    await click("Search", "button");
    end(3);
    const rows = await page.locator("main tbody tr").allInnerTexts();
    expect(rows.length).toBeGreaterThan(0);
    expect(await page.locator('main tbody a.path[title$="(atlas01000)"]').count()).toBe(rows.length);
    for (const row of rows) {
      expect(row).toContain(shown(of));
      expect(Number(/\$([\d.]+)/.exec(row)?.[1])).toBeGreaterThan(0.4);
    }
  });

  it("a member learns since when a partner is silent", async () => {
    const { page, click, end } = await from("demo", APP);
    await click("Partners");
    await click("Blueshift Performance");
    end(2);
    expect(await textIn(page)).toContain(`No cost after ${shown(day(4))}, 23:00 UTC. Ask the partner.`);
  });
});

describe("pages with three currencies, 24 partners and 5,000 links", () => {
  const APP = `/apps/${LARGE.appToken}`;
  const textOf = async (page: Page, selector: string) =>
    (await page.locator(selector).allInnerTexts()).map((text) => text.replace(/\s+/g, " ").trim());

  for (const currency of ["USD", "EUR", "JPY"])
    look(
      "demo",
      `${APP}?currency=${currency}`,
      "shows the spend of its currency, charted by its own partners",
      async (page) => {
        const tiles = await textOf(page, ".figures li");
        expect(tiles.filter((text) => text.startsWith(`Spend in ${currency} `))).toHaveLength(1);
        const charts = page.locator(".daily-chart");
        expect(await charts.count()).toBe(1);
        expect(await charts.locator("figcaption").innerText()).toContain(`Spend in ${currency} by day`);
        const legend = (await charts.locator(".legend tr").allInnerTexts()).map((text) => text.trim());
        // At most five of its partners, and all others together, or the total.
        const own = legend.filter((text) => !/^\d+ others|^Total|^Previous period|^Not final/.test(text));
        expect([currency, own.length >= 3 && own.length <= 5]).toEqual([currency, true]);
        // It fills its card.
        const [card, legendBox] = [
          await page.locator(".card:has(> .daily-chart)").boundingBox(),
          await charts.locator(".legend").boundingBox(),
        ];
        const free = (card?.x ?? 0) + (card?.width ?? 0) - (legendBox?.x ?? 0) - (legendBox?.width ?? 0);
        expect([currency, free < 150]).toEqual([currency, true]);
      },
    );

  look(
    "demo",
    `${APP}?period=90d`,
    "compares days that are over, and keeps them in every tab",
    async (page) => {
      const yesterday = new Date(Date.now() - 86_400_000).getUTCDate();
      expect(await page.locator(".period").innerText()).toMatch(
        new RegExp(`– ${yesterday} \\w+ \\d{4}, UTC`),
      );
      for (const name of ["Performance", "Links", "Partners"]) {
        const tab = page.getByRole("navigation", { name: LARGE.name }).getByRole("link", { name });
        expect(await tab.getAttribute("href")).toMatch(/\?period=90d$/);
      }
    },
  );

  look(
    "demo",
    APP,
    "groups what needs attention, the largest first, each with its number and a way to fix it",
    async (page) => {
      const items = await textOf(page, ".attention > ul > li");
      expect(items.length).toBeLessThanOrEqual(5);
      // Each says how much it is about.
      expect(items.filter((text) => !/\d/.test(text))).toEqual([]);
      expect(await page.locator(".attention li a").count()).toBeGreaterThanOrEqual(items.length);
      // The rows are low and the events closed, so that the whole chart is in the first window.
      await page.setViewportSize({ width: 1280, height: 800 });
      const [tile, chart] = await Promise.all(
        [".figures > li", ".card:has(> .daily-chart)"].map((one) => page.locator(one).first().boundingBox()),
      );
      expect(Math.round(tile?.height ?? 0)).toBe(72);
      const rows = page.locator(".attention > ul > li");
      const heights = await rows.evaluateAll((all) => all.map((one) => one.getBoundingClientRect().height));
      expect(Math.max(...heights)).toBeLessThanOrEqual(37);
      expect((chart?.y ?? 800) + (chart?.height ?? 0)).toBeLessThanOrEqual(800);
      // So are its first items, below the chart.
      const last = await rows.last().boundingBox();
      expect((last?.y ?? 800) + (last?.height ?? 0)).toBeLessThanOrEqual(800);
      expect(await page.getByRole("list", { name: "Events" }).isVisible()).toBe(false);
      // A phone has the beginning of the chart at the end of its first window.
      await page.setViewportSize({ width: 390, height: 844 });
      expect((await page.locator(".card:has(> .daily-chart)").boundingBox())?.y).toBeLessThanOrEqual(844);
    },
  );

  for (const path of [APP, `${APP}?period=90d`, `${APP}?period=today`, `${APP}/links/atlas02274`])
    look("demo", path, "has its tiles in whole rows of one width, as high as their lines", async (page) => {
      for (const width of [320, 390, 640, 641, 768, 1024, 1025, 1280]) {
        await page.setViewportSize({ width, height: 800 });
        const { boxes, end, cut, free } = (await page.evaluate(`(() => {
        const items = [...document.querySelectorAll(".figures > li")];
        const boxOf = (item) => item.getBoundingClientRect();
        const texts = (item) => [...item.querySelectorAll(".name, strong, .note")].map(boxOf);
        return {
          boxes: items.map(boxOf).map(({ left, right, top, width }) => ({ left, right, top, width })),
          end: boxOf(document.querySelector(".figures")).right,
          cut: items.filter((item) => texts(item).some(({ right }) => right >= boxOf(item).right)).length,
          free: Math.min(...items.map((item) => boxOf(item).bottom - Math.max(...texts(item).map(({ bottom }) => bottom)))),
        };
      })()`)) as {
          boxes: { left: number; right: number; top: number; width: number }[];
          end: number;
          cut: number;
          free: number;
        };
        expect([width, cut]).toEqual([width, 0]);
        // Where no tile has the line of a change, there is no room for it.
        expect(free, `${width}`).toBeLessThan(19);
        const rows = [...Map.groupBy(boxes, ({ top }) => top).values()];
        for (const row of rows)
          expect([width, Math.round(row.at(-1)?.right ?? 0)]).toEqual([width, Math.round(end)]);
        // The last one fills its row.
        expect(new Set(boxes.slice(0, -1).map((one) => Math.round(one.width * 2) / 2)).size).toBe(1);
      }
    });

  look(
    "demo",
    `${APP}/links?q=15s+video`,
    "finds links by words anywhere in their paths, with the number of matches",
    async (page) => {
      const names = await textOf(page, "main tbody th[scope=row]");
      expect(names).toHaveLength(50);
      expect(names.filter((name) => !/video/i.test(name) || !/15s/i.test(name))).toEqual([]);
      await page.getByText(/^[\d,]+ links match/).waitFor();
    },
  );

  const tableOf = async (page: Page, name: string) => {
    const rows = await page.locator(`[aria-label="${name}"] tr`).all();
    return Promise.all(rows.map(async (row) => row.locator("th, td").allInnerTexts()));
  };
  const toNumber = (text = "") => Number(text.replace(/[^\d.]/g, ""));

  look(
    "operator",
    "/operator/spend",
    "shows the spend of each currency by amount, with its total, changes and a way to each partner",
    async (page) => {
      for (const currency of ["USD", "EUR", "JPY"]) {
        const [, ...rows] = await tableOf(page, `Spend in ${currency}`);
        const [total, ...partners] = rows.toReversed();
        const amounts = partners.toReversed().map(([, spend]) => toNumber(spend));
        expect(amounts.length).toBeGreaterThan(3);
        expect(amounts).toEqual(amounts.toSorted((one, other) => other - one));
        expect(total?.[0]).toBe("Total");
        // The titles have the exact amounts that the page rounds.
        const exact = await page
          .locator(`[aria-label="Spend in ${currency}"] td:nth-of-type(1)`)
          .evaluateAll((cells) =>
            cells.map(
              (cell) => cell.querySelector("[title]")?.getAttribute("title") ?? cell.textContent ?? "",
            ),
          );
        const units = exact.map((text) => Math.round(toNumber(text) * 1e8));
        expect(units).toHaveLength(partners.length + 1);
        const all = units.pop();
        expect(units.reduce((sum, one) => sum + one, 0)).toBe(all);
        expect(rows.filter(([, , , change]) => !/%|new|no change/.test(change ?? ""))).toEqual([]);
        const links = page.locator(`[aria-label="Spend in ${currency}"] tbody a`);
        expect(await links.count()).toBe(amounts.length);
      }
    },
  );

  look(
    "partner",
    "/partner/totals",
    "shows what counts by type and by day, the newest first, with the same sums",
    async (page) => {
      const [, ...all] = await tableOf(page, "Totals by type and currency");
      const [, ...days] = await tableOf(page, "Totals by day");
      const times = days.map(([day]) => Date.parse(`${day} UTC`));
      expect(times).toEqual(times.toSorted((one, other) => other - one));
      expect(new Set(times).size).toBe(7);
      for (const [type, , costs] of all) {
        const sum = days.reduce((count, [, of, , some]) => count + (of === type ? toNumber(some) : 0), 0);
        expect([type, sum]).toEqual([type, toNumber(costs)]);
      }
      expect(all).toHaveLength(4);
    },
  );

  it("list for a partner the clicks and impressions of its discrepancy, with a file", async () => {
    const page = await windowOf("partner");
    await page.goto("/partner");
    const [, clicks] =
      /(\d+) of [\d,]+ clicks have no matching cost/.exec(await page.locator("main").innerText()) ?? [];
    expect(Number(clicks)).toBeGreaterThan(0);
    await page.getByRole("link", { name: "Show what has no cost" }).click();
    const [heads, ...rows] = await tableOf(page, "Clicks and impressions without a matching cost");
    expect(heads).toEqual(["Cost ID", "Kind", "Recorded", "Link", "Why"]);
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.filter((cells) => cells.some((text) => text.trim() === ""))).toEqual([]);
    await page.getByRole("link", { name: "Download CSV" }).waitFor();
  });

  for (const [who, path] of [
    ["operator", "/operator/spend"],
    ["partner", "/partner/totals"],
    ["demo", `${APP}/performance`],
    ["demo", `${APP}/links`],
  ] as const)
    look(
      who,
      path,
      "is printed with all columns of its tables, and no number over two lines",
      async (page) => {
        await page.setViewportSize({ width: 718, height: 1123 });
        await page.emulateMedia({ media: "print" });
        const cut =
          "[...document.querySelectorAll('.table')].filter((table) => table.scrollWidth > table.clientWidth).length";
        const problems = await measureLayout(page);
        const wrong = [
          await page.evaluate(cut),
          ...problems.filter((text) => / is (wrapped|cut)$/.test(text)),
        ];
        expect(wrong).toEqual([0]);
      },
    );
});

describe.each([...visits.values()])("$who: $path", ({ who, path, looks }) => {
  let page: Page;
  beforeAll(async () => {
    page = await windowOf(who);
    expect((await page.goto(path))?.status()).toBe(200);
  });

  it.each(looks)("%s", async (_, check) => {
    await page.emulateMedia({ colorScheme: "light", forcedColors: "none", media: null });
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.mouse.move(0, 0);
    await page.evaluate("scrollTo(0, 0)");
    await check(page);
  });
});
