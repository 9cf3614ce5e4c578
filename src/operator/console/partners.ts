/** The page of a partner: integration state, rounds, credentials, templates, and the switch that stops its costs. */
import { html } from "hono/html";
import { listCredentialsOfPartner } from "../../db/operator/credentials.ts";
import { findPartner, type PartnerRow } from "../../db/operator/partners.ts";
import { findRates } from "../../db/operator/rates.ts";
import { listRoundsOfPartner } from "../../db/operator/round-lists.ts";
import { COST_TYPE_BITS, COST_TYPES, toTypes } from "../../domain/cost-types.ts";
import { formatAmount } from "../../domain/money.ts";
import { toIso } from "../../domain/time.ts";
import type { Markup } from "../../http/pages.ts";
import { ratesSection } from "../../usecases/rates.ts";
import { type RoundItem, toRoundItem } from "../../usecases/rounds/serialize.ts";
import { time } from "../../usecases/rounds/view.ts";
import { notFound } from "../api/common.ts";
import { createCredential } from "../api/credentials.ts";
import { toPartnerItem, updatePartner } from "../api/partners.ts";
import { openRound } from "../api/rounds.ts";
import { credentialTable } from "./credentials.ts";
import { check, confirmStep, costTypeChecks, field, pick, select } from "./elements.ts";
import { type Act, done, idOf, type Show, secretPage } from "./layout.ts";
import { passwordField } from "./step-up.ts";
import { voidSection } from "./voids.ts";

/** The badge of a cost type's integration state. */
export const STATES = {
  none: html`<span class="badge">none</span>`,
  in_round: html`<span class="badge warn">in round</span>`,
  integrated: html`<span class="badge ok">integrated</span>`,
};

/** The page shows the newest rounds and credentials, up to this limit. */
const NEWEST = { after: null, before: Number.MAX_SAFE_INTEGER, limit: 100 };

/** Explains how to list everything if a list exceeds the limit. */
function moreHint(partnerId: number, list: "rounds" | "credentials", total = 0): Markup | "" {
  return total > NEWEST.limit
    ? html`<p class="muted">Showing the newest ${NEWEST.limit} of ${total}. To list all of them, use <code>GET /operator/v1/${list}?partner_id=${partnerId}</code>.</p>`
    : "";
}

export const partnerPage: Show = async (context, formError, session) => {
  const id = idOf(context);
  const { DB } = context.env;
  const [partner, credentials, rounds, found] = await Promise.all([
    findPartner(DB, id),
    listCredentialsOfPartner(DB, NEWEST, { partnerId: id }),
    listRoundsOfPartner(DB, NEWEST, { partnerId: id }),
    findRates(context.ledger, id, context.now),
  ]);
  if (!partner) throw notFound("partner");
  const states = toPartnerItem(partner).cost_types;
  const noCredentials = html`<p class="muted">No credentials yet. ${partner.supportsCostData ? "Issue a live one below." : "Open a round to get a test credential."}</p>`;
  const available = COST_TYPES.filter((type) => !(partner.typesInRound & COST_TYPE_BITS[type]));
  const missing = available.filter((type) => states[type] !== "integrated");
  return {
    title: partner.displayName,
    section: "Partners",
    body: html`
      <div class="head"><h1>${partner.displayName}</h1>${stateBadge(partner)}</div>
      <section class="card" aria-labelledby="types">
        <h2 id="types">Cost types</h2>
        <dl class="details">${COST_TYPES.map((type) => html`<dt>${type}</dt><dd>${STATES[states[type]]}</dd>`)}</dl>
        <h3>Rounds</h3>
        ${
          rounds.rows.length === 0
            ? html`<p class="muted">No rounds yet. Open one below and send its test credential to the partner.</p>`
            : html`<ul>${rounds.rows.slice(0, NEWEST.limit).map(toRoundItem).map(roundEntry)}</ul>`
        }
        ${moreHint(id, "rounds", rounds.total)}
        ${
          available.length === 0
            ? html`<p class="muted" id="open">All cost types are in open rounds.</p>`
            : html`<h3 id="open">Open a round</h3>
              <form method="post" action="/operator/partners/${id}/rounds">
                ${costTypeChecks(available, missing)}
                ${passwordField(session, "round", formError)}
                <button>Open round</button>
              </form>`
        }
      </section>
      <section class="card" aria-labelledby="credentials">
        <h2 id="credentials">Credentials</h2>
        ${credentialTable(credentials.rows.slice(0, NEWEST.limit), noCredentials)}
        ${moreHint(id, "credentials", credentials.total)}
        ${issueForm(partner, passwordField(session, "credential", formError), context.url.pathname.endsWith("/credentials"))}
      </section>
      ${ratesSection(partner.integratedTypes, found)}
      ${await voidSection(context, id, formError)}
      <section class="card" aria-labelledby="templates">
        <h2 id="templates">Name and parameter templates</h2>
        <p class="muted">Query parameters that are added to the URLs of the partner's links. Macros in braces or brackets are kept unchanged.</p>
        <form method="post" action="/operator/partners/${id}">
          ${field({ name: "display_name", label: "Name", value: partner.displayName, required: true }, formError)}
          ${field({ name: "click_parameters", label: "Click parameters", value: partner.clickParameters, rows: 2 }, formError)}
          ${field({ name: "impression_parameters", label: "Impression parameters", value: partner.impressionParameters, rows: 2 }, formError)}
          ${field({ name: "cost_parameters", label: "Cost parameters", value: partner.costParameters, rows: 2, hint: "Added to click and impression URLs while cost data is on. Costs can't be matched without a cost_id. Use the partner's own macro, e.g. cost_id={click_id}&cost_type=cpc" }, formError)}
          ${field({ name: "max_url_amount", label: "Highest price on a URL", value: formatAmount(partner.maxUrlAmount), required: true, hint: "In any currency. A higher price on the URL of a click or impression doesn't count, because anyone can write to a public URL." }, formError)}
          ${check("server_to_server", "Server to server: add s2s=1 to impression URLs", partner.serverToServer === 1)}
          <button>Save changes</button>
        </form>
      </section>
      ${costSwitch(partner)}`,
  };
};

const roundEntry = (round: RoundItem) =>
  html`<li><a href="/operator/rounds/${round.id}">Round ${round.id}</a>: ${round.cost_types.join(", ")}, ${round.state}, opened ${time(round.opened_at)}</li>`;

/** Whether the partner may send costs. */
export function stateBadge({ supportsCostData, stoppedAt }: PartnerRow): Markup {
  if (stoppedAt !== null) return html`<span class="badge warn">stopped</span>`;
  return supportsCostData
    ? html`<span class="badge ok">cost data</span>`
    : html`<span class="badge">no cost data</span>`;
}

function costSwitch({ id, stoppedAt }: PartnerRow): Markup {
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

function issueForm(partner: PartnerRow, confirmation: Markup | "", isOpen: boolean): Markup | "" {
  const live = toTypes(partner.integratedTypes);
  const types = toTypes(partner.integratedTypes | partner.typesInRound);
  if (types.length === 0) return "";
  const modes: [string, string][] = [
    ...(live.length > 0 ? [["live", "Live: sends costs"] as [string, string]] : []),
    ...(partner.typesInRound > 0
      ? [["test", "Test: sends costs to the open round"] as [string, string]]
      : []),
  ];
  return html`
    <details ${isOpen ? html`open` : ""}>
      <summary>Issue a credential</summary>
      <form method="post" action="/operator/partners/${partner.id}/credentials">
        ${select("mode", "Mode", modes)}
        ${costTypeChecks(types, live)}
        ${confirmation}
        <button>Issue credential</button>
      </form>
    </details>`;
}

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

export const submitNewCredential: Act = async (context, session, form) => {
  const id = idOf(context);
  const body = { partner_id: id, mode: form.get("mode"), cost_types: form.getAll("cost_types") };
  const { mode, cost_types, credential } = await createCredential.submit(context, session, { body });
  return secretPage({
    section: "Partners",
    title: "Credential issued",
    name: `${mode === "live" ? "Live" : "Test"} credential for ${cost_types.join(", ")}`,
    secret: credential,
    use: html`<p>The partner sends it as <code>Authorization: Token token=…</code> with every cost.</p>`,
    back: `/operator/partners/${id}`,
  });
};

export const submitNewRound: Act = async (context, session, form) => {
  const id = idOf(context);
  const body = { partner_id: id, cost_types: form.getAll("cost_types") };
  const round = await openRound.submit(context, session, { body });
  return secretPage({
    section: "Partners",
    title: `Round ${round.id} opened`,
    name: "Test credential",
    secret: round.test_credential,
    use: html`
      <p>The partner also needs a link. A member of an app creates one and attaches the partner with <code>PATCH …/trackers/{link_token}</code> and <code>{"partner_id": ${id}}</code>. Send the partner the link's token together with this credential.</p>
      <p>Next, send the partner the <a href="/docs/partners">partner guide</a>. The partner opens the link with a <code>cost_id</code>, sends the costs to <code>${context.url.origin}/cost</code> with this credential, and signs in at <a href="/partner">${context.url.origin}/partner</a> with it to read the report. Costs in a round never count as spend.</p>`,
    back: `/operator/rounds/${round.id}`,
  });
};
