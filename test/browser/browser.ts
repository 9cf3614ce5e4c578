/** Runs the system's Chromium with a new context per page, and checks accessibility and layout. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect } from "vitest";
import type { startBuiltService } from "../live-service.ts";
import { WAIT } from "../vitest.shared.ts";

/** The service of the file that runs. */
export let db: D1Database;
/** What `npm start` prints as `NAME=value`. */
export let service: Record<string, string> = {};
export let BASE_URL = "";

export function useService(started: Awaited<ReturnType<typeof startBuiltService>>): void {
  ({ db, names: service } = started);
  BASE_URL = service.BASE_URL ?? "";
}

const SCREENSHOTS = join(import.meta.dirname, "screenshots");

/** Creates something as an operator. */
async function create<Item>(path: string, fields: object): Promise<Item | undefined> {
  const response = await fetch(`${BASE_URL}/operator/v1${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${service.OPERATOR_TOKEN}`, "content-type": "application/json" },
    body: JSON.stringify(fields),
  });
  expect(response.status).toBe(201);
  return ((await response.json()) as { data: { items: Item[] } }).data.items[0];
}

/** Creates a partner that no other test uses, without cost data. Returns its name. */
export async function createPartner(): Promise<string> {
  const display_name = `Partner ${crypto.randomUUID().slice(0, 8)}`;
  await create("/partners", { display_name });
  return display_name;
}

/** Signs in a new member of the demo app, who has no other app. Tests give the demo user more of them. */
export async function signInNewMember(page: Page): Promise<void> {
  const email = `${crypto.randomUUID()}@example.com`;
  const user = await create<{ id: number; temporary_password: string }>("/users", { email });
  await create(`/apps/${service.APP_TOKEN}/members`, { user_id: user?.id });
  await replacePassword(page, email, user?.temporary_password ?? "", "plum chair under seven moons");
}

/** Debian's Chromium. The first, which has no windows, takes half of the CPU. */
const INSTALLED = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"];
/** Loads nothing by itself. */
const CHROMIUM = {
  executablePath: process.env.CHROMIUM ?? INSTALLED.find(existsSync) ?? "/usr/bin/chromium",
  args: [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
  ],
};

/** The browser of this worker. It ends with the process. */
let launched: Promise<Browser> | undefined;

/** The last test whose page was printed. A file can call `useBrowser` twice. */
let printed: object | undefined;

/** Returns a function that opens a page in a new context of the browser, which the files of a worker share. */
export function useBrowser(base = () => BASE_URL): (options?: BrowserContextOptions) => Promise<Page> {
  let browser: Browser;
  beforeAll(async () => {
    launched ??= chromium.launch(CHROMIUM);
    browser = await launched;
  });
  // A timeout says what did not appear, but not what did, for instance an error.
  afterEach(async ({ task }) => {
    const page = browser.contexts().at(-1)?.pages()[0];
    if (task.result?.state !== "fail" || !page || printed === task) return;
    printed = task;
    console.log(`${page.url()}\n${(await page.locator("body").innerText()).slice(0, 3_000)}`);
  });
  afterAll(async () => {
    await Promise.all(browser.contexts().map((context) => context.close()));
  });
  return async (options) => {
    const context = await browser.newContext({
      baseURL: base(),
      viewport: { width: 1100, height: 900 },
      ...options,
    });
    const page = await context.newPage();
    page.setDefaultTimeout(WAIT);
    // A page must not load other origins or violate its own security policy.
    page.on("request", (request) => {
      if (!request.url().startsWith(base())) throw new Error(`a request was sent to ${request.url()}`);
    });
    page.on("pageerror", (error) => {
      throw error;
    });
    page.on("console", (message) => {
      if (message.text().includes("Content Security Policy")) throw new Error(message.text());
    });
    return page;
  };
}

type State = Exclude<BrowserContextOptions["storageState"], string | undefined>;

/**
 * Like `useBrowser`, for the pages of a demo user, who signs in once for all tests of a file, because sign-ins are limited.
 */
export function useDemoUsers() {
  const open = useBrowser();
  const states = new Map<string, State>();
  return async (path: string, options: BrowserContextOptions = {}, who = "demo"): Promise<Page> => {
    let state = states.get(who);
    if (!state) {
      const page = await open();
      await signIn(page, `${who}@example.com`, `${who}-password`);
      state = await page.context().storageState();
      states.set(who, state);
    }
    const page = await open({ ...options, storageState: state });
    await page.goto(path);
    return page;
  };
}

export async function signIn(page: Page, email: string, password: string): Promise<void> {
  await page.goto("/login?next=/account");
  await page.getByLabel("Email").fill(email);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForURL((url) => url.pathname === "/account");
}

/** Signs in with a temporary password and replaces it. */
export async function replacePassword(
  page: Page,
  email: string,
  temporary: string,
  password: string,
): Promise<void> {
  await page.goto("/login");
  await page.getByLabel("Email").fill(email);
  await page.getByLabel("Password").fill(temporary);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByText("Choose your own password to continue.").waitFor();
  await page.getByLabel("Temporary password").fill(temporary);
  await page.getByLabel("New password", { exact: true }).fill(password);
  await page.getByLabel("Confirm new password").fill(password);
  await page.getByRole("button", { name: "Change password" }).click();
  await page.waitForURL(({ pathname }) => pathname.startsWith("/apps"));
}

/** Whether `--all` was given. Without it, pages of one kind are checked once, and all in one width. */
export const CHECKS_ALL = Boolean(process.env.ALL_WIDTHS);
const WIDTHS = CHECKS_ALL ? [1280, 390, 320] : [1280];
/** All rules, also the only one of WCAG 2.2 AA, which axe leaves out by default: a target has 24 px, or space around it. */
export const ALL_RULES = `{ rules: { "target-size": { enabled: true } } }`;

/** What colors can break. The elements are the same in all of them, so only `--all` checks the other rules again. */
export const OF_COLORS = CHECKS_ALL ? ALL_RULES : `{ runOnly: ["color-contrast", "link-in-text-block"] }`;

/** Checks that axe finds no violations, in both color schemes. `--all` also takes screenshots. */
export async function checkAccessibility(page: Page, name: string): Promise<void> {
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    if (CHECKS_ALL) {
      await page.screenshot({ path: join(SCREENSHOTS, `${name}-${colorScheme}.png`), fullPage: true });
    }
    const rules = colorScheme === "light" ? ALL_RULES : OF_COLORS;
    expect(await findViolations(page, rules), `${name}, ${colorScheme}`).toEqual([]);
  }
  await page.emulateMedia({ colorScheme: null });
}

/** Checks a page in every width, in both color schemes and in forced colors. */
export async function checkEveryWidth(page: Page, name: string): Promise<void> {
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 });
    await checkFits(page);
    await checkAccessibility(page, `${name}-${width}`);
    await page.emulateMedia({ forcedColors: "active" });
    expect(await findViolations(page, OF_COLORS), `${name}, ${width}, forced colors`).toEqual([]);
    await page.emulateMedia({ forcedColors: null });
  }
}

/** Opens the menu of the person who is signed in. */
export async function openMenu(page: Page): Promise<void> {
  await page.getByRole("navigation", { name: "Account" }).locator("summary").click();
}

const AXE = readFileSync(fileURLToPath(import.meta.resolve("axe-core/axe.min.js")), "utf8");

/**
 * Runs in the page. Takes out rows, items and days that are like two others of the same parent before them: with the same elements,
 * classes, roles and states, and texts and values at the same places. Two stay, because targets need space between them.
 */
const TAKE_OUT = `(() => {
  const EQUAL = /^(class|role|type|style|tabindex|scope|lang|dir|open|hidden|data-mark|aria-(?!label|describedby|controls|owns).*)$/;
  const shapeOf = (node) => {
    if (node.nodeType !== Node.ELEMENT_NODE) return node.data.trim() === "" ? "" : "text";
    const states = [...node.attributes].map(({ name, value }) => name + "=" + (EQUAL.test(name) ? value : value.trim() !== ""));
    return [node.localName, node.checked, ...states, "(", ...[...node.childNodes].map(shapeOf), ")"].join(" ");
  };
  const counts = new Map();
  const isOneOfMany = (one) => {
    const shapes = counts.get(one.parentNode) ?? new Map();
    counts.set(one.parentNode, shapes);
    const shape = shapeOf(one);
    shapes.set(shape, (shapes.get(shape) ?? 0) + 1);
    return shapes.get(shape) > 2 && !one.contains(document.activeElement);
  };
  const top = scrollY;
  const out = [...document.querySelectorAll("tr, li, .plot a")].filter(isOneOfMany).map((one) => [one, new Comment()]);
  for (const [one, mark] of out) one.replaceWith(mark);
  return () => {
    for (const [one, mark] of out) mark.replaceWith(one);
    scrollTo(scrollX, top);
  };
})()`;

/** What axe finds, with the elements. Only `--all` checks more than two rows that are alike. */
export async function findViolations(page: Page, options = ALL_RULES): Promise<unknown[]> {
  // The debugger evaluates it, so the page's policy does not apply.
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(AXE);
  // Selectors of the elements take long to find, and are not read.
  return page.evaluate(`(() => {
    const putBack = ${CHECKS_ALL ? "() => {}" : TAKE_OUT};
    return axe.run({ resultTypes: ["violations"], selectors: false, ...${options} })
      .then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]))
      .finally(putBack);
  })()`);
}

/** Checks that no content overflows the window horizontally. */
export async function checkFits(page: Page): Promise<void> {
  const [content, window] = (await page.evaluate(
    "[document.documentElement.scrollWidth, document.documentElement.clientWidth]",
  )) as [number, number];
  expect(content).toBeLessThanOrEqual(window);
}
