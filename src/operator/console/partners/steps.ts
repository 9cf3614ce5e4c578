/**
 * What an operator does next for a partner, the most urgent first. The start page lists the steps of all partners, and the pages of
 * partners show the first one as the next step.
 */
import type { PartnerFacts } from "../../../db/operator/lists/partner-facts.ts";
import { OTHER_APP_DAYS } from "../../../db/operator/other-apps.ts";
import type { PartnerRow } from "../../../db/operator/partners.ts";
import type { StoredRate } from "../../../db/operator/stored-rates.ts";
import { COST_TYPES, toMask, toTypes } from "../../../domain/cost-types.ts";
import { sumOf } from "../../../domain/figures/performance.ts";
import { DISCREPANCY_THRESHOLD, type Rates, toRates } from "../../../domain/figures/rates.ts";
import { UNUSUAL_TIMES, USUAL_DAYS } from "../../../domain/figures/url-prices.ts";
import { silentSince } from "../../../domain/partner-state.ts";
import { judgeTemplates, templatePairs } from "../../../domain/templates.ts";
import { DAY_MS, dayOf } from "../../../domain/time.ts";
import type { Tone } from "../../../pages/elements.ts";
import { describeDay, describeShortDay, showList, showPercent, showPlural } from "../../../pages/locale.ts";
import { exactMoney } from "../../../pages/money.ts";
import { toTemplates } from "../../api/partners.ts";

/** What needs an operator. */
export interface Item {
  /** What to do. */
  text: string;
  href: string;
  tone: Tone;
  /** What it is about. */
  name: string;
  what: string;
  /** Milliseconds since 1970; null if that is not known. */
  since: number | null;
  /** The partners that it is about. */
  partnerIds?: number[];
  /** Whether `name` says how many it is about, so that both are one sentence. */
  isGroup?: true;
  /** Whether nothing is wrong without it. */
  isOptional?: true;
  /** Several items of a kind become one. */
  kind?: { what: string; nouns: [one: string, many: string]; href: string };
}

/** More items of a kind, or more names in one, than this are counted. */
export const FEW = 3;

const ORDER: Tone[] = ["error", "warn", "", "ok"];
export const byUrgency = (one: Item, other: Item) => ORDER.indexOf(one.tone) - ORDER.indexOf(other.tone);

const NOUNS: [string, string] = ["partner", "partners"];
/** The list of the partners that have the same step. */
const list = (what: string, filter = "") => ({
  what,
  nouns: NOUNS,
  href: `/operator/partners${filter}`,
});

/** Without what all steps of a partner have in common. */
type PartnerStep = Omit<Item, "name" | "partnerIds">;

export const hasCostId = ({ costParameters }: Pick<PartnerRow, "costParameters">) =>
  templatePairs(costParameters).some(({ name }) => name === "cost_id");

export function partnerSteps(partner: PartnerFacts): Item[] {
  const { id, displayName, stoppedAt, integratedTypes } = partner;
  const path = `/operator/partners/${id}`;
  const isComplete = integratedTypes === toMask(COST_TYPES);
  const optional = { tone: "", what: "", since: null, isOptional: true } as const;
  const steps: PartnerStep[] =
    stoppedAt !== null
      ? [{ ...optional, text: "Resume", href: `${path}#stop` }]
      : [
          ...roundSteps(partner, path),
          ...heldSteps(partner, path),
          ...urlPriceSteps(partner, path),
          ...otherAppSteps(partner),
          ...templateSteps(partner, path),
          ...(integratedTypes === 0 ? setupSteps(partner, path) : liveSteps(partner, path)),
          ...(isComplete ? [] : [{ ...optional, text: "Open a round", href: `${path}#open` }]),
        ];
  return steps
    .map((step): Item => ({ ...step, name: displayName, partnerIds: [id] }))
    .sort(
      (one, other) =>
        Number(one.isOptional ?? false) - Number(other.isOptional ?? false) || byUrgency(one, other),
    );
}

const roundSteps = ({ openRounds }: PartnerFacts, path: string): PartnerStep[] =>
  openRounds.map(({ id, entryCount, openedAt, costTypes }) => {
    const what = `round ${id} for ${showList(toTypes(costTypes))} has ${entryCount === 0 ? "no submissions yet" : showPlural(entryCount, "submission")}`;
    return entryCount > 0
      ? {
          ...{ tone: "warn", what, since: openedAt },
          ...{ text: `Review round ${id}`, href: `/operator/rounds/${id}` },
          kind: list("have a round to review", "?state=round"),
        }
      : {
          ...{ tone: "", what, since: openedAt, text: "Send setup", href: `${path}/setup#step-4` },
          kind: list("have a round without submissions", "?state=round"),
        };
  });

const heldSteps = ({ held }: PartnerFacts, path: string): PartnerStep[] =>
  held === null
    ? []
    : [
        {
          ...{ tone: "warn", what: `${showPlural(held.count, "held price", "held prices")} on URLs` },
          since: DAY_MS * held.since,
          ...{ text: "Accept or drop", href: `${path}/url-prices` },
          kind: list("have held prices on URLs"),
        },
      ];

function templateSteps(partner: PartnerFacts, path: string): PartnerStep[] {
  const [problem] = judgeTemplates(toTemplates(partner));
  return problem
    ? [
        {
          ...{ tone: "warn", what: `its ${problem.param} ${problem.message}`, since: null },
          ...{ text: "Edit templates", href: `${path}#templates` },
          kind: list("have templates that lose values"),
        },
      ]
    : [];
}

const setupSteps = ({ openRounds, createdAt }: PartnerFacts, path: string): PartnerStep[] =>
  openRounds.length > 0
    ? []
    : [
        {
          ...{ tone: "", what: "not set up yet", since: createdAt },
          ...{ text: "Continue setup", href: `${path}/setup` },
          kind: list("are not set up yet", "?state=no-round"),
        },
      ];

function liveSteps(partner: PartnerFacts, path: string): PartnerStep[] {
  const { hasLiveCredential, approvedAt, rates } = partner;
  const steps: PartnerStep[] = [];
  if (!hasLiveCredential)
    steps.push({
      ...{ tone: "warn", what: "no live credential", since: approvedAt },
      ...{ text: "Issue a live credential", href: `${path}#credentials` },
      kind: list("have no live credential", "?state=live"),
    });
  if (!hasCostId(partner) && judgeTemplates(toTemplates(partner)).length === 0)
    steps.push({
      ...{ tone: "warn", what: "no cost_id in its cost parameters", since: approvedAt },
      ...{ text: "Edit templates", href: `${path}#templates` },
      kind: list("have no cost_id in their cost parameters", "?state=live"),
    });
  const isRecorded = rates.some(({ recorded }) => recorded !== null && recorded > 0);
  if (isRecorded && rates.every(({ expected }) => expected === null || expected === 0))
    steps.push({
      ...{ tone: "", what: "cost data is off on all links", since: null },
      ...{ text: "Ask for cost data", href: `${path}#rates` },
      kind: list("have cost data off on all links", "?state=live"),
    });
  const over = rates
    .map((rate) => ({ ...rate, ...ratesOf(rate) }))
    .filter((rate) => rate.isWithinThreshold === false);
  const silent = silentSince(partner, partner);
  const found = [
    ...(silent === null ? [] : [`no cost after ${describeShortDay(dayOf(silent))}`]),
    ...(over.length === 0
      ? []
      : [
          `discrepancy of ${showList(over.map((rate) => `${rate.costType} ${showPercent(rate.discrepancyRate ?? 0)}`))}`,
        ]),
  ];
  if (found.length > 0)
    steps.push({
      ...{ tone: "warn", what: found.join(", "), since: silent },
      ...{ text: "Check costs", href: `${path}#rates` },
      kind:
        silent === null
          ? list(`are over ${showPercent(DISCREPANCY_THRESHOLD)} discrepancy`, "?sort=-discrepancy")
          : list("send no cost", "?sort=coverage"),
    });
  return steps;
}

export const ratesOf = ({ costType, matched, recorded, expected, agreeing }: StoredRate): Rates =>
  toRates({
    ...{ costType, matched, recorded },
    discrepancy: expected === null || agreeing === null ? null : { expected, agreeing },
  });

/** Whether the daily job counts its rates, and has not yet. */
export const isNotCounted = ({ integratedTypes, rates }: Pick<PartnerFacts, "integratedTypes" | "rates">) =>
  integratedTypes !== 0 && rates.length === 0;

/** Days of prices on URLs: near their limit, or far above the days before. Each as the one with most, and the number of the others. */
function urlPriceSteps({ urlPrices }: PartnerFacts, path: string): PartnerStep[] {
  const near = urlPrices.filter(({ limit }) => limit !== undefined);
  const unusual = urlPrices.filter(({ limit }) => limit === undefined);
  const found = (
    days: typeof urlPrices,
    how: (one: (typeof urlPrices)[number]) => string,
  ): Pick<PartnerStep, "tone" | "what" | "since">[] => {
    const [first, ...others] = days.toSorted((one, other) => (one.counted > other.counted ? -1 : 1));
    if (!first) return [];
    const { appName, currency, day, counted } = first;
    const more = others.length > 0 ? `; and ${others.length} more` : "";
    return [
      {
        tone: "warn",
        what: `prices on URLs of ${appName} add up to ${exactMoney(counted, currency)} on ${describeDay(day)} (UTC), ${how(first)}${more}`,
        since: DAY_MS * Math.min(...days.map((one) => one.day)),
      },
    ];
  };
  return [
    ...found(
      near,
      ({ limit = 0n, currency }) => `and above ${exactMoney(limit, currency)} they are held`,
    ).map((item) => ({
      ...item,
      ...{ text: "Check the limit", href: `${path}#templates` },
      kind: list("are near the daily limit for prices on URLs"),
    })),
    ...found(unusual, ({ usual = 0n, currency }) =>
      usual === 0n
        ? `and most of the ${USUAL_DAYS} days before have none`
        : `more than ${UNUSUAL_TIMES} times the ${exactMoney(usual, currency)} that is usual in the ${USUAL_DAYS} days before`,
    ).map((item) => ({
      ...item,
      ...{ text: "Check, and void what is wrong", href: `${path}/url-prices` },
      kind: list("have unusually high prices on URLs"),
    })),
  ];
}

/** Cost IDs that two apps have: the second one gets no cost. */
function otherAppSteps({ otherApps }: PartnerFacts): PartnerStep[] {
  if (otherApps.length === 0) return [];
  const count = sumOf(otherApps, (one) => one.count);
  const names = [...new Set(otherApps.map(({ appName }) => appName))];
  const where = showList(
    names.length > FEW ? [...names.slice(0, FEW), `${names.length - FEW} more apps`] : names,
  );
  return [
    {
      what: `${showPlural(count, "click or impression", "clicks and impressions")} of ${where} in ${OTHER_APP_DAYS} days had a cost ID that another app had first, so no cost can match them`,
      since: DAY_MS * Math.min(...otherApps.map(({ since }) => since)),
      tone: "warn",
      ...{ text: "Read what to do", href: "/docs/operators#respond-to-incidents" },
      kind: list("have cost IDs in two apps"),
    },
  ];
}
