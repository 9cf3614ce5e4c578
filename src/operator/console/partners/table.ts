/** The table of partners on the start page and in their list. */
import { html } from "hono/html";
import type { PartnerFacts } from "../../../db/operator/lists/partner-facts.ts";
import { type RecordedRow, SPEND_DAYS, type SpendRow } from "../../../db/operator/lists/partner-spend.ts";
import { COST_TYPE, KINDS } from "../../../domain/cost-types.ts";
import { changeOf, sumOf } from "../../../domain/figures/performance.ts";
import { RATE_DAYS, worstOf } from "../../../domain/figures/rates.ts";
import { silentSince } from "../../../domain/partner-state.ts";
import { discrepancyBadge, USUAL } from "../../../pages/costs/rates.ts";
import { coverageBadge, partnerSignals } from "../../../pages/costs/states.ts";
import { nameText } from "../../../pages/elements.ts";
import type { ListView } from "../../../pages/lists/list.ts";
import type { Key } from "../../../pages/lists/order.ts";
import { type Table, table } from "../../../pages/lists/table.ts";
import { describeTime, NONE, showPlural } from "../../../pages/locale.ts";
import type { Markup } from "../../../pages/markup.ts";
import { amounts, byCurrency, changes, type Sums, spendByPartner } from "./money.ts";
import { isNotCounted, partnerSteps, ratesOf } from "./steps.ts";

type Row = PartnerFacts & {
  spend: Sums | undefined;
  /** The place of the currency with most of its costs. */
  currency: number;
  /** Of clicks; of impressions for a partner that has only those. */
  coverage: number | null;
  /** What it is of. */
  recorded: number;
};

interface Figures {
  partners: PartnerFacts[];
  /** Undefined if they are not known. */
  spend: SpendRow[] | undefined;
  recorded: RecordedRow[] | undefined;
}

export function withFigures({ partners, spend, recorded }: Figures): Row[] {
  const currencies = [...byCurrency(spend ?? []).keys()];
  const spendOf = spendByPartner(spend ?? []);
  return partners.map((partner) => {
    const own = spendOf.get(partner.id);
    const [main = ""] = own?.keys() ?? [];
    const counted = recorded?.filter(({ partnerId }) => partnerId === partner.id) ?? [];
    const kind =
      KINDS.find((kind) => counted.some((row) => row.kind === kind && row.recorded > 0)) ?? "click";
    const of = sumOf(counted, (row) => (row.kind === kind ? row.recorded : 0));
    const matched = sumOf(spend ?? [], ({ partnerId, isBefore, costType, count = 0, unpriced = 0 }) =>
      partnerId === partner.id && !isBefore && costType && COST_TYPE[costType].fits[0] === kind
        ? count + unpriced
        : 0,
    );
    return {
      ...{ ...partner, spend: own, currency: currencies.indexOf(main) },
      ...{ recorded: of, coverage: of === 0 ? null : matched / of },
    };
  });
}

const mainSums = ({ spend }: Row) => [...(spend?.values() ?? [])][0];

const worstRate = ({ rates }: PartnerFacts) => worstOf(rates.map(ratesOf));

/** What the lists and the page of a partner say of it: its state, or what needs a look first. */
export const signalsOf = (partner: PartnerFacts, of: Pick<Row, "coverage" | "recorded">): Markup =>
  partnerSignals(partner, { ...of, silentSince: silentSince(partner, partner), worst: worstRate(partner) });

function changeOfSpend(row: Row): bigint | null {
  const sums = mainSums(row);
  return sums ? changeOf(sums.spend, sums.before) : null;
}

/** What the table can be ordered by. */
export const PARTNER_ORDER: Record<string, Key<Row>> = {
  name: ({ displayName }) => displayName,
  spend: (row) => ({ currency: row.currency, amount: mainSums(row)?.spend ?? null }),
  change: changeOfSpend,
  coverage: ({ coverage }) => coverage,
  // Of few engagements, it says little.
  discrepancy: (row) => {
    const { discrepancyRate = null, isWithinThreshold = null } = worstRate(row) ?? {};
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
      {
        heading: "State",
        onPhone: "beside",
        cell: (row) => signalsOf(row, row),
      },
      {
        heading: "Spend",
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
        heading: "Coverage",
        kind: "number",
        isMinor: true,
        ...heading("coverage"),
        cell: ({ coverage, recorded }) => coverageBadge(coverage, recorded),
      },
      {
        heading: "Discrepancy",
        kind: "number",
        onPhone: 4,
        ...heading("discrepancy"),
        cell: (row) => {
          const worst = worstRate(row);
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

/** What the days above the table are not about. */
export const ABOUT_TABLE = `In all apps. Changes are compared with the ${SPEND_DAYS} days before. Discrepancy covers the ${RATE_DAYS} days up to the one on which it was last counted. ${USUAL}`;

/** When the cron calculated the rates, and of how many partners it has not. */
export function whenCounted(partners: PartnerFacts[], now: number): string {
  const rates = partners.flatMap((partner) => partner.rates);
  const missing = partners.filter(isNotCounted).length;
  const oldest = rates.reduce((first, { computedAt }) => Math.min(first, computedAt), now);
  const times = rates.length === 0 ? "" : `Rates as of ${describeTime(oldest)}.`;
  if (missing === 0) return times;
  return `${times} ${showPlural(missing, "partner has", "partners have")} no rates yet: the hourly job counts them.`.trim();
}
