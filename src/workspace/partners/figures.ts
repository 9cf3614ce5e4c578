/** What the Partners page reads of an app: the links, the engagements and the costs of each partner, and what they can be ordered by. */
import * as z from "zod/mini";
import { ratesOfApps } from "../../db/alerts/app-rates.ts";
import { type Attachment, findAttachments } from "../../db/ledger/attention.ts";
import type { ReportRow } from "../../db/ledger/reports/sources.ts";
import { readSums } from "../../db/ledger/reports/sums.ts";
import type { Partner } from "../../db/links/partner-catalog.ts";
import { lastActivity } from "../../db/operator/partner-activity.ts";
import { findOpenRounds } from "../../db/partner/status.ts";
import { COST_TYPE, type CostType, toMask, toTypes } from "../../domain/cost-types.ts";
import {
  changeOf,
  currenciesOf,
  type Measured,
  shareOf,
  sumOf,
  toFigures,
} from "../../domain/figures/performance.ts";
import { type Rates, toRates, worstOf } from "../../domain/figures/rates.ts";
import { silentSince } from "../../domain/partner-state.ts";
import { dayOf } from "../../domain/time.ts";
import type { Context } from "../../env.ts";
import { readInput } from "../../http/input/input.ts";
import type { Key } from "../../pages/lists/order.ts";
import { daysBefore, type Period, periodChecks, periodFields, toPeriod } from "../../pages/periods.ts";
import { authorizeApp, type Member } from "../frame.ts";
import type { Row } from "../reports/lines.ts";

const listField = z.optional(z.string());
const partnersQuery = z
  .strictObject({
    ...periodFields,
    ...{ q: listField, state: listField, sort: listField, page: listField, others: listField },
  })
  .check(...periodChecks);

export interface PartnersView {
  period: Period;
  /** The first day that was read. */
  from: number;
  partners: ReadonlyMap<number, Partner>;
  attachments: Map<number, Attachment>;
  /** The cost types that are in an open round, by partner. */
  inRound: Map<number, CostType[]>;
  /** What the hourly job found of each partner, in all apps, and once a day its discrepancies in this one. */
  activity: { partnerId: number; lastCostAt: number | null; lastClickAt: number | null }[];
  rates: { partnerId: number; costType: CostType; expected: number; agreeing: number }[];
  spend: Row[];
  spendBefore: Row[];
  engagements: ReportRow<"engagements">[];
  /** Those with most costs first. */
  currencies: string[];
  /** Whether the days are over, and those before were read; whether costs for them can still arrive. */
  compared: { isCompared: boolean };
}

export async function readPartners(context: Context, { viewer, app }: Member): Promise<PartnersView> {
  const { query } = await readInput(context, { query: partnersQuery });
  const period = toPeriod(query, context.now, app.firstDay);
  const { ledger, now } = context;
  const { from, to } = period;
  const before = daysBefore(period);
  const byType = { report: "spend", groups: ["partner", "cost_type"] } as const;
  const found = await readSums(
    ledger,
    {
      whose: { viewer, appToken: app.token },
      parts: {
        spend: { ...byType, from, to },
        spendBefore: { ...byType, ...before },
        engagements: { report: "engagements", from, to, groups: ["partner", "kind"] },
      },
      canBeCut: true,
    },
    {
      attachments: findAttachments(ledger.control, viewer, app.token),
      rounds: findOpenRounds(ledger.control, viewer, app.token),
      activity: lastActivity(ledger.control, {}),
      rates: ratesOfApps(ledger.control, { apps: JSON.stringify([app.token]) }),
    },
  );
  authorizeApp(found.access);
  const { attachments, rounds, activity, rates } = found.more;
  const byPartner = Map.groupBy(rounds, ({ partnerId }) => partnerId);
  const isCut = found.from > before.from;
  const spend = found.rowsOf("spend");
  const spendBefore = isCut ? [] : found.rowsOf("spendBefore");
  return {
    period,
    partners: found.partners,
    attachments: new Map(attachments.map((attachment) => [attachment.partnerId, attachment])),
    inRound: new Map(
      [...byPartner].map(([id, open]) => [id, open.flatMap((round) => toTypes(round.costTypes))]),
    ),
    ...{ activity, rates },
    from: found.from,
    spend,
    spendBefore,
    engagements: found.rowsOf("engagements"),
    currencies: currenciesOf(spend, spendBefore),
    compared: { isCompared: to < dayOf(now) && !isCut },
  };
}

/** What a partner, or all of them, cost in a currency. */
export type InCurrency = Measured & { currency: string };

export interface PartnerFigures {
  links: number;
  costDataOn: number;
  clicks: bigint;
  unpriced: number;
  /** From 0 to 1. Null without recorded clicks. */
  coverage: number | null;
  /** Clicks that it is of. */
  recorded: number;
  /** The currency with most costs of the app first. */
  money: InCurrency[];
}

export type Line = PartnerFigures &
  Partner & { typesInRound: number; silentSince: number | null; worst: Rates | undefined };

/** The partners that have a link, spend or clicks. */
export function toLines(view: PartnersView): Line[] {
  const { partners, attachments, inRound, spend, engagements } = view;
  const ids = new Set([
    ...attachments.keys(),
    ...[...spend, ...engagements].map(({ partnerId }) => partnerId),
  ]);
  return [...partners.values()]
    .filter(({ id }) => ids.has(id))
    .map((partner) => {
      const isOf = ({ partnerId }: { partnerId: number }) => partnerId === partner.id;
      const integration = { ...partner, typesInRound: toMask(inRound.get(partner.id) ?? []) };
      const active = view.activity.find(isOf);
      const rates = view.rates
        .filter((row) => isOf(row) && partner.integratedTypes & COST_TYPE[row.costType].bit)
        .map(({ costType, expected, agreeing }) =>
          toRates({ costType, matched: 0, recorded: null, discrepancy: { expected, agreeing } }),
        );
      return {
        ...integration,
        ...toFiguresOf(view, (partnerId) => partnerId === partner.id),
        silentSince: active ? silentSince(integration, active) : null,
        worst: worstOf(rates),
      };
    });
}

export function toFiguresOf(view: PartnersView, isOf: (partnerId: number | null) => boolean): PartnerFigures {
  const has = (row: { partnerId: number | null }) => isOf(row.partnerId);
  const [spend, before, engagements] = [
    view.spend.filter(has),
    view.spendBefore.filter(has),
    view.engagements.filter(has),
  ];
  const attached = [...view.attachments.values()].filter(has);
  const { clicks, coverage, recorded } = toFigures(null, spend, engagements);
  return {
    links: sumOf(attached, ({ links }) => links),
    costDataOn: sumOf(attached, ({ costDataOn }) => costDataOn),
    clicks: clicks ?? 0n,
    coverage: shareOf(coverage),
    recorded: Number(recorded.click),
    unpriced: sumOf(spend, (row) => row.unpriced),
    money: view.currencies.flatMap((currency): InCurrency[] => {
      const isIn = (row: Row) => row.currency === currency;
      if (![...spend, ...before].some(isIn)) return [];
      const now = toFigures(currency, spend, engagements);
      return [{ currency, now, before: toFigures(currency, before, []), recorded: now.recorded.click }];
    }),
  };
}

/** What the page can be ordered by. Amounts of the currency with most costs of the app come first. */
export function orderOf({ currencies, compared }: PartnersView): Record<string, Key<Line>> {
  const inMain =
    (amountOf: (measured: Measured) => bigint | null): Key<Line> =>
    ({ money: [main] }) =>
      main ? { currency: currencies.indexOf(main.currency), amount: amountOf(main) } : null;
  return {
    name: ({ displayName }) => displayName,
    links: ({ links }) => links,
    clicks: ({ clicks }) => clicks,
    spend: inMain(({ now }) => now.spend),
    change: ({ money: [main] }) =>
      main && compared.isCompared ? changeOf(main.now.spend, main.before.spend) : null,
    cost_per_click: inMain(({ now }) => now.costPerClick),
    coverage: ({ coverage }) => coverage,
    unpriced: ({ unpriced }) => unpriced,
  };
}
