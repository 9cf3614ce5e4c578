/** The page of a partner: how far it has come, its rounds and credentials, its templates, and whether its costs are taken. */
import { html } from "hono/html";
import { listCredentialsOfPartner } from "../../db/operator/credentials.ts";
import { findPartnerRecord, type PartnerRecord } from "../../db/operator/partners.ts";
import { listRoundsOfPartner } from "../../db/operator/rounds.ts";
import { COST_TYPES } from "../../domain/cost-types.ts";
import type { Context } from "../../env.ts";
import type { Markup } from "../../http/pages.ts";
import { toRoundItem } from "../../usecases/rounds/serialize.ts";
import { time } from "../../usecases/rounds/view.ts";
import * as actions from "../actions.ts";
import * as contract from "../contract.ts";
import { toCredentialItem, toIntegration } from "../resources.ts";
import { openRound } from "../rounds.ts";
import { credentialTable } from "./credentials.ts";
import { check, confirmStep, costTypeChecks, field, select } from "./fields.ts";
import {
  consolePage,
  done,
  type Form,
  type FormError,
  idOf,
  type OperatorSession,
  parse,
  secretPage,
} from "./layout.ts";

/** How far a cost type has come. */
export const STATES = {
  none: html`<span class="badge">none</span>`,
  in_round: html`<span class="badge warn">in round</span>`,
  integrated: html`<span class="badge ok">integrated</span>`,
};

/** The newest first. */
const NEWEST = { after: null, before: Number.MAX_SAFE_INTEGER, limit: 100 };

/** Says where the rest of a partner's list is. */
function rest(partnerId: number, list: "rounds" | "credentials", total = 0): Markup | "" {
  return total > NEWEST.limit
    ? html`<p class="muted">These are the newest ${NEWEST.limit} of ${total}. All: <code>GET /operator/v1/${list}?partner_id=${partnerId}</code>.</p>`
    : "";
}

export async function partnerPage(
  context: Context,
  operatorSession: OperatorSession,
  formError?: FormError,
): Promise<Response> {
  const id = idOf(context);
  const { DB } = context.env;
  const [{ access, partner }, credentials, rounds] = await Promise.all([
    findPartnerRecord(DB, operatorSession.actor, id),
    listCredentialsOfPartner(DB, operatorSession.actor, NEWEST, { partnerId: id }),
    listRoundsOfPartner(DB, operatorSession.actor, NEWEST, { partnerId: id }),
  ]);
  operatorSession.authorize(access);
  if (!partner) throw actions.notFound("partner");
  const free = COST_TYPES.filter((type) => !partner.typesInRound.includes(type));
  return consolePage(context, operatorSession, {
    title: partner.displayName,
    section: "Partners",
    formError,
    body: html`
      <div class="head"><h1>${partner.displayName}</h1>${partner.supportsCostData ? html`<span class="badge ok">cost data</span>` : html`<span class="badge">no cost data</span>`}</div>
      <section class="card" aria-labelledby="types">
        <h2 id="types">Cost types</h2>
        <dl class="details">${COST_TYPES.map((type) => html`<dt>${type}</dt><dd>${STATES[toIntegration(partner, type)]}</dd>`)}</dl>
        <h3>Rounds</h3>
        ${
          rounds.rows.length === 0
            ? html`<p class="muted">No round yet. Open one below and hand its test credential to the partner.</p>`
            : html`<ul>${rounds.rows
                .slice(0, 100)
                .map(toRoundItem)
                .map(
                  (round) =>
                    html`<li><a href="/operator/rounds/${round.id}">Round ${round.id}</a>: ${round.cost_types.join(", ")}, ${round.state}, opened ${time(round.opened_at)}</li>`,
                )}</ul>`
        }
        ${rest(id, "rounds", rounds.total)}
        ${
          free.length === 0
            ? html`<p class="muted" id="open">Every cost type is in an open round.</p>`
            : html`<h3 id="open">Open a round</h3>
              <form method="post" action="/operator/partners/${id}/rounds">
                ${costTypeChecks(
                  free,
                  free.filter((type) => !partner.integratedTypes.includes(type)),
                )}
                <button>Open round</button>
              </form>`
        }
      </section>
      <section class="card" aria-labelledby="credentials">
        <h2 id="credentials">Credentials</h2>
        ${
          credentials.rows.length === 0
            ? html`<p class="muted">No credential yet. ${partner.supportsCostData ? "Issue a live one below." : "A round gives the partner a test credential."}</p>`
            : credentialTable(credentials.rows.slice(0, 100).map(toCredentialItem))
        }
        ${rest(id, "credentials", credentials.total)}
        ${issueForm(partner)}
      </section>
      <section class="card" aria-labelledby="templates">
        <h2 id="templates">Name and parameter templates</h2>
        <p class="muted">Query text that the URLs of the partner's links carry. Macros in braces or brackets stay as they are typed.</p>
        <form method="post" action="/operator/partners/${id}">
          ${field({ name: "display_name", label: "Name", value: partner.displayName, required: true }, formError)}
          ${field({ name: "click_parameters", label: "Click parameters", value: partner.clickParameters, rows: 2 }, formError)}
          ${field({ name: "impression_parameters", label: "Impression parameters", value: partner.impressionParameters, rows: 2 }, formError)}
          ${field({ name: "cost_parameters", label: "Cost parameters", value: partner.costParameters, rows: 2, hint: "Added to both where cost data is on. Without a cost_id here no cost finds its click: for instance cost_id={click_id}&cost_type=cpc, with the partner's own macro" }, formError)}
          ${check("server_to_server", "Server to server: impression URLs carry s2s=1", partner.serverToServer)}
          <button>Save</button>
        </form>
      </section>
      ${costSwitch(partner)}`,
  });
}

function costSwitch({ id, integratedTypes, supportsCostData }: PartnerRecord): Markup | "" {
  if (integratedTypes.length === 0) return "";
  const action = `/operator/partners/${id}/costs`;
  return html`
    <section class="card danger" aria-labelledby="stop">
      <h2 id="stop">${supportsCostData ? "Stop" : "Stopped"}</h2>
      ${
        supportsCostData
          ? confirmStep({
              action,
              open: "Stop taking costs",
              explain:
                "Nothing more of this partner counts from that moment on, sent or on a URL. What was counted stays.",
              button: "Stop taking costs",
              fields: html`<input type="hidden" name="take" value="no">`,
            })
          : html`
            <p>Nothing of this partner counts, sent or on a URL. What was counted before stays.</p>
            <form method="post" action="${action}"><input type="hidden" name="take" value="yes"><button>Take costs again</button></form>`
      }
    </section>`;
}

export async function switchCosts(
  context: Context,
  operatorSession: OperatorSession,
  form: Form,
): Promise<Response> {
  const id = idOf(context);
  const take = form.get("take");
  const supports = take === null ? undefined : take === "yes";
  const body = parse(contract.updatePartner.body, { supports_cost_data: supports });
  await actions.updatePartner(context, operatorSession, id, body);
  return done(context, `/operator/partners/${id}`, "saved");
}

function issueForm(partner: PartnerRecord): Markup | "" {
  const live = partner.integratedTypes;
  const types = COST_TYPES.filter((type) => live.includes(type) || partner.typesInRound.includes(type));
  if (types.length === 0) return "";
  const modes: [string, string][] = [
    ...(live.length > 0 ? [["live", "Live: posts costs"] as [string, string]] : []),
    ...(partner.openRounds.length > 0
      ? [["test", "Test: posts into the open round"] as [string, string]]
      : []),
  ];
  return html`
    <details>
      <summary>Issue a credential</summary>
      <form method="post" action="/operator/partners/${partner.id}/credentials">
        ${select("mode", "Kind", modes)}
        ${costTypeChecks(types, live)}
        <button>Issue credential</button>
      </form>
    </details>`;
}

export async function updatePartner(
  context: Context,
  operatorSession: OperatorSession,
  form: Form,
): Promise<Response> {
  const id = idOf(context);
  const body = parse(contract.updatePartner.body, {
    display_name: form.get("display_name") ?? undefined,
    server_to_server: form.has("server_to_server"),
    click_parameters: form.get("click_parameters") ?? undefined,
    impression_parameters: form.get("impression_parameters") ?? undefined,
    cost_parameters: form.get("cost_parameters") ?? undefined,
  });
  await actions.updatePartner(context, operatorSession, id, body);
  return done(context, `/operator/partners/${id}`, "saved");
}

export async function issueCredential(
  context: Context,
  operatorSession: OperatorSession,
  form: Form,
): Promise<Response> {
  const id = idOf(context);
  const body = parse(contract.createCredential.body, {
    partner_id: id,
    mode: form.get("mode"),
    cost_types: form.getAll("cost_types"),
  });
  const { credential, secret } = await actions.createCredential(context, operatorSession, body);
  return secretPage(context, operatorSession, {
    section: "Partners",
    title: "Credential issued",
    name: `${credential.mode === "live" ? "Live" : "Test"} credential for ${body.cost_types.join(", ")}`,
    secret,
    use: html`<p>The partner sends it as <code>Authorization: Bearer …</code> with every cost.</p>`,
    back: `/operator/partners/${id}`,
  });
}

export async function openPartnerRound(
  context: Context,
  operatorSession: OperatorSession,
  form: Form,
): Promise<Response> {
  const id = idOf(context);
  const body = parse(contract.openRound.body, { partner_id: id, cost_types: form.getAll("cost_types") });
  const { round, secret } = await openRound(context, operatorSession, body);
  return secretPage(context, operatorSession, {
    section: "Partners",
    title: `Round ${round.id} is open`,
    name: "Test credential",
    secret,
    use: html`
      <p>The partner needs a link, too: a member of an app makes one and attaches it to the partner with <code>PATCH …/trackers/{link_token}</code> and <code>{"partner_id": ${id}}</code>. Hand over the token of the link with the credential.</p>
      <p>From there the <a href="/docs/partners">guide for partners</a> leads: the partner opens its link with a <code>cost_id</code>, then sends the costs to <code>${context.url.origin}/cost</code> with this credential, and reads at <code>${context.url.origin}/cost/round</code> what did not match. Nothing of it counts as spend.</p>`,
    back: `/operator/rounds/${round.id}`,
  });
}
