/** Single sign-on in a browser, with a real provider: sign in, link, confirm, sign out, and what a person sees if it fails. */
import type { Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, expect, inject, test } from "vitest";
import { DEMO } from "../../src/dev/demo.ts";
import { FAULTY, startBuilt } from "../built-worker.ts";
import { resetUsers, type SingleSignOnWorker, startWithProvider, USERS } from "../single-sign-on/worker.ts";
import { checkEveryWidth, openMenu, useBrowser } from "./browser.ts";
import { countClicks } from "./clicks.ts";

let worker: SingleSignOnWorker;
beforeAll(async () => {
  worker = await startWithProvider((settings) =>
    startBuilt({ ...settings, script: inject("script"), wrapper: FAULTY }),
  );
});
afterAll(() => worker.stop());
beforeEach(() => resetUsers(worker));

// The provider is at the same address, with another port.
const openPage = useBrowser(() => "http://127.0.0.1:");

async function open(path: string): Promise<Page> {
  const page = await openPage({ baseURL: worker.origin });
  await page.goto(path);
  return page;
}

/** On the page of the provider. */
async function enterAccount(page: Page, account: string): Promise<void> {
  // Our own pages have a navigation with the name "Account".
  await page.locator("input[name=account]").fill(account);
  await page.getByRole("button", { name: "Sign in" }).click();
}

async function signIn(page: Page, account: string): Promise<void> {
  await page.getByRole("link", { name: "Sign in with Example login" }).click();
  await enterAccount(page, account);
}

async function signInWithPassword(page: Page, who: string): Promise<void> {
  await page.getByLabel("Email").fill(`${who}@example.com`);
  await page.getByLabel("Password").fill(`${who}-password`);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
}

const link = (userId: number, subject: string) =>
  worker.db
    .prepare("INSERT INTO identities VALUES (?, ?, ?, 0)")
    .bind(worker.provider.issuer, subject, userId)
    .run();

test("a member signs in, comes back to the page, and signs out here", async () => {
  const page = await open("/account/tokens");
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  await checkEveryWidth(page, "sso-sign-in");
  await signIn(page, "ana-at-provider");
  await page.getByRole("heading", { name: "Access tokens", level: 1 }).waitFor();
  await openMenu(page);
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByRole("status").getByText("You may still be signed in at your company").waitFor();
  await page.goto("/account");
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
});

test("a member confirms with a new sign-in, and creates an access token", async () => {
  const page = await open("/login?next=/account/tokens");
  await signIn(page, "ana-at-provider");
  await page.getByRole("link", { name: "sign in again" }).click();
  await enterAccount(page, "ana-at-provider");
  await page.getByLabel("Name").fill("Nightly");
  await page.getByRole("button", { name: "Create token" }).click();
  await page.getByText(/^ll_read_/).waitFor();
  await checkEveryWidth(page, "access-token");
  await page.getByRole("link", { name: "Done" }).click();
  await page.getByRole("cell", { name: "Never" }).waitFor();
  await checkEveryWidth(page, "access-tokens");
  await page.getByRole("button", { name: "End token" }).click();
  await page.getByRole("status").getByText("Access token ended.").waitFor();
});

test("an operator links an operator, who then confirms in the console", async () => {
  const olga = await open("/login?next=/operator/users");
  await signIn(olga, "olga-at-provider");
  await olga.getByText("no account here is linked to you yet").waitFor();
  const code = await olga.locator(".secret code").textContent();
  await checkEveryWidth(olga, "sso-not-linked");

  const operator = await open(`/login?next=/operator/users/${USERS.olga.id}`);
  await signInWithPassword(operator, "operator");
  await operator.getByRole("heading", { name: "Not signed in" }).waitFor();
  await checkEveryWidth(operator, "sso-attempts");
  await operator.getByRole("button", { name: new RegExp(`^Link.*${code}`) }).click();
  await operator.getByRole("status").getByText("Identity linked.").waitFor();
  await checkEveryWidth(operator, "sso-linked");

  // She is still signed in at the provider.
  await olga.goto("/login?next=/operator/users/new");
  await olga.getByRole("link", { name: "Sign in with Example login" }).click();
  await olga.getByRole("heading", { name: "New user" }).waitFor();
  await olga.getByRole("link", { name: "sign in again" }).click();
  await enterAccount(olga, "olga-at-provider");
  await olga.getByLabel("Email").fill("new@example.com");
  await olga.getByLabel("Sign-in method").selectOption("password");
  await olga.getByRole("button", { name: "Create user" }).click();
  await olga.getByRole("heading", { name: "Temporary password" }).first().waitFor();
});

test("an operator unlinks a user, whose session ends", async () => {
  const ana = await open("/login?next=/account");
  await signIn(ana, "ana-at-provider");
  await ana.getByRole("heading", { name: "Account", level: 1 }).waitFor();
  const operator = await open(`/login?next=/operator/users/${USERS.ana.id}`);
  await signInWithPassword(operator, "operator");
  await operator.locator("summary", { hasText: "Unlink" }).click();
  await operator.getByRole("button", { name: "Unlink" }).click();
  await operator.getByRole("status").getByText("Identity unlinked.").waitFor();
  await ana.reload();
  await ana.getByText("Your session expired.").waitFor();
});

test("task 11: a colleague with single sign-on, and an app", async () => {
  const page = await open("/login?next=/operator");
  await signInWithPassword(page, "operator");
  await page.getByRole("heading", { name: "Overview", level: 1 }).waitFor();
  const clicks = await countClicks(page);
  await page.getByRole("link", { name: "New user" }).click();
  await page.getByLabel("Email").fill("colleague@example.com");
  await page.getByLabel("Demo App").check();
  await page.getByRole("button", { name: "Create user" }).click();
  await page.getByText("User created.").waitFor();
  expect(clicks.count).toBe(3);

  worker.provider.accounts["colleague-at-provider"] = {
    email: "colleague@example.com",
    email_verified: true,
  };
  const colleague = await open("/login");
  await signIn(colleague, "colleague-at-provider");
  await colleague.getByRole("heading", { name: "Overview", level: 1 }).waitFor();
  expect(new URL(colleague.url()).pathname).toBe(`/apps/${DEMO.appToken}`);
});

test("task 12: a user who lost the second factor", async () => {
  await worker.db.prepare("INSERT INTO authenticators VALUES (1, 'x', ?, 0)").bind(Date.now()).run();
  const page = await open("/login?next=/operator");
  await signInWithPassword(page, "operator");
  await page.getByRole("heading", { name: "Overview", level: 1 }).waitFor();
  const clicks = await countClicks(page);
  await page.getByRole("link", { name: "Users", exact: true }).click();
  await page
    .getByRole("row", { name: new RegExp(`${DEMO.email}.*On`) })
    .getByRole("link")
    .click();
  await page.getByRole("button", { name: "Turn off two-factor" }).click();
  await page.getByText("Two-factor authentication is off.").waitFor();
  expect(clicks.count).toBe(3);
});

test("a disabled user is not signed in", async () => {
  await link(USERS.ana.id, "ana-at-provider");
  await worker.db.prepare(`UPDATE users SET disabled_at = 1 WHERE id = ${USERS.ana.id}`).run();
  const page = await open("/login");
  await signIn(page, "ana-at-provider");
  await page.getByRole("heading", { name: "You're not signed in" }).waitFor();
  await page.goto("/account");
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
});

test("somebody else's sign-in does not confirm, and the session goes on", async () => {
  const page = await open("/login?next=/account/tokens");
  await signIn(page, "ana-at-provider");
  await page.context().clearCookies({ domain: "127.0.0.1", name: /^_/ });
  await page.getByRole("link", { name: "sign in again" }).click();
  await enterAccount(page, "ben-at-provider");
  await page.getByText("as somebody else").waitFor();
  await checkEveryWidth(page, "sso-not-confirmed");
  await page.getByRole("link", { name: "Back" }).click();
  await page.getByRole("heading", { name: "Access tokens", level: 1 }).waitFor();
  await page.getByRole("link", { name: "sign in again" }).waitFor();
});

test("while the provider is down, the page says so, and a password still works", async () => {
  await worker.setClock(61 * 60_000);
  worker.provider.isDown = true;
  const page = await open("/login?next=/account");
  await page.getByRole("link", { name: "Sign in with Example login" }).click();
  await page.getByText("Single sign-on doesn't work at the moment").waitFor();
  await checkEveryWidth(page, "sso-down");
  await signInWithPassword(page, "demo");
  await page.getByRole("heading", { name: "Account", level: 1 }).waitFor();
  await worker.setClock(0);
});

test("after the provider replaced its keys, people sign in", async () => {
  const first = await open("/login?next=/account");
  await signIn(first, "ana-at-provider");
  await first.getByRole("heading", { name: "Account", level: 1 }).waitFor();
  worker.provider.rotateKeys();
  await worker.setClock(60_000);
  const second = await open("/login?next=/account");
  await signIn(second, "ben-at-provider");
  await second.getByRole("heading", { name: "Account", level: 1 }).waitFor();
  await second.getByText("ben@example.com").first().waitFor();
});
