import { beforeAll, describe, expect, it, test } from "vitest";
import { TYPES_PER_MILLE } from "../../src/domain/cost-types.ts";
import { TARGETS } from "../../src/domain/engagements/click-target.ts";
import { COST_WINDOW, RETENTION } from "../../src/domain/texts.ts";
import { ERRORS } from "../../src/errors.ts";
import { DOCS } from "../../src/site/docs.ts";
import { type ApiDocument, operationsOf, successesOf } from "../../src/site/reference/document.ts";
import { signedIn } from "../account/support.ts";
import { createAjv } from "../contract.ts";
import { document } from "../contract-check.ts";
import { call, freshDemo, ORIGIN } from "../harness.ts";
import { samplesIn } from "../readme/samples.ts";
import { failingDatabase } from "../support.ts";

beforeAll(freshDemo);

const read = async (path: string) => (await call(path)).text();
const linksOf = (markup: string) => [...markup.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, to = ""]) => to);

/** The pages of the navigation. */
const PAGES = DOCS.map(({ path }) => path);

const operations = operationsOf(document as unknown as ApiDocument);
const AREA_OF: Record<string, string> = { site: "health" };
const OPERATION_PAGES = operations.map(
  ({ tags: [tag = ""], operationId }) => `/docs/api/${AREA_OF[tag] ?? tag}/${operationId}`,
);
interface Visited {
  status: number;
  policy: string | null;
  text: string;
}
const checked = new Map<string, Promise<Visited>>();

/** What a page has, which is requested once. */
function visit(path: string) {
  const known = checked.get(path);
  if (known) return known;
  const visited = call(path).then(async (response) => ({
    status: response.status,
    policy: response.headers.get("content-security-policy"),
    text: await response.text(),
  }));
  checked.set(path, visited);
  return visited;
}

const pageOf = async (id: string) =>
  (await visit(OPERATION_PAGES.find((path) => path.endsWith(`/${id}`)) ?? "")).text;

test("the navigation lists every Markdown page, and an area for every tag of the OpenAPI document", () => {
  const files = Object.keys(
    import.meta.glob("../../src/site/pages/*.md", {
      query: "?raw",
      import: "default",
      eager: true,
    }),
  );
  const names = files.map((file) => file.replace("../../src/site/pages/", "").replace(".md", ""));
  const tags = new Set(operations.map(({ tags: [tag = ""] }) => tag));
  expect(PAGES.toSorted()).toEqual(
    [
      "/docs",
      "/docs/errors",
      ...names.map((name) => `/docs/${name}`),
      ...[...tags].map((tag) => `/docs/api/${AREA_OF[tag] ?? tag}`),
    ].sort(),
  );
});

test("the Markdown pages name the days of a rule in braces, and the SQL of the archive has the cost types per mille", () => {
  const pages = import.meta.glob("../../src/site/pages/*.md", {
    query: "?raw",
    import: "default",
    eager: true,
  });
  const all = Object.values(pages).join("\n");
  for (const days of [COST_WINDOW, RETENTION, "7 days", "14 days"]) expect(all).not.toContain(days);
  const cases = TYPES_PER_MILLE.map((type) => `WHEN '${type}' THEN 0.001`).join(" ");
  expect(all).toContain(`CASE cost_type ${cases} ELSE 1 END`);
});

test.each([...PAGES, ...OPERATION_PAGES, "/docs/search?q=cost"])(
  "%s has the policy of every page, no inline script or style, and only links to what exists on this origin",
  async (page) => {
    const { status, policy, text } = await visit(page);
    expect([status, policy]).toEqual([200, (await visit("/login")).policy]);
    expect(text).not.toMatch(/<style|<script(?! src=)|\sstyle=|\son\w+=/);
    const links = linksOf(text);
    for (const path of PAGES) expect(links).toContain(path);
    for (const link of new Set(links)) {
      const target = new URL(link, ORIGIN + page);
      expect(target.origin, link).toBe(ORIGIN);
      const found = await visit(target.pathname + target.search);
      expect(found.status, link).toBe(link === "/account" ? 303 : 200);
      if (target.hash) expect(found.text, link).toContain(`id="${target.hash.slice(1)}"`);
    }
  },
);

test.each([
  "/docs/api",
  "/docs/api/nowhere",
  "/docs/api/cost/nothing",
  "/docs/api/campaign/submitCost",
  "/docs/nowhere",
])("%s is 404", async (path) => {
  expect((await call(path)).status).toBe(404);
});

describe("the page of an operation", () => {
  it.each(operations.map((operation) => [operation.operationId, operation] as const))(
    "%s has its method, path, parameters, responses and errors",
    async (id, operation) => {
      const page = await pageOf(id);
      expect(page).toContain(
        `<span class="method">${operation.method}</span> <code>${operation.path}</code>`,
      );
      const body = operation.body?.schema?.properties ?? {};
      for (const name of [...operation.parameters.map((parameter) => parameter.name), ...Object.keys(body)]) {
        expect(page).toContain(`<dt><code>${name}</code>`);
      }
      for (const status of Object.keys(operation.responses)) expect(page).toContain(status);
      for (const code of operation.errors) expect(page).toContain(`href="/docs/errors#${code}"`);
      expect(operation.errors).toContain("internal_error");
    },
  );

  it("says which parameters are required", async () => {
    const page = await pageOf("createLink");
    const field = (name: string) => page.match(new RegExp(`<dt><code>${name}</code>[\\s\\S]*?</dt>`))?.[0];
    expect(field("name")).toContain("required");
    expect(field("parent_token")).not.toContain("required");
    expect(field("Idempotency-Key")).not.toContain("required");
    // Each in the query string or in the body.
    const cost = (await pageOf("submitCost")).matchAll(
      /<dt><code>(\w+)<\/code>(?:(?!<\/dt>)[\s\S])*>required</g,
    );
    expect([...cost].map(([, name]) => name)).toEqual(["cost_type", "cost_currency", "cost_id", "tag"]);
  });

  it("has a sample in three languages with the credential of its area", async () => {
    const credentials = {
      createLink: "API_TOKEN",
      submitCost: "COST_TOKEN",
      createPartner: "OPERATOR_TOKEN",
    };
    for (const [id, name] of Object.entries(credentials)) {
      const samples = samplesIn(await pageOf(id)).slice(0, 3);
      expect(samples.map(({ language }) => language)).toEqual(["curl", "TypeScript", "Python"]);
      for (const { code, language } of samples) expect(code, language).toContain(name);
    }
    for (const { code } of samplesIn(await pageOf("openLink"))) expect(code).not.toContain("Authorization");
  });

  it("says which version to use, with a link to the other", async () => {
    for (const list of ["listLinks", "listChildren"]) {
      const [first, second] = [await pageOf(`${list}V1`), await pageOf(`${list}V2`)];
      expect(first).toContain("Use this version.");
      expect(linksOf(first)).toContain(`/docs/api/campaign/${list}V2`);
      expect(second).toContain("is the one for new programs");
      expect(linksOf(second)).toContain(`/docs/api/campaign/${list}V1`);
    }
    expect(await pageOf("createLink")).not.toContain("Use this version.");
  });
});

it("has request and response samples that match their schemas", async () => {
  const ajv = createAjv();
  ajv.addSchema({ ...document, $id: "document" });
  const check = (schema: object, sample: unknown, where: string) => {
    const absolute = JSON.parse(JSON.stringify(schema).replaceAll('"#/components', '"document#/components'));
    expect(ajv.validate(absolute, sample), `${where}: ${JSON.stringify(ajv.errors)}`).toBe(true);
  };
  for (const operation of operations) {
    const { operationId, body } = operation;
    const samples = samplesIn(await pageOf(operationId));
    const json = samples.filter(({ language }) => language === "JSON").map(({ code }) => JSON.parse(code));
    const schemas = successesOf(operation).flatMap(
      ([, { content }]) => Object.values(content ?? {})[0]?.schema ?? [],
    );
    expect(json.length, operationId).toBe(schemas.length);
    for (const [index, schema] of schemas.entries()) check(schema, json[index], operationId);
    const [, sent] = /-d '(\{.*\})'/.exec(samples[0]?.code ?? "") ?? [];
    const isJson = body?.mediaType === "application/json";
    expect(sent !== undefined, operationId).toBe(isJson);
    if (isJson) check(body.schema ?? {}, JSON.parse(sent ?? ""), operationId);
  }
});

it("lists the targets of a click in the order of the code", async () => {
  const table = /aria-label="Targets of a click, in order">(.*?)<\/table>/s.exec(
    await read("/docs/rules"),
  )?.[1];
  const names = [...(table ?? "").matchAll(/<code>(\w+)<\/code>/g)].map(([, name]) => name);
  expect(names).toEqual(TARGETS.map(({ name }) => name));
});

describe("the search", () => {
  const search = async (query: string) => {
    const page = await read(`/docs/search?${new URLSearchParams({ q: query })}`);
    const [, results = ""] = /<ul class="results">([\s\S]*?)<\/ul>/.exec(page) ?? [];
    return { page, results: linksOf(results) };
  };

  it.each([
    ["createLink", "/docs/api/campaign/createLink"],
    ["read spend", "/docs/api/campaign/readSpend"],
    ["bulk", "/docs/api/campaign/createLinks"],
    ["impression", "/docs/api/engagement/openImpression"],
    ["RETRIES", "/docs/partners#retries"],
    ["reset token", "/docs/members#get-or-reset-your-api-token"],
    ["void", "/docs/corrections#void-it"],
    ["cost window", "/docs/rules#cost-window"],
    ["archive", "/docs/archive"],
    ["rate limit", "/docs/limits#rate-limits"],
    ["erase user", "/docs/privacy#erase-a-user"],
    ["coverage", "/docs/corrections#see-what-is-missing-coverage-and-discrepancy"],
    ["audit log", "/docs/operators#read-the-audit-log"],
    ["import csv", "/docs/members#import-and-export-csv-files"],
    ["csv", "/docs/partners#batches-and-csv-files"],
    ["time travel restore", "/docs/operators#restore-the-database"],
  ])("finds the heading for %s first", async (query, path) => {
    expect((await search(query)).results[0]).toBe(path);
  });

  it.each([
    ["cost_id_conflict", "/docs/errors#cost_id_conflict"],
    ["404", "/docs/errors#not_found"],
    ["429", "/docs/errors#rate_limited"],
    ["stopped", "/docs/errors#partner_stopped"],
    ["errors", "/docs/errors"],
  ])("finds the error code for %s first", async (query, path) => {
    expect((await search(query)).results[0]).toBe(path);
  });

  it("finds every code of a status, and its codes before other pages", async () => {
    const { results } = await search("403");
    const codes = Object.entries(ERRORS).filter(([, { status }]) => status === 403);
    const paths = codes.map(([code]) => `/docs/errors#${code}`);
    expect(results.slice(0, paths.length).toSorted()).toEqual(paths.sort());
  });

  it.each([
    ["currency", "/docs/partners#parameters"],
    ["cpm", "/docs/partners#parameters"],
    ["forgot password", "/docs/troubleshooting#a-token-or-sign-in-does-not-work"],
    ["cost per click", "/docs/members#see-what-a-click-costs"],
    ["excel", "/docs/members#import-and-export-csv-files"],
  ])("finds what a table, bold words or most of a text is about: %s", async (query, path) => {
    expect((await search(query)).results[0]).toBe(path);
  });

  it.each([
    ["country", "/docs/privacy#countries-and-platforms"],
    ["saved views", "/docs/members#save-a-view"],
    ["sso", "/docs/single-sign-on"],
    ["2FA", "/docs/operators#require-two-factor-authentication"],
    ["retention", "/docs/rules#what-is-remembered"],
  ])("finds another form of a word, and what people call it: %s", async (query, path) => {
    expect((await search(query)).results[0]).toBe(path);
  });

  it("finds only what has every word", async () => {
    const find = async (query: string) => (await search(query)).results;
    const words = ["lapsed", "replaced"];
    const [lapsed = [], replaced = []] = await Promise.all(words.map(find));
    const both = await find(words.join(" "));
    expect(both).toContain("/docs/rules#duplicates-the-same-id-again");
    expect(both.toSorted()).toEqual(lapsed.filter((path) => replaced.includes(path)).sort());
    expect(both).not.toEqual(lapsed);
    expect(await find("lapsed replaced nothing-has-this")).toEqual([]);
  });

  it("looks for each word once, and for at most eight, three of them with up to two letters", async () => {
    const all = await search("cost");
    expect((await search("cost ".repeat(20))).results).toEqual(all.results);
    expect((await search("COST Cost cost")).results).toEqual(all.results);
    for (const most of ["cost the and for not can that with", "of is in"]) {
      const { results } = await search(most);
      expect(results).not.toEqual([]);
      const missing = most.length > 20 ? "nothing-has-this" : "zq";
      expect((await search(`${most} ${missing}`)).results).toEqual(results);
      expect((await search(`${missing} ${most}`)).results).toEqual([]);
    }
  });

  it("shows at most 20 results, and their number", async () => {
    const { page, results } = await search("cost");
    expect(results.length).toBe(20);
    expect(page).toContain("The best 20 results for “cost”");
    expect((await search("nothing-has-this")).page).toContain("No results for “nothing-has-this”");
    expect((await search("  ")).page).toContain("Enter one or more words.");
  });

  it("shows text without samples as the excerpt", async () => {
    const { page } = await search("create a link");
    expect(page).toContain("A link of level 1 is a network.");
    expect(page).not.toContain("curl");
  });

  it("escapes the query and keeps it in the field", async () => {
    const { page } = await search('"><script>alert(1)</script>');
    expect(page).not.toContain("<script>alert");
    expect((await search("limits")).page).toMatch(/<input[^>]* name="q" value="limits"/);
  });
});

test("the partner guide lists every error code of the cost API", async () => {
  const listed = new Set(
    linksOf(await read("/docs/partners"))
      .filter((link) => link.startsWith("/docs/errors#"))
      .map((link) => link.split("#")[1]),
  );
  const possible = operations.filter(({ tags: [tag] }) => tag === "cost").flatMap(({ errors }) => errors);
  // A partner can do nothing about these.
  const ofInstallation = ["https_required", "not_configured", "not_migrated"];
  expect([...new Set(possible)].sort()).toEqual([...listed, ...ofInstallation].sort());
});

test("a command block has commands without their prompts, and output", async () => {
  const [block = ""] =
    (await read("/docs/partners")).match(/<pre data-language="console">[\s\S]*?<\/pre>/) ?? [];
  expect(block).toMatch(/^<pre data-language="console"><kbd>curl -s [^$]/);
  expect(block).toMatch(/<\/kbd>\n<samp>\{"status":"ok"/);
});

test("the samples of a page have the origin of the request", async () => {
  const page = await read("/docs/partners");
  expect(page).toContain(`BASE_URL=${ORIGIN}\n`);
  expect(page).not.toContain("links.example.com");
  for (const path of PAGES) expect(await read(path), path).not.toContain("localhost:8787");
});

test("no page needs npm start, except the one about running it", async () => {
  for (const path of PAGES) {
    if (path !== "/docs/troubleshooting") expect(await read(path), path).not.toContain("npm start");
  }
});

test("a page has a table of contents with its headings, and tables that can be scrolled by keyboard", async () => {
  const page = await read("/docs/limits");
  expect(page).toContain('<li><a href="#rate-limits">Rate limits</a></li>');
  expect(page).toContain('<h2 id="rate-limits">Rate limits</h2>');
  expect(page).toContain('<div class="table" tabindex="0" role="region" aria-label="Rate limits">');
});

test("the documentation shows who is signed in, and is there without the database", async () => {
  const browser = await signedIn();
  expect((await browser.get("/docs/members")).text).toContain("<span>demo@example.com</span>");
  const { database } = failingDatabase(() => true);
  const page = await browser.get("/docs/members", { env: { DB: database } });
  expect(page.status).toBe(200);
  expect(page.text).toMatch(/<a href="\/login"\s*>Sign in<\/a>/);
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

test("robots may read the documentation, and open no links", async () => {
  const response = await call("/robots.txt");
  expect(response.headers.get("content-type")).toBe("text/plain; charset=utf-8");
  expect(await response.text()).toBe(
    "User-agent: *\nAllow: /$\nAllow: /docs\nAllow: /llms.txt\nDisallow: /\n",
  );
});

test("/favicon.ico is the icon", async () => {
  const response = await call("/favicon.ico");
  expect(response.headers.get("content-type")).toBe("image/svg+xml");
  expect(await response.text()).toBe(await read("/icon.svg"));
});
