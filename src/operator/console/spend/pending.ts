/** The pending costs of a partner, one by one. */

import { html } from "hono/html";
import { listPendingCosts } from "../../../db/ledger/cost-list.ts";
import { findPartner } from "../../../db/operator/partners.ts";
import { showInvisible } from "../../../domain/characters.ts";
import { formatAmount } from "../../../domain/money.ts";
import { COST_WINDOW } from "../../../domain/texts.ts";
import { COST_WINDOW_MS, toIso } from "../../../domain/time.ts";
import { costTypeName } from "../../../pages/cost-types.ts";
import { pager } from "../../../pages/list.ts";
import { time } from "../../../pages/markup.ts";
import { notFound } from "../../api/common.ts";
import { numberColumn, table } from "../elements.ts";
import { idOf, type Show } from "../layout.ts";

const PAGE_SIZE = 100;
const MAX_COST_ID = 256;

export const pendingPage: Show = async (context) => {
  const id = idOf(context);
  const after = context.url.searchParams.get("after")?.slice(0, MAX_COST_ID) ?? null;
  const [partner, { items, next }] = await Promise.all([
    findPartner(context.env.DB, id),
    listPendingCosts(context.ledger, id, { after, limit: PAGE_SIZE }, context.now),
  ]);
  if (!partner) throw notFound("partner");
  const path = `/operator/partners/${id}/pending`;
  const columns = ["Cost ID", "Type", numberColumn("Amount"), "Received", "Lapses", "Tag"];
  const rows = items.map(({ costId, costType, currency, amount, tag, receivedAt }) => {
    const received = receivedAt ?? 0;
    return html`
      <tr>
        <th scope="row"><code>${showInvisible(costId)}</code></th>
        <td data-label="Type">${costTypeName(costType)}</td>
        <td class="number" data-label="Amount">${amount === null ? "no amount" : `${currency} ${formatAmount(amount)}`}</td>
        <td data-label="Received">${time(toIso(received))}</td>
        <td data-label="Lapses">${time(toIso(received + COST_WINDOW_MS))}</td>
        <td data-label="Tag">${showInvisible(tag ?? "")}</td>
      </tr>`;
  });
  return {
    title: `Pending costs of ${partner.displayName}`,
    section: "Spend",
    body: html`
      <p><a href="/operator/spend">Spend by partner</a></p>
      <h1>Pending costs of <a href="/operator/partners/${id}">${partner.displayName}</a></h1>
      <p class="lead">Each waits up to ${COST_WINDOW} for a click or impression with its cost ID. <a href="/docs/troubleshooting#a-cost-stays-pending">Why a cost stays pending</a></p>
      ${table("Pending costs", columns, rows, html`<p class="notice">${next === null && after === null ? "No pending costs." : "No pending costs in this part of the list."}</p>`)}
      ${pager(after === null ? null : path, next === null ? null : `${path}?${new URLSearchParams({ after: next })}`, ["First page", "Next page"])}`,
  };
};
