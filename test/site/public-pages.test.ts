/** What the public sees: the landing page, and the page of a link that leads nowhere. */
import { createExecutionContext } from "cloudflare:test";
import { beforeAll, describe, expect, it } from "vitest";
import { serve } from "../../src/index.ts";
import { signedIn } from "../account/support.ts";
import {
  ask,
  call,
  DAY,
  DEMO,
  env,
  freshDemo,
  NOW,
  ORIGIN,
  type ProblemBody,
  withMethods,
} from "../harness.ts";

beforeAll(freshDemo);

const BROWSER = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" };
const asPerson = { headers: BROWSER };

/** Nothing that only users, partners or developers understand. */
const TERMS = /sign in|docs|api|token|code|request|operator|account|not_found|unavailable|json/i;
const mainOf = (page: string) => /<main[\s\S]*<\/main>/.exec(page)?.[0] ?? "";

describe("a link that does not exist", () => {
  it.each(["/nosuchlink", "/impression/nosuchlink", "/No-Link", "/nosuchlink?s2s=1"])(
    "shows a person a plain page for %s",
    async (path) => {
      const response = await call(path, asPerson);
      const page = await response.text();
      expect(response.status).toBe(404);
      expect(page).toContain("<h1>This link isn't available</h1>");
      expect(mainOf(page)).not.toMatch(TERMS);
      expect(page.match(/href="[^"]*"/g)?.filter((link) => !/\.(css|svg)\?|#main/.test(link))).toEqual([
        'href="/"',
      ]);
      const login = await call("/login");
      expect(response.headers.get("content-security-policy")).toBe(
        login.headers.get("content-security-policy"),
      );
    },
  );

  it.each([{}, { accept: "application/json" }, { accept: "image/avif,image/webp,*/*;q=0.8" }])(
    "returns a problem document to a program with the headers %o",
    async (headers) => {
      const { status, body } = await ask<ProblemBody>("/nosuchlink", { headers });
      expect([status, body.code]).toEqual([404, "not_found"]);
    },
  );

  it("shows a plain page with Retry-After while the database is down", async () => {
    const down = withMethods(env.DB, { batch: () => Promise.reject(new Error("Network connection lost.")) });
    // Not a token that the isolate remembers as unknown.
    const response = await call("/nosuchlink2", { ...asPerson, env: { DB: down } });
    expect([response.status, response.headers.get("retry-after")]).toEqual([503, "5"]);
    const page = await response.text();
    expect(page).toContain("Try again in a minute.");
    expect(mainOf(page)).not.toMatch(TERMS);
  });
});

it("shows the page with navigation for any other unknown path", async () => {
  const page = await (await call("/no/such/page", asPerson)).text();
  expect(page).toContain("This path does not exist. The paths are at <code>/docs</code>.");
  expect(page).toContain('href="/login"');
});

describe("the landing page", () => {
  it("says what the product is, shows it, and leads every role to its guide", async () => {
    const page = await (await call("/", asPerson)).text();
    for (const text of ["Campaign links", "clicks and impressions", "Spend by day", "Example", ">Sign in<"]) {
      expect(page).toContain(text);
    }
    expect(page.match(/<rect class="series-/g)?.length).toBe(62);
    for (const guide of ["members", "partners", "operators"]) expect(page).toContain(`href="/docs/${guide}"`);
  });

  it("leads a person who is signed in to their apps", async () => {
    const { status, headers } = await (await signedIn()).get("/");
    expect([status, headers.get("location")]).toEqual([303, "/apps"]);
  });
});

describe("security.txt", () => {
  const PATH = "/.well-known/security.txt";

  it.each(["mailto:security@example.com", "https://example.com/security?from=links", "tel:+1-201-555-0123"])(
    "names the contact %s, expires, and says where it is",
    async (contact) => {
      const response = await call(PATH, { env: { SECURITY_CONTACT: contact } });
      expect([response.status, response.headers.get("content-type")]).toEqual([
        200,
        "text/plain; charset=utf-8",
      ]);
      const expires = new Date(NOW + 90 * DAY).toISOString();
      expect(await response.text()).toBe(
        `Contact: ${contact}\nExpires: ${expires}\nPreferred-Languages: en\nCanonical: ${ORIGIN}${PATH}\n`,
      );
    },
  );

  it("names no http address on localhost", async () => {
    const bound = { ...env, SECURITY_CONTACT: "tel:+1" };
    const request = new Request(`http://localhost:8787${PATH}`);
    const response = await serve(request, bound, createExecutionContext(), () => NOW);
    expect(await response.text()).toMatch(/^Contact: tel:\+1\nExpires: \S+\nPreferred-Languages: en\n$/);
  });

  it("does not exist without the setting, and neither does anything beside it", async () => {
    expect((await call(PATH)).status).toBe(404);
    expect((await call("/.well-known/other", { env: { SECURITY_CONTACT: "tel:+1" } })).status).toBe(404);
  });
});

it.each([
  ["a list", "/public/v1/partners", { token: DEMO.apiToken }],
  ["a problem document", "/public/v1/partners", { token: "" }],
  ["the OpenAPI document", "/openapi.json", { token: "" }],
  ["a cost", "/cost/demo-spend-00-0", { token: DEMO.costToken }],
])("ends the JSON of %s with one newline", async (_, path, options) => {
  const text = await (await call(path, options)).text();
  expect(text).toMatch(/\}\n$/);
  expect(text).toBe(`${JSON.stringify(JSON.parse(text))}\n`);
});
