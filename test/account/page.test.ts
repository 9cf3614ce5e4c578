import { beforeAll, describe, expect, it } from "vitest";
import { call, freshDemo } from "../harness.ts";

beforeAll(freshDemo);

const BROWSER = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" };

describe("every page", () => {
  it("loads only files of its own origin and forbids framing, sniffing, and storing", async () => {
    const { headers } = await call("/docs/errors");
    expect(headers.get("content-security-policy")).toBe(
      "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    );
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("strict-transport-security")).toMatch(/^max-age=\d{8}/);
    expect(headers.get("referrer-policy")).toBe("same-origin");
    expect(headers.get("cache-control")).toBe("no-store");
  });

  it("has no inline style, script, or handler, and every file that it references exists", async () => {
    const page = await (await call("/docs/errors")).text();
    expect(page).not.toMatch(/<style|<script(?![^>]*\ssrc=)|\sstyle=|\son\w+=|javascript:/i);
    const files = [...page.matchAll(/<(?:link|script)[^>]+(?:href|src)="([^"]+)"/g)].map(
      ([, path = ""]) => path,
    );
    expect(files.map((path) => path.replace(/\?.*/, ""))).toEqual([
      "/icon.svg",
      "/text.css",
      "/docs.css",
      "/page.js",
      "/docs.js",
    ]);
    for (const path of files) {
      const file = await call(path);
      expect(file.status, path).toBe(200);
      expect(file.headers.get("cache-control")).toContain("immutable");
      // A page of another version may reference this file, so the response must not be cached.
      for (const other of [path.replace(/\?.*/, ""), `${path}0`, path.replace(/v=.*/, "v=000000000000")]) {
        const { status, headers } = await call(other);
        expect([status, headers.get("cache-control")], other).toEqual([200, "no-cache"]);
      }
    }
  });
});

describe("an error response", () => {
  it("is a page for a browser and a problem document for other clients", async () => {
    const page = await call("/no/such/path", { headers: BROWSER });
    expect([page.status, page.headers.get("content-type")]).toEqual([404, "text/html; charset=utf-8"]);
    const problem = await call("/no/such/path", { headers: { accept: "*/*" } });
    expect([problem.status, problem.headers.get("content-type")]).toEqual([404, "application/problem+json"]);
  });

  it.each([
    ["POST", "/cost"],
    ["POST", "/cost/batch"],
    ["GET", "/cost/round"],
    ["GET", "/public/v1/partners"],
    ["GET", "/public/v3/partners"],
    ["GET", "/operator/v1/apps"],
  ])("of an API is a problem document, even if the client accepts HTML: %s %s", async (method, path) => {
    const accept = "text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2";
    const { headers } = await call(path, { method, headers: { accept } });
    expect(headers.get("content-type")).toBe("application/problem+json");
  });

  it("is a problem document for a client that prefers JSON to HTML", async () => {
    const accept = "application/problem+json, application/json, text/html;q=0.1";
    const { headers } = await call("/no/such/path", { headers: { accept } });
    expect(headers.get("content-type")).toBe("application/problem+json");
  });

  it("has the same headers as a page", async () => {
    const { status, headers } = await call("/docs/errors", { method: "POST", headers: BROWSER, body: "" });
    expect([status, headers.get("allow")]).toEqual([405, "GET, HEAD"]);
  });
});
