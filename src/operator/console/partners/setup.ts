/** A partner from its name to its first costs, in four steps on one page. What is done follows from the data. */
import { html } from "hono/html";
import { findApp, listAllApps } from "../../../db/operator/apps.ts";
import { readPartners } from "../../../db/operator/lists/partner-facts.ts";
import { findPartner, type PartnerRow } from "../../../db/operator/partners.ts";
import { listRoundsOfPartner } from "../../../db/operator/rounds/lists.ts";
import { COST_TYPES, type Kind, toTypes } from "../../../domain/cost-types.ts";
import type { Context } from "../../../env.ts";
import type { InputError } from "../../../errors.ts";
import { invalidRequest, parsePart } from "../../../http/input/parse.ts";
import { servedScript } from "../../../http/served-file.ts";
import { costTypeChecks } from "../../../pages/costs/cost-types.ts";
import { partnerBadge } from "../../../pages/costs/states.ts";
import { badge, breadcrumb, card, choices, facts, nameText, pageHead } from "../../../pages/elements.ts";
import { type RejectedForm, tokenOption } from "../../../pages/forms/fields.ts";
import { form, sentBody } from "../../../pages/forms/form.ts";
import { withQuery } from "../../../pages/lists/query.ts";
import { showList, showPlural } from "../../../pages/locale.ts";
import type { Markup } from "../../../pages/markup.ts";
import { notFound } from "../../api/common.ts";
import { createCredential } from "../../api/credentials.ts";
import { createPartner } from "../../api/partners.ts";
import { newRound, openRound } from "../../api/rounds.ts";
import { createTestLink, readNewestTestLink } from "../../api/test-links.ts";
import { type Act, done, idOf, type Page, partnerTrail, type Show, secretNotice } from "../layout.ts";
import type { OperatorSession } from "../session.ts";
import { passwordField } from "../step-up.ts";
import { handover, type Issued } from "./handover.ts";
import { NAME, previewOf, saveValues, TEMPLATES, valuesOf } from "./settings.ts";
import { hasCostId, partnerSteps } from "./steps.ts";
import { script } from "./templates.client.js";

export const templatesScript = servedScript("/operator.js", script);

const pathOf = (id: number) => `/operator/partners/${id}/setup`;

export const newPartnerPage: Show = async (_context, rejected) => ({
  title: "New partner",
  section: "Partners",
  body: html`
    ${breadcrumb([["Partners", "/operator/partners"]], "New partner")}
    ${pageHead("New partner")}
    ${step(1, "Name", false, form({ action: "/operator/partners/new", fields: NAME, button: "Create partner" }, rejected))}
    <p class="muted">Then follow its URL templates, a round with a test link, and what you send to the partner.</p>`,
});

export const submitNewPartner: Act = async (context, session, sent) => {
  const { id } = await createPartner.submit(context, session, { body: sentBody(NAME, sent) });
  return done(pathOf(id), "partner-created");
};

/** Also what the page shows after a credential was issued, which it can show only then. */
async function setup(
  context: Context,
  session: OperatorSession,
  rejected?: RejectedForm,
  issued?: Issued,
): Promise<Page> {
  const id = idOf(context);
  const { DB } = context.env;
  const [partner, { partners }, rounds, apps, link] = await Promise.all([
    findPartner(DB, id),
    readPartners(context.ledger, context.now, { id, hasSpend: false }),
    listRoundsOfPartner(DB, { after: null, before: Number.MAX_SAFE_INTEGER, limit: 10 }, { partnerId: id }),
    listAllApps(DB),
    readNewestTestLink(context, id),
  ]);
  if (!partner) throw notFound("partner");
  const rejectedAt = (end: string) => (context.url.pathname.endsWith(end) ? rejected : undefined);
  const round = rounds.rows.find(({ state }) => state === "open");
  const isLive = partner.integratedTypes !== 0;
  const [next] = partners.flatMap(partnerSteps);
  const isTested = round ? round.entryCount > 0 : isLive && partner.hasLiveCredential === 1;
  return {
    title: `Set up ${partner.displayName}`,
    section: "Partners",
    scripts: [templatesScript.href],
    body: html`
      ${partnerTrail({ id, name: partner.displayName }, "Setup")}
      ${pageHead(html`Set up ${nameText(partner.displayName)}`, partnerBadge(partner))}
      ${
        issued
          ? card(
              {
                id: "new-secret",
                title: issued.mode === "live" ? "Live credential" : "Test credential",
                aside: html`<a href="#step-4">Text for the partner</a>`,
              },
              secretNotice(issued.secret, `${issued.mode} credential`),
            )
          : ""
      }
      ${step(1, "Name", true, html`<p>${nameText(partner.displayName)}, <a href="/operator/partners/${id}#templates">change it</a></p>`)}
      ${step(2, "URL templates", hasCostId(partner), templates(context, partner, rejectedAt("/setup")))}
      ${step(
        3,
        "Round with a test link",
        (round !== undefined || isLive) && link !== undefined,
        round
          ? html`<p><a href="/operator/rounds/${round.id}">Round ${round.id}</a> tests ${showList(toTypes(round.costTypes))}. ${showPlural(round.entryCount, "submission")} so far.</p>`
          : isLive
            ? html`<p>Live for ${showList(toTypes(partner.integratedTypes))}.</p>`
            : html`<p class="muted">A round tests what the partner sends. Nothing in it counts as spend.</p>`,
        link
          ? html`<p>Link <code>${link.token}</code> ${nameText(link.label)}</p>`
          : roundForm(partner, apps, round === undefined && !isLive, session, rejectedAt("/round")),
        link && !round && !isLive ? roundForm(partner, apps, true, session, rejectedAt("/round")) : "",
      )}
      ${step(
        4,
        "Send setup",
        isTested,
        handover(context, partner, { round, link, issued }, session, rejectedAt("/credential")),
      )}
      ${next && isTested ? html`<p class="actions">Next: <a class="button" href="${next.href}">${next.text}</a></p>` : ""}`,
  };
}

export const setupPage: Show = (context, rejected, session) => setup(context, session, rejected);

const step = (number: number, name: string, isDone: boolean, ...body: (Markup | string)[]): Markup =>
  card(
    {
      id: `step-${number}`,
      title: `${number}. ${name}`,
      aside: isDone ? badge("Done", "ok") : badge("To do"),
    },
    ...body,
  );

const NAMES = "campaign={campaign_name}&adgroup={adgroup_name}&creative={creative_name}";
/** Templates to start from, by the name that the address has. */
const PRESETS: Record<string, { name: string; values: Record<string, string> }> = {
  calls: {
    name: "Costs by call",
    values: {
      click_parameters: NAMES,
      impression_parameters: NAMES,
      cost_parameters: "cost_id={click_id}",
    },
  },
  prices: {
    name: "Prices on URLs",
    values: {
      click_parameters: NAMES,
      impression_parameters: NAMES,
      cost_parameters: `cost_id={click_id}&cost_type=${COST_TYPES[0]}&cost_currency=USD&cost_amount={price}`,
    },
  },
};

function templates(context: Context, partner: PartnerRow, rejected?: RejectedForm): Markup {
  const { url } = context;
  const asked = url.searchParams.get("preset") ?? "";
  const preset = Object.hasOwn(PRESETS, asked) ? PRESETS[asked] : undefined;
  const values = { ...valuesOf(partner), ...preset?.values };
  const bases = previewOf(context, {
    ...partner,
    clickParameters: "",
    impressionParameters: "",
    costParameters: "",
    serverToServer: 0,
  });
  const shown = previewOf(context, {
    ...partner,
    clickParameters: values.click_parameters,
    impressionParameters: values.impression_parameters,
    costParameters: values.cost_parameters,
  });
  const preview = (kind: Kind) =>
    html`<code id="preview-${kind}" data-base="${bases[`${kind}_url`]}">${shown[`${kind}_url`]}</code>`;
  const options = Object.entries(PRESETS).map(([key, { name }]): [string, string, boolean] => [
    name,
    `${withQuery(url, { preset: key })}#step-2`,
    key === asked,
  ]);
  return html`
    <p class="muted">Query parameters that are added to the URLs of the partner's links. Write the partner's own macros. They are kept unchanged.</p>
    ${url.pathname.endsWith("/setup") ? choices("Start from", options) : ""}
    ${form(
      {
        id: "templates",
        className: "templates",
        action: pathOf(partner.id),
        fields: TEMPLATES,
        values,
        more: facts(["Click URL", preview("click")], ["Impression URL", preview("impression")]),
        button: "Save templates",
      },
      rejected,
    )}`;
}

export const submitTemplates: Act = async (context, session, sent) => {
  const id = idOf(context);
  await saveValues(context, session, TEMPLATES, sent);
  return done(pathOf(id), "templates-saved", {}, "step-3");
};

/** Opens the round, if none is open, and creates its link. */
function roundForm(
  partner: PartnerRow,
  apps: { token: string; name: string }[],
  opens: boolean,
  session: OperatorSession,
  rejected?: RejectedForm,
): Markup {
  if (apps.length === 0)
    return html`<p>The link needs an app. <a href="/operator/apps/new">Create an app</a> first.</p>`;
  const options = apps.map(tokenOption);
  return form(
    {
      id: "round",
      action: `${pathOf(partner.id)}/round`,
      fields: {
        ...(opens && costTypeChecks(COST_TYPES)),
        app_token: {
          label: "App of the test link",
          options,
          hint: "A network link is created in it, with the partner attached and cost data off.",
        },
      },
      values: { cost_types: [COST_TYPES[0]] },
      more: passwordField(session, "round", rejected),
      button: opens ? "Open round and create link" : "Create test link",
    },
    rejected,
  );
}

export const submitRound: Act = async (context, session, sent) => {
  const id = idOf(context);
  const { DB } = context.env;
  const app_token = sent.get("app_token") ?? "";
  const [partner, app, link] = await Promise.all([
    findPartner(DB, id),
    findApp(DB, app_token),
    readNewestTestLink(context, id),
  ]);
  if (!partner) throw notFound("partner");
  const [open] = JSON.parse(partner.openRounds) as number[];
  // Before the round is opened, whose credential can be shown only once.
  const errors: InputError[] = [];
  const body = { partner_id: id, cost_types: sent.getAll("cost_types") };
  if (open === undefined) parsePart(newRound, body, errors);
  const reject = (message: string) => errors.push({ param: "app_token", message });
  if (!app || app.archivedAt !== null) reject("must be an app that is not archived");
  else if (app.createdLinkCount >= app.maxLinks) reject("must be an app that is not full");
  if (errors.length > 0) throw invalidRequest(errors);
  const opened = open === undefined ? await openRound.submit(context, session, { body }) : undefined;
  const round = open ?? opened?.id;
  if (!link && round !== undefined) {
    const body = { app_token, name: `${partner.displayName.replaceAll("::", " ")} test` };
    await createTestLink.submit(context, session, { path: { id: round }, body });
  }
  if (!opened && !link) return done(pathOf(id), "link-created", {}, "step-4");
  return setup(context, session, undefined, opened && { mode: "test", secret: opened.test_credential });
};

export const submitCredential: Act = async (context, session, sent) => {
  const id = idOf(context);
  const mode = sent.get("mode");
  const partner = await findPartner(context.env.DB, id);
  if (!partner) throw notFound("partner");
  const cost_types = toTypes(mode === "live" ? partner.integratedTypes : partner.typesInRound);
  const body = { partner_id: id, mode, cost_types };
  const issued = await createCredential.submit(context, session, { body });
  return setup(context, session, undefined, { mode: issued.mode, secret: issued.credential ?? "" });
};
