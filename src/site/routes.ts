/** The routes of health, documentation, `/openapi.json`, `/llms.txt`, `/robots.txt`, `/.well-known/security.txt` and `/favicon.ico`. */
import { DAY_MS, toIso } from "../domain/time.ts";
import type { Context } from "../env.ts";
import { AppError } from "../errors.ts";
import { jsonResponse } from "../http/envelope.ts";
import { routesOf } from "../http/operation.ts";
import type { Route } from "../http/router.ts";
import icon from "../pages/assets/icon.svg";
import { passwordScript } from "../pages/forms/fields.ts";
import { pageRoutes } from "../pages/frame.ts";
import { searchScript } from "../pages/lists/search.ts";
import { uploadScript } from "../pages/uploads/pages.ts";
import { docsPage, docsRoutes } from "./docs.ts";
import { errorsBody } from "./errors.ts";
import { readLiveness } from "./liveness.ts";
import { readLlms } from "./llms.ts";
import { overviewBody } from "./overview.ts";
import { toPublished } from "./published.ts";
import { readReadiness } from "./readiness.ts";
import { type FullArea, operationPath, type Reference, toReference } from "./reference/areas.ts";
import type { ApiDocument } from "./reference/document.ts";
import { areaBody, operationBody } from "./reference/pages.ts";
import { search, searchBody } from "./search.ts";

/** `describe` returns the OpenAPI document without the server's address. */
export function siteRoutes(describe: () => Promise<object>): Route[] {
  let built: Reference | undefined;
  // Built by the first request that needs it, because that takes longer than any other response.
  const reference = async () => {
    built ??= toReference((await describe()) as ApiDocument);
    return built;
  };
  const get = (path: string, handler: (context: Context) => Response | Promise<Response>) => ({
    path,
    methods: { GET: handler },
  });
  const withReference = (
    path: string,
    handler: (context: Context, reference: Reference) => Response | Promise<Response>,
  ) => get(path, async (context) => handler(context, await reference()));
  return [
    ...routesOf([readLiveness, readReadiness]),
    withReference("/docs", (context, reference) =>
      docsPage(context, { path: "/docs", title: "Documentation", body: overviewBody(context, reference) }),
    ),
    withReference("/docs/errors", (context, reference) =>
      docsPage(context, { path: "/docs/errors", title: "Errors", body: errorsBody(reference) }),
    ),
    withReference("/docs/search", readSearch),
    withReference("/docs/api/:area", readArea),
    withReference("/docs/api/:area/:operation", readOperation),
    ...pageRoutes,
    uploadScript.route,
    passwordScript.route,
    searchScript.route,
    ...docsRoutes,
    withReference("/openapi.json", (context, reference) => jsonResponse(toPublished(reference, context))),
    get("/llms.txt", readLlms),
    get("/robots.txt", readRobots),
    get("/.well-known/security.txt", readSecurity),
    get("/favicon.ico", readIcon),
  ];
}

function readSearch(context: Context, reference: Reference): Promise<Response> {
  const query = context.url.searchParams.get("q")?.trim() ?? "";
  const body = searchBody(query, search(reference, query));
  return docsPage(context, { path: "/docs/search", title: "Search", body, query });
}

function readArea(context: Context, reference: Reference): Promise<Response> {
  const area = findArea(context, reference);
  const { path, title } = area;
  return docsPage(context, { path, title, body: areaBody(area), below: { pages: pagesBelow(area) } });
}

function readOperation(context: Context, reference: Reference): Promise<Response> {
  const area = findArea(context, reference);
  const operation = area.operations.find(({ operationId }) => operationId === context.params.operation);
  if (!operation) throw pageNotFound();
  return docsPage(context, {
    path: area.path,
    title: operation.summary,
    body: operationBody(reference, area, operation),
    below: { pages: pagesBelow(area), current: operationPath(area, operation) },
  });
}

function findArea({ params }: Context, { areas }: Reference): FullArea {
  const area = areas.find(({ slug }) => slug === params.area);
  if (!area) throw pageNotFound();
  return area;
}

function pagesBelow(area: FullArea) {
  return area.operations.map((operation) => ({
    path: operationPath(area, operation),
    title: operation.summary,
  }));
}

function pageNotFound(): AppError {
  return new AppError("not_found", "This page does not exist. Search at `/docs`.");
}

const textOf = (lines: string[]) =>
  new Response(`${lines.join("\n")}\n`, {
    headers: { "content-type": "text/plain; charset=utf-8", "cache-control": "public, max-age=86400" },
  });

/** Crawlers read the documentation. They do not open links, because that would be noise in the log. */
function readRobots(): Response {
  const rules = ["User-agent: *", "Allow: /$", "Allow: /docs", "Allow: /llms.txt", "Disallow: /"];
  return textOf(rules);
}

/** Where to report a vulnerability (RFC 9116). Who has an older copy must look again after a quarter of a year. */
function readSecurity({ env, now, url }: Context): Response {
  if (env.SECURITY_CONTACT === undefined) throw pageNotFound();
  return textOf([
    `Contact: ${env.SECURITY_CONTACT}`,
    `Expires: ${toIso(now + 90 * DAY_MS)}`,
    "Preferred-Languages: en",
    // The file may name only https addresses, and over http it is read only on localhost.
    ...(url.protocol === "https:" ? [`Canonical: ${url.origin}${url.pathname}`] : []),
  ]);
}

/** Browsers ask for this path for what is no page, such as /openapi.json. They accept any image. */
function readIcon(): Response {
  return new Response(icon, {
    headers: { "content-type": "image/svg+xml", "cache-control": "public, max-age=86400" },
  });
}
