/** Files that pages load. */
import { sha256 } from "../domain/hash.ts";
import type { Context } from "../env.ts";
import type { Route } from "./router.ts";

export interface ServedFile {
  href: string;
  route: Route;
}

/**
 * A file that a page loads: its URL and its route. `path` contains a dot, so no link token equals it. The URL changes with
 * the content, so browsers may cache it forever.
 */
export function servedFile(path: string, type: string, content: string): ServedFile {
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

/** A script that a page loads, from a function that uses only what a browser has. The bundler has made its text short. */
export function servedScript(path: string, run: () => void): ServedFile {
  return servedFile(path, "text/javascript; charset=utf-8", `(${run})();`);
}

/** A stylesheet that a page loads, without comments and indentation, which are a tenth of what a first visit loads. */
export function servedStyles(path: string, source: string): ServedFile {
  const [first = "", ...others] = source.split("/*");
  const rules = [first, ...others.map((part) => part.slice(part.indexOf("*/") + 2))].join("");
  const content = rules
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line)
    .map((line) => line.replace(/^([a-z-]+): /, "$1:"))
    .join(" ")
    .replaceAll(/ ?([{};,]) ?/g, "$1")
    .replaceAll(";}", "}");
  return servedFile(path, "text/css; charset=utf-8", content);
}
