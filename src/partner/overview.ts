/** `/partner`: what the partner may send, how complete and how right its costs are, and what to do next. */
import { html } from "hono/html";
import type { SignedInPartner } from "../auth/partner-sessions.ts";
import { type FoundRates, findRates } from "../db/operator/rates.ts";
import { COST_TYPE, type CostType, toTypes } from "../domain/cost-types.ts";
import { DISCREPANCY_THRESHOLD, RATE_DAYS } from "../domain/figures/rates.ts";
import { toIso } from "../domain/time.ts";
import type { Context } from "../env.ts";
import { chartScript } from "../pages/chart/chart.ts";
import { operatorContact } from "../pages/contact.ts";
import { costTypeName } from "../pages/costs/cost-types.ts";
import { ratesSection } from "../pages/costs/rates.ts";
import { partnerBadge } from "../pages/costs/states.ts";
import { card, nameText } from "../pages/elements.ts";
import { table } from "../pages/lists/table.ts";
import { showCount, showList, showPlural } from "../pages/locale.ts";
import { type Markup, time } from "../pages/markup.ts";
import { moneyText } from "../pages/money.ts";
import { type RatesItem, toIntegratedRates } from "../usecases/rates.ts";
import { ABOUT, chartsOf, type Total, toTotals } from "./costs/totals.ts";
import { report, withFrame } from "./frame.ts";
import { showStart } from "./start.ts";

export const overview = withFrame(
  "/partner",
  report(async (context, partner, caller) => {
    if (partner.mode === "test") return showStart(context, partner, caller);
    // The rates are found by the partner's ID, which the database has just read for the session.
    caller.authorize(partner);
    const found = await findRates(context.ledger, partner.partnerId, context.now);
    const types = typesOf(partner);
    return {
      title: "Overview",
      scripts: [chartScript.href],
      body: html`
      <div class="head"><h1>${nameText(partner.displayName)}</h1>${partnerBadge({ ...partner, supportsCostData: types.length, typesInRound: 0 })}</div>
      ${
        partner.stoppedAt === null
          ? ""
          : html`<p class="notice error">An operator stopped ${nameText(partner.displayName)} on ${time(toIso(partner.stoppedAt))}. Costs are rejected until an operator resumes it.</p>`
      }
      ${nextStep(context, partner, types, found)}
      ${acceptedCard(partner, found)}
      <section class="card" aria-labelledby="credential">
        <h2 id="credential">Credential</h2>
        <dl class="details">
          <dt>Credential</dt><dd><code>${partner.hint}</code></dd>
          <dt>Can send</dt><dd>${types.length > 0 ? types.map((type) => html`${costTypeName(type)} `) : "No cost types"}</dd>
        </dl>
      </section>
      ${ratesSection(partner.integratedTypes, found)}`,
    };
  }),
);

/** The cost types that are accepted with this credential. */
function typesOf(partner: SignedInPartner): CostType[] {
  return partner.supportsCostData ? toTypes(partner.costTypes & partner.integratedTypes) : [];
}

/** What counts of today and of all days of the rates, by type and currency. */
function acceptedCard(partner: SignedInPartner, { matched, from, to, complete }: FoundRates): Markup {
  const today = toTotals(matched.filter(({ day }) => day === to));
  const todayOf = (total: Total) =>
    today.find(({ costType, currency }) => costType === total.costType && currency === total.currency);
  return card(
    {
      id: "accepted",
      title: "Costs that count",
      aside: html`<a href="/partner/totals">Totals by day</a>`,
    },
    complete
      ? ""
      : html`<p class="muted">There's more data than this page can read, so some costs can be missing.</p>`,
    table({
      label: "Costs that count, by type and currency",
      layout: "figures-in-row",
      rows: toTotals(matched),
      columns: [
        {
          heading: "Cost type",
          cell: ({ costType, currency }) => html`${costTypeName(costType)} ${currency}`,
        },
        {
          heading: "Today",
          kind: "number",
          onPhone: 6,
          cell: (total) => countAndMoney(todayOf(total) ?? { ...total, costs: 0, amount: 0n }),
        },
        { heading: `Last ${RATE_DAYS} days with today`, kind: "number", onPhone: 6, cell: countAndMoney },
      ],
      empty: html`<p>None in the last ${RATE_DAYS} days.</p>`,
    }),
    html`<p class="hint">${ABOUT}</p>`,
    chartsOf(partner, matched, { from, to }, to),
  );
}

const countAndMoney = ({ costs, amount, currency }: Total): Markup =>
  html`${moneyText(amount, currency)}, <span class="muted whole">${showPlural(costs, "cost", "costs")}</span>`;

function nextStep(context: Context, partner: SignedInPartner, types: CostType[], found: FoundRates): Markup {
  return card({ id: "next", title: "Next step" }, findStep(context, partner, types, found));
}

function findStep({ env }: Context, partner: SignedInPartner, types: CostType[], found: FoundRates): Markup {
  const contact = operatorContact(env);
  if (partner.stoppedAt !== null) return html`<p>Ask ${contact} why costs are stopped.</p>`;
  if (types.length === 0)
    return html`<p>Your credential can't send any cost type yet. Ask ${contact} for an <a href="/docs/rounds">integration round</a>.</p>`;
  const rates = toIntegratedRates(partner.integratedTypes, found);
  const off = rates.find((item) => item.within_threshold === false);
  const pending =
    found.pending === 0
      ? ""
      : html` <a class="button secondary" href="/partner/costs?match=pending">Show pending costs</a>`;
  if (off) {
    const expected = off.expected ?? 0;
    const without = expected - (off.agreeing ?? 0);
    return html`<p>The discrepancy of ${off.cost_type} is above the usual ${100 * DISCREPANCY_THRESHOLD}%: ${showCount(without)} of ${showPlural(expected, COST_TYPE[off.cost_type].fits[0])} ${without === 1 ? "has" : "have"} no matching cost.${found.pending === 0 ? "" : " Costs that wait for a click or impression may have a wrong ID."}</p>
      <p class="actions"><a class="button" href="/partner/missing">Show what has no cost</a>${pending}</p>`;
  }
  if (rates.every((item) => item.matched === 0))
    return html`<p>None of your costs matched in the last ${RATE_DAYS} days. Send your first cost, or upload a file.</p>
      <p class="actions"><a class="button" href="/partner/setup">Set up costs</a> <a class="button secondary" href="/partner/upload">Upload costs</a>${pending}</p>`;
  return html`<p>${describeUsual(rates)}</p>
    <p class="actions"><a class="button secondary" href="/partner/costs">Show costs</a> <a class="button secondary" href="/partner/missing">Show what has no cost</a></p>`;
}

/** Of costs that match, what is known of their discrepancies: none is above what is usual. */
function describeUsual(rates: RatesItem[]): string {
  const known = rates.filter(({ discrepancy }) => discrepancy !== null);
  const typesWhere = (isEnough: boolean) =>
    known.filter((item) => (item.within_threshold !== null) === isEnough).map((item) => item.cost_type);
  const [judged, few] = [typesWhere(true), typesWhere(false)];
  const usual = `the usual ${100 * DISCREPANCY_THRESHOLD}%`;
  if (few.length === 0) return `Your costs match, and no discrepancy is above ${usual}. Nothing to do.`;
  if (judged.length === 0)
    return "Your costs match. There are too few clicks or impressions to judge the discrepancy.";
  return `Your costs match, and the discrepancy of ${showList(judged)} is below ${usual}. There are too few clicks or impressions to judge that of ${showList(few)}.`;
}
