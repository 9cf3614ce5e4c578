/** A cost of a partner: an operator finds it by its ID, looks at it, and voids it with a reason. */
import { html } from "hono/html";
import { findPartner } from "../../../db/operator/partners.ts";
import { showInvisible } from "../../../domain/characters.ts";
import { dayOf } from "../../../domain/time.ts";
import { AppError } from "../../../errors.ts";
import { storedCostId } from "../../../http/input/fields.ts";
import { parseOrThrow } from "../../../http/input/parse.ts";
import { priceText } from "../../../pages/costs/cost-types.ts";
import { rejectionsOfId, unacceptedCards } from "../../../pages/costs/rejections.ts";
import { costBadge } from "../../../pages/costs/states.ts";
import { card, facts, nameText, pageHead } from "../../../pages/elements.ts";
import type { RejectedForm } from "../../../pages/forms/fields.ts";
import { form } from "../../../pages/forms/form.ts";
import { describeDay } from "../../../pages/locale.ts";
import { type Markup, time } from "../../../pages/markup.ts";
import { badField, notFound } from "../../api/common.ts";
import { findPartnerCost } from "../../api/costs.ts";
import { newVoid, voidCost } from "../../api/voids.ts";
import { type Act, done, idOf, partnerTrail, pick, type Show } from "../layout.ts";

type Found = NonNullable<Awaited<ReturnType<typeof findPartnerCost>>["cost"]>;

const pathOf = (partnerId: number) => `/operator/partners/${partnerId}/voids`;

/** The field for the ID of a cost, which leads to its page. */
const finder = (partnerId: number, costId = "", rejected?: RejectedForm) =>
  form(
    {
      action: pathOf(partnerId),
      method: "get",
      fields: { cost_id: { label: "Cost ID", required: true, maxlength: 256 } },
      values: { cost_id: costId },
      button: "Find cost",
      kind: "secondary",
      id: "find",
    },
    rejected,
  );

export const voidSection = (partnerId: number): Markup =>
  card(
    { id: "void", title: "Find or void a cost" },
    html`<p class="muted">Look at a cost with its click or impression, then void it if it must not count. <a href="/docs/corrections">How to correct a cost</a></p>`,
    finder(partnerId),
  );

export const costPage: Show = async (context, rejected) => {
  const id = idOf(context);
  const costId = rejected?.form.get("cost_id") ?? context.url.searchParams.get("cost_id") ?? "";
  const isId = costId.trim() !== "" && storedCostId.safeParse(costId).success;
  if (!isId && !rejected && costId.trim() !== "") throw badField("cost_id", "must have 1 to 256 characters");
  const [partner, { cost: found, unaccepted } = {}] = await Promise.all([
    findPartner(context.env.DB, id),
    isId ? findPartnerCost(context, id, costId) : undefined,
  ]);
  if (!partner) throw notFound("partner");
  const shown = html`<span class="id">${showInvisible(found?.cost_id ?? costId)}</span>`;
  return {
    title: isId ? `Cost ${showInvisible(found?.cost_id ?? costId)}` : "Find a cost",
    section: "Partners",
    body: html`
      ${partnerTrail({ id, name: partner.displayName }, "Cost")}
      ${isId ? pageHead(shown, found ? costBadge(found.match) : "") : pageHead("Find a cost")}
      ${found ? html`${values(id, found)}${found.rejections.length > 0 ? rejectionsOfId(found.rejections) : ""}${voidCard(id, found, rejected)}` : ""}
      ${unaccepted ? unacceptedCards("This partner has", unaccepted) : ""}
      ${card({ id: "another", title: isId ? "Find another cost" : "Cost ID" }, finder(id, found ? "" : costId, isId ? undefined : rejected))}`,
  };
};

function values(partnerId: number, item: Found): Markup {
  const { engagement, app_token, link, url_price: price } = item;
  const day = engagement && dayOf(Date.parse(engagement.occurred_at));
  return card(
    { id: "cost", title: "Cost" },
    facts(
      ["Type", item.cost_type ?? ""],
      ["Amount", priceText(item)],
      ["Source", item.source === "call" ? "Sent by the partner" : "Price on the URL"],
      item.received_at != null && ["Received", time(item.received_at)],
      item.tag !== null && ["Tag", showInvisible(item.tag)],
      price !== null && ["Price on the URL", `${priceText(price)}, ${price.cost_type}`],
      [
        "Click or impression",
        engagement
          ? html`${engagement.kind}, ${time(engagement.occurred_at)}`
          : (item.mismatch ?? "None yet"),
      ],
      day !== null && ["Day in reports", describeDay(day)],
      app_token !== null && ["App", html`<a href="/operator/apps/${app_token}">${app_token}</a>`],
      link !== null && [
        "Link",
        html`<a href="/operator/partners/${partnerId}/costs?link_token=${link.token}">${nameText(link.label)}</a> <code>${link.token}</code>`,
      ],
    ),
    adjustLink(partnerId, item),
  );
}

/** Leads to the form that corrects spend, with the values of the cost. */
function adjustLink(partnerId: number, item: Found): Markup | "" {
  const { app_token, link, engagement } = item;
  if (app_token === null || link === null || !engagement) return "";
  const query = new URLSearchParams({
    app_token,
    link_token: link.token,
    day: engagement.occurred_at.slice(0, 10),
    partner_id: String(partnerId),
    cost_type: item.cost_type ?? "",
    currency: item.cost_currency ?? "",
  });
  return html`<p><a href="/operator/adjustments/new?${query}">Adjust the spend of this link and day</a></p>`;
}

function voidCard(partnerId: number, item: Found, rejected?: RejectedForm): Markup {
  if (item.match === "voided")
    return card(
      { id: "void", title: "Voided" },
      html`<p>This cost is void and no longer counts. To replace it, the partner sends other values with the same cost ID. <a href="/docs/corrections">How to correct a cost</a></p>`,
    );
  return card(
    { id: "void", title: "Void this cost", kind: "danger" },
    html`<p>It no longer counts as spend. Sending the same values again won't bring it back. To correct it, the partner sends the same cost ID with other values.</p>`,
    form(
      {
        action: pathOf(partnerId),
        fields: {
          reason: { label: "Reason", required: true, hint: "Up to 500 characters. The audit log shows it." },
        },
        hidden: { cost_id: item.cost_id },
        button: "Void cost",
        kind: "danger",
      },
      rejected,
    ),
  );
}

export const submitVoid: Act = async (context, session, form) => {
  const id = idOf(context);
  const body = parseOrThrow(newVoid, pick(form, "cost_id", "reason"));
  await voidCost(context, session, id, body).catch((error) => {
    const isUnknown = error instanceof AppError && error.code === "not_found";
    throw isUnknown
      ? badField("cost_id", "does not belong to a cost of this partner, or the cost has expired")
      : error;
  });
  return done(pathOf(id), "cost-voided", { cost_id: body.cost_id });
};
