/** Reads what a partner is and does in an app: its state, figures of some days, and why clicks and impressions have no cost. */
import type { AppAccess, Viewer } from "../db/accounts/viewers.ts";
import type { Rejected } from "../db/ledger/rejections.ts";
import type { ReportRow } from "../db/ledger/reports/sources.ts";
import { readSums } from "../db/ledger/reports/sums.ts";
import type { Ledger } from "../db/ledger/shards.ts";
import type { Partner, Partners } from "../db/links/partner-catalog.ts";
import { type FoundActivity, type FoundRound, findLosses, partnerStatements } from "../db/partner/status.ts";
import type { Batch, NamedRows } from "../db/statement.ts";
import { COST_TYPE, COST_TYPES, type CostType } from "../domain/cost-types.ts";
import { type Step, toFunnel } from "../domain/figures/funnel.ts";
import { currenciesOf, type Figures, sumOf, toFigures } from "../domain/figures/performance.ts";
import { type Rates, toRates } from "../domain/figures/rates.ts";
import { type PartnerState, partnerStateOf, silentSince } from "../domain/partner-state.ts";
import type { DayRange } from "../domain/time.ts";
import { sumByCode } from "./costs/rejections.ts";

/** A cost type of a partner, and since when it is in this state, in milliseconds since 1970; null if that is not known. */
export type TypeState = { costType: CostType; state: "live" | "in_round"; since: number | null };

export interface PartnerStatus {
  partner: Partner;
  state: PartnerState;
  /** As of a type, for the state as a whole. */
  since: number | null;
  types: TypeState[];
  /** Of the cron, for all apps; null before its first run. */
  activity: FoundActivity | null;
  /** As of the domain. */
  silentSince: number | null;
  /** By currency, the one with the most costs first. */
  spend: { currency: string; figures: Figures; unpriced: number }[];
  /** Clicks, impressions and coverage. */
  figures: Figures;
  /** Of the live types that have one, over its own days. */
  rates: Rates[];
  funnel: Step[];
  /** Whether all IDs of the partner were looked through. */
  isComplete: boolean;
  rejections: { code: string; count: number }[];
}

/** What a page shows beside it. */
export interface StatusDetails {
  /** The first day that was read. */
  from: number;
  partners: Partners;
  spendRows: ReportRow<"spend">[];
  counts: ReportRow<"engagements">[];
  /** The same of the days before; undefined if they were not asked for, or if there is too much to add up. */
  before: { spend: ReportRow<"spend">[]; counts: ReportRow<"engagements">[] } | undefined;
  /** By day and code. */
  rejected: Rejected[];
  /** By link of a level, with the sum of those below; undefined if there are too many or if they were not asked for. */
  linksAt: (
    level: number,
  ) => { spend: ReportRow<"spend">[]; engagements: ReportRow<"engagements">[] } | undefined;
}

interface Request {
  appToken: string;
  partnerId: number;
  days: DayRange;
  /** For a page: it has its links and the days before too, and the newest days that fit if there is too much. */
  before?: DayRange;
}

interface Found<More extends Batch> {
  access: AppAccess | undefined;
  /** Undefined without access, and if there is no such partner. */
  status: (PartnerStatus & StatusDetails) | undefined;
  more: NamedRows<More>;
}

/** Reads the status, see `readSums`. Throws TooLargeError. */
export async function readPartnerStatus<More extends Batch = Record<never, never>>(
  ledger: Ledger,
  viewer: Viewer,
  { appToken, partnerId, days, before }: Request,
  now: number,
  more: More = {} as More,
): Promise<Found<More>> {
  const byDay = { report: "spend", groups: ["day", "cost_type"] } as const;
  const countsByDay = { report: "engagements", groups: ["day", "kind"] } as const;
  const ofPage = before
    ? ({
        linkSpend: { report: "spend", ...days, groups: ["link", "cost_type"], isOptional: true },
        linkCounts: { report: "engagements", ...days, groups: ["link", "kind"], isOptional: true },
        spendBefore: { ...byDay, ...before },
        countsBefore: { ...countsByDay, ...before },
      } as const)
    : ({} as never);
  const found = await readSums(
    ledger,
    {
      whose: { viewer, appToken },
      filters: { partnerId },
      parts: {
        spend: { ...byDay, ...days },
        // A page draws them.
        engagements: { ...countsByDay, ...days, ...(!before && { groups: ["kind"] }) },
        ...ofPage,
      },
      canBeCut: before !== undefined,
    },
    { ...partnerStatements(ledger.control, viewer, appToken, partnerId), ...more },
  );
  const { access, partners } = found;
  const partner = partners.get(partnerId);
  const { activity, rounds } = found.more as NamedRows<ReturnType<typeof partnerStatements>>;
  const result = { access, more: found.more as NamedRows<More> };
  if (!access?.appToken || !partner) return { ...result, status: undefined };
  const read = { from: Math.max(days.from, found.from), to: days.to };
  const losses = await findLosses(ledger, { appToken, partnerId, days: read }, now);
  const spend = found.rowsOf("spend");
  const engagements = found.rowsOf("engagements");
  const unpriced = sumOf(spend, (row) => row.unpriced);
  const types = typesOf(partner, rounds);
  const integration = {
    ...partner,
    typesInRound: types.some((one) => one.state === "in_round") ? 1 : 0,
  };
  const state = partnerStateOf(integration);
  const [active = null] = activity;
  const currencies = currenciesOf(spend);
  return {
    ...result,
    status: {
      partner,
      state,
      since: sinceOf(state, partner, types),
      types,
      activity: active,
      silentSince: active && silentSince(integration, active),
      spend: currencies.map((currency) => ({
        currency,
        figures: toFigures(currency, spend, engagements),
        unpriced: sumOf(spend, (row) => (row.currency === currency ? row.unpriced : 0)),
      })),
      figures: toFigures(currencies[0] ?? null, spend, engagements),
      rates: losses.discrepancies
        .filter(({ costType }) => partner.integratedTypes & COST_TYPE[costType].bit)
        .map(({ costType, ...discrepancy }) =>
          toRates({ costType, matched: 0, recorded: null, discrepancy }),
        ),
      funnel: toFunnel({
        recorded: sumOf(engagements, ({ count }) => count),
        withId: sumOf(engagements, ({ recorded }) => recorded),
        matched: sumOf(spend, (row) => row.matched + row.unpriced),
        unpriced,
        ...losses,
      }),
      isComplete: losses.isComplete,
      rejections: sumByCode(losses.rejected),
      from: read.from,
      partners,
      spendRows: spend,
      counts: engagements,
      before:
        before && found.from <= before.from
          ? { spend: found.rowsOf("spendBefore"), counts: found.rowsOf("countsBefore") }
          : undefined,
      rejected: losses.rejected,
      linksAt: (level) =>
        !before || found.isTooMany("linkSpend") || found.isTooMany("linkCounts")
          ? undefined
          : { spend: found.rowsOf("linkSpend", level), engagements: found.rowsOf("linkCounts", level) },
    },
  };
}

/** The live types, and those in an open round. A type went live with the first of its approved rounds. */
function typesOf({ integratedTypes }: Partner, rounds: FoundRound[]): TypeState[] {
  return COST_TYPES.flatMap((costType): TypeState[] => {
    const { bit } = COST_TYPE[costType];
    const own = rounds.filter(({ costTypes }) => costTypes & bit);
    const approved = own.findLast(({ state }) => state === "approved");
    const open = own.find(({ state }) => state === "open");
    return [
      ...(integratedTypes & bit
        ? [{ costType, state: "live" as const, since: approved?.endedAt ?? null }]
        : []),
      ...(open ? [{ costType, state: "in_round" as const, since: open.openedAt }] : []),
    ];
  });
}

/** A state begins with the first cost type that has it. */
function sinceOf(state: PartnerState, { stoppedAt }: Partner, types: TypeState[]): number | null {
  if (state === "stopped") return stoppedAt;
  const times = types.filter((type) => type.state === state).map(({ since }) => since);
  return times.length === 0 || times.includes(null) ? null : Math.min(...times.map(Number));
}
