/** Which of the media types that an answer comes in a caller would rather have (RFC 9110 §12.5.1). */

/** Whether that is the given one, and not JSON. One that is not named is not wanted. */
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
