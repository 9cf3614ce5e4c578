/** The pending costs of a partner, one by one. */
import { html } from "hono/html";
import { ANY_COST, listPartnerCosts } from "../../../db/ledger/cost-list.ts";
import { MAX_KEYS } from "../../../db/ledger/key-pages.ts";
import { MAX_PAGES } from "../../../db/ledger/key-walk.ts";
import { findPartner } from "../../../db/operator/partners.ts";
import { showInvisible } from "../../../domain/characters.ts";
import { MAX_COST_ID } from "../../../domain/costs.ts";
import { formatAmount } from "../../../domain/money.ts";
import { COST_WINDOW } from "../../../domain/texts.ts";
import { COST_WINDOW_MS, toIso } from "../../../domain/time.ts";
import { costTypeName } from "../../../pages/costs/cost-types.ts";
import { breadcrumb, nameText, notice, pageHead } from "../../../pages/elements.ts";
import { pager } from "../../../pages/lists/list.ts";
import { table } from "../../../pages/lists/table.ts";
import { showCount } from "../../../pages/locale.ts";
import { time } from "../../../pages/markup.ts";
import { amountText } from "../../../pages/money.ts";
import { notFound } from "../../api/common.ts";
import { idOf, type Show } from "../layout.ts";

const PAGE_SIZE = 100;

export const pendingPage: Show = async (context) => {
  const id = idOf(context);
  const after = context.url.searchParams.get("after")?.slice(0, MAX_COST_ID) ?? null;
  const [partner, { items, next }] = await Promise.all([
    findPartner(context.env.DB, id),
    listPartnerCosts(
      context.ledger,
      id,
      { ...ANY_COST, match: "pending" },
      { after, limit: PAGE_SIZE },
      context.now,
    ),
  ]);
  if (!partner) throw notFound("partner");
  const path = `/operator/partners/${id}/pending`;
  const none =
    next !== null
      ? `None of the first ${showCount((MAX_PAGES * MAX_KEYS) / 2)} IDs is pending. There may be more on the next page.`
      : after === null
        ? "No pending costs."
        : "No more pending costs.";
  return {
    title: `Pending costs of ${partner.displayName}`,
    section: "Spend",
    body: html`
      ${breadcrumb(
        [
          ["Spend", "/operator/spend"],
          [partner.displayName, `/operator/partners/${id}`],
        ],
        "Pending costs",
      )}
      ${pageHead(html`Pending costs of ${nameText(partner.displayName)}`)}
      <p class="lead">Each waits up to ${COST_WINDOW} for a click or impression with its cost ID. <a href="/docs/troubleshooting#a-cost-stays-pending">Why a cost stays pending</a></p>
      ${table({
        label: "Pending costs",
        rows: items.map((item) => ({ ...item, received: item.receivedAt ?? 0 })),
        empty: notice(none),
        columns: [
          { heading: "Cost ID", cell: ({ costId }) => html`<code>${showInvisible(costId)}</code>` },
          { heading: "Type", cell: ({ costType }) => costTypeName(costType) },
          {
            heading: "Amount",
            kind: "number",
            cell: ({ amount, currency }) =>
              amountText(amount === null ? null : formatAmount(amount), currency),
          },
          { heading: "Received", cell: ({ received }) => time(toIso(received)) },
          { heading: "Lapses", cell: ({ received }) => time(toIso(received + COST_WINDOW_MS)) },
          { heading: "Tag", cell: ({ tag }) => showInvisible(tag ?? "") },
        ],
      })}
      ${pager(after === null ? null : path, next === null ? null : `${path}?${new URLSearchParams({ after: next })}`, ["First page", "Next page"])}`,
  };
};
