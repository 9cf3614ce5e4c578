/** On the overview of an app: why its spend changed, and the five campaigns whose spend changed most. Each leads to Performance. */
import { html } from "hono/html";
import { dayOf } from "../../domain/time.ts";
import type { ChartEvent } from "../../pages/chart/chart.ts";
import { card, pathText } from "../../pages/elements.ts";
import { chartEvents } from "../../pages/events.ts";
import { table } from "../../pages/lists/table.ts";
import { describeDays } from "../../pages/locale.ts";
import type { Markup } from "../../pages/markup.ts";
import { daysBefore, periodQuery } from "../../pages/periods.ts";
import { changedMost, explain } from "../../usecases/performance/changes.ts";
import { lastCostOf } from "../../usecases/performance/daily.ts";
import { DEFAULT_LEVEL } from "../../usecases/performance/read.ts";
import { type AnySum, type PerformanceRow, toRows } from "../../usecases/performance/rows.ts";
import type { Member } from "../frame.ts";
import { change, figure, INKS, signal } from "../performance/cells.ts";
import { DIRECT, isDirect, onlyLink } from "../performance/groups.ts";
import type { Overview } from "./overview-view.ts";
import { whatChanged } from "./what-changed.ts";

const MOST = 5;

interface Changes {
  explanation: Markup | "";
  events: ChartEvent[];
  most: Markup | "";
}

/** Like the Performance page of the same days. "Needs attention" also has the costs that were rejected later. */
export function overviewChanges(member: Member, overview: Overview, now: number): Changes {
  const { changes, currency, period, isCut, partners, performanceHref } = overview;
  const title = { id: "changed", title: "Changed most" };
  if (!changes) {
    const most = card(
      title,
      html`<p>Too many links had spend or clicks to compare them. Choose fewer days.</p>`,
    );
    return { explanation: "", events: [], most };
  }
  const rowsBy = (group?: "link" | "partner" | "cost_type", isOf?: (sum: AnySum) => boolean) =>
    toRows(changes, { group, currency, costType: undefined, now: period, partners }, isOf);
  const [total] = rowsBy() as [PerformanceRow];
  const costs = [...overview.spend, ...overview.spendBefore];
  const lastCost = (id: number) => lastCostOf(id, costs);
  const report = { rowsBy, total, currency, now: period, partners, lastCost };
  const rejected = overview.rejected.filter(({ isLater }) => !isLater);
  const explained = explain(report, { ...overview, rejected }, {}, { isDaily: true });
  const compared = {
    isCompared: period.to < dayOf(now) && !isCut,
  };
  const explanation = whatChanged(
    { explained, report, isCompared: compared.isCompared },
    member,
    `?${new URLSearchParams(periodQuery(period))}`,
  );
  const events = chartEvents(explained.shown, partners);
  // Without anything before, nothing changed: everything is new.
  const isNew = changes.before.spend.length + changes.before.engagements.length === 0;
  const rows = compared.isCompared && !isNew ? changedMost(rowsBy("link"), MOST) : [];
  if (rows.length === 0) return { explanation, events, most: "" };
  const inCurrency = currency ? { currency } : {};
  const most = card(
    {
      ...title,
      aside: html`<a href="${performanceHref(inCurrency)}">Show all</a>`,
    },
    table<PerformanceRow>({
      label: "Campaigns whose spend changed most",
      layout: "figures-in-row",
      rows,
      columns: [
        {
          heading: "Campaign",
          cell: (row) => {
            const direct = isDirect(row, DEFAULT_LEVEL);
            const only = onlyLink(row.key, direct ? 0 : DEFAULT_LEVEL + 1);
            return html`<a class="path" href="${performanceHref({ ...only, ...inCurrency })}">${pathText(String(row.fields.link_name ?? "").split("::"))}</a>${direct ? DIRECT : ""}`;
          },
        },
        { heading: "Spend", kind: "number", onPhone: 5, cell: (row) => figure("spend", row.now, currency) },
        { heading: "Change", kind: "number", onPhone: 7, cell: (row) => change("spend", row, compared) },
        {
          heading: "Cost per click",
          kind: "number",
          onPhone: 5,
          cell: (row) => figure("cost_per_click", row.now, currency),
        },
        {
          heading: "Change",
          kind: "number",
          onPhone: 7,
          cell: (row) => change("cost_per_click", row, compared),
        },
        { heading: "Signal", onPhone: "beside", cell: (row) => signal(row, compared) },
      ],
    }),
    html`<p class="hint">Spend in ${currency}, compared with ${describeDays(daysBefore(period))}. ${INKS}</p>`,
  );
  return { explanation, events, most };
}
