/** Files that pages load. */
import { sha256 } from "../domain/hash.ts";
import type { Context } from "../env.ts";
import type { Route } from "./router.ts";

/**
 * A file that a page loads: its URL and its route. `path` contains a dot, so no link token equals it. The URL changes with
 * the content, so browsers may cache it forever.
 */
export function servedFile(path: string, type: string, source: string): { href: string; route: Route } {
  const content = type.startsWith("text/") ? compact(source, type) : source;
  const search = `?v=${sha256(content).slice(0, 12)}`;
  // During a deployment, an old version may get a request for new content. Its response must not be cached.
  const readFile = ({ url }: Context) =>
    new Response(content, {
      headers: {
        "content-type": type,
        "cache-control": url.search === search ? "public, max-age=31536000, immutable" : "no-cache",
      },
    });
  return { href: path + search, route: { path, methods: { GET: readFile } } };
}

/** Leaves out comments and indentation, which are a tenth of what a first visit loads. */
function compact(source: string, type: string): string {
  const trim = (text: string) => text.split("\n").map((line) => line.trim());
  // In a script, only a line that is a comment as a whole: a text can contain the marks of one.
  if (!type.startsWith("text/css"))
    return trim(source)
      .filter((line) => line && !line.startsWith("//") && !(line.startsWith("/*") && line.endsWith("*/")))
      .join("\n");
  const [first = "", ...others] = source.split("/*");
  const rules = [first, ...others.map((part) => part.slice(part.indexOf("*/") + 2))].join("");
  return trim(rules)
    .filter((line) => line)
    .map((line) => line.replace(/^([a-z-]+): /, "$1:"))
    .join(" ")
    .replaceAll(/ ?([{};,]) ?/g, "$1")
    .replaceAll(";}", "}");
}
