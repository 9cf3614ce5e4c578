/** Reads what the Links page shows: its branches with the figures of their links. One call for the links, one for the figures. */
import { findLinkFigures, type LinkFigures, type Silent } from "../../db/ledger/reports/link-figures.ts";
import { readAllLinks } from "../../db/links/all-links.ts";
import { type BrowsedLink, browseLinks, type LinkList } from "../../db/links/browse.ts";
import type { Partners } from "../../db/links/partner-catalog.ts";
import { sumSpend } from "../../domain/money.ts";
import type { Context } from "../../env.ts";
import type { InputError } from "../../errors.ts";
import { invalidRequest } from "../../http/input/parse.ts";
import { type Period, toPeriod } from "../../pages/periods.ts";
import { type FoundLinks, searchLinks } from "../../usecases/links/search.ts";
import { authorizeApp, type Member } from "../frame.ts";
import {
  ALL_MATCHES,
  type BranchPosition,
  isSearch,
  type LinksQuery,
  ROOT,
  readLinksQuery,
  type Sort,
  toSearch,
} from "./query.ts";

/** The links that one page of a branch shows. */
const PAGE_SIZE = 50;

export interface Branch {
  links: BrowsedLink[];
  /** Where the next links are, if there are more. */
  next?: BranchPosition | undefined;
  /** Whether there are links before these. */
  isContinued: boolean;
}

export interface LinksView {
  query: LinksQuery;
  period: Period;
  /** By the token of their link; those of level 1, or what a search finds, by ROOT. */
  branches: Map<string, Branch>;
  /** By the ID of the link. Undefined if there are too many to read. */
  figures: Map<number, LinkFigures> | undefined;
  /** The first day of the figures. */
  from: number;
  /** The currency that a list by spend is ordered by first. */
  currency: string | undefined;
  partners: Partners;
  silent: Silent;
  /** What a search by words found, or what is selected if all of it is. */
  found?: Omit<FoundLinks, "links"> & { count: number };
}

export async function readLinksView(context: Context, member: Member): Promise<LinksView> {
  const query = readLinksQuery(context.url.search);
  const period = toPeriod(query, context.now, member.app.firstDay);
  const view =
    query.q === undefined && query.selected !== ALL_MATCHES
      ? await readBranches(context, member, query, period)
      : await readFound(context, member, query, period);
  return { query, period, ...view };
}

type Read = Promise<Omit<LinksView, "query" | "period">>;

/** All links that the search and the filters find, in no order of a figure. Throws what only the data shows to be wrong. */
export async function readMatches(
  { env }: Context,
  { viewer, app }: Member,
  query: LinksQuery,
): Promise<{ partners: Partners; matches: FoundLinks }> {
  const { access, links, partners } = await readAllLinks(env.DB, viewer, app.token);
  authorizeApp(access);
  check(query, partners, []);
  return { partners, matches: searchLinks(links, query.q ?? "", toSearch(query), partners) };
}

/** The same links in pages, with their figures. */
async function readFound(context: Context, member: Member, query: LinksQuery, { from, to }: Period): Read {
  const [{ figures, from: first, silent }, { partners, matches }] = await Promise.all([
    findLinkFigures(context.ledger, member.viewer, { appToken: member.app.token, from, to }),
    readMatches(context, member, query),
  ]);
  const { links, ...found } = matches;
  const currency = figures && mainCurrency(figures.values());
  const rank = figures && query.sort !== "name" ? rankBy(query.sort, figures, currency) : [];
  const place = new Map(rank.map(({ id }, index) => [id, index]));
  const placeOf = ({ id }: BrowsedLink) => place.get(id) ?? rank.length;
  const sorted = links.toSorted((one, other) => placeOf(one) - placeOf(other));
  const position = query.after.get(ROOT);
  const start = position?.ranked ?? 0;
  const end = start + PAGE_SIZE;
  const branch: Branch = {
    links: sorted.slice(start, end),
    next: end < sorted.length ? { sort: query.sort, ranked: end } : undefined,
    isContinued: position !== undefined,
  };
  return {
    branches: new Map([[ROOT, branch]]),
    figures,
    from: first,
    currency,
    partners,
    silent,
    found: { ...found, count: links.length },
  };
}

async function readBranches(
  context: Context,
  { viewer, app }: Member,
  query: LinksQuery,
  period: Period,
): Read {
  const open = isSearch(query) ? [] : query.open;
  const reading = findLinkFigures(context.ledger, viewer, {
    appToken: app.token,
    from: period.from,
    to: period.to,
    open,
  });
  const browse = (lists: LinkList[]) => browseLinks(context.env.DB, viewer, app.token, lists, PAGE_SIZE);
  const branchKeys = [ROOT, ...open];
  const toList = (branch: string): LinkList => ({
    ...(isSearch(query) ? { of: "search" } : { of: "branch", parent: branch === ROOT ? null : branch }),
    search: toSearch(query),
    after: query.after.get(branch)?.after,
  });
  // Only the order by a figure needs the figures before the links.
  const [{ figures, ids, from, silent }, early] = await Promise.all([
    reading,
    query.sort === "name" ? browse(branchKeys.map(toList)) : undefined,
  ]);
  const currency = figures && mainCurrency(figures.values());
  const rank = figures && query.sort !== "name" ? rankBy(query.sort, figures, currency) : undefined;
  const ranked = branchKeys.map((branch) => {
    const parentId = branch === ROOT ? null : ids.get(branch);
    return (rank ?? []).filter((link) => isSearch(query) || link.parentId === parentId).map(({ id }) => id);
  });
  // The ranked links of this page and those after them, unless the branch continues after all of them.
  const remaining = ranked.map((all, index) => {
    const { after, ranked: offset = 0 } = query.after.get(branchKeys[index] ?? ROOT) ?? {};
    return after ? [] : all.slice(offset);
  });
  const found =
    early ??
    (await browse([
      ...branchKeys.map((branch, index) => ({ ...toList(branch), except: ranked[index] })),
      ...remaining.map((ids): LinkList => ({ of: "given", ids, search: toSearch(query) })),
    ]));
  authorizeApp(found.access);
  check(
    query,
    found.partners,
    open.filter((token) => !ids.has(token)),
  );
  const branches = branchKeys.map((branch, index): [string, Branch] => {
    const rest = found.lists[index] ?? [];
    const top = found.lists[index + branchKeys.length] ?? [];
    const position = query.after.get(branch);
    return [
      branch,
      {
        ...(rank
          ? mergeRanked(query.sort, top, remaining[index] ?? [], rest, position?.ranked ?? 0)
          : cut(query.sort, rest)),
        isContinued: position !== undefined,
      },
    ];
  });
  return { branches: new Map(branches), figures, from, currency, partners: found.partners, silent };
}

/** What only the data shows to be wrong. */
function check(query: LinksQuery, partners: Partners, unknown: string[]): void {
  const errors: InputError[] = [];
  if (query.partner !== undefined && !partners.has(query.partner)) {
    errors.push({ param: "partner", message: "doesn't exist" });
  }
  if (unknown.length > 0) {
    errors.push({ param: "open", message: `names ${unknown.join(", ")}, which this app doesn't have` });
  }
  const closed = [...query.after.keys()].filter((branch) => branch !== ROOT && !query.open.includes(branch));
  if (closed.length > 0)
    errors.push({ param: "after", message: `names ${closed.join(", ")}, which isn't open` });
  if (errors.length > 0) throw invalidRequest(errors);
}

/** A page in the order of names. `rows` has one link more if the list continues. */
function cut(sort: Sort, rows: BrowsedLink[]): Pick<Branch, "links" | "next"> {
  const links = rows.slice(0, PAGE_SIZE);
  return { links, next: rows.length > PAGE_SIZE ? positionAfter(sort, links.at(-1)) : undefined };
}

const positionAfter = (sort: Sort, link: BrowsedLink | undefined): BranchPosition | undefined =>
  link && { sort, after: { level: link.level, label: link.label, id: link.id } };

/**
 * A page of the links with a figure, the highest first, and then of the others by name. `top` are those of `ids` that the filter
 * finds, and `others` are those without a figure.
 */
function mergeRanked(
  sort: Sort,
  top: BrowsedLink[],
  ids: number[],
  others: BrowsedLink[],
  offset: number,
): Pick<Branch, "links" | "next"> {
  const place = new Map(ids.map((id, index) => [id, index]));
  const ranked = top.toSorted((one, other) => (place.get(one.id) ?? 0) - (place.get(other.id) ?? 0));
  const links = [...ranked, ...others].slice(0, PAGE_SIZE);
  const last = links.at(-1);
  if (ranked.length + others.length <= PAGE_SIZE || !last) return { links };
  const lastPlace = place.get(last.id);
  return {
    links,
    next: lastPlace === undefined ? positionAfter(sort, last) : { sort, ranked: offset + lastPlace + 1 },
  };
}

/** The currency with the most costs. */
function mainCurrency(figures: Iterable<LinkFigures>): string | undefined {
  const counts = new Map<string, number>();
  for (const { parentId, spend } of figures) {
    // The links of level 1 include the others.
    if (parentId !== null) continue;
    for (const { currency, matched, unpriced } of spend) {
      counts.set(currency, (counts.get(currency) ?? 0) + matched + unpriced);
    }
  }
  return [...counts].sort(([one, left], [other, right]) => right - left || (one < other ? -1 : 1))[0]?.[0];
}

/** The links that have the figure, the highest first. */
function rankBy(sort: Sort, figures: Map<number, LinkFigures>, currency: string | undefined): LinkFigures[] {
  const toValue = (link: LinkFigures) =>
    sort === "-clicks"
      ? BigInt(link.clicks)
      : sumSpend(link.spend.filter((sums) => sums.currency === currency));
  return [...figures.values()]
    .map((link) => ({ link, value: toValue(link) }))
    .filter(({ value }) => value !== 0n)
    .sort((one, other) =>
      one.value === other.value ? one.link.id - other.link.id : one.value > other.value ? -1 : 1,
    )
    .map(({ link }) => link);
}
