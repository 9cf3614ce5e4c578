/** The pages under /docs that are written in Markdown, and the navigation that all pages under /docs share. */
import { html, raw } from "hono/html";
import type { Context } from "../env.ts";
import { type Markup, pageResponse } from "../http/pages.ts";
import type { Route } from "../http/router.ts";
import { PAGES } from "./rendered.ts";

/** Every page under /docs, in the order of the navigation. */
export const DOCS = [
  { path: "/docs", title: "API reference" },
  { path: "/docs/partners", title: PAGES.partners.title },
  { path: "/docs/rounds", title: PAGES.rounds.title },
  { path: "/docs/rules", title: PAGES.rules.title },
  { path: "/docs/limits", title: PAGES.limits.title },
  { path: "/docs/operators", title: PAGES.operators.title },
  { path: "/docs/troubleshooting", title: PAGES.troubleshooting.title },
  { path: "/docs/errors", title: "Errors" },
];

/** The origin in the samples of the Markdown pages; a reader sees the origin of the request. */
const SAMPLE_ORIGIN = "https://links.example.com";

export const docsRoutes: Route[] = Object.entries(PAGES).map(([name, page]) => {
  const path = `/docs/${name}`;
  return {
    path,
    methods: { GET: (context: Context) => docsPage(context, path, page.title, toBody(context, page)) },
  };
});

/** A page with the navigation above it. */
export function docsPage(context: Context, path: string, title: string, body: Markup): Promise<Response> {
  const links = DOCS.map(
    (page) =>
      html`<a href="${page.path}" ${page.path === path ? html`aria-current="page"` : ""}>${page.title}</a>`,
  );
  return pageResponse(context, {
    title,
    body: html`
      <nav class="tabs" aria-label="Documentation">${links}</nav>
      <h1>${title}</h1>
      ${body}`,
  });
}

function toBody({ url }: Context, { lead, sections }: (typeof PAGES)[keyof typeof PAGES]): Markup {
  const origin = String(html`${url.origin}`);
  return html`
    <p class="lead">${raw(lead)}</p>
    <nav aria-label="On this page">
      <ul>${sections.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`)}</ul>
    </nav>
    ${sections.map(({ body }) => html`<section class="card">${raw(body.replaceAll(SAMPLE_ORIGIN, () => origin))}</section>`)}`;
}
