/** From clicks and impressions to costs that count, as bars, with the reasons beside each loss. */
import { html } from "hono/html";
import type { LossReason, Step, StepName } from "../../domain/figures/funnel.ts";
import { COST_WINDOW, RETENTION } from "../../domain/texts.ts";
import { card } from "../../pages/elements.ts";
import { showCount, showPercent } from "../../pages/locale.ts";
import type { Markup } from "../../pages/markup.ts";

const NAMES: Record<StepName, string> = {
  recorded: "Clicks and impressions",
  with_cost_id: "With a cost ID",
  matched: "With a cost",
  priced: "With an amount",
};

const REASONS: Record<LossReason, string> = {
  no_cost_id: "No cost ID on the URL",
  unfilled_macro: "The network didn't replace the macro of the cost ID",
  placeholder: "The cost ID means nothing, such as null",
  invalid: "The cost ID isn't valid",
  repeated: "Two cost IDs on one URL",
  escaped: "The URL was copied from the source of a page, with amp; before cost_id",
  repeated_id: "The cost ID was used before",
  other_app: "The cost ID was used before in another app",
  partner_changed: "Not known: the link changed its partner on that day",
  other_engagement: "The cost counts for the other click or impression with the same ID",
  cost_data_off: "Cost data was off",
  rejected: "The cost was rejected",
  does_not_fit: `The cost doesn't fit: another type, or more than ${COST_WINDOW} apart`,
  voided: "The cost was voided",
  price_held: "The price on the URL is held until an operator decides",
  no_cost: "No accepted cost",
  not_known: `Not known: cost IDs are forgotten after ${RETENTION}`,
  no_amount: "The cost has no amount",
};

/** What is known of a step, if not everything was looked through. */
const NOT_READ = "Not known: there are too many to look through";

export interface Hrefs {
  linksWithoutCostData: string;
  rejections: string;
}

/** Where a reason can be looked at. */
function hrefOf(reason: LossReason, hrefs: Hrefs): [name: string, href: string] | undefined {
  if (reason === "rejected") return ["Show rejected costs", hrefs.rejections];
  if (reason === "cost_data_off") return ["Show links with cost data off", hrefs.linksWithoutCostData];
  return undefined;
}

export function funnelSection(steps: Step[], isComplete: boolean, hrefs: Hrefs): Markup {
  const [first] = steps;
  if (!first || first.count === 0)
    return card(
      { id: "funnel", title: "From clicks to costs" },
      html`<p class="muted">No clicks or impressions in these days.</p>`,
    );
  return card(
    { id: "funnel", title: "From clicks to costs" },
    html`<ol class="funnel">
      ${steps.map(({ step, count, losses }) => {
        const share = Math.min(1, count / first.count);
        return html`
          <li>
            <p><span>${NAMES[step]}</span> <strong>${showCount(count)}</strong> <span class="muted">${step === "recorded" ? "" : `${showPercent(share)} of all`}</span></p>
            <svg aria-hidden="true"><rect class="all" width="100%" height="100%"/><rect width="${(share * 100).toFixed(2)}%" height="100%"/></svg>
            ${losses.length === 0 ? "" : html`<ul aria-label="Not ${lower(NAMES[step])}">${losses.map((loss) => lossItem(loss, isComplete, hrefs))}</ul>`}
          </li>`;
      })}
    </ol>`,
    html`<p class="hint">Percentages are of all clicks and impressions. The coverage above is only of those with a cost ID. Each loss and its reason are below its step. A cost is counted on the day of its click or impression.</p>`,
  );
}

const lower = (text: string) => text.charAt(0).toLowerCase() + text.slice(1);

function lossItem({ reason, count }: Step["losses"][number], isComplete: boolean, hrefs: Hrefs): Markup {
  const found = hrefOf(reason, hrefs);
  const text = reason === "not_known" && !isComplete ? NOT_READ : REASONS[reason];
  return html`<li><span class="number">−${showCount(count)}</span> <span>${text}${found ? html`. <a href="${found[1]}">${found[0]}</a>` : ""}</span></li>`;
}
