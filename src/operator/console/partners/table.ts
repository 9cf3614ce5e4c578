/** The table of partners on the start page and in their list. */
import { html } from "hono/html";
import type { PartnerFacts } from "../../../db/operator/lists/partner-facts.ts";
import { SPEND_DAYS, type SpendRow } from "../../../db/operator/lists/partner-spend.ts";
import type { StoredRate } from "../../../db/operator/stored-rates.ts";
import { toTypes } from "../../../domain/cost-types.ts";
import { changeOf } from "../../../domain/figures/performance.ts";
import { DISCREPANCY_THRESHOLD } from "../../../domain/figures/rates.ts";
import { partnerBadge } from "../../../pages/costs/states.ts";
import { badge, nameText } from "../../../pages/elements.ts";
import type { ListView } from "../../../pages/lists/list.ts";
import type { Key } from "../../../pages/lists/order.ts";
import { type Table, table } from "../../../pages/lists/table.ts";
import { NONE, showPercent } from "../../../pages/locale.ts";
import type { Markup } from "../../../pages/markup.ts";
import { amounts, byCurrency, changes, type Sums, spendByPartner } from "./money.ts";
import { coverageOf, discrepancyOf, partnerSteps } from "./steps.ts";

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
  discrepancy: ({ rates }) => highestDiscrepancy(rates),
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
      { heading: "State", cell: partnerBadge },
      {
        heading: "Live types",
        kind: "day",
        isMinor: true,
        cell: ({ integratedTypes }) => toTypes(integratedTypes).join(", ") || NONE,
      },
      {
        heading: `Spend, ${SPEND_DAYS} days`,
        kind: "number",
        ...heading("spend"),
        cell: ({ spend }) => amounts(spend),
      },
      { heading: "Change", kind: "number", ...heading("change"), cell: ({ spend }) => changes(spend) },
      {
        heading: "Coverage",
        kind: "number",
        isMinor: true,
        ...heading("coverage"),
        cell: ({ rates }) => percentOf(shareOf(rates)),
      },
      {
        heading: "Discrepancy",
        kind: "number",
        ...heading("discrepancy"),
        cell: ({ rates }) => discrepancyBadge(highestDiscrepancy(rates)),
      },
      {
        heading: "Next step",
        kind: "day",
        cell: (row) => {
          const [step] = partnerSteps(row);
          return step ? html`<a href="${step.href}">${step.text}</a>` : html`<span class="muted">None</span>`;
        },
      },
    ],
  });
}

function highestDiscrepancy(rates: StoredRate[]): number | null {
  const known = rates.flatMap((rate) => discrepancyOf(rate) ?? []);
  return known.length === 0 ? null : Math.max(...known);
}

const discrepancyBadge = (rate: number | null) =>
  rate === null ? NONE : badge(showPercent(rate), rate < DISCREPANCY_THRESHOLD ? "ok" : "warn");

/** Of clicks; of impressions for a partner that has only costs for those. */
function shareOf(rates: StoredRate[]): number | null {
  const { click, impression } = coverageOf(rates);
  return click ?? impression;
}

const percentOf = (share: number | null) => (share === null ? NONE : showPercent(share));
