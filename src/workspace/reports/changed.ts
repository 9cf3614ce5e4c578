/** The five campaigns whose spend changed most, on the overview of an app. Each leads to Performance. */
import { html } from "hono/html";
import type { DayRange } from "../../db/ledger/reports/statements.ts";
import type { Partners } from "../../db/links/partner-catalog.ts";
import { dayOf } from "../../domain/time.ts";
import { card, pathText } from "../../pages/elements.ts";
import { table } from "../../pages/lists/table.ts";
import { describeDays } from "../../pages/locale.ts";
import type { Markup } from "../../pages/markup.ts";
import { daysBefore } from "../../pages/periods.ts";
import { changedMost as rowsChangedMost } from "../../usecases/performance/changes.ts";
import { isFinal } from "../../usecases/performance/read.ts";
import { type BothSums, type PerformanceRow, toRows } from "../../usecases/performance/rows.ts";
import { change, figure, INKS, signal } from "../performance/cells.ts";

const MOST = 5;

interface Changed {
  /** The sums of both periods by campaign. Undefined if there are too many links to read. */
  changes: BothSums | undefined;
  currency: string | null;
  period: DayRange;
  partners: Partners;
  performanceHref: (query: Record<string, string>) => string;
}

export function changedMost(
  { changes, currency, period, partners, performanceHref }: Changed,
  now: number,
): Markup | "" {
  if (!changes) {
    return card(
      { id: "changed", title: "Changed most" },
      html`<p>Too many links had spend or clicks to compare them. Choose fewer days.</p>`,
    );
  }
  // Without anything before, nothing changed: everything is new.
  if (changes.before.spend.length + changes.before.engagements.length === 0) return "";
  const compared = { isCompared: period.to < dayOf(now), isOpen: !isFinal(period, now) };
  const all = toRows(changes, { group: "link", currency, costType: undefined, now: period, partners });
  const rows = rowsChangedMost(all, MOST);
  if (rows.length === 0 || !compared.isCompared) return "";
  const href = performanceHref({ sort: "-spend_change", ...(currency && { currency }) });
  return card(
    { id: "changed", title: "Changed most", aside: html`<a href="${href}">Show all</a>` },
    table<PerformanceRow>({
      label: "Campaigns whose spend changed most",
      layout: "figures-in-row",
      rows,
      columns: [
        {
          heading: "Campaign",
          cell: ({ key, fields }) =>
            html`<a href="${performanceHref({ link: key, level: "3", ...(currency && { currency }) })}">${pathText(String(fields.link_name ?? "").split("::"))}</a>`,
        },
        { heading: "Spend", kind: "number", cell: (row) => figure("spend", row.now, currency) },
        { heading: "Change", kind: "number", cell: (row) => change("spend", row, compared) },
        {
          heading: "Cost per click",
          kind: "number",
          cell: (row) => figure("cost_per_click", row.now, currency),
        },
        {
          heading: "Change",
          kind: "number",
          cell: (row) => change("cost_per_click", row, compared),
        },
        { heading: "Signal", cell: (row) => signal(row, compared) },
      ],
    }),
    html`<p class="hint">Spend in ${currency}, compared with ${describeDays(daysBefore(period))}. ${INKS}</p>`,
  );
}
