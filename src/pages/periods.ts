/** The days that a page shows, and their picker. All days are in UTC. */
import { html } from "hono/html";
import * as z from "zod/mini";
import type { DayRange } from "../db/ledger/reports/statements.ts";
import { dayOf, formatDate } from "../domain/time.ts";
import { utcDate } from "../http/input/fields.ts";
import { dayChecks } from "../http/input/report-fields.ts";
import { describeDays } from "./locale.ts";
import type { Markup } from "./markup.ts";
import { keptInputs, withQuery } from "./query.ts";

const PRESETS = { today: "Today", "7d": "7 days", "30d": "30 days", month: "This month" } as const;
type Preset = keyof typeof PRESETS;
const names = Object.keys(PRESETS) as Preset[];

/** The parameters of a page with days, for a strict object with `periodChecks`. */
export const periodFields = {
  period: z.optional(z.enum(names, `must be one of ${names.join(", ")}`)),
  from: z.optional(utcDate),
  to: z.optional(utcDate),
};

/** The parameter of a page that can compare its days with those before. */
export const compareField = { compare: z.optional(z.literal("1", "must be 1")) };

interface PeriodQuery {
  period?: Preset | undefined;
  from?: number | undefined;
  to?: number | undefined;
  compare?: "1" | undefined;
}

const check = (param: keyof PeriodQuery, isValid: (query: PeriodQuery) => boolean, error: string) =>
  z.refine<PeriodQuery>(isValid, { path: [param], error, when: () => true });

export const periodChecks = [
  ...dayChecks,
  check("from", ({ from, to }) => from !== undefined || to === undefined, "is required with to"),
  check("to", ({ from, to }) => to !== undefined || from === undefined, "is required with from"),
  check(
    "period",
    ({ period, from, to }) => period === undefined || (from === undefined && to === undefined),
    "can't be combined with from and to",
  ),
] as const;

export interface Period extends DayRange {
  /** Undefined for dates of the user's choice. */
  preset?: Preset;
  /** The days before, if the page compares the two. */
  previous?: DayRange;
}

/** The days of a query that passed `periodChecks`, by default those of the preset `7d`. */
export function toPeriod({ period = "7d", from, to, compare }: PeriodQuery, now: number): Period {
  const days =
    from === undefined || to === undefined ? { preset: period, ...presetDays(period, now) } : { from, to };
  return compare ? { ...days, previous: daysBefore(days) } : days;
}

function presetDays(preset: Preset, now: number): DayRange {
  const to = dayOf(now);
  const date = new Date(now);
  const lengths = { today: 1, "7d": 7, "30d": 30, month: date.getUTCDate() };
  return { from: to - lengths[preset] + 1, to };
}

/** The same number of days directly before. */
export function daysBefore({ from, to }: DayRange): DayRange {
  return { from: from - (to - from + 1), to: from - 1 };
}

/** The parameters of the same days on another page. */
export function periodQuery({ preset, from, to }: Period): Record<string, string> {
  return preset ? { period: preset } : { from: formatDate(from), to: formatDate(to) };
}

/** The picker keeps the rest of the page's query. `compares` shows the switch for the comparison. */
export function periodPicker(url: URL, period: Period, compares = false): Markup {
  const presets = names.map((name) => {
    const current = name === period.preset ? html`aria-current="true"` : "";
    const href = withQuery(url, { period: name, from: null, to: null });
    return html`<li><a href="${href}" ${current}>${PRESETS[name]}</a></li>`;
  });
  const dateInput = (name: "from" | "to", label: string) => html`
    <label>${label} <input type="date" name="${name}" value="${formatDate(period[name])}" required></label>`;
  return html`
    <section class="period" aria-label="Dates">
      <ul class="choices">${presets}</ul>
      <form method="get" action="${url.pathname}">
        ${keptInputs(url, "period", "from", "to")}
        ${dateInput("from", "From")} ${dateInput("to", "To")}
        <button class="secondary">Show dates</button>
      </form>
      <p class="muted">${describeDays(period)}, UTC${period.previous ? `, compared with ${describeDays(period.previous)}` : ""}
        ${compares ? compareSwitch(url, period) : ""}</p>
    </section>`;
}

function compareSwitch(url: URL, { previous }: Period): Markup {
  return previous
    ? html`<a href="${withQuery(url, { compare: null })}">Hide comparison</a>`
    : html`<a href="${withQuery(url, { compare: "1" })}">Compare with the days before</a>`;
}
