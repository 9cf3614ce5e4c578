/** Creating, importing and exporting links: by mouse, with only the keyboard, and without scripts. */
import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { checkEveryWidth, createPartner, service, useDemoUsers } from "./browser.ts";

const openPage = useDemoUsers();
const APP = `/apps/${service.APP_TOKEN}`;
const NEW = `${APP}/links/new`;
const IMPORT = `${APP}/links/import`;

/** A name that no other test uses. */
const unique = (name: string) => `${name} ${crypto.randomUUID().slice(0, 8)}`;
const toFile = (lines: string[]) => ({
  name: "links.csv",
  mimeType: "text/csv",
  buffer: Buffer.from(["network,campaign,partner,cost_data", ...lines].join("\n")),
});

async function download(page: Page, name: string): Promise<string> {
  const [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("link", { name }).click()]);
  return readFile(await file.path(), "utf8");
}

/** The links of the Links page that are in its menu. */
const openMenu = (page: Page) => page.locator("summary", { hasText: "More" }).click();

/** Focuses an element with Tab. */
async function tabTo(page: Page, name: RegExp) {
  for (let step = 0; step < 60; step++) {
    await page.keyboard.press("Tab");
    const text = await page.evaluate<string>(
      "(document.activeElement.labels?.[0] ?? document.activeElement).textContent.trim()",
    );
    if (name.test(text)) return;
  }
  throw new Error(`${name} cannot be reached with Tab`);
}

describe.each([
  ["by mouse", true],
  ["without scripts", false],
])("%s", (_, javaScriptEnabled) => {
  it("creates a path, a sub-link below it, and fixes a form that was rejected", async () => {
    const partner = await createPartner();
    const page = await openPage(`${APP}/links`, { javaScriptEnabled });
    const network = unique("Net");
    await page.getByRole("link", { name: "Create link" }).click();
    await page.getByLabel("Network").fill(network);
    await page.getByLabel("Campaign").fill("Spring");
    await page
      .getByLabel("Partner", { exact: true })
      .selectOption({ label: `${partner} (no cost data yet)` });
    await page.getByLabel("Cost data").selectOption("on");
    await page.getByRole("button", { name: "Create link" }).click();
    const problem = page.getByRole("link", {
      name: `Cost data can't be on: ${partner} has no cost data yet.`,
    });
    await problem.waitFor();
    if (javaScriptEnabled) await page.locator(".notice.error:focus").waitFor();
    await expect.poll(() => page.getByLabel("Network").inputValue()).toBe(network);
    await problem.click();
    await page.locator("#cost_data:focus").waitFor();
    await page.getByLabel("Partner", { exact: true }).selectOption({ index: 1 });
    await page.getByRole("button", { name: "Create link" }).click();
    await page.getByRole("status").getByText("Link created.").waitFor();
    await page.getByRole("heading", { name: "Spring", level: 1 }).waitFor();
    await page.getByRole("link", { name: "Create sub-link" }).click();
    const [choice, card] = await Promise.all(
      [".choice", "main .card"].map((selector) => page.locator(selector).first().boundingBox()),
    );
    expect((card?.y ?? 0) - (choice?.y ?? 0) - (choice?.height ?? 0)).toBeGreaterThanOrEqual(12);
    await page.getByLabel("Ad group").fill("Runners");
    await page.getByRole("button", { name: "Create link" }).dblclick();
    await page.getByRole("status").getByText("Link created.").waitFor();
    const crumbs = page.getByRole("navigation", { name: "Breadcrumb" });
    await crumbs.getByRole("link", { name: "Spring", exact: true }).click();
    await page.getByRole("region", { name: "Links", exact: true }).waitFor();
    await expect.poll(() => page.getByRole("link", { name: "Runners", exact: true }).count()).toBe(1);
  });
});

// With scripts, these ways are walked with only the keyboard, in task 4, and with rejected rows.
it("without scripts: pastes many paths, fixes a rejected line, creates the links, and takes them back", async () => {
  const page = await openPage(NEW, { javaScriptEnabled: false });
  const network = unique("Net");
  await page.getByRole("link", { name: "Paste or import many" }).click();
  await page.getByLabel("Cells or paths").fill(`${network} > A\n${network} › B::C\n${network}`);
  await page.getByRole("button", { name: "Check rows" }).click();
  await page.getByText("Campaign must not contain ::, which joins the names of a path.").waitFor();
  await page.getByText("2 links (1 campaign and 1 network)").waitFor();
  await page.getByRole("textbox", { name: "Rows" }).fill(`${network} > A\n${network} › C\n${network}`);
  await page.getByRole("button", { name: "Check again" }).click();
  await page.getByRole("button", { name: "Import 3 links" }).click();
  await page.getByText("3 links created.", { exact: true }).waitFor();
  await page.getByRole("link", { name: `${network} > C` }).waitFor();
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByText("3 links archived.").waitFor();
});

it("without scripts: exports, imports the same file without a change, and imports a new one", async () => {
  const page = await openPage(`${APP}/links?q=video`, { javaScriptEnabled: false });
  await openMenu(page);
  const exported = await download(page, "Export CSV");
  expect(exported.split("\r\n")).toHaveLength(4);
  await page.getByRole("link", { name: "Paste or import many", exact: true }).click();
  const file = { name: "links.csv", mimeType: "text/csv", buffer: Buffer.from(exported) };
  await page.getByLabel("CSV file").setInputFiles(file);
  await page.getByRole("button", { name: "Check rows" }).click();
  await page.getByText("All links exist already.").waitFor();
  await page.getByRole("link", { name: "Upload another file" }).click();
  const network = unique("Net");
  await page.getByLabel("CSV file").setInputFiles(toFile([`${network},,Acme Ads,on`, `${network},A::B,,`]));
  await page.getByRole("button", { name: "Check rows" }).click();
  await page.getByText("Campaign must not contain ::, which joins the names of a path.").waitFor();
  await page.getByRole("button", { name: "Import 1 link" }).click();
  await page.getByText("1 link created.").waitFor();
  expect(await download(page, "Download results")).toContain(`2,${network},created,`);
  await page.getByRole("link", { name: network }).click();
  await page.getByRole("heading", { name: network, level: 1 }).waitFor();
});

it("with only the keyboard: creates a link, pastes paths, and imports a file", async () => {
  const page = await openPage(`${APP}/links`);
  const network = unique("Net");
  await tabTo(page, /^Create link$/);
  await page.keyboard.press("Enter");
  await page.locator("#network:focus").waitFor();
  await page.keyboard.type(network);
  await tabTo(page, /^Partner$/);
  await page.keyboard.type("Acme");
  await tabTo(page, /^Cost data$/);
  await page.keyboard.type("On");
  await tabTo(page, /^Create link$/);
  await page.keyboard.press("Enter");
  await page.getByRole("status").getByText("Link created.").waitFor();
  await page.goto(IMPORT);
  await page.locator("#cells:focus").waitFor();
  await page.keyboard.type(`${network} > A`);
  await tabTo(page, /^Check rows$/);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Check rows", level: 1 }).waitFor();
  await tabTo(page, /^Import 1 link$/);
  await page.keyboard.press("Enter");
  await page.getByText("1 link created.").waitFor();
  await page.goto(IMPORT);
  await page.getByLabel("CSV file").setInputFiles(toFile([`${network},B,,`]));
  await tabTo(page, /^Check rows$/);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Check rows", level: 1 }).waitFor();
  await tabTo(page, /^Import 1 link$/);
  await page.keyboard.press("Enter");
  await page.getByText("1 link created.").waitFor();
});

it("a file of more than 1,000 rows is checked in parts, imported after the confirmation, and changes nothing again", async () => {
  const page = await openPage(IMPORT);
  const network = unique("Net");
  const lines = Array.from({ length: 1_050 }, (_, index) => `${network},Campaign ${index},,`);
  // The network comes after the links below it.
  const whole = toFile([...lines, `${network},,Acme Ads,on`, `${network},Campaign 5,,`, `${network},A::B,,`]);
  // As a spreadsheet can write it, with rows that do not count.
  const text = `sep=;\n${whole.buffer}\n,,,\n`.replaceAll(",", ";").replace("campaign", "Campaign name");
  const file = { ...whole, buffer: Buffer.from(text.replaceAll("\n", "\r")) };
  const panel = page.locator("#progress");
  await page.getByLabel("CSV file").setInputFiles(file);
  await page.getByRole("button", { name: "Check rows" }).click();
  await panel
    .getByText("1,051 (1,050 campaigns, 1 network) would be created, 0 exist already, 2 are rejected.")
    .waitFor();
  await panel.getByText("Row 8 has the same link. Remove one of them.").waitFor();
  // Two rejected rows, and a sample of the others.
  const rows = panel.getByRole("row");
  await expect.poll(() => rows.count()).toBe(1 + 2 + 5);
  await expect.poll(() => rows.nth(3).innerText()).toMatch(/Campaign \d+\s+new/);
  await checkEveryWidth(page, "import-large");
  await panel.getByRole("button", { name: "Import 1,051 links" }).click();
  await panel
    .getByText("1,051 (1,050 campaigns, 1 network) created, 0 exist already, 2 are rejected.")
    .waitFor();
  const results = await download(page, "Download results");
  expect(results.split("\r\n")).toHaveLength(1 + 1_053 + 1);
  const other = await page.context().newPage();
  await other.goto(`${APP}/links?q=${encodeURIComponent(network)}`);
  await openMenu(other);
  const exported = await download(other, "Export CSV");
  expect(exported).toContain(`,${network},,,,Acme Ads,1,on,`);
  await other.goto(IMPORT);
  await other.getByLabel("CSV file").setInputFiles(file);
  await other.getByRole("button", { name: "Check rows" }).click();
  await other
    .locator("#progress")
    .getByText("0 would be created, 1,051 exist already, 2 are rejected.")
    .waitFor();
  await expect
    .poll(() => panel.getByRole("link", { name: "Show links" }).getAttribute("href"))
    .toBe(`${APP}/links`);
  await panel.getByRole("button", { name: "Undo" }).click();
  await page.getByText("1,051 links archived.").waitFor();
});

describe("is accessible and fits", () => {
  it("a rejected form, pasted paths, and the check of a file", async () => {
    const page = await openPage(NEW);
    await page.getByLabel("Network").fill("A::B");
    await page.getByRole("button", { name: "Create link" }).click();
    await page.getByText("Network must not contain ::, which joins the names of a path.").first().waitFor();
    await checkEveryWidth(page, "create-rejected");
    await page.goto(IMPORT);
    const network = unique("A network with a rather long name");
    const cells = [
      ["Network", "Campaign", "Ad group", "Creative", "Partner", "Budget"],
      [network, "Campaign", "Ad group", "Creative", "Acme Asd", "1"],
      ...["A::B", "A::C", "A::D", "A::E"].map((name) => [name, "", "", "", "", ""]),
      ["Acme", "Spring", "", "", "", ""],
      [network, "Other", "", "", "", ""],
    ];
    await page.getByLabel("Cells or paths").fill(cells.map((line) => line.join("\t")).join("\n"));
    await page.getByText("8 of 1,000.").waitFor();
    await page.getByRole("button", { name: "Check rows" }).click();
    await page.getByText("3, 4, 5 and 1 more").waitFor();
    await checkEveryWidth(page, "pasted");
    await page.getByRole("checkbox", { name: "Use Acme Ads for" }).check();
    await page.getByRole("button", { name: "Check again" }).click();
    await page.getByRole("button", { name: "Import 5 links" }).click();
    await page.getByText("5 links created.").waitFor();
    await page.goto(`${APP}/links/undo`);
    await checkEveryWidth(page, "undo");
    await page.goto(IMPORT);
    await page
      .getByLabel("CSV file")
      .setInputFiles(toFile(["Acme,,Beacon Network,", "Newer,,,on", `${network},New,,`]));
    await page.getByRole("button", { name: "Check rows" }).click();
    await page.getByRole("heading", { name: "Check rows" }).waitFor();
    await checkEveryWidth(page, "import-check");
    await page.goto(IMPORT);
    await page
      .getByLabel("CSV file")
      .setInputFiles({ name: "a.csv", mimeType: "text/csv", buffer: Buffer.from('network\n"red') });
    await page.getByRole("button", { name: "Check rows" }).click();
    await page.getByText("The file can't be imported.").waitFor();
    await checkEveryWidth(page, "import-rejected");
  });
});

it("a bar shows that the check and the import of few rows run, and is gone after Back", async () => {
  const page = await openPage(IMPORT);
  const busy = `[...document.querySelectorAll("form[aria-busy=true]")].map((one) => {
    const bar = one.querySelector("progress");
    return [one.id, bar.checkVisibility(), bar.position, one.querySelector("button").disabled];
  })`;
  // What each page shows when the next one takes its place.
  const watch = `addEventListener("pagehide", () => {
    sessionStorage.seen = JSON.stringify([...JSON.parse(sessionStorage.seen ?? "[]"), ${busy}]);
  })`;
  await page.addInitScript(watch);
  await page.evaluate(watch);
  const check = async () => {
    await page.getByLabel("Cells or paths").fill(unique("Net"));
    await page.getByRole("button", { name: "Check rows" }).click();
    await page.getByRole("heading", { name: "Check rows", level: 1 }).waitFor();
  };
  await check();
  await page.goBack();
  await page.getByRole("heading", { name: "Import links", level: 1 }).waitFor();
  expect(await page.evaluate(busy)).toEqual([]);
  await check();
  await page.getByRole("button", { name: "Import 1 link" }).click();
  await page.getByText("1 link created.").waitFor();
  // -1: without a value, because one request has no steps.
  const bar = (form: string) => [[form, true, -1, true]];
  const seen = JSON.parse(await page.evaluate("sessionStorage.seen"));
  expect(seen).toEqual([bar("upload"), [], bar("upload"), bar("confirm")]);
});

it("task 4: 200 links are pasted from a spreadsheet in four clicks, and taken back in one", async () => {
  const page = await openPage(`${APP}/links`);
  let clicks = 0;
  const click = async (role: "link" | "button", name: string) => {
    await page.getByRole(role, { name, exact: true }).click();
    clicks++;
  };
  const network = unique("Sheet");
  await click("link", "Create link");
  await click("link", "Paste or import many");
  // As Ctrl+V does it.
  await page.locator("#cells:focus").waitFor();
  const lines = Array.from({ length: 200 }, (_, at) => [
    network,
    `C ${at % 4}`,
    `G ${at % 20}`,
    `Video ${at}`,
  ]);
  await page.keyboard.insertText(lines.map((line) => line.join("\t")).join("\n"));
  await page.getByText("200 of 1,000.").waitFor();
  await click("button", "Check rows");
  await page.getByText("225 links (200 creatives, 20 ad groups, 4 campaigns, and 1 network)").waitFor();
  await click("button", "Import 225 links");
  await page.getByText("225 links created.").waitFor();
  expect(clicks).toBeLessThanOrEqual(4);
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByText("225 links archived.").waitFor();
});
