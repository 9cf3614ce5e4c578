/** The console's list of partners with their next steps. */
import { html } from "hono/html";
import { type PartnerRow, searchPartners } from "../../../db/operator/partners.ts";
import { COST_TYPES } from "../../../domain/cost-types.ts";
import { DEFAULT_MAX_URL_AMOUNT, formatAmount } from "../../../domain/money.ts";
import { partnerBadge, typeBadges } from "../../../pages/costs/states.ts";
import { buttonLink, nameText, notice, pageHead } from "../../../pages/elements.ts";
import type { Option } from "../../../pages/forms/fields.ts";
import { noRows, readListView } from "../../../pages/lists/list.ts";
import { table } from "../../../pages/lists/table.ts";
import type { Show } from "../layout.ts";
import { nextStep } from "./next-step.ts";

const LIST = {
  path: "/operator/partners",
  nouns: ["partner", "partners"] as [string, string],
  search: "Name contains",
  sorts: { name: "Name", "-created": "Newest first" },
  filters: [
    {
      name: "state",
      label: "State",
      options: [
        ["", "Any state"],
        ["integrated", "Live"],
        ["none", "Not integrated"],
        ["round", "In a round"],
        ["stopped", "Stopped"],
        ["high-price", `Prices on URLs above ${formatAmount(DEFAULT_MAX_URL_AMOUNT)}`],
        ["no-limit", "Prices on URLs without a limit a day"],
      ] as Option[],
    },
  ],
};

export const partnersPage: Show = async (context) => {
  const list = await readListView(context, LIST, searchPartners);
  const none = notice(
    html`No partners yet. <a href="/operator/partners/new">Create the first one</a>, then open a round for it.`,
  );
  return {
    section: "Partners",
    body: html`
      ${pageHead("Partners", buttonLink("/operator/partners/new", "New partner", ""))}
      <p class="lead">A cost type goes live for a partner once it passes an integration round.</p>
      ${list.controls}
      ${table({
        label: "Partners",
        layout: "figures-in-row",
        rows: list.rows,
        empty: noRows(list, none, "partners"),
        columns: [
          { heading: "Partner", cell: partnerLink },
          { heading: "State", cell: partnerBadge },
          ...COST_TYPES.map((type) => ({
            heading: type,
            cell: (partner: PartnerRow) => typeBadges(partner, type),
          })),
          { heading: "Next step", cell: nextStepLink },
        ],
      })}
      ${list.pager}`,
  };
};

export const partnerLink = ({ id, displayName }: Pick<PartnerRow, "id" | "displayName">) =>
  html`<a href="/operator/partners/${id}">${nameText(displayName)}</a>`;

export function nextStepLink(partner: PartnerRow) {
  const step = nextStep(partner);
  return step ? html`<a href="${step.href}">${step.text}</a>` : html`<span class="muted">None</span>`;
}
