/** Content negotiation (RFC 9110 §12.5.1). */

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
