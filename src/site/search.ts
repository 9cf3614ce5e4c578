/** Search over the documentation: `/docs/search?q=…`. The script of the pages shows the same results while a reader types. */
import { html } from "hono/html";
import { ERRORS } from "../errors.ts";
import type { Markup } from "../pages/markup.ts";
import { operationPath, type Reference } from "./reference/areas.ts";
import { PAGES } from "./rendered.ts";

interface Entry {
  title: string;
  path: string;
  /** Where the entry is, such as the title of its page. */
  place: string;
  text: string;
  /** Searched too, but not shown. */
  samples?: string;
}

const MAX_RESULTS = 20;
const MAX_QUERY = 100;
/** The length of an excerpt, and how much of it is before the first match. */
const EXCERPT = 140;
const BEFORE_MATCH = 40;

const indexes = new WeakMap<Reference, Entry[]>();

/** The best entries first. Every word of the query is in each of them. */
export function search(reference: Reference, query: string): Entry[] {
  const words = query.slice(0, MAX_QUERY).toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  const index = indexes.get(reference) ?? buildIndex(reference);
  indexes.set(reference, index);
  return index
    .map((entry) => ({ entry, score: rate(entry, words) }))
    .filter(({ score }) => score > 0)
    .sort((left, right) => right.score - left.score)
    .slice(0, MAX_RESULTS)
    .map(({ entry }) => ({ ...entry, text: toExcerpt(entry.text, words) }));
}

/** 0 if a word is missing. A word in the title counts more than in the path, and there more than in the text. */
function rate({ title, path, text, samples = "" }: Entry, words: string[]): number {
  const inTitle = title.toLowerCase();
  const scores = words.map((word) => {
    if (inTitle.split(/\W+/).some((part) => part.startsWith(word))) return 12;
    if (inTitle.includes(word)) return 8;
    if (path.toLowerCase().includes(word)) return 6;
    return `${text} ${samples}`.toLowerCase().includes(word) ? 1 : 0;
  });
  return scores.includes(0) ? 0 : scores.reduce<number>((sum, score) => sum + score, 0);
}

function toExcerpt(text: string, words: string[]): string {
  const found = words.map((word) => text.toLowerCase().indexOf(word)).filter((at) => at >= 0);
  const match = found.length > 0 ? Math.min(...found) : 0;
  const start = match <= BEFORE_MATCH ? 0 : text.lastIndexOf(" ", match - BEFORE_MATCH) + 1;
  const rest = text.slice(start);
  const part = rest.length <= EXCERPT ? rest : `${rest.slice(0, rest.lastIndexOf(" ", EXCERPT))} …`;
  return start > 0 ? `… ${part}` : part;
}

function buildIndex({ areas }: Reference): Entry[] {
  const guides = Object.entries(PAGES).flatMap(([name, { title, lead, sections }]) => [
    { title, path: `/docs/${name}`, place: "Guide", text: toText(lead) },
    ...sections.map((section) => ({
      title: section.title,
      path: `/docs/${name}#${section.id}`,
      place: title,
      text: toText(section.body.replace(SAMPLES, " ")),
      samples: toText(section.body.match(SAMPLES)?.join(" ") ?? ""),
    })),
  ]);
  const operations = areas.flatMap((area) => [
    { title: area.title, path: area.path, place: "API reference", text: area.lead },
    ...area.operations.map((operation) => ({
      title: operation.summary,
      path: operationPath(area, operation),
      place: area.title,
      text: `${operation.method} ${operation.path} ${operation.description ?? ""}`,
    })),
  ]);
  const errors = Object.entries(ERRORS).map(([code, { title, help }]) => ({
    title: code,
    path: `/docs/errors#${code}`,
    place: "Errors",
    text: `${title}. ${help}`,
  }));
  return [...guides, ...operations, ...errors];
}

const ENTITIES: Record<string, string> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#39;": "'",
};

const SAMPLES = /<pre[\s\S]*?<\/pre>/g;

/** The text of rendered Markdown. */
function toText(markup: string): string {
  return markup
    .replace(/<\/?(a|code|strong|em)\b[^>]*>/g, "")
    .replace(/<[^>]*>/g, " ")
    .replace(/&\w+;|&#39;/g, (entity) => ENTITIES[entity] ?? " ")
    .replace(/\s+/g, " ")
    .trim();
}

export function searchBody(query: string, results: Entry[]): Markup {
  const count = results.length === MAX_RESULTS ? `The best ${MAX_RESULTS} results` : countOf(results.length);
  const items = results.map(
    ({ title, path, place, text }) => html`
      <li>
        <a href="${path}">${title}</a> <span class="muted">${place}</span>
        <p>${text}</p>
      </li>`,
  );
  return html`
    <p data-status>${query ? `${count} for “${query.slice(0, MAX_QUERY)}”` : "Enter one or more words."}</p>
    <ul class="results">${items}</ul>
    ${query && results.length === 0 ? html`<p>Try fewer or other words, or look at the <a href="/docs">overview</a>.</p>` : ""}`;
}

function countOf(count: number): string {
  if (count === 0) return "No results";
  return count === 1 ? "1 result" : `${count} results`;
}
