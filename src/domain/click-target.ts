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

/** Schemes that could run a script or read local data. No app can allow them. */
export const FORBIDDEN_SCHEMES: ReadonlySet<string> = new Set([
  "javascript",
  "data",
  "vbscript",
  "file",
  "blob",
  "about",
]);

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
  if (!url || FORBIDDEN_SCHEMES.has(scheme) || url.username || url.password) return undefined;
  if (!destination.redirectSchemes.includes(scheme)) return undefined;
  const isWeb = url.protocol === "https:" || url.protocol === "http:";
  return !isWeb || destination.redirectHosts.includes(url.host) ? url.href : undefined;
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
