/** The page of a partner: its state and next step, figures, rounds, credentials, settings, voids, and the switch that stops its costs. */
import { html } from "hono/html";
import { listCredentialsOfPartner } from "../../../db/operator/credentials.ts";
import { type PartnerFacts, readPartners } from "../../../db/operator/lists/partner-facts.ts";
import { findPartner, type PartnerRow } from "../../../db/operator/partners.ts";
import { findRates } from "../../../db/operator/rates.ts";
import { listRoundsOfPartner } from "../../../db/operator/rounds/lists.ts";
import { toStored } from "../../../db/operator/stored-rates.ts";
import { COST_TYPE, COST_TYPES, toTypes } from "../../../domain/cost-types.ts";
import { silentSince } from "../../../domain/partner-state.ts";
import { toIso } from "../../../domain/time.ts";
import { chartScript } from "../../../pages/chart/chart.ts";
import { costTypeChecks } from "../../../pages/costs/cost-types.ts";
import { ratesSection } from "../../../pages/costs/rates.ts";
import { roundBadge, typeFacts } from "../../../pages/costs/states.ts";
import { breadcrumb, card, facts, nameText, pageHead } from "../../../pages/elements.ts";
import type { Option, RejectedForm } from "../../../pages/forms/fields.ts";
import { form } from "../../../pages/forms/form.ts";
import { table } from "../../../pages/lists/table.ts";
import { type Markup, time } from "../../../pages/markup.ts";
import { type RoundItem, toRoundItem } from "../../../usecases/rounds/serialize.ts";
import { notFound } from "../../api/common.ts";
import { createCredential } from "../../api/credentials.ts";
import { openRound } from "../../api/rounds.ts";
import { readNewestTestLink } from "../../api/test-links.ts";
import { readUrlPrices } from "../../api/url-prices.ts";
import { credentialTable } from "../credentials.ts";
import { type Act, idOf, type Show, secretPage } from "../layout.ts";
import type { OperatorSession } from "../session.ts";
import { passwordField } from "../step-up.ts";
import { costSwitch, settingsSection, stoppedNotice } from "./settings.ts";
import { coverageOf, readPartnerSpend, spendSection } from "./spend.ts";
import { partnerSteps } from "./steps.ts";
import { signalsOf } from "./table.ts";
import { urlPriceSection } from "./url-prices.ts";
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
  const [partner, { partners }, credentials, rounds, found, prices, spend] = await Promise.all([
    findPartner(DB, id),
    readPartners(context.ledger, context.now, { id, hasSpend: false }),
    listCredentialsOfPartner(DB, NEWEST, { partnerId: id }),
    listRoundsOfPartner(DB, NEWEST, { partnerId: id }),
    findRates(context.ledger, id, context.now),
    readUrlPrices(context, id),
    readPartnerSpend(context, id),
  ]);
  const [known] = partners;
  if (!partner || !known) throw notFound("partner");
  const integration = { ...known, rates: toStored(partner, found.counts, context.now) };
  const rejectedAt = (end: string) => (context.url.pathname.endsWith(end) ? formError : undefined);
  const noCredentials = html`<p class="muted">No credentials yet. ${partner.supportsCostData ? "Issue a live one below." : "Open a round to get a test credential."}</p>`;
  return {
    title: partner.displayName,
    section: "Partners",
    scripts: [chartScript.href],
    body: html`
      ${breadcrumb([["Partners", "/operator/partners"]], partner.displayName)}
      ${pageHead(nameText(partner.displayName), signalsOf(integration, coverageOf(spend)))}
      ${stoppedNotice(partner)}
      ${stateSection(partner, integration)}
      ${spendSection(partner, spend, found, context.now)}
      ${ratesSection(partner.integratedTypes, found)}
      ${card(
        { id: "rounds", title: "Rounds" },
        rounds.rows.length === 0
          ? html`<p class="muted">No rounds yet.</p>`
          : roundTable(rounds.rows.slice(0, NEWEST.limit).map(toRoundItem)),
        moreHint(id, "rounds", rounds.total),
        openForm(partner, session, rejectedAt("/rounds")),
      )}
      ${card(
        { id: "credentials", title: "Credentials" },
        credentialTable(credentials.rows.slice(0, NEWEST.limit), noCredentials),
        moreHint(id, "credentials", credentials.total),
        issueForm(partner, session, rejectedAt("/credentials")),
      )}
      ${settingsSection(context, partner, rejectedAt(`/${id}`))}
      <div class="grid">${urlPriceSection(id, prices)}${voidSection(id)}${costSwitch(partner)}</div>`,
  };
};

/** What the partner can send, and what the operator does next. */
function stateSection(partner: PartnerRow, known: PartnerFacts): Markup {
  const { id } = partner;
  const [step] = partnerSteps(known);
  return card(
    {
      id: "state",
      title: "State and next step",
      kind: "across",
      aside: html`<p class="actions"><a href="/operator/partners/${id}/setup">Setup</a> <a href="/operator/audit?object=partner%20${id}">Changes of this partner</a></p>`,
    },
    facts(
      ...typeFacts(partner, silentSince(partner, partner)),
      partner.lastCostAt !== null && ["Last cost, to the hour", time(toIso(partner.lastCostAt))],
      partner.lastClickAt !== null && ["Last click, to the hour", time(toIso(partner.lastClickAt))],
      [
        "Next step",
        step
          ? html`<a href="${step.href}">${step.text}</a>${step.what && html`<div class="muted">${step.what}</div>`}`
          : "None",
      ],
    ),
  );
}

const roundTable = (rows: RoundItem[]) =>
  table({
    label: "Rounds of the partner",
    rows,
    columns: [
      { heading: "Round", cell: ({ id }) => html`<a href="/operator/rounds/${id}">Round ${id}</a>` },
      { heading: "Cost types", cell: ({ cost_types }) => cost_types.join(", ") },
      { heading: "Opened", cell: ({ opened_at }) => time(opened_at) },
      { heading: "State", cell: ({ state }) => roundBadge(state, false) },
    ],
  });

/** The cost types that an open round does not have yet. */
export const availableTypes = ({ typesInRound }: PartnerRow) =>
  COST_TYPES.filter((type) => !(typesInRound & COST_TYPE[type].bit));

/** Closed if the partner sends costs already. A link to its fragment opens it. */
function openForm(partner: PartnerRow, session: OperatorSession, rejected?: RejectedForm): Markup {
  const available = availableTypes(partner);
  if (available.length === 0) return html`<p class="muted" id="open">All cost types are in open rounds.</p>`;
  return html`
    <details ${rejected || partner.integratedTypes === 0 ? html`open` : ""}>
      <summary>Open a round</summary>
      <div id="open">${form(
        {
          id: "round",
          action: `/operator/partners/${partner.id}/rounds`,
          fields: costTypeChecks(available),
          values: {
            cost_types: available.filter((type) => !(partner.integratedTypes & COST_TYPE[type].bit)),
          },
          more: passwordField(session, "round", rejected),
          button: "Open round",
        },
        rejected,
      )}</div>
    </details>`;
}

function issueForm(partner: PartnerRow, session: OperatorSession, rejected?: RejectedForm): Markup | "" {
  const live = toTypes(partner.integratedTypes);
  const types = toTypes(partner.integratedTypes | partner.typesInRound);
  if (types.length === 0) return "";
  const modes: Option[] = [
    ...(live.length > 0 ? [["live", "Live: sends costs"] as Option] : []),
    ...(partner.typesInRound > 0 ? [["test", "Test: sends costs to the open round"] as Option] : []),
  ];
  return html`
    <details ${rejected || (live.length > 0 && !partner.hasLiveCredential) ? html`open` : ""}>
      <summary>Issue a credential</summary>
      ${form(
        {
          id: "credential",
          action: `/operator/partners/${partner.id}/credentials`,
          fields: { mode: { label: "Mode", options: modes }, ...costTypeChecks(types) },
          values: { cost_types: live },
          more: passwordField(session, "credential", rejected),
          button: "Issue credential",
        },
        rejected,
      )}
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
  const link = await readNewestTestLink(context, id);
  const linkPage = `/operator/rounds/${round.id}/link`;
  return secretPage({
    section: "Partners",
    title: `Round ${round.id} opened`,
    name: "Test credential",
    secret: round.test_credential,
    use: html`
      ${
        link
          ? html`<p>Send the partner the token of its test link together with this credential: <a href="${linkPage}?app=${link.appToken}&amp;link=${link.token}">${nameText(link.label)}</a> <code>${link.token}</code>.</p>`
          : html`<p>The partner also needs a link: <a href="${linkPage}">create a test link</a>, and send its token to the partner together with this credential.</p>`
      }
      <p>Next, send the partner the <a href="/docs/partners">partner guide</a>. The partner opens the link with a <code>cost_id</code>, sends the costs to <code>${context.url.origin}/cost</code> with this credential, and signs in at <a href="/partner">${context.url.origin}/partner</a> with it to read the report. Costs in a round never count as spend.</p>`,
    back: `/operator/rounds/${round.id}`,
  });
};
