/** What happened to an app's partners, links and costs that explains its figures. Pure. */
import type { CostType, Kind } from "./cost-types.ts";
import type { RejectionCode } from "./matching.ts";

/** Days are days since 1970 in UTC. Of what happened on several days, `day` is the last one. */
interface Dated {
  day: number;
  /** When it happened, in milliseconds since 1970; undefined for what did not happen at one time. */
  at?: number;
}
interface OfPartner extends Dated {
  partnerId: number;
}
interface Counted extends OfPartner {
  firstDay: number;
  count: number;
}

/** None of them is only an absence: a partner that sends nothing is no event. Pages show a `Silence` among them. */
export type Event =
  | ({ type: "partner_stopped" | "partner_started" | "parameters_changed" } & OfPartner)
  | ({ type: "types_live"; costTypes: CostType[] } & OfPartner)
  /** Of links with one partner in effect, or none. `isOn` is null if they inherit it from now on. */
  | ({
      type: "cost_data_switched";
      partnerId: number | null;
      /** Of several links, one. */
      link: { token: string; label: string };
      isOn: boolean | null;
      count: number;
    } & Dated)
  | ({ type: "costs_rejected"; code: RejectionCode } & Counted)
  | ({ type: "costs_voided" } & Counted)
  /** `day` is the day whose spend was adjusted, and the amount is in units of 0.00000001. */
  | ({ type: "spend_adjusted"; amount: bigint; currency: string } & OfPartner)
  /** Of the days, against as many days before. In units of 0.00000001. */
  | ({ type: "coverage_fell"; kind: Kind; coverage: bigint; before: bigint } & OfPartner);

/** A partner that should send costs sent none from this day on. */
export interface Silence extends OfPartner {
  type: "partner_silent";
}
export type ShownEvent = Event | Silence;

/** By day, and those of a day in their order. */
export const newestFirst = (events: ShownEvent[]): ShownEvent[] =>
  events.toSorted((one, other) => other.day - one.day);

export type EventType = Event["type"];

/** Events of a day are in this order, after those whose time is known. */
export const EVENT_TYPES = [
  "partner_stopped",
  "partner_started",
  "types_live",
  "parameters_changed",
  "cost_data_switched",
  "costs_rejected",
  "costs_voided",
  "spend_adjusted",
  "coverage_fell",
] as const satisfies EventType[];

/** The most events of an answer. */
export const MOST_EVENTS = 100;

/** The newest first, and whether there are more than these. */
export function newestEvents(events: Event[]): { events: Event[]; hasMore: boolean } {
  const sorted = events.toSorted(
    (one, other) =>
      other.day - one.day ||
      (other.at ?? 0) - (one.at ?? 0) ||
      EVENT_TYPES.indexOf(one.type) - EVENT_TYPES.indexOf(other.type) ||
      (one.partnerId ?? 0) - (other.partnerId ?? 0),
  );
  return { events: sorted.slice(0, MOST_EVENTS), hasMore: events.length > MOST_EVENTS };
}
