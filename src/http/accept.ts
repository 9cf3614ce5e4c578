/** Content negotiation (RFC 9110 §12.5.1). */
import type { Context } from "../env.ts";

/**
 * Whether the caller prefers the given media type to JSON. A type that Accept does not name does not count, so a wildcard
 * means JSON.
 */
export function prefers(request: Request, type: "text/csv" | "text/html"): boolean {
  const accepted = (request.headers.get("accept") ?? "").toLowerCase().split(",");
  const weigh = (type: string) => {
    const [, ...parameters] = accepted
      .find((range) => range.split(";", 1)[0]?.trim() === type)
      ?.split(";") ?? ["", "q=0"];
    const weight = parameters.find((parameter) => parameter.trim().startsWith("q="))?.trim();
    return weight ? Number(weight.slice(2)) || 0 : 1;
  };
  return weigh(type) > Math.max(weigh("application/json"), weigh("application/problem+json"));
}

/** The APIs. They never return pages, because some HTTP libraries accept HTML by default. */
const INTERFACES = /^\/(public|cost|operator\/v1|mcp)(\/|$)/;
export const isInterface = ({ pathname }: URL) => INTERFACES.test(pathname);

/** Whether an error is shown as a page. Programs get a problem document. */
export function wantsPage({ request, url }: Context): boolean {
  return !isInterface(url) && prefers(request, "text/html");
}

/** Whether the request is from a program, which is not redirected to the sign-in page. */
export function wantsJson(request: Request): boolean {
  return (request.headers.get("accept") ?? "").includes("json");
}
