/**
 * The newest rejected costs of a partner for the clicks and impressions of an app. Members see only the ends of the IDs, because an ID
 * that no click has yet can be sent with one by anybody who knows it.
 */
import { html } from "hono/html";
import { listRecentRejections } from "../../db/ledger/recent-rejections.ts";
import { runWithPartners } from "../../db/links/partner-catalog.ts";
import { runBatch } from "../../db/statement.ts";
import { showInvisible } from "../../domain/characters.ts";
import type { Context } from "../../env.ts";
import { AppError } from "../../errors.ts";
import { reasonLink } from "../../pages/costs/rejections.ts";
import { breadcrumb, nameText, notice, pageHead } from "../../pages/elements.ts";
import { pager } from "../../pages/lists/controls.ts";
import { type Column, table } from "../../pages/lists/table.ts";
import { time } from "../../pages/markup.ts";
import {
  checkPosition,
  KEPT_REJECTIONS,
  type RejectionItem,
  toRejectionItem,
} from "../../usecases/costs/rejection-item.ts";
import type { Show } from "../frame.ts";
import { keepDays } from "../links/cells.ts";
import { partnerHref } from "./link.ts";

const PAGE_SIZE = 50;
const SHOWN_END = 6;

export const rejectionsPage: Show = async (context, { app, path, viewer }) => {
  const { env, ledger, now, url } = context;
  const id = idOf(context);
  const range = checkPosition({ after: url.searchParams.get("cursor") || null, limit: PAGE_SIZE });
  const [[partners], { items, next }] = await Promise.all([
    runWithPartners(runBatch, env.DB, viewer),
    listRecentRejections(ledger, id, app.token, range, now),
  ]);
  const partner = partners.get(id);
  if (!partner) throw new AppError("not_found", "This partner does not exist.");
  const here = `${path}/partners/${id}/rejections`;
  const none = notice(range.after === null ? "No costs were rejected in these days." : "There are no more.");
  return {
    title: `Rejected costs of ${partner.displayName}`,
    body: html`
      ${breadcrumb(
        [
          ["Partners", `${path}/partners${keepDays(url)}`],
          [partner.displayName, partnerHref({ path }, id, keepDays(url))],
        ],
        "Rejected costs",
      )}
      ${pageHead(html`Rejected costs of ${nameText(partner.displayName)}`)}
      <p class="lead">Costs for clicks and impressions of this app, the newest first. ${KEPT_REJECTIONS} The partner sees the whole IDs on its own pages.</p>
      ${table({
        label: "Rejected costs",
        hasHeading: true,
        rows: items.map(toRejectionItem),
        empty: none,
        columns: REJECTION_COLUMNS,
      })}
      ${pager(range.after === null ? null : here, next === null ? null : `${here}?${new URLSearchParams({ cursor: next })}`, ["First page", "Next page"])}`,
  };
};

/** The ID of a partner in the path; 0, which no partner has, for another text. */
export const idOf = ({ params }: Context): number =>
  /^[1-9]\d{0,14}$/.test(params.partner_id ?? "") ? Number(params.partner_id) : 0;

export const REJECTION_COLUMNS: Column<RejectionItem>[] = [
  { heading: "Sent", cell: ({ rejected_at }) => time(rejected_at) },
  { heading: "Reason", cell: ({ code }) => reasonLink(code) },
  {
    heading: "End of the cost ID",
    cell: ({ cost_id }) => html`<code>…${showInvisible(endOf(cost_id ?? ""))}</code>`,
  },
];

const endOf = (costId: string) => [...costId].slice(-SHOWN_END).join("");
