/** Amounts as pages show them: rounded to the digits of their currency, with every digit for those who point at them. */
import { html } from "hono/html";
import { showExact, showMoney } from "./locale.ts";
import type { Markup } from "./markup.ts";

export const moneyText = (units: bigint, currency: string): Markup =>
  html`<span title="${showExact(units, currency)} ${currency}">${showMoney(units, currency)}</span>`;
