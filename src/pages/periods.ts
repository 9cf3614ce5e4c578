/** The days that a page shows, and their picker. All days are in UTC, and today is shown only if it is asked for. */
import { html } from "hono/html";
import * as z from "zod/mini";
import { type DayRange, dayOf, formatDate } from "../domain/time.ts";
import { utcDate } from "../http/input/fields.ts";
import { isWithinLimits, MAX_DAYS } from "../http/input/report-fields.ts";
import { isFinal, lastArrival } from "../usecases/performance/read.ts";
import { menu, notice } from "./elements.ts";
import { type RejectedForm, rejectedWith } from "./forms/fields.ts";
import { keptInputs, withQuery } from "./lists/query.ts";
import { describeDay, describeDays } from "./locale.ts";
import type { Markup } from "./markup.ts";

const PRESETS = {
  "7d": "Last 7 days",
  "30d": "Last 30 days",
  "90d": "Last 90 days",
  month: "This month",
  today: "Today so far",
} as const;
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
  compare?: "0" | "1" | undefined;
}

const check = (param: keyof PeriodQuery, isValid: (query: PeriodQuery) => boolean, error: string) =>
  z.refine<PeriodQuery>(isValid, { path: [param], error, when: () => true });

/** What the form with the dates can send is no error of these: see `rejectedDates`. */
export const periodChecks = [
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

/**
 * The days of a query that passed `periodChecks`, by default the last seven that are over, also for dates that are rejected.
 * `firstDay` is the first day with clicks or impressions: before the first one is over, the default is today.
 */
export function toPeriod(
  { period, from, to, compare }: PeriodQuery,
  now: number,
  firstDay: number | null = null,
): Period {
  const isNew = firstDay !== null && firstDay >= dayOf(now);
  const preset = period ?? (isNew ? "today" : "7d");
  const days =
    from === undefined || to === undefined || !isWithinLimits(from, to)
      ? { preset, ...presetDays(preset, now) }
      : { from, to };
  return compare === "1" ? { ...days, previous: daysBefore(days) } : days;
}

/** The dates that were entered, if they are no period: the page shows others, and the form these with what to do. */
export function rejectedDates({ searchParams }: URL): RejectedForm | undefined {
  const [from, to] = ["from", "to"].map((name) => z.safeParse(utcDate, searchParams.get(name)).data);
  if (from === undefined || to === undefined || isWithinLimits(from, to)) return undefined;
  const message =
    from > to
      ? "must be on or after the From date"
      : `must be at most ${MAX_DAYS - 1} days after the From date`;
  return rejectedWith([{ param: "to", message }], searchParams);
}

/** A preset ends with the last day that is over. On the first day of a month, that month has only today. */
function presetDays(preset: Preset, now: number): DayRange {
  const today = dayOf(now);
  const past = new Date(now).getUTCDate() - 1;
  const length = { today: 0, "7d": 7, "30d": 30, "90d": 90, month: past }[preset];
  return length === 0 ? { from: today, to: today } : { from: today - length, to: today - 1 };
}

/** The same number of days directly before. */
export function daysBefore({ from, to }: DayRange): DayRange {
  return { from: from - (to - from + 1), to: from - 1 };
}

/** The days of a period that are over, and as many before them: today is compared with nothing. */
export function comparedDays(
  { from, to }: DayRange,
  now: number,
): { now: DayRange; before: DayRange } | undefined {
  const over = { from, to: Math.min(to, dayOf(now) - 1) };
  return over.to < from ? undefined : { now: over, before: daysBefore(over) };
}

/** What a page says that reads only the newest days, because there is too much to add up. */
export const cutNotice = ({ from, to }: DayRange, first: number): Markup | "" =>
  first <= from
    ? ""
    : notice(
        `There is too much data to add up for all of these days. The figures cover ${describeDays({ from: first, to })}.`,
        "warn",
      );

/** What a page says in the place of changes. */
export const NOT_OVER = "Today isn't over, so it isn't compared with the days before.";
export const NOT_READ = "There is too much data to add up for the days before, so nothing is compared.";

/** What the changes of a page are compared with, or why there are none. `isRead`: the days before were read. */
export function aboutChanges(period: DayRange, isCompared: boolean, isRead: boolean): string {
  if (isCompared) return `Compared with ${describeDays(daysBefore(period))}.`;
  return isRead ? NOT_OVER : NOT_READ;
}

/** Whether costs for the days can still arrive. */
export const finality = (days: Pick<DayRange, "to">, now: number): Markup =>
  isFinal(days, now)
    ? html`<strong>Final</strong>: no more costs can arrive.`
    : html`<strong>Not final</strong>: costs can arrive until <span class="whole">${describeDay(lastArrival(days))}.</span>`;

/** The parameters of the same days on another page. */
export function periodQuery({ preset, from, to }: Period): Record<string, string> {
  return preset ? { period: preset } : { from: formatDate(from), to: formatDate(to) };
}

/** The menu with the days. It keeps the rest of the page's query. */
export function periodMenu(url: URL, period: Period, summary: Markup | string): Markup {
  const presets = names.map((name) => {
    const current = name === period.preset ? html`aria-current="true"` : "";
    const href = withQuery(url, { period: name, from: null, to: null });
    return html`<li><a href="${href}" ${current}>${PRESETS[name]}</a></li>`;
  });
  const rejected = rejectedDates(url);
  const error = rejected?.describe("to", "period-to", "The To date");
  const dateInput = (name: "from" | "to", label: string, marks: Markup | "" = "") => html`
    <label>${label} <input type="date" name="${name}" value="${rejected?.form.get(name) ?? formatDate(period[name])}" required${marks}></label>`;
  return menu(
    summary,
    [
      html`<ul>${presets}</ul>`,
      html`
          <form method="get" action="${url.pathname}">
            ${keptInputs(url, "period", "from", "to")}
            ${dateInput("from", "From")}
            ${dateInput("to", "To", error ? html` aria-invalid="true" aria-describedby="period-error" autofocus` : "")}
            ${error ? html`<p class="field-error" id="period-error" role="alert">${error}</p>` : ""}
            <button class="secondary">Apply</button>
          </form>`,
    ],
    "",
    rejected !== undefined,
  );
}

export const presetName = ({ preset }: Period): string | undefined => preset && PRESETS[preset];

/** The menu, with the days beside it. `compares` shows the switch for the comparison. */
export function periodPicker(url: URL, period: Period, compares = false): Markup {
  return html`
    <section class="period" aria-label="Dates">
      ${periodMenu(url, period, presetName(period) ?? "Other dates")}
      <p class="muted">${describeDays(period)}, UTC${period.previous ? `, compared with ${describeDays(period.previous)}` : ""}
        ${compares ? compareSwitch(url, period) : ""}</p>
    </section>`;
}

function compareSwitch(url: URL, { previous }: Period): Markup {
  return previous
    ? html`<a href="${withQuery(url, { compare: null })}">Hide comparison</a>`
    : html`<a href="${withQuery(url, { compare: "1" })}">Compare with the same number of days before</a>`;
}
