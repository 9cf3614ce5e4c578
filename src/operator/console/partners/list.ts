/** The console's first page: the partners with their next steps, and the form that creates one. */
import { html } from "hono/html";
import { type PartnerRow, searchPartners } from "../../../db/operator/partners.ts";
import { COST_TYPE, COST_TYPES, type CostType, toMask } from "../../../domain/cost-types.ts";
import { DEFAULT_MAX_URL_AMOUNT, formatAmount } from "../../../domain/money.ts";
import { costTypeName } from "../../../pages/cost-types.ts";
import { noRows, readListView } from "../../../pages/list.ts";
import type { Markup } from "../../../pages/markup.ts";
import { createPartner, type PartnerItem, toPartnerItem } from "../../api/partners.ts";
import { field, pick, table } from "../elements.ts";
import { type Act, done, type Show } from "../layout.ts";

const DEFAULT_PRICE = formatAmount(DEFAULT_MAX_URL_AMOUNT);

const LIST = {
  path: "/operator",
  nouns: ["partner", "partners"] as [string, string],
  search: "Name contains",
  sorts: { name: "Name", "-created": "Newest first" },
  filters: [
    {
      name: "state",
      label: "State",
      options: [
        ["", "Any state"],
        ["integrated", "Has live cost types"],
        ["none", "No live cost types"],
        ["round", "In a round"],
        ["stopped", "Stopped"],
        ["high-price", `Prices on URLs above ${DEFAULT_PRICE}`],
      ] as [string, string][],
    },
  ],
};

const NO_PARTNERS = html`<p class="notice">No partners yet. <a href="/operator/partners/new">Create the first one</a>, then open a round for it.</p>`;

export const partnersPage: Show = async (context) => {
  const list = await readListView(context, LIST, searchPartners);
  const columns = [
    "Partner",
    "Cost data",
    ...COST_TYPES.map((type) => html`<th scope="col">${costTypeName(type)}</th>`),
    "Next step",
  ];
  return {
    section: "Partners",
    body: html`
      <div class="head"><h1>Partners</h1><a class="button" href="/operator/partners/new">New partner</a></div>
      <p class="lead">A cost type goes live for a partner once it passes an integration round.</p>
      <p><a href="/operator?state=high-price">Partners whose prices on URLs may be above ${DEFAULT_PRICE}</a></p>
      ${list.controls}
      ${table("Partners", columns, list.rows.map(partnerRow), noRows(list, NO_PARTNERS, "partners"))}
      ${list.pager}`,
  };
};

export const newPartnerPage: Show = async (_context, formError) => ({
  title: "New partner",
  section: "Partners",
  body: html`
    <h1>New partner</h1>
    <section class="card">
      <form method="post" action="/operator/partners/new">
        ${field({ name: "display_name", label: "Name", required: true }, formError)}
        <button>Create partner</button>
      </form>
    </section>`,
});

/** The operator's next step for a partner: none if every cost type is integrated and can be sent and matched. */
function nextStep(
  { id, integratedTypes, hasLiveCredential, stoppedAt }: PartnerRow,
  item: PartnerItem,
): Markup {
  const [round] = item.open_rounds;
  if (stoppedAt !== null) return html`<a href="/operator/partners/${id}#stop">Resume</a>`;
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
      <td data-label="Cost data">${stateBadge(partner)}</td>
      ${COST_TYPES.map((type) => html`<td data-label="${type}">${typeBadges(partner, type)}</td>`)}
      <td data-label="Next step">${nextStep(partner, item)}</td>
    </tr>`;
}

/** Whether the partner may send costs. */
export function stateBadge({
  supportsCostData,
  stoppedAt,
}: Pick<PartnerRow, "supportsCostData" | "stoppedAt">): Markup {
  if (stoppedAt !== null) return html`<span class="badge error">Stopped</span>`;
  return supportsCostData
    ? html`<span class="badge ok">cost data</span>`
    : html`<span class="badge">no cost data</span>`;
}

/** The integration of a cost type. A live one can be in a round too. */
export function typeBadges({ integratedTypes, typesInRound, stoppedAt }: PartnerRow, type: CostType): Markup {
  const isLive = (integratedTypes & COST_TYPE[type].bit) !== 0;
  const isInRound = (typesInRound & COST_TYPE[type].bit) !== 0;
  if (!isLive && !isInRound) return html`<span class="badge">none</span>`;
  const live =
    stoppedAt === null
      ? html`<span class="badge ok">integrated</span>`
      : html`<span class="badge error">stopped</span>`;
  return html`${isLive ? live : ""} ${isInRound ? html`<span class="badge warn">in round</span>` : ""}`;
}

export const submitNewPartner: Act = async (context, session, form) => {
  const { id } = await createPartner.submit(context, session, { body: pick(form, "display_name") });
  return done(`/operator/partners/${id}`, "partner-created");
};
