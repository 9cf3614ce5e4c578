/** The state of the Links page in its query, and the cursors of its branches. */
import { Buffer } from "node:buffer";
import * as z from "zod/mini";
import type { LinkSearch, NamePosition } from "../../db/links/browse.ts";
import type { InputError } from "../../errors.ts";
import { idText, plainText, readAs } from "../../http/input/fields.ts";
import { parsePairs, readPairs } from "../../http/input/pairs.ts";
import { invalidRequest } from "../../http/input/parse.ts";
import { noticesOf } from "../../http/notices.ts";
import { periodChecks, periodFields } from "../../pages/periods.ts";
import { countWords, MAX_WORDS } from "../../usecases/links/search.ts";

export const SORTS = { name: "Name", "-clicks": "Most clicks", "-spend": "Highest spend" } as const;
export type Sort = keyof typeof SORTS;
const sorts = Object.keys(SORTS) as Sort[];

export const LEVEL_NAMES = ["Network", "Campaign", "Ad group", "Creative"] as const;

/** Each open link is read with its sub-links. */
export const MAX_OPEN = 20;

const TOKEN = /^[0-9a-z]{1,32}$/i;

/** The links that a person selects one by one. Their tokens are in the query. */
export const MAX_SELECTED = 200;

/** In the place of tokens: all links that the search and the filters of the page find. */
export const ALL_MATCHES = "all";

/** The most links that one form changes. */
export const MAX_CHANGED = 1_000;

/** Tokens of links, or `all`. */
export const selectedLinks = readAs(z.string(), (value, reject): string[] | typeof ALL_MATCHES =>
  value === ALL_MATCHES ? value : readTokens(value, reject),
);

/** Distinct tokens, separated by commas. */
export function readTokens(
  value: string,
  reject: (message: string) => void,
  most: number = MAX_SELECTED,
): string[] {
  const tokens = [...new Set(value.split(","))];
  if (!tokens.every((token) => TOKEN.test(token))) reject("must be the tokens of links, separated by commas");
  if (tokens.length > most) reject(`can have at most ${most} links`);
  return tokens;
}

/** Where a branch continues: in the order of names, or after so many links that are ranked by a figure. */
export type BranchPosition = { sort: Sort; after?: NamePosition | undefined; ranked?: number | undefined };

/** A pasted URL without its parameters, which can be long, and pasted cells in one line. */
const toSearched = (text: string) =>
  (/^\s*https?:\S+\s*$/i.test(text) ? text.replace(/[?#].*/, "") : text).replace(/[\t\r\n]+/g, " ");

/** What is searched for in names. */
export const searchWords = z.string().check(
  z.overwrite(toSearched),
  plainText(1, 255),
  z.refine((text) => countWords(text) <= MAX_WORDS, `can have at most ${MAX_WORDS} words`),
);

const linksQuery = z
  .strictObject({
    ...periodFields,
    q: z.optional(searchWords),
    level: z.optional(readAs(z.string().check(z.regex(/^[1-4]$/, "must be 1, 2, 3 or 4")), Number)),
    partner: z.optional(idText),
    cost: z.optional(z.enum(["on", "off", "own"], "must be on, off or own")),
    archived: z.optional(z.enum(["only", "all"], "must be only or all")),
    sort: z._default(z.enum(sorts, `must be one of ${sorts.join(", ")}`), "name"),
    open: z._default(
      readAs(z.string(), (value, reject) => readTokens(value, reject, MAX_OPEN)),
      [],
    ),
    selected: z._default(selectedLinks, []),
    after: z._default(readAs(z.string(), readAfter), new Map()),
  })
  .check(...periodChecks);

export const periodQuery = z.strictObject(periodFields).check(...periodChecks);

/** What a form did that led to the page of a link. */
export const LINK_NOTICES = noticesOf({
  created: "Link created.",
  exists: "This link already exists. Nothing was created or changed.",
  differs:
    "This link already exists, with other settings than you chose. Nothing was created or changed. Change them under Settings.",
  twice:
    "This link was created a moment ago with other settings, and the form was sent again. The settings stay as they were. Change them under Settings.",
});

export const linkPageQuery = z
  .strictObject({
    ...periodFields,
    notice: z.optional(z.enum(LINK_NOTICES.names, "is unknown")),
  })
  .check(...periodChecks);

export type LinksQuery = z.output<typeof linksQuery>;

/** Reads the query, with its `?`. An empty value counts as absent, because forms send their empty fields. Throws invalid_request. */
export function readLinksQuery(search: string): LinksQuery {
  const errors: InputError[] = [];
  const pairs = readPairs(search.slice(1)).filter(({ value }) => value !== "");
  const query = parsePairs(linksQuery, pairs, "same text", errors);
  for (const { sort } of query?.after.values() ?? []) {
    if (sort !== query?.sort) errors.push({ param: "after", message: "belongs to a list in another order" });
  }
  if (!query || errors.length > 0) throw invalidRequest(errors);
  // The tree is not what a search found.
  return query.selected === ALL_MATCHES && !isSearch(query) ? { ...query, selected: [] } : query;
}

/** The branch of the links of level 1, or the list that a search finds. Other branches have the token of their link. */
export const ROOT = "-";

/** `branch.cursor`, separated by commas. */
function readAfter(value: string, reject: (message: string) => void): Map<string, BranchPosition> {
  const positions = new Map<string, BranchPosition>();
  for (const part of value.split(",")) {
    const [branch = "", cursor = ""] = part.split(".");
    const position = readCursor(cursor);
    const isBranch = branch === ROOT || TOKEN.test(branch);
    if (!position || !isBranch || positions.has(branch)) {
      reject("is invalid");
      break;
    }
    positions.set(branch, position);
  }
  return positions;
}

export function buildAfter(positions: Map<string, BranchPosition>): string {
  return [...positions].map(([branch, position]) => `${branch}.${buildCursor(position)}`).join();
}

function buildCursor({ sort, after, ranked }: BranchPosition): string {
  const parts = after ? [sort, after.level, after.id, after.label] : [sort, ranked];
  return Buffer.from(JSON.stringify(parts)).toString("base64url");
}

function readCursor(cursor: string): BranchPosition | undefined {
  try {
    const [sort, number, id, label] = JSON.parse(Buffer.from(cursor, "base64url").toString());
    const position: BranchPosition =
      id === undefined ? { sort, ranked: number } : { sort, after: { level: number, id, label } };
    const isValid =
      sorts.includes(sort) &&
      Number.isSafeInteger(number) &&
      (id === undefined ? number > 0 : Number.isSafeInteger(id) && typeof label === "string");
    return isValid && buildCursor(position) === cursor ? position : undefined;
  } catch {
    return undefined;
  }
}

/** Whether the page shows a list of what was found instead of the tree. */
export function isSearch({ q, level, partner, cost, archived }: LinksQuery): boolean {
  return [q, level, partner, cost].some((value) => value !== undefined) || archived === "only";
}

export function toSearch({ level, partner, cost, archived }: LinksQuery): LinkSearch {
  return {
    level,
    partnerId: partner,
    costDataOn: cost && cost !== "own" ? cost === "on" : undefined,
    hasOwnSwitch: cost === "own" || undefined,
    archived: archived === "all" ? undefined : archived === "only",
  };
}
