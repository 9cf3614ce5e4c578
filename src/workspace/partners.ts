/** The Partners page of an app: what each partner may do, its links, its spend, and how complete its costs are. */
import { html } from "hono/html";
import { type Attachment, findAttachments, findOpenRounds } from "../db/ledger/attention.ts";
import type { ReportRow } from "../db/ledger/reports/reports.ts";
import type { Partner } from "../db/links/partner-catalog.ts";
import { COST_TYPE, COST_TYPES, type CostType, toTypes } from "../domain/cost-types.ts";
import { toRates } from "../domain/rates.ts";
import { OF_IMPRESSIONS } from "../domain/texts.ts";
import type { Context } from "../env.ts";
import { readInput } from "../http/input/input.ts";
import { showCount, showMoney, showPercent } from "../pages/locale.ts";
import type { Markup } from "../pages/markup.ts";
import { type Period, periodPicker, periodQuery, toPeriod } from "../pages/periods.ts";
import { readReports } from "../usecases/reports.ts";
import { authorizeApp, type Member, type Show } from "./frame.ts";
import { periodQuery as daysQuery } from "./links/query.ts";
import { addUp, currenciesOf, describeType, type Row } from "./reports/lines.ts";

export const partnersPage: Show = async (context, member) => {
  const view = await readPartners(context, member);
  const others = [...view.partners.values()].filter(({ id }) => !view.attachments.has(id));
  return {
    title: "Partners",
    body: html`
      <h1>Partners</h1>
      ${periodPicker(context.url, view.period)}
      ${view.attachments.size === 0 ? noPartner(member) : ""}
      ${[...view.attachments.values()].map((attachment) => partnerCard(member, view, attachment))}
      ${others.length > 0 ? otherPartners(others) : ""}`,
  };
};

interface PartnersView {
  period: Period;
  partners: ReadonlyMap<number, Partner>;
  attachments: Map<number, Attachment>;
  /** The cost types that are in an open round, by partner. */
  inRound: Map<number, CostType[]>;
  spend: Row[];
  engagements: ReportRow<"engagements">[];
}

async function readPartners(context: Context, { viewer, app }: Member): Promise<PartnersView> {
  const { query } = await readInput(context, { query: daysQuery });
  const period = toPeriod(query, context.now, app.firstDay);
  const { ledger } = context;
  const { from, to } = period;
  const found = await readReports(
    ledger,
    viewer,
    app.token,
    [
      { report: "spend", scope: { from, to, groups: ["partner", "cost_type"] } },
      { report: "engagements", scope: { from, to, groups: ["partner", "kind"] } },
    ],
    findAttachments(ledger.control, viewer, app.token),
    findOpenRounds(ledger.control, viewer, app.token),
  );
  authorizeApp(found.access);
  const [spend, engagements] = found.rows;
  const [attachments, rounds] = found.more;
  const byPartner = Map.groupBy(rounds, ({ partnerId }) => partnerId);
  return {
    period,
    partners: found.partners,
    attachments: new Map(attachments.map((attachment) => [attachment.partnerId, attachment])),
    inRound: new Map(
      [...byPartner].map(([id, open]) => [id, open.flatMap((round) => toTypes(round.costTypes))]),
    ),
    spend,
    engagements,
  };
}

function partnerCard(
  { path }: Member,
  view: PartnersView,
  { partnerId, links, costDataOn }: Attachment,
): Markup {
  const partner = view.partners.get(partnerId);
  if (!partner) return html``;
  const id = `partner-${partnerId}`;
  const days = periodQuery(view.period);
  const inRound = view.inRound.get(partnerId) ?? [];
  const spend = view.spend.filter((row) => row.partnerId === partnerId);
  const spendHref = `${path}/performance?${new URLSearchParams({ ...days, partner_id: String(partnerId) })}`;
  const linksHref = `${path}/links?${new URLSearchParams({ ...days, partner: String(partnerId) })}`;
  return html`
    <section class="card" aria-labelledby="${id}">
      <div class="head"><h2 id="${id}">${partner.displayName}</h2>${state(partner, inRound)}</div>
      <p>${explain(partner, inRound)}</p>
      <dl class="details">
        <dt>Links</dt>
        <dd><a href="${linksHref}">${showCount(links)} ${links === 1 ? "link" : "links"}</a> <span class="muted">· cost data on for ${showCount(costDataOn)}</span></dd>
        <dt>Clicks</dt><dd>${showCount(countOf(view, partnerId, "click", "count"))}</dd>
        <dt>Impressions</dt><dd>${showCount(countOf(view, partnerId, "impression", "count"))}</dd>
        <dt>Spend</dt>
        <dd>${spend.length === 0 ? "None in these days" : html`<a href="${spendHref}">${spendText(spend)}</a>`}</dd>
      </dl>
      ${typesTable(view, partner, inRound, spend)}
    </section>`;
}

function countOf(
  { engagements }: PartnersView,
  partnerId: number,
  kind: string,
  name: "count" | "recorded",
): number {
  return engagements
    .filter((row) => row.partnerId === partnerId && row.kind === kind)
    .reduce((sum, row) => sum + row[name], 0);
}

function spendText(spend: Row[]): string {
  return currenciesOf(spend)
    .map((currency) =>
      showMoney(
        addUp(
          currency,
          spend.filter((row) => row.currency === currency),
          [],
        ).spend,
        currency,
      ),
    )
    .join(" · ");
}

function state({ stoppedAt, supportsCostData }: Partner, inRound: CostType[]): Markup {
  if (stoppedAt !== null) return html`<span class="badge error">Stopped</span>`;
  if (supportsCostData) return html`<span class="badge ok">Sends cost data</span>`;
  return inRound.length > 0
    ? html`<span class="badge warn">In an integration round</span>`
    : html`<span class="badge">No cost data</span>`;
}

function explain(
  { displayName, stoppedAt, supportsCostData, integratedTypes }: Partner,
  inRound: CostType[],
): string {
  if (stoppedAt !== null)
    return `${displayName} is stopped, so its costs are rejected. Ask your operator to resume it.`;
  if (supportsCostData)
    return `${displayName} can send costs of these types: ${toTypes(integratedTypes).join(", ")}.`;
  return inRound.length > 0
    ? `${displayName} is testing its costs. They count once your operator approves the round.`
    : `${displayName} can't send costs yet. Its clicks and impressions count. Ask your operator for an integration round.`;
}

/** Each cost type with its state. Coverage is matched costs by recorded engagements of the preferred kind. */
function typesTable(
  view: PartnersView,
  { id, displayName, integratedTypes }: Partner,
  inRound: CostType[],
  spend: Row[],
): Markup {
  const integrated = toTypes(integratedTypes);
  const rows = COST_TYPES.map((costType) => {
    const matched = spend
      .filter((row) => row.costType === costType)
      .reduce((sum, row) => sum + row.matched + row.unpriced, 0);
    const recorded = countOf(view, id, COST_TYPE[costType].fits[0], "recorded");
    const { coverage } = toRates({ costType, matched, recorded, discrepancy: null });
    const isLive = integrated.includes(costType);
    return html`
      <tr>
        <th scope="row">${describeType(costType)}</th>
        <td data-label="State">${isLive ? html`<span class="badge ok">Integrated</span>` : ""} ${inRound.includes(costType) ? html`<span class="badge warn">In a round</span>` : ""}${isLive || inRound.includes(costType) ? "" : html`<span class="muted">Not integrated</span>`}</td>
        <td class="number" data-label="Matched costs">${showCount(matched)}</td>
        <td class="number" data-label="Coverage">${isLive && coverage !== null ? showPercent(coverage) : "–"}</td>
      </tr>`;
  });
  return html`
    <div class="table stacked figures-in-row" tabindex="0" role="region" aria-label="Cost types of ${displayName}"><table>
      <thead><tr><th scope="col">Cost type</th><th scope="col">State</th><th scope="col" class="number">Matched costs</th><th scope="col" class="number">Coverage</th></tr></thead>
      <tbody>${rows}</tbody>
    </table></div>
    <p class="hint">Coverage is matched costs ÷ recorded clicks, for ${OF_IMPRESSIONS} impressions.</p>`;
}

function noPartner({ path }: Member): Markup {
  return html`
    <section class="card">
      <h2>No link has a partner yet</h2>
      <p>Open a link and attach a partner in its settings. Its clicks, impressions and costs appear here.</p>
      <p><a class="button secondary" href="${path}/links">Go to links</a></p>
    </section>`;
}

function otherPartners(partners: Partner[]): Markup {
  const rows = partners.map(
    (partner) =>
      html`<tr><th scope="row">${partner.displayName}</th><td data-label="State">${state(partner, [])}</td><td data-label="Cost types">${toTypes(partner.integratedTypes).join(", ") || html`<span class="muted">None</span>`}</td></tr>`,
  );
  return html`
    <section class="card" aria-labelledby="others">
      <h2 id="others">Not attached to any link</h2>
      <div class="table stacked" tabindex="0" role="region" aria-label="Other partners"><table>
        <thead><tr><th scope="col">Partner</th><th scope="col">State</th><th scope="col">Cost types</th></tr></thead>
        <tbody>${rows}</tbody>
      </table></div>
    </section>`;
}
