/**
 * The surfaces of the Worker, and which paths each has. The code of a surface runs when an isolate gets the first request for
 * it, so a click does not wait for the console to be set up.
 */
import { version } from "../package.json";
import { limitRequests } from "./auth/rate-limits.ts";
import { inRequest } from "./db/statement.ts";
import { engagementRoutes } from "./engagement/routes.ts";
import type { Context } from "./env.ts";
import { redirectToHttps } from "./http/https.ts";
import { createRouter, type Route } from "./http/router.ts";

interface Surface {
  name: string;
  /** The first segments of its paths. A path with any other one is a link. */
  segments: string[];
  hasPages?: true;
  load: () => Promise<Route[]>;
}

/** In this order, code that is alike is near each other in the bundle, whose gzip is 2 KiB smaller. */
const SURFACES: Surface[] = [
  {
    name: "account",
    hasPages: true,
    segments: ["", "login", "logout", "account", "account.js", "landing.css"],
    load: async () => (await import("./account/routes.ts")).accountRoutes,
  },
  { name: "cost", segments: ["cost"], load: async () => (await import("./cost/routes.ts")).costRoutes },
  {
    name: "campaign",
    segments: ["public"],
    load: async () => (await import("./campaign/routes.ts")).campaignRoutes,
  },
  {
    name: "partner",
    hasPages: true,
    segments: ["partner", "partner.css"],
    load: async () => (await import("./partner/routes.ts")).partnerRoutes,
  },
  { name: "mcp", segments: ["mcp"], load: async () => (await import("./mcp/routes.ts")).mcpRoutes },
  {
    name: "operator",
    hasPages: true,
    segments: ["operator", "operator.js"],
    load: async () => (await import("./operator/routes.ts")).operatorRoutes,
  },
  {
    name: "site",
    hasPages: true,
    segments: [
      ...["docs", "docs.css", "docs.js", "text.css", "openapi.json", "llms.txt", ".well-known"],
      ...[
        "healthz",
        "readyz",
        "robots.txt",
        "favicon.ico",
        "cards.css",
        "page.css",
        "page.js",
        "upload.js",
        "password.js",
        "search.js",
        "icon.svg",
      ],
    ],
    load: async () => (await import("./site/routes.ts")).siteRoutes(describeApi),
  },
  {
    name: "workspace",
    hasPages: true,
    segments: [
      ...["apps", "workspace.js", "links.js", "link-test.js", "create.js", "chart.js"],
      ...["workspace.css", "performance.css", "link.css"],
    ],
    load: async () => (await import("./workspace/routes.ts")).workspaceRoutes,
  },
];
const ENGAGEMENT: Surface = { name: "engagement", segments: [], load: async () => engagementRoutes };

/** The OpenAPI document of all surfaces, without the server's address. */
async function describeApi(): Promise<object> {
  const { buildDocument } = await import("./openapi.ts");
  return buildDocument(await loadRoutes(), version);
}

/** The routes of all surfaces. */
export async function loadRoutes(): Promise<Route[]> {
  return (await Promise.all([...SURFACES, ENGAGEMENT].map(load))).flatMap(({ routes }) => routes);
}

type Loaded = { routes: Route[]; handle: (context: Context) => Promise<Response> };
const loaded = new Map<Surface, Loaded>();

async function load(surface: Surface): Promise<Loaded> {
  const known = loaded.get(surface);
  if (known) return known;
  // Credentials are limited on every surface except the public one, which needs none.
  const before = surface === ENGAGEMENT ? {} : { before: limitRequests };
  const routes = (await surface.load()).map((route) => ({ ...route, surface: surface.name, ...before }));
  const handle = createRouter(routes);
  const { inLocale } = surface.hasPages ? await import("./pages/locale.ts") : {};
  const isAudited = surface !== ENGAGEMENT;
  const now = {
    routes,
    handle: (context: Context) => {
      const run = () => (isAudited ? inRequest(context.requestId, () => handle(context)) : handle(context));
      return inLocale ? inLocale(context.request.headers.get("accept-language"), run) : run();
    },
  };
  loaded.set(surface, now);
  return now;
}

const bySegment = new Map(SURFACES.flatMap((surface) => surface.segments.map((name) => [name, surface])));
const surfaceOf = (path: string) => bySegment.get(path.split("/", 2)[1] ?? "") ?? ENGAGEMENT;

/** Runs the handler of a request. Throws AppError: not_found, method_not_allowed, or what the handler throws. */
export async function route(context: Context): Promise<Response> {
  const { url } = context;
  // A link after a base URL that ends with a slash.
  const path = url.pathname.includes("//") ? url.pathname.replace(/\/+/g, "/") : url.pathname;
  if (surfaceOf(path) === ENGAGEMENT) url.pathname = path;
  const surface = surfaceOf(url.pathname);
  // People open links over http too, and a redirect more would lose some of them.
  const redirect = surface === ENGAGEMENT ? undefined : redirectToHttps(context);
  if (redirect) return redirect;
  const { handle } = await load(surface);
  return handle(context);
}
