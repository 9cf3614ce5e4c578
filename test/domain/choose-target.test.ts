import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { chooseTarget, type Destination, isHttpLibrary, isPreview } from "../../src/domain/click-target.ts";
import { ANDROID, IPHONE } from "../harness.ts";

const DEFAULT = "https://example.com/start";
const destination: Destination = {
  defaultUrl: DEFAULT,
  iosUrl: null,
  androidUrl: null,
  redirectHosts: ["example.com", "shop.example.com", "localhost:8080"],
  redirectSchemes: ["https", "demoapp"],
};
const target = (redirect: string, change: Partial<Destination> = {}) =>
  chooseTarget({ ...destination, ...change }, new URLSearchParams({ redirect }), "");

describe("a target in the query", () => {
  it.each([
    ["https://example.com/sale?a=b&c=d#top", "https://example.com/sale?a=b&c=d#top"],
    ["https://shop.example.com", "https://shop.example.com/"],
    ["HTTPS://EXAMPLE.COM/Path", "https://example.com/Path"],
    ["https://example.com:443/", "https://example.com/"],
    ["  https://example.com/blank  ", "https://example.com/blank"],
    ["https://example.com/a\tb\nc", "https://example.com/abc"],
    ["https:example.com", "https://example.com/"],
    ["https:\\\\example.com\\path", "https://example.com/path"],
    ["https://ex%61mple.com/", "https://example.com/"],
    ["https://ｅｘａｍｐｌｅ.com/", "https://example.com/"],
    ["https://localhost:8080/", "https://localhost:8080/"],
    ["https://example.com/ü 1", "https://example.com/%C3%BC%201"],
    ["https://example.com/?to=https://evil.test", "https://example.com/?to=https://evil.test"],
    ["demoapp://item/42?a=b", "demoapp://item/42?a=b"],
    ["DemoApp:item", "demoapp:item"],
  ])("is followed in normalized form: %j", (requested, followed) => {
    expect(target(requested)).toBe(followed);
  });

  it.each([
    "",
    "/relative",
    "example.com",
    "//evil.test",
    "//example.com",
    "https:evil.test",
    "https:/evil.test",
    "https:///evil.test",
    "https:\\\\evil.test",
    "https:/\\evil.test",
    "\\\\evil.test",
    "https://evil.test",
    "https://evil.test\\@example.com",
    "https://evil.test/example.com",
    "https://evil.test#example.com",
    "https://evil.test?example.com",
    "https://example.com@evil.test",
    "https://example.com:pass@evil.test",
    "https://user@example.com/",
    "https://user:pass@example.com/",
    "https://:pass@example.com/",
    "https://example.com:8443/",
    "https://example.com:80/",
    "https://localhost/",
    "https://example.com.evil.test/",
    "https://evil-example.com/",
    "https://evilexample.com/",
    "https://sub.example.com/",
    "https://example.com./",
    "https://exаmple.com/",
    "https://example.com%2eevil.test/",
    "https://example.com%00.evil.test/",
    "https://[::1]/",
    "https://2130706433/",
    "https://ex\tample.com.evil.test/",
    "ht\ntps://evil.test/",
    "\u0000https://evil.test/",
    "http://example.com/",
    "ftp://example.com/",
    "otherapp://item",
    "demoapp",
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    "java\nscript:alert(1)",
    " \u0001javascript:alert(1)",
    "data:text/html,<script>alert(1)</script>",
    "vbscript:msgbox(1)",
    "file:///etc/passwd",
    "blob:https://example.com/1",
    "about:blank",
    "view-source:https://example.com/",
    "{redirect_macro}",
    "%%TARGET%%",
  ])("is ignored: %j", (requested) => {
    expect(target(requested)).toBe(DEFAULT);
  });

  it.each(["javascript", "data", "vbscript", "file", "blob", "about"])(
    "is ignored for a forbidden scheme, even if the app lists it: %s",
    (scheme) => {
      expect(target(`${scheme}:anything`, { redirectSchemes: ["https", scheme] })).toBe(DEFAULT);
    },
  );

  it("never leads to a host or scheme that the app does not list", () => {
    const part = fc.constantFrom(
      ...[
        "https:",
        "http:",
        "demoapp:",
        "javascript:",
        "data:",
        "/",
        "//",
        "\\",
        "@",
        ":",
        "#",
        "?",
        "%2f",
        ".",
      ],
      ...["example.com", "evil.test", "shop.", "\t", "\n", " ", "\u0000", "8443", "[::1]", "。", "ｅ"],
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
        const followed = new URL(target(parts.join("")));
        expect(["https:", "demoapp:"]).toContain(followed.protocol);
        if (followed.protocol === "https:") expect(destination.redirectHosts).toContain(followed.host);
        expect(followed.username + followed.password).toBe("");
        expect(followed.href).toMatch(/^[\x20-\x7e]+$/);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe("several targets", () => {
  const choose = (query: string) => chooseTarget(destination, new URLSearchParams(query), IPHONE);
  const url = (path: number) => `https://example.com/${path}`;
  it.each([
    [`deeplink=${url(1)}&deep_link=${url(2)}&fallback=${url(3)}&redirect=${url(4)}`, url(4)],
    [`deeplink=${url(1)}&deep_link=${url(2)}&fallback=${url(3)}`, url(3)],
    [`deeplink=${url(1)}&deep_link=${url(2)}`, url(2)],
    [`deeplink=${url(1)}`, url(1)],
    [`redirect=https://evil.test/&fallback=${url(3)}`, url(3)],
    [`redirect=https://evil.test/&redirect=${url(4)}`, DEFAULT],
    [`Redirect=${url(4)}`, DEFAULT],
    ["", DEFAULT],
  ])("lead to the first that is allowed, by order of the parameter names: %s", (query, followed) => {
    expect(choose(query)).toBe(followed);
  });
});

describe("without a target", () => {
  const stores = { iosUrl: "https://ios.test/", androidUrl: "https://android.test/" };
  const IPAD = IPHONE.replace("iPhone", "iPad");
  it.each([
    ["an iPhone", IPHONE, stores, stores.iosUrl],
    ["an iPad", IPAD, stores, stores.iosUrl],
    ["Android", ANDROID, stores, stores.androidUrl],
    ["a desktop", "Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/130.0", stores, DEFAULT],
    ["no user agent", "", stores, DEFAULT],
    ["Android with iPhone in its user agent", `${ANDROID} (iPhone)`, stores, stores.androidUrl],
    ["an iPhone, without a store URL", IPHONE, { androidUrl: stores.androidUrl }, DEFAULT],
    ["Android, without a store URL", ANDROID, { iosUrl: stores.iosUrl }, DEFAULT],
  ])("%s goes to its store URL, else to the default URL", (_client, userAgent, change, followed) => {
    expect(chooseTarget({ ...destination, ...change }, new URLSearchParams(), userAgent)).toBe(followed);
  });
});

describe("isPreview and isHttpLibrary", () => {
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

  it.each([
    ["okhttp/4.12.0", true],
    ["Go-http-client/2.0", true],
    ["python-requests/2.32", true],
    ["curl/8.5.0", true],
    ["Dalvik/2.1.0 (Linux; U; Android 15)", true],
    ["CFNetwork/1.0", true],
    ["Googlebot/2.1 curl", false],
    [IPHONE, false],
  ])("%s is an HTTP library: %s", (userAgent, expected) => {
    expect(isHttpLibrary(userAgent)).toBe(expected);
  });
});

describe("an intent: URL of Android", () => {
  const app: Partial<Destination> = {
    androidUrl: "https://play.google.com/store/apps/details?id=com.example.demo",
    redirectSchemes: ["intent", "https"],
  };
  const fallback = (url: string) => `S.browser_fallback_url=${encodeURIComponent(url)};`;
  const intent = (fields: string) => `intent://item/1#Intent;scheme=demoapp;${fields}end`;
  const PACKAGE = "package=com.example.demo;";

  it.each([
    intent(PACKAGE),
    intent(PACKAGE + fallback("https://example.com/get")),
    intent(`${fallback("https://shop.example.com/")}${PACKAGE}S.from=ad;`),
  ])("with the app's package, and a fallback that is allowed, is followed: %s", (requested) => {
    expect(target(requested, app)).toBe(requested);
  });

  it.each([
    "intent://item/1",
    "intent://item/1#Intent;end",
    intent(""),
    intent("package=com.evil.app;"),
    intent(`package=com.evil.app;${PACKAGE}`),
    intent(`${PACKAGE}package=com.evil.app;`),
    intent(PACKAGE + fallback("https://evil.test/")),
    intent(PACKAGE + fallback("http://example.com/")),
    intent(PACKAGE + fallback("javascript:alert(1)")),
    intent(PACKAGE + fallback(intent(PACKAGE))),
    intent(`${PACKAGE}S.browser_fallback_url=%zz;`),
    intent(`${PACKAGE}${fallback("https://example.com/")}${fallback("https://evil.test/")}`),
    intent(`${PACKAGE}SEL;package=com.evil.app;`),
    intent(`SEL;${PACKAGE}`),
    intent(`${PACKAGE}component=com.evil.app/.Main;`),
    `${intent(PACKAGE)};package=com.evil.app`,
    "intent://x#Intent;scheme=http;S.browser_fallback_url=https%3A%2F%2Fevil.test;end",
  ])("with anything else is not followed: %s", (requested) => {
    expect(target(requested, app)).toBe(DEFAULT);
  });

  it("is never followed without a Google Play URL, or without the scheme", () => {
    expect(target(intent(PACKAGE), { ...app, androidUrl: null })).toBe(DEFAULT);
    expect(target(intent(PACKAGE), { ...app, androidUrl: "https://example.com/" })).toBe(DEFAULT);
    expect(target(intent(PACKAGE), { ...app, redirectSchemes: ["https"] })).toBe(DEFAULT);
  });
});

describe("a scheme that runs code, reads local data or controls a device", () => {
  it.each([
    ...[
      "javascript",
      "data",
      "vbscript",
      "file",
      "filesystem",
      "blob",
      "about",
      "view-source",
      "feed",
      "jar",
    ],
    ...["itms-services", "ms-msdt", "ms-settings", "search-ms", "x-javascript", "content", "chrome", "shell"],
  ])("is never followed, even if it is in the list: %s", (scheme) => {
    expect(target(`${scheme}:x`, { redirectSchemes: [scheme] })).toBe(DEFAULT);
    expect(target(`${scheme}://example.com/`, { redirectSchemes: [scheme] })).toBe(DEFAULT);
  });

  it.each(["demoapp", "fb123456", "com.example.demo", "market", "itms-apps", "msteams"])(
    "is not %s",
    (scheme) => {
      expect(target(`${scheme}:x`, { redirectSchemes: [scheme] })).toBe(`${scheme}:x`);
    },
  );
});
