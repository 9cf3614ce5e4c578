/** Who sees which app in the workspace, where the start page leads, and the frame around every page. */
import { beforeEach, describe, expect, it } from "vitest";
import { dayOf, formatDate } from "../../src/domain/time.ts";
import { Browser, freshSession, signedIn } from "../account/support.ts";
import {
  ask,
  click,
  countingDatabase,
  DEMO,
  env,
  NOW,
  rows,
  sendCost,
  withMethods,
  wrapDatabases,
} from "../harness.ts";
import { freshLedger } from "../support.ts";
import { APP, hrefOf, linksOf, mainOf, open, textOf } from "./page-text.ts";

beforeEach(freshLedger);

const PAGES = [
  "",
  "/links",
  "/links/demo1nk001",
  "/links/demo1nk001/qr.svg",
  "/performance",
  "/performance.csv",
  "/partners",
];
const OTHER = `/apps/${DEMO.otherAppToken}`;
const operator = () => signedIn("operator@example.com", "operator-password");

describe("the start page", () => {
  it("leads a member to their apps, and with one app to that app", async () => {
    const browser = await signedIn();
    expect((await browser.get("/")).headers.get("location")).toBe("/apps");
    expect((await browser.get("/apps")).headers.get("location")).toBe(APP);
  });

  it("leads an operator without apps to the console, and one with apps to the apps", async () => {
    const browser = await operator();
    expect((await browser.get("/")).headers.get("location")).toBe("/apps");
    await rows("DELETE FROM memberships WHERE user_id = 2");
    expect((await browser.get("/")).headers.get("location")).toBe("/operator");
    expect(textOf(await open(browser, "/apps"))).toContain("Go to apps in the operator console");
  });

  it("is where a sign-in leads that had no other destination", async () => {
    const browser = new Browser();
    expect((await browser.signIn()).headers.get("location")).toBe("/");
    const asked = await new Browser().get(`${APP}/links?q=a`);
    expect(asked.headers.get("location")).toBe(`/login?next=${encodeURIComponent(`${APP}/links?q=a`)}`);
  });
});

describe("an archived app", () => {
  beforeEach(async () => {
    await rows("UPDATE apps SET archived_at = 1");
  });

  it("is linked from /apps if there is no other", async () => {
    const page = await open(await signedIn(), "/apps");
    expect(textOf(page)).toContain("All your apps are archived");
    expect(hrefOf(mainOf(page), "Demo App")).toBe(APP);
  });

  it("says on its pages that it is archived", async () => {
    expect(textOf(await open(await signedIn(), `${APP}/links`))).toContain("This app is archived.");
  });

  it("is marked on the page of its members in the console", async () => {
    expect(textOf(await open(await operator(), "/operator/users/1"))).toContain(`${DEMO.appToken} Archived`);
  });
});

describe("/apps", () => {
  it("has a card for each app with its spend and clicks of seven days, in two calls", async () => {
    const browser = await operator();
    await click("frame-click-0001");
    await sendCost({ cost_id: "frame-click-0001", cost_amount: "12.5" });
    await click("");
    const { database, counts } = countingDatabase();
    const text = textOf(mainOf(await open(browser, "/apps", { env: { DB: database } })));
    expect(text).toContain("Demo App Spend, today so far $12.50 Clicks, today so far 2 Network links 6");
    expect(text).toContain("Other App Spend, last 7 days None Clicks, last 7 days 0 Network links 1");
    expect(counts.written).toBe(0);
  });

  it("compares the days that are over with those before", async () => {
    const add = (age: number, count: number) =>
      rows(
        `INSERT INTO daily_engagements SELECT app_token, ?, id, 0, 'click', ?, 0 FROM links WHERE token = ?`,
        ...[dayOf(NOW) - age, count, DEMO.linkToken],
      );
    for (const [age, count] of [
      [0, 100],
      [1, 2],
      [7, 4],
      [8, 3],
      [14, 5],
      [15, 200],
    ] as const)
      await add(age, count);
    expect(textOf(mainOf(await open(await operator(), "/apps")))).toContain("Clicks, last 7 days 6 ▼ −25.0%");
  });

  it("are searched and ordered if there are many", async () => {
    for (const [name, spend, clicks] of [
      ["Bravo", 3, 0],
      ["Alfa", 1, 2],
      ["Ålesund", 2, 1],
    ] as const) {
      const { body } = await ask<{ data: { items: { token: string }[] } }>("/operator/v1/apps", {
        token: DEMO.operatorToken,
        json: { name, default_url: "https://a.test/" },
      });
      const token = body.data.items[0]?.token ?? "";
      await env.DB.batch(
        [
          `INSERT INTO memberships VALUES (2, '${token}')`,
          `INSERT INTO daily_totals VALUES ('${token}', ${dayOf(NOW) - 1}, 1, 1, 'cpc', 'USD', 'matched', 1, ${spend}00000)`,
          `INSERT INTO daily_engagements VALUES ('${token}', ${dayOf(NOW) - 1}, 1, 0, 'click', ${clicks}, 0)`,
        ].map((text) => env.DB.prepare(text)),
      );
    }
    const browser = await operator();
    const names = async (query: string) =>
      [...(await open(browser, `/apps?${query}`)).matchAll(/<h2><a[^>]*><bdi>([^<]*)/g)].map(
        ([, name]) => name,
      );
    expect(await names("sort=-spend")).toEqual(["Bravo", "Ålesund", "Alfa", "Demo App", "Other App"]);
    expect((await names("sort=-clicks")).slice(0, 2)).toEqual(["Alfa", "Ålesund"]);
    expect(await names("q=ALF")).toEqual(["Alfa"]);
    expect(await names(`q=${DEMO.otherAppToken.slice(2)}`)).toEqual(["Other App"]);
    expect(textOf(await open(browser, "/apps?q=nothing"))).toContain("No apps match these filters.");
  });

  it("orders currencies as the Overview does: most matched costs in the period first, then by code", async () => {
    const add = (currency: string, state: string, count: number) =>
      rows(
        `INSERT INTO daily_totals SELECT app_token, ?, id, 1, 'cpc', ?, ?, ?, ? FROM links WHERE app_token = ?`,
        ...[
          dayOf(NOW) - 1,
          currency,
          state,
          count,
          state === "matched" ? 500_000_000 : 0,
          DEMO.otherAppToken,
        ],
      );
    await add("JPY", "matched", 1);
    await add("CHF", "matched", 1);
    await add("CHF", "unpriced", 9);
    await add("EUR", "matched", 2);
    const browser = await operator();
    const day = formatDate(dayOf(NOW) - 1);
    const cards = textOf(mainOf(await open(browser, "/apps")));
    expect(cards).toMatch(/Other App Spend, last 7 days €[\d.,]+ new CHF [\d.,]+ new ¥[\d.,]+ new Clicks/);
    const overview = textOf(mainOf(await open(browser, `${OTHER}?from=${day}&to=${day}`)));
    expect([...overview.matchAll(/Spend in (...) [^b]/g)].map(([, code]) => code)).toEqual([
      "EUR",
      "CHF",
      "JPY",
    ]);
  });

  it("explains to a member without apps how to get one", async () => {
    const browser = await signedIn();
    await rows("DELETE FROM memberships");
    expect(textOf(await open(browser, "/apps"))).toContain("Ask your operator to add you to an app.");
    expect((await browser.get(APP)).status).toBe(404);
  });
});

it.each(["/operator", "/apps", "/account", OTHER])(
  "the header of an operator has no name twice, and leads to the own apps: %s",
  async (path) => {
    const page = await open(await operator(), path);
    const links = linksOf(/<header class="top">[\s\S]*?<\/header>/.exec(page)?.[0] ?? "");
    const names = links.map(({ text }) => text);
    expect(names).toEqual([...new Set(names)]);
    expect(links).toContainEqual({ text: "Your apps", href: "/apps" });
  },
);

describe("every page of an app", () => {
  it("says for an app of others what it says for one that does not exist", async () => {
    const browser = await signedIn();
    for (const app of [OTHER, "/apps/nosuchapp000", "/apps/x", "/apps/%00"]) {
      const { status, text } = await browser.get(`${app}/links`);
      expect(status).toBe(404);
      expect(text).toContain("No app of yours has this token.");
    }
  });

  it.each(["/links/demo1nk009", "/links/nosuchlink", "/links/x'y", "/links/demo1nk009/qr.svg"])(
    "does not show a link of another app, or one that does not exist: %s",
    async (page) => {
      const { status, text } = await (await signedIn()).get(APP + page);
      expect([status, text.includes("Secret")]).toEqual([404, false]);
      expect(textOf(text)).toContain("This app has no link with this token.");
      expect(hrefOf(text, "Back to links")).toBe(`${APP}/links`);
    },
  );

  const changes = {
    "the session ends": ["DELETE FROM sessions", 401],
    "the user is disabled": ["UPDATE users SET disabled_at = 1 WHERE id = 1", 401],
    "the user is removed from the app": ["DELETE FROM memberships WHERE user_id = 1", 404],
  } as const;
  it.each(
    Object.entries(changes).flatMap(([name, [change, status]]) =>
      PAGES.map((page) => [page, name, change, status] as const),
    ),
  )(
    "checks the session and the membership again in the batch of its data: %s, when %s",
    async (page, _, change, status) => {
      const browser = await freshSession(freshLedger);
      await click("frame-secret-1");
      await sendCost({ cost_id: "frame-secret-1", cost_amount: "77.77" });
      let calls = 0;
      const database = wrapDatabases((real) =>
        withMethods(real, {
          batch: async (statements: D1PreparedStatement[]) => {
            // The first call reads the session.
            if (real === env.DB && calls++ === 0) {
              const results = await real.batch(statements);
              await real.exec(change);
              return results;
            }
            return real.batch(statements);
          },
        }),
      );
      const response = await browser.get(APP + page, { env: { DB: database } });
      expect(response.status).toBe(status);
      expect(response.text).not.toMatch(/77\.77|Newsletter|svg xmlns/);
    },
  );

  it("shows the app, who is signed in, and the tabs, also around an error", async () => {
    const browser = await operator();
    for (const page of ["/links", "/links?level=9", "/links/nosuchlink"]) {
      const { text } = await browser.get(APP + page);
      expect(text).toContain("<summary><span>operator@example.com</span></summary>");
      const links = linksOf(text);
      for (const [name, href] of [
        ["Overview", APP],
        ["Links", `${APP}/links`],
        ["Performance", `${APP}/performance`],
        ["Partners", `${APP}/partners`],
        ["Account", "/account"],
        ["Operator console", "/operator"],
        ["Other App", `${OTHER}/links`],
        ["All apps", "/apps"],
      ]) {
        expect(links).toContainEqual({ text: name, href });
      }
      expect(text).toMatch(/href="[^"]*\/links" aria-current="page"/);
    }
  });

  it("escapes the names of apps, links and partners", async () => {
    const browser = await signedIn();
    await rows(`UPDATE apps SET name = '<b>"app'''`);
    await rows(`UPDATE links SET label = '<i>"link'''`);
    await rows(`UPDATE partners SET display_name = '<u>"partner'''`);
    for (const page of ["", "/links?open=demo1nk001", "/links/demo1nk003", "/performance", "/partners"]) {
      expect(await open(browser, APP + page)).not.toMatch(/<[biu]>|"(app|link|partner)'/);
    }
  });
});
