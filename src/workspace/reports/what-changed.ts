/** Above a chart: why spend changed, in one sentence, what changed most, and what happened. */
import { html } from "hono/html";
import type { Partners } from "../../db/links/partner-catalog.ts";
import { COST_TYPE, type CostType } from "../../domain/cost-types.ts";
import { pathText } from "../../pages/elements.ts";
import { eventList } from "../../pages/events.ts";
import { showChange, showMoney, showPlural } from "../../pages/locale.ts";
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
  { types, volume, price, adjustments }: Explained,
  currency: string,
): [what: string, amount: string][] {
  const counted = types.filter((type) => type.volume !== 0n);
  const [only] = counted;
  const more = counted.length === 1 && only ? ["fewer", "more", costsOf(only.costType)] : undefined;
  const [less, greater, noun] = more ?? ["lower", "higher", "volume"];
  // What is written as zero is left out.
  const zero = showMoney(0n, currency);
  const isShown = (part: bigint) => part !== 0n && showMoney(part, currency) !== zero;
  const priced = types.length > 1 ? types.filter((type) => isShown(type.price)) : [];
  const parts: [what: string, part: bigint, of?: string][] = [
    [`${volume < 0n ? less : greater} ${noun}`, volume],
    [
      `${price < 0n ? "lower" : "higher"} price${priced.length > 1 ? "s" : priced[0] ? ` of ${priced[0].costType}` : ""}`,
      price,
      priced.length > 1 ? ` (mostly ${mostOf(priced, price).join(", ")})` : "",
    ],
    ...types
      .filter(({ state }) => state !== "continued")
      .map(({ costType, state, change }): [string, bigint] => [
        state === "new" ? `${costType} is new` : `no more ${costType}`,
        change,
      ]),
    ["adjustments", adjustments],
  ];
  return parts
    .filter(([, part]) => isShown(part))
    .map(([what, part, of = ""]) => [what, signedMoney(part, currency) + of]);
}

/** The fewest types whose prices went the way of all together, and changed more than the other prices do. */
function mostOf(types: Explained["types"], price: bigint): CostType[] {
  const size = (part: bigint) => (part < 0n ? -part : part);
  const sorted = types
    .filter((type) => type.price < 0n === price < 0n)
    .sort((one, other) => (size(one.price) > size(other.price) ? -1 : 1));
  let rest = types.reduce((sum, type) => sum + size(type.price), 0n);
  const most: CostType[] = [];
  for (const { costType, price: part } of sorted) {
    if (rest < 0n) break;
    rest -= 2n * size(part);
    most.push(costType);
  }
  return most;
}

/** What a cost of a type is for: `installs`. */
function costsOf(type: CostType): string {
  const { conversion, fits } = COST_TYPE[type];
  return conversion ? `${conversion.replace(/^an? /, "")}s` : `${fits[0]}s with a cost`;
}
