/** The console's first page: the partners with their next steps, and the pending costs. */
import { html } from "hono/html";
import { listPendingSpend, type PendingSpend } from "../../db/operator/console.ts";
import { listPartners, type PartnerRow } from "../../db/operator/partners.ts";
import { COST_TYPES, toMask } from "../../domain/cost-types.ts";
import { formatSpend } from "../../domain/money.ts";
import type { Markup } from "../../http/pages.ts";
import { createPartner, type PartnerItem, toPartnerItem } from "../api/partners.ts";
import { field, numberColumn, pick, table } from "./elements.ts";
import { type Act, done, nextLink, readPage, type Show } from "./layout.ts";
import { STATES, stateBadge } from "./partners.ts";

const NO_PARTNERS = html`<p class="notice">No partners yet. Create the first one below, then open a round for it.</p>`;

export const overviewPage: Show = async (context, formError) => {
  const [page, pending] = await Promise.all([
    readPage(context, listPartners),
    listPendingSpend(context.ledger, context.now),
  ]);
  return {
    section: "Partners",
    body: html`
      <h1>Partners</h1>
      <p class="lead">A cost type goes live for a partner once it passes an integration round.</p>
      ${table("Partners", ["Partner", "Cost data", ...COST_TYPES, "Next step"], page.items.map(partnerRow), NO_PARTNERS)}
      ${nextLink("/operator", page.next)}
      <section class="card" aria-labelledby="pending">
        <h2 id="pending">Pending costs</h2>
        <p class="muted">${pending.length === 0 ? "No pending costs." : "These costs don't have a matching click or impression yet. They don't count for any app."}</p>
        ${table("Pending costs by partner", ["Partner", numberColumn("Costs"), numberColumn("Amount")], pending.map(pendingRow))}
      </section>
      <section class="card" aria-labelledby="new">
        <h2 id="new">New partner</h2>
        <form method="post" action="/operator/partners">
          ${field({ name: "display_name", label: "Name", required: true }, formError)}
          <button>Create partner</button>
        </form>
      </section>`,
  };
};

/** The operator's next step for a partner: none if every cost type is integrated and can be sent and matched. */
function nextStep({ id, integratedTypes, hasLiveCredential }: PartnerRow, item: PartnerItem): Markup {
  const [round] = item.open_rounds;
  if (round) return html`<a href="/operator/rounds/${round}">Review round ${round}</a>`;
  if (integratedTypes && !hasLiveCredential)
    return html`<a href="/operator/partners/${id}#credentials">Issue a live credential</a>`;
  if (integratedTypes && !item.cost_parameters.includes("cost_id="))
    return html`<a href="/operator/partners/${id}#templates">Add a cost_id to the cost parameters</a>`;
  if (integratedTypes === toMask(COST_TYPES)) return html`<span class="muted">none</span>`;
  return html`<a href="/operator/partners/${id}#open">Open a round</a>`;
}

function partnerRow(partner: PartnerRow): Markup {
  const item = toPartnerItem(partner);
  return html`
    <tr>
      <th scope="row"><a href="/operator/partners/${partner.id}">${partner.displayName}</a></th>
      <td>${stateBadge(partner)}</td>
      ${COST_TYPES.map((type) => html`<td>${STATES[item.cost_types[type]]}</td>`)}
      <td>${nextStep(partner, item)}</td>
    </tr>`;
}

const pendingRow = (row: PendingSpend) =>
  html`<tr><th scope="row"><a href="/operator/partners/${row.partnerId}">${row.partner}</a></th><td class="number">${row.count}</td><td class="number">${row.currency} ${formatSpend(row.rows)}</td></tr>`;

export const submitNewPartner: Act = async (context, session, form) => {
  const { id } = await createPartner.submit(context, session, { body: pick(form, "display_name") });
  return done(`/operator/partners/${id}`, "partner-created");
};
