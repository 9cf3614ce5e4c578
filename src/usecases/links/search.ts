/** A search of links by words, in any order and anywhere in the names from the network down, by a path, or by the token. No I/O. */
import { type AppLink, MAX_SEARCHED } from "../../db/links/all-links.ts";
import type { BrowsedLink, LinkSearch } from "../../db/links/browse.ts";
import type { Partners } from "../../db/links/partner-catalog.ts";

export interface FoundLinks {
  /** In the order of level, name and ID. */
  links: BrowsedLink[];
  /** The words that no link of the app has. */
  missingWords: string[];
  /** How many archived links match, where the search leaves them out. */
  archived: number;
  /** How many of the links each level has, from 1. */
  levels: number[];
  /** Whether the app has more links than a search reads. */
  isIncomplete: boolean;
}

export const MAX_WORDS = 10;

/** Letters that differ only in case or in their encoding are the same. Names are stored in NFC. */
const fold = (text: string) => text.normalize("NFC").toLowerCase();

/** The words of a search, by the steps of a path. What is in quotes is one word. */
const toSteps = (text: string, below: RegExp): string[][] =>
  fold(text)
    .split(below)
    .map((step) => [...step.matchAll(/"([^"]*)"|[^\s"]+/gu)].map(([all, phrase = all]) => phrase.trim()))
    .map((words) => words.filter((word) => word !== ""))
    .filter((words) => words.length > 0);

/** What a search can mean: `::`, `›` and `>` mean "below", and a `>` inside a word can also be part of it. */
const toReadings = (text: string): [string[][], ...string[][][]] => {
  const spaced = toSteps(text, /::|›|(?<=\s|^)>(?=\s|$)/u);
  return text.includes(">") ? [spaced, toSteps(text, /::|[›>]/u)] : [spaced];
};

/** The most words that a search can mean. */
export const countWords = (text: string): number =>
  Math.max(...toReadings(text).map((steps) => new Set(steps.flat()).size));

/** Whether a name has all words of a search. */
export function hasWords(text: string): (name: string) => boolean {
  const readings = toReadings(text).map((steps) => steps.flat());
  return (name) => {
    const folded = fold(name);
    return readings.some((words) => words.every((word) => folded.includes(word)));
  };
}

/** Between the names of a path: no word has it. */
const JOINT = "\n";

/** Whether the names of a path have the words of each step, those of a later step below those of the one before. */
function hasSteps(path: string, steps: string[][]): boolean {
  const names = path.split(JOINT);
  return steps.every((words) => {
    for (let count = 1; count <= names.length; count++) {
      const part = names.slice(0, count).join(JOINT);
      if (words.every((word) => part.includes(word))) return names.splice(0, count).length > 0;
    }
    return false;
  });
}

/** A link with what it inherits, and its path in the form for comparisons. */
type Searched = { link: BrowsedLink; path: string };

/** `text`: words, a path, a token, or a URL of a link, also with parameters. */
export function searchLinks(
  rows: AppLink[],
  text: string,
  search: LinkSearch,
  partners: Partners,
): FoundLinks {
  const readings = toReadings(text);
  const words = readings[0].flat();
  const parts = new Set(fold(text).trim().split(/[/?#]/u));
  const searched = withInherited(rows.slice(0, MAX_SEARCHED));
  const matches = searched
    .filter(({ link, path }) => parts.has(link.token) || readings.some((steps) => hasSteps(path, steps)))
    .map(({ link }) => link)
    .filter((link) => isFound(link, { ...search, archived: undefined }, partners));
  const { archived } = search;
  const links = matches.filter((link) => archived === undefined || (link.archived === 1) === archived);
  const missingWords =
    matches.length > 0 ? [] : words.filter((word) => !searched.some(({ path }) => path.includes(word)));
  return {
    links: links.toSorted(byName),
    missingWords,
    levels: [1, 2, 3, 4].map((level) => links.filter((link) => link.level === level).length),
    archived: archived === false ? matches.length - links.length : 0,
    isIncomplete: rows.length > MAX_SEARCHED,
  };
}

/** Every link after the links above it. */
function withInherited(rows: AppLink[]): Searched[] {
  const byId = new Map<number, Searched>();
  for (const row of rows.toSorted((one, other) => one.level - other.level)) {
    const above = byId.get(row.parentId ?? 0);
    // A link whose parent is not among those that were read is not searched.
    if (row.parentId !== null && !above) continue;
    const { parentId: _, ...own } = row;
    const from = above?.link;
    const name =
      from && [...(from.inheritedName === null ? [] : [from.inheritedName]), from.label].join("::");
    byId.set(row.id, {
      path: above ? above.path + JOINT + fold(row.label) : fold(row.label),
      link: {
        ...own,
        roundId: own.roundId ?? from?.roundId ?? null,
        inheritedName: name ?? null,
        inheritedPartner: from?.partnerId ?? from?.inheritedPartner ?? null,
        inheritedSwitch: from?.costSwitch ?? from?.inheritedSwitch ?? null,
        inheritedTarget: from?.target ?? from?.inheritedTarget ?? null,
      },
    });
  }
  return [...byId.values()];
}

/** The filters of `browseLinks`. */
function isFound(link: BrowsedLink, search: LinkSearch, partners: Partners): boolean {
  const { level, partnerId, hasOwnSwitch, costDataOn } = search;
  const hasSettings = link.partnerId !== null || link.costSwitch !== null;
  const supports = partners.get(link.partnerId ?? link.inheritedPartner ?? 0)?.supportsCostData === 1;
  const isOn = supports && (link.costSwitch ?? link.inheritedSwitch) === 1;
  return (
    (level === undefined || link.level === level) &&
    (partnerId === undefined || link.partnerId === partnerId) &&
    (!hasOwnSwitch || (link.costSwitch !== null && link.level > 1)) &&
    (costDataOn === undefined || (hasSettings && isOn === costDataOn))
  );
}

function byName(one: BrowsedLink, other: BrowsedLink): number {
  const [left, right] = [fold(one.label), fold(other.label)];
  return one.level - other.level || (left < right ? -1 : left > right ? 1 : one.id - other.id);
}
