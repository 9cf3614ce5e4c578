/** `/partner/setup`: the parameters on the URLs of the partner's links, and how to send the first cost. */
import { html } from "hono/html";
import type { SignedInPartner } from "../auth/partner-sessions.ts";
import { COST_TYPE, COST_TYPES, toTypes } from "../domain/cost-types.ts";
import { isTemplateMacro } from "../domain/macros.ts";
import { templatePairs } from "../domain/templates.ts";
import type { Context } from "../env.ts";
import { operatorContact } from "../pages/contact.ts";
import { badge, card, nameText } from "../pages/elements.ts";
import { table } from "../pages/lists/table.ts";
import type { Markup } from "../pages/markup.ts";
import { command, openCommand, sendCommand, type Trial } from "./commands.ts";
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
        ${hasCostId ? "" : html`<p class="notice warn">Your cost parameters don't contain a <code>cost_id</code>. Without it, a cost can't be matched with a click or impression. Ask ${operatorContact(context.env)} to add <code>cost_id=</code> and the name of your macro.</p>`}
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
          cell: ({ value }) =>
            html`<code>${value}</code>${isTemplateMacro(value) ? html` ${badge("macro")}` : ""}`,
        },
      ],
      rows: templatePairs(parameters),
    })}`;
}

/** The commands of the partner guide with this partner's values. */
function firstCost({ url }: Context, { mode, costTypes }: SignedInPartner): Markup {
  if (mode === "test")
    return card(
      { id: "first", title: "Send your first cost" },
      html`<p><a href="/partner">Overview</a> has the commands, with your link and a new cost ID.</p>`,
    );
  const costType = toTypes(costTypes)[0] ?? COST_TYPES[0];
  const [kind] = COST_TYPE[costType].fits;
  const name = kind === "click" ? "a click" : "an impression";
  const trial: Trial = {
    origin: url.origin,
    costType,
    currency: "USD",
    costId: "yourname-20260701-0001",
    link: "$LINK_TOKEN",
  };
  return card(
    { id: "first", title: "Send your first cost" },
    html`
      <p>Put your live credential in <code>COST_TOKEN</code>, and the token of a link that is attached to you in <code>LINK_TOKEN</code>. This cost counts: to try without counting, ask for an <a href="/docs/rounds">integration round</a>.</p>
      <h3>1. Record ${name} with a cost ID</h3>
      ${command(openCommand(trial), `record ${name}`)}
      <h3>2. Send its cost with the same ID</h3>
      ${command(sendCommand(trial), "send the cost")}
      <p>The response when the cost is stored and matches its ${kind}:</p>
      <pre tabindex="0" aria-label="Answer"><code>{"status":"ok","cost_id":"yourname-20260701-0001","match":"matched","duplicate":false,"amount":"0.25","request_id":"…"}</code></pre>
      <h3>3. See the result</h3>
      <p>Open <a href="/partner/costs">Costs</a>. A pending cost still waits for its ${kind}. The <a href="/docs/partners">partner guide</a> explains every parameter and error.</p>`,
  );
}
