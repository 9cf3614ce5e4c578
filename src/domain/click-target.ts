/** Where a click leads, what counts as an engagement, and the cost that its URL carries. No I/O, no clock. */

/** Where the links of an app lead. Lists are the hosts and schemes that a click may name itself. */
export interface Destination {
  defaultUrl: string;
  iosUrl: string | null;
  androidUrl: string | null;
  redirectHosts: string[];
  redirectSchemes: string[];
}

const TARGET_PARAMETERS = ["redirect", "fallback", "deep_link", "deeplink"];

/** Schemes that run or read something which is not the app's. */
export const FORBIDDEN_SCHEMES: ReadonlySet<string> = new Set([
  "javascript",
  "data",
  "vbscript",
  "file",
  "blob",
  "about",
]);

/** The first target of the query that the app allows; else its store URL for the platform; else its default URL. */
export function chooseTarget(destination: Destination, query: URLSearchParams, userAgent: string): string {
  for (const name of TARGET_PARAMETERS) {
    const target = allowedTarget(query.get(name), destination);
    if (target) return target;
  }
  const isAndroid = /\bAndroid\b/.test(userAgent);
  const isIos = !isAndroid && /\b(iPhone|iPad|iPod)\b/.test(userAgent);
  return (isAndroid && destination.androidUrl) || (isIos && destination.iosUrl) || destination.defaultUrl;
}

/** Parsed and written out again, so that what was checked is what a browser follows, however it was spelled. */
function allowedTarget(asked: string | null, destination: Destination): string | undefined {
  const url = URL.parse(asked ?? "");
  const scheme = url?.protocol.slice(0, -1) ?? "";
  if (!url || FORBIDDEN_SCHEMES.has(scheme) || url.username || url.password) return undefined;
  if (!destination.redirectSchemes.includes(scheme)) return undefined;
  const isWeb = url.protocol === "https:" || url.protocol === "http:";
  return !isWeb || destination.redirectHosts.includes(url.host) ? url.href : undefined;
}

/** A browser that loads a page ahead, or a messenger that draws a preview, is nobody's click. */
export function isPreview(headers: Headers): boolean {
  return ["sec-purpose", "purpose", "x-purpose", "x-moz"].some((name) =>
    /prefetch|prerender|preview/i.test(headers.get(name) ?? ""),
  );
}

/** An HTTP library names no crawler: servers and apps open links with one. */
export function isHttpLibrary(userAgent: string): boolean {
  return HTTP_LIBRARY.test(userAgent);
}

const HTTP_LIBRARY =
  /^(curl|wget|node|undici|axios|got|okhttp|python-requests|python-httpx|python-urllib|aiohttp|go-http-client|java|apache-httpclient|dart|ruby|faraday|guzzlehttp|php|dalvik|cfnetwork|postmanruntime)\b/i;
