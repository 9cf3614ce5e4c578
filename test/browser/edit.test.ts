/** The tasks of a marketer who changes links: by mouse, with only the keyboard, and without scripts. */
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { BASE_URL, checkEveryWidth, createPartner, db, service, useDemoUsers } from "./browser.ts";

const openPage = useDemoUsers();
const APP = `/apps/${service.APP_TOKEN}`;
const OPERATOR = service.OPERATOR_TOKEN ?? "";

interface Link {
  token: string;
  name: string;
  partner_id: number | null;
  cost_data_enabled: boolean;
  archived: boolean;
  click_url: string;
}

async function api(path: string, method = "GET", json?: object): Promise<Link[]> {
  const response = await fetch(`${BASE_URL}/public/v1${APP}/trackers${path}`, {
    method,
    headers: { authorization: `Bearer ${OPERATOR}`, "content-type": "application/json" },
    ...(json && { body: JSON.stringify(json) }),
  });
  return ((await response.json()) as { data: { items: Link[] } }).data.items;
}
const createLink = async (name: string): Promise<Link> => (await api("", "POST", { name }))[0] as Link;
/** Many links of the app, or below one of its networks, in one statement. */
async function createLinks(names: string[], network?: Link): Promise<void> {
  await db
    .prepare(
      `INSERT INTO links (token, app_token, parent_id, level, label, created_at)
       SELECT lower(hex(randomblob(5))), ?1, (SELECT id FROM links WHERE token = ?2), iif(?2 IS NULL, 1, 2), value, ?3 FROM json_each(?4)`,
    )
    .bind(service.APP_TOKEN, network?.token ?? null, Date.now(), JSON.stringify(names))
    .run();
}
const readLink = async ({ token }: Link): Promise<Link> => (await api(`/${token}`))[0] as Link;
const unique = (name: string) => `${name} ${crypto.randomUUID().slice(0, 8)}`;

const focused = (page: Page) =>
  page.evaluate(
    "(document.activeElement.getAttribute('aria-label') ?? (document.activeElement.labels?.[0] ?? document.activeElement).textContent).trim().replace(/\\s+/g, ' ')",
  );
async function tabTo(page: Page, name: RegExp): Promise<void> {
  for (let step = 0; step < 120; step++) {
    await page.keyboard.press("Tab");
    if (String(await focused(page)).match(name)) return;
  }
  throw new Error(`${name} cannot be reached with Tab`);
}

const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();

/** Every way to work has the same tasks. */
const WAYS: [string, object][] = [
  ["by mouse", {}],
  ["without scripts", { javaScriptEnabled: false }],
];

describe.each(WAYS)("%s", (_, options) => {
  it("renames a link, and is led to what is wrong with a name", async () => {
    const link = await createLink(unique("Rename"));
    const page = await openPage(`${APP}/links/${link.token}`, options);
    await page.getByRole("link", { name: "Settings", exact: true }).click();
    await page.getByRole("textbox", { name: "Name" }).fill("a::b");
    await press(page, "Rename link");
    const summary = page.getByRole("alert");
    await summary.getByText("Not saved.").waitFor();
    await summary.and(page.locator(":focus")).waitFor();
    await summary
      .getByRole("link", { name: "Name must not contain ::, which joins the names of a path." })
      .click();
    await expect
      .poll(() => page.getByRole("textbox", { name: "Name" }).and(page.locator(":focus")).inputValue())
      .toBe("a::b");
    const name = unique("Renamed");
    await page.getByRole("textbox", { name: "Name" }).fill(name);
    await press(page, "Rename link");
    await page.getByRole("status").getByText("Link renamed.").waitFor();
    expect((await readLink(link)).name).toBe(name);
    await page.getByRole("navigation", { name: "Breadcrumb" }).getByRole("link", { name }).click();
    await page.getByText(`renamed the link from “${link.name}” to “${name}”.`).waitFor();
  });

  it("attaches a partner after a look at the new URLs, and switches cost data", async () => {
    const [link, other] = [await createLink(unique("Attach")), await createPartner()];
    const page = await openPage(`${APP}/links/${link.token}/settings`, options);
    await page.getByRole("combobox", { name: "Partner" }).selectOption("1");
    await press(page, "Preview changes");
    await page.getByText("Nothing is saved yet.").waitFor();
    const previewed = await page.locator("#click-url-new + .secret code").textContent();
    expect((await readLink(link)).partner_id).toBe(null);
    await press(page, "Save changes");
    await page.getByRole("status").getByText("Partner and cost data saved.").waitFor();
    expect(await readLink(link)).toMatchObject({ partner_id: 1, click_url: previewed });
    await page.getByRole("combobox", { name: "Cost data" }).selectOption("on");
    await press(page, "Preview changes");
    await press(page, "Save changes");
    await page.getByRole("status").getByText("Partner and cost data saved.").waitFor();
    expect(await readLink(link)).toMatchObject({ cost_data_enabled: true });
    await page
      .getByRole("combobox", { name: "Partner" })
      .selectOption({ label: `${other} (no cost data yet)` });
    await press(page, "Preview changes");
    await page.getByText("This turns cost data off.").waitFor();
  });

  it("archives links that were selected on two pages, and takes it back", async () => {
    const prefix = unique("Bulk");
    await createLinks(Array.from({ length: 52 }, (_, index) => `${prefix} ${index + 10}`));
    const page = await openPage(`${APP}/links?q=${encodeURIComponent(prefix)}`, options);
    const isScripted = !("javaScriptEnabled" in options);
    const select = async (name: string) => {
      await page.getByRole("checkbox", { name: `Select ${prefix} ${name}` }).check();
      if (!isScripted) await update();
    };
    const update = async () => {
      const summary = page.getByText("Change several links:");
      const button = page.getByRole("button", { name: "Update selection" });
      if (!(await button.isVisible())) await summary.click();
      await button.click();
    };
    await select("11");
    await page.getByText("1 selected").waitFor();
    await page.getByRole("link", { name: "Show 50 more" }).click();
    await select("61");
    await page.getByText("2 selected").waitFor();
    await page.getByRole("link", { name: "Back to the first links" }).click();
    await page.getByRole("checkbox", { name: `Select ${prefix} 11`, exact: true }).waitFor();
    await expect
      .poll(() => page.getByRole("checkbox", { name: `Select ${prefix} 11`, exact: true }).isChecked())
      .toBe(true);
    await page.getByLabel("Action").selectOption("archive");
    await press(page, "Review changes");
    await page.getByText("Archive: 2 of 2 selected links will change.").waitFor();
    await press(page, "Change 2 links");
    await page.getByRole("status").getByText("2 links archived.").waitFor();
    const archived = async () =>
      (await api(`?name=${encodeURIComponent(prefix)}&archived=true`)).map(({ name }) => name.slice(-2));
    expect(await archived()).toEqual(["11", "61"]);
    await press(page, "Undo");
    await page.getByRole("status").getByText("2 links restored.").waitFor();
    expect(await archived()).toEqual([]);
  });
});

it("without scripts archives a link and takes it back", async () => {
  const link = await createLink(unique("Archive"));
  const page = await openPage(`${APP}/links/${link.token}/settings`, { javaScriptEnabled: false });
  await press(page, "Archive link");
  await page.getByRole("status").getByText("Link archived.").waitFor();
  expect((await readLink(link)).archived).toBe(true);
  await press(page, "Undo");
  await page.getByRole("status").getByText("Change undone.").waitFor();
  expect((await readLink(link)).archived).toBe(false);
});

describe.each([
  ["with a script", {}],
  ["without a script", { javaScriptEnabled: false }],
])("all links that match, %s", (_, options) => {
  it("are selected, reviewed again after one was added, changed and restored", async () => {
    const prefix = unique("Match");
    await createLinks(["0", "1", "2"].map((at) => `${prefix} ${at}`));
    const page = await openPage(`${APP}/links?q=${encodeURIComponent(prefix)}`, options);
    await page.getByRole("checkbox", { name: `Select ${prefix} 1` }).check();
    const bar = page.getByRole("region", { name: "Selected links" });
    await bar.getByRole("link", { name: "Select all 3 that match" }).click();
    await bar.getByText("All 3 links that match are selected").waitFor();
    await expect
      .poll(() => page.getByRole("checkbox", { name: `Select ${prefix} 0` }).isDisabled())
      .toBe(true);
    await bar.getByLabel("Action").selectOption("archive");
    await press(page, "Review changes");
    await createLink(`${prefix} 3`);
    await press(page, "Change 3 links");
    await page.getByRole("status").getByText("Nothing was changed, because").waitFor();
    await press(page, "Change 4 links");
    await page.getByRole("status").getByText("4 links archived.").waitFor();
    await press(page, "Undo");
    await page.getByRole("status").getByText("4 links restored.").waitFor();
  });
});

it("all links on a page are selected by the box in its head, and a range with Shift", async () => {
  const prefix = unique("Range");
  await createLinks(Array.from({ length: 12 }, (_, index) => `${prefix} ${String(index).padStart(2, "0")}`));
  const page = await openPage(`${APP}/links?q=${encodeURIComponent(prefix)}`);
  const box = (at: string) => page.getByRole("checkbox", { name: `Select ${prefix} ${at}`, exact: true });
  const head = page.getByRole("checkbox", { name: "Select all links on this page" });
  await box("02").click();
  await box("07").click({ modifiers: ["Shift"] });
  await page.getByText("6 selected", { exact: true }).waitFor();
  await expect
    .poll(async () => [await box("01").isChecked(), await box("05").isChecked(), await head.isChecked()])
    .toEqual([false, true, false]);
  await head.check();
  await page.getByText("12 selected", { exact: true }).waitFor();
  await box("03").click();
  await expect.poll(() => head.isChecked()).toBe(false);
  await box("01").click({ modifiers: ["Shift"] });
  await page.getByText("9 selected", { exact: true }).waitFor();
  await page
    .getByRole("link", { name: /Highest|Clicks/ })
    .first()
    .click();
  await head.waitFor();
  await head.check();
  await head.uncheck();
  await page.waitForURL((url) => !url.searchParams.has("selected"));
});

it("task 5: a partner is attached to 40 links in seven clicks, and detached again in one", async () => {
  const prefix = unique("Forty");
  const network = await createLink(prefix);
  await createLinks(
    Array.from({ length: 40 }, (_, index) => `${prefix} ${index}`),
    network,
  );
  const page = await openPage(`${APP}/links`);
  let clicks = 0;
  const click = async (act: Promise<unknown>) => {
    clicks++;
    await act;
  };
  await click(page.getByText("Filters and order").click());
  await click(page.getByRole("combobox", { name: "Level" }).selectOption("2"));
  await page.getByLabel("Name, path or token").fill(prefix);
  await page.keyboard.press("Enter");
  await click(page.getByRole("link", { name: "Select all 40 that match" }).click());
  await click(page.getByLabel("Action").selectOption("attach"));
  await click(page.getByLabel("Partner to attach").selectOption({ index: 1 }));
  await click(press(page, "Review changes"));
  await page.getByText("40 of 40 links that match will change.").waitFor();
  await click(press(page, "Change 40 links"));
  await page.getByRole("status").getByText("40 links attached to").waitFor();
  expect(clicks).toBeLessThanOrEqual(7);
  await press(page, "Undo");
  await page.getByText("40 links restored.").waitFor();
});

describe("with only the keyboard", () => {
  it("renames, archives, previews and saves", async () => {
    const link = await createLink(unique("Keyboard"));
    const page = await openPage(`${APP}/links/${link.token}`);
    await tabTo(page, /^Settings$/);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: /^Settings of/ }).waitFor();
    await tabTo(page, /^Name/);
    await page.keyboard.press("Control+A");
    await page.keyboard.press("Delete");
    await page.keyboard.type("a::b");
    await page.keyboard.press("Enter");
    await page.getByRole("alert").waitFor();
    await tabTo(page, /^Name must not contain/);
    await page.keyboard.press("Enter");
    await page.keyboard.press("Control+A");
    const name = unique("Typed");
    await page.keyboard.type(name);
    await page.keyboard.press("Enter");
    await page.getByRole("status").getByText("Link renamed.").waitFor();
    await tabTo(page, /^Partner$/);
    await page.keyboard.type("Acme");
    await tabTo(page, /^Preview changes$/);
    await page.keyboard.press("Enter");
    await page.getByText("Nothing is saved yet.").waitFor();
    await tabTo(page, /^Save changes$/);
    await page.keyboard.press("Enter");
    await page.getByRole("status").getByText("Partner and cost data saved.").waitFor();
    await tabTo(page, /^Archive link$/);
    await page.keyboard.press("Enter");
    await page.getByRole("status").getByText("Link archived.").waitFor();
    expect(await readLink(link)).toMatchObject({ name, partner_id: 1, archived: true });
    await tabTo(page, /^Undo$/);
    await page.keyboard.press("Enter");
    await page.getByRole("status").getByText("Change undone.").waitFor();
  });

  it("selects links and changes them", async () => {
    const prefix = unique("Keys");
    const link = await createLink(`${prefix} A`);
    await createLink(`${prefix} B`);
    const page = await openPage(`${APP}/links?q=${encodeURIComponent(prefix)}`);
    await tabTo(page, /^Select Keys .* A$/);
    await page.keyboard.press("Space");
    await page.getByText("1 selected").waitFor();
    await page.keyboard.press("Home");
    await page.locator("main").focus();
    await tabTo(page, /^Action$/);
    await page.keyboard.type("Attach");
    await tabTo(page, /^Partner to attach$/);
    await page.keyboard.type("Acme");
    await tabTo(page, /^Review changes$/);
    await page.keyboard.press("Enter");
    await page.getByText("Attach to Acme Ads: 1 of 1 selected link will change.").waitFor();
    await tabTo(page, /^Change 1 link$/);
    await page.keyboard.press("Enter");
    await page.getByRole("status").getByText("1 link attached to Acme Ads.").waitFor();
    expect(await readLink(link)).toMatchObject({ partner_id: 1 });
  });
});

it("Back keeps the selection", async () => {
  const page = await openPage(`${APP}/links`);
  await page.getByRole("link", { name: "Open Acme," }).click();
  await page.getByRole("checkbox", { name: "Select Spring" }).check();
  await page.goBack();
  await page.getByRole("checkbox", { name: "Select Spring" }).waitFor({ state: "detached" });
  await page.getByText("1 selected").waitFor();
});

it("two people who rename the same link: the second one sees it", async () => {
  const link = await createLink(unique("Conflict"));
  const page = await openPage(`${APP}/links/${link.token}/settings`);
  const other = await openPage(`${APP}/links/${link.token}/settings`, {}, "operator");
  await other.getByRole("textbox", { name: "Name" }).fill("Theirs");
  await press(other, "Rename link");
  await other.getByText("Link renamed.").waitFor();
  await page.getByRole("textbox", { name: "Name" }).fill("Mine");
  await press(page, "Rename link");
  await page.getByRole("alert").getByText("Save again to replace it. Name: Theirs → Mine.").waitFor();
  await press(page, "Rename link");
  await page.getByText("Link renamed.").waitFor();
  expect((await readLink(link)).name).toBe("Mine");
});

describe("is accessible and fits", () => {
  it("the settings of a link that was archived, with the focus ring around the notice, and not around the text in it", async () => {
    const { token } = await createLink(unique("Archived"));
    const page = await openPage(`${APP}/links/${token}/settings`);
    await page.getByRole("button", { name: "Archive link" }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("status").getByText("Link archived.").waitFor();
    await page.locator(".notice.ok > p:focus").getByText("Link archived.").waitFor();
    const rings = await page.evaluate<string[]>(
      `[".notice.ok", ".notice.ok > p"].map((name) => getComputedStyle(document.querySelector(name)).outlineStyle)`,
    );
    expect(rings).toEqual(["solid", "none"]);
    await checkEveryWidth(page, "settings-archived");
  });

  it("the result of a change of links", async () => {
    const { token } = await createLink(unique("Archived"));
    const page = await openPage(`${APP}/links/bulk?action=archive&links=${token},nosuchlink`);
    await press(page, "Change 1 link");
    await page.getByRole("status").getByText("1 link archived. 1 link not changed.").waitFor();
    await checkEveryWidth(page, "bulk-result");
  });

  it("a link's page with a history, and a rejected name", async () => {
    const link = await createLink(unique("A long name that needs several lines on a small phone"));
    await api(`/${link.token}`, "PATCH", { partner_id: 1, cost_data_enabled: true, name: `${link.name} 2` });
    const page = await openPage(`${APP}/links/${link.token}`);
    await checkEveryWidth(page, "link-history");
    await page.goto(`${APP}/links/${link.token}/settings`);
    await page.getByRole("textbox", { name: "Name" }).fill("a::b");
    await press(page, "Rename link");
    await page.getByRole("alert").waitFor();
    await checkEveryWidth(page, "settings-rejected");
  });
});
