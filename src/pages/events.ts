/** Events as people read them: marks on the axis of a chart, and a list. */
import { html } from "hono/html";
import type { Kind } from "../domain/cost-types.ts";
import type { ShownEvent } from "../domain/events.ts";
import { ERRORS } from "../errors.ts";
import type { ChartEvent } from "./chart/chart.ts";
import { nameText } from "./elements.ts";
import { describeDays, describeShortDay, showCount, showList, showPercent, showPlural } from "./locale.ts";
import type { Markup } from "./markup.ts";
import { signedMoney } from "./money.ts";

/** A sentence without its period. A name that people chose is an object. */
type Sentence = (string | { name: string; href?: string | undefined })[];

const ENGAGEMENTS: Record<Kind, string> = { click: "clicks", impression: "impressions" };
const percent = (units: bigint) => showPercent(Number(units) / 1e8);

type Partners = ReadonlyMap<number, { displayName: string }>;

/** `hrefOf` leads to the page of a partner. */
function describe(event: Grouped[0], partners: Partners, hrefOf?: (partnerId: number) => string): Sentence {
  const id = event.partnerId ?? 0;
  const partner =
    event.partnerCount === undefined
      ? { name: partners.get(id)?.displayName ?? `partner ${id}`, href: hrefOf?.(id) }
      : showPlural(event.partnerCount, "partner");
  switch (event.type) {
    case "partner_stopped":
      return [partner, " was stopped by an operator"];
    case "partner_silent":
      return ["No cost from ", partner, ` after ${describeShortDay(event.day - 1)}`];
    case "partner_started":
      return [partner, " was resumed by an operator"];
    case "types_live":
      return [`${showList(event.costTypes)} of `, partner, " went live"];
    case "parameters_changed":
      return ["The URL parameters of ", partner, " changed"];
    case "cost_data_switched": {
      const what = event.isOn === null ? "set to inherit" : event.isOn ? "turned on" : "turned off";
      const of = event.partnerId === null ? [] : [" of ", partner];
      return event.count === 1
        ? [`Cost data was ${what} for the link `, { name: event.link.label }, ...of]
        : [`Cost data was ${what} for ${showPlural(event.count, "link")}`, ...of];
    }
    case "costs_rejected":
      return [
        `${showPlural(event.count, "cost")} of `,
        partner,
        ` ${wasOrWere(event)} rejected: ${ERRORS[event.code].title}`,
      ];
    case "costs_voided":
      return [`${showPlural(event.count, "cost")} of `, partner, ` ${wasOrWere(event)} voided`];
    case "spend_adjusted": {
      const amount = signedMoney(event.amount, event.currency);
      return event.times === undefined
        ? ["The spend of ", partner, ` was adjusted by ${amount}`]
        : [`${showCount(event.times)} adjustments changed the spend of `, partner, ` by ${amount}`];
    }
    case "coverage_fell":
      return [
        `Coverage of ${ENGAGEMENTS[event.kind]} of `,
        partner,
        ` fell from ${percent(event.before)} to ${percent(event.coverage)}`,
      ];
  }
}
const wasOrWere = ({ count }: { count: number }) => (count === 1 ? "was" : "were");

/** The marks of events on a chart. What is about all of the days has none. */
export function chartEvents(events: ShownEvent[], partners: Partners): ChartEvent[] {
  return [...Map.groupBy(events, ({ day }) => day).values()]
    .flatMap(groupEvents)
    .filter(([{ type }]) => type !== "coverage_fell")
    .map(([event]) => ({
      day: event.day,
      text: describe(event, partners)
        .map((part) => (typeof part === "string" ? part : part.name))
        .join(""),
    }));
}

/** What happened to single costs and spend, which is frequent, comes after what operators and members changed on the same day. */
const isFrequent = (event: ShownEvent) => "firstDay" in event || event.type === "spend_adjusted";

/** An event for each kind of what is frequent: how many events it is, of how many partners, and each of them. */
type Grouped = [event: ShownEvent & { partnerCount?: number; times?: number }, ...each: ShownEvent[]];

/** The newest first, by their last day. */
function groupEvents(events: ShownEvent[]): Grouped[] {
  const ordered = events.toSorted((one, other) => Number(isFrequent(one)) - Number(isFrequent(other)));
  const kindOf = (event: ShownEvent) =>
    isFrequent(event) ? event.type + ("code" in event ? event.code : "") : event;
  const groups = [...Map.groupBy(ordered, kindOf).values()].map((same): Grouped => {
    const [first] = same as [ShownEvent];
    if (same.length === 1) return [first];
    const partnerCount = new Set(same.map(({ partnerId }) => partnerId)).size;
    return [
      { ...same.reduce(addUp), times: same.length, ...(partnerCount > 1 && { partnerCount }) },
      ...same,
    ];
  });
  return groups.toSorted(([one], [other]) => other.day - one.day);
}

function addUp(one: ShownEvent, other: ShownEvent): ShownEvent {
  const day = Math.max(one.day, other.day);
  if ("firstDay" in one && "firstDay" in other) return { ...one, day, count: one.count + other.count };
  if ("amount" in one && "amount" in other) return { ...one, day, amount: one.amount + other.amount };
  return one;
}

const MOST = 3;

/** The first ones, and the others in a closed list, which says how many events these are. `hrefOf` leads to the page of a partner. */
export function eventList(
  events: ShownEvent[],
  partners: Partners,
  hrefOf?: (partnerId: number) => string,
): Markup | "" {
  if (events.length === 0) return "";
  const text = (event: Grouped[0]) =>
    describe(event, partners, hrefOf).map((part) =>
      typeof part === "string"
        ? part
        : part.href
          ? html`<a href="${part.href}">${nameText(part.name)}</a>`
          : nameText(part.name),
    );
  const item = ([event, ...each]: Grouped): Markup =>
    html`<li><span class="muted">${daysOf([event, ...each])}</span> <span>${text(event)}${each.length === 0 ? "" : html`<details><summary>Each event</summary><ul class="events">${each.map((one) => item([one]))}</ul></details>`}</span></li>`;
  const groups = groupEvents(events);
  const items = groups.map(item);
  const more = items.slice(MOST);
  const count = groups.slice(MOST).reduce((sum, [, ...each]) => sum + (each.length || 1), 0);
  return html`
    <div>
      <ul class="events" aria-label="Events">${items.slice(0, MOST)}</ul>
      ${more.length === 0 ? "" : html`<details><summary>${showPlural(count, "more event")}</summary><ul class="events" aria-label="More events">${more}</ul></details>`}
    </div>`;
}

function daysOf(events: Grouped): string {
  if (events[0].type === "coverage_fell") return "This period";
  const from = Math.min(...events.map((event) => ("firstDay" in event ? event.firstDay : event.day)));
  const to = Math.max(...events.map(({ day }) => day));
  return describeDays({ from, to });
}
