/** The links that a change is about: those that were selected, or all that the search and the filters of the Links page find. */
import { asReport, userKey } from "../../auth/report-limits.ts";
import type { Partners } from "../../db/links/partner-catalog.ts";
import { readLinks } from "../../db/links/updates.ts";
import { sha256 } from "../../domain/hash.ts";
import type { Context } from "../../env.ts";
import { invalidRequest } from "../../http/input/parse.ts";
import { namesOf, type StoredLink } from "../../usecases/links/link.ts";
import { judgeUpdates, type UpdateResult } from "../../usecases/links/updates.ts";
import { authorizeApp, type Member, scopeOf } from "../frame.ts";
import { ALL_MATCHES, isSearch, readLinksQuery } from "../links/query.ts";
import { readMatches } from "../links/view.ts";
import { explainTooMany } from "./selection.ts";
import { type Bulk, needsSeen, showSeen, toUpdate } from "./update.ts";

/** What the change does to each link now, by name. */
export interface Targets {
  results: UpdateResult[];
  /** The tokens that the app does not have. */
  missing: string[];
  partners: Partners;
  /** Of all that match: which links these are, to compare a confirmation with its review. */
  version?: string;
  /** Why so many links cannot be changed. */
  tooMany?: string | undefined;
}

export async function readTargets(context: Context, member: Member, bulk: Bulk): Promise<Targets> {
  if (bulk.links === ALL_MATCHES) return readAllTargets(context, member, bulk);
  const { access, partners, links } = await readLinks(context.env.DB, scopeOf(member), bulk.links);
  authorizeApp(access);
  const missing = bulk.links.filter((token) => !links.has(token));
  return { results: await judgeAll(context, member, { links, partners }, bulk), missing, partners };
}

async function readAllTargets(context: Context, member: Member, bulk: Bulk): Promise<Targets> {
  const query = readLinksQuery(bulk.back);
  if (!isSearch(query))
    throw invalidRequest([{ param: "links", message: "can be all only with a search or a filter" }]);
  const { partners, matches } = await asReport(context, userKey(member.session.userId), () =>
    readMatches(context, member, query),
  );
  const { links } = matches;
  const tooMany = explainTooMany(links.length, matches.isIncomplete);
  const byToken = new Map(links.map((link) => [link.token, link]));
  return {
    results: tooMany === undefined ? await judgeAll(context, member, { links: byToken, partners }, bulk) : [],
    missing: [],
    partners,
    version: versionOf(links, bulk),
    tooMany,
  };
}

async function judgeAll(
  { env }: Context,
  member: Member,
  found: { links: Map<string, StoredLink>; partners: Partners },
  bulk: Bulk,
): Promise<UpdateResult[]> {
  const results = await judgeUpdates(env.DB, scopeOf(member), found, () => toUpdate(bulk));
  const fullName = ({ before }: UpdateResult) => namesOf(before).join(" › ");
  return [...results.values()].sort((one, other) => fullName(one).localeCompare(fullName(other)));
}

/** The number of links, the highest ID, and a hash of what the review showed of them. */
function versionOf(links: StoredLink[], bulk: Bulk): string {
  const sorted = links.toSorted((one, other) => one.id - other.id);
  const shown = needsSeen(bulk) ? showSeen(sorted, bulk) : sorted.map(({ token }) => token).join();
  return [sorted.length, sorted.at(-1)?.id ?? 0, sha256(shown)].join(".");
}
