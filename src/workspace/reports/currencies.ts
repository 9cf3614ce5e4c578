/** Chooses the currency of the charts and lists of a page. */
import { choices } from "../../pages/elements.ts";
import { withQuery } from "../../pages/lists/query.ts";
import type { Markup } from "../../pages/markup.ts";

/** Nothing if there is only one. `current` may be one that the period does not have. */
export function currencyChoices(url: URL, currencies: string[], current: string | null): Markup | "" {
  const all = current === null || currencies.includes(current) ? currencies : [current, ...currencies];
  if (all.length < 2) return "";
  return choices(
    "Currency",
    all.map((one) => [one, withQuery(url, { currency: one }), one === current]),
  );
}
