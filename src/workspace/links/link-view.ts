/** Reads what a link's page shows: the link, its figures of some days, its sub-links and its history. */
import { addDroppedInShards } from "../../db/ledger/attention.ts";
import { type Adjustment, findAdjustments } from "../../db/ledger/reports/adjustments.ts";
import { findEvents } from "../../db/ledger/reports/events.ts";
import { findLinkFigures, type LinkFigures, type Silent } from "../../db/ledger/reports/link-figures.ts";
import { readSums } from "../../db/ledger/reports/sums.ts";
import { appUrlsStatement } from "../../db/links/app-urls.ts";
import { type BrowsedLink, linkPageStatements, type PageLink } from "../../db/links/browse.ts";
import { toDestination } from "../../db/links/destinations.ts";
import { type HistoryRow, historyStatement } from "../../db/links/history.ts";
import type { Partners } from "../../db/links/partner-catalog.ts";
import type { Destination } from "../../domain/engagements/click-target.ts";
import type { DropReason } from "../../domain/engagements/sub-links.ts";
import type { ShownEvent } from "../../domain/events.ts";
import { currenciesOf } from "../../domain/figures/performance.ts";
import { dayOf } from "../../domain/time.ts";
import type { Context } from "../../env.ts";
import { AppError } from "../../errors.ts";
import { readInput } from "../../http/input/input.ts";
import { daysBefore, type Period, toPeriod } from "../../pages/periods.ts";
import { toEvents, withStates } from "../../usecases/events.ts";
import { type Link, toLink } from "../../usecases/links/link.ts";
import { LATEST } from "../edit/history.ts";
import { authorizeApp, type Member } from "../frame.ts";
import type { Count } from "../reports/day-charts.ts";
import type { Row } from "../reports/lines.ts";
import { type LinkAudience, readAudience } from "./audience.ts";
import { type Counts, partnerOf } from "./cells.ts";
import { linkPageQuery } from "./query.ts";

/** A link's page shows so many sub-links. */
export const MOST_SUB_LINKS = 50;

/** Counts of dropped parameters are shown for as many days as engagements are kept. */
export const DROPPED_DAYS = 14;

/** What a link's page shows. */
export interface LinkView {
  row: PageLink;
  link: Link;
  destination: Destination;
  partners: Partners;
  silent: Silent;
  period: Period;
  spend: Row[];
  counts: Count[];
  /** Those of as many days before; undefined if they are not compared. */
  before: { spend: Row[]; counts: Count[] } | undefined;
  /** The clicks and impressions of today. */
  today: Counts;
  dropped: { day: number; param: string; reason: DropReason; count: number }[];
  subLinks: BrowsedLink[];
  history: HistoryRow[];
  figures: Map<number, LinkFigures> | undefined;
  audience: LinkAudience | undefined;
  /** The first day that was read. */
  from: number;
  adjustments: Adjustment[];
  /** Of the link and its partners, with the adjustments of its first currency; in a currency, those of partners with costs in it. */
  eventsOf: (currency?: string) => ShownEvent[];
}

/** By default of the last days; of today if nothing was recorded on the link before. */
export async function readLinkView(context: Context, member: Member): Promise<LinkView> {
  const { query } = await readInput(context, { query: linkPageQuery });
  const { now } = context;
  const view = await readDays(context, member, toPeriod(query, now, member.app.firstDay));
  const isAsked = query.period !== undefined || query.from !== undefined;
  const isEmpty = view.counts.length === 0 && view.spend.length === 0;
  const isNew = view.today.length > 0 || dayOf(view.row.createdAt) === dayOf(now);
  return isAsked || !isEmpty || !isNew ? view : readDays(context, member, toPeriod({ period: "today" }, now));
}

async function readDays(context: Context, { viewer, app }: Member, period: Period): Promise<LinkView> {
  const { env, ledger, now, params } = context;
  const today = dayOf(now);
  const linkToken = params.link_token ?? "";
  const days = { from: period.from, to: period.to };
  const both = { from: daysBefore(period).from, to: period.to };
  const scope = { ...days, link: linkToken };
  const [link, dropped, subLinks] = linkPageStatements(env.DB, viewer, {
    appToken: app.token,
    linkToken,
    firstDay: today - DROPPED_DAYS + 1,
    limit: MOST_SUB_LINKS,
  });
  const history = historyStatement(env.DB, { appToken: app.token, linkToken }, { now, limit: LATEST + 1 });
  const urls = appUrlsStatement(env.DB, { ...viewer, appToken: app.token });
  const adjustments = findAdjustments(env.DB, viewer, app.token, scope);
  const changed = { changed: days, voided: days, link: linkToken };
  const { partnerChanges, costSwitches } = findEvents(env.DB, viewer, app.token, changed);
  const [found, { figures, from, silent }, audience] = await Promise.all([
    readSums(
      ledger,
      {
        whose: { viewer, appToken: app.token },
        filters: { link: linkToken },
        parts: {
          spend: { report: "spend", ...both, groups: ["day", "partner", "cost_type"] },
          counts: { report: "engagements", ...both, groups: ["day", "kind"] },
          today: { report: "engagements", from: today, to: today, groups: ["kind"] },
        },
        canBeCut: true,
      },
      { link, urls, dropped, subLinks, history, adjustments, partnerChanges, costSwitches },
    ),
    findLinkFigures(ledger, viewer, { appToken: app.token, ...scope }),
    readAudience(ledger, viewer, app.token, linkToken, period),
  ]);
  authorizeApp(found.access);
  const {
    link: [row],
    urls: [urlsOfApp],
    ...more
  } = found.more;
  if (!row || !urlsOfApp) throw new AppError("not_found", "This app has no link with this token.");
  // Of the days before, all count or none. Days that are not over are not compared.
  const isCompared = found.from <= both.from && period.to < today;
  const split = <R extends { day: number | null }>(rows: R[]) => ({
    now: rows.filter(({ day }) => (day ?? 0) >= period.from),
    before: rows.filter(({ day }) => (day ?? 0) < period.from),
  });
  const [spend, counts] = [split(found.rowsOf("spend")), split(found.rowsOf("counts"))];
  const costs = found.rowsOf("spend");
  const inEffect = partnerOf(row, found.partners)?.id;
  const isOf = (id: number, currency?: string) =>
    costs.some((cost) => cost.partnerId === id && cost.currency === (currency ?? cost.currency)) ||
    (id === inEffect && !costs.some(({ partnerId }) => partnerId === id));
  const states = [...found.partners.values()].map(({ id, stoppedAt }) => {
    const since = silent.get(id);
    return { id, stoppedAt, silentOn: since === undefined ? null : dayOf(since) };
  });
  const lately = { from: today - DROPPED_DAYS + 1, to: today };
  return {
    ...more,
    dropped: await addDroppedInShards(ledger, row.id, lately, more.dropped),
    row,
    link: toLink(row, found.partners, context),
    destination: toDestination(urlsOfApp),
    partners: found.partners,
    silent,
    period,
    from: Math.max(found.from, from, period.from),
    spend: spend.now,
    counts: counts.now,
    before: isCompared ? { spend: spend.before, counts: counts.before } : undefined,
    today: found.rowsOf("today"),
    figures,
    audience,
    eventsOf: (currency) => {
      const isOfPartner = (id: number) => isOf(id, currency);
      const scope = { isOfPartner, currency: currency ?? currenciesOf(costs)[0] ?? null };
      return withStates(
        toEvents(more, scope).events,
        states.filter(({ id }) => isOfPartner(id)),
        days,
      );
    },
  };
}
