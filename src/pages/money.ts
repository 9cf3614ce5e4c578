/** Amounts as pages show them: rounded, with every digit for those who point at them where that says more; and changes of sums. */
import { html } from "hono/html";
import { changeOf } from "../domain/figures/performance.ts";
import { formatMoney } from "../domain/money.ts";
import { showAmount, showChange, showMoney } from "./locale.ts";
import type { Markup } from "./markup.ts";

/** A sum, with every digit. */
export const exactMoney = (units: bigint, currency: string): string =>
  showAmount(formatMoney(units), currency);

/** A sum, rounded to the digits of its currency or as `rounded` writes it. */
export function moneyText(units: bigint, currency: string, rounded = showMoney): Markup {
  const text = rounded(units, currency);
  const exact = exactMoney(units, currency);
  return text === exact ? html`${text}` : html`<span title="${exact}">${text}</span>`;
}

/** Amounts of several currencies below each other. The cards of a phone have the first one, with the other currency or their number. */
export const eachAmount = (amounts: [currency: string, amount: Markup | string][]): Markup => {
  const [, second] = amounts;
  const more = amounts.length > 2 ? `+ ${amounts.length - 1} more` : second && `+ ${second[0]}`;
  return html`${amounts.map(([, amount], at) => html`<div${at === 0 && more ? html` data-more="${more}"` : ""}>${amount}</div>`)}`;
};

/** A difference, with its sign: `+$12.50`, `−$25.00`. Every digit if it would be rounded to zero: `+$0.0012`. */
export function signedMoney(units: bigint, currency: string): string {
  const rounded = showMoney(units, currency);
  const text = /^[<>]/.test(rounded) ? exactMoney(units, currency) : rounded;
  return `${units > 0n ? "+" : ""}${text}`;
}

/** The amount of a cost, with every digit that was sent. */
export const amountText = (amount: string | null | undefined, currency: string | null | undefined): string =>
  amount == null || currency == null ? "no amount" : showAmount(amount, currency);

/** In units of 0.000001%, as `changeOf` returns a change. What is less than half of 0.1% is written as 0.0%, and from these on as 1.0%. */
const [LEAST, LEAST_COLORED] = [50_000n, 950_000n];

/**
 * The change of a figure, which isn't zero before: `▲ +2.5%`. Only those of prices from 1% on are colored: nobody knows of others
 * whether more is good. The other changes on all pages are gray.
 */
export function changeText(
  now: bigint,
  before: bigint,
  { isPrice = false, text = showChange(now, before) } = {},
): Markup {
  const change = changeOf(now, before) ?? 0n;
  const size = change < 0n ? -change : change;
  const tone = isPrice && size >= LEAST_COLORED ? (change < 0n ? " better" : " worse") : "";
  return html`<span class="change${tone}">${size < LEAST ? "" : html`<span aria-hidden="true">${change > 0n ? "▲" : "▼"}</span> `}${text}</span>`;
}
