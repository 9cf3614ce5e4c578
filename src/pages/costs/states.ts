/** The states of partners, cost types, credentials, rounds and apps, in the same words and colors on every page. */
import { html } from "hono/html";
import { COST_TYPE, COST_TYPES, type CostType } from "../../domain/cost-types.ts";
import { isUsual, type Rates } from "../../domain/figures/rates.ts";
import { type Integration, type PartnerState, partnerStateOf } from "../../domain/partner-state.ts";
import { COST_WINDOW } from "../../domain/texts.ts";
import { dayOf } from "../../domain/time.ts";
import type { CostItem } from "../../usecases/costs/item.ts";
import { badge, type Fact, type Tone } from "../elements.ts";
import { describeShortDay, NONE, showAxisPercent, showPercent } from "../locale.ts";
import type { Markup } from "../markup.ts";
import { costTypeName } from "./cost-types.ts";

/** By the state, how it is called everywhere. */
export const STATES: Record<PartnerState, [name: string, tone: Tone]> = {
  stopped: ["Stopped", "error"],
  live: ["Live", "ok"],
  in_round: ["No cost data yet", ""],
  not_integrated: ["No cost data yet", ""],
};

/** Whether the partner may send costs. */
export const partnerBadge = (partner: Integration): Markup => badge(...STATES[partnerStateOf(partner)]);

interface CostSignals {
  /** As of the domain. */
  silentSince: number | null;
  /** The type with the highest discrepancy. */
  worst?: Rates | undefined;
  coverage: number | null;
  /** Clicks or impressions that the coverage is of. */
  recorded: number;
}

/** What a list and the page of a partner say of it: its state, or of a live one what needs a look first. */
export function partnerSignals(partner: Integration, signals: CostSignals): Markup {
  const { silentSince, worst, coverage, recorded } = signals;
  const found: (string | false)[] = [
    silentSince !== null && noCostAfter(silentSince),
    worst?.isWithinThreshold === false && `Discrepancy ${showPercent(worst.discrepancyRate ?? 0)}`,
    isLow(coverage, recorded) && noCost(1 - (coverage ?? 0)),
  ];
  const first = partnerStateOf(partner) === "live" && found.find((text) => text !== false);
  return first ? badge(first, "warn") : partnerBadge(partner);
}

const noCostAfter = (time: number) => `No cost after ${describeShortDay(dayOf(time))}`;

/** `30% no cost`: the part of clicks or impressions that is without one, as signals say it on every page. */
export const noCost = (share: number): string => `${showAxisPercent(Math.round(share * 100) / 100)} no cost`;

const isLow = (coverage: number | null, recorded: number) =>
  coverage !== null && isUsual(1 - coverage, recorded) === false;

/** A coverage, marked if it is low. `of`: the clicks or impressions that it is of. */
export const coverageBadge = (share: number | null, of: number): Markup | string => {
  if (share === null) return NONE;
  return isLow(share, of) ? badge(showPercent(share), "warn") : showPercent(share);
};

/** The cost types, those with the same integration together. A live one can be in a round too. */
export function typeFacts(
  partner: Integration & { integratedTypes: number },
  silentSince: number | null,
): Fact[] {
  const [text, tone] =
    silentSince === null
      ? STATES[partner.stoppedAt === null ? "live" : "stopped"]
      : ([noCostAfter(silentSince), "warn"] as const);
  const isIn = (mask: number, type: CostType) => (mask & COST_TYPE[type].bit) !== 0;
  const keyOf = (type: CostType) =>
    `${isIn(partner.integratedTypes, type) ? "live" : ""} ${isIn(partner.typesInRound, type) ? "round" : ""}`;
  return [...Map.groupBy(COST_TYPES, keyOf)].map(([key, types]) => [
    html`${types.map((type, index) => html`${index > 0 ? ", " : ""}${costTypeName(type)}`)}`,
    html`${key.includes("live") ? badge(text, tone) : ""} ${key.includes("round") ? badge("In a round", "warn") : ""} ${key === " " ? badge("Not integrated") : ""}`,
  ]);
}

/** A test credential is accepted while its round is open. */
export const credentialBadge = (isRevoked: boolean, isRoundOver: boolean): Markup =>
  isRevoked ? badge("Revoked", "error") : isRoundOver ? badge("Round ended") : badge("Active", "ok");

/** What became of a cost, and what that means for its partner. */
export const COST_STATES: Record<CostItem["match"], { name: string; tone: Tone; meaning: string }> = {
  matched: { name: "Matched", tone: "ok", meaning: "Matched to its click or impression." },
  pending: { name: "Pending", tone: "warn", meaning: "It waits for its click or impression." },
  lapsed: {
    name: "Lapsed",
    tone: "error",
    meaning: `No click or impression came in ${COST_WINDOW}. It never counts.`,
  },
  voided: { name: "Voided", tone: "", meaning: "This cost was voided and doesn't count." },
};

export const costBadge = (match: CostItem["match"]): Markup =>
  badge(COST_STATES[match].name, COST_STATES[match].tone);

/** `passed`: whether an open round can be approved. */
export function roundBadge(state: "open" | "approved" | "closed", passed: boolean): Markup {
  if (state === "approved") return badge("Approved", "ok");
  if (state === "closed") return badge("Closed");
  return passed ? badge("Ready to approve", "ok") : badge("Open", "warn");
}

/** Behind the name of an app or a link. */
export const archivedBadge = (isArchived: boolean): Markup | "" => (isArchived ? badge("Archived") : "");
