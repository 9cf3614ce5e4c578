/**
 * `/docs`: the API reference. The script of @scalar/api-reference, which is in the assets, renders /openapi.json in the browser
 * with its own layout and styles, so this page does not use the common frame.
 */
import { html } from "hono/html";
import { withDeadline } from "../deadline.ts";
import type { Context } from "../env.ts";
import { AppError } from "../errors.ts";
import { securityHeaders, servedFile } from "../http/pages.ts";
import type { Route } from "../http/router.ts";
import { DOCS } from "./docs.ts";
import script from "./reference.client.js";

const start = servedFile("/docs/start.js", "text/javascript; charset=utf-8", script);

export const referenceRoutes: Route[] = [
  { path: "/docs", methods: { GET: readReference } },
  start.route,
  { path: "/docs/script/:file+", methods: { GET: readScript } },
];

async function readReference(context: Context): Promise<Response> {
  const markup = await html`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>API reference · linkledger</title>
    <link rel="icon" href="/icon.svg" type="image/svg+xml">
    <script type="module" src="${start.href}"></script>
    <style>
      body { margin: 0; font-family: system-ui, sans-serif; }
      .top { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; padding: .75rem 1.25rem; font-size: .9rem; border-bottom: 1px solid color-mix(in srgb, currentColor 20%, transparent); }
      .top a { color: inherit; text-underline-offset: .18em; }
      .top a:first-child { font-weight: 650; margin-right: auto; text-decoration: none; }
      noscript p { padding: 1.25rem; }
    </style>
  </head>
  <body>
    <nav class="top" aria-label="Documentation">
      <a href="/">linkledger</a>
      ${DOCS.slice(1).map(({ path, title }) => html`<a href="${path}">${title}</a>`)}
      <a href="/openapi.json">OpenAPI document</a>
    </nav>
    <div id="reference"></div>
    <noscript><p>The API reference needs JavaScript. Without it, read the <a href="/openapi.json">OpenAPI document</a>.</p></noscript>
  </body>
</html>`;
  return new Response(String(markup), {
    headers: {
      "content-type": "text/html; charset=utf-8",
      ...securityHeaders(context),
      // The script adds style elements and shows images from data: URLs. The rest is as strict as on every page.
      "content-security-policy":
        "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
    },
  });
}

/** The files of the package that the page may load: its modules, not their source maps. */
const SCRIPT = /^(standalone\.esm|chunks\/[\w-][\w.-]*)\.js$/;

const ASSET_DEADLINE_MS = 5_000;

async function readScript(context: Context): Promise<Response> {
  const { file = "" } = context.params;
  if (!SCRIPT.test(file)) throw pageNotFound();
  const request = context.env.ASSETS.fetch(assetRequest(context, file));
  const found = await withDeadline(request, ASSET_DEADLINE_MS, "the assets");
  if (found.status >= 500) throw new Error(`transient issue: the assets answered ${found.status}`);
  if (found.status >= 400) throw pageNotFound();
  const headers = new Headers(found.headers);
  headers.set("content-type", "text/javascript; charset=utf-8");
  // The name of a chunk changes with its content. The name of the entry does not, so browsers revalidate it by its ETag.
  headers.set(
    "cache-control",
    file.startsWith("chunks/") ? "public, max-age=31536000, immutable" : "public, no-cache",
  );
  return new Response(found.body, { status: found.status, headers });
}

function pageNotFound(): AppError {
  return new AppError("not_found", "This path does not exist.");
}

function assetRequest({ request, url }: Context, file: string): Request {
  const etag = request.headers.get("if-none-match");
  return new Request(new URL(`/${file}`, url), { headers: etag ? { "if-none-match": etag } : {} });
}
