/** The console's page of adjustments: the newest ones, and the form that adds one. */
import { html } from "hono/html";
import { nanoid } from "nanoid";
import { searchAdjustments } from "../../db/operator/adjustments.ts";
import { listAppsWithArchived } from "../../db/operator/apps.ts";
import { listPartnerNames } from "../../db/operator/partners.ts";
import { DAY_MS, dayOf, formatDate } from "../../domain/time.ts";
import type { Context } from "../../env.ts";
import { AppError, type InputError } from "../../errors.ts";
import { invalidRequest, parseForm, parseOrThrow } from "../../http/input/parse.ts";
import { costTypeName } from "../../pages/costs/cost-types.ts";
import { buttonLink, card, nameText, notice, pageHead } from "../../pages/elements.ts";
import { type Option, tokenOption } from "../../pages/forms/fields.ts";
import { form, sentBody } from "../../pages/forms/form.ts";
import { chooseLink } from "../../pages/forms/link-field.ts";
import { noRows, readListView } from "../../pages/lists/list.ts";
import { table } from "../../pages/lists/table.ts";
import { describeDay, describeShortTime, describeTime, showAmount } from "../../pages/locale.ts";
import { requiredIdempotencyKey } from "../../usecases/idempotency.ts";
import { ADJUSTMENT, addAdjustment, judgeAdjustment, newAdjustment } from "../api/adjustments.ts";
import { type Act, done, type Show } from "./layout.ts";
import type { OperatorSession } from "./session.ts";

const PATH = "/operator/adjustments";
const FIELDS = ADJUSTMENT.form;

export const adjustmentsPage: Show = async (context) => {
  const { DB } = context.env;
  const [apps, partners] = await Promise.all([listAppsWithArchived(DB), listPartnerNames(DB)]);
  const appOptions: Option[] = [["", "Any app"], ...apps.map((app): Option => [app.token, app.name])];
  const partnerOptions: Option[] = [["", "Any partner"], ...partners.map(toOption)];
  const spec = {
    path: PATH,
    nouns: ["adjustment", "adjustments"] as [string, string],
    search: "Reason contains",
    sorts: { "-created": "Added last", "-day": "Latest day first", day: "Earliest day first" },
    filters: [
      { name: "app", label: "App", options: appOptions },
      { name: "partner", label: "Partner", options: partnerOptions },
    ],
  };
  const list = await readListView(context, spec, searchAdjustments);
  const none = notice(
    html`No adjustments yet. <a href="${PATH}/new">Add one</a> to correct spend that a partner can't correct anymore.`,
  );
  return {
    section: "Adjustments",
    body: html`
      ${pageHead("Adjustments", buttonLink(`${PATH}/new`, "New adjustment", ""))}
      <p class="lead">Reports show adjustments separately and include them in the spend. <a href="/docs/corrections">How to correct a cost</a></p>
      ${list.controls}
      ${table({
        label: "Adjustments",
        rows: list.rows.map((row) => ({ ...row, item: ADJUSTMENT.toItem(row) })),
        empty: noRows(list, none, "adjustments"),
        columns: [
          {
            heading: "Partner",
            cell: ({ partner, partnerId }) =>
              html`<a href="/operator/partners/${partnerId}">${nameText(partner)}</a>`,
          },
          {
            heading: "Amount",
            kind: "number",
            onPhone: "beside",
            cell: ({ currency, item }) => showAmount(item.amount, currency),
          },
          { heading: "Reason", onPhone: 8, cell: ({ reason }) => clipped(reason) },
          {
            heading: "Day",
            kind: "day",
            onPhone: 4,
            ...list.heading("day"),
            cell: ({ day }) => describeDay(day),
          },
          {
            heading: "App",
            isMinor: true,
            cell: ({ app, appToken }) =>
              clipped(app, html`<a href="/operator/apps/${appToken}">${nameText(app)}</a>`),
          },
          { heading: "Link", cell: ({ linkToken }) => html`<code>${linkToken}</code>` },
          { heading: "Cost type", isMinor: true, cell: ({ costType }) => costTypeName(costType) },
          {
            heading: "Added",
            kind: "day",
            ...list.heading("created"),
            cell: ({ item: { created_at } }) =>
              html`<span title="${describeTime(created_at)}">${describeShortTime(created_at, context.now)}</span>`,
          },
          { heading: "Added by", isMinor: true, cell: ({ item }) => clipped(item.created_by.email) },
        ],
      })}
      ${list.pager}`,
  };
};

/** Loses its end where the table has no room for it. */
const clipped = (text: string, shown = nameText(text)) =>
  html`<div class="clip" title="${text}">${shown}</div>`;

const toOption = ({ id, name }: { id: number; name: string }): Option => [String(id), name];

/** The address can have values for the fields, as links to this page do. The key makes sure that a form that is sent twice adds one. */
export const newAdjustmentPage: Show = async (context, rejected, session) => {
  const { env, url, now } = context;
  const [apps, partners] = await Promise.all([listAppsWithArchived(env.DB), listPartnerNames(env.DB)]);
  const appOptions = apps.map(tokenOption);
  const only = apps.length === 1 ? apps[0]?.token : undefined;
  const sent = rejected?.form ?? url.searchParams;
  const app = apps.find(({ token }) => token === sent.get("app_token"))?.token ?? only ?? null;
  // Its links are offered then.
  if (app === null)
    return {
      title: "New adjustment",
      section: "Adjustments",
      body: html`
        ${pageHead("New adjustment")}
        ${card(
          { id: "app", title: "Whose spend to correct" },
          form({
            method: "get",
            action: `${PATH}/new`,
            fields: { app_token: { label: "App", options: appOptions } },
            hidden: Object.fromEntries([...url.searchParams].filter(([name]) => name !== "app_token")),
            button: "Choose app",
          }),
        )}`,
    };
  const link = await chooseLink(context, {
    ...{ appToken: app, userId: session.userId, sent, chosen: sent.get("link_token") },
    field: FIELDS.link_token,
    action: `${PATH}/new`,
    kept: { ...Object.fromEntries(url.searchParams), app_token: app, find: "" },
  });
  const isUsed = rejected?.error.code === "idempotency_key_reused";
  const key = isUsed ? undefined : rejected?.form.get("idempotency_key");
  const yesterday = formatDate(dayOf(now - DAY_MS));
  return {
    title: "New adjustment",
    section: "Adjustments",
    body: html`
      ${pageHead("New adjustment")}
      ${link.finder}
      ${card(
        { id: "values", title: "What to correct" },
        html`<p class="muted">An adjustment can't be changed or deleted. To undo it, add its opposite.</p>`,
        form(
          {
            action: `${PATH}/new`,
            fields: {
              ...FIELDS,
              app_token: {
                ...FIELDS.app_token,
                options: appOptions.filter(([token]) => token === app),
                hint: html`<a href="${PATH}/new">Choose another app</a>`,
              },
              link_token: link.field,
              partner_id: { ...FIELDS.partner_id, options: partners.map(toOption) },
            },
            values: { day: yesterday, app_token: app, ...Object.fromEntries(url.searchParams) },
            hidden: { idempotency_key: key || nanoid(), ...link.hidden },
            button: "Add adjustment",
          },
          rejected,
        ),
      )}`,
  };
};

const CHOICES: Record<string, string> = { link_token: "Choose a link", currency: "Choose a currency" };

/** Throws invalid_request with every error, in the order of the fields. */
async function readAdjustment(context: Context, session: OperatorSession, sent: URLSearchParams) {
  const chosen = Object.entries(sentBody(FIELDS, sent)).filter(([name]) => !CHOICES[name] || sent.get(name));
  return parseForm(newAdjustment, Object.fromEntries(chosen), (valid) =>
    judgeAdjustment(context, session, valid),
  ).catch(({ errors }: AppError) => {
    const inWords = ({ param, message }: InputError) => ({
      param,
      message: sent.get(param) ? message : (CHOICES[param] ?? message),
    });
    const order = Object.keys(FIELDS);
    throw invalidRequest(
      errors.map(inWords).sort((one, other) => order.indexOf(one.param) - order.indexOf(other.param)),
    );
  });
}

export const submitAdjustment: Act = async (context, session, sent) => {
  const body = await readAdjustment(context, session, sent);
  const keys = parseOrThrow(requiredIdempotencyKey, {
    "Idempotency-Key": sent.get("idempotency_key") ?? undefined,
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
