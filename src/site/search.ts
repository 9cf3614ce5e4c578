/** Search over the documentation: `/docs/search?q=…`. The script of the pages shows the same results while a reader types. */
import { html } from "hono/html";
import { toAnchor } from "../domain/texts.ts";
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
/** Anyone can search, so these are the most words that a query looks for. Short ones have up to two letters: most entries have them. */
const MAX_WORDS = 8;
const MAX_SHORT_WORDS = 3;
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

/** An entry in lower case, prepared once for all searches. */
interface Indexed {
  entry: Entry;
  title: Field;
  terms: Field;
  text: string;
  samples: string;
  /** `archive` of /docs/archive#the-objects. An anchor has the words of its title. */
  page: string;
}

/** A text, and its words in order: those of `cost_id` are itself and its two parts. */
interface Field {
  text: string;
  words: string[];
  /** How many words it has, without `cost_id` itself. */
  size: number;
}

const indexes = new WeakMap<Reference, Indexed[]>();

/** The best entries first; of equal ones, that of the earlier page. Every word of the query is in each of them. */
export function search(reference: Reference, query: string): Entry[] {
  const words = toWords(query);
  if (words.length === 0) return [];
  const index = indexes.get(reference) ?? buildIndex(reference).map(toIndexed);
  indexes.set(reference, index);
  return index
    .map((indexed) => ({ indexed, score: rate(indexed, words) }))
    .filter(({ score }) => score > 0)
    .sort((left, right) => right.score - left.score)
    .slice(0, MAX_RESULTS)
    .map(({ indexed: { entry, text } }) => ({ ...entry, text: toExcerpt(entry.text, text, words) }));
}

/** A word of a query, and what it is looked for by. */
type Word = { word: string; stem: string };

/** The distinct words of a query, within the limits. The longest is first: most entries do not have it, and need no other. */
function toWords(query: string): Word[] {
  const words = query.slice(0, MAX_QUERY).toLowerCase().split(/\s+/).filter(Boolean);
  const distinct = new Set(words.map((word) => SYNONYMS.get(word) ?? word));
  let short = 0;
  return [...distinct]
    .filter((word) => word.length > 2 || ++short <= MAX_SHORT_WORDS)
    .slice(0, MAX_WORDS)
    .sort((left, right) => right.length - left.length)
    .map((word) => ({ word, stem: toStem(word) }));
}

function toIndexed(entry: Entry): Indexed {
  return {
    entry,
    title: toField(`${entry.title} ${entry.status ?? ""}`),
    terms: toField(entry.terms ?? ""),
    text: entry.text.toLowerCase(),
    samples: (entry.samples ?? "").toLowerCase(),
    page: entry.path.split(/[/#]/)[2] ?? "",
  };
}

function toField(sent: string): Field {
  const text = sent.toLowerCase();
  const parts = text.split(/[\W_]+/).filter(Boolean);
  return { text, words: [...new Set([...parts, ...text.split(/\W+/)])].sort(), size: parts.length };
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
function rate({ title, terms, text, samples, page }: Indexed, words: Word[]): number {
  let sum = 0;
  for (const word of words) {
    const inTitle = rateIn(title, word, IN_TITLE);
    const focus = inTitle > 0 ? WHOLE_TITLE / title.size : 0;
    const inPath = page.includes(word.stem) ? IN_PATH : 0;
    const inText = countIn(text, word.stem, MOST_IN_TEXT) / 2;
    const inTerms = inTitle < IN_TERMS[0] ? rateIn(terms, word, IN_TERMS) : 0;
    const score = Math.max(inTitle, inTerms) + focus + inPath + inText;
    if (score === 0 && !samples.includes(word.stem)) return 0;
    sum += score || 1;
  }
  return sum;
}

function rateIn({ text, words }: Field, { word, stem }: Word, weights: readonly [number, number, number]) {
  // What has no stem has no word either: a word begins with its stem.
  if (!text.includes(stem)) return 0;
  if (words[placeOf(words, word)] === word) return weights[0];
  return words[placeOf(words, stem)]?.startsWith(stem) ? weights[1] : weights[2];
}

/** Where a word is, or would be, among words in order. */
function placeOf(words: string[], word: string): number {
  let [first, end] = [0, words.length];
  while (first < end) {
    const middle = (first + end) >> 1;
    if ((words[middle] ?? "") < word) first = middle + 1;
    else end = middle;
  }
  return first;
}

/** How often a text has a word, up to `most`. */
function countIn(text: string, word: string, most: number): number {
  let count = 0;
  for (let at = text.indexOf(word); at >= 0 && count < most; at = text.indexOf(word, at + word.length))
    count++;
  return count;
}

/** "countries" and "country", "saved" and "save" begin in the same way. Words of up to four letters are not changed. */
function toStem(word: string): string {
  return word.length > 4 ? word.replace(/(?:ies|ing|ed|es|s|e|y)$/, "") : word;
}

/** `lower` is the text in lower case. */
function toExcerpt(text: string, lower: string, words: Word[]): string {
  const found = words.map(({ stem }) => lower.indexOf(stem)).filter((at) => at >= 0);
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
        path: `${path}#${toAnchor(section.title)}`,
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
  [...partsBetween(body, "<tr>\n<td>", "\n"), ...partsBetween(body, "<strong>", "</strong>")].join(" ");

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
