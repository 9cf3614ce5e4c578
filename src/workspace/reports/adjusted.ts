/** Below the figures of a page: how much of the spend an operator adjusted, and why. */
import { html } from "hono/html";
import { type Adjustment, MOST_ADJUSTMENTS } from "../../db/ledger/reports/adjustments.ts";
import type { Partners } from "../../db/links/partner-catalog.ts";
import { nameText } from "../../pages/elements.ts";
import { table } from "../../pages/lists/table.ts";
import { describeDay } from "../../pages/locale.ts";
import type { Markup } from "../../pages/markup.ts";
import { moneyText } from "../../pages/money.ts";
import type { Member } from "../frame.ts";
import { partnerLink } from "../partners/link.ts";
import type { Sums } from "./lines.ts";

/** Nothing where the spend of each currency is as partners reported it. */
export function adjustedNote(
  { path }: Member,
  sums: Pick<Sums, "currency" | "adjusted">[],
  adjustments: Adjustment[],
  partners: Partners,
): Markup | "" {
  const adjusted = sums.filter(({ adjusted }) => adjusted !== 0n);
  if (adjusted.length === 0) return "";
  const joint = (at: number) => (at === 0 ? "" : at === adjusted.length - 1 ? " and " : ", ");
  const amounts = adjusted.map(
    ({ adjusted, currency }, at) =>
      html`${joint(at)}<span class="amount">${moneyText(adjusted, currency)}</span>`,
  );
  return html`
    <details class="adjusted">
      <summary><span>Spend includes ${amounts} in adjustments by an operator</span></summary>
      ${table<Adjustment>({
        label: "Adjustments",
        hasHeading: true,
        rows: adjustments.filter((row) => adjusted.some(({ currency }) => currency === row.currency)),
        columns: [
          { heading: "Day", kind: "day", cell: ({ day }) => describeDay(day) },
          {
            heading: "Link",
            cell: ({ token, label }) => html`<a href="${path}/links/${token}">${nameText(label)}</a>`,
          },
          {
            heading: "Partner",
            cell: ({ partnerId: id }) =>
              partnerLink({ path }, { id, displayName: partners.get(id)?.displayName ?? String(id) }),
          },
          { heading: "Type", cell: ({ costType }) => costType },
          {
            heading: "Amount",
            kind: "number",
            cell: ({ amount, currency }) => moneyText(BigInt(amount), currency),
          },
          { heading: "Reason", cell: ({ reason }) => nameText(reason) },
        ],
      })}
      ${adjustments.length < MOST_ADJUSTMENTS ? "" : html`<p class="hint">The newest ${MOST_ADJUSTMENTS} of these days.</p>`}
    </details>`;
}
