/** Saved views of Performance: saving, opening, sharing and deleting them. */
import { beforeEach, describe, expect, it } from "vitest";
import { type Browser, freshSession, signedIn } from "../account/support.ts";
import { ask, DEMO, env, freshWholeDemo, rows } from "../harness.ts";
import { APP, hrefOf, linksOf, mainOf, open, textOf } from "./page-text.ts";

const PAGE = `${APP}/performance`;
const QUERY = "from=2026-03-01&to=2026-03-07&group_by=partner&sort=name";

let browser: Browser;

beforeEach(async () => {
  browser = await freshSession(freshWholeDemo);
});

const save = (name: string, query = QUERY, more: Record<string, string> = {}, by = browser) =>
  by.post(`${PAGE}/views`, { name, query, ...more });
const remove = (id: number, by = browser) => by.post(`${PAGE}/views/${id}/delete`, {});
type Stored = { id: number; user_id: number | null; name: string; query: string };
const stored = () => rows<Stored>("SELECT id, user_id, name, query FROM views ORDER BY id");
const shown = async (by = browser) =>
  linksOf(/<nav class="choice" aria-label="Views">[\s\S]*?<\/nav>/.exec(await open(by, PAGE))?.[0] ?? "");

/** Another member of the app. */
async function colleague(): Promise<Browser> {
  await rows("INSERT INTO memberships VALUES (2, ?) ON CONFLICT DO NOTHING", DEMO.appToken);
  return signedIn("operator@example.com", "operator-password");
}

it("a view is saved by one name and leads to the same page", async () => {
  const { status, headers } = await save("  By partner ");
  expect([status, headers.get("location")]).toEqual([303, `${PAGE}?${QUERY}&notice=saved`]);
  expect(await stored()).toEqual([{ id: 1, user_id: 1, name: "By partner", query: QUERY }]);
  const [view] = await shown();
  expect(view).toEqual({ text: "By partner", href: `${PAGE}?${QUERY}&view=1` });
  const page = await open(browser, view?.href ?? "");
  expect(page).toMatch(/aria-current="true"[^>]*><bdi>By partner/);
  expect(page).toContain("<summary><bdi>By partner</bdi></summary>");
  // What is saved there can replace it, also after a change of what is shown.
  for (const changed of [page, await open(browser, hrefOf(page, "Week"))])
    expect(changed).toContain("Replace the view with this name");
  expect(mainOf(page)).toContain('aria-sort="ascending"');
  expect(hrefOf(page, "Download CSV")).toContain("group_by=partner");
});

it("only its user sees a view, and the members of the app see a shared one", async () => {
  const other = await colleague();
  await save("Mine");
  await save("Ours", QUERY, { shared: "yes" });
  expect((await shown()).map(({ text }) => text)).toEqual(["Mine", "Ours"]);
  expect((await shown(other)).map(({ text }) => text)).toEqual(["Ours"]);
});

it("any member deletes a shared view, and nobody another's own", async () => {
  const other = await colleague();
  await save("Mine");
  await save("Ours", QUERY, { shared: "yes" });
  for (const id of [1, 2, 99]) expect((await remove(id, other)).status).toBe(303);
  expect((await stored()).map(({ name }) => name)).toEqual(["Mine"]);
  await remove(1);
  expect(await stored()).toEqual([]);
  const entries = await rows<{ action: string; user_id: number; detail: string }>(
    "SELECT action, user_id, detail FROM audit_log WHERE action LIKE '% view' ORDER BY id",
  );
  expect(entries).toEqual([
    { action: "save view", user_id: 1, detail: '{"name":"Mine","shared":false}' },
    { action: "save view", user_id: 1, detail: '{"name":"Ours","shared":true}' },
    { action: "delete view", user_id: 2, detail: '{"name":"Ours","shared":true}' },
    { action: "delete view", user_id: 1, detail: '{"name":"Mine","shared":false}' },
  ]);
});

it.each([{}, { shared: "yes" }])("a view is replaced once its user asks for it: %j", async (more) => {
  await save("Mine");
  await save("Mine", QUERY, { shared: "yes" });
  const before = await stored();
  const box = '<input type="checkbox" name="replace"';
  const rejected = await save("Mine", "sort=name", more);
  expect([rejected.status, rejected.text.includes(box)]).toEqual([400, true]);
  expect(await stored()).toEqual(before);
  const place = "shared" in more ? 1 : 0;
  for (const _ of ["once", "sent twice"])
    expect((await save("Mine", "sort=name", { ...more, replace: "yes" })).headers.get("location")).toBe(
      `${PAGE}?sort=name&notice=saved`,
    );
  expect(await stored()).toEqual(before.with(place, { ...before[place], query: "sort=name" } as Stored));
  expect(await rows("SELECT count(*) AS n FROM audit_log WHERE action = 'save view'")).toEqual([{ n: 3 }]);
  // With a name that was changed after that, it is a new one.
  expect((await save("Other", "sort=name", { ...more, replace: "yes" })).status).toBe(303);
  expect(await stored()).toHaveLength(3);
});

it("an open view can be replaced: its name is there", async () => {
  await save("Mine", QUERY, { shared: "yes" });
  const page = mainOf(await open(browser, `${PAGE}?group_by=day&view=1`));
  const [menu = ""] = /<form[^>]*id="save-view"[\s\S]*?<\/form>/.exec(page) ?? [];
  expect(menu).toContain('value="Mine"');
  expect(menu).toMatch(/name="shared"[^>]*checked/);
  expect(menu).toContain('name="replace"');
  expect(textOf(menu)).toMatch(/Save view$/);
  expect(mainOf(await open(browser, PAGE))).not.toContain('name="replace"');
});

it("the address of a view can be copied", async () => {
  await save("Mine");
  expect(await open(browser, PAGE)).toContain(
    `data-copy="https://linkledger.test${PAGE}?${QUERY.replaceAll("&", "&amp;")}&amp;view=1"`,
  );
});

it.each([{}, { shared: "yes" }])("20 views can be saved, and no two of one name: %j", async (more) => {
  for (let number = 1; number <= 20; number++) await save(`View ${number}`, "", more);
  expect((await save("View 7", "", more)).status).toBe(303);
  const twice = await save("View 7", QUERY, more);
  expect([twice.status, textOf(mainOf(twice.text))]).toEqual([
    400,
    expect.stringContaining("a view with this name. Choose another name, or replace that view."),
  ]);
  const more21 = await save("View 21", "", more);
  expect([more21.status, textOf(mainOf(more21.text))]).toEqual([
    400,
    expect.stringContaining("20 views. Delete one to save another."),
  ]);
  expect(await stored()).toHaveLength(20);
  const otherKind = "shared" in more ? {} : { shared: "yes" };
  expect((await save("View 7", "", otherKind)).status).toBe(303);
});

it.each([
  ["", QUERY],
  ["x".repeat(61), QUERY],
  ["a\u200Bb", QUERY],
  ["Unknown", "group=day"],
  ["Invalid", "sort=cost"],
  ["Long", `link=${"x".repeat(2_000)}`],
])("is rejected: %j, %s", async (name, query) => {
  expect((await save(name, query)).status).toBe(400);
  expect(await stored()).toEqual([]);
});

it.each([
  [
    "a name that is taken",
    "Taken",
    "You have a view with this name. Choose another name, or replace that view.",
  ],
  ["a name of 61 characters", "x".repeat(61), "Name of the view has 61 characters"],
  ["an invisible character", "a\u200Bb", "Name of the view must not contain invisible characters."],
])("a rejected form shows the same page with %s and the error at its field", async (_, name, error) => {
  await save("Taken", "");
  const { status, text } = await save(name, `${QUERY}&currency=EUR`);
  const page = mainOf(text);
  expect(status).toBe(400);
  const [, field = ""] = /<input (id="save-view-name"[^>]*)>/.exec(page) ?? [];
  expect(field).toContain(`value="${name}"`);
  expect(field).toContain('aria-invalid="true"');
  expect(textOf(/id="save-view-name-error"[\s\S]*?<\/p>/.exec(page)?.[0] ?? "")).toContain(error);
  expect(hrefOf(page, textOf(/role="alert"[\s\S]*?<li>([\s\S]*?)<\/li>/.exec(page)?.[1] ?? ""))).toBe(
    "#save-view-name",
  );
  expect(page).toMatch(/<details class="menu " open>/);
  // It is the page of the view, with the same parameters.
  expect(hrefOf(page, "Download CSV")).toBe(`${PAGE}.csv?${QUERY}&currency=EUR`);
  expect(page).toContain(`value="${QUERY.replaceAll("&", "&amp;")}&amp;currency=EUR"`);
  expect(text).toContain("<title>Error: Performance");
});

it("the views of a user end with the membership, and the shared ones stay", async () => {
  await save("Mine");
  await save("Ours", QUERY, { shared: "yes" });
  const { status } = await ask(`/operator/v1/apps/${DEMO.appToken}/members/1`, {
    token: DEMO.operatorToken,
    method: "DELETE",
  });
  expect(status).toBe(200);
  expect((await stored()).map(({ name }) => name)).toEqual(["Ours"]);
});

describe("a view whose link or partner is gone", () => {
  it.each([
    ["link=gone", "The link of this view no longer exists. The view shows everything else."],
    ["partner_id=99", "The partner of this view no longer exists. The view shows everything else."],
    [
      "link=gone&partner_id=99",
      "The link and the partner of this view no longer exist. The view shows everything else.",
    ],
  ])("says so and shows the rest: %s", async (filter, text) => {
    await save("Gone", `${QUERY}&${filter}`);
    const [view] = await shown();
    const page = mainOf(await open(browser, view?.href ?? ""));
    expect(textOf(page)).toContain(text);
    expect(textOf(page)).toContain("Acme Ads");
  });
});

it("nothing of an app that the user left", async () => {
  await save("Mine");
  await env.DB.exec("DELETE FROM memberships WHERE user_id = 1");
  expect((await save("Late")).status).toBe(404);
  expect(await stored()).toEqual([]);
});

it("a view of the page without filters can be saved", async () => {
  const { headers } = await browser.post(`${PAGE}/views`, { name: "Plain" });
  expect(headers.get("location")).toBe(`${PAGE}?notice=saved`);
  expect((await stored()).at(-1)).toMatchObject({ name: "Plain", query: "" });
});
