/** Previews are recognized by their headers. User agents are in test/field. */
import { describe, expect, it } from "vitest";
import { isPerson, isPreview } from "../../src/engagement/agents.ts";

describe("isPreview", () => {
  it.each([
    [{ "sec-purpose": "prefetch;prerender" }, true],
    [{ purpose: "prefetch" }, true],
    [{ "x-purpose": "preview" }, true],
    [{ "x-moz": "prefetch" }, true],
    [{ purpose: "Prefetch" }, true],
    [{ "sec-fetch-dest": "document" }, false],
    [{}, false],
  ])("%j is a preview: %s", (headers, expected) => {
    expect(isPreview(new Headers(headers as Record<string, string>))).toBe(expected);
  });
});

describe("isPerson", () => {
  it("finds the name of a library anywhere, whatever its case and version, and no bot that names one", () => {
    for (const agent of ["CURL/8", "Shop/2 (okhttp 4.12.0)", "okhttp", "x libcurl/7.84.0-DEV y"])
      expect(isPerson(agent), agent).toBe(true);
    for (const agent of ["Googlebot/2.1 curl", "curl/8.5 (SeoCrawler)", "my-curl-bot", "javax/1"])
      expect(isPerson(agent), agent).toBe(false);
  });

  it("counts a request without an agent", () => {
    expect(isPerson("")).toBe(true);
  });
});
