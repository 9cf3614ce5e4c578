/** The section of a partner's page that voids a cost, and shows the cost that was voided. */
import { html } from "hono/html";
import { readCounting } from "../../../db/ledger/voids.ts";
import { showInvisible } from "../../../domain/characters.ts";
import { formatAmount } from "../../../domain/money.ts";
import type { Context } from "../../../env.ts";
import { AppError } from "../../../errors.ts";
import { parseOrThrow } from "../../../http/input/parse.ts";
import type { Markup } from "../../../pages/markup.ts";
import { badField } from "../../api/common.ts";
import { newVoid, voidCost } from "../../api/voids.ts";
import { field, pick } from "../elements.ts";
import { type Act, done, type FormError, idOf } from "../layout.ts";

export async function voidSection(
  context: Context,
  partnerId: number,
  formError?: FormError,
): Promise<Markup> {
  return html`
    <section class="card" aria-labelledby="void">
      <h2 id="void">Void a cost</h2>
      ${await voidedNotice(context, partnerId)}
      <p class="muted">The cost, or the price on a URL, no longer counts as spend. To correct it, the partner sends the same cost ID with other values. <a href="/docs/corrections">How to correct a cost</a></p>
      <form method="post" action="/operator/partners/${partnerId}/voids">
        ${field({ name: "cost_id", label: "Cost ID", required: true }, formError)}
        ${field({ name: "reason", label: "Reason", required: true, hint: "Up to 500 characters. The audit log shows it." }, formError)}
        <button>Void cost</button>
      </form>
    </section>`;
}

/** The values of the cost that the address names. They are read from the ledger, because anyone can write an address. */
async function voidedNotice({ ledger, url, now }: Context, partnerId: number): Promise<Markup | ""> {
  const costId = url.searchParams.get("voided");
  if (costId === null) return "";
  const found = await readCounting(ledger, { partnerId, costId }, now);
  if (found?.verdict !== "duplicate") return "";
  const { values } = found;
  const price =
    values.amount === null
      ? `${values.currency}, no amount`
      : `${values.currency} ${formatAmount(values.amount)}`;
  return html`
    <dl class="details" id="voided">
      <dt>Voided</dt><dd><code>${showInvisible(costId)}</code></dd>
      <dt>Removed</dt><dd>${values.costType}, ${price}</dd>
    </dl>`;
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
  return done(`/operator/partners/${id}`, "cost-voided", { voided: body.cost_id });
};
