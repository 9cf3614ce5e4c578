/** The page of a partner: settings, integration state, rounds, credentials, voids, and the switch that stops its costs. */
import { html } from "hono/html";
import { listCredentialsOfPartner } from "../../../db/operator/credentials.ts";
import { findPartner, type PartnerRow } from "../../../db/operator/partners.ts";
import { findRates } from "../../../db/operator/rates.ts";
import { listRoundsOfPartner } from "../../../db/operator/rounds/lists.ts";
import { COST_TYPE, COST_TYPES, toTypes } from "../../../domain/cost-types.ts";
import { costTypeName } from "../../../pages/cost-types.ts";
import { type Markup, time } from "../../../pages/markup.ts";
import { ratesSection } from "../../../pages/rates.ts";
import { type RoundItem, toRoundItem } from "../../../usecases/rounds/serialize.ts";
import { notFound } from "../../api/common.ts";
import { createCredential } from "../../api/credentials.ts";
import { toPartnerItem } from "../../api/partners.ts";
import { openRound } from "../../api/rounds.ts";
import { credentialTable } from "../credentials.ts";
import { costTypeChecks, select } from "../elements.ts";
import { type Act, type FormError, idOf, type Show, secretPage } from "../layout.ts";
import { passwordField } from "../step-up.ts";
import { stateBadge, typeBadges } from "./list.ts";
import { costSwitch, settingsSection, stoppedNotice } from "./settings.ts";
import { voidSection } from "./voids.ts";

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
  const available = COST_TYPES.filter((type) => !(partner.typesInRound & COST_TYPE[type].bit));
  const missing = available.filter((type) => states[type] !== "integrated");
  const rejectedAt = (end: string) => (context.url.pathname.endsWith(end) ? formError : undefined);
  return {
    title: partner.displayName,
    section: "Partners",
    body: html`
      <div class="head"><h1>${partner.displayName}</h1>${stateBadge(partner)}</div>
      ${stoppedNotice(partner)}
      ${settingsSection(context, partner, rejectedAt(`/${id}`))}
      <section class="card" aria-labelledby="types">
        <h2 id="types">Cost types</h2>
        <dl class="details">${COST_TYPES.map((type) => html`<dt>${costTypeName(type)}</dt><dd>${typeBadges(partner, type)}</dd>`)}</dl>
        <h3>Rounds</h3>
        ${
          rounds.rows.length === 0
            ? html`<p class="muted">No rounds yet.${missing.length > 0 ? " Open one below and send its test credential to the partner." : ""}</p>`
            : html`<ul>${rounds.rows.slice(0, NEWEST.limit).map(toRoundItem).map(roundEntry)}</ul>`
        }
        ${moreHint(id, "rounds", rounds.total)}
        ${
          available.length === 0
            ? html`<p class="muted" id="open">All cost types are in open rounds.</p>`
            : html`<h3 id="open">Open a round</h3>
              <form method="post" action="/operator/partners/${id}/rounds">
                ${costTypeChecks("round-types", available, missing, rejectedAt("/rounds"))}
                ${passwordField(session, "round", rejectedAt("/rounds"))}
                <button>Open round</button>
              </form>`
        }
      </section>
      <section class="card" aria-labelledby="credentials">
        <h2 id="credentials">Credentials</h2>
        ${credentialTable(credentials.rows.slice(0, NEWEST.limit), noCredentials)}
        ${moreHint(id, "credentials", credentials.total)}
        ${issueForm(partner, passwordField(session, "credential", rejectedAt("/credentials")), rejectedAt("/credentials"))}
      </section>
      ${ratesSection(partner.integratedTypes, found)}
      ${voidSection(id)}
      <p><a href="/operator/partners/${id}/pending">Pending costs</a> · <a href="/operator/audit?object=partner%20${id}">Changes of this partner</a></p>
      ${costSwitch(partner)}`,
  };
};

const roundEntry = (round: RoundItem) =>
  html`<li><a href="/operator/rounds/${round.id}">Round ${round.id}</a>: ${round.cost_types.join(", ")}, ${round.state}, opened ${time(round.opened_at)}</li>`;

function issueForm(partner: PartnerRow, confirmation: Markup | "", rejected?: FormError): Markup | "" {
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
    <details ${rejected ? html`open` : ""}>
      <summary>Issue a credential</summary>
      <form method="post" action="/operator/partners/${partner.id}/credentials">
        ${select("mode", "Mode", modes, undefined, { rejected })}
        ${costTypeChecks("credential-types", types, live, rejected)}
        ${confirmation}
        <button>Issue credential</button>
      </form>
    </details>`;
}

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
