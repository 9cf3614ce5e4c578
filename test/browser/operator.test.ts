import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
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
const LINK = "demo1nk007";

/** Sends a cost as a partner does. */
async function sendCost(token: string, cost: Record<string, string>) {
  const body = new URLSearchParams({ cost_currency: "EUR", tag: "trial", ...cost });
  const response = await fetch(`${BASE_URL}/cost`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}` },
    body,
  });
  return (await response.json()) as { mismatch?: string | null; code?: string };
}
const click = (costId: string) => fetch(`${BASE_URL}/${LINK}?s2s=1&cost_id=${costId}`);
const view = (costId: string) => fetch(`${BASE_URL}/impression/${LINK}?s2s=1&cost_id=${costId}`);

async function supportsCostData(id: number): Promise<boolean | undefined> {
  const response = await fetch(`${BASE_URL}/public/v1/partners`, {
    headers: { authorization: `Token token=${service.OPERATOR_TOKEN}` },
  });
  const { data } = (await response.json()) as {
    data: { items: { id: number; supports_cost_data: boolean }[] };
  };
  return data.items.find((partner) => partner.id === id)?.supports_cost_data;
}

async function operatorPage(options = {}): Promise<Page> {
  const page = await open(options);
  await signIn(page, "operator@example.com", "operator-password");
  return page;
}

describe("an integration round", () => {
  it("is opened, tested with real clicks and costs, and approved", async () => {
    const page = await operatorPage();
    await openMenu(page);
    await page.getByRole("link", { name: "Operator console" }).click();
    await page.getByRole("link", { name: "Beacon Network" }).click();
    await page.getByRole("textbox", { name: "Name", exact: true }).fill("Beacon");
    await page.getByRole("button", { name: "Save changes" }).click();
    await page.getByRole("status").getByText("Partner updated.").waitFor();
    for (const type of ["cpi", "cpe", "cpm"]) await page.getByLabel(type, { exact: true }).uncheck();
    await page.getByRole("button", { name: "Open round" }).click();
    await page.getByRole("heading", { name: "Round 2 opened" }).waitFor();
    await checkAccessibility(page, "round-opened");
    const token = (await page.locator("#secret").textContent()) ?? "";
    expect(token).toMatch(/^ll_test_\w{49}$/);
    await page.getByRole("link", { name: "Done" }).click();
    await page.getByRole("heading", { name: "Round 2 · Beacon" }).waitFor();
    await page.getByText("Nothing received yet.").waitFor();

    const send = (cost_id: string) =>
      sendCost(token, { cost_id, cost_type: "cpc", cost_currency: "USD", cost_amount: "0.2" });
    expect((await send("beacon-click-01")).mismatch).toBe("cost_without_engagement");
    await page.getByRole("button", { name: "Approve cpc" }).click();
    await page.getByRole("alert").getByText("The round cannot be approved yet.").waitFor();
    await page.getByRole("alert").getByText("cost_without_engagement").waitFor();
    expect(await supportsCostData(2)).toBe(false);

    await fetch(`${BASE_URL}/demo1nk006?s2s=1&cost_id=beacon-click-01`);
    await page.goto(`${BASE_URL}/operator/rounds/2`);
    await page.getByText("ready to approve").waitFor();
    await checkAccessibility(page, "round-ready");
    await page.getByRole("button", { name: "Approve cpc" }).click();
    await page.getByRole("status").getByText("Round approved.").waitFor();
    expect(await supportsCostData(2)).toBe(true);
    expect((await send("beacon-click-02")).code).toBe("test_credential");

    await page.getByRole("link", { name: "issue a live credential" }).click();
    await page.getByText("Issue a credential").click();
    await page.getByRole("button", { name: "Issue credential" }).click();
    expect(await page.locator("#secret").textContent()).toMatch(/^ll_live_/);
  });

  it("of the demo is fixed and approved", async () => {
    const page = await operatorPage();
    await page.goto("/operator/rounds/1");
    await checkAccessibility(page, "round-failing");
    const token = service.TEST_COST_TOKEN ?? "";
    const cpc = { cost_type: "cpc", cost_amount: "0.12" };
    await sendCost(token, { ...cpc, cost_id: "corsair-click-0002" });
    await sendCost(token, { ...cpc, cost_id: "corsair-click-0003" });
    await sendCost(token, { cost_type: "cpi", cost_amount: "1.5", cost_id: "corsair-install-02" });
    await click("corsair-event-0001");
    await click("corsair-event-0002");
    await sendCost(token, { cost_type: "cpe", cost_amount: "0.8", cost_id: "corsair-event-0002" });
    await sendCost(token, { cost_type: "cpm", cost_amount: "2.4", cost_id: "corsair-view-0002" });
    await view("corsair-click-0005");
    await sendCost(token, { cost_type: "cpm", cost_amount: "2.4", cost_id: "corsair-click-0005" });
    await page.reload();
    await page.getByText("1 open mismatch.").waitFor();
    const partner = await open();
    await partner.goto("/partner");
    await partner.getByLabel("Credential").fill(token);
    await partner.getByRole("button", { name: "Sign in" }).click();
    await partner.getByText("1 open mismatch.").waitFor();
    await page.getByRole("button", { name: "Dismiss" }).click();
    await page.getByRole("status").getByText("Mismatch dismissed.").waitFor();
    expect(await supportsCostData(3)).toBe(false);
    await page.getByRole("button", { name: "Approve cpc, cpi, cpe, cpm" }).click();
    await page.getByRole("status").getByText("Round approved.").waitFor();
    expect(await supportsCostData(3)).toBe(true);
    await page.goto("/operator");
    await expect
      .poll(() =>
        page
          .getByRole("row", { name: /Corsair Media/ })
          .getByText("integrated")
          .count(),
      )
      .toBe(4);
  });
});

describe("the console", () => {
  it("creates a user and an app, shows errors on the form, and logs every change", async () => {
    const page = await operatorPage();
    await page.goto("/operator/users");
    await page.getByLabel("Email").fill("DEMO@example.com");
    await page.getByRole("button", { name: "Create user" }).click();
    await page.getByRole("alert").getByText("Another user has this email address.").waitFor();
    expect(await page.getByLabel("Email").inputValue()).toBe("DEMO@example.com");
    await page.getByLabel("Email").fill("newcomer@example.com");
    await page.getByRole("button", { name: "Create user" }).click();
    const password = (await page.locator("#secret").textContent()) ?? "";
    const newcomer = await open();
    await replacePassword(newcomer, "newcomer@example.com", password, "plum chair under seven moons");

    await page.goto("/operator/apps");
    await page.getByRole("textbox", { name: "Name", exact: true }).fill("Second");
    await page.getByLabel("Default URL").fill("javascript:alert(1)");
    await page.getByRole("button", { name: "Create app" }).click();
    await page.locator("#default_url-error").getByText("must be an absolute http or https URL").waitFor();
    await page.getByLabel("Default URL").fill("https://second.example/");
    await page.getByRole("button", { name: "Create app" }).click();
    await page.getByRole("heading", { name: "Second", level: 1 }).waitFor();
    await page.getByLabel("Add member by email").fill("newcomer@example.com");
    await page.getByRole("button", { name: "Add member" }).click();
    await page.getByRole("status").getByText("Member added.").waitFor();
    await newcomer.goto("/apps");
    await newcomer.getByText("Second").first().waitFor();

    await page.getByText("Remove", { exact: true }).click();
    await page.getByRole("button", { name: "Remove member" }).click();
    await page.getByRole("status").getByText("Member removed.").waitFor();
    await page.getByRole("link", { name: "Audit log" }).click();
    for (const action of ["create user", "create app", "add member", "remove member"]) {
      await page.getByRole("rowheader", { name: action }).first().waitFor();
    }
    await checkAccessibility(page, "audit-log");
    expect(await page.content()).not.toContain(password);
  });

  it.each([
    "/operator",
    "/operator/partners/3",
    "/operator/apps",
    "/operator/apps/demoapp00001",
    "/operator/users",
    "/operator/users/1",
    "/operator/credentials",
  ])("%s is accessible and fits a narrow window", async (path) => {
    const page = await operatorPage();
    await page.goto(path);
    for (const summary of await page.locator("main details > summary").all()) await summary.click();
    await checkAccessibility(page, `console${path.replaceAll("/", "-")}`);
    await page.setViewportSize({ width: 360, height: 740 });
    await checkFits(page);
  });

  it("rejects a member", async () => {
    const page = await open();
    await signIn(page, "demo@example.com", "demo-password");
    const response = await page.goto("/operator");
    expect(response?.status()).toBe(403);
    await page.getByRole("heading", { name: "Operators only" }).waitFor();
  });
});
