/** Items of "Needs attention" that are hidden for 30 days and shown again. */
import { beforeEach, expect, it } from "vitest";
import { type Browser, signedIn } from "../account/support.ts";
import { countingDatabase, DAY, DEMO, freshDemo, NOW, rows } from "../harness.ts";
import { APP, mainOf, open, textOf } from "./page-text.ts";

let browser: Browser;

beforeEach(async () => {
  await freshDemo();
  await rows("UPDATE partners SET stopped_at = 1 WHERE id = 1");
  browser = await signedIn();
});

const hide = (item = "stopped:1", by = browser, query = "") =>
  by.post(`${APP}/attention/hide`, { item, query });
const show = (by = browser) => by.post(`${APP}/attention/show`, { query: "" });
const stored = () =>
  rows<{ key: string; hidden_until: number }>("SELECT key, hidden_until FROM hidden_attention");
const attention = async (by = browser, options = {}) => {
  const page = mainOf(await open(by, APP, options));
  return textOf(/<h2 id="attention">[\s\S]*?<\/section>/.exec(page)?.[0] ?? "");
};

it("a member hides an item for all members of the app, and any of them shows it again", async () => {
  await rows("INSERT INTO memberships VALUES (2, ?) ON CONFLICT DO NOTHING", DEMO.appToken);
  const other = await signedIn("operator@example.com", "operator-password");
  expect(await attention()).toContain("Acme Ads is stopped.");
  const { status, headers } = await hide("stopped:1", browser, "period=7d");
  expect([status, headers.get("location")]).toEqual([303, `${APP}?period=7d&notice=hidden#attention`]);
  expect(await stored()).toEqual([{ key: "stopped:1", hidden_until: NOW + 30 * DAY }]);
  const left = await attention(other);
  expect(left).not.toContain("Acme Ads is stopped.");
  expect(left).toContain("1 item hidden until 14 Apr 2026 Show hidden items");
  await hide("unpriced");
  expect((await show(other)).headers.get("location")).toBe(`${APP}?notice=shown#attention`);
  expect(await stored()).toEqual([]);
  expect(await attention()).toContain("Acme Ads is stopped.");
  const entries = await rows(
    "SELECT action, user_id, subject, detail FROM audit_log WHERE action IN ('hide item', 'show hidden items') ORDER BY id",
  );
  const subject = `app ${DEMO.appToken}`;
  expect(entries).toEqual([
    { action: "hide item", user_id: 1, subject, detail: '{"item":"stopped:1"}' },
    { action: "hide item", user_id: 1, subject, detail: '{"item":"unpriced"}' },
    { action: "show hidden items", user_id: 2, subject, detail: "{}" },
  ]);
});

it("an item is shown from the moment on at which its 30 days end", async () => {
  await rows("INSERT INTO hidden_attention VALUES (?, 'stopped:1', ?)", DEMO.appToken, NOW + 1);
  expect(await attention()).toContain("1 item hidden until 15 Mar 2026");
  await rows("UPDATE hidden_attention SET hidden_until = ?", NOW);
  expect(await attention()).toContain("Acme Ads is stopped.");
  await hide();
  expect(await stored()).toEqual([{ key: "stopped:1", hidden_until: NOW + 30 * DAY }]);
});

it("hiding an item again, or showing when nothing is hidden, changes nothing", async () => {
  await show();
  await rows("INSERT INTO hidden_attention VALUES (?, 'stopped:1', ?)", DEMO.appToken, NOW + 1);
  await hide();
  expect(await stored()).toEqual([{ key: "stopped:1", hidden_until: NOW + 1 }]);
  expect(await rows("SELECT action FROM audit_log WHERE action LIKE '%hid%'")).toEqual([]);
});

it("an app hides at most 200 items", async () => {
  const insert = (many: number) =>
    rows(
      `INSERT INTO hidden_attention SELECT ?, 'stopped:' || (value + 10), ? FROM json_each(?)`,
      DEMO.appToken,
      NOW + 1,
      JSON.stringify(Array.from({ length: many }, (_, index) => index)),
    );
  await insert(199);
  expect((await hide("unpriced")).status).toBe(303);
  const full = await hide("dropped");
  expect([full.status, textOf(mainOf(full.text))]).toEqual([
    400,
    expect.stringContaining("200 items are hidden already. Show them again first."),
  ]);
  expect((await hide("unpriced")).status).toBe(303);
  expect(await stored()).toHaveLength(200);
});

it.each(["", "stopped", "stopped:0", "stopped:x", `stopped:${"9".repeat(17)}`, "unpriced:1", "__proto__"])(
  "the item %j is unknown",
  async (item) => {
    expect((await hide(item)).status).toBe(400);
    expect(await stored()).toEqual([]);
  },
);

it("the way back has only the days of the page", async () => {
  expect((await hide("unpriced", browser, "a=//elsewhere.test")).status).toBe(400);
  expect((await hide("unpriced", browser, "from=2026-03-01&to=2026-03-15")).headers.get("location")).toBe(
    `${APP}?from=2026-03-01&to=2026-03-15&notice=hidden#attention`,
  );
});

it("the page asks the database as often as without hidden items", async () => {
  const calls = async () => {
    const { database, counts } = countingDatabase();
    await attention(browser, { env: { DB: database } });
    return counts.calls;
  };
  const before = await calls();
  await hide();
  expect(await calls()).toBe(before);
});
