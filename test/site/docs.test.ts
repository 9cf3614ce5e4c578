import { beforeAll, expect, test } from "vitest";
import { listCosts } from "../../src/cost/list-costs.ts";
import { readCost } from "../../src/cost/read-cost.ts";
import { readRound } from "../../src/cost/read-round.ts";
import { submitBatch } from "../../src/cost/submit-batch.ts";
import { submitCost } from "../../src/cost/submit-cost.ts";
import { voidCost } from "../../src/cost/void-cost.ts";
import { ERRORS } from "../../src/errors.ts";
import { DOCS } from "../../src/site/docs.ts";
import { call, DEMO, env, freshDemo, IPHONE, ORIGIN } from "../harness.ts";

beforeAll(freshDemo);

const read = async (path: string) => (await call(path)).text();
const linksOf = (markup: string) => [...markup.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, to = ""]) => to);

const PAGES = DOCS.map(({ path }) => path);

test("the navigation lists the reference, the error page and every Markdown page", () => {
  const files = Object.keys(
    import.meta.glob("../../src/site/pages/*.md", {
      query: "?raw",
      import: "default",
      eager: true,
    }),
  );
  const names = files.map((file) => file.replace("../../src/site/pages/", "").replace(".md", ""));
  expect(PAGES.toSorted()).toEqual(["/docs", "/docs/errors", ...names.map((name) => `/docs/${name}`)].sort());
});

test.each(PAGES)("every link of %s leads to a page and an anchor that exist on this origin", async (page) => {
  const links = linksOf(await read(page));
  for (const path of PAGES.filter((path) => path !== "/docs")) expect(links).toContain(path);
  for (const link of links) {
    const target = new URL(link, ORIGIN + page);
    expect(target.origin, link).toBe(ORIGIN);
    const response = await call(target.pathname + target.search);
    expect(response.status, link).toBeLessThan(400);
    if (target.hash) expect(await response.text(), link).toContain(`id="${target.hash.slice(1)}"`);
  }
});

test("the reference may add styles and show data images, and loads everything from this origin", async () => {
  const { headers } = await call("/docs");
  const policy = headers.get("content-security-policy") ?? "";
  const directives = new Map(policy.split("; ").map((directive) => [directive.split(" ")[0], directive]));
  expect(directives.get("default-src")).toBe("default-src 'none'");
  expect(directives.get("script-src")).toBe("script-src 'self'");
  expect(directives.get("connect-src")).toBe("connect-src 'self'");
  expect(directives.get("style-src")).toBe("style-src 'self' 'unsafe-inline'");
  expect(policy).not.toMatch(/https?:|\*|unsafe-eval|blob:/);
  expect(headers.get("x-content-type-options")).toBe("nosniff");
});

test("no other page may add styles", async () => {
  for (const page of PAGES.slice(1)) {
    expect((await call(page)).headers.get("content-security-policy")).not.toContain("unsafe");
  }
});

test("the script of the reference and every chunk that it names are served", async () => {
  const page = await read("/docs");
  const start = await read(linksOf(page).find((link) => link.includes("start.js")) ?? "");
  const [, entry = ""] = /from "([^"]+)"/.exec(start) ?? [];
  const script = await call(entry);
  expect(script.headers.get("content-type")).toBe("text/javascript; charset=utf-8");
  const chunks = new Set(
    [...(await script.text()).matchAll(/\.\/chunks\/[\w.-]+\.js/g)].map(([path]) => path),
  );
  expect(chunks.size).toBeGreaterThan(5);
  for (const chunk of chunks) {
    const response = await call(new URL(chunk, ORIGIN + entry).pathname);
    expect(response.status, chunk).toBe(200);
    expect(response.headers.get("cache-control")).toContain("immutable");
  }
});

test("the reference uses no font, telemetry, proxy or agent of its vendor", async () => {
  const start = await read("/docs/start.js");
  for (const setting of [
    "withDefaultFonts: false",
    "telemetry: false",
    'proxyUrl: ""',
    "agent: { disabled: true }",
  ]) {
    expect(start).toContain(setting);
  }
});

test("a browser that has the script gets 304", async () => {
  const path = "/docs/script/standalone.esm.js";
  const etag = (await call(path)).headers.get("etag") ?? "";
  expect(etag).not.toBe("");
  const again = await call(path, { headers: { "if-none-match": etag } });
  expect([again.status, await again.text()]).toEqual([304, ""]);
});

test.each([
  "/docs/script/standalone.esm.js.map",
  "/docs/script/standalone.js",
  "/docs/script/chunks/nowhere.js",
  "/docs/script/chunks/..%2fstandalone.js",
  "/docs/script/..%2f..%2fpackage.js",
])("does not serve other files of the package: %s", async (path) => {
  const response = await call(path);
  expect([response.status, response.headers.get("content-type")]).toEqual([404, "application/problem+json"]);
});

test("the partner guide lists every error code of the cost API", async () => {
  const listed = new Set(
    linksOf(await read("/docs/partners"))
      .filter((link) => link.startsWith("/docs/errors#"))
      .map((link) => link.split("#")[1]),
  );
  const possible = [submitCost, listCosts, submitBatch, readRound, readCost, voidCost].flatMap(
    ({ errors }) => errors,
  );
  expect(possible.length).toBeGreaterThan(5);
  for (const code of possible) expect(listed).toContain(code);
});

/** The curl commands of the partner guide. */
async function commandsOfGuide() {
  const guide = (await read("/docs/partners"))
    .replaceAll("&amp;", "&")
    .replaceAll("&quot;", '"')
    .replaceAll(/\\\n\s*/g, "");
  return [...guide.matchAll(/<pre>(curl [\s\S]*?)<\/pre>/g)].map(([, command = ""]) => command);
}

test("the commands of the partner guide work with a test credential in an open round", async () => {
  const commands = await commandsOfGuide();
  expect(commands.length).toBe(4);
  const answers: Record<string, unknown>[] = [];
  for (const command of commands) {
    const [, path = ""] = /\$BASE_URL(\/[^\s"]*)/.exec(command) ?? [];
    const data = [...command.matchAll(/-d '([^']+)'/g)].map(([, pair]) => pair);
    const isJson = command.includes("application/json");
    const response = await call(path.replace("$LINK_TOKEN", "demo1nk007"), {
      ...(command.includes("$COST_TOKEN") && { token: DEMO.testCostToken }),
      ...(data.length > 0 && {
        body: data.join("&"),
        headers: { "content-type": isJson ? "application/json" : "application/x-www-form-urlencoded" },
      }),
    });
    expect(response.status, command).toBe(200);
    answers.push(await response.json());
  }
  const [engagement, cost, round, batch] = answers;
  expect(engagement).toMatchObject({ status: "ok", kind: "click", recorded: true });
  expect(cost).toMatchObject({ match: "matched", mismatch: null });
  expect(round).toMatchObject({ partner_id: 3, state: "open" });
  expect(batch).toMatchObject({ results: [{ status: "ok", match: "pending" }] });
});

test("the samples of a page have the origin of the request", async () => {
  const page = await read("/docs/partners");
  expect(page).toContain(`BASE_URL=${ORIGIN}\n`);
  expect(page).not.toContain("links.example.com");
});

test("a page has a table of contents with its headings, and tables that can be scrolled by keyboard", async () => {
  const page = await read("/docs/limits");
  expect(page).toContain('<li><a href="#rate-limits">Rate limits</a></li>');
  expect(page).toContain('<h2 id="rate-limits">Rate limits</h2>');
  expect(page).toContain('<div class="table" tabindex="0" role="region" aria-label="Rate limits">');
});

test("llms.txt lists every page and every error code", async () => {
  const response = await call("/llms.txt");
  expect(response.headers.get("content-type")).toBe("text/plain; charset=utf-8");
  const text = await response.text();
  expect(text).toMatch(/^# linkledger\n\n> /);
  const links = [...text.matchAll(/\]\(([^)]+)\)/g)].map(([, link = ""]) => link);
  for (const path of ["/openapi.json", ...PAGES]) expect(links).toContain(ORIGIN + path);
  for (const link of links) expect((await call(link.slice(ORIGIN.length))).status, link).toBe(200);
  for (const code of Object.keys(ERRORS)) expect(text).toContain(`\`${code}\``);
});

test("an asset file never hides a link token", async () => {
  const response = await call(`/${DEMO.linkToken}`, { headers: { "user-agent": IPHONE } });
  expect(response.status).toBe(302);
  expect((await env.ASSETS.fetch(`${ORIGIN}/standalone.js`)).status).toBe(200);
  expect((await call("/standalone.js")).status).toBe(404);
});
