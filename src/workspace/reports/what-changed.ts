/** Above a chart: why spend changed, in one sentence, what changed most, and what happened. */
import { html } from "hono/html";
import type { Partners } from "../../db/links/partner-catalog.ts";
import { COST_TYPE, type CostType } from "../../domain/cost-types.ts";
import type { Change, TypeChange } from "../../domain/figures/change.ts";
import { divide, MIN_CLICKS } from "../../domain/figures/performance.ts";
import { nameText } from "../../pages/elements.ts";
import { eventList } from "../../pages/events.ts";
import { describeShortDay, showChange, showList, showPlural, smallestAmount } from "../../pages/locale.ts";
import type { Markup } from "../../pages/markup.ts";
import { moneyText, signedMoney } from "../../pages/money.ts";
import { type Cause, type Explained, findCauses } from "../../usecases/performance/changes.ts";
import type { Performance } from "../../usecases/performance/read.ts";
import type { PerformanceRow } from "../../usecases/performance/rows.ts";
import type { Member } from "../frame.ts";
import { partnerHref } from "../partners/link.ts";

type Report = Pick<Performance, "rowsBy" | "total" | "currency" | "now" | "partners" | "lastCost">;

interface WhatChanged {
  explained: Explained;
  report: Report;
  /** Whether the days are compared with those before. */
  isCompared: boolean;
  /** What changed most, each with its name; undefined where the page has another list of it. */
  most?: { name: Markup; row: PerformanceRow }[];
  /** A sentence before the events: a state that began earlier. */
  state?: Markup | "";
}

/** `days`: the query with the days of the page, for the pages of partners. */
export function whatChanged(shown: WhatChanged, member: Pick<Member, "path">, days: string): Markup | "" {
  const { explained, report, most, isCompared, state = "" } = shown;
  const text = isCompared ? sentence(explained, report) : "";
  const rows = text === "" ? [] : (most ?? []);
  const { shown: events, hasMoreEvents } = explained;
  if (text === "" && events.length === 0 && state === "") return "";
  const summary = [
    ...(rows.length > 0 ? ["What changed most"] : []),
    ...(events.length > 0 ? [showPlural(events.length, "event")] : []),
  ];
  return html`
    <section class="what-changed" aria-label="What changed">
      ${text}
      ${state}
      ${
        summary.length === 0
          ? ""
          : html`<details>
        <summary>${summary.join(" and ")}</summary>
        <div>
          ${rows.length === 0 ? "" : html`<ul class="most" aria-label="Changed most">${rows.map(({ name, row }) => html`<li><span>${name}</span> <span class="whole">${signedMoney(row.now.spend - row.before.spend, report.currency ?? "")}</span></li>`)}</ul>`}
          ${eventList(events, report.partners, (id) => partnerHref(member, id, days))}
        </div>
        ${hasMoreEvents ? html`<p class="hint">There were more events in these days.</p>` : ""}
      </details>`
      }
    </section>`;
}

const FEW = "There are too few clicks or impressions to say why.";

function sentence({ isTooFew }: Explained, report: Report): Markup | "" {
  const { currency, total } = report;
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
  const parts = isTooFew ? [] : rounded(shortened(partsOf(report)), change, currency);
  return html`<p><strong>${what}${parts.length > 0 ? ":" : "."}</strong> ${parts.map(({ what, of, amount }, at) => html`${what} <span class="whole">(${amount}${of})${at < parts.length - 1 ? "," : "."}</span> `)}${isTooFew && change !== 0n ? FEW : ""}</p>`;
}

interface Part {
  what: Markup | string;
  change: bigint;
  /** Which cost types it is about, after its amount. */
  of?: string;
}

/**
 * The parts with their amounts, which add up to the amount of the change: each is the difference of two rounded sums. What is less than
 * the currency has is left out, unless the change is less too.
 */
function rounded(parts: Part[], change: bigint, currency: string) {
  const smallest = smallestAmount(currency);
  const step = divide(change, smallest) === 0n && change !== 0n ? 1n : smallest;
  const round = (units: bigint) => (divide(units, step) ?? 0n) * step;
  let sum = 0n;
  return parts.flatMap(({ what, change, of = "" }) => {
    const before = round(sum);
    sum += change;
    const amount = round(sum) - before;
    return amount === 0n ? [] : [{ what, of, amount: signedMoney(amount, currency) }];
  });
}

/** A sentence has room for so many. */
const MOST_PARTS = 4;

/** The largest parts, in their order, and the sum of the others. */
function shortened(all: Part[]): Part[] {
  const parts = all.filter(({ change }) => change !== 0n);
  const size = ({ change }: Part) => (change < 0n ? -change : change);
  const sorted = parts.toSorted((one, other) => Number(size(other) - size(one)));
  const largest = new Set(sorted.slice(0, parts.length > MOST_PARTS ? MOST_PARTS - 1 : MOST_PARTS));
  const others = parts.filter((part) => !largest.has(part));
  return [
    ...parts.filter((part) => largest.has(part)),
    { what: "other changes", change: others.reduce((sum, { change }) => sum + change, 0n) },
  ];
}

/** Partners and cost types that began or ended first, then the number of costs and their prices. */
function partsOf(report: Report): Part[] {
  const { causes, others } = findCauses(report);
  const { types, volume, price, adjustments } = others;
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
  return [
    ...causes.map((cause) => ({ what: describe(cause, report.partners), change: cause.change })),
    ...types
      .filter(({ state }) => state !== "continued")
      .map(({ costType, state, change }) => ({
        what: state === "new" ? `${costType} is new` : `${costType} ended`,
        change,
      })),
    {
      what: `${volume < 0n ? "fewer" : "more"} ${isNamed ? `paid ${showList(counted.most.map(costsOf))}` : "costs"}`,
      change: volume,
      of: isNamed ? "" : counted.text,
    },
    {
      what: `${known < 0n ? "lower" : "higher"} ${prices.only ? `price ${COST_TYPE[prices.only].name.replace("cost ", "")}` : "prices"}`,
      change: known,
      of: prices.text,
    },
    { what: "adjustments", change: adjustments },
    { what: "other changes", change: price - known },
  ];
}

function describe({ partnerId, what, day }: Cause, partners: Partners): Markup {
  const name = nameText(partners.get(partnerId)?.displayName ?? `partner ${partnerId}`);
  const on = html`<span class="whole">${describeShortDay(day)}</span>`;
  switch (what) {
    case "stopped":
      return html`${name} was stopped on ${on}`;
    case "silent":
      return html`no cost from ${name} after ${on}`;
    case "new":
      return html`${name} is new`;
  }
}

/** The fewest types that went the way of all together, and changed more than the others do. `only`: one that has nine tenths of all. */
function mostOf(types: Change["types"], name: "volume" | "price", sum: bigint) {
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
  return { most, only, text: only ? "" : `, mostly ${showList(most)}` };
}

/** What a cost of a type is for: `installs`. */
function costsOf(type: CostType): string {
  const { conversion, fits } = COST_TYPE[type];
  return `${conversion?.replace(/^an? /, "") ?? fits[0]}s`;
}
