/** Chooses where a click leads, and recognizes platforms. No I/O, no clock. */

import { listOf } from "../texts.ts";
import { type Platform, UNKNOWN_PLATFORM } from "./audience.ts";
import {
  fillPlaceholders,
  judgePlaceholders,
  MAX_LOCATION,
  type ValueFor,
  withSample,
} from "./placeholders.ts";

/** Where the links of an app lead, with placeholders. A click may name its own target on the listed hosts and schemes. */
export interface Destination {
  defaultUrl: string;
  iosUrl: string | null;
  androidUrl: string | null;
  redirectHosts: string[];
  redirectSchemes: string[];
  /** The own targets of links, by the ID of the link. "" leads to the app's URLs also where a link above has a target. */
  targets?: Record<string, string>;
}

/** The most links of an app with a target of their own: every isolate that serves the app holds all of them. */
export const MAX_TARGETS = 1_000;
export const MAX_TARGET_LENGTH = 1_000;

/**
 * The own target of a link, or of the nearest one above it that has one. `ids` are those of the link and of the links above it,
 * upwards.
 */
export const targetInEffect = ({ targets = {} }: Destination, ids: number[]): string =>
  targets[ids.find((id) => targets[id] !== undefined) ?? ""] ?? "";

/**
 * Where a click leads: the first of these that is there for the platform. A parameter of the URL and the target of a link are
 * skipped if the app does not allow their schemes or hosts. The order is that of the links that people move here (Adjust's), so a
 * deep link comes first, and `fallback` serves only devices without a store.
 */
export const TARGETS = [
  { name: "deep_link", from: "url" },
  { name: "deeplink", from: "url" },
  { name: "redirect_ios", from: "url", platform: "ios" },
  { name: "redirect_android", from: "url", platform: "android" },
  { name: "redirect_macos", from: "url", platform: "macos" },
  { name: "redirect_windows", from: "url", platform: "windows" },
  { name: "redirect", from: "url" },
  { name: "target", from: "link" },
  { name: "ios_url", from: "app", key: "iosUrl", platform: "ios" },
  { name: "android_url", from: "app", key: "androidUrl", platform: "android" },
  { name: "fallback", from: "url" },
  { name: "default_url", from: "app", key: "defaultUrl" },
] as const;

/** The parameters of a URL that name a target. */
export const TARGET_PARAMETERS = TARGETS.flatMap((target) => (target.from === "url" ? target.name : []));

/**
 * Schemes that run code, read local data, show another page as this one, or control the browser or the device. No app can allow
 * them.
 */
const FORBIDDEN_SCHEMES: ReadonlySet<string> = new Set([
  ...["javascript", "data", "vbscript", "file", "filesystem", "blob", "about", "jar", "cid", "mid", "mhtml"],
  ...["view-source", "feed", "pcast", "wyciwyg", "resource", "moz-extension", "devtools", "res", "ie.http"],
  ...["itms-services", "content", "android-app", "search", "shell", "hcp", "smb", "ldap", "telnet", "ssh"],
  ...["ftp", "ws", "wss", "search-ms", "x-web-search", "x-apple.systempreferences"],
  ...["wtai", "prefs", "app-settings", "shortcuts", "workflow", "java", "afp", "nfs", "sftp", "vnc", "rdp"],
  ...["mms", "rtsp", "help"],
]);
const FORBIDDEN_PREFIX = /^(?:ms-|x-javascript|x-msdownload|com-apple-)/;
/** Of browsers: they open any page, such as `googlechromes`, `firefox-focus` and `microsoft-edge-https`. */
const BROWSER =
  /^(?:aloha|arc|brave|chrome|ddglaunch|ddgquicklink|dolphin|duckduckgo|edge|firefox|googlechrome|kiwi|microsoft-edge|opera|orion|samsunginternet|ucbrowser|vivaldi|x-safari|yandexbrowser)(?:s|-.*)?$|^touch-https?$/;

/**
 * Schemes whose targets are checked by their host or their package. Nobody knows every scheme that opens other pages, so an operator
 * confirms that any other one opens only the app itself.
 */
export const CHECKED_SCHEMES: readonly string[] = ["https", "http", "intent"];

export function isForbiddenScheme(scheme: string): boolean {
  return FORBIDDEN_SCHEMES.has(scheme) || FORBIDDEN_PREFIX.test(scheme) || BROWSER.test(scheme);
}

export interface ChosenTarget {
  /** As the parser serializes it, so that the browser follows exactly what was checked. */
  url: string;
  /** The names of those that were skipped: the app does not allow their schemes or hosts, or they are too long. */
  notAllowed: string[];
}

/** What a click says about its target. */
export interface Click {
  /** The parameters of its URL. */
  query: URLSearchParams;
  /** Of its link, see `targetInEffect`. */
  ownTarget?: string;
  platform: Platform;
  /** For placeholders. */
  valueFor: ValueFor;
}

export function chooseTarget(
  destination: Destination,
  { query, ownTarget = "", platform, valueFor }: Click,
): ChosenTarget {
  const notAllowed: string[] = [];
  const { defaultUrl } = destination;
  for (const target of TARGETS) {
    if ("platform" in target && target.platform !== platform) continue;
    if (target.from === "app") {
      const saved = destination[target.key];
      if (saved) return { url: fillPlaceholders(saved, valueFor), notAllowed };
      continue;
    }
    const isOwn = target.from === "link";
    const requested = isOwn ? fillPlaceholders(ownTarget, valueFor) : query.get(target.name);
    const url = requested && (isOwn ? allowedOwn : allowedTarget)(requested, destination);
    if (url && url.length <= MAX_LOCATION) return { url, notAllowed };
    if (requested) notAllowed.push(target.name);
  }
  return { url: fillPlaceholders(defaultUrl, valueFor), notAllowed };
}

/** The first that fits, because Android names Linux too, and an iPhone names Mac OS X. */
const PLATFORM_NAMES: [RegExp, Platform][] = [
  [/\bAndroid\b/, "android"],
  [/\b(?:iPhone|iPad|iPod)\b/, "ios"],
  [/\bWindows\b/, "windows"],
  [/\b(?:Macintosh|Mac OS X|macOS)\b/, "macos"],
  [/\bLinux\b/, "linux"],
];

/** The platform of a browser. Safari on an iPad that asks for pages of a desktop is a Mac. */
export function platformOf(userAgent: string): Platform {
  const platform = PLATFORM_NAMES.find(([name]) => name.test(userAgent))?.[1] ?? UNKNOWN_PLATFORM;
  // An app on an iPad names a Macintosh, but a Mac never says Mobile (device-detector issue 5978).
  return platform === "macos" && userAgent.includes("Mobile/") ? "ios" : platform;
}

/** Other names of the platforms, as devices say them of themselves. */
const OTHER_NAMES: Readonly<Record<string, Platform>> = {
  ...{ "iphone os": "ios", ipados: "ios", iphone: "ios", ipad: "ios" },
  ...{ "mac os x": "macos", "mac os": "macos", "os x": "macos", osx: "macos", mac: "macos" },
  ...{ macintosh: "macos", win: "windows", "windows nt": "windows" },
};

/** The platform that an operating system is, named with or without its version; another text unchanged, in lower case. */
export function toPlatform(name: string): string {
  const [system = ""] = name.toLowerCase().split(/\d/, 1);
  const known = system.trim();
  return Object.hasOwn(OTHER_NAMES, known) ? String(OTHER_NAMES[known]) : known;
}

/** Of links, https is always allowed. */
const allowedOwn = (url: string, destination: Destination) =>
  allowedTarget(url, { ...destination, redirectSchemes: [...destination.redirectSchemes, "https"] });

/** What is wrong with a target that a link of the app would get; undefined if nothing is. */
export function judgeTarget(target: string, destination: Destination): string | undefined {
  if (target === "") return undefined;
  const problem = judgePlaceholders(target);
  if (problem) return problem;
  const sample = withSample(target);
  const url = URL.parse(sample);
  const scheme = url?.protocol.slice(0, -1);
  const schemes = new Set(["https", ...destination.redirectSchemes]);
  if (!url || !scheme) return "must be an absolute URL, for example https://shop.example.com/sale";
  if (!schemes.has(scheme) || isForbiddenScheme(scheme))
    return `must have an allowed scheme, not ${scheme}; the app allows ${listOf([...schemes], "and")}`;
  if (allowedOwn(sample, destination)) return undefined;
  if (scheme === "intent") return "must be an intent with the package of the app and an allowed fallback";
  if (url.username || url.password) return "must not have a user name or a password";
  const hosts = destination.redirectHosts;
  const allowed =
    hosts.length > 0 ? `the app allows ${listOf(hosts.slice(0, 10), "and")}` : "the app allows none yet";
  return `must have an allowed host, not ${url.host}; ${allowed}, and an operator can add others to redirect_hosts`;
}

function allowedTarget(requested: string, destination: Destination): string | undefined {
  const url = URL.parse(requested);
  const scheme = url?.protocol.slice(0, -1) ?? "";
  if (!url || isForbiddenScheme(scheme) || url.username || url.password) return undefined;
  if (!destination.redirectSchemes.includes(scheme)) return undefined;
  if (scheme === "intent") return allowedIntent(url, destination);
  const isWeb = url.protocol === "https:" || url.protocol === "http:";
  return !isWeb || destination.redirectHosts.includes(url.host) ? url.href : undefined;
}

/**
 * Returns an `intent:` URL of Android that opens the app of the Google Play URL and, where that is not installed, nothing but an
 * allowed page. Without a package, or with a fallback of its own, it could open anything. Android reads such a URL differently from
 * a URL parser: from its last `#` to a field that begins with `end`, with the keys decoded. So only what is understood is sent.
 */
function allowedIntent({ href, hash }: URL, destination: Destination): string | undefined {
  const values = readIntent(hash);
  const appPackage = URL.parse(destination.androidUrl ?? "")?.searchParams.get("id") ?? "";
  if (!/^[\w.]+$/.test(appPackage) || values?.get("package") !== appPackage) return undefined;
  const data = allowedData(href.slice("intent:".length, -hash.length), values.get("scheme"), destination);
  const requested = values.get("S.browser_fallback_url");
  const page = requested === undefined ? "" : allowedPage(requested, destination);
  if (data === undefined || page === undefined) return undefined;
  const scheme = values.has("scheme") ? `scheme=${values.get("scheme")};` : "";
  const fallback = page && `S.browser_fallback_url=${encodeURIComponent(page)};`;
  return `intent:${data}#Intent;${scheme}package=${appPackage};${fallback}end`;
}

const INTENT_KEYS = ["scheme", "package", "S.browser_fallback_url"];
/** What Android does anyway for a link that is opened in a browser, so it is left out. */
const IMPLIED =
  /^(?:action=android\.intent\.action\.VIEW|category=android\.intent\.category\.(?:BROWSABLE|DEFAULT)|launchFlags=(?:0x)?[\da-fA-F]+)$/;

/** The fields of an intent, undecoded; undefined if it has others, or one of them twice. */
function readIntent(hash: string): Map<string, string> | undefined {
  const [start, ...fields] = hash.replace(/;end;$/, ";end").split(";");
  if (start !== "#Intent" || fields.pop() !== "end" || hash.lastIndexOf("#") > 0) return undefined;
  const values = new Map<string, string>();
  for (const field of fields) {
    if (IMPLIED.test(field)) continue;
    const key = INTENT_KEYS.find((name) => field.startsWith(`${name}=`));
    if (key === undefined || values.has(key)) return undefined;
    values.set(key, field.slice(key.length + 1));
  }
  return values;
}

/** What follows the scheme of the URL that the app gets. Without a scheme, it must not begin with one. */
function allowedData(data: string, scheme: string | undefined, destination: Destination): string | undefined {
  if (scheme === undefined) return data === "" || data.startsWith("/") ? data : undefined;
  if (!destination.redirectSchemes.includes(scheme)) return undefined;
  return allowedTarget(`${scheme}:${data}`, destination)?.slice(scheme.length + 1);
}

/** A percent-encoded http or https URL. */
function allowedPage(encoded: string, destination: Destination): string | undefined {
  try {
    const text = decodeURIComponent(encoded);
    return /^https?:/i.test(text) ? allowedTarget(text, destination) : undefined;
  } catch {
    return undefined;
  }
}

/** The IDs of a link and of those above it, as they are stored: joined by dots. */
export const toIds = (ids: string): number[] => ids.split(".").map(Number);
