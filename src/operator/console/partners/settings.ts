/** The settings of a partner: its name and templates with the URLs that they give, and the switch that stops its costs. */
import { html } from "hono/html";
import { findPartner, type PartnerRow } from "../../../db/operator/partners.ts";
import { type TemplateName, templatePairs } from "../../../domain/templates.ts";
import { toIso } from "../../../domain/time.ts";
import type { Context } from "../../../env.ts";
import type { InputError } from "../../../errors.ts";
import { invalidRequest, parseForm } from "../../../http/input/parse.ts";
import { card, facts, nameText, notice } from "../../../pages/elements.ts";
import type { RejectedForm } from "../../../pages/forms/fields.ts";
import { confirmation, type Fields, form, sentBody } from "../../../pages/forms/form.ts";
import { type Markup, time } from "../../../pages/markup.ts";
import { amountText } from "../../../pages/money.ts";
import { inheritedFrom, newRow, toLink } from "../../../usecases/links/link.ts";
import { notFound } from "../../api/common.ts";
import { judgeSent, PARTNER, partnerChange, toTemplates, updatePartner } from "../../api/partners.ts";
import { type Act, done, type Form, idOf } from "../layout.ts";
import type { OperatorSession } from "../session.ts";

const { display_name, max_url_amount, ...templates } = PARTNER.form;
/** Prices on URLs need a daily limit, or the choice to have none. */
const NO_LIMIT = {
  no_max_url_spend: { label: "No daily limit for spend from prices on URLs", box: true },
} satisfies Fields;
export const NAME = { display_name };
export const TEMPLATES: Fields = { ...templates, ...NO_LIMIT };

const hasPrice = (costParameters: string) =>
  templatePairs(costParameters).some(({ name }) => name === "cost_amount");

/** The values of the forms. */
export function valuesOf(partner: PartnerRow) {
  const item = PARTNER.toItem(partner);
  return { ...item, no_max_url_spend: item.max_url_spend === null && hasPrice(partner.costParameters) };
}

const limitHint = ({ urlCurrency }: PartnerRow) =>
  `${
    urlCurrency === null
      ? "In any currency. To allow only one, write it into the cost parameters, for example cost_currency=USD."
      : `In ${urlCurrency}, as the cost parameters say. Prices in other currencies don't count.`
  } A higher price on the URL of a click or impression doesn't count, because anyone can write to a public URL.`;

export function settingsSection(context: Context, partner: PartnerRow, rejected?: RejectedForm): Markup {
  const { click_url, impression_url } = previewOf(context, partner);
  const item = PARTNER.toItem(partner);
  const template = (value: string) =>
    value === "" ? html`<span class="muted">None</span>` : html`<code>${value}</code>`;
  return card(
    { id: "templates", title: "Name and parameter templates" },
    item.template_problems.map(({ param, message }) =>
      notice(html`${PARTNER.form[param].label} ${message}.`, "warn"),
    ),
    facts(
      ["Click parameters", template(partner.clickParameters)],
      ["Impression parameters", template(partner.impressionParameters)],
      ["Cost parameters", template(partner.costParameters)],
      [
        "Highest price on a URL",
        partner.urlCurrency === null
          ? html`${item.max_url_amount} <span class="muted">in any currency</span>`
          : amountText(item.max_url_amount, partner.urlCurrency),
      ],
      [
        "Daily limit for spend from prices on URLs",
        item.max_url_spend === null
          ? "No limit"
          : partner.urlCurrency === null
            ? html`${item.max_url_spend} <span class="muted">for each app and currency</span>`
            : html`${amountText(item.max_url_spend, partner.urlCurrency)} <span class="muted">for each app</span>`,
      ],
    ),
    html`<details>
      <summary>Finished URLs</summary>
      ${facts(["Click URL", html`<code>${click_url}</code>`], ["Impression URL", html`<code>${impression_url}</code>`])}
      <p class="hint">Those of a link with cost data on.</p>
    </details>`,
    html`<details ${rejected ? html`open` : ""}>
      <summary>Edit name and templates</summary>
      <p class="muted">Templates are query parameters that are added to the URLs of the partner's links. Macros in braces or brackets are kept unchanged.</p>
      ${form(
        {
          action: `/operator/partners/${partner.id}`,
          className: "templates",
          fields: {
            ...PARTNER.form,
            max_url_amount: { ...max_url_amount, hint: limitHint(partner) },
            ...NO_LIMIT,
          },
          values: valuesOf(partner),
          button: "Save changes",
        },
        rejected,
      )}
    </details>`,
  );
}

/** The URLs of a link of the partner, with cost data on. */
export function previewOf(context: Context, partner: PartnerRow) {
  const link = {
    ...newRow({ token: "LINK_TOKEN", level: 1, label: "" }),
    partnerId: partner.id,
    costSwitch: 1,
    ...inheritedFrom(undefined),
  };
  return toLink(link, new Map([[partner.id, { ...partner, supportsCostData: 1 }]]), context);
}

/** On every page about a stopped partner. */
export function stoppedNotice({
  id,
  displayName,
  stoppedAt,
}: Pick<PartnerRow, "id" | "displayName" | "stoppedAt">): Markup | "" {
  if (stoppedAt === null) return "";
  return notice(
    html`<strong>${nameText(displayName)} is stopped.</strong> Costs have been rejected since ${time(toIso(stoppedAt))}. <a href="/operator/partners/${id}#stop">Resume</a>`,
    "error",
  );
}

export function costSwitch({ id, stoppedAt }: PartnerRow): Markup {
  const action = `/operator/partners/${id}/costs`;
  if (stoppedAt !== null) {
    return card(
      { id: "stop", title: "Partner stopped", kind: "danger" },
      html`<p>Stopped ${time(toIso(stoppedAt))}. New costs from this partner are rejected. Costs that already count are kept.</p>`,
      form({ action, hidden: { stopped: "no" }, button: "Resume accepting costs" }),
    );
  }
  return card(
    { id: "stop", title: "Stop partner", kind: "danger" },
    confirmation({
      action,
      hidden: { stopped: "yes" },
      summary: "Stop accepting costs",
      explanation:
        "New costs from this partner are rejected immediately. Clicks and impressions are recorded with cost data off, and stay off after you resume the partner. Costs that already count are kept.",
      button: "Stop accepting costs",
    }),
  );
}

export const submitCostSwitch: Act = async (context, session, sent) => {
  const id = idOf(context);
  const value = sent.get("stopped");
  const stopped = value === null ? undefined : value === "yes";
  await updatePartner.submit(context, session, { path: { id }, body: { stopped } });
  return done(`/operator/partners/${id}`, stopped ? "partner-stopped" : "partner-resumed");
};

/** Saves what a form with these fields sent. */
export async function saveValues(
  context: Context,
  session: OperatorSession,
  fields: Fields,
  sent: Form,
): Promise<void> {
  const id = idOf(context);
  const values = Object.entries(sentBody(fields, sent));
  const saved = await findPartner(context.env.DB, id);
  if (!saved) throw notFound("partner");
  const templates = toTemplates(saved);
  // A template that was saved before it was checked does not keep anyone from changing something else.
  const changed = values.filter(
    ([name, value]) => !(name in NO_LIMIT) && value !== templates[name as TemplateName],
  );
  const body = Object.fromEntries(changed);
  const judge = (valid: Parameters<typeof judgeSent>[1]) => [
    ...limitErrors(saved, body, sent.has("no_max_url_spend")),
    ...judgeSent(templates, valid),
  ];
  const errors = judge(await parseForm(partnerChange, body, judge));
  if (errors.length > 0) throw invalidRequest(errors);
  await updatePartner.submit(context, session, { path: { id }, body });
}

/** Without a limit only by choice, if the cost parameters name `cost_amount`. */
function limitErrors(saved: PartnerRow, body: Record<string, unknown>, isChosen: boolean): InputError[] {
  const { max_url_spend: limit = saved.maxUrlSpend, cost_parameters = saved.costParameters } = body;
  const reject = (message: string) => [{ param: "max_url_spend", message }];
  if (limit !== null) return isChosen ? reject("must be empty if you choose no limit") : [];
  return hasPrice(String(cost_parameters)) && !isChosen
    ? reject("is required because the cost parameters name cost_amount, unless you choose no limit")
    : [];
}

export const submitPartner: Act = async (context, session, sent) => {
  await saveValues(context, session, PARTNER.form, sent);
  return done(`/operator/partners/${idOf(context)}`, "partner-updated");
};
