/** Chooses the currency of the charts and lists of a page. */
import { choices } from "../../pages/elements.ts";
import { withQuery } from "../../pages/lists/query.ts";
import type { Markup } from "../../pages/markup.ts";

/** The currencies with their links; none if there is only one. `current` may be one that the period does not have. */
export function currencyLinks(
  url: URL,
  currencies: string[],
  current: string | null,
): [name: string, href: string, isCurrent: boolean][] {
  const all = current === null || currencies.includes(current) ? currencies : [current, ...currencies];
  return all.length < 2 ? [] : all.map((one) => [one, withQuery(url, { currency: one }), one === current]);
}

export function currencyChoices(...given: Parameters<typeof currencyLinks>): Markup | "" {
  const links = currencyLinks(...given);
  return links.length === 0 ? "" : choices("Currency", links);
}
