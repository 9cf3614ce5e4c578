import { beforeAll, expect, test } from "vitest";
import * as operations from "../../src/cost/operations.ts";
import { ERRORS } from "../../src/errors.ts";
import { call, DEMO, env, freshDemo, IPHONE, ORIGIN } from "../harness.ts";

beforeAll(freshDemo);

const read = async (path: string) => (await call(path)).text();
const linksOf = (markup: string) => [...markup.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, to = ""]) => to);

/** Every page that a reader can come to, from the reference on. */
const PAGES = ["/docs", "/docs/partners", "/docs/errors"];

test.each(PAGES)(
  "every link of %s leads somewhere on this origin, to an anchor that is there",
  async (page) => {
    const links = linksOf(await read(page));
    expect(links.length).toBeGreaterThan(3);
    for (const link of links) {
      const target = new URL(link, ORIGIN + page);
      expect(target.origin, link).toBe(ORIGIN);
      const response = await call(target.pathname + target.search);
      expect(response.status, link).toBeLessThan(400);
      if (target.hash) expect(await response.text(), link).toContain(`id="${target.hash.slice(1)}"`);
    }
  },
);

test("the reference may write styles and draw data images, and loads everything from this origin", async () => {
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

test("no other page may write styles", async () => {
  for (const page of PAGES.slice(1)) {
    expect((await call(page)).headers.get("content-security-policy")).not.toContain("unsafe");
  }
});

test("the script of the reference starts with what it imports, and every chunk that it names is there", async () => {
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

test("asks for nothing of its maker: the script is told to use no font, telemetry, proxy or agent", async () => {
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

test("a browser that has the script is not sent it again", async () => {
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
])("serves no other file of the package: %s", async (path) => {
  const response = await call(path);
  expect([response.status, response.headers.get("content-type")]).toEqual([404, "application/problem+json"]);
});

test("the guide tells of every refusal that sending a cost can meet", async () => {
  const told = new Set(
    linksOf(await read("/docs/partners"))
      .filter((link) => link.startsWith("/docs/errors#"))
      .map((link) => link.split("#")[1]),
  );
  const possible = Object.values(operations).flatMap(({ errors = [] }) => errors);
  expect(possible.length).toBeGreaterThan(5);
  for (const code of possible) expect(told).toContain(code);
});

/** The shell commands of the guide, as requests. */
async function commandsOfGuide() {
  const guide = (await read("/docs/partners"))
    .replaceAll("&amp;", "&")
    .replaceAll("&quot;", '"')
    .replaceAll(/\\\n\s*/g, "");
  return [...guide.matchAll(/<pre>(curl [\s\S]*?)<\/pre>/g)].map(([, command = ""]) => command);
}

test("the commands of the guide do what it says, with a test credential in an open round", async () => {
  const commands = await commandsOfGuide();
  expect(commands.length).toBe(4);
  const answers: Record<string, unknown>[] = [];
  for (const command of commands) {
    const [, path = ""] = /(?:\$BASE_URL|https:\/\/linkledger\.test)(\/[^\s"]*)/.exec(command) ?? [];
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

test("llms.txt names documents that are there, and every problem code", async () => {
  const response = await call("/llms.txt");
  expect(response.headers.get("content-type")).toBe("text/plain; charset=utf-8");
  const text = await response.text();
  expect(text).toMatch(/^# linkledger\n\n> /);
  const links = [...text.matchAll(/\]\(([^)]+)\)/g)].map(([, link = ""]) => link);
  expect(links).toContain(`${ORIGIN}/openapi.json`);
  for (const link of links) expect((await call(link.slice(ORIGIN.length))).status, link).toBe(200);
  for (const code of Object.keys(ERRORS)) expect(text).toContain(`\`${code}\``);
});

test("no link token is taken from the public by a file of the assets", async () => {
  const response = await call(`/${DEMO.linkToken}`, { headers: { "user-agent": IPHONE } });
  expect(response.status).toBe(302);
  expect((await env.ASSETS.fetch(`${ORIGIN}/standalone.js`)).status).toBe(200);
  expect((await call("/standalone.js")).status).toBe(404);
});
