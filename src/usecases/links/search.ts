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

/**
 * The words of a search, by the steps of a path: `::`, `›` and a `>` between spaces or at an end mean "below". What is in quotes is one
 * word.
 */
const toSteps = (text: string): string[][] =>
  fold(text)
    .split(/::|›|(?<=\s|^)>(?=\s|$)/u)
    .map((step) => [...step.matchAll(/"([^"]*)"|[^\s"]+/gu)].map(([all, phrase = all]) => phrase.trim()))
    .map((words) => words.filter((word) => word !== ""))
    .filter((words) => words.length > 0);

/** All words of a search. */
export const toWords = (text: string): string[] => [...new Set(toSteps(text).flat())];

/** Whether a text has all words of a search. */
export const hasWords = (text: string, words: string[]): boolean => {
  const folded = fold(text);
  return words.every((word) => folded.includes(word));
};

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
interface Searched {
  link: BrowsedLink;
  path: string;
}

export function searchLinks(
  rows: AppLink[],
  text: string,
  search: LinkSearch,
  partners: Partners,
): FoundLinks {
  const steps = toSteps(text);
  const words = steps.flat();
  const token = text.trim();
  const searched = withInherited(rows.slice(0, MAX_SEARCHED));
  const matches = searched
    .filter(({ link, path }) => link.token === token || hasSteps(path, steps))
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
