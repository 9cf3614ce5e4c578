/** The console's page of adjustments: the newest ones, and the form that adds one. */
import { html } from "hono/html";
import { nanoid } from "nanoid";
import { searchAdjustments } from "../../db/operator/adjustments.ts";
import { listAppsWithArchived } from "../../db/operator/apps.ts";
import { listPartnerNames } from "../../db/operator/partners.ts";
import { COST_TYPES } from "../../domain/cost-types.ts";
import { dayOf } from "../../domain/time.ts";
import { AppError } from "../../errors.ts";
import { parseOrThrow } from "../../http/input/parse.ts";
import { costTypeName } from "../../pages/cost-types.ts";
import type { Option } from "../../pages/fields.ts";
import { noRows, readListView } from "../../pages/list.ts";
import { describeDay } from "../../pages/locale.ts";
import { type Markup, time } from "../../pages/markup.ts";
import { requiredIdempotencyKey } from "../../usecases/idempotency.ts";
import { addAdjustment, newAdjustment, toAdjustmentItem } from "../api/adjustments.ts";
import { field, numberColumn, pick, select, table } from "./elements.ts";
import { type Act, done, type FormError, type Show } from "./layout.ts";

const PATH = "/operator/adjustments";
const NO_ADJUSTMENTS = html`<p class="notice">No adjustments yet. <a href="${PATH}/new">Add one</a> to correct spend that a partner can't correct anymore.</p>`;

export const adjustmentsPage: Show = async (context) => {
  const { DB } = context.env;
  const [apps, partners] = await Promise.all([listAppsWithArchived(DB), listPartnerNames(DB)]);
  const spec = {
    path: PATH,
    nouns: ["adjustment", "adjustments"] as [string, string],
    search: "Reason contains",
    sorts: { "-created": "Newest first", "-day": "Latest day first", day: "Earliest day first" },
    filters: [
      {
        name: "app",
        label: "App",
        options: [["", "Any app"], ...apps.map((app): Option => [app.token, app.name])] as Option[],
      },
      {
        name: "partner",
        label: "Partner",
        options: [
          ["", "Any partner"],
          ...partners.map(({ id, name }): Option => [String(id), name]),
        ] as Option[],
      },
    ],
  };
  const list = await readListView(context, spec, searchAdjustments);
  const rows = list.rows
    .map((row) => ({ ...toAdjustmentItem(row), app: row.app, partner: row.partner }))
    .map(
      (item) => html`
      <tr>
        <th scope="row" class="day">${describeDay(dayOf(Date.parse(item.day)))}</th>
        <td data-label="App"><a href="/operator/apps/${item.app_token}">${item.app}</a></td>
        <td data-label="Link"><code>${item.link_token}</code></td>
        <td data-label="Partner"><a href="/operator/partners/${item.partner_id}">${item.partner}</a></td>
        <td data-label="Cost type">${costTypeName(item.cost_type)}</td>
        <td class="number" data-label="Amount">${item.currency} ${item.amount}</td>
        <td data-label="Reason">${item.reason}</td>
        <td data-label="Added by">${item.created_by.email}, ${time(item.created_at)}</td>
      </tr>`,
    );
  const columns = [
    "Day",
    "App",
    "Link",
    "Partner",
    "Cost type",
    numberColumn("Amount"),
    "Reason",
    "Added by",
  ];
  return {
    section: "Adjustments",
    body: html`
      <div class="head"><h1>Adjustments</h1><a class="button" href="${PATH}/new">New adjustment</a></div>
      <p class="lead">Reports show adjustments separately and include them in the spend. <a href="/docs/corrections">How to correct a cost</a></p>
      ${list.controls}
      ${table("Adjustments", columns, rows, noRows(list, NO_ADJUSTMENTS, "adjustments"))}
      ${list.pager}`,
  };
};

export const newAdjustmentPage: Show = async ({ env }, formError) => {
  const [apps, partners] = await Promise.all([listAppsWithArchived(env.DB), listPartnerNames(env.DB)]);
  return {
    title: "New adjustment",
    section: "Adjustments",
    body: html`
    <h1>New adjustment</h1>
    <section class="card">
      <p class="muted">An adjustment can't be changed or deleted. To undo it, add its opposite.</p>
      <form method="post" action="${PATH}/new">${fields(apps, partners, formError)}<button>Add adjustment</button></form>
    </section>`,
  };
};

/** The key makes sure that a form that is sent twice adds one adjustment. */
function fields(
  apps: { token: string; name: string }[],
  partners: { id: number; name: string }[],
  formError: FormError | undefined,
): Markup {
  const isUsed = formError?.error.code === "idempotency_key_reused";
  const sent = isUsed ? undefined : formError?.form.get("idempotency_key");
  return html`
    <input type="hidden" name="idempotency_key" value="${sent || nanoid()}">
    ${select(
      "app_token",
      "App",
      apps.map(({ token, name }): Option => [token, `${name} (${token})`]),
      undefined,
      { rejected: formError },
    )}
    ${field({ name: "link_token", label: "Link token", required: true }, formError)}
    ${field({ name: "day", label: "Day", required: true, hint: "In UTC, e.g. 2026-03-14" }, formError)}
    ${select(
      "partner_id",
      "Partner",
      partners.map(({ id, name }): Option => [String(id), name]),
      undefined,
      { rejected: formError },
    )}
    ${select(
      "cost_type",
      "Cost type",
      COST_TYPES.map((type) => [type, type]),
      undefined,
      { rejected: formError },
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
