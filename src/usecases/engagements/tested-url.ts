/** The URL of a link that a member tests: one to start with, and what somebody entered. No I/O, no clock. */
import type { Kind } from "../../domain/cost-types.ts";
import { isTemplateMacro } from "../../domain/macros.ts";
import { templatePairs } from "../../domain/templates.ts";
import type { Context } from "../../env.ts";

export const MAX_TESTED = 8_192;

/** A click URL as a network sends it: with a cost ID, and with the other macros empty. */
export function sampleUrl(clickUrl: string, id: string): string {
  const [path = "", ...query] = clickUrl.split("?");
  if (query.length === 0) return clickUrl;
  const pairs = templatePairs(query.join("?")).map(({ name, value }) => {
    if (!isTemplateMacro(value)) return `${name}=${value}`;
    return name === "cost_id" ? `cost_id=test-${id}` : `${name}=`;
  });
  return `${path}?${pairs.join("&")}`;
}

export interface TestedUrl {
  url: URL;
  kind: Kind;
  /** Whether a server opens it, which gets JSON. */
  isServer: boolean;
}

/** Undefined if the text is neither the click URL nor the impression URL of the link. Like a browser, leaves out line ends and tabs. */
export function readTestedUrl(
  text: string,
  linkToken: string,
  { clickUrl, impressionUrl }: Pick<Context, "clickUrl" | "impressionUrl">,
): TestedUrl | undefined {
  const url = URL.parse(text.trim());
  if (!url) return undefined;
  const isServer = url.searchParams.get("s2s") === "1";
  const at = `${url.origin}${url.pathname}`.toLowerCase();
  if (at === `${clickUrl}/${linkToken}`.toLowerCase()) return { url, kind: "click", isServer };
  if (at === `${impressionUrl}/impression/${linkToken}`.toLowerCase())
    return { url, kind: "impression", isServer };
  return undefined;
}
