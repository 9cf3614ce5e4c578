/** The console's page of adjustments: the newest ones, and the form that adds one. */
import { html } from "hono/html";
import { nanoid } from "nanoid";
import { toPage } from "../../db/keyset.ts";
import { listAdjustments } from "../../db/operator/adjustments.ts";
import { COST_TYPES } from "../../domain/cost-types.ts";
import { AppError } from "../../errors.ts";
import { parseOrThrow } from "../../http/input.ts";
import type { Markup } from "../../http/pages.ts";
import { requiredIdempotencyKey } from "../../usecases/idempotency.ts";
import { time } from "../../usecases/rounds/view.ts";
import { addAdjustment, newAdjustment, toAdjustmentItem } from "../api/adjustments.ts";
import { field, numberColumn, pick, select, table } from "./elements.ts";
import { type Act, done, type FormError, type Show } from "./layout.ts";

const PATH = "/operator/adjustments";
const NO_ADJUSTMENTS = html`<p class="notice">No adjustments yet. Add one below to correct spend that a partner can't correct anymore.</p>`;

export const adjustmentsPage: Show = async (context, formError) => {
  const requested = context.url.searchParams.get("before") ?? "";
  const before = /^\d{1,15}$/.test(requested) ? Number(requested) : Number.MAX_SAFE_INTEGER;
  const range = { after: null, before, limit: 100 };
  const page = toPage(range, (await listAdjustments(context.env.DB, range)).rows);
  const rows = page.items
    .map(toAdjustmentItem)
    .reverse()
    .map(
      (item) => html`
        <tr>
          <th scope="row">${item.id}</th>
          <td class="day">${item.day}</td>
          <td><a href="/operator/apps/${item.app_token}"><code>${item.app_token}</code></a></td>
          <td><code>${item.link_token}</code></td>
          <td><a href="/operator/partners/${item.partner_id}">${item.partner_id}</a></td>
          <td>${item.cost_type}</td>
          <td class="number">${item.currency} ${item.amount}</td>
          <td>${item.reason}</td>
          <td>${item.created_by.email}, ${time(item.created_at)}</td>
        </tr>`,
    );
  const amount = numberColumn("Amount");
  const columns = ["ID", "Day", "App", "Link", "Partner", "Cost type", amount, "Reason", "Added by"];
  return {
    section: "Adjustments",
    body: html`
      <h1>Adjustments</h1>
      <p class="lead">Reports show adjustments separately and include them in the spend. <a href="/docs/corrections">How to correct a cost</a></p>
      ${table("Adjustments", columns, rows, NO_ADJUSTMENTS)}
      ${page.previous === null ? "" : html`<p><a href="${PATH}?before=${page.previous}">Older adjustments</a></p>`}
      <section class="card" aria-labelledby="new">
        <h2 id="new">New adjustment</h2>
        <p class="muted">An adjustment can't be changed or deleted. To undo it, add its opposite.</p>
        <form method="post" action="${PATH}">${fields(formError)}<button>Add adjustment</button></form>
      </section>`,
  };
};

/** The key makes sure that a form that is sent twice adds one adjustment. */
function fields(formError: FormError | undefined): Markup {
  const isUsed = formError?.error.code === "idempotency_key_reused";
  const sent = isUsed ? undefined : formError?.form.get("idempotency_key");
  return html`
    <input type="hidden" name="idempotency_key" value="${sent || nanoid()}">
    ${field({ name: "app_token", label: "App token", required: true }, formError)}
    ${field({ name: "link_token", label: "Link token", required: true }, formError)}
    ${field({ name: "day", label: "Day", required: true, hint: "In UTC, e.g. 2026-03-14" }, formError)}
    ${field({ name: "partner_id", label: "Partner ID", required: true }, formError)}
    ${select(
      "cost_type",
      "Cost type",
      COST_TYPES.map((type) => [type, type]),
      formError?.form.get("cost_type") ?? undefined,
    )}
    ${field({ name: "currency", label: "Currency", required: true, hint: "e.g. USD" }, formError)}
    ${field({ name: "amount", label: "Amount", required: true, hint: "Money, not a price per 1,000 impressions. Negative to lower the spend, e.g. -12.5" }, formError)}
    ${field({ name: "reason", label: "Reason", required: true, hint: "Up to 500 characters. The audit log shows it." }, formError)}`;
}

export const submitAdjustment: Act = async (context, session, form) => {
  const sent = Object.keys(newAdjustment.shape);
  const partner = form.get("partner_id") ?? "";
  const body = parseOrThrow(newAdjustment, {
    ...pick(form, ...sent),
    partner_id: /^\d{1,15}$/.test(partner) ? Number(partner) : partner,
  });
  const keys = parseOrThrow(requiredIdempotencyKey, {
    "Idempotency-Key": form.get("idempotency_key") ?? undefined,
  });
  await addAdjustment(context, session, keys["Idempotency-Key"], body).catch((error) => {
    if (!(error instanceof AppError) || error.code !== "idempotency_key_reused") throw error;
    throw new AppError(
      error.code,
      "You already added an adjustment with this form. To add another one, send the form again.",
    );
  });
  return done(PATH, "adjustment-created");
};
