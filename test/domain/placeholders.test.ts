import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  fillPlaceholders,
  judgePlaceholders,
  withSample,
} from "../../src/domain/engagements/placeholders.ts";
import { runs } from "../part.ts";

const fill = (saved: string, values: Record<string, string>) =>
  fillPlaceholders(saved, (name) => (Object.hasOwn(values, name) ? values[name] : undefined));

const PLAY = "https://play.google.com/store/apps/details?id=com.example.demo";

describe("a placeholder", () => {
  it.each([
    ["https://a.test/?c={campaign}", { campaign: "Spring Sale" }, "https://a.test/?c=Spring%20Sale"],
    ["https://a.test/?c={campaign}", {}, "https://a.test/?c="],
    ["https://a.test/{campaign}/x#{gclid}", { campaign: "a/b", gclid: "1" }, "https://a.test/a%2Fb/x#1"],
    ["https://a.test/?{n}=1&b=2", { n: "b" }, "https://a.test/?b=1&b=2"],
    ["https://a.test/?c={{campaign}}", { campaign: "a b" }, "https://a.test/?c=a%2520b"],
    ["https://a.test/?c={a}{a}{{a}}", { a: "&" }, "https://a.test/?c=%26%26%2526"],
    ["demoapp://item/{id}?a={b}", { id: "1?2", b: "ü" }, "demoapp://item/1%3F2?a=%C3%BC"],
    ["https://a.test/ü {a}", { a: "x" }, "https://a.test/%C3%BC%20x"],
    ["https://a.test/?c={constructor}{__proto__}", {}, "https://a.test/?c="],
    ["https://a.test/?c={a-b.c_1}", { "a-b.c_1": "x" }, "https://a.test/?c=x"],
  ])("of %s with %j is filled: %s", (saved, values, filled) => {
    expect(judgePlaceholders(saved)).toBeUndefined();
    expect(fill(saved, values)).toBe(filled);
  });

  it.each(["https://a.test/", "https://a.test/?c={a b}", "https://a.test/?c={", "demoapp://x"])(
    "is not in %s, which stays unchanged",
    (saved) => {
      expect(fill(saved, { a: "x" })).toBe(saved);
    },
  );
});

describe("a value", () => {
  const HOSTILE = [
    "&x=1",
    "#x",
    "%",
    "%26",
    "=",
    "?",
    "/",
    "\\",
    "//evil.test/",
    "@evil.test",
    ":8443",
    "😀",
    "é",
    " ",
    "+",
    "javascript:alert(1)//%0d%0a",
    "\r\nset-cookie: a=b",
    "\u0000",
    "\u2028",
    "'\"<>",
    "{b}",
    "{{b}}",
    "a;end",
    "…",
  ];
  it.each([...HOSTILE, "x".repeat(512), "😀".repeat(128)])(
    "arrives unchanged, and changes nothing else: %j",
    (value) => {
      const once = new URL(fill("https://a.test/p/{a}/q?u=1&a={a}&b=2#f={a}", { a: value }));
      expect([once.origin, once.pathname.split("/").length]).toEqual(["https://a.test", 4]);
      expect(decodeURIComponent(once.pathname.split("/")[2] ?? "")).toBe(value);
      expect([...once.searchParams]).toEqual([
        ["u", "1"],
        ["a", value],
        ["b", "2"],
      ]);
      expect(decodeURIComponent(once.hash)).toBe(`#f=${value}`);
      const play = new URL(fill(`${PLAY}&referrer=cost_id%3D{{a}}%26utm_source%3Dx`, { a: value }));
      expect([...play.searchParams.keys()]).toEqual(["id", "referrer"]);
      const referrer = new URLSearchParams(play.searchParams.get("referrer") ?? "");
      expect([...referrer]).toEqual([
        ["cost_id", value],
        ["utm_source", "x"],
      ]);
    },
  );

  it.each([
    ["of 513 characters", "x".repeat(513)],
    ["of 5,000 characters", "x".repeat(5_000)],
    ["of 513 emoji", "😀".repeat(513)],
    [".", "."],
    ["..", ".."],
  ])("is missing: %s", (_name, value) => {
    expect(fill("https://a.test/app/{a}/item?b={a}&c={c}", { a: value, c: "1" })).toBe(
      "https://a.test/app//item?b=&c=1",
    );
  });

  it("with half of a character is sent with a replacement character", () => {
    expect(fill("https://a.test/?a={a}", { a: "\ud800" })).toBe("https://a.test/?a=%EF%BF%BD");
  });

  it.each([
    ["https://a.test/app/{a}{b}/item", { a: ".", b: "x" }, "https://a.test/app/x/item"],
    ["https://a.test/app/.{a}/item/{b}", { a: "x", b: "y" }, "https://a.test/app/.x/item/y"],
    ["https://a.test/app/%2e%2{a}/item/{b}", { a: "e", b: "y" }, "https://a.test/app/%2e%2/item/"],
    ["https://a.test/?a={{a}}{{a}}", { a: "😀".repeat(512) }, "https://a.test/?a="],
  ])("of %s that changes the place, or makes it too long, leaves all empty", (saved, values, filled) => {
    expect(fill(saved, values)).toBe(filled);
  });

  it("of any text changes neither scheme nor host nor another parameter, and arrives", () => {
    const part = fc.constantFrom(
      ".",
      "..",
      "/",
      "%2e",
      "%",
      "2e",
      "\\",
      "{a}",
      "{{b}}",
      "x",
      "&",
      "=",
      ";",
      ":",
      "#",
    );
    const path = fc
      .array(
        part.filter((text) => !/[#&]/.test(text)),
        { maxLength: 6 },
      )
      .map((parts) => parts.join(""));
    // As a string of the unit `binary`, which first makes a table of all of Unicode, for seconds: no halves of surrogate pairs.
    const codes: [number, number][] = [
      [0, 0x7f],
      [0x80, 0xd7ff],
      [0xe000, 0x10ffff],
    ];
    const character = fc.oneof(...codes.map(([min, max]) => fc.integer({ min, max })));
    const value = fc.oneof(
      fc.array(character, { maxLength: 20 }).map((all) => String.fromCodePoint(...all)),
      fc.array(part, { maxLength: 4 }).map((parts) => parts.join("")),
    );
    fc.assert(
      fc.property(
        fc.constantFrom("https://a.test:8443/", "demoapp://item/", "demoapp:/"),
        path,
        value,
        value,
        (start, path, a, b) => {
          const saved = `${start}${path}?u=1&a={a}&b={{b}}&v=2#{a}`;
          if (judgePlaceholders(saved) || !URL.canParse(withSample(saved))) return;
          const [sample, url] = [new URL(withSample(saved)), new URL(fill(saved, { a, b }))];
          expect([url.protocol, url.host]).toEqual([sample.protocol, sample.host]);
          expect(url.pathname.split("/").length).toBe(sample.pathname.split("/").length);
          expect(url.href).toMatch(/^[\x20-\x7e]{1,8192}$/);
          expect([...url.searchParams.keys()]).toEqual(["u", "a", "b", "v"]);
          expect(url.searchParams.get("v")).toBe("2");
          const sent = url.searchParams.get("a") ?? "";
          if (sent !== "")
            expect([sent, decodeURIComponent(url.searchParams.get("b") ?? "")]).toEqual([
              a,
              /^\.\.?$/.test(b) ? "" : b,
            ]);
        },
      ),
      runs(20_000, 500),
    );
  });
});

describe("a URL is rejected when it is saved", () => {
  it.each([
    ["https://a.test/?c={a b}", "{a b}"],
    ["https://a.test/?c={", "not {"],
    ["https://a.test/?c=a}", "not }"],
    ["https://a.test/?c={}", "{}"],
    ["https://a.test/?c={{{a}}}", "not {"],
    ["https://a.test/?c={é}", "{é}"],
    [`https://a.test/?c={${"x".repeat(65)}}`, "64 letters"],
    ["https://{host}/", "{host} in its scheme, host or port"],
    ["https://{{host}}/", "{{host}} in its scheme"],
    ["https://a.test{port}/", "{port}"],
    ["https://a.test:{port}/", "{port}"],
    ["https://{user}@a.test/", "{user}"],
    ["https:{host}/", "{host}"],
    ["https:\\\\{host}\\", "{host}"],
    ["{scheme}://a.test/", "{scheme}"],
    ["demo{x}://a.test/", "{x}"],
    ["demoapp://{page}", "{page}"],
    ["demoapp:/{a}/evil.test", "same place"],
    ["demoapp:/{a}/{b}", "same place"],
    ["https://a.test/a/.{a}/b", "same place"],
    ["intent://x#Intent;scheme={s};package=com.a;end", "{s} after the # of an intent"],
  ])("%s", (saved, named) => {
    expect(judgePlaceholders(saved)).toContain(named);
  });

  it.each([
    "https://a.test/{a}",
    "https://a.test?{a}",
    "https://a.test#{a}",
    "demoapp:{a}",
    "intent://x/{a}#Intent;package=com.a;end",
  ])("but not %s", (saved) => {
    expect(judgePlaceholders(saved)).toBeUndefined();
  });
});
