/** Events as people read them: marks on the axis of a chart, and a list. */
import { html } from "hono/html";
import type { Partners } from "../db/links/partner-catalog.ts";
import type { Kind } from "../domain/cost-types.ts";
import type { Event } from "../domain/events.ts";
import { ERRORS } from "../errors.ts";
import type { ChartEvent } from "./chart/chart.ts";
import { nameText } from "./elements.ts";
import { describeDay, describeDays, showList, showPercent, showPlural } from "./locale.ts";
import type { Markup } from "./markup.ts";
import { signedMoney } from "./money.ts";

/** A sentence without its period. A name that people chose is an object. */
type Sentence = (string | { name: string; href?: string | undefined })[];

const ENGAGEMENTS: Record<Kind, string> = { click: "clicks", impression: "impressions" };
const percent = (units: bigint) => showPercent(Number(units) / 1e8);

/** `hrefOf` leads to the page of a partner. */
function describe(event: Event, partners: Partners, hrefOf?: (partnerId: number) => string): Sentence {
  const id = event.partnerId ?? 0;
  const partner = { name: partners.get(id)?.displayName ?? `partner ${id}`, href: hrefOf?.(id) };
  switch (event.type) {
    case "partner_stopped":
      return [partner, " was stopped by an operator"];
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
    case "spend_adjusted":
      return ["The spend of ", partner, ` was adjusted by ${signedMoney(event.amount, event.currency)}`];
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
export function chartEvents(events: Event[], partners: Partners): ChartEvent[] {
  return events
    .filter(({ type }) => type !== "coverage_fell")
    .map((event) => ({
      day: event.day,
      text: describe(event, partners)
        .map((part) => (typeof part === "string" ? part : part.name))
        .join(""),
    }));
}

/** What happened to single costs and spend, which is frequent, comes after what operators and members changed. */
const isFrequent = (event: Event) => "firstDay" in event || event.type === "spend_adjusted";

/** The newest first: so many, and the others in a closed list. `hrefOf` leads to the page of a partner. */
export function eventList(
  events: Event[],
  partners: Partners,
  most = 3,
  hrefOf?: (partnerId: number) => string,
): Markup | "" {
  if (events.length === 0) return "";
  const text = (event: Event) =>
    describe(event, partners, hrefOf).map((part) =>
      typeof part === "string"
        ? part
        : part.href
          ? html`<a href="${part.href}">${nameText(part.name)}</a>`
          : nameText(part.name),
    );
  const ordered = events.toSorted((one, other) => Number(isFrequent(one)) - Number(isFrequent(other)));
  const items = ordered.map(
    (event) => html`<li><span class="muted">${daysOf(event)}</span> <span>${text(event)}</span></li>`,
  );
  const more = items.slice(most);
  return html`
    <div>
      <ul class="events" aria-label="Events">${items.slice(0, most)}</ul>
      ${more.length === 0 ? "" : html`<details><summary>Show ${showPlural(more.length, "more event")}</summary><ul class="events" aria-label="More events">${more}</ul></details>`}
    </div>`;
}

function daysOf(event: Event): string {
  if (event.type === "coverage_fell") return "This period";
  return "firstDay" in event ? describeDays({ from: event.firstDay, to: event.day }) : describeDay(event.day);
}
