/** The commands with which a partner tries a cost, with values of its own. The credential is never in them. */
import { html } from "hono/html";
import { COST_TYPE, type CostType } from "../domain/cost-types.ts";
import { copyButton } from "../pages/elements.ts";
import type { Markup } from "../pages/markup.ts";

export interface Trial {
  /** Where the service answers. */
  origin: string;
  costType: CostType;
  currency: string;
  costId: string;
  /** The token of a link, or the variable of a shell that has it. */
  link: string;
}

/** Records a click or an impression with the cost ID, and answers when it is stored. */
export function openCommand({ origin, costType, costId, link }: Trial): string {
  const base = COST_TYPE[costType].fits[0] === "impression" ? `${origin}/impression` : origin;
  return `curl -s "${base}/${link}?cost_id=${costId}&s2s=1"`;
}

/** Sends the cost of it. */
export function sendCommand({ origin, costType, currency, costId }: Trial): string {
  return `curl -s -H "Authorization: Token token=$COST_TOKEN" \\
  -d 'cost_type=${costType}' -d 'cost_currency=${currency}' -d 'cost_amount=0.25' \\
  -d 'cost_id=${costId}' -d 'tag=first' "${origin}/cost"`;
}

/** A command that can be copied. `of` says which. */
export const command = (text: string, of: string): Markup => html`
  <div class="command"><pre tabindex="0" aria-label="${of}"><code>${text}</code></pre>${copyButton(text, `of: ${of}`)}</div>`;
