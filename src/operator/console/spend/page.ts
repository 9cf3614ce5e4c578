/** The spend of all apps by partner, and the costs that wait for their click or impression. */
import { html } from "hono/html";
import * as z from "zod/mini";
import { findSpendOfApps } from "../../../db/ledger/reports/reports.ts";
import { listAppTokens } from "../../../db/operator/apps.ts";
import { listPartnerNames } from "../../../db/operator/partners.ts";
import { listPendingSpend, type PendingSpend } from "../../../db/operator/pending.ts";
import { formatSpend, sumAdjusted, sumSpend } from "../../../domain/money.ts";
import { parsePairs, readPairs } from "../../../http/input/pairs.ts";
import { showCount, showMoney } from "../../../pages/locale.ts";
import type { Markup } from "../../../pages/markup.ts";
import { periodChecks, periodFields, periodPicker, toPeriod } from "../../../pages/periods.ts";
import { numberColumn, table } from "../elements.ts";
import type { Show } from "../layout.ts";

const days = z.strictObject(periodFields).check(...periodChecks);

export const spendPage: Show = async (context) => {
  const { ledger, env, url, now } = context;
  // An invalid period counts as none.
  const pairs = readPairs(url.search.slice(1)).filter(({ value }) => value !== "");
  const period = toPeriod(parsePairs(days, pairs, "rejected", []) ?? {}, now);
  const [tokens, names, pending] = await Promise.all([
    listAppTokens(env.DB),
    listPartnerNames(env.DB),
    listPendingSpend(ledger, now),
  ]);
  const rows = await findSpendOfApps(ledger, period, ["partner"], tokens);
  const nameOf = new Map(names.map(({ id, name }) => [id, name]));
  const groups = [...Map.groupBy(rows, ({ partnerId, currency }) => `${partnerId} ${currency}`).values()]
    .map((some) => ({
      partnerId: some[0]?.partnerId ?? 0,
      name: nameOf.get(some[0]?.partnerId ?? 0) ?? "",
      currency: some[0]?.currency ?? "",
      spend: sumSpend(some),
      adjusted: sumAdjusted(some),
      matched: some.reduce((sum, row) => sum + row.matched, 0),
      unpriced: some.reduce((sum, row) => sum + row.unpriced, 0),
    }))
    .sort((one, other) => one.name.localeCompare(other.name) || (one.currency < other.currency ? -1 : 1));
  const columns = ["Partner", ...["Spend", "Adjusted", "Matched costs", "Unpriced costs"].map(numberColumn)];
  const shown = groups.map(
    (row) => html`
      <tr>
        <th scope="row"><a href="/operator/partners/${row.partnerId}">${row.name}</a></th>
        <td class="number" data-label="Spend">${showMoney(row.spend, row.currency)}</td>
        <td class="number" data-label="Adjusted">${row.adjusted === 0n ? "–" : showMoney(row.adjusted, row.currency)}</td>
        <td class="number" data-label="Matched costs">${showCount(row.matched)}</td>
        <td class="number" data-label="Unpriced costs">${showCount(row.unpriced)}</td>
      </tr>`,
  );
  return {
    section: "Spend",
    body: html`
      <h1>Spend by partner</h1>
      ${periodPicker(url, period)}
      ${table("Spend by partner", columns, shown, html`<p class="notice">No matched costs in this period.</p>`)}
      <p class="muted">All apps together. Spend includes adjustments, and each currency has its own row.</p>
      ${pendingSection(pending)}`,
  };
};

function pendingSection(pending: PendingSpend[]): Markup {
  return html`
    <section class="card" aria-labelledby="pending">
      <h2 id="pending">Pending costs</h2>
      <p class="muted">${pending.length === 0 ? "No pending costs." : "These costs don't have a matching click or impression yet. They don't count for any app."}</p>
      ${table("Pending costs by partner", ["Partner", numberColumn("Costs"), numberColumn("Amount")], pending.map(pendingRow))}
    </section>`;
}

const pendingRow = (row: PendingSpend) => html`
  <tr>
    <th scope="row"><a href="/operator/partners/${row.partnerId}/pending">${row.partner}</a></th>
    <td class="number" data-label="Costs">${showCount(row.count)}</td>
    <td class="number" data-label="Amount">${row.currency} ${formatSpend(row.rows)}</td>
  </tr>`;
