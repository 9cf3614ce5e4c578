/** Reads what the Overview page of an app shows. */
import { type AlertRow, findOpenAlerts } from "../../db/alerts/alerts.ts";
import { findAttachments, findDropped, findProblemsInShards } from "../../db/ledger/attention.ts";
import { findRejectionsInApp } from "../../db/ledger/rejections.ts";
import { findAdjustments } from "../../db/ledger/reports/adjustments.ts";
import { findEvents } from "../../db/ledger/reports/events.ts";
import type { ReportRow } from "../../db/ledger/reports/sources.ts";
import { readSums } from "../../db/ledger/reports/sums.ts";
import { findFullNetworks } from "../../db/links/sub-links/limits.ts";
import { findHidden } from "../../db/workspace/hidden-attention.ts";
import { sumOf } from "../../domain/figures/performance.ts";
import { type DayRange, dayOf } from "../../domain/time.ts";
import type { Context } from "../../env.ts";
import { daysBefore, type Period, periodQuery } from "../../pages/periods.ts";
import type { EventRows } from "../../usecases/events.ts";
import type { BothSums } from "../../usecases/performance/rows.ts";
import { authorizeApp, type Member } from "../frame.ts";
import type { Signals } from "./attention.ts";
import type { Row } from "./lines.ts";

export type Counts = ReportRow<"engagements">[];

/** What the page shows of its days, and of the same number of days before. */
export interface Overview extends Signals, EventRows {
  /** The days that were read. */
  period: Period;
  /** The days before were not read, and perhaps not the first days either: there is too much. */
  isCut: boolean;
  spend: Row[];
  spendBefore: Row[];
  engagements: Counts;
  engagementsBefore: Counts;
  hidden: { key: string; hiddenUntil: number }[];
  /** Those that are open, the newest first. */
  alerts: AlertRow[];
  /** By campaign. Undefined if there are too many links to read. */
  changes: BothSums | undefined;
  /** The one of the chart and of what changed; null without any costs. */
  currency: string | null;
  /** Where the Performance page shows the same days. */
  performanceHref: (query: Record<string, string>) => string;
}

export async function readOverview(
  { ledger, now }: Context,
  member: Member,
  asked: Period,
): Promise<Omit<Overview, "currency">> {
  const { viewer, app, path } = member;
  const { from, to } = asked;
  const before = daysBefore(asked);
  const both = { from: before.from, to };
  const today = dayOf(now);
  // What is rejected today needs attention today.
  const upToNow = { from, to: asked.preset ? today : to, until: to };
  const byLink = { report: "spend", groups: ["link", "partner", "cost_type"], isOptional: true } as const;
  const openedByLink = {
    report: "engagements",
    groups: ["link", "partner", "kind"],
    isOptional: true,
  } as const;
  const lastDays = (days: DayRange) =>
    ({
      recent: { report: "spend", ...days, groups: ["partner"] },
      recentEngagements: { report: "engagements", ...days, groups: ["partner"] },
    }) as const;
  const whose = { viewer, appToken: app.token };
  const recent = { from: today - 1, to: today };
  // Long ago, the last days are not beside the others.
  const isNear = to >= today - 2;
  const found = await readSums(
    ledger,
    {
      whose,
      parts: {
        spend: { report: "spend", ...both, groups: ["day", "partner"] },
        engagements: { report: "engagements", ...both, groups: ["day", "partner", "kind"] },
        campaigns: { ...byLink, from, to },
        opened: { ...openedByLink, from, to },
        campaignsBefore: { ...byLink, ...before },
        openedBefore: { ...openedByLink, ...before },
        ...lastDays(isNear ? recent : { from: to, to }),
      },
      canBeCut: true,
    },
    {
      attachments: findAttachments(ledger.control, viewer, app.token),
      dropped: findDropped(ledger.control, viewer, app.token, asked),
      rejected: findRejectionsInApp(ledger.control, viewer, app.token, upToNow),
      hidden: findHidden(ledger.control, app.token, now),
      alerts: findOpenAlerts(ledger.control, app.token),
      adjustments: findAdjustments(ledger.control, viewer, app.token, asked),
      ...findEvents(ledger.control, viewer, app.token, { changed: both, voided: asked }),
      ...findFullNetworks(ledger.control, viewer, app.token, now),
    },
  );
  authorizeApp(found.access);
  const last = isNear ? found : await readSums(ledger, { whose, parts: lastDays(recent), canBeCut: true });
  const { more, partners } = found;
  const isSharded = ledger.shards.length > 0;
  const ids = new Set(
    [...found.rowsOf("campaigns"), ...found.rowsOf("opened")].map(({ linkId }) => linkId ?? 0),
  );
  const period = { ...asked, from: Math.max(from, found.from) };
  // Of the days before, all count or none.
  const isCut = found.from > before.from;
  const isNow = ({ day }: { day: number | null }) => (day ?? 0) >= from;
  const split = <R extends { day: number | null }>(rows: R[]) => ({
    now: rows.filter(isNow),
    before: isCut ? [] : rows.filter((row) => !isNow(row)),
  });
  const spend = split(found.rowsOf("spend"));
  const engagements = split(found.rowsOf("engagements"));
  const isRead = !(["campaigns", "opened", "campaignsBefore", "openedBefore"] as const).some(found.isTooMany);
  return {
    ...more,
    period,
    isCut,
    spend: spend.now,
    spendBefore: spend.before,
    engagements: engagements.now,
    engagementsBefore: engagements.before,
    changes: isRead
      ? {
          now: { spend: found.rowsOf("campaigns", 2), engagements: found.rowsOf("opened", 2) },
          before: isCut
            ? { spend: [], engagements: [] }
            : { spend: found.rowsOf("campaignsBefore", 2), engagements: found.rowsOf("openedBefore", 2) },
        }
      : undefined,
    partners,
    ...(isSharded &&
      (await findProblemsInShards(
        ledger,
        { appToken: app.token, days: upToNow },
        { linkIds: [...ids], days: asked },
      ))),
    unpriced: sumOf(spend.now, (row) => row.unpriced),
    recent: { costs: last.rowsOf("recent"), engagements: last.rowsOf("recentEngagements") },
    partnersHref: `${path}/partners?${new URLSearchParams(periodQuery(asked))}`,
    performanceHref: (query) =>
      `${path}/performance?${new URLSearchParams({ ...periodQuery(asked), ...query })}`,
  };
}
