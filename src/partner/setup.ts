/** `/partner/setup`: the parameters on the URLs of the partner's links, and how to send the first cost. */
import { html } from "hono/html";
import type { SignedInPartner } from "../auth/partner-sessions.ts";
import { COST_TYPE, COST_TYPES, toTypes } from "../domain/cost-types.ts";
import type { Context } from "../env.ts";
import { isMacro } from "../http/input/fields.ts";
import { templatePairs } from "../http/input/pairs.ts";
import { badge, nameText } from "../pages/elements.ts";
import type { Markup } from "../pages/markup.ts";
import { table } from "../pages/table.ts";
import { withFrame } from "./frame.ts";

export const setupPage = withFrame("/partner/setup", async (context, partner, caller) => {
  caller.authorize(partner);
  const { clickParameters, impressionParameters, costParameters } = partner;
  const hasCostId = templatePairs(costParameters).some(({ name }) => name === "cost_id");
  return {
    title: "Setup",
    body: html`
      <h1>Setup</h1>
      <section class="card" aria-labelledby="parameters">
        <h2 id="parameters">Parameters of your links</h2>
        <p>Your operator set these. They are added to the URLs of links that are attached to ${nameText(partner.displayName)}. When you open a URL, replace each macro with your own value.</p>
        ${hasCostId ? "" : html`<p class="notice warn">Your cost parameters don't contain a <code>cost_id</code>. Without it, a cost can't be matched with a click or impression. Ask your operator to add <code>cost_id=</code> and the name of your macro.</p>`}
        ${template("Click URLs", clickParameters)}
        ${template("Impression URLs", impressionParameters)}
        ${template("Click and impression URLs while cost data is on", costParameters)}
      </section>
      ${firstCost(context, partner)}`,
  };
});

function template(heading: string, parameters: string): Markup {
  if (parameters === "") return html`<h3>${heading}</h3><p class="muted">No parameters.</p>`;
  return html`
    <h3>${heading}</h3>
    <pre tabindex="0" aria-label="${heading}"><code>${parameters}</code></pre>
    ${table({
      label: heading,
      columns: [
        { heading: "Parameter", cell: ({ name }) => html`<code>${name}</code>` },
        {
          heading: "Value",
          cell: ({ value }) => html`<code>${value}</code>${isMacro(value) ? html` ${badge("macro")}` : ""}`,
        },
      ],
      rows: templatePairs(parameters),
    })}`;
}

/** The commands of the partner guide with this partner's values. The credential is never shown. */
function firstCost({ url }: Context, { mode, costTypes }: SignedInPartner): Markup {
  const type = toTypes(costTypes)[0] ?? COST_TYPES[0];
  const [kind] = COST_TYPE[type].fits;
  const opened = kind === "impression" ? `${url.origin}/impression` : url.origin;
  const round = mode === "test" ? ',"round":1,"mismatch":null' : "";
  return html`
    <section class="card" aria-labelledby="first">
      <h2 id="first">Send your first cost</h2>
      <p>Put your ${mode} credential in <code>COST_TOKEN</code>, and the token of a link that is attached to you in <code>LINK_TOKEN</code>.</p>
      <h3>1. Record ${kind === "click" ? "a click" : "an impression"} with a cost ID</h3>
      ${code(`curl -s "${opened}/$LINK_TOKEN?cost_id=yourname-20260701-0001&s2s=1"`)}
      <h3>2. Send its cost with the same ID</h3>
      ${code(`curl -s -H "Authorization: Token token=$COST_TOKEN" \\
  -d 'cost_type=${type}' -d 'cost_currency=USD' -d 'cost_amount=0.25' \\
  -d 'cost_id=yourname-20260701-0001' -d 'tag=first' "${url.origin}/cost"`)}
      <p>The answer when the cost is stored and has found its ${kind}:</p>
      ${code(`{"status":"ok","cost_id":"yourname-20260701-0001","match":"matched","duplicate":false,"amount":"0.25"${round},"request_id":"…"}`)}
      <h3>3. See the result</h3>
      <p>${mode === "test" ? html`Open <a href="/partner/round">Round</a>. It lists each mismatch and how to fix it.` : html`Open <a href="/partner/costs">Costs</a>. A pending cost still waits for its ${kind}.`} The <a href="/docs/partners">partner guide</a> explains every parameter and error.</p>
    </section>`;
}

const code = (text: string) => html`<pre tabindex="0" aria-label="Example"><code>${text}</code></pre>`;
