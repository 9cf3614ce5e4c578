/** Requires https, except on this machine: passwords, tokens and sessions must not cross a network in plain text. */
import type { Context } from "../env.ts";
import { AppError } from "../errors.ts";
import { isInterface } from "./accept.ts";

const LOCAL = /^(?:(?:[\w-]+\.)*localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** Whether a host is this machine. */
export const isLocal = ({ hostname }: URL): boolean => LOCAL.test(hostname);

/** Whether the request came over http on this machine. Some browsers reject a Secure cookie there. */
export const isLocalHttp = (url: URL): boolean => url.protocol === "http:" && isLocal(url);

/** Redirects a page to https; undefined if nothing is to do. Throws https_required for an API or a form. */
export function redirectToHttps({ request, url }: Context): Response | undefined {
  if (url.protocol === "https:" || isLocalHttp(url)) return undefined;
  const isPage = request.method === "GET" || request.method === "HEAD";
  if (isInterface(url) || !isPage) throw new AppError("https_required");
  const location = `https://${url.hostname}${url.pathname}${url.search}`;
  return new Response(null, { status: 308, headers: { location, "cache-control": "no-store" } });
}

/** For every response over https: from then on, browsers use https for this host and those below it. */
export const STRICT_TRANSPORT = "max-age=31536000; includeSubDomains";
