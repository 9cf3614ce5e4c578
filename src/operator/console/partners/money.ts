/** The spend of partners by currency, in the last days and in those before. */
import { html } from "hono/html";
import type { SpendRow } from "../../../db/operator/lists/partner-spend.ts";
import { sumOf } from "../../../domain/figures/performance.ts";
import { sumAdjusted, sumCosts } from "../../../domain/money.ts";
import { NONE } from "../../../pages/locale.ts";
import type { Markup } from "../../../pages/markup.ts";
import { changeText, eachAmount, moneyText } from "../../../pages/money.ts";

/** By currency, the one with the most costs first. */
export type Sums = Map<string, { spend: bigint; before: bigint; count: number }>;

const isOf = (before: 0 | 1) => (row: SpendRow) => row.isBefore === before;
const sum = (rows: SpendRow[]) =>
  sumCosts(
    rows.flatMap(({ costsWhole, costsRest }) =>
      costsWhole === undefined || costsRest === undefined ? [] : [{ costsWhole, costsRest }],
    ),
  ) + sumAdjusted(rows);

/** By currency, the one with the most costs first. */
export function byCurrency(rows: SpendRow[]): Sums {
  // Costs without an amount are no spend.
  const known = rows.filter(({ count }) => count !== 0);
  const sums = [...Map.groupBy(known, ({ currency }) => currency)].map(([currency, ofCurrency]) => {
    const now = ofCurrency.filter(isOf(0));
    const count = sumOf(now, (row) => row.count ?? 0);
    return [currency, { spend: sum(now), before: sum(ofCurrency.filter(isOf(1))), count }] as const;
  });
  return new Map(sums.sort(([, one], [, other]) => other.count - one.count));
}

/** Of the partners that have spend in the days, or in those before. */
export const spendByPartner = (rows: SpendRow[]): Map<number, Sums> =>
  new Map([...Map.groupBy(rows, ({ partnerId }) => partnerId)].map(([id, own]) => [id, byCurrency(own)]));

/** The sums of several partners. */
export function addedUp(all: Sums[]): Sums | undefined {
  const sums: Sums = new Map();
  for (const [currency, { spend, before, count }] of all.flatMap((one) => [...one])) {
    const sum = sums.get(currency) ?? { spend: 0n, before: 0n, count: 0 };
    sums.set(currency, { spend: sum.spend + spend, before: sum.before + before, count: sum.count + count });
  }
  return sums.size === 0
    ? undefined
    : new Map([...sums].sort(([, one], [, other]) => other.count - one.count));
}

export const amounts = (sums: Sums | undefined): Markup | string =>
  sums === undefined
    ? NONE
    : eachAmount([...sums].map(([currency, { spend }]) => [currency, moneyText(spend, currency)]));

/** The changes, in the order of `amounts`. */
export const changes = (sums: Sums | undefined): Markup | string =>
  sums === undefined
    ? NONE
    : html`${[...sums.values()].map(({ spend, before }) => html`<div>${changeText(spend, before)}</div>`)}`;
