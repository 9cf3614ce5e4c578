import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import {
  BASE_URL,
  checkAccessibility,
  checkEveryWidth,
  openMenu,
  service,
  useBrowser,
  useDemoUsers,
} from "./browser.ts";

const open = useBrowser();
const openAs = useDemoUsers();
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

const operatorPage = (path: string, options = {}): Promise<Page> => openAs(path, options, "operator");

describe("an integration round", () => {
  it("is opened, tested with real clicks and costs, and approved", async () => {
    const page = await operatorPage("/operator");
    await openMenu(page);
    await page.getByRole("link", { name: "Operator console" }).click();
    // The first page has only those with the highest spend.
    await page.getByRole("link", { name: "All partners" }).click();
    await page.getByRole("link", { name: "Beacon Network", exact: true }).click();
    await page.getByText("Edit name and templates").click();
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
    await page.getByRole("heading", { name: "Round 2: Beacon" }).waitFor();
    await page.getByText("Nothing received yet.").waitFor();

    const send = (cost_id: string) =>
      sendCost(token, { cost_id, cost_type: "cpc", cost_currency: "USD", cost_amount: "0.2" });
    expect((await send("beacon-click-01")).mismatch).toBe("cost_without_engagement");
    await page.reload();
    await page.getByText("no match yet, 1 open mismatch").waitFor();
    await expect.poll(() => page.getByRole("button", { name: /^Approve/ }).count()).toBe(0);
    expect(await supportsCostData(2)).toBe(false);

    await fetch(`${BASE_URL}/demo1nk006?s2s=1&cost_id=beacon-click-01`);
    await page.goto(`${BASE_URL}/operator/rounds/2`);
    await page.getByText("Ready to approve").waitFor();
    await checkAccessibility(page, "round-ready");
    await page.getByRole("button", { name: "Approve cpc" }).click();
    await page.getByRole("status").getByText("Round approved.").waitFor();
    expect(await supportsCostData(2)).toBe(true);
    expect((await send("beacon-click-02")).code).toBe("test_credential");

    await page.getByRole("button", { name: "Issue live credential" }).click();
    await expect.poll(() => page.locator("#secret").textContent()).toMatch(/^ll_live_/);
  });

  it("of the demo is fixed and approved", async () => {
    const page = await operatorPage("/operator/rounds/1");
    for (const summary of await page.locator("main details:not(.more-figures) > summary").all())
      await summary.click();
    await checkEveryWidth(page, "round-failing");
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
    await partner.getByRole("heading", { name: "See the match" }).waitFor();
    await partner.getByRole("link", { name: "Show the report" }).click();
    await partner.getByText("1 open mismatch.").waitFor();
    const late = page.getByRole("row", { name: /Too late/ });
    await late.locator("td summary").click();
    await late.getByLabel("Reason").fill("Agreed by phone");
    await late.getByRole("button", { name: "Dismiss mismatch" }).click();
    await page.getByText("Dismissed: Agreed by phone").waitFor();
    expect(new URL(page.url()).hash).toMatch(/^#finding-/);
    const [top, bottom, height] = (await page.evaluate(
      "(({ top, bottom }) => [top, bottom, innerHeight])(document.querySelector(location.hash).getBoundingClientRect())",
    )) as [number, number, number];
    expect([top >= 0, bottom <= height]).toEqual([true, true]);
    expect(await supportsCostData(3)).toBe(false);
    await page.getByRole("button", { name: "Approve selected types" }).click();
    await page.getByRole("status").getByText("Round approved.").waitFor();
    expect(await supportsCostData(3)).toBe(true);
    await page.goto("/operator/partners");
    const corsair = page.getByRole("row", { name: /Corsair Media/ });
    const cell = (heading: string) => corsair.locator(`[data-label="${heading}"]`).innerText();
    expect(await cell("State")).toBe("Live");
    await corsair.getByRole("link", { name: "Corsair Media" }).click();
    expect(
      await page
        .locator("section", { has: page.locator("#state") })
        .locator("dl > :first-child, dl > dt + dd:nth-child(2)")
        .allInnerTexts(),
    ).toEqual(["cpc, cpi, cpe, cpm", "Live"]);
  });
});

describe("the console", () => {
  it("creates a user and an app, shows errors on the form, and logs every change", async () => {
    const page = await operatorPage("/operator/users");
    await page.getByRole("link", { name: "New user" }).click();
    await page.getByLabel("Email").fill("DEMO@example.com");
    await page.getByRole("button", { name: "Create user" }).click();
    await page.getByRole("alert").getByText("Another user has this email address.").waitFor();
    await expect.poll(() => page.getByLabel("Email").inputValue()).toBe("DEMO@example.com");
    await page.getByLabel("Email").fill("newcomer@example.com");
    await page.getByRole("button", { name: "Create user" }).click();
    const password = (await page.locator("#secret").textContent()) ?? "";
    await page.goto("/operator/apps");
    await page.getByRole("link", { name: "New app" }).click();
    await page.getByRole("textbox", { name: "Name", exact: true }).fill("Second");
    // The browser itself would say something about the first one only, in a bubble.
    await page.getByLabel("Default URL").fill("skylark.example");
    await page.getByRole("button", { name: "Create app" }).click();
    await page.getByRole("alert").getByText("Default URL must be an absolute http or https URL").waitFor();
    await page.getByLabel("Default URL").fill("javascript:alert(1)");
    await page.getByRole("button", { name: "Create app" }).click();
    await page.locator("#default_url-error").getByText("must be an absolute http or https URL").waitFor();
    await page.getByLabel("Default URL").fill("https://second.example/");
    await page.getByRole("button", { name: "Create app" }).click();
    await page.getByRole("heading", { name: "Second", level: 1 }).waitFor();
    await page.getByLabel("Add member by email").fill("newcomer@example.com");
    await page.getByRole("button", { name: "Add member" }).click();
    await page.getByRole("status").getByText("Member added.").waitFor();

    await page.locator("summary", { hasText: "Remove" }).click();
    await page.getByRole("button", { name: "Remove member" }).click();
    await page.getByRole("status").getByText("Member removed.").waitFor();
    await page.getByRole("link", { name: "Audit log" }).click();
    for (const sentence of [
      "created the user newcomer@example.com",
      "created the app Second",
      "added newcomer@example.com to Second",
      "removed newcomer@example.com from Second",
    ]) {
      await page.getByRole("rowheader", { name: `operator@example.com ${sentence}` }).waitFor();
    }
    expect(await page.content()).not.toContain(password);
  });

  it("stops a partner, finds in the log who did it, and resumes it, with a keyboard only", async () => {
    const page = await operatorPage("/operator/partners/1#stop");
    const press = async (name: string, role: "button" | "link" = "button") => {
      const target = page.getByRole(role, { name, exact: true }).first();
      await target.focus();
      await page.keyboard.press("Enter");
    };
    await page.getByText("Stop accepting costs").first().focus();
    await page.keyboard.press("Enter");
    await press("Stop accepting costs");
    await page.getByText("Acme Ads is stopped.").waitFor();
    await checkAccessibility(page, "partner-stopped");
    await press("Partners", "link");
    const row = page.getByRole("row", { name: /Acme Ads/ });
    await row.getByRole("cell").first().getByText("Stopped", { exact: true }).waitFor();
    await press("Audit log", "link");
    await page.getByLabel("Object").focus();
    await page.keyboard.type("Acme Ads");
    await page.keyboard.press("Enter");
    await page.getByRole("rowheader", { name: "operator@example.com stopped Acme Ads" }).waitFor();
    await press("Partners", "link");
    await press("Resume", "link");
    await press("Resume accepting costs");
    await page.getByRole("status").getByText("Partner resumed.").waitFor();
  });

  it("gives a partner its test link, searches lists and shows spend without scripts", async () => {
    const page = await operatorPage("/operator", { javaScriptEnabled: false });
    await page.getByRole("link", { name: "New partner" }).click();
    await page.getByRole("textbox", { name: "Name", exact: true }).fill("Delta Ads");
    await page.getByRole("button", { name: "Create partner" }).click();
    await page.getByRole("link", { name: "Costs by call" }).click();
    await page.getByRole("button", { name: "Save templates" }).click();
    await page.getByRole("combobox", { name: "App of the test link" }).selectOption("demoapp00001");
    await page.getByRole("button", { name: "Open round and create link" }).click();
    const token = (await page.locator("#secret").textContent()) ?? "";
    await expect.poll(() => page.getByLabel("Text for Delta Ads").inputValue()).toContain(token);
    await page.getByRole("link", { name: /^Round \d/ }).click();
    await page.getByRole("link", { name: "Show what to send" }).click();
    await page.getByRole("heading", { name: "Send this to Delta Ads" }).waitFor();
    await expect.poll(() => page.locator("#click-url").textContent()).toMatch(/\/\w{10}\?campaign=/);
    await page
      .getByRole("navigation", { name: "Operator console" })
      .getByRole("link", { name: "Partners" })
      .click();
    await page.getByLabel("Name contains").fill("delta a");
    await page.getByRole("button", { name: "Search" }).click();
    await page.getByText("1 partner", { exact: true }).waitFor();
    await page
      .getByRole("navigation", { name: "Operator console" })
      .getByRole("link", { name: "Spend" })
      .click();
    await page.locator(".period summary").click();
    await page.getByRole("link", { name: "Last 30 days" }).click();
    await page
      .getByRole("row", { name: /Acme Ads/ })
      .first()
      .waitFor();
  });

  it("creates one app if its form is sent twice, and can send it again after Back", async () => {
    const page = await operatorPage("/operator/apps/new");
    await page.getByLabel("Name", { exact: true }).fill("Twice");
    await page.getByLabel("Default URL").fill("https://example.com");
    const send =
      'document.querySelector("main form[method=post]").dispatchEvent(new SubmitEvent("submit", { cancelable: true, bubbles: true }))';
    expect(await page.evaluate(`[${send}, ${send}]`)).toEqual([true, false]);
    const button = page.locator("main form[method=post] button");
    await page.waitForFunction('document.querySelector("main form[method=post] button:disabled") !== null');
    await page.evaluate('dispatchEvent(new Event("pageshow"))');
    await button.dblclick();
    await page.getByRole("status").getByText("App created.").waitFor();
    await page.goto("/operator/apps?q=Twice");
    await page.getByText("1 app", { exact: true }).waitFor();
  });

  it("copies a secret", async () => {
    const page = await operatorPage("/operator/partners/1", {
      permissions: ["clipboard-read", "clipboard-write"],
    });
    await page.getByText("Issue a credential").click();
    await page.getByRole("button", { name: "Issue credential" }).click();
    await page.getByRole("button", { name: /^Copy/ }).click();
    await page.locator("#copied").getByText("Copied").waitFor({ state: "attached" });
    await expect
      .poll(() => page.evaluate("navigator.clipboard.readText()"))
      .toBe(await page.locator("#secret").textContent());
  });

  it("shows the URLs of a partner's templates while they are written", async () => {
    const page = await operatorPage("/operator/partners/2/setup");
    await page.getByLabel("Click parameters").fill("sub=[sub]");
    await page.getByLabel("Cost parameters").fill("cost_id={id}");
    await page.getByLabel(/^Server to server/).check();
    await expect
      .poll(() => page.locator("#preview-click").textContent())
      .toMatch(/\/LINK_TOKEN\?sub=\[sub\]&cost_id=\{id\}$/);
    await expect
      .poll(() => page.locator("#preview-impression").textContent())
      .toMatch(/\/impression\/LINK_TOKEN\?.*cost_id=\{id\}&s2s=1$/);
  });
});
