import type { Locator } from "playwright-core";
import { describe, expect, it } from "vitest";
import { DEMO } from "../../src/dev/demo.ts";
import {
  BASE_URL,
  checkAccessibility,
  checkFits,
  openMenu,
  replacePassword,
  service,
  signIn,
  useBrowser,
} from "./browser.ts";

const open = useBrowser();

const EMAIL = "demo@example.com";
const PASSWORD = "demo-password";
const TOKEN = /^ll_api_\w{49}$/;

async function useToken(token: string): Promise<number> {
  const url = `${BASE_URL}/public/v1/apps/${service.APP_TOKEN}/trackers`;
  return (await fetch(url, { headers: { authorization: `Token token=${token}` } })).status;
}

async function isFocused(element: Locator): Promise<boolean> {
  return (await element.and(element.page().locator(":focus")).count()) === 1;
}

interface User {
  id: number;
  temporary_password: string;
}

let token = service.API_TOKEN ?? "";

it("a password can be shown, by keyboard, and is sent as a password", async () => {
  const page = await open();
  await page.goto("/login");
  const field = page.getByLabel("Password", { exact: true });
  await field.fill("wrong");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await expect.poll(() => field.getAttribute("type")).toBe("text");
  await checkAccessibility(page, "password-shown");
  const shown = page.getByRole("button", { name: "Show password", pressed: true });
  await page.evaluate(
    `document.querySelector("form").addEventListener("submit", (event) => event.preventDefault())`,
  );
  await page.getByLabel("Email").fill(EMAIL);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await expect
    .poll(async () => [await field.getAttribute("type"), await shown.count()])
    .toEqual(["password", 0]);
  await page.getByRole("link", { name: "Sign in with your credential" }).click();
  await page.getByRole("button", { name: "Show credential", pressed: false }).waitFor();
  const credential = await page.getByLabel("Credential", { exact: true }).boundingBox();
  const button = await page.getByRole("button", { name: "Show credential" }).boundingBox();
  // The outline of the field is between them.
  expect((button?.y ?? 0) - (credential?.y ?? 0) - (credential?.height ?? 0)).toBeGreaterThan(5);
});

describe("the account page", () => {
  it("shows and resets the token after sign-in, and the old token stops working", async () => {
    const page = await open({ permissions: ["clipboard-read", "clipboard-write"] });
    await page.goto("/account");
    expect(page.url()).toContain("/login?next=%2Faccount");
    await page.getByLabel("Email").fill(EMAIL);
    await page.getByLabel("Password").fill("not-the-password");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("alert").getByText("Incorrect email or password.").waitFor();
    await page.getByLabel("Password").fill(PASSWORD);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("heading", { name: "Account", level: 1 }).waitFor();

    await page.getByRole("button", { name: "Show token" }).click();
    const show = page.getByRole("dialog", { name: "Show token" });
    await show.getByLabel("Your password").fill(PASSWORD);
    await show.getByRole("button", { name: "Show token" }).click();
    await page.locator("#token-text").waitFor();
    await expect.poll(() => show.isVisible()).toBe(false);
    await expect.poll(() => page.locator("#token-text").textContent()).toBe(token);
    await page.getByRole("button", { name: "Copy" }).click();
    await page.getByRole("button", { name: "Copied" }).waitFor();
    await expect.poll(() => page.evaluate("navigator.clipboard.readText()")).toBe(token);

    await page.getByRole("button", { name: "Reset token" }).click();
    const reset = page.getByRole("dialog", { name: "Reset token" });
    await expect.poll(() => isFocused(reset.getByRole("button", { name: "Cancel" }))).toBe(true);
    await reset.getByLabel("Your password").fill("not-the-password");
    await reset.getByRole("button", { name: "Reset token" }).click();
    await reset.getByText("Incorrect password.").waitFor();
    await expect.poll(() => isFocused(reset.getByLabel("Your password"))).toBe(true);
    await expect.poll(() => reset.getByLabel("Your password").getAttribute("aria-invalid")).toBe("true");
    await checkAccessibility(page, "reset-rejected");
    expect(await useToken(token)).toBe(200);

    await reset.getByLabel("Your password").fill(PASSWORD);
    await reset.getByRole("button", { name: "Reset token" }).click();
    await page.getByRole("status").getByText("API token reset.").waitFor();
    await expect.poll(() => reset.isVisible()).toBe(false);
    const old = token;
    token = (await page.locator("#token-text").textContent()) ?? "";
    expect(token).toMatch(TOKEN);
    expect(token).not.toBe(old);
    expect([await useToken(old), await useToken(token)]).toEqual([401, 200]);
    await page.getByRole("button", { name: "Copy" }).click();
    await expect.poll(() => page.evaluate("navigator.clipboard.readText()")).toBe(token);
    await expect.poll(() => page.getByRole("status").first().textContent()).toContain("API token reset.");
    await checkAccessibility(page, "after-reset");

    await page.getByRole("link", { name: "Hide" }).click();
    await page.waitForURL((url) => url.pathname === "/account");
    expect(await page.content()).not.toContain(token);
    await openMenu(page);
    await page.getByRole("button", { name: "Sign out", exact: true }).click();
    await page.getByText("You've been signed out.").waitFor();
    await page.goto("/account");
    expect(page.url()).toContain("/login");
  });

  it("resets the token with only the keyboard", async () => {
    const page = await open();
    await page.goto("/login?next=/account");
    await page.locator("#email:focus").waitFor();
    await page.keyboard.type(EMAIL);
    await page.keyboard.press("Tab");
    await page.keyboard.type(PASSWORD);
    await page.keyboard.press("Enter");
    await page.waitForURL((url) => url.pathname === "/account");
    const focused = () => page.evaluate("document.activeElement.textContent.trim()");
    const tabTo = async (name: string) => {
      for (let step = 0; step < 20; step++) {
        await page.keyboard.press("Tab");
        if ((await focused()) === name) return;
      }
      throw new Error(`${name} cannot be reached with Tab`);
    };
    await page.keyboard.press("Tab");
    await expect.poll(() => focused()).toBe("Skip to content");
    await tabTo("Reset token");
    await page.keyboard.press("Enter");
    await expect.poll(() => focused()).toBe("Cancel");
    await page.keyboard.press("Escape");
    await expect.poll(() => page.getByRole("dialog").count()).toBe(0);
    await expect.poll(() => focused()).toBe("Reset token");
    await page.keyboard.press("Enter");
    // Past the box that ends the access tokens too, and the button that shows the password.
    for (let step = 0; step < 3; step++) await page.keyboard.press("Shift+Tab");
    await page.keyboard.type(PASSWORD);
    await page.keyboard.press("Enter");
    await page.getByRole("status").getByText("API token reset.").waitFor();
    const old = token;
    token = String(await focused());
    expect(token).toMatch(TOKEN);
    expect([await useToken(old), await useToken(token)]).toEqual([401, 200]);
  });

  it("shows the token after resetting one that an operator issued, without a reload", async () => {
    const asOperator = async (path: string, body?: object) => {
      const response = await fetch(`${BASE_URL}/operator/v1/users${path}`, {
        method: "POST",
        headers: { authorization: `Bearer ${service.OPERATOR_TOKEN}`, "content-type": "application/json" },
        ...(body && { body: JSON.stringify(body) }),
      });
      return ((await response.json()) as { data: { items: User[] } }).data.items[0];
    };
    // Operators issue tokens only to users of single sign-on. This one gets a password afterwards.
    const created = await asOperator("", { email: "issued@example.com", sign_in: "sso" });
    const your_password = DEMO.operatorPassword;
    await asOperator(`/${created?.id}/token`, { your_password });
    const reset = await asOperator(`/${created?.id}/password`, { your_password });
    const password = "plum chair under seven moons";
    const page = await open();
    await replacePassword(page, "issued@example.com", reset?.temporary_password ?? "", password);
    await page.goto("/account");
    for (const name of ["Reset token", "Show token"]) {
      await page.getByRole("button", { name }).click();
      const dialog = page.getByRole("dialog", { name });
      await dialog.getByLabel("Your password").fill(password);
      await dialog.getByRole("button", { name }).click();
      await dialog.waitFor({ state: "hidden" });
      await expect.poll(() => page.locator("#token-text").textContent()).toMatch(TOKEN);
      // A token that is on the page is not offered again.
      await expect.poll(() => page.getByRole("button", { name: "Show token" }).count()).toBe(0);
      await page.getByRole("link", { name: "Hide" }).click();
    }
  });

  it("resets the token without JavaScript", async () => {
    const page = await open({ javaScriptEnabled: false });
    await signIn(page, EMAIL, PASSWORD);
    await page.getByRole("button", { name: "Reset token" }).click();
    const dialog = page.getByRole("dialog", { name: "Reset token" });
    await dialog.getByLabel("Your password").fill("not-the-password");
    await dialog.getByRole("button", { name: "Reset token" }).click();
    await page.getByRole("alert").getByRole("link", { name: "Incorrect password." }).click();
    await page.getByLabel("Your password").fill(PASSWORD);
    await page.getByRole("button", { name: "Reset token" }).click();
    await page.getByRole("status").getByText("API token reset.").waitFor();
    const old = token;
    token = (await page.locator("#token-text").textContent()) ?? "";
    expect([await useToken(old), await useToken(token)]).toEqual([401, 200]);
  });
});

describe("every page is accessible and fits a narrow window", () => {
  it.each(["/", "/login", "/login?notice=signed-out", "/no/such/page", "/nosuchlink"])("%s", async (path) => {
    const page = await open();
    await page.goto(path);
    const name = path.replaceAll(/\W+/g, "-").replace(/^-$/, "-landing").slice(1);
    await checkAccessibility(page, name);
    await page.setViewportSize({ width: 360, height: 740 });
    await checkFits(page);
    await checkAccessibility(page, `${name}-360`);
  });

  it("/account and its dialogs", async () => {
    const page = await open();
    await signIn(page, EMAIL, PASSWORD);
    await page.getByText("Change password").first().click();
    await checkAccessibility(page, "account");
    await page.setViewportSize({ width: 360, height: 740 });
    await checkFits(page);
    for (const name of ["Show token", "Reset token"]) {
      await page.getByRole("button", { name }).click();
      await checkAccessibility(page, `${name.replace(" ", "-").toLowerCase()}-360`);
      await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
    }
    await page.setViewportSize({ width: 1100, height: 900 });
    await page.getByRole("button", { name: "Reset token" }).click();
    await checkAccessibility(page, "reset-dialog");
  });

  it("the pages that reject a form", async () => {
    const page = await open();
    await page.goto("/login");
    await page.getByLabel("Email").fill("nobody@example.com");
    await page.getByLabel("Password").fill("not-the-password");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("alert").waitFor();
    await checkAccessibility(page, "login-rejected");
    await signIn(page, "operator@example.com", "operator-password");
    await checkAccessibility(page, "account-operator");
    // Submits the form as a browser without the script does.
    await page.evaluate("document.querySelector('#reset-form').submit()");
    await page.getByRole("alert").getByText("The password must not be empty.").waitFor();
    await checkAccessibility(page, "reset-rejected-page");
    await page.goto("/account");
    await page.getByText("Change password").first().click();
    await page.getByLabel("Current password").fill("operator-password");
    await page.getByLabel("New password", { exact: true }).fill("short");
    await page.getByLabel("Confirm new password").fill("other");
    await page.getByRole("button", { name: "Change password" }).click();
    await page.getByRole("heading", { name: "Change password" }).waitFor();
    await checkAccessibility(page, "password-rejected");
    await page.goto("/account/token/reset");
    await checkAccessibility(page, "method-rejected");
  });
});
