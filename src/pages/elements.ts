/** What pages are made of besides tables, lists and forms: headings, cards, facts, badges, notices, and names in any script. */
import { html } from "hono/html";
import { showPlural } from "./locale.ts";
import type { Markup } from "./markup.ts";

type Content = Markup | string | (Markup | string)[];

/** A name that people chose. Its direction does not change that of the text around it. */
export const nameText = (name: string): Markup => html`<bdi>${name}</bdi>`;

/** The names of a path, the highest first: `Acme › Spring › Runners`. */
export function pathText(names: string[]): Markup {
  return html`${names.map((name, index) => html`${index > 0 ? " › " : ""}${nameText(name)}`)}`;
}

/** The heading of a page. `aside` is beside it: a state, a token, or what can be done. */
export const pageHead = (title: Content, aside: Content = ""): Markup =>
  aside === "" ? html`<h1>${title}</h1>` : html`<div class="head"><h1>${title}</h1>${aside}</div>`;

export interface CardHead {
  /** The ID of the heading. */
  id: string;
  title: Content;
  /** What is beside the heading. */
  aside?: Content;
  /** `across`: its facts are beside each other. */
  kind?: "danger" | "attention" | "across";
}

/** A section with a heading. */
export function card({ id, title, aside = "", kind }: CardHead, ...body: Content[]): Markup {
  const heading = html`<h2 id="${id}">${title}</h2>`;
  return html`
    <section class="card ${kind ?? ""}" aria-labelledby="${id}">
      ${aside === "" ? heading : html`<div class="head">${heading}${aside}</div>`}
      ${body}
    </section>`;
}

/** In the place of a page's content: what is missing, and what to do about it. */
export function emptyState(title: string, text: Content, ...todo: Content[]): Markup {
  return html`
    <section class="card empty">
      <h2>${title}</h2>
      <p>${text}</p>
      ${todo.length > 0 ? html`<p class="actions">${todo}</p>` : ""}
    </section>`;
}

/** The links above a page, the highest first, and the page itself. */
export function breadcrumb(above: [name: string, href: string][], here: string): Markup {
  return html`
    <nav class="breadcrumb" aria-label="Breadcrumb"><ol>
      ${above.map(([name, href]) => html`<li><a href="${href}">${nameText(name)}</a></li>`)}
      <li aria-current="page">${nameText(here)}</li>
    </ol></nav>`;
}

export type Fact = [name: Content, value: Content];

/** Names and values below each other. `false` is left out. */
export function facts(...items: (Fact | false)[]): Markup {
  const shown = items.filter((item) => item !== false);
  return html`<dl class="details">${shown.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>`;
}

export type Tone = "" | "ok" | "warn" | "error";

export const badge = (text: Content, tone: Tone = ""): Markup =>
  html`<span class="badge ${tone}">${text}</span>`;

/** A message. `announced`: the answer to what the person did, which is read aloud and has the focus. */
export function notice(
  text: Content,
  tone: Tone = "",
  { announced, action = "" }: { announced?: true; action?: Content } = {},
): Markup {
  const message = html`<p ${announced ? html`role="status" tabindex="-1" autofocus` : ""}>${text}</p>`;
  return html`<div class="notice ${tone} ${action === "" ? "" : "undo"}">${message}${action}</div>`;
}

/** A link that looks like a button. */
export const buttonLink = (href: string, text: Content, kind: "" | "secondary" = "secondary"): Markup =>
  html`<a class="button ${kind}" href="${href}">${text}</a>`;

/** A small button that copies a text. A script shows it. `of` says what is copied, for those who cannot see where it is. */
export const copyButton = (text: string, of: string, label = "Copy"): Markup =>
  html`<button type="button" class="small secondary" data-copy="${text}" hidden>${label}<span class="visually-hidden"> ${of}</span></button>`;

/** A text that can be copied. Without a script, one click selects it. */
export function copyable(id: string, text: string, of: string, shown: Content = text): Markup {
  return html`<span class="secret"><code id="${id}" role="group" tabindex="0" aria-label="${of}">${shown}</code>${copyButton(text, of)}</span>`;
}

/** A menu of links and copy buttons. Its items are readable without a script: a copy button has its text beside it. */
export function menu(summary: Content, items: Content[], className = "", isOpen = false): Markup {
  return html`<details class="menu ${className}" ${isOpen ? html`open` : ""}><summary>${summary}</summary><div>${items}</div></details>`;
}

/** Copies texts about a thing, with links below them. */
export function copyMenu(of: string, texts: [name: string, text: string][], links: Content[] = []): Markup {
  const items = texts.map(
    ([name, text]) =>
      html`<label class="copied-text">${name}<input readonly value="${text}" data-select></label>${copyButton(text, `of ${of}`, `Copy ${name}`)}`,
  );
  return menu(
    html`Copy<span class="visually-hidden">: ${of}</span>`,
    [...items.map((item) => html`${item}`), ...links],
    "copy",
  );
}

/** Links of which one is chosen, as a row. */
export function choices(
  label: string,
  options: [name: Content, href: string, isCurrent: boolean][],
  kind: "true" | "page" = "true",
): Markup {
  return html`
    <nav class="choice" aria-label="${label}">
      <span class="muted" aria-hidden="true">${label}</span>
      <ul class="choices">${options.map(([name, href, isCurrent]) => html`<li><a href="${href}" ${isCurrent ? html`aria-current="${kind}"` : ""}>${name}</a></li>`)}</ul>
    </nav>`;
}

/** The filters in use. Each is a link that removes it. */
export function chips(filters: [label: Content, hrefWithout: string][], clear: string): Markup | "" {
  if (filters.length === 0) return "";
  return html`
    <ul class="chips" aria-label="Filters">
      ${filters.map(([label, href]) => html`<li><a href="${href}"><span class="visually-hidden">Remove filter </span>${label} <span aria-hidden="true">×</span></a></li>`)}
      ${filters.length > 1 ? html`<li><a href="${clear}">Clear filters</a></li>` : ""}
    </ul>`;
}

export interface Tile {
  name: Content;
  value: Content;
  href?: string;
  /** Below the value: the change, or what belongs to it. */
  note?: Content;
  /** Whether the page shows more about this one. */
  isCurrent?: boolean;
}

type Counted = [count: number, one: string, many: string, href: string];

/** What the line below the tiles counts too, each with its link. Nothing of zero. */
export function countLinks(...counted: Counted[]): Markup {
  const links = counted
    .filter(([count]) => count > 0)
    .map(([count, one, many, href]) => html`<a href="${href}">${showPlural(count, one, many)}</a>`);
  return html`${links.map((link, index) => html`${index > 0 ? " · " : ""}${link}`)}`;
}

/** How pages call costs without amount. */
export const unpricedCount = (count: number, href: string): Counted => [
  count,
  "cost without amount",
  "costs without amount",
  href,
];

/** The most important numbers of a page. */
export function tiles(label: string, items: Tile[]): Markup {
  const isChoice = items.some(({ isCurrent }) => isCurrent);
  return html`
    <ul class="figures" aria-label="${label}"${isChoice ? html` data-arrows` : ""}>${items.map((tile) => {
      const value = html`<span class="name">${tile.name}</span> <strong>${tile.value}</strong>`;
      return html`<li>${tile.href ? html`<a href="${tile.href}" ${tile.isCurrent ? html`aria-current="true"` : ""}>${value}</a>` : value}${tile.note ? html`<span class="note">${tile.note}</span>` : ""}</li>`;
    })}</ul>`;
}
