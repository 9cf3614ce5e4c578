/**
 * What people come for, from the first page to the answer, found by the text that is on each page: links, buttons, boxes and choices
 * in lists count as clicks, and each task has its number. Signing in and typing do not count. Task 2 is in
 * performance.test.ts, 4 in create.test.ts, 5 in edit.test.ts, and 11 and 12 in single-sign-on.test.ts.
 */
import type { Page } from "playwright-core";
import { expect, inject, test } from "vitest";
import { DEMO, DEMO_PASSWORD_HASHES } from "../../src/dev/demo.ts";
import { type BuiltWorker, startBuilt } from "../built-worker.ts";
import { BASE_URL, replacePassword, service, signIn, useBrowser, useDemoUsers } from "./browser.ts";
import { countClicks } from "./clicks.ts";

const IPHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Mobile/15E148";
const openAs = useDemoUsers();
const openPage = useBrowser();
// The empty deployment has another port.
const openElsewhere = useBrowser(() => "http://127.0.0.1:");

/** A deployment with its first operator and nothing else. */
const startEmpty = (): Promise<BuiltWorker> =>
  startBuilt({
    name: "empty",
    script: inject("script"),
    seed: [
      `INSERT INTO users (id, email, role, password_hash, created_at) VALUES (1, '${DEMO.operatorEmail}', 'operator', '${DEMO_PASSWORD_HASHES[DEMO.operatorEmail]}', 0)`,
    ],
  });

/** The first page of a partner. */
async function openPartner(): Promise<Page> {
  const page = await openPage();
  await page.goto("/partner");
  await page.getByLabel("Credential").fill(service.COST_TOKEN ?? "");
  await page.getByRole("button", { name: "Sign in" }).click();
  return page;
}

const link = (page: Page, name: string | RegExp) => page.getByRole("link", { name }).first().click();
const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).first().click();
const tab = (page: Page, name: string) =>
  page
    .getByRole("navigation", { name: /Demo App|Operator console/ })
    .getByRole("link", { name, exact: true })
    .click();

async function sendCost(fields: Record<string, string>): Promise<Response> {
  const cost = { cost_type: "cpc", cost_currency: "USD", tag: "task", ...fields };
  return fetch(`${BASE_URL}/cost`, {
    method: "POST",
    headers: { authorization: `Token token=${service.COST_TOKEN}` },
    body: new URLSearchParams(cost),
  });
}

test("task 1: from an empty deployment to the first click", async () => {
  const worker = await startEmpty();
  const open = () => openElsewhere({ baseURL: worker.url });
  const [otto, mia] = [await open(), await open()];
  await signIn(otto, DEMO.operatorEmail, DEMO.operatorPassword);
  await otto.goto("/operator");
  const clicks = await countClicks(otto, mia);
  await link(otto, "Create an app");
  await otto.getByRole("textbox", { name: "Name" }).fill("Acme Shop");
  await otto.getByLabel("Default URL").fill("https://shop.example/");
  await button(otto, "Create app");
  await otto.getByLabel("Add member by email").fill("mia@example.com");
  await button(otto, "Add member");
  await otto.getByText("Nobody has this email address yet.").waitFor();
  await button(otto, "Create user");
  const temporary = (await otto.getByRole("group", { name: "secret" }).textContent()) ?? "";
  const before = clicks.count;
  await replacePassword(mia, "mia@example.com", temporary, "a long password of mia");
  clicks.count = before;

  await mia.getByLabel("Network").fill("Newsletter");
  await button(mia, "Create link");
  const url = (await mia.getByRole("group", { name: "Click URL" }).textContent()) ?? "";
  await fetch(url, { headers: { "user-agent": IPHONE }, redirect: "manual" });
  await mia.getByRole("navigation", { name: "Acme Shop" }).getByRole("link", { name: "Overview" }).click();
  await mia.getByRole("heading", { name: "First click Done" }).waitFor();
  expect(clicks.count).toBe(6);
  await worker.stop();
});

test("task 3: why a partner's spend changed", async () => {
  const page = await openAs(`/apps/${DEMO.appToken}`);
  const clicks = await countClicks(page);
  await tab(page, "Partners");
  await page.getByRole("link", { name: "Acme Ads", exact: true }).first().click();
  await page.getByRole("link", { name: /^Spend in USD/ }).click();
  const why = await page
    .getByRole("region", { name: /^What changed/ })
    .first()
    .innerText();
  expect(why).toMatch(/Spend (rose|fell)/);
  expect(clicks.count).toBe(3);
});

test("task 6: a link by a part of its name", async () => {
  const part = crypto.randomUUID().slice(0, 8);
  const name = `Trail ${part}-runners`;
  const created = await fetch(`${BASE_URL}/public/v1/apps/${DEMO.appToken}/trackers`, {
    method: "POST",
    // As an operator, because another file resets the token of the member.
    headers: { authorization: `Token token=${service.OPERATOR_TOKEN}`, "content-type": "application/json" },
    body: JSON.stringify({ name }),
  });
  expect(created.status).toBe(201);
  const page = await openAs(`/apps/${DEMO.appToken}`);
  const clicks = await countClicks(page);
  await tab(page, "Links");
  await page.getByRole("searchbox").first().fill(part);
  await page.keyboard.press("Enter");
  await page.getByRole("link", { name, exact: true }).click();
  await page.getByRole("heading", { name, level: 1 }).waitFor();
  expect(clicks.count).toBeLessThanOrEqual(3);
});

test("task 7: a view that others of the app see", async () => {
  const page = await openAs(`/apps/${DEMO.appToken}`);
  const clicks = await countClicks(page);
  await tab(page, "Performance");
  await page.locator("summary", { hasText: /^Views$/ }).click();
  await page.getByLabel("Name of the view").fill("Monday");
  await page.getByLabel("Share it with the members of this app").check();
  await button(page, "Save view");
  await page.getByText("View saved.").waitFor();
  const view = page.locator("summary", { hasText: "Monday" });
  await view.waitFor();
  expect(clicks.count).toBe(4);
  // Otherwise the page has its name in other files too.
  await view.click();
  await button(page, "Delete Monday");
  await page.getByText("View deleted.").waitFor();
});

test("task 8: a wrong cost without its ID", async () => {
  const id = `wrong-${crypto.randomUUID()}`;
  await fetch(`${BASE_URL}/${service.LINK_TOKEN}?s2s=1&cost_id=${id}`);
  expect((await sendCost({ cost_id: id, cost_amount: "9000" })).status).toBe(200);
  const page = await openAs("/operator", {}, "operator");
  const clicks = await countClicks(page);
  await page.getByRole("link", { name: "Acme Ads", exact: true }).first().click();
  await page.getByRole("link", { name: "Costs", exact: true }).click();
  await page.getByLabel("Amount over").fill("5000");
  await button(page, "Search");
  await page.getByRole("link", { name: id }).click();
  await page.getByLabel("Reason").fill("One zero too many");
  await button(page, "Void cost");
  await page.getByText("Cost voided. It no longer counts.").waitFor();
  expect(clicks.count).toBe(5);
});

test("task 9: a partner from nothing to live", async () => {
  const name = `Task ${crypto.randomUUID().slice(0, 8)}`;
  const page = await openAs("/operator", {}, "operator");
  const clicks = await countClicks(page);
  let forms = 0;
  page.on("request", (request) => {
    if (request.method() === "POST") forms++;
  });
  await link(page, "New partner");
  await page.getByRole("textbox", { name: "Name" }).fill(name);
  await button(page, "Create partner");
  await link(page, "Costs by call");
  await button(page, "Save templates");
  await page.getByText("Templates saved.").or(page.getByText("URL templates saved.")).first().waitFor();
  await button(page, "Open round and create link");
  // The secret is where one looks.
  await page.getByText("Copy this now.").waitFor();
  await expect.poll(() => page.evaluate("document.activeElement.textContent")).toContain("Copy this now.");
  const text = await page.getByLabel(`Text for ${name}`).inputValue();
  const [, opened = ""] = /^ +(http\S+\?cost_id=\S+)$/m.exec(text) ?? [];
  expect((await fetch(`${opened}&s2s=1`)).status).toBe(200);
  const [, url = "", header = "", body = ""] = /curl -X POST "(.+?)" -H "(.+?)" -d "(.+?)"/.exec(text) ?? [];
  const sent = await fetch(url, {
    method: "POST",
    headers: {
      authorization: header.replace("Authorization: ", ""),
      "content-type": "application/x-www-form-urlencoded",
    },
    body,
  });
  expect(sent.status).toBe(200);
  await link(page, /^Round \d+$/);
  await page.getByText(`${name} test`).first().waitFor();
  await button(page, "Approve cpc");
  await button(page, "Issue live credential");
  await page.getByText("Copy this now.").waitFor();
  await expect
    .poll(() => page.getByRole("group", { name: "live credential" }).textContent())
    .toMatch(/^ll_live_/);
  await expect
    .poll(() => page.getByLabel(`Text for ${name}`).inputValue())
    .toContain("Your cost data is live.");
  expect([clicks.count, forms]).toEqual([8, 5]);
});

test("task 10: why costs are rejected, for the partner, an operator and a member", async () => {
  const id = `rejected-${crypto.randomUUID()}`;
  await fetch(`${BASE_URL}/${service.LINK_TOKEN}?s2s=1&cost_id=${id}`);
  expect((await sendCost({ cost_id: id, cost_amount: "0.25" })).status).toBe(200);
  expect((await sendCost({ cost_id: id, cost_amount: "0.75" })).status).toBe(400);

  const petra = await openPartner();
  await petra
    .getByRole("heading", { name: /Rejected costs/ })
    .first()
    .waitFor();

  const otto = await openAs("/operator", {}, "operator");
  const operatorClicks = await countClicks(otto);
  await otto.getByRole("link", { name: "Acme Ads", exact: true }).first().click();
  await otto.getByRole("link", { name: "Rejected costs", exact: true }).click();
  await otto.getByText(id).first().waitFor();
  expect(operatorClicks.count).toBe(2);

  const mia = await openAs(`/apps/${DEMO.appToken}?period=today`);
  const memberClicks = await countClicks(mia);
  await link(mia, "Show rejected costs");
  await mia
    .getByRole("heading", { name: /[Rr]ejected/ })
    .first()
    .waitFor();
  expect(memberClicks.count).toBe(1);
});

test("a link is tested on its page, by keyboard, and nothing is recorded", async () => {
  const page = await openAs(`/apps/${DEMO.appToken}/links/demo1nk002`);
  const today = await page.getByText(/^Today so far: /).innerText();
  await page.getByRole("link", { name: "Test link" }).focus();
  await page.keyboard.press("Enter");
  const result = page.getByRole("region", { name: "Test result" });
  await result.waitFor();
  expect(new URL(page.url()).pathname).toBe(`/apps/${DEMO.appToken}/links/demo1nk002`);
  await expect.poll(() => page.evaluate("document.activeElement.id")).toBe("test-result");
  const top = () => page.evaluate<number>("document.activeElement.getBoundingClientRect().top");
  expect(await top()).toBeLessThan(100);
  const field = page.getByLabel("Click or impression URL");
  await field.fill(`${BASE_URL}/demo1nk002?cost_id={id}`);
  await button(page, "Test URL");
  await result.getByText("The network did not replace its macro.").waitFor();
  expect(await top()).toBeLessThan(100);
  await field.fill("nothing");
  await button(page, "Test URL");
  await page.getByRole("alert").getByText("The URL must be the click URL").first().waitFor();
  await field.fill(`\t${BASE_URL}/demo1nk002\n`);
  await button(page, "Test URL");
  await result.waitFor();
  await field.fill(`${BASE_URL}/demo1nk002?utm_source=`.padEnd(8_193, "x"));
  await button(page, "Test URL");
  await page.getByRole("alert").getByText("The URL has 8,193 characters").first().waitFor();
  // A page without the part leaves what is there.
  await page.route("**/test?*", (route) =>
    route.fulfill({ status: 400, contentType: "text/html", body: "" }),
  );
  await field.fill("what was entered");
  await button(page, "Test URL");
  await page.getByRole("alert").getByText("Couldn't load.").waitFor();
  await expect.poll(() => field.inputValue()).toBe("what was entered");
  await expect.poll(() => page.locator("#test-panel").innerText()).not.toContain("null");
  await button(page, "Close test");
  await expect.poll(() => page.getByRole("region", { name: "Test result" }).count()).toBe(0);
  await page.reload();
  await expect.poll(() => page.getByText(/^Today so far: /).innerText()).toBe(today);
});

test("a link is tested on a page of its own without a script", async () => {
  const page = await openAs(`/apps/${DEMO.appToken}/links/demo1nk002`, { javaScriptEnabled: false });
  await link(page, "Test link");
  await page.getByRole("heading", { name: "Test Spring", level: 1 }).waitFor();
  await page.getByLabel("Click or impression URL").fill(`${BASE_URL}/demo1nk002?campaign=x`);
  await button(page, "Test URL");
  await page.getByText("The link is at this level or below it.").waitFor();
});
