/** `/partner`: what the partner may send, how complete and how right its costs are, and what to do next. */
import { html } from "hono/html";
import type { SignedInPartner } from "../auth/partner-sessions.ts";
import { type FoundRates, findRates } from "../db/operator/rates.ts";
import { COST_TYPE, type CostType, toTypes } from "../domain/cost-types.ts";
import { DISCREPANCY_THRESHOLD, RATE_DAYS } from "../domain/figures/rates.ts";
import { toIso } from "../domain/time.ts";
import type { Context } from "../env.ts";
import { operatorContact } from "../pages/contact.ts";
import { costTypeName } from "../pages/costs/cost-types.ts";
import { ratesSection } from "../pages/costs/rates.ts";
import { partnerBadge } from "../pages/costs/states.ts";
import { nameText } from "../pages/elements.ts";
import { type Markup, time } from "../pages/markup.ts";
import { type RatesItem, toIntegratedRates } from "../usecases/rates.ts";
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
      body: html`
      <div class="head"><h1>${nameText(partner.displayName)}</h1>${stateBadge(partner, types)}</div>
      ${
        partner.stoppedAt === null
          ? ""
          : html`<p class="notice error">An operator stopped ${nameText(partner.displayName)} on ${time(toIso(partner.stoppedAt))}. Costs are rejected until an operator resumes it.</p>`
      }
      ${nextStep(context, partner, types, found)}
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

function stateBadge(partner: SignedInPartner, types: CostType[]): Markup {
  return partnerBadge({ stoppedAt: partner.stoppedAt, supportsCostData: types.length });
}

function nextStep(context: Context, partner: SignedInPartner, types: CostType[], found: FoundRates): Markup {
  return html`<section class="card" aria-labelledby="next"><h2 id="next">Next step</h2>${findStep(context, partner, types, toIntegratedRates(partner.integratedTypes, found))}</section>`;
}

function findStep({ env }: Context, partner: SignedInPartner, types: CostType[], rates: RatesItem[]): Markup {
  if (partner.stoppedAt !== null) return html`<p>Ask ${operatorContact(env)} why costs are stopped.</p>`;
  if (types.length === 0)
    return html`<p>Your credential can't send any cost type yet. Ask ${operatorContact(env)} for an <a href="/docs/rounds">integration round</a>.</p>`;
  const off = rates.find((item) => item.within_threshold === false);
  if (off)
    return html`<p>The discrepancy of ${off.cost_type} is above the usual ${100 * DISCREPANCY_THRESHOLD}%: ${(off.expected ?? 0) - (off.agreeing ?? 0)} of ${off.expected} ${COST_TYPE[off.cost_type].fits[0]}s have no agreeing cost. Costs that wait for a click or impression may have a wrong ID.</p>
      <p><a class="button" href="/partner/costs?match=pending">Show pending costs</a></p>`;
  if (rates.every((item) => item.matched === 0))
    return html`<p>None of your costs matched in the last ${RATE_DAYS} days. Send your first cost, or upload a file.</p>
      <p class="actions"><a class="button" href="/partner/setup">Set up costs</a> <a class="button secondary" href="/partner/upload">Upload costs</a></p>`;
  return html`<p>Your costs match, and no discrepancy is above the usual ${100 * DISCREPANCY_THRESHOLD}%. Nothing to do.</p>
    <p><a class="button secondary" href="/partner/costs">Show costs</a></p>`;
}
