/** A search of links by words, in any order and anywhere in the names from the network down, or by the token. No I/O. */
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
  /** Whether the app has more links than a search reads. */
  isIncomplete: boolean;
}

export const MAX_WORDS = 10;

/** Letters that differ only in case or in their encoding are the same. Names are stored in NFC. */
const fold = (text: string) => text.normalize("NFC").toLowerCase();

/** The words of a search. `::`, `›` and a `>` between spaces, which join the names of a path, separate words. */
export const toWords = (text: string): string[] => [
  ...new Set(
    fold(text)
      .split(/\s|::|›|(?<=\s)>(?=\s)/u)
      .filter((word) => word !== ""),
  ),
];

/** Whether a text has all words of a search. */
export const hasWords = (text: string, words: string[]): boolean => {
  const folded = fold(text);
  return words.every((word) => folded.includes(word));
};

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
  const words = toWords(text);
  const token = text.trim();
  const searched = withInherited(rows.slice(0, MAX_SEARCHED));
  const matches = searched
    .filter(({ link, path }) => link.token === token || words.every((word) => path.includes(word)))
    .map(({ link }) => link)
    .filter((link) => isFound(link, { ...search, archived: undefined }, partners));
  const { archived } = search;
  const links = matches.filter((link) => archived === undefined || (link.archived === 1) === archived);
  const missingWords =
    matches.length > 0 ? [] : words.filter((word) => !searched.some(({ path }) => path.includes(word)));
  return {
    links: links.toSorted(byName),
    missingWords,
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
      path: above ? `${above.path} ${fold(row.label)}` : fold(row.label),
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
