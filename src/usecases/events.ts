/** The events of an app or a partner in some days: for the API, and for the charts and lists of pages. */
import * as z from "zod/mini";
import type { RejectedInApp } from "../db/ledger/rejections.ts";
import { type Adjustment, MOST_ADJUSTMENTS } from "../db/ledger/reports/adjustments.ts";
import type { CostSwitch, PartnerChange, VoidsInApp } from "../db/ledger/reports/events.ts";
import type { Partner, Partners } from "../db/links/partner-catalog.ts";
import { COST_TYPES, type CostType, KINDS } from "../domain/cost-types.ts";
import { EVENT_TYPES, type Event, newestEvents, newestFirst, type ShownEvent } from "../domain/events.ts";
import { sumOf } from "../domain/figures/performance.ts";
import { REJECTION_CODES } from "../domain/matching.ts";
import { formatMoney } from "../domain/money.ts";
import { silentSince } from "../domain/partner-state.ts";
import { type DayRange, dayOf, formatDate } from "../domain/time.ts";

/** What `findEvents`, `findRejectionsInApp` and `findAdjustments` read. */
export interface EventRows {
  partnerChanges: PartnerChange[];
  costSwitches: CostSwitch[];
  voids: VoidsInApp[];
  rejected: RejectedInApp[];
  adjustments: Adjustment[];
}

interface EventScope {
  /** Whether the figures have anything of a partner; 0 for none. Cost data was switched in the app anyway. */
  isOfPartner: (partnerId: number) => boolean;
  /** The currency of the figures. */
  currency: string | null;
  costType?: CostType | undefined;
  /** Such as coverage that fell. */
  more?: Event[];
}

/** The events of rows, the newest first, and whether there are more. */
export function toEvents(
  { partnerChanges = [], costSwitches = [], voids = [], rejected = [], adjustments = [] }: Partial<EventRows>,
  { isOfPartner, currency, costType, more = [] }: EventScope,
) {
  const changed = partnerChanges.flatMap((row): Event[] => {
    const { partnerId, isStopped, liveTypes } = row;
    const of = { day: dayOf(row.happenedAt), at: row.happenedAt, partnerId };
    const live = JSON.parse(liveTypes ?? "[]") as CostType[];
    const costTypes = live.filter((type) => costType === undefined || type === costType);
    return [
      ...(isStopped === null
        ? []
        : [{ type: isStopped ? ("partner_stopped" as const) : ("partner_started" as const), ...of }]),
      ...(costTypes.length > 0 ? [{ type: "types_live" as const, costTypes, ...of }] : []),
      ...(row.hasParameters ? [{ type: "parameters_changed" as const, ...of }] : []),
    ];
  });
  const switched = costSwitches.map(
    ({ happenedAt, partnerId, token, label, isOn, count }): Event => ({
      type: "cost_data_switched",
      day: dayOf(happenedAt),
      at: happenedAt,
      partnerId,
      link: { token, label },
      isOn: isOn === null ? null : Number(isOn) === 1,
      count,
    }),
  );
  const rejections = [...Map.groupBy(rejected, ({ partnerId, code }) => `${partnerId} ${code}`).values()].map(
    (same): Event => {
      const { partnerId, code } = same[0] as RejectedInApp;
      const firstDay = Math.min(...same.map(({ first }) => first));
      const day = Math.max(...same.map(({ last }) => last));
      const count = sumOf(same, ({ count }) => count);
      return { type: "costs_rejected", partnerId, code, firstDay, day, count };
    },
  );
  const voided = voids.map(
    ({ partnerId, count, first, last }): Event => ({
      type: "costs_voided",
      partnerId,
      count,
      firstDay: dayOf(first),
      day: dayOf(last),
    }),
  );
  const adjusted = [
    ...Map.groupBy(
      adjustments.filter((row) => row.currency === currency),
      ({ day, partnerId }) => `${day} ${partnerId}`,
    ).values(),
  ].map((same): Event => {
    const { day, partnerId, currency } = same[0] as Adjustment;
    const amount = same.reduce((sum, row) => sum + BigInt(row.amount), 0n);
    return { type: "spend_adjusted", day, partnerId, amount, currency };
  });
  const ofPartners = [...changed, ...rejections, ...voided, ...adjusted, ...more].filter(({ partnerId }) =>
    isOfPartner(partnerId ?? 0),
  );
  const { events, hasMore } = newestEvents([...ofPartners, ...switched]);
  return { events, hasMore: hasMore || adjustments.length >= MOST_ADJUSTMENTS };
}

/** A partner in some days. Its times are in milliseconds since 1970. */
interface State {
  id: number;
  stoppedAt: number | null;
  /** The last day with a cost, of one that should send them. */
  silentOn?: number | null;
}

/** The events of a page's days, with what the partners of its figures have been since one of them. The audit log need not have it. */
export function withStates(events: ShownEvent[], states: State[], { from, to }: DayRange): ShownEvent[] {
  const found = states.flatMap(({ id, stoppedAt, silentOn = null }): ShownEvent[] => {
    const stoppedOn = stoppedAt === null ? null : dayOf(stoppedAt);
    const isKnown = events.some(({ type, partnerId }) => type === "partner_stopped" && partnerId === id);
    const isStop = !isKnown && stoppedOn !== null && stoppedOn >= from && stoppedOn <= to;
    return [
      ...(isStop ? [{ type: "partner_stopped" as const, day: stoppedOn, partnerId: id }] : []),
      ...(silentOn !== null && silentOn < to
        ? [{ type: "partner_silent" as const, day: silentOn + 1, partnerId: id }]
        : []),
    ];
  });
  return newestFirst([...found, ...events]);
}

/** The state of a partner, with what the hourly job knows of it. */
export function stateOf(
  { id, stoppedAt, supportsCostData }: Pick<Partner, "id" | "stoppedAt" | "supportsCostData">,
  active: { lastCostAt: number | null; lastClickAt: number | null } | undefined,
): State {
  const since = active ? silentSince({ stoppedAt, supportsCostData, typesInRound: 0 }, active) : null;
  return { id, stoppedAt, silentOn: since === null ? null : dayOf(since) };
}

/** Partners send costs in the days after a click, so one day without any says nothing. */
const SILENT_DAYS = 2;

/** The last day with a cost of a partner that should send them; null if it was so near to the end that it says nothing. */
export const silentDay = (lastCost: number, { to }: DayRange): number | null =>
  to - lastCost < SILENT_DAYS ? null : lastCost;

const date = z.string().with(z.meta({ format: "date" }));

/** An event as the API has it. */
export const eventItem = z.strictObject({
  type: z
    .enum(EVENT_TYPES)
    .with(
      z.describe(
        "`types_live`: cost types were approved. `parameters_changed`: the parameter templates of the partner. `cost_data_switched`: the setting of links. `spend_adjusted`: an operator corrected the spend of `day`",
      ),
    ),
  day: date.with(z.describe("In UTC. If it happened on several days, the last one")),
  first_day: z.optional(date).with(z.describe("Of costs that were rejected or voided")),
  partner_id: z.nullable(z.int()).with(z.describe("null: no partner is in effect for the links")),
  partner_name: z.nullable(z.string()),
  cost_types: z.optional(z.array(z.enum(COST_TYPES))).with(z.describe("Those that went live")),
  link_token: z.optional(z.string()).with(z.describe("One of the links whose cost data was switched")),
  link_label: z.optional(z.string()),
  cost_data_enabled: z
    .nullish(z.boolean())
    .with(z.describe("The new setting of the links; null: they inherit it")),
  code: z.optional(z.enum(REJECTION_CODES)).with(z.describe("Why costs were rejected")),
  count: z.optional(z.int()).with(z.describe("The number of costs or links")),
  amount: z.optional(z.string()).with(z.describe("Of adjustments, an exact decimal number")),
  currency: z.optional(z.string()),
  kind: z.optional(z.enum(KINDS)).with(z.describe("Whose coverage fell")),
  coverage: z.optional(z.string()).with(z.describe("The coverage of the period, if it fell by 0.1 or more")),
  previous_coverage: z.optional(z.string()),
});

export function toEventItem(event: Event, partners: Partners): z.output<typeof eventItem> {
  const { type, day, partnerId } = event;
  const of = {
    type,
    day: formatDate(day),
    partner_id: partnerId,
    partner_name: partners.get(partnerId ?? 0)?.displayName ?? null,
  };
  switch (type) {
    case "types_live":
      return { ...of, cost_types: event.costTypes };
    case "cost_data_switched": {
      const { link, isOn, count } = event;
      return { ...of, link_token: link.token, link_label: link.label, cost_data_enabled: isOn, count };
    }
    case "costs_rejected":
      return { ...of, first_day: formatDate(event.firstDay), code: event.code, count: event.count };
    case "costs_voided":
      return { ...of, first_day: formatDate(event.firstDay), count: event.count };
    case "spend_adjusted":
      return { ...of, amount: formatMoney(event.amount), currency: event.currency };
    case "coverage_fell": {
      const { kind, coverage, before } = event;
      return { ...of, kind, coverage: formatMoney(coverage), previous_coverage: formatMoney(before) };
    }
    default:
      return of;
  }
}
