/** The settings of a partner: its name and templates with the URLs that they give, and the switch that stops its costs. */
import { html } from "hono/html";
import type { PartnerRow } from "../../../db/operator/partners.ts";
import { COST_TYPES } from "../../../domain/cost-types.ts";
import { formatAmount } from "../../../domain/money.ts";
import { toIso } from "../../../domain/time.ts";
import type { Context } from "../../../env.ts";
import { type Markup, time } from "../../../pages/markup.ts";
import { inheritedFrom, newRow, toLink } from "../../../usecases/links/link.ts";
import { updatePartner } from "../../api/partners.ts";
import { check, confirmStep, field, pick } from "../elements.ts";
import { type Act, done, type FormError, idOf } from "../layout.ts";

export function settingsSection(context: Context, partner: PartnerRow, rejected?: FormError): Markup {
  const { click_url, impression_url } = previewOf(context, partner);
  const template = (value: string) =>
    value === "" ? html`<span class="muted">none</span>` : html`<code>${value}</code>`;
  return html`
    <section class="card" aria-labelledby="templates">
      <h2 id="templates">Name and parameter templates</h2>
      <dl class="details">
        <dt>Click parameters</dt><dd>${template(partner.clickParameters)}</dd>
        <dt>Impression parameters</dt><dd>${template(partner.impressionParameters)}</dd>
        <dt>Cost parameters</dt><dd>${template(partner.costParameters)}</dd>
        <dt>Highest price on a URL</dt><dd>${formatAmount(partner.maxUrlAmount)} ${partner.urlCurrency ?? html`<span class="muted">of any currency</span>`}</dd>
        <dt>Finished click URL</dt><dd><code>${click_url}</code></dd>
        <dt>Finished impression URL</dt><dd><code>${impression_url}</code></dd>
      </dl>
      <p class="hint">The finished URLs are those of a link with cost data on.</p>
      <details ${rejected ? html`open` : ""}>
        <summary>Edit name and templates</summary>
        <p class="muted">Templates are query parameters that are added to the URLs of the partner's links. Macros in braces or brackets are kept unchanged.</p>
        <form method="post" action="/operator/partners/${partner.id}" class="templates">
          ${field({ name: "display_name", label: "Name", value: partner.displayName, required: true }, rejected)}
          ${field({ name: "click_parameters", label: "Click parameters", value: partner.clickParameters, rows: 3 }, rejected)}
          ${field({ name: "impression_parameters", label: "Impression parameters", value: partner.impressionParameters, rows: 3 }, rejected)}
          ${field({ name: "cost_parameters", label: "Cost parameters", value: partner.costParameters, rows: 3, hint: `Added to click and impression URLs while cost data is on. Costs can't be matched without a cost_id. Use the partner's own macro, e.g. cost_id={click_id}&cost_type=${COST_TYPES[0]}` }, rejected)}
          ${field({ name: "max_url_amount", label: "Highest price on a URL", value: formatAmount(partner.maxUrlAmount), required: true, hint: `${currencyHint(partner)} A higher price on the URL of a click or impression doesn't count, because anyone can write to a public URL.` }, rejected)}
          ${check("server_to_server", "Server to server: add s2s=1 to impression URLs", rejected ? rejected.form.has("server_to_server") : partner.serverToServer === 1)}
          <button>Save changes</button>
        </form>
      </details>
    </section>`;
}

const currencyHint = ({ urlCurrency }: PartnerRow) =>
  urlCurrency === null
    ? "In any currency. To allow only one, write it into the cost parameters, e.g. cost_currency=USD."
    : `In ${urlCurrency}, as the cost parameters say. Prices in other currencies don't count.`;

/** The URLs of a link of the partner, with cost data on. */
function previewOf(context: Context, partner: PartnerRow) {
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
  return html`<p class="notice error"><strong>${displayName} is stopped.</strong> Costs have been rejected since ${time(toIso(stoppedAt))}. <a href="/operator/partners/${id}#stop">Resume</a></p>`;
}

export function costSwitch({ id, stoppedAt }: PartnerRow): Markup {
  const action = `/operator/partners/${id}/costs`;
  return html`
    <section class="card danger" aria-labelledby="stop">
      <h2 id="stop">${stoppedAt === null ? "Stop partner" : "Partner stopped"}</h2>
      ${
        stoppedAt === null
          ? confirmStep({
              action,
              summary: "Stop accepting costs",
              explanation:
                "New costs from this partner are rejected immediately. Clicks and impressions are recorded with cost data off, and stay off after you resume the partner. Costs that already count are kept.",
              button: "Stop accepting costs",
              fields: html`<input type="hidden" name="stopped" value="yes">`,
            })
          : html`
            <p>Stopped ${time(toIso(stoppedAt))}. New costs from this partner are rejected. Costs that already count are kept.</p>
            <form method="post" action="${action}"><input type="hidden" name="stopped" value="no"><button>Resume accepting costs</button></form>`
      }
    </section>`;
}

export const submitCostSwitch: Act = async (context, session, form) => {
  const id = idOf(context);
  const sent = form.get("stopped");
  const stopped = sent === null ? undefined : sent === "yes";
  await updatePartner.submit(context, session, { path: { id }, body: { stopped } });
  return done(`/operator/partners/${id}`, stopped ? "partner-stopped" : "partner-resumed");
};

export const submitPartner: Act = async (context, session, form) => {
  const id = idOf(context);
  const body = {
    ...pick(
      form,
      "display_name",
      "click_parameters",
      "impression_parameters",
      "cost_parameters",
      "max_url_amount",
    ),
    server_to_server: form.has("server_to_server"),
  };
  await updatePartner.submit(context, session, { path: { id }, body });
  return done(`/operator/partners/${id}`, "partner-updated");
};
