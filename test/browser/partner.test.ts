/** The partner's pages in a browser: with a mouse, with a keyboard, without scripts, and with a large file. */
import { readFile } from "node:fs/promises";
import type { BrowserContextOptions, Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { checkEveryWidth, db, service, useBrowser } from "./browser.ts";

const open = useBrowser();

/** Opens a page as the partner of a credential, who signs in once. */
async function signedIn(path: string, options: BrowserContextOptions = {}, name = "COST_TOKEN") {
  const state = states.get(name) ?? signIn(service[name] ?? "");
  states.set(name, state);
  const page = await open({ ...options, storageState: await state });
  await page.goto(path);
  return page;
}

type State = Awaited<ReturnType<typeof signIn>>;
const states = new Map<string, Promise<State>>();

async function signIn(credential: string) {
  const page = await open();
  await page.goto("/partner");
  await page.getByLabel("Credential").fill(credential);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("button", { name: "Sign out" }).waitFor();
  return page.context().storageState();
}

const HEADER = "cost_type,cost_currency,cost_id,cost_amount,tag";
const toFile = (lines: string[]) => ({
  name: "costs.csv",
  mimeType: "text/csv",
  buffer: Buffer.from([HEADER, ...lines].join("\n")),
});
const linesOf = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, index) => `cpc,USD,${prefix}-${index + 1},0.5,browser`);

/** The file that a click downloads. */
async function download(page: Page, name: string): Promise<string> {
  const [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("link", { name }).click()]);
  expect(file.suggestedFilename()).toBe("results.csv");
  return readFile(await file.path(), "utf8");
}

/** The costs that were received with an ID that starts like this. */
async function countCosts(prefix: string): Promise<number | null> {
  const sql =
    "SELECT count(*) FROM ledger_entries WHERE received_at > 0 AND substr(cost_id, 1, length(?1)) = ?1";
  return db.prepare(sql).bind(prefix).first("count(*)");
}

describe("a partner", () => {
  it("signs in, finds a cost, voids it, and signs out", async () => {
    const page = await open();
    await page.goto("/partner");
    await page.getByLabel("Credential").fill("ll_live_wrong");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("alert").getByText("We don't know this credential.").waitFor();
    await page.getByLabel("Credential").fill(service.COST_TOKEN ?? "");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("heading", { name: "Acme Ads" }).waitFor();
    await page.getByRole("link", { name: "Costs", exact: true }).click();
    await page.getByLabel("Cost ID starts with").fill("demo-spend-00-1");
    await page.getByLabel("State").selectOption("matched");
    await page.getByRole("button", { name: "Search" }).click();
    await page.getByRole("link", { name: "demo-spend-00-1", exact: true }).click();
    await page.locator("summary", { hasText: "Void cost" }).click();
    await page.getByRole("button", { name: "Void cost" }).click();
    await page.getByRole("status").getByText("Cost voided. It no longer counts.").waitFor();
    await page.reload();
    await page.getByText("This cost is voided.").waitFor();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("status").getByText("You've been signed out.").waitFor();
    await page.goto("/partner/costs");
    await page.getByRole("heading", { name: "Partner sign-in" }).waitFor();
  });

  it("does the same with only the keyboard", async () => {
    const page = await open();
    await page.goto("/partner");
    await page.locator("#credential:focus").waitFor();
    await page.keyboard.type(service.COST_TOKEN ?? "");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Acme Ads" }).waitFor();
    const focus = async (name: string) => {
      for (let stops = 0; stops < 40; stops++) {
        await page.keyboard.press("Tab");
        const text = await page.evaluate<string>(
          "document.activeElement.textContent.trim() || document.activeElement.name",
        );
        if (text === name) return;
      }
      throw new Error(`${name} cannot be reached with the keyboard`);
    };
    await focus("Costs");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Costs", level: 1 }).waitFor();
    await focus("cost_id");
    await page.keyboard.type("demo-spend-00-3");
    await page.keyboard.press("Enter");
    await page.getByText("Download CSV").waitFor();
    await focus("demo-spend-00-3");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "demo-spend-00-3" }).waitFor();
    await focus("Void cost");
    await page.keyboard.press("Space");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.getByRole("status").getByText("Cost voided.").waitFor();
    await page.goto("/partner/upload");
    await page.getByLabel("CSV file").setInputFiles(toFile(linesOf("keyboard-cost", 2)));
    await page.getByLabel("CSV file").focus();
    await focus("Check file");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Check file" }).waitFor();
    await focus("Import 2 costs");
    await page.keyboard.press("Enter");
    await page.getByText("2 costs imported.").waitFor();
  });

  it("works without scripts: checks a file, imports what is good, and downloads the results", async () => {
    const page = await signedIn("/partner/upload", { javaScriptEnabled: false });
    const file = toFile([...linesOf("plain-form-cost", 2), "cpc,USD,short,1,t"]);
    await page.getByLabel("CSV file").setInputFiles(file);
    await page.getByRole("button", { name: "Check file" }).click();
    await page.getByText("cost_id has 5 characters").waitFor();
    expect(await countCosts("plain-form-cost")).toBe(0);
    expect(await download(page, "Download check")).toContain("4,short,400,invalid_request");
    await page.getByRole("button", { name: "Import 2 costs" }).click();
    await page.getByText("2 costs imported.").waitFor();
    expect(await download(page, "Download results")).toContain(
      "3,plain-form-cost-2,ok,,,pending,false,0.5,\r\n",
    );
    expect(await countCosts("plain-form-cost")).toBe(2);
    await page.goto("/partner/costs/plain-form-cost-1");
    await page.locator("summary", { hasText: "Void cost" }).click();
    await page.getByRole("button", { name: "Void cost" }).click();
    await page.getByText("Cost voided.").waitFor();
  });

  it("reads its round with a test credential", async () => {
    const page = await signedIn("/partner", {}, "TEST_COST_TOKEN");
    await expect.poll(() => page.getByRole("link", { name: "Upload" }).count()).toBe(0);
    await page.getByRole("link", { name: "Round", exact: true }).click();
    await page.getByRole("heading", { name: "Round 1: Corsair Media" }).waitFor();
    await checkEveryWidth(page, "partner-round");
    await page.getByRole("link", { name: "Setup" }).click();
    await page.getByRole("heading", { name: "Send your first cost" }).waitFor();
  });
});

describe("a file with more rows than one request takes", () => {
  const ROWS = 1_300;
  const lines = linesOf("large-file-cost", ROWS);
  // A repeat in another part, a row that does not fit its header, and a value with a line end.
  const file = toFile([
    ...lines,
    "cpc,USD,large-file-cost-7,9,t",
    "cpc,USD",
    'cpc,USD,"quoted\nline-end",1,t',
  ]);

  it("is checked in parts, imported after the confirmation, and changes nothing the second time", async () => {
    const page = await signedIn("/partner/upload");
    const panel = page.locator("#progress");
    await page.getByLabel("CSV file").setInputFiles(file);
    await page.getByRole("button", { name: "Check file" }).click();
    await panel
      .getByText("Nothing is imported yet. 1,300 would be imported, 0 were sent before, 3 are rejected.")
      .waitFor();
    // The rejected rows, and a sample of the others.
    const shown = await panel
      .locator("tbody tr")
      .evaluateAll((rows) =>
        (rows as unknown as { cells: { textContent: string }[] }[]).map(({ cells }) =>
          [cells[0], cells[2]].map((cell) => cell?.textContent),
        ),
      );
    expect(shown).toEqual([
      ...["1302", "1303", "1304"].map((row) => [row, "rejected"]),
      ...["2", "3", "4", "5", "6"].map((row) => [row, "ready"]),
    ]);
    await panel.getByText("cost_id is the same as in row 8.").waitFor();
    expect(await countCosts("large-file-cost")).toBe(0);
    await checkEveryWidth(page, "partner-large-file");
    await panel.getByRole("button", { name: "Import 1,300 costs" }).click();
    await panel.getByText("1,300 imported, 0 were sent before, 3 are rejected.").waitFor();
    const results = (await download(page, "Download results")).trim().split("\r\n");
    expect(results).toHaveLength(1 + ROWS + 3);
    expect(results[0]).toBe("row,cost_id,status,code,message,match,duplicate,amount,mismatch");
    expect(results[1_200]).toBe("1201,large-file-cost-1200,ok,,,pending,false,0.5,");
    expect(results[1_301]).toBe(
      "1302,large-file-cost-7,400,invalid_request,cost_id is the same as in row 8.,,,,",
    );
    expect(results[1_302]).toMatch(/^1303,,400,invalid_request,The row must have as many values/);
    expect(await countCosts("large-file-cost")).toBe(ROWS);
    await page.reload();
    await page.getByLabel("CSV file").setInputFiles(file);
    await page.getByRole("button", { name: "Check file" }).click();
    await panel.getByText("0 would be imported, 1,300 were sent before, 3 are rejected.").waitFor();
    await expect.poll(() => panel.getByRole("button", { name: /Import/ }).count()).toBe(0);
  });

  it("imports nothing if it cannot be read, or if the session ended", async () => {
    const page = await signedIn("/partner/upload");
    const panel = page.locator("#progress");
    const check = async (buffer: Buffer) => {
      await page.getByLabel("CSV file").setInputFiles({ name: "c.csv", mimeType: "text/csv", buffer });
      await page.getByRole("button", { name: "Check file" }).click();
    };
    await check(Buffer.from([HEADER.replace("tag", "tags"), ...lines].join("\n")));
    await panel.getByText("Fix tags and tag, then resend the request. Nothing was imported.").waitFor();
    // Written in the page, because large files take long to get there.
    const checkBytes = async (count: number, byte: number) => {
      await page.evaluate(`(() => {
        const chosen = new DataTransfer();
        chosen.items.add(new File([new Uint8Array(${count}).fill(${byte})], "c.csv", { type: "text/csv" }));
        document.querySelector("input[type=file]").files = chosen.files;
      })()`);
      await page.getByRole("button", { name: "Check file" }).click();
    };
    await checkBytes(10_000_001, 0x78);
    await panel.getByText("The file has more than 10 MB.").waitFor();
    await checkBytes(1_200_000, 0xff);
    await panel
      .getByText(
        "The file isn't UTF-8: in Excel, save it as “CSV UTF-8 (Comma delimited)”. Nothing was imported.",
      )
      .waitFor();
    await page.context().clearCookies();
    await check(Buffer.from([HEADER, ...linesOf("signed-out-cost", 1_001)].join("\n")));
    await panel.getByText("Sign in again").waitFor();
    expect(await countCosts("signed-out-cost")).toBe(0);
  });

  it("is sent again while the server is busy", async () => {
    const page = await signedIn("/partner/upload");
    let failures = 0;
    await page.route("**/partner/upload", async (route) => {
      if (route.request().method() === "GET" || failures++ > 0) return route.continue();
      return route.fulfill({ status: 503, headers: { "retry-after": "1" }, body: "{}" });
    });
    await page.getByLabel("CSV file").setInputFiles(toFile(linesOf("busy-server-cost", 1_001)));
    await page.getByRole("button", { name: "Check file" }).click();
    await page.getByText("1,001 would be imported").waitFor();
    expect(failures).toBe(3);
  });
});

it("the sign-in is accessible and fits every window", async () => {
  const page = await open();
  await page.goto("/partner");
  await checkEveryWidth(page, "partner-sign-in");
});

it("on a phone, what counts today and in the last days are at least 12 px apart", async () => {
  const page = await signedIn("/partner", { viewport: { width: 390, height: 844 } });
  const gaps = await page.evaluate<number[]>(
    `[...document.querySelectorAll("[aria-labelledby=accepted] .table tbody tr")].map((row) => {
      const [today, days] = [...row.querySelectorAll("td")].map((cell) => {
        const range = document.createRange();
        range.selectNodeContents(cell);
        return range.getBoundingClientRect();
      });
      return today.bottom > days.top ? days.left - today.right : 0;
    })`,
  );
  expect(gaps.length).toBeGreaterThan(2);
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(12);
});
