/** What the Links page and a link's page show of a link. */
import { html } from "hono/html";
import type { LinkFigures, Silent, SpendSum } from "../../db/ledger/reports/link-figures.ts";
import type { BrowsedLink } from "../../db/links/browse.ts";
import type { Partner, Partners } from "../../db/links/partner-catalog.ts";
import { COST_TYPE, type Kind, TYPES_PER_CLICK } from "../../domain/cost-types.ts";
import { sumOf } from "../../domain/figures/performance.ts";
import { type CostSums, sumCosts, sumSpend } from "../../domain/money.ts";
import { partnerSignals } from "../../pages/costs/states.ts";
import { badge } from "../../pages/elements.ts";
import { withQuery } from "../../pages/lists/query.ts";
import { showCount, showMoney, showPlural, showPrice } from "../../pages/locale.ts";
import type { Markup } from "../../pages/markup.ts";
import { moneyText } from "../../pages/money.ts";
import type { Link } from "../../usecases/links/link.ts";
import type { Member } from "../frame.ts";
import { partnerLink } from "../partners/link.ts";
import { noClickCosts } from "../performance/cells.ts";

/** The query that keeps the days of a page on another one. */
export function keepDays(url: URL): string {
  const days = [...url.searchParams].filter(([name]) => /^(period|from|to)$/.test(name));
  return days.length > 0 ? `?${new URLSearchParams(days)}` : "";
}

/** Says that a link was created to test a partner, until somebody turns on cost data for it. */
export const testBadge = (
  link: Pick<BrowsedLink, "roundId" | "costSwitch" | "inheritedSwitch">,
): Markup | "" => (link.roundId !== null && !(link.costSwitch ?? link.inheritedSwitch) ? badge("Test") : "");

export type Counts = { kind: string | null; count: number }[];

/** `3 clicks, 1 impression`. */
export function countsText(counts: Counts): string {
  const of = (kind: Kind) => sumOf(counts, (one) => (one.kind === kind ? one.count : 0));
  return `${showPlural(of("click"), "click")}, ${showPlural(of("impression"), "impression")}`;
}

type PartnerKeys = Pick<BrowsedLink, "partnerId" | "inheritedPartner">;

/** The partner in effect. */
export function partnerOf(link: PartnerKeys, partners: Partners): Partner | undefined {
  return partners.get(link.partnerId ?? link.inheritedPartner ?? 0);
}

/** The partners, and which of them are silent. */
export interface KnownPartners {
  partners: Partners;
  silent: Silent;
}

/** Why a link has no costs as usual: the state of its partner. Empty if there is nothing to say. */
export function partnerSignal(link: PartnerKeys, { partners, silent }: KnownPartners): Markup | "" {
  const partner = partnerOf(link, partners);
  if (!partner) return "";
  const silentSince = silent.get(partner.id) ?? null;
  if (partner.stoppedAt === null && partner.supportsCostData && silentSince === null) return "";
  return partnerSignals({ ...partner, typesInRound: 0 }, { silentSince, coverage: null, recorded: 0 });
}

/** `days`: the query with the days of the page. `signal`: the state of the partner. */
export function partnerCell(
  member: Pick<Member, "path">,
  link: PartnerKeys,
  { partners }: KnownPartners,
  days: string,
  signal: Markup | "",
): Markup {
  const partner = partnerOf(link, partners);
  if (!partner) return html`<span class="muted">None</span>`;
  const inherited = link.partnerId === null ? "inherited" : "";
  const below = signal || inherited ? html`<div class="below">${signal} ${inherited}</div>` : "";
  return html`<div class="partner"><div title="${partner.displayName}">${partnerLink(member, partner, days)}</div>${below}</div>`;
}

/** Whether cost data is on, and of a sub-link, whether that is its own setting. */
export function costCell(
  link: Link,
  { level, costSwitch }: Pick<BrowsedLink, "level" | "costSwitch">,
): Markup {
  const state = link.cost_data_enabled ? badge("On", "ok") : badge("Off");
  return level === 1 || costSwitch === null
    ? state
    : html`<div>${state}</div><div class="below">own: ${costSwitch ? "on" : "off"}</div>`;
}

const NOTHING = html`<span class="muted">–</span>`;

/**
 * Two currencies below each other, those with the most costs first. Of more, the others are counted, and named in a title. Each line is
 * that of the same currency in every column. Undefined without an amount.
 */
function amounts(
  rows: SpendSum[],
  amountOf: (rows: SpendSum[]) => bigint | undefined,
  show = showMoney,
): Markup | undefined {
  const costs = (sums: SpendSum[]) =>
    sums.reduce((sum, { matched, unpriced }) => sum + matched + unpriced, 0);
  const [first, ...others] = [...Map.groupBy(rows, ({ currency }) => currency)]
    .sort(([one, left], [other, right]) => costs(right) - costs(left) || (one < other ? -1 : 1))
    .map(([currency, sums]) => ({ currency, amount: amountOf(sums) }));
  if (!first || [first, ...others].every(({ amount }) => amount === undefined)) return undefined;
  type Sum = typeof first;
  const line = ({ currency, amount }: Sum) =>
    html`<div>${amount === undefined ? NOTHING : moneyText(amount, currency, show)}</div>`;
  const title = others.map(({ currency, amount }) => (amount === undefined ? "–" : show(amount, currency)));
  const below =
    others.length > 1
      ? html`<div class="below" title="${title.join(", ")}">+${others.length} more</div>`
      : others.map(line);
  return html`${line(first)}${below}`;
}

export const spendCell = (figures: LinkFigures | undefined): Markup =>
  amounts(figures?.spend ?? [], sumSpend) ?? NOTHING;

/** The average amount of the costs of one type that have one: without adjustments, which belong to no cost. */
export function averageOf(
  rows: Pick<SpendSum, "costType" | "matched" | keyof CostSums>[],
): bigint | undefined {
  const matched = sumOf(rows, (row) => row.matched);
  if (matched === 0) return undefined;
  const isPerMille = rows.some(({ costType }) => costType && COST_TYPE[costType].isPerMille);
  return (sumCosts(rows) * (isPerMille ? 1_000n : 1n)) / BigInt(matched);
}

/** As on Performance: of cpc costs only. Without one, it says that there are only others. */
export function costPerClickCell(figures: LinkFigures | undefined): Markup {
  const priced = (figures?.spend ?? []).filter(({ matched }) => matched > 0);
  const ofClicks = (rows: SpendSum[]) =>
    averageOf(rows.filter(({ costType }) => costType && TYPES_PER_CLICK.includes(costType)));
  return amounts(figures?.spend ?? [], ofClicks, showPrice) ?? noClickCosts(priced) ?? NOTHING;
}

export const countCell = (count: number | undefined): Markup =>
  count ? html`${showCount(count)}` : html`<span class="muted">0</span>`;

/** A link of the same page that the script follows in place. `id` stays the same on the new page, to keep the focus. */
export const inPlace = (url: URL, id: string, changes: Record<string, string | null>, text: Markup): Markup =>
  html`<a id="${id}" href="${withQuery(url, changes)}" data-in-place>${text}</a>`;
