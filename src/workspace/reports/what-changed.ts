/** Above a chart: why spend changed, in one sentence, what changed most, and what happened. */
import { html } from "hono/html";
import type { Partners } from "../../db/links/partner-catalog.ts";
import { COST_TYPE, type CostType } from "../../domain/cost-types.ts";
import type { TypeChange } from "../../domain/figures/change.ts";
import { MIN_CLICKS } from "../../domain/figures/performance.ts";
import { pathText } from "../../pages/elements.ts";
import { eventList } from "../../pages/events.ts";
import { showChange, showList, showMoney, showPlural } from "../../pages/locale.ts";
import type { Markup } from "../../pages/markup.ts";
import { moneyText, signedMoney } from "../../pages/money.ts";
import type { Explained } from "../../usecases/performance/changes.ts";
import type { PerformanceRow } from "../../usecases/performance/rows.ts";

interface WhatChanged {
  explained: Explained;
  /** The spend of both periods. */
  total: Pick<PerformanceRow, "now" | "before">;
  currency: string | null;
  partners: Partners;
  /** Whether the days are compared with those before. */
  isCompared: boolean;
  /** What changed most, with the page that shows it only. */
  most: { names: string[]; href: string; row: PerformanceRow }[];
  /** What the rows are: `campaign`. */
  noun: string;
  /** A sentence before the events: a state that began earlier. */
  state?: Markup | "";
}

export function whatChanged(shown: WhatChanged): Markup | "" {
  const { explained, most, noun, partners, isCompared, state = "" } = shown;
  const text = isCompared ? sentence(shown) : "";
  const rows = text === "" ? [] : most;
  const { events, hasMoreEvents } = explained;
  if (text === "" && events.length === 0 && state === "") return "";
  const summary = [
    ...(rows.length > 0
      ? [
          showPlural(
            rows.length,
            noun,
            noun.replace(/y?$/, (end) => (end ? "ies" : "s")),
          ),
        ]
      : []),
    ...(events.length > 0 ? [`${showPlural(events.length, "event")}`] : []),
  ].join(", ");
  return html`
    <section class="what-changed" aria-label="What changed">
      ${text}
      ${state}
      ${
        summary === ""
          ? ""
          : html`<details>
        <summary>${summary}</summary>
        <div>
          ${rows.length === 0 ? "" : html`<ul class="most" aria-label="Changed most">${rows.map((one) => html`<li>${changedRow(one, shown.currency ?? "")}</li>`)}</ul>`}
          ${eventList(events, partners)}
        </div>
        ${hasMoreEvents ? html`<p class="hint">There were more events in these days.</p>` : ""}
      </details>`
      }
    </section>`;
}

const changedRow = ({ names, href, row }: WhatChanged["most"][number], currency: string) =>
  html`<a href="${href}">${pathText(names)}</a> <span class="whole">${signedMoney(row.now.spend - row.before.spend, currency)}</span>`;

const FEW = "There are too few clicks or impressions to say why.";

function sentence({ explained, total, currency }: WhatChanged): Markup | "" {
  const { now, before } = total;
  // Without spend before, nothing changed.
  if (currency === null || (before.spend === 0n && before.matched === 0n)) return "";
  const change = now.spend - before.spend;
  const size = change < 0n ? -change : change;
  const percent = before.spend > 0n && change !== 0n ? html` (${showChange(now.spend, before.spend)})` : "";
  const what =
    change === 0n
      ? "Spend didn’t change"
      : html`Spend ${change < 0n ? "fell" : "rose"} ${moneyText(size, currency)}${percent}`;
  const parts = explained.isTooFew ? [] : partsOf(explained, currency);
  return html`<p><strong>${what}${parts.length > 0 ? ":" : "."}</strong> ${parts.map(([what, amount], at) => html`${what} <span class="whole">${amount}${at < parts.length - 1 ? "," : "."}</span> `)}${explained.isTooFew && change !== 0n ? FEW : ""}</p>`;
}

/** The parts of a change that are not zero, each with what it is. */
function partsOf(
  { change, types, volume, price, adjustments }: Explained,
  currency: string,
): [what: string, amount: string][] {
  // Less than what the currency has is left out, unless the change is less too.
  const isTiny = (amount: bigint) => /^[<>]/.test(showMoney(amount, currency));
  const isShown = (part: bigint) => part !== 0n && (!isTiny(part) || isTiny(change));
  // The prices of few costs say nothing.
  const priced = types.filter(({ now, before }) => now.matched >= MIN_CLICKS && before.matched >= MIN_CLICKS);
  const known = priced.reduce((sum, type) => sum + type.price, 0n);
  const [counted, prices] = [mostOf(types, "volume", volume), mostOf(priced, "price", known)];
  const more = types.reduce(
    (sum, { state, now, before }) => sum + (state === "continued" ? now.matched - before.matched : 0n),
    0n,
  );
  // All costs together can be more, and cost less.
  const isNamed = counted.only !== undefined || more * volume <= 0n;
  const parts: [what: string, part: bigint, of?: string][] = [
    [
      `${volume < 0n ? "fewer" : "more"} paid ${isNamed ? showList(counted.most.map(costsOf)) : "costs"}`,
      volume,
      isNamed ? "" : counted.text,
    ],
    [
      `${known < 0n ? "lower" : "higher"} price ${prices.only ? COST_TYPE[prices.only].name.replace("cost ", "") : "each"}`,
      known,
      prices.text,
    ],
    ...types
      .filter(({ state }) => state !== "continued")
      .map(({ costType, state, change }): [string, bigint] => [
        state === "new" ? `${costType} is new` : `no more ${costType}`,
        change,
      ]),
    ["adjustments", adjustments],
    ["other changes", price - known],
  ];
  return parts
    .filter(([, part]) => isShown(part))
    .map(([what, part, of = ""]) => [what, signedMoney(part, currency) + of]);
}

/** The fewest types that went the way of all together, and changed more than the others do. `only`: one that has nine tenths of all. */
function mostOf(types: Explained["types"], name: "volume" | "price", sum: bigint) {
  const size = (type: TypeChange) => (type[name] < 0n ? -type[name] : type[name]);
  const all = types.reduce((sum, type) => sum + size(type), 0n);
  const sorted = types
    .filter((type) => type[name] < 0n === sum < 0n)
    .sort((one, other) => (size(one) > size(other) ? -1 : 1));
  let rest = all;
  const most: CostType[] = [];
  for (const type of sorted) {
    if (rest < 0n) break;
    rest -= 2n * size(type);
    most.push(type.costType);
  }
  const [first] = sorted;
  const only = first && 10n * size(first) >= 9n * all ? first.costType : undefined;
  return { most, only, text: only ? "" : ` (mostly ${most.join(", ")})` };
}

/** What a cost of a type is for: `installs`. */
function costsOf(type: CostType): string {
  const { conversion, fits } = COST_TYPE[type];
  return `${conversion?.replace(/^an? /, "") ?? fits[0]}s`;
}
