/** The newest rejected costs of a partner, one by one. */
import { html } from "hono/html";
import { listRecentRejections } from "../../../db/ledger/recent-rejections.ts";
import { findPartner } from "../../../db/operator/partners.ts";
import { rejectionTable } from "../../../pages/costs/rejections.ts";
import { nameText, notice, pageHead } from "../../../pages/elements.ts";
import { pager } from "../../../pages/lists/controls.ts";
import { checkPosition, KEPT_REJECTIONS, toRejectionItem } from "../../../usecases/costs/rejection-item.ts";
import { notFound } from "../../api/common.ts";
import { idOf, partnerTrail, type Show } from "../layout.ts";

const PAGE_SIZE = 100;

export const rejectionsPage: Show = async (context) => {
  const id = idOf(context);
  const { searchParams } = context.url;
  const range = checkPosition({ after: searchParams.get("cursor")?.slice(0, 100) || null, limit: PAGE_SIZE });
  const [partner, { items, next }] = await Promise.all([
    findPartner(context.env.DB, id),
    listRecentRejections(context.ledger, id, null, range, context.now),
  ]);
  if (!partner) throw notFound("partner");
  const path = `/operator/partners/${id}/rejections`;
  const hrefOf = (costId: string) =>
    `/operator/partners/${id}/voids?${new URLSearchParams({ cost_id: costId })}`;
  const none = notice(range.after === null ? "No costs were rejected in these days." : "There are no more.");
  return {
    title: `Rejected costs of ${partner.displayName}`,
    section: "Partners",
    body: html`
      ${partnerTrail({ id, name: partner.displayName }, "Rejected costs")}
      ${pageHead(html`Rejected costs of ${nameText(partner.displayName)}`)}
      <p class="lead">The newest first. ${KEPT_REJECTIONS} Open an ID to see what a cost for it would get now.</p>
      ${rejectionTable("Rejected costs", items.map(toRejectionItem), none, hrefOf)}
      ${pager(range.after === null ? null : path, next === null ? null : `${path}?${new URLSearchParams({ cursor: next })}`, ["First page", "Next page"])}`,
  };
};
