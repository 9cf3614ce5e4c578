/** Amounts as pages show them: sums are rounded to the digits of their currency, with every digit for those who point at them. */
import { html } from "hono/html";
import { formatMoney } from "../domain/money.ts";
import { showAmount, showMoney } from "./locale.ts";
import type { Markup } from "./markup.ts";

export const moneyText = (units: bigint, currency: string): Markup =>
  html`<span title="${showAmount(formatMoney(units), currency)}">${showMoney(units, currency)}</span>`;

/** The amount of a cost, with every digit that was sent. */
export const amountText = (amount: string | null | undefined, currency: string | null | undefined): string =>
  amount == null || currency == null ? "no amount" : showAmount(amount, currency);
