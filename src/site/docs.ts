/** The frame of every page under /docs: search, navigation, and the pages that are written in Markdown. */
import { html, raw } from "hono/html";
import { currentSession } from "../auth/sessions.ts";
import { toAnchor } from "../domain/texts.ts";
import type { Context } from "../env.ts";
import type { Route } from "../http/router.ts";
import { servedScript, servedStyles } from "../http/served-file.ts";
import { pageResponse } from "../pages/frame.ts";
import { searchForm } from "../pages/lists/controls.ts";
import type { Markup } from "../pages/markup.ts";
import { script } from "./docs.client.js";
import stylesheet from "./docs.css";
import { AREAS, areaPath } from "./reference/areas.ts";
import { PAGES } from "./rendered.ts";

type Entry = { path: string; title: string };

const guide = (name: keyof typeof PAGES): Entry => ({ path: `/docs/${name}`, title: PAGES[name].title });

/** Every page of the navigation, by the heading above it. */
const NAVIGATION: { title: string; pages: Entry[] }[] = [
  {
    title: "Get started",
    pages: [{ path: "/docs", title: "Overview" }, guide("members"), guide("partners"), guide("operators")],
  },
  {
    title: "API reference",
    pages: [
      ...AREAS.map((area) => ({ path: areaPath(area), title: area.title })),
      guide("typescript"),
      guide("agents"),
    ],
  },
  {
    title: "Topics",
    pages: [
      guide("networks"),
      guide("coming-from-adjust"),
      guide("rounds"),
      guide("rules"),
      guide("corrections"),
      guide("url-prices"),
      guide("alerts"),
      guide("webhooks"),
      guide("single-sign-on"),
      guide("watch"),
      guide("runbook"),
      guide("archive"),
      guide("privacy"),
      guide("limits"),
    ],
  },
  { title: "Help", pages: [guide("troubleshooting"), { path: "/docs/errors", title: "Errors" }] },
];

/** Every page of the navigation, in its order. */
export const DOCS = NAVIGATION.flatMap(({ pages }) => pages);

/** The origin in the samples of the Markdown pages; a reader sees the origin of the request. */
const SAMPLE_ORIGIN = "https://links.example.com";

const styleFile = servedStyles("/docs.css", stylesheet);
const scriptFile = servedScript("/docs.js", script);

export const docsRoutes: Route[] = [
  styleFile.route,
  scriptFile.route,
  ...Object.entries(PAGES).map(([name, page]) => {
    const path = `/docs/${name}`;
    const readPage = (context: Context) =>
      docsPage(context, { path, title: page.title, body: toBody(context, page) });
    return { path, methods: { GET: readPage } };
  }),
];

export interface DocsPage {
  /** The page of the navigation that this page is or belongs to. */
  path: string;
  title: string;
  body: Markup;
  /** The pages below `path`, if they are in the navigation too, and which of them this is. */
  below?: { pages: Entry[]; current?: string };
  /** What was searched for. */
  query?: string;
}

export async function docsPage(context: Context, page: DocsPage): Promise<Response> {
  // The documentation is there without the database too.
  const user = await currentSession(context).catch(() => undefined);
  return pageResponse(context, {
    user,
    title: page.title,
    isText: true,
    styles: [styleFile.href],
    scripts: [scriptFile.href],
    skipTo: "content",
    body: html`
      <div class="docs">
        <div class="docs-side">
          ${searchForm({ action: "/docs/search", label: "Search the documentation", value: page.query ?? "" })}
          <details class="docs-menu">
            <summary>Documentation menu</summary>
            ${navigation(page)}
          </details>
        </div>
        <article id="content" tabindex="-1">
          ${breadcrumb(page)}
          <h1>${page.title}</h1>
          ${page.body}
        </article>
      </div>`,
  });
}

/** On a page below a page of the navigation, a link to that. */
function breadcrumb({ path, below }: DocsPage): Markup | "" {
  const parent = below?.current && DOCS.find((page) => page.path === path);
  return parent ? html`<p class="breadcrumb"><a href="${path}">${parent.title}</a></p>` : "";
}

function navigation({ path, below }: DocsPage): Markup {
  const link = (page: Entry, isCurrent: boolean) =>
    html`<a href="${page.path}" ${isCurrent ? html`aria-current="page"` : ""}>${page.title}</a>`;
  const isOpen = (page: Entry) => page.path === path && below;
  return html`
    <nav aria-label="Documentation">
      ${NAVIGATION.map(
        ({ title, pages }) => html`
          <p>${title}</p>
          <ul>${pages.map(
            (page) => html`
              <li>
                ${link(page, page.path === path && below?.current === undefined)}
                ${
                  isOpen(page)
                    ? html`<ul>${below?.pages.map((one) => html`<li>${link(one, one.path === below.current)}</li>`)}</ul>`
                    : ""
                }
              </li>`,
          )}</ul>`,
      )}
    </nav>`;
}

function toBody({ url }: Context, { lead, sections }: (typeof PAGES)[keyof typeof PAGES]): Markup {
  const origin = String(html`${url.origin}`);
  return html`
    <p class="lead">${raw(lead)}</p>
    <nav class="contents" aria-label="On this page">
      <ul>${sections.map(({ title }) => html`<li><a href="#${toAnchor(title)}">${title}</a></li>`)}</ul>
    </nav>
    ${sections.map(({ title, body }) => html`<section class="card"><h2 id="${toAnchor(title)}">${title}</h2>${raw(body.replaceAll(SAMPLE_ORIGIN, () => origin))}</section>`)}`;
}
