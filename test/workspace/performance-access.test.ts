/** Who sees the figures of an app: Performance, its CSV and the overview. */
import { beforeEach, describe, expect, it } from "vitest";
import { type Browser, freshSession } from "../account/support.ts";
import { DAY, DEMO, env, freshDemo, NOW, rows, withMethods, wrapDatabases } from "../harness.ts";
import { APP, open } from "./page-text.ts";

const PATHS = [`${APP}/performance`, `${APP}/performance.csv`];
let browser: Browser;

beforeEach(async () => {
  browser = await freshSession(freshDemo);
});

describe("access", () => {
  it("is only for members of the app, and only while they are", async () => {
    for (const path of ["performance", "performance.csv"]) {
      for (const app of [DEMO.otherAppToken, "nosuchapp000"])
        expect((await browser.get(`/apps/${app}/${path}`)).status).toBe(404);
    }
    await rows("DELETE FROM memberships WHERE app_token = ? AND user_id = 1", DEMO.appToken);
    for (const path of PATHS) expect((await browser.get(path)).status).toBe(404);
    await rows("DELETE FROM sessions");
    for (const path of PATHS) {
      const { status, headers } = await browser.get(path);
      expect([status, headers.get("location")?.startsWith("/login?")]).toEqual([303, true]);
    }
  });

  it.each([
    ["DELETE FROM sessions", 401],
    ["DELETE FROM memberships WHERE user_id = 1", 404],
  ])("ends with the call that reads the figures: %s", async (change, status) => {
    for (const path of [APP, ...PATHS]) {
      const page = await browser.get(path, { env: { DB: changedBeforeCall(2, change) } });
      expect([path, page.status]).toEqual([path, status]);
      expect(page.text).not.toMatch(/Acme|\$\d/);
      browser = await freshSession(freshDemo);
    }
  });

  it("shows nothing of another app", async () => {
    const total = "INSERT INTO daily_totals VALUES (?, ?, 9, 1, 'cpc', 'CHF', 'matched', 1, 5)";
    await rows(total, DEMO.otherAppToken, Math.floor(NOW / DAY));
    for (const path of PATHS)
      expect(await open(browser, `${path}?from=2026-02-14&to=2026-03-15`)).not.toContain("CHF");
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
