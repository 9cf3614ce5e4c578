/** The sections of a link's page about its costs and its problems. */

import { html } from "hono/html";
import type { LinkFigures } from "../../db/ledger/reports/link-figures.ts";
import type { BrowsedLink, PageLink } from "../../db/links/browse.ts";
import type { HistoryRow } from "../../db/links/history.ts";
import type { Partners } from "../../db/links/partner-catalog.ts";
import { DROP_REASONS, type DropReason } from "../../domain/sub-links.ts";
import { describeDay, showCount, showExact, showMoney } from "../../pages/locale.ts";
import type { Markup } from "../../pages/markup.ts";
import { type Period, periodQuery } from "../../pages/periods.ts";
import type { Link } from "../../usecases/links/link.ts";
import type { Member } from "../frame.ts";
import { addUp, describeType, type Row } from "../reports/lines.ts";
import { averageOf, partnerOf } from "./cells.ts";

/** Counts of dropped parameters are shown for as many days as engagements are kept. */
export const DROPPED_DAYS = 14;

/** What a link's page shows. */
export interface LinkView {
  row: PageLink;
  link: Link;
  partners: Partners;
  period: Period;
  spend: Row[];
  counts: { day: number | null; kind: string | null; count: number }[];
  dropped: { day: number; param: string; reason: DropReason; count: number }[];
  subLinks: BrowsedLink[];
  history: HistoryRow[];
  figures: Map<number, LinkFigures> | undefined;
}

function spendHref({ path }: Member, { link, period }: LinkView, query: Record<string, string>): string {
  return `${path}/spend?${new URLSearchParams({ link: link.token, ...periodQuery(period), ...query })}`;
}

export function costsByType(member: Member, view: LinkView): Markup {
  const groups = Map.groupBy(view.spend, ({ currency, costType }) => JSON.stringify([costType, currency]));
  const rows = [...groups.keys()].sort().flatMap((key) => {
    const lines = groups.get(key) ?? [];
    const [first] = lines;
    if (!first) return [];
    const { currency, costType } = first;
    const sums = addUp(currency, lines, []);
    const average = averageOf(lines);
    return html`
      <tr>
        <th scope="row"><a href="${spendHref(member, view, { cost_type: costType ?? "", currency, by: "day" })}">${describeType(costType)}</a></th>
        <td class="number" data-label="Spend">${showExact(sums.spend, currency)} ${currency}</td>
        <td class="number" data-label="Average cost">${average === undefined ? "–" : html`${showMoney(average, currency)}`}</td>
        <td class="number" data-label="Matched">${showCount(sums.matched)}</td>
        <td class="number" data-label="Unpriced">${showCount(sums.unpriced)}</td>
      </tr>`;
  });
  return html`
    <section class="card" aria-labelledby="costs">
      <div class="head">
        <h2 id="costs">Costs by type</h2>
        ${rows.length > 0 ? html`<a href="${spendHref(member, view, { by: "day" })}">Show in Spend</a>` : ""}
      </div>
      ${
        rows.length === 0
          ? html`<p class="muted">${noCosts(view)}</p>`
          : html`
              <div class="table stacked figures-in-row" tabindex="0" role="region" aria-label="Costs by type as a table"><table>
                <thead><tr><th scope="col">Type</th>${["Spend", "Average cost", "Matched", "Unpriced"].map((head) => html`<th scope="col" class="number">${head}</th>`)}</tr></thead>
                <tbody>${rows}</tbody>
              </table></div>`
      }
    </section>`;
}

/** Why a link has no costs in these days. */
function noCosts({ row, link, partners }: LinkView): string {
  const partner = partnerOf(row, partners);
  if (!partner) return "No costs: this link has no partner.";
  if (!partner.supportsCostData) return `No costs: ${partner.displayName} doesn't support cost data yet.`;
  if (!link.cost_data_enabled) return "No costs: cost data is off for this link.";
  return "No cost matched a click or an impression of these days.";
}

export function problems({ dropped }: LinkView): Markup {
  const groups = [...Map.groupBy(dropped, ({ param, reason }) => `${param} ${reason}`).values()];
  const rows = groups
    .map((lines) => ({
      ...lines[0],
      count: lines.reduce((sum, { count }) => sum + count, 0),
      last: lines[0]?.day ?? 0,
    }))
    .sort((one, other) => other.count - one.count);
  return html`
    <section class="card" aria-labelledby="problems">
      <h2 id="problems">Problems with URLs</h2>
      ${
        rows.length === 0
          ? html`<p class="muted">No URL parameters were dropped in the last ${DROPPED_DAYS} days.</p>`
          : html`
              <p>Parameters that were dropped from the URLs of this link in the last ${DROPPED_DAYS} days. The clicks and impressions count, unless the reason says that they were not recorded.</p>
              <div class="table stacked" tabindex="0" role="region" aria-label="Dropped parameters"><table>
                <thead><tr><th scope="col">Parameter</th><th scope="col">Reason</th><th scope="col" class="number">Count</th><th scope="col">Last seen</th></tr></thead>
                <tbody>${rows.map(
                  ({ param, reason, count, last }) =>
                    html`<tr><th scope="row"><code>${param}</code></th><td data-label="Reason">${reason && DROP_REASONS[reason]}</td><td class="number" data-label="Count">${showCount(count)}</td><td class="day" data-label="Last seen">${describeDay(last)}</td></tr>`,
                )}</tbody>
              </table></div>`
      }
    </section>`;
}
