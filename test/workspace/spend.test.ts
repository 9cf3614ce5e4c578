/** The addresses of the Spend page, which Performance replaced: the page redirects, and the CSV still has the numbers of the API. */
import { beforeEach, describe, expect, it } from "vitest";
import { type Browser, signedIn } from "../account/support.ts";
import { ask, call, DAY, DEMO, env, freshDemo, NOW, rows, withMethods, wrapDatabases } from "../harness.ts";
import { APP, open } from "./page-text.ts";

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

describe("the CSV", () => {
  it.each([
    ["by=day", "group_by=day"],
    ["by=link&level=2", "group_by=link&level=2"],
    ["by=link&level=own", "group_by=link"],
    ["by=link&level=4&cost_type=CPC&currency=usd", "group_by=link&level=4&cost_type=cpc&currency=USD"],
    ["by=partner&link=demo1nk003&currency=USD", "group_by=partner&link=demo1nk003&currency=USD"],
    ["by=cost_type&partner=2", "group_by=cost_type&partner_id=2"],
  ])("equals that of the API: %s", async (page, query) => {
    const { text, headers } = await browser.get(`${SPEND}.csv?${MONTH}&${page}`);
    const api = await call(`/public/v1/apps/${DEMO.appToken}/spend?${MONTH}&${query}`, {
      token: DEMO.apiToken,
      headers: { accept: "text/csv" },
    });
    const expected = (await api.text()).split("\r\n");
    expect(expected.length).toBeGreaterThan(2);
    expect(text.split("\r\n")[0]).toBe(expected[0]);
    expect(text.split("\r\n").sort()).toEqual(expected.sort());
    expect(headers.get("content-disposition")).toBe(api.headers.get("content-disposition"));
  });

  it("has the spend of the days before, if they are compared", async () => {
    const { text } = await browser.get(`${SPEND}.csv?from=2026-03-08&to=2026-03-14&by=partner&compare=1`);
    const before = await report("from=2026-03-01&to=2026-03-07&group_by=partner");
    const [header = "", ...lines] = text.trim().split("\r\n");
    expect(header.endsWith(",previous_spend")).toBe(true);
    const found = lines.map((line) => line.split(",")).filter((cells) => cells.at(-1) !== "0");
    expect(found.map((cells) => [cells[1], cells[2], cells.at(-1)].join()).sort()).toEqual(
      before.map(({ partner_name, currency, spend }) => [partner_name, currency, spend].join()).sort(),
    );
  });
});

describe("the page", () => {
  it.each([
    ["", ""],
    ["?by=partner&period=30d", "?group_by=partner&period=30d"],
    [
      "?by=link&level=2&link=demo1nk001&from=2026-03-01&to=2026-03-07&compare=1",
      "?group_by=link&from=2026-03-01&to=2026-03-07&link=demo1nk001&level=2",
    ],
    ["?level=own&partner=2", "?partner_id=2&level=4"],
    ["?cost_type=cpc&currency=USD&other=1", "?cost_type=cpc&currency=USD"],
  ])("redirects to Performance with the same view: %s", async (query, kept) => {
    const { status, headers } = await browser.get(SPEND + query);
    expect([status, headers.get("location")]).toEqual([302, `${APP}/performance${kept}`]);
    await open(browser, `${APP}/performance${kept}`);
  });
});

describe("access", () => {
  it("is only for members of the app, and only while they are", async () => {
    for (const path of ["spend.csv", "performance", "performance.csv"]) {
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
    for (const path of [APP, `${APP}/performance`, `${APP}/performance.csv`, `${SPEND}.csv`]) {
      const page = await browser.get(path, { env: { DB: changedBeforeCall(2, change) } });
      expect([path, page.status]).toEqual([path, status]);
      expect(page.text).not.toMatch(/Acme|\$\d/);
      await freshDemo();
      browser = await signedIn();
    }
  });

  it("shows nothing of another app", async () => {
    await totalOf({ partner: 1, amount: 5, currency: "CHF", app: DEMO.otherAppToken, link: 9 }).run();
    for (const path of [`${SPEND}.csv`, `${APP}/performance`])
      expect(await open(browser, `${path}?${MONTH}`)).not.toContain("CHF");
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
