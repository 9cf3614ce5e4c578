/** The links that a change is about: those that were selected, or all that the search and the filters of the Links page find. */
import { asReport, userKey } from "../../auth/report-limits.ts";
import type { Partners } from "../../db/links/partner-catalog.ts";
import type { Context } from "../../env.ts";
import { invalidRequest } from "../../http/input/parse.ts";
import type { StoredLink } from "../../usecases/links/link.ts";
import { checkLinks, judgeUpdates, type UpdateResult } from "../../usecases/links/updates.ts";
import { authorizeApp, type Member, scopeOf } from "../frame.ts";
import { ALL_MATCHES, isSearch, readLinksQuery } from "../links/query.ts";
import { readMatches } from "../links/view.ts";
import { ACTIONS, type Bulk } from "./actions.ts";
import { explainTooMany } from "./selection.ts";

/** What the change does to each link now, by token. */
export interface Targets {
  results: Map<string, UpdateResult>;
  partners: Partners;
  /** Why so many links cannot be changed. */
  tooMany?: string | undefined;
}

export async function readTargets(context: Context, member: Member, bulk: Bulk): Promise<Targets> {
  const updateOf = () => ACTIONS[bulk.action].update(bulk);
  if (bulk.links !== ALL_MATCHES) {
    const { access, ...read } = await checkLinks(context, scopeOf(member), bulk.links, updateOf);
    authorizeApp(access);
    return read;
  }
  const query = readLinksQuery(bulk.back);
  if (!isSearch(query))
    throw invalidRequest([{ param: "links", message: "can be all only with a search or a filter" }]);
  const { partners, matches } = await asReport(context, userKey(member.session.userId), () =>
    readMatches(context, member, query),
  );
  const tooMany = explainTooMany(matches.links.length, matches.isIncomplete);
  const links = new Map<string, StoredLink>(
    tooMany === undefined ? matches.links.map((link) => [link.token, link]) : [],
  );
  const results = await judgeUpdates(context.env.DB, scopeOf(member), { links, partners }, updateOf);
  return { results, partners, tooMany };
}
