/** Where a click leads: the target in its query, the target of its link, or a fallback, and what is never followed. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  chooseTarget,
  type Destination,
  platformOf,
  TARGET_PARAMETERS,
} from "../../src/domain/engagements/click-target.ts";
import { ANDROID, IPHONE } from "../harness.ts";
import { runs } from "../part.ts";
import { parseIntent } from "./android-intent.ts";

const DEFAULT = "https://example.com/start";
const destination: Destination = {
  defaultUrl: DEFAULT,
  iosUrl: null,
  androidUrl: null,
  redirectHosts: ["example.com", "shop.example.com", "localhost:8080"],
  redirectSchemes: ["https", "demoapp"],
};
const choose = (app: Destination, query: URLSearchParams, userAgent: string) =>
  chooseTarget(app, {
    query,
    platform: platformOf(userAgent),
    valueFor: (name) => query.get(name) ?? undefined,
  });
const target = (redirect: string, change: Partial<Destination> = {}) =>
  choose({ ...destination, ...change }, new URLSearchParams({ redirect }), "").url;

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
      runs(2_000),
    );
  });
});

const IPAD = IPHONE.replace("iPhone", "iPad");
const IPAD_APP =
  "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_4) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148";
const MAC =
  "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Version/18.0 Safari/605.1.15";
const WINDOWS = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/130.0";
const LINUX = "Mozilla/5.0 (X11; Linux x86_64) Firefox/130.0";
const stores = { iosUrl: "https://ios.test/", androidUrl: "https://android.test/" };

describe("the target of a click", () => {
  const url = (path: string) => `https://example.com/${path}`;
  const evil = (path: string) => `https://evil.test/${path}`;
  const follow = (query: Record<string, string>, userAgent: string, change: Partial<Destination> = {}) =>
    choose({ ...destination, ...stores, ...change }, new URLSearchParams(query), userAgent);
  const all = Object.fromEntries(TARGET_PARAMETERS.map((name) => [name, url(name)]));

  /** What each device follows when the parameters up to it are taken out, one after the other. */
  it.each([
    ["an iPhone", IPHONE, "deep_link deeplink redirect_ios redirect", stores.iosUrl],
    ["an iPad", IPAD, "deep_link deeplink redirect_ios redirect", stores.iosUrl],
    ["an app on an iPad", IPAD_APP, "deep_link deeplink redirect_ios redirect", stores.iosUrl],
    ["Android", ANDROID, "deep_link deeplink redirect_android redirect", stores.androidUrl],
    ["a Mac", MAC, "deep_link deeplink redirect_macos redirect fallback", DEFAULT],
    ["Windows", WINDOWS, "deep_link deeplink redirect_windows redirect fallback", DEFAULT],
    ["Linux", LINUX, "deep_link deeplink redirect fallback", DEFAULT],
    ["no user agent", "", "deep_link deeplink redirect fallback", DEFAULT],
    [
      "Android with iPhone in its user agent",
      `${ANDROID} (iPhone)`,
      "deep_link deeplink redirect_android redirect",
      stores.androidUrl,
    ],
  ])(
    "of %s is the first of its parameters, else its store, else the default URL",
    (_device, userAgent, names, last) => {
      const rest = { ...all };
      for (const name of names.split(" ")) {
        expect(follow(rest, userAgent)).toEqual({ url: url(name), notAllowed: [] });
        expect(follow({ ...rest, [name]: "" }, userAgent).url).not.toBe(url(name));
        delete rest[name];
      }
      expect(follow(rest, userAgent)).toEqual({ url: last, notAllowed: [] });
      expect(follow({}, userAgent).url).toBe(last);
    },
  );

  it.each([
    ["an iPhone", IPHONE, { iosUrl: null }],
    ["Android", ANDROID, { androidUrl: null }],
  ])("of %s without a store URL is the fallback, else the default URL", (_device, userAgent, change) => {
    expect(follow({ fallback: url("f") }, userAgent, change).url).toBe(url("f"));
    expect(follow({}, userAgent, change).url).toBe(DEFAULT);
  });

  it.each([
    [
      "skips what is not allowed",
      { deep_link: evil("1"), redirect: evil("2"), redirect_ios: url("3") },
      IPHONE,
      url("3"),
      ["deep_link"],
    ],
    [
      "names all that it skipped",
      { deep_link: evil("1"), deeplink: "x:y", redirect: evil("2"), redirect_ios: evil("3") },
      IPHONE,
      stores.iosUrl,
      ["deep_link", "deeplink", "redirect_ios", "redirect"],
    ],
    [
      "looks at no parameter of another platform",
      { redirect_android: evil("1"), redirect_macos: evil("2") },
      IPHONE,
      stores.iosUrl,
      [],
    ],
    [
      "looks at nothing after the one that it follows",
      { redirect: url("1"), fallback: evil("2") },
      MAC,
      url("1"),
      [],
    ],
    [
      "does not look at the fallback of a device with a store",
      { fallback: evil("1") },
      ANDROID,
      stores.androidUrl,
      [],
    ],
    ["skips a fallback that is not allowed", { fallback: evil("1") }, MAC, DEFAULT, ["fallback"]],
    [
      "knows its parameters in lower case only",
      { Redirect: url("1"), DEEP_LINK: url("2") },
      MAC,
      DEFAULT,
      [],
    ],
  ])("%s", (_rule, query, userAgent, followed, notAllowed) => {
    expect(follow(query, userAgent)).toEqual({ url: followed, notAllowed });
  });

  it("passes parameters on in the URLs of the app, and not in those of the click", () => {
    const url = "https://app.test/?c={campaign}";
    const passing = { defaultUrl: url, iosUrl: `${url}#ios`, androidUrl: `${url}#android` };
    const query = { campaign: "a&b", redirect: "https://evil.test/" };
    expect(follow(query, MAC, passing).url).toBe("https://app.test/?c=a%26b");
    expect(follow(query, IPHONE, passing).url).toBe("https://app.test/?c=a%26b#ios");
    expect(follow(query, ANDROID, passing).url).toBe("https://app.test/?c=a%26b#android");
    const own = "https://example.com/?c={campaign}";
    expect(follow({ ...query, redirect: own }, MAC, passing).url).toBe(own);
  });

  it.each([
    ["deep_link", "demoapp://"],
    ["redirect_ios", "https://example.com/"],
    ["redirect", "https://example.com/"],
  ])("of a %s is sent up to 8,192 characters, and skipped and counted above", (name, start) => {
    const at = (length: number, text = "x") =>
      choose(
        destination,
        new URLSearchParams({ [name]: start + text.repeat(length - start.length) }),
        IPHONE,
      );
    expect(at(8_192)).toMatchObject({ notAllowed: [] });
    expect(at(8_192).url).toHaveLength(8_192);
    expect(at(8_193)).toEqual({ url: DEFAULT, notAllowed: [name] });
    // Three times as long, percent-encoded.
    expect(at(3_000, "é")).toEqual({ url: DEFAULT, notAllowed: [name] });
  });

  it("of a fallback that is too long is skipped too", () => {
    const query = new URLSearchParams({ fallback: `https://example.com/${"x".repeat(8_192)}` });
    expect(choose(destination, query, "")).toEqual({ url: DEFAULT, notAllowed: ["fallback"] });
  });

  it("is the first of a parameter that is there twice", () => {
    const query = new URLSearchParams(`redirect=${evil("1")}&redirect=${url("2")}`);
    expect(choose(destination, query, MAC)).toEqual({ url: DEFAULT, notAllowed: ["redirect"] });
  });
});

describe("an intent: URL of Android", () => {
  const app: Partial<Destination> = {
    androidUrl: "https://play.google.com/store/apps/details?id=com.example.demo",
    redirectSchemes: ["intent", "https", "demoapp"],
  };
  const fallback = (url: string) => `S.browser_fallback_url=${encodeURIComponent(url)};`;
  const intent = (fields: string, data = "//item/1") => `intent:${data}#Intent;${fields}end`;
  const PACKAGE = "package=com.example.demo;";
  const SCHEME = "scheme=demoapp;";

  const VIEW = "action=android.intent.action.VIEW;";
  const BROWSABLE = "category=android.intent.category.BROWSABLE;";
  it.each([
    [intent(PACKAGE), intent(PACKAGE)],
    [`${intent(SCHEME + PACKAGE)};`, intent(SCHEME + PACKAGE)],
    [
      `${intent(`${VIEW}${BROWSABLE}category=android.intent.category.DEFAULT;${SCHEME}launchFlags=0x10000000;${PACKAGE}`)};`,
      intent(SCHEME + PACKAGE),
    ],
    [`INTENT://item/1#Intent;${BROWSABLE}${PACKAGE}launchFlags=268435456;end`, intent(PACKAGE)],
    [intent(SCHEME + PACKAGE, "item/1"), intent(SCHEME + PACKAGE, "item/1")],
    [intent(PACKAGE, ""), intent(PACKAGE, "")],
    [intent(PACKAGE + SCHEME), intent(SCHEME + PACKAGE)],
    [
      intent(fallback("https://shop.example.com/") + SCHEME + PACKAGE),
      intent(SCHEME + PACKAGE + fallback("https://shop.example.com/")),
    ],
    [
      intent(`${PACKAGE}S.browser_fallback_url=HTTPS:example.com/a;`),
      intent(PACKAGE + fallback("https://example.com/a")),
    ],
    [
      intent(`${PACKAGE}scheme=https;`, "//example.com/a b"),
      intent(`scheme=https;${PACKAGE}`, "//example.com/a%20b"),
    ],
    [
      intent(`${PACKAGE}scheme=https;`, "\\\\example.com\\end;"),
      intent(`scheme=https;${PACKAGE}`, "//example.com/end;"),
    ],
  ])(
    "with the app's package, and a scheme and a fallback that are allowed, is built again: %s",
    (requested, built) => {
      expect(target(requested, app)).toBe(built);
      expect(target(built, app)).toBe(built);
    },
  );

  it.each([
    "intent://item/1",
    "intent://item/1#Intent;end",
    intent(""),
    intent(SCHEME),
    intent("package=com.evil.app;"),
    intent(`package=com.evil.app;${PACKAGE}`),
    intent(`${PACKAGE}package=com.evil.app;`),
    intent(PACKAGE + PACKAGE),
    intent(`${PACKAGE}scheme=otherapp;`),
    intent(`${PACKAGE}scheme=DemoApp;`),
    intent(`${PACKAGE}scheme=intent;`),
    intent(`${PACKAGE}scheme=;`),
    intent(`${PACKAGE}scheme=https;`, "//evil.test/phish"),
    intent(`${PACKAGE}scheme=https;`, "//example.com\\@evil.test/"),
    intent(`${PACKAGE}scheme=https;`, "//user@example.com/"),
    intent(PACKAGE, "https://evil.test/"),
    intent(PACKAGE, "javascript:alert(1)"),
    intent(PACKAGE + fallback("https://evil.test/")),
    intent(PACKAGE + fallback("http://example.com/")),
    intent(PACKAGE + fallback("javascript:alert(1)")),
    intent(PACKAGE + fallback("demoapp://item")),
    intent(PACKAGE + fallback(intent(PACKAGE))),
    intent(`${PACKAGE}S.browser_fallback_url=;`),
    intent(`${PACKAGE}S.browser_fallback_url=%zz;`),
    intent(`${PACKAGE}${fallback("https://example.com/")}${fallback("https://evil.test/")}`),
    intent(`${PACKAGE}S.from=ad;`),
    intent(`${PACKAGE}action=android.intent.action.CALL;`),
    intent(`${PACKAGE}category=android.intent.category.HOME;`),
    intent(`${PACKAGE}launchFlags=0x8000;SEL;`),
    intent(`${PACKAGE}launchFlags=;`),
    intent(`${PACKAGE}launchFlags=0x8000&x=1;`),
    intent(`${PACKAGE}category=android.intent.category.DEFAULT.evil;`),
    intent(`${PACKAGE}action=android.intent.action.VIEW_DOWNLOADS;`),
    intent(`${PACKAGE}type=text/plain;`),
    intent(`${PACKAGE}identifier=1;`),
    intent(`${PACKAGE}sourceBounds=0%200%201%201;`),
    intent(`${PACKAGE}i.count=1;`),
    intent(`${PACKAGE}SEL;package=com.evil.app;`),
    intent(`SEL;${PACKAGE}`),
    intent(`${PACKAGE}component=com.evil.app/.Main;`),
    intent(`${PACKAGE};`),
    intent("package;"),
    `${intent(PACKAGE)};package=com.evil.app`,
    `${intent(PACKAGE)};;`,
    `${intent(PACKAGE)};end;`,
    "intent://x#Intent;scheme=http;S.browser_fallback_url=https%3A%2F%2Fevil.test;end",
    // What Android reads differently: a decoded key, a field that begins with end, and the last #.
    intent(`${PACKAGE}S.browser%5Ffallback%5Furl=https%3A%2F%2Fevil.test%2Fphish;`, "//x"),
    intent(`scheme=https;endless=1;${PACKAGE}`, "//evil.test/phish"),
    intent(`${PACKAGE}x=y#Intent;scheme=https;`, "//evil.test/phish"),
  ])("with anything else is not followed: %s", (requested) => {
    expect(target(requested, app)).toBe(DEFAULT);
  });

  it("is never followed without a Google Play URL, with a package that is no name, or without the scheme", () => {
    expect(target(intent(PACKAGE), { ...app, androidUrl: null })).toBe(DEFAULT);
    expect(target(intent(PACKAGE), { ...app, androidUrl: "https://example.com/" })).toBe(DEFAULT);
    expect(target(intent("package=;"), { ...app, androidUrl: "https://example.com/?id=" })).toBe(DEFAULT);
    expect(target(intent("package=a%3Bb;"), { ...app, androidUrl: "https://example.com/?id=a%253Bb" })).toBe(
      DEFAULT,
    );
    expect(target(intent(PACKAGE), { ...app, redirectSchemes: ["https"] })).toBe(DEFAULT);
  });

  it("that Android reads differently would open any page", () => {
    const anyFallback = parseIntent(
      intent(`${PACKAGE}S.browser%5Ffallback%5Furl=https%3A%2F%2Fevil.test%2Fphish;`, "//x"),
    );
    expect(anyFallback.extras).toEqual({ browser_fallback_url: "https://evil.test/phish" });
    const opened = { data: "https://evil.test/phish", package: null, extras: {}, others: [] };
    expect(parseIntent(intent(`scheme=https;endless=1;${PACKAGE}`, "//evil.test/phish"))).toEqual(opened);
    const twice = intent(`${PACKAGE}x=y#Intent;scheme=https;`, "//evil.test/phish");
    expect(parseIntent(twice)).toEqual({
      ...opened,
      data: `https://evil.test/phish#Intent;${PACKAGE}x=y`,
    });
  });

  it("opens the app in Android, with an allowed page at most", () => {
    const part = fc.constantFrom(
      ...[
        "intent:",
        "//item/1",
        "//example.com/",
        "//evil.test/",
        "#Intent;",
        "#",
        ";",
        "=",
        "%23",
        "%3B",
        "\\",
      ],
      ...[PACKAGE, SCHEME, "scheme=https;", fallback("https://example.com/"), fallback("https://evil.test/")],
      ...[
        "S.browser%5Ffallback_url=https%3A%2F%2Fevil.test;",
        "S.",
        "SEL;",
        "end",
        "endless=1;",
        "package=com.evil.app;",
      ],
    );
    // Half of them are whole intents with something more in one place.
    const whole = fc
      .tuple(
        fc.constantFrom("//item/1", "//example.com/"),
        fc.shuffledSubarray([PACKAGE, SCHEME, fallback("https://example.com/")]),
        fc.array(part, { maxLength: 2 }),
        fc.nat(),
      )
      .map(([data, fields, more, place]) => {
        const parts = ["intent:", data, "#Intent;", ...fields, "end"];
        return parts.toSpliced(place % (parts.length + 1), 0, ...more).join("");
      });
    fc.assert(
      fc.property(
        fc.oneof(
          whole,
          fc.array(part, { maxLength: 8 }).map((parts) => parts.join("")),
        ),
        (requested) => {
          const sent = target(requested, app);
          if (!sent.startsWith("intent:")) return;
          const { data, extras, ...read } = parseIntent(sent);
          expect(read).toEqual({ package: "com.example.demo", others: [] });
          expect(data).toMatch(/^(?:$|\/|demoapp:|https:\/\/example\.com\/)/);
          const { browser_fallback_url: page, ...others } = extras;
          expect(others).toEqual({});
          if (page !== undefined) expect(new URL(page).host).toBe("example.com");
        },
      ),
      runs(20_000, 2_000),
    );
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
    ...["firefox", "firefox-focus", "googlechrome", "googlechromes", "googlechrome-x-callback", "opera-http"],
    ...[
      "microsoft-edge",
      "microsoft-edge-https",
      "opera-https",
      "touch-http",
      "touch-https",
      "brave",
      "x-web-search",
    ],
  ])("is never followed, even if it is in the list: %s", (scheme) => {
    expect(target(`${scheme}:x`, { redirectSchemes: [scheme] })).toBe(DEFAULT);
    expect(target(`${scheme}://example.com/`, { redirectSchemes: [scheme] })).toBe(DEFAULT);
  });

  it.each([
    "demoapp",
    "fb123456",
    "com.example.demo",
    "market",
    "itms-apps",
    "msteams",
    "operations",
    "edges2",
  ])("is not %s", (scheme) => {
    expect(target(`${scheme}:x`, { redirectSchemes: [scheme] })).toBe(`${scheme}:x`);
  });
});
