/** Chooses where a click leads, and recognizes previews and HTTP libraries. No I/O, no clock. */

/** Where the links of an app lead. A click may name its own target on the listed hosts and schemes. */
export interface Destination {
  defaultUrl: string;
  iosUrl: string | null;
  androidUrl: string | null;
  redirectHosts: string[];
  redirectSchemes: string[];
}

const TARGET_PARAMETERS = ["redirect", "fallback", "deep_link", "deeplink"];

/**
 * Schemes that run code, read local data, show another page as this one, or control the browser or the device. No app can allow
 * them.
 */
const FORBIDDEN_SCHEMES: ReadonlySet<string> = new Set([
  ...["javascript", "data", "vbscript", "file", "filesystem", "blob", "about", "jar", "cid", "mid", "mhtml"],
  ...["view-source", "feed", "pcast", "wyciwyg", "resource", "chrome", "chrome-extension", "moz-extension"],
  ...["edge", "brave", "opera", "vivaldi", "devtools", "res", "ie.http", "microsoft-edge", "googlechrome"],
  ...["itms-services", "content", "android-app", "search", "shell", "hcp", "smb", "ldap", "telnet", "ssh"],
  ...["ftp", "ws", "wss", "search-ms", "x-apple.systempreferences"],
]);
const FORBIDDEN_PREFIX = /^(?:ms-|x-javascript|x-msdownload|com-apple-)/;

export function isForbiddenScheme(scheme: string): boolean {
  return FORBIDDEN_SCHEMES.has(scheme) || FORBIDDEN_PREFIX.test(scheme);
}

/** Returns the first target in the query that the app allows, else the store URL of the platform, else the default URL. */
export function chooseTarget(destination: Destination, query: URLSearchParams, userAgent: string): string {
  for (const name of TARGET_PARAMETERS) {
    const target = allowedTarget(query.get(name), destination);
    if (target) return target;
  }
  const isAndroid = /\bAndroid\b/.test(userAgent);
  const isIos = !isAndroid && /\b(iPhone|iPad|iPod)\b/.test(userAgent);
  return (isAndroid && destination.androidUrl) || (isIos && destination.iosUrl) || destination.defaultUrl;
}

/** Returns the URL as the parser serializes it, so that the browser follows exactly what was checked. */
function allowedTarget(requested: string | null, destination: Destination): string | undefined {
  const url = requested ? URL.parse(requested) : null;
  const scheme = url?.protocol.slice(0, -1) ?? "";
  if (!url || isForbiddenScheme(scheme) || url.username || url.password) return undefined;
  if (!destination.redirectSchemes.includes(scheme)) return undefined;
  if (scheme === "intent" && !isAllowedIntent(url.hash, destination)) return undefined;
  const isWeb = url.protocol === "https:" || url.protocol === "http:";
  return !isWeb || destination.redirectHosts.includes(url.host) ? url.href : undefined;
}

/**
 * Whether an `intent:` URL of Android opens the app of the Google Play URL and, where that is not installed, nothing but an
 * allowed page. Without a package, or with a fallback of its own, it could open anything.
 */
function isAllowedIntent(hash: string, destination: Destination): boolean {
  const [start, ...fields] = hash.split(";");
  if (start !== "#Intent" || fields.pop() !== "end") return false;
  const values = new Map(
    fields.map((field) => [field.split("=", 1)[0] ?? "", field.replace(/^[^=]*=?/, "")]),
  );
  if (values.size < fields.length || values.has("SEL") || values.has("component")) return false;
  const appPackage = URL.parse(destination.androidUrl ?? "")?.searchParams.get("id");
  const fallback = values.get("S.browser_fallback_url");
  if (!appPackage || values.get("package") !== appPackage) return false;
  return fallback === undefined || isAllowedPage(fallback, destination);
}

/** A percent-encoded http or https URL. */
function isAllowedPage(encoded: string, destination: Destination): boolean {
  let text: string;
  try {
    text = decodeURIComponent(encoded);
  } catch {
    return false;
  }
  return /^https?:/i.test(text) && allowedTarget(text, destination) !== undefined;
}

/** Whether a browser prefetches the page or a messenger renders a preview: neither is a click by a person. */
export function isPreview(headers: Headers): boolean {
  return ["sec-purpose", "purpose", "x-purpose", "x-moz"].some((name) =>
    /prefetch|prerender|preview/i.test(headers.get(name) ?? ""),
  );
}

/** Whether an HTTP library sent the request. `isbot` reports these as bots, but servers and apps use them to open links for people. */
export function isHttpLibrary(userAgent: string): boolean {
  return HTTP_LIBRARY.test(userAgent);
}

const HTTP_LIBRARY =
  /^(curl|wget|node|undici|axios|got|okhttp|python-requests|python-httpx|python-urllib|aiohttp|go-http-client|java|apache-httpclient|dart|ruby|faraday|guzzlehttp|php|dalvik|cfnetwork|postmanruntime)\b/i;
