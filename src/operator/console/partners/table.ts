/** The table of partners on the start page and in their list. */
import { html } from "hono/html";
import type { PartnerFacts } from "../../../db/operator/lists/partner-facts.ts";
import { SPEND_DAYS, type SpendRow, spendDays } from "../../../db/operator/lists/partner-spend.ts";
import type { StoredRate } from "../../../db/operator/stored-rates.ts";
import { toTypes } from "../../../domain/cost-types.ts";
import { changeOf } from "../../../domain/figures/performance.ts";
import { RATE_DAYS, worstOf } from "../../../domain/figures/rates.ts";
import { discrepancyBadge, USUAL } from "../../../pages/costs/rates.ts";
import { partnerBadge } from "../../../pages/costs/states.ts";
import { nameText } from "../../../pages/elements.ts";
import type { ListView } from "../../../pages/lists/list.ts";
import type { Key } from "../../../pages/lists/order.ts";
import { type Table, table } from "../../../pages/lists/table.ts";
import { describeDays, describeTime, NONE, showPercent, showPlural } from "../../../pages/locale.ts";
import type { Markup } from "../../../pages/markup.ts";
import { amounts, byCurrency, changes, type Sums, spendByPartner } from "./money.ts";
import { coverageOf, isNotCounted, partnerSteps, ratesOf } from "./steps.ts";

type Row = PartnerFacts & {
  spend: Sums | undefined;
  /** The place of the currency with most of its costs. */
  currency: number;
};

/** `spend`: undefined if it is not known. */
export function withSpend(partners: PartnerFacts[], spend: SpendRow[] | undefined): Row[] {
  const currencies = [...byCurrency(spend ?? []).keys()];
  const spendOf = spendByPartner(spend ?? []);
  return partners.map((partner) => {
    const own = spendOf.get(partner.id);
    const [main = ""] = own?.keys() ?? [];
    return { ...partner, spend: own, currency: currencies.indexOf(main) };
  });
}

const mainSums = ({ spend }: Row) => [...(spend?.values() ?? [])][0];

function changeOfSpend(row: Row): bigint | null {
  const sums = mainSums(row);
  return sums ? changeOf(sums.spend, sums.before) : null;
}

/** What the table can be ordered by. */
export const PARTNER_ORDER: Record<string, Key<Row>> = {
  name: ({ displayName }) => displayName,
  spend: (row) => ({ currency: row.currency, amount: mainSums(row)?.spend ?? null }),
  change: changeOfSpend,
  coverage: ({ rates }) => shareOf(rates),
  // Of few engagements, it says little.
  discrepancy: ({ rates }) => {
    const { discrepancyRate = null, isWithinThreshold = null } = worstOf(rates.map(ratesOf)) ?? {};
    return isWithinThreshold === null ? null : discrepancyRate;
  },
  created: ({ id }) => id,
};

/** `heading`: what leads to the order by a column, where it can be chosen. */
export function partnerTable({
  rows,
  empty,
  heading = () => ({}),
}: Pick<Table<Row>, "rows" | "empty"> & { heading?: ListView<Row>["heading"] }): Markup | string {
  return table<Row>({
    label: "Partners",
    layout: "figures-in-row",
    rows,
    empty: empty ?? "",
    columns: [
      {
        heading: "Partner",
        ...heading("name"),
        cell: ({ id, displayName }) => html`<a href="/operator/partners/${id}">${nameText(displayName)}</a>`,
      },
      { heading: "State", onPhone: "beside", cell: partnerBadge },
      {
        heading: "Live types",
        isMinor: true,
        cell: ({ integratedTypes }) => toTypes(integratedTypes).join(", ") || NONE,
      },
      {
        heading: `Spend, ${SPEND_DAYS} days`,
        kind: "number",
        onPhone: 4,
        ...heading("spend"),
        cell: ({ spend }) => amounts(spend),
      },
      {
        heading: "Change",
        kind: "number",
        onPhone: 4,
        ...heading("change"),
        cell: ({ spend }) => changes(spend),
      },
      {
        heading: "Coverage so far",
        kind: "number",
        isMinor: true,
        ...heading("coverage"),
        cell: (row) => {
          const share = shareOf(row.rates);
          return share === null ? NONE : showPercent(share);
        },
      },
      {
        heading: "Discrepancy so far",
        kind: "number",
        onPhone: 4,
        ...heading("discrepancy"),
        cell: (row) => {
          const worst = worstOf(row.rates.map(ratesOf));
          return worst ? discrepancyBadge(worst.discrepancyRate, worst.isWithinThreshold) : NONE;
        },
      },
      {
        heading: "Next step",
        cell: (row) => {
          const [step] = partnerSteps(row);
          if (step) return html`<a class="words" href="${step.href}">${step.text}</a>`;
          return html`<span class="muted">${isNotCounted(row) ? "Not calculated" : "None"}</span>`;
        },
      },
    ],
  });
}

/** Of clicks; of impressions for a partner that has only costs for those. */
function shareOf(rates: StoredRate[]): number | null {
  const { click, impression } = coverageOf(rates);
  return click ?? impression;
}

/** The days of the figures of the table. */
export const aboutTable = (now: number): string =>
  `Spend and its change are of ${describeDays(spendDays(now))}, UTC, compared with the ${SPEND_DAYS} days before. Coverage and discrepancy are of all apps and of the last ${RATE_DAYS} days up to the time of the daily job, including that day. Members see the coverage of an app, of complete days. ${USUAL}`;

/** When the cron calculated the rates, and of how many partners it has not. */
export function whenCounted(partners: PartnerFacts[], now: number): string {
  const rates = partners.flatMap((partner) => partner.rates);
  const missing = partners.filter(isNotCounted).length;
  const oldest = rates.reduce((first, { computedAt }) => Math.min(first, computedAt), now);
  const times = rates.length === 0 ? "" : `Rates as of ${describeTime(oldest)}.`;
  if (missing === 0) return times;
  return `${times} ${showPlural(missing, "partner has", "partners have")} no rates yet: the next hourly job calculates them.`.trim();
}
