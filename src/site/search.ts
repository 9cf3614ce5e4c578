/** Search over the documentation: `/docs/search?q=…`. The script of the pages shows the same results while a reader types. */
import { html } from "hono/html";
import { ERRORS } from "../errors.ts";
import type { Markup } from "../pages/markup.ts";
import { DOCS } from "./docs.ts";
import { operationPath, type Reference } from "./reference/areas.ts";
import { PAGES } from "./rendered.ts";

interface Entry {
  title: string;
  path: string;
  /** Where the entry is, such as the title of its page. */
  place: string;
  text: string;
  /** Searched like the title, but not shown: the HTTP status of an error. */
  status?: number;
  /** What it is about: the first cells of its tables, its **bold** words, or the ID of an operation. */
  terms?: string;
  /** Searched too, but not shown. */
  samples?: string;
}

const MAX_RESULTS = 20;
const MAX_QUERY = 100;
/** The length of an excerpt, and how much of it is before the first match. */
const EXCERPT = 140;
const BEFORE_MATCH = 40;

/** What people type, and the word of the documentation. */
const SYNONYMS = new Map([
  ["2fa", "two-factor"],
  ["mfa", "two-factor"],
  ["sso", "sign-on"],
  ["gdpr", "privacy"],
  ["retention", "remembered"],
  ["timezone", "utc"],
]);

const indexes = new WeakMap<Reference, Entry[]>();

/** The best entries first; of equal ones, that of the earlier page. Every word of the query is in each of them. */
export function search(reference: Reference, query: string): Entry[] {
  const words = query
    .slice(0, MAX_QUERY)
    .toLowerCase()
    .split(/\s+/)
    .filter(Boolean)
    .map((word) => SYNONYMS.get(word) ?? word);
  if (words.length === 0) return [];
  const index = indexes.get(reference) ?? buildIndex(reference);
  indexes.set(reference, index);
  const stems = words.map(toStem);
  return index
    .map((entry) => ({ entry, score: rate(entry, words) }))
    .filter(({ score }) => score > 0)
    .sort((left, right) => right.score - left.score)
    .slice(0, MAX_RESULTS)
    .map(({ entry }) => ({ ...entry, text: toExcerpt(entry.text, stems) }));
}

/** How much a word counts in a part of an entry: as a word of its own, as the beginning of one, and inside one. */
const IN_TITLE = [16, 12, 8] as const;
const IN_TERMS = [10, 7, 0] as const;
/** The name of its page. */
const IN_PATH = 6;
/** For a title that has no other words. */
const WHOLE_TITLE = 6;
/** A text that has a word more often than this is no better. */
const MOST_IN_TEXT = 4;

/** 0 if a word is missing. Titles, which are headings and error codes, count most. */
function rate(entry: Entry, words: string[]): number {
  const title = `${entry.title} ${entry.status ?? ""}`.toLowerCase();
  const terms = (entry.terms ?? "").toLowerCase();
  const text = entry.text.toLowerCase();
  // `archive` of /docs/archive#the-objects. An anchor has the words of its title.
  const page = entry.path.split(/[/#]/)[2] ?? "";
  let sum = 0;
  for (const word of words) {
    const stem = toStem(word);
    const inTitle = rateIn(title, word, stem, IN_TITLE);
    const focus = inTitle > 0 ? WHOLE_TITLE / partsOf(title).length : 0;
    const inPath = page.includes(stem) ? IN_PATH : 0;
    const inText = Math.min(text.split(stem).length - 1, MOST_IN_TEXT) / 2;
    const inSamples = entry.samples?.toLowerCase().includes(stem) ? 1 : 0;
    const score = Math.max(inTitle, rateIn(terms, word, stem, IN_TERMS)) + focus + inPath + inText;
    if (score + inSamples === 0) return 0;
    sum += score || inSamples;
  }
  return sum;
}

function rateIn(
  text: string,
  word: string,
  stem: string,
  weights: readonly [number, number, number],
): number {
  const parts = [...partsOf(text), ...text.split(/\W+/)];
  if (parts.includes(word)) return weights[0];
  if (parts.some((part) => part.startsWith(stem))) return weights[1];
  return text.includes(stem) ? weights[2] : 0;
}

/** `cost_id` has two words. */
const partsOf = (text: string) => text.split(/[\W_]+/).filter(Boolean);

/** "countries" and "country", "saved" and "save" begin in the same way. Words of up to four letters are not changed. */
function toStem(word: string): string {
  return word.length > 4 ? word.replace(/(?:ies|ing|ed|es|s|e|y)$/, "") : word;
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
  const pages = new Map(Object.entries(PAGES).map(([name, page]) => [`/docs/${name}`, page]));
  const guides = DOCS.flatMap(({ path }) => {
    const page = pages.get(path);
    if (!page) return [];
    const { title, lead, sections } = page;
    return [
      { title, path, place: "Guide", text: toText(lead) },
      ...sections.map((section) => ({
        title: section.title,
        path: `${path}#${section.id}`,
        place: title,
        text: toText(section.body.replace(SAMPLES, " ")),
        terms: toText(termsOf(section.body)),
        samples: toText(section.body.match(SAMPLES)?.join(" ") ?? ""),
      })),
    ];
  });
  const operations = areas.flatMap((area) => [
    { title: area.title, path: area.path, place: "API reference", text: area.lead },
    ...area.operations.map((operation) => ({
      title: operation.summary,
      path: operationPath(area, operation),
      place: area.title,
      text: plain(`${operation.method} ${operation.path} ${operation.description ?? ""}`),
      terms: operation.operationId,
    })),
  ]);
  const errors = Object.entries(ERRORS).map(([code, { status, title, help }]) => ({
    title: code,
    path: `/docs/errors#${code}`,
    place: `Errors, status ${status}`,
    text: plain(`${title}. ${help}`),
    status,
  }));
  const pageOfErrors = { title: "Errors", path: "/docs/errors", place: "Help", text: "Every error code." };
  return [...guides, ...operations, pageOfErrors, ...errors];
}

const ENTITIES: Record<string, string> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#39;": "'",
};

/** Without the marks of code. */
const plain = (text: string) => text.replaceAll("`", "");

const SAMPLES = /<pre[\s\S]*?<\/pre>/g;
/** The first cell of each row of a table, and bold words. */
const termsOf = (body: string) =>
  [...partsBetween(body, "<tr>\n<td>", "</td>"), ...partsBetween(body, "<strong>", "</strong>")].join(" ");

const partsBetween = (text: string, open: string, close: string) =>
  text
    .split(open)
    .slice(1)
    .map((part) => part.split(close, 1)[0] ?? "");

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
