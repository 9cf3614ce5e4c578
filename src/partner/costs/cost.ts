/** `/partner/costs/{cost_id}`: everything about one cost, and the form that voids it. */
import { html } from "hono/html";
import * as z from "zod/mini";
import type { CostRecord } from "../../db/ledger/costs.ts";
import { showInvisible } from "../../domain/characters.ts";
import type { CostType } from "../../domain/cost-types.ts";
import { expectDefined } from "../../domain/expect-defined.ts";
import { COST_WINDOW, describeFits } from "../../domain/texts.ts";
import { COST_WINDOW_MS, toIso } from "../../domain/time.ts";
import type { Context } from "../../env.ts";
import { ERRORS } from "../../errors.ts";
import { storedCostId } from "../../http/input/fields.ts";
import { readInput } from "../../http/input/input.ts";
import { redirectResponse } from "../../http/redirect.ts";
import { operatorContact } from "../../pages/contact.ts";
import { costTypeName, priceText } from "../../pages/costs/cost-types.ts";
import { rejectionsOfId, unacceptedCards } from "../../pages/costs/rejections.ts";
import { COST_STATES, costBadge } from "../../pages/costs/states.ts";
import { card, type Fact, facts } from "../../pages/elements.ts";
import { confirmation } from "../../pages/forms/form.ts";
import { type Markup, time } from "../../pages/markup.ts";
import { type CostItem, toCostItem } from "../../usecases/costs/item.ts";
import { findOwnCost } from "../../usecases/costs/read.ts";
import type { Unaccepted } from "../../usecases/costs/unaccepted.ts";
import { voidOwn } from "../../usecases/costs/void.ts";
import { PARTNER_NOTICES, type PartnerPage, withFrame, withLedger } from "../frame.ts";

const contract = { path: z.object({ cost_id: storedCostId }) };

const pathOf = (id: string) => `/partner/costs/${encodeURIComponent(id)}`;

async function readId(context: Context): Promise<string> {
  return (await readInput(context, contract)).path.cost_id;
}

export const costPage = withFrame("/partner/costs", async (context, partner, caller) => {
  const sent = await readId(context);
  const { costId: id, found, unaccepted } = await findOwnCost(context, caller, sent, true);
  if (unaccepted) return unacceptedPage(context, id, unaccepted);
  const { cost, rejections } = found;
  const item = toCostItem(id, cost, context.now);
  return {
    title: `Cost ${showInvisible(id)}`,
    body: html`
      <p><a href="/partner/costs">All costs</a></p>
      <div class="head"><h1 class="id">${showInvisible(id)}</h1>${costBadge(item.match)}</div>
      <p class="lead">${COST_STATES[item.match].meaning}</p>
      ${item.mismatch ? html`<p class="notice warn">${MISMATCHES[item.mismatch]}</p>` : ""}
      ${item.amount === null ? html`<p class="notice warn">This cost has no amount, so it doesn't count as spend. Send it again with an amount to complete it.</p>` : ""}
      ${card({ id: "values", title: "Cost" }, facts(...valuesOf(item)))}
      ${rejections.length > 0 ? rejectionsOfId(rejections) : ""}
      ${partner.mode === "test" ? TEST_NOTE : voidCard(item, cost, context)}`,
  };
});

function unacceptedPage({ trace }: Context, id: string, unaccepted: Unaccepted): PartnerPage {
  trace.outcome = "not_found";
  return {
    title: `Cost ${showInvisible(id)}`,
    status: ERRORS.not_found.status,
    body: html`
      <p><a href="/partner/costs">All costs</a></p>
      <h1 class="id">${showInvisible(id)}</h1>
      ${unacceptedCards("You have", unaccepted)}`,
  };
}

const MISMATCHES: Record<NonNullable<CostItem["mismatch"]>, string> = {
  wrong_engagement: `The click or impression with this ID doesn't fit the cost type: ${describeFits()}.`,
  cost_data_disabled: "Cost data was off for the link when the click or impression was recorded.",
  window_closed: `The click or impression with this ID is more than ${COST_WINDOW} away from the cost.`,
};

function valuesOf(item: CostItem): (Fact | false)[] {
  const { engagement, received_at, tag, may_match_until, url_price } = item;
  return [
    ["Type", costTypeName((item.cost_type ?? null) as CostType | null)],
    ["Amount", priceText(item)],
    ["Source", item.source === "call" ? "Sent by you" : "Price on the URL of the click or impression"],
    received_at != null && ["Received", time(received_at)],
    tag !== null && ["Tag", showInvisible(tag)],
    may_match_until !== null && [
      item.match === "lapsed" ? "Could match until" : "Can match until",
      time(may_match_until),
    ],
    url_price !== null && [
      "Price on the URL",
      `${priceText(url_price)}, ${url_price.cost_type}. It counts until a cost that you send matches.`,
    ],
    engagement !== null && [
      engagement.kind === "click" ? "Click" : "Impression",
      html`${time(engagement.occurred_at)}${engagement.link_token === null ? "" : html`, link <code>${engagement.link_token}</code>`}`,
    ],
  ];
}

const TEST_NOTE = html`<p class="hint">This is the state that it would have as a live cost. A test cost never counts, so it can't be voided. <a href="/partner/round">Round</a> says what to correct.</p>`;

function voidCard(item: CostItem, cost: CostRecord, { env, now }: Context): Markup {
  const until = voidableUntil(cost);
  return card(
    { id: "void", title: "Void" },
    item.match === "voided"
      ? html`<p>This cost is voided. To replace it, send other values with the same cost ID. <a href="/docs/corrections">How to correct a cost</a></p>`
      : now > until
        ? html`<p>It's too late to void this cost: that was possible until ${time(toIso(until))}. Ask ${operatorContact(env)} to correct it.</p>`
        : html`
              <p>A voided cost no longer counts. You can void this one until ${time(toIso(until))}. <a href="/docs/corrections">How to correct a cost</a></p>
              ${confirmation({
                action: `${pathOf(item.cost_id)}/void`,
                summary: "Void cost",
                explanation:
                  "Sending the same values again doesn't restore it. To replace it, send other values with this cost ID.",
                button: "Void cost",
              })}`,
  );
}

/** The end of the window of the matched or priced engagement, or of the call while it waits. The database decides by the same. */
function voidableUntil({ kind, countingPrice, engagements, receivedAt }: CostRecord): number {
  const counting = kind ?? countingPrice;
  const start = (counting && engagements[counting]?.occurredAt) ?? receivedAt;
  return expectDefined(start ?? undefined) + COST_WINDOW_MS;
}

export const voidCost = withLedger("/partner/costs", async (context, _partner, caller) => {
  const { costId, isDuplicate } = await voidOwn(context, caller, await readId(context));
  return PARTNER_NOTICES.redirect(pathOf(costId), isDuplicate ? "already-voided" : "voided");
});

/** For a reload of a rejected form. */
export const backToCost = withLedger("/partner/costs", async (context, partner, caller) => {
  caller.authorize(partner);
  return redirectResponse(pathOf(await readId(context)));
});
