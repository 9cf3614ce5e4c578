/** Pages for people: one frame and one stylesheet. */

import { html } from "hono/html";
import type { Context, SignedIn } from "../env.ts";
import { type AppError, ERRORS } from "../errors.ts";
import { securityHeaders } from "../http/redirect.ts";
import type { Route } from "../http/router.ts";
import { servedFile, servedScript, servedStyles } from "../http/served-file.ts";
import cards from "./assets/cards.css";
import compact from "./assets/compact.css";
import figures from "./assets/figures.css";
import icon from "./assets/icon.svg";
import lowCharts from "./assets/low-charts.css";
import { script } from "./assets/page.client.js";
import stylesheet from "./assets/page.css";
import { contactNote } from "./contact.ts";
import { buttonLink } from "./elements.ts";
import { errorBody } from "./error.ts";
import type { Markup } from "./markup.ts";

/** The pages beside this one. */
export interface Tabs {
  label: string;
  items: (readonly [href: string, name: string])[];
  /** The name of the present one. */
  current: string;
}

export interface Page {
  /** Plain text. The product name is appended. */
  title: string;
  /** The content of `<main>`. */
  body: Markup;
  status?: number;
  /** The signed-in user, if any. */
  user?: SignedIn | undefined;
  /** What the header has instead of the links of the user. */
  navigation?: Markup;
  /** For pages with wide tables. */
  wide?: boolean;
  /** For pages of text: without the styles of charts, figures and the date range. */
  isText?: true;
  /** What the header shows after the product's name, and below that row. */
  switcher?: Markup;
  tabs?: Tabs;
  /** Paths of scripts and of more stylesheets on this origin, see `servedFile`. */
  scripts?: string[];
  styles?: string[];
  /** The ID of the element that "Skip to content" leads to. Default: `main`. */
  skipTo?: string;
  /** Without navigation and footer: for people who only opened a link. */
  plain?: boolean;
  /** Limits the page to one column of the width of a form. */
  narrow?: boolean;
  headers?: Record<string, string>;
}

/** A complete page in the common layout. It is never cached. */
export async function pageResponse(context: Context, page: Page): Promise<Response> {
  const styles = (page.styles ?? []).map((path) => html`<link rel="stylesheet" href="${path}">`);
  const scripts = [scriptFile.href, ...(page.scripts ?? [])].map(
    (path) => html`<script src="${path}" type="module"></script>`,
  );
  const markup = await html`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>${page.title} · linkledger</title>
    <link rel="icon" href="${iconFile.href}" type="image/svg+xml">
    <link rel="stylesheet" href="${(page.isText ? textStyleFile : styleFile).href}">
    ${styles} ${scripts}
  </head>
  <body class="${page.wide ? "wide" : ""}">
    <a class="skip" href="#${page.skipTo ?? "main"}">Skip to content</a>
    <header class="top"><div>
      <a class="brand" href="/">${brandMark} <span>linkledger</span></a>
      ${page.switcher ?? ""}
      ${page.plain ? "" : html`<nav aria-label="Account">${page.navigation ?? navigation(context, page)}</nav>`}
    </div>${page.tabs ? tabList(page.tabs) : ""}</header>
    <main id="main" tabindex="-1" class="${page.narrow ? "narrow" : ""}">
      ${page.body}
    </main>
    <p id="copied" class="visually-hidden" role="status"></p>
    ${page.plain ? "" : footer(context)}
  </body>
</html>`;
  return new Response(String(markup), {
    status: page.status ?? 200,
    headers: {
      "content-type": "text/html; charset=utf-8",
      vary: "Accept-Language",
      ...securityHeaders(),
      ...page.headers,
    },
  });
}

/** Shows an error to a person. */
export function errorPage(context: Context, error: AppError): Promise<Response> {
  const { status, title } = ERRORS[error.code];
  context.trace.outcome = error.code;
  return pageResponse(context, {
    title,
    status,
    user: context.user,
    headers: error.headers,
    body: errorBody(context, error, { actions: buttonLink("/", "Back to home") }),
  });
}

function tabList({ label, items, current }: Tabs): Markup {
  const links = items.map(
    ([href, name]) =>
      html`<a href="${href}" ${name === current ? html`aria-current="page"` : ""}>${name}</a>`,
  );
  return html`<nav class="tabs" aria-label="${label}">${links}</nav>`;
}

function navigation(context: Context, { user, switcher }: Page): Markup {
  const link = (href: string, name: string) =>
    html`<a href="${href}" ${context.url.pathname.startsWith(href) ? html`aria-current="page"` : ""}>${name}</a>`;
  if (!user) return link("/login", "Sign in");
  // The console has a tab of all apps.
  const isOperator = user.role === "operator";
  return html`
    ${switcher || isOperator ? "" : link("/apps", "Apps")}
    <details class="menu">
      <summary><span>${user.email}</span></summary>
      <div>
        ${link("/account", "Account")}
        ${isOperator ? html`${link("/apps", "Your apps")} ${link("/operator", "Operator console")}` : ""}
        <form method="post" action="/logout"><button>Sign out</button></form>
      </div>
    </details>`;
}

const footer = ({ env }: Context) => html`<footer class="bottom"><div>
      <a href="/docs">Documentation</a>
      <a href="/docs/members">Member guide</a>
      <a href="/docs/partners">Partner guide</a>
      <a href="/docs/operators">Operator guide</a>
      <a href="/docs/troubleshooting">Troubleshooting</a>
      <a href="/docs/errors">Errors</a>
      ${contactNote(env)}
    </div></footer>`;

const brandMark = html`<svg viewBox="0 0 24 24" aria-hidden="true" fill="none" stroke="currentColor" stroke-width="2.4" stroke-linecap="round"><path d="M5 3v14a3.5 3.5 0 0 0 3.5 3.5H20M10 4h10M10 9.5h10M10 15h5"/></svg>`;

const styleFile = servedStyles("/page.css", stylesheet + figures);
/** For pages with cards of two lines, see `Column`, or with a low chart. */
export const cardStyles = servedStyles("/cards.css", cards + compact + lowCharts);
/** A fifth smaller. */
const textStyleFile = servedStyles("/text.css", stylesheet);
const scriptFile = servedScript("/page.js", script);
const iconFile = servedFile("/icon.svg", "image/svg+xml", icon);

/** The routes of the files that every page loads. */
export const pageRoutes: Route[] = [
  ...[styleFile.route, textStyleFile.route, cardStyles.route],
  ...[scriptFile.route, iconFile.route],
];
