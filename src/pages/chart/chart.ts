/**
 * A chart of daily values as SVG, drawn by the server: stacked bars, areas for many days, or lines for values that don't add up. All
 * positions are relative to the plot and the stylesheet sets its size, so texts are never distorted and have the same size in every window.
 */
import { html } from "hono/html";
import type { DayRange } from "../../db/ledger/reports/statements.ts";
import { DAY_MS } from "../../domain/time.ts";
import { servedFile } from "../../http/served-file.ts";
import { pathText } from "../elements.ts";
import { describeDay, describeShortDay, NONE, showCount } from "../locale.ts";
import type { Markup } from "../markup.ts";
import script from "./chart.client.js";
import { areas, LINES_HEIGHT, line } from "./lines.ts";
import { max, type Plot, percent, type Series, type Stack, toPlot, toStacks, type Values } from "./plot.ts";
import { dayTicks } from "./scales.ts";
import type { Unit } from "./units.ts";

export const chartScript = servedFile("/chart.js", "text/javascript; charset=utf-8", script);

export interface Chart {
  /** Unique on the page. */
  id: string;
  title: string;
  days: DayRange;
  /** Of values that add up, the five highest have a color of their own, and the others are added up. */
  series: Series[];
  unit: Unit;
  /** The values of all series together, for values that don't add up. These are drawn as lines. */
  whole?: Series;
  /** The same in the period before, by the days of this one. */
  before?: Values | undefined;
  /** The day that isn't over. */
  today?: number | undefined;
  /** The page that a day leads to. */
  hrefOf: (day: number) => string;
  /** What happened, as marks on the axis. The page lists it too. */
  events?: ChartEvent[];
}

export interface ChartEvent {
  day: number;
  text: string;
}

const OWN_SERIES = 5;
/** Bars of more days would be too thin. */
const MOST_BARS = 34;

export function dailyChart(chart: Chart): Markup {
  const { id, title, days, unit, whole, before } = chart;
  const series = whole ? chart.series.slice(0, OWN_SERIES) : combine(chart.series);
  const stacks = toStacks(days, series, whole);
  const plot = toPlot(stacks, days, unit, before);
  const total = whole ? (whole.total ?? null) : sum(stacks.map((stack) => stack.total));
  const isLong = stacks.length > MOST_BARS;
  const drawn = whole
    ? series.map((one, index) => line(one.values, days, plot, `line series-${index + 1}`))
    : isLong
      ? areas(series, stacks, plot)
      : [];
  const lines = [
    ...drawn,
    ...(before ? [line(before, days, plot, "line before")] : []),
    ...(whole ? [line(whole.values, days, plot, "line whole")] : []),
  ];
  return html`
    <figure class="daily-chart" aria-labelledby="${id}">
      <figcaption id="${id}">${title}: ${total === null ? NONE : unit.show(total)}</figcaption>
      <a class="skip-chart" href="#${id}-end">Skip chart</a>
      <div class="chart-body">
      <svg class="plot" role="group" aria-labelledby="${id}">
        <defs>${PATTERNS.slice(0, series.length).map((marks, index) => pattern(`${id}-${index + 1}`, index + 1, marks))}</defs>
        <g class="axis" aria-hidden="true">${valueAxis(plot, unit)}${dayAxis(days)}</g>
        ${lines.length > 0 ? html`<svg class="lines" viewBox="-0.5 0 ${stacks.length} ${LINES_HEIGHT}" preserveAspectRatio="none" aria-hidden="true">${lines}</svg>` : ""}
        ${stacks.map((stack) => dayMarkup(chart, series, stack, plot, whole !== undefined || isLong))}
        ${eventMarks(chart)}
      </svg>
      ${legend(chart, series)}
      </div>
      <p class="readout muted" id="${id}-end" tabindex="-1">${summarize(stacks, unit)}</p>
    </figure>`;
}

const sum = (values: bigint[]) => values.reduce((total, value) => total + value, 0n);
/** What is not known comes last. */
const descending = (one: bigint | null, other: bigint | null) =>
  one === other ? 0 : one === null || (other !== null && one < other) ? 1 : -1;
const totalOf = ({ values, total }: Series) => (total === undefined ? sum([...values.values()]) : total);

/** The highest series with their own color, and the sum of the others. */
function combine(given: Series[]): Series[] {
  const series = given
    .filter(({ values, isRest }) => values.size > 0 && !isRest)
    .map((one) => ({ one, total: totalOf(one) ?? 0n }))
    .sort((left, right) => (left.total === right.total ? 0 : left.total > right.total ? -1 : 1))
    .map(({ one }) => one);
  const others = [...series.slice(OWN_SERIES), ...given.filter(({ isRest }) => isRest)];
  if (others.length === 0) return series;
  const values = new Map<number, bigint>();
  for (const other of others)
    for (const [day, value] of other.values) values.set(day, (values.get(day) ?? 0n) + value);
  const [only] = others;
  const name = others.length === 1 ? (only?.name ?? "") : `${showCount(others.length)} others`;
  return [...series.slice(0, OWN_SERIES), { name, values, isRest: true }];
}

/** The names of the series with their values and changes, the highest first, and what the dashed line is. */
function legend({ id, unit, whole, before }: Chart, series: Series[]): Markup | "" {
  const named = series
    .flatMap((one, index) => (one.name ? [{ ...one, mark: `series-${index + 1}` }] : []))
    .sort(
      (one, other) =>
        Number(one.isRest ?? false) - Number(other.isRest ?? false) ||
        descending(totalOf(one), totalOf(other)),
    );
  const items = [
    ...(whole ? [{ ...whole, mark: "whole" }] : []),
    ...named,
    ...(before ? [{ name: "Previous period", values: before, mark: "before", total: undefined }] : []),
  ];
  if (items.length < 2) return "";
  const hasChanges = items.some(({ change }) => change);
  return html`
    <table class="legend" aria-label="Legend"><tbody>
      ${items.map((one) => {
        const total = one.mark === "before" && whole ? undefined : totalOf(one);
        return html`<tr><th scope="row">${mark(id, one.mark, whole !== undefined || one.mark === "before")}${pathText(one.name.split(" › "))}</th><td class="number">${total === undefined ? "" : total === null ? NONE : unit.show(total)}</td>${hasChanges ? html`<td class="number">${one.change ?? ""}</td>` : ""}</tr>`;
      })}
    </tbody></table>`;
}

/** What a series looks like in the chart: a line, or a filled area. */
const mark = (id: string, name: string, isLine: boolean): Markup =>
  isLine
    ? html`<svg class="sample" aria-hidden="true"><path class="line ${name}" d="M0 6H36"/></svg>`
    : html`<svg class="${name}" aria-hidden="true"><rect fill="url(#${id}-${name.slice(7)})" width="100%" height="100%"/></svg>`;

function dayMarkup(
  { unit, id, hrefOf, today, before, events = [] }: Chart,
  series: Series[],
  stack: Stack,
  plot: Plot,
  hasLines: boolean,
): Markup {
  const parts = stack.parts.map(({ index, from, to }) => `${series[index]?.name} ${unit.show(to - from)}`);
  const isNamed = series.some(({ name }) => name) && parts.length > 0;
  const name = `${describeDay(stack.day)}${stack.day === today ? ", so far" : ""}`;
  const total = stack.isKnown ? unit.show(stack.total) : NONE;
  const earlier = before?.get(stack.day);
  const was = earlier === undefined ? [] : [`Previous period ${unit.show(earlier)}`];
  const happened = events.filter(({ day }) => day === stack.day).map(({ text }) => text);
  const details = [...(isNamed ? parts : []), ...was, ...happened];
  // The script shows each detail in a line of its own. A line feed is a space to those who hear the label.
  const label = `${name}: ${total}${details.length > 0 ? ` (${details.join(",\n")})` : ""}`;
  const [area, bar] = [plot.areaOf(stack.day), plot.barOf(stack.day)];
  const zero = percent(plot.yOf(0n));
  const kind = stack.day === today ? "bar today" : "bar";
  const bars = stack.parts.map(({ index, from, to }) => {
    const [top, bottom] = [plot.yOf(max(from, to)), plot.yOf(from > to ? to : from)];
    return html`<rect class="${kind} outline-${index + 1}" rx="2" fill="url(#${id}-${index + 1})" x="${percent(bar.x)}" width="${percent(bar.width)}" y="${percent(top)}" height="${percent(bottom - top)}"/>`;
  });
  const none = html`<line class="none" x1="${percent(bar.x)}" x2="${percent(bar.x + bar.width)}" y1="${zero}" y2="${zero}"/>`;
  const drawn = hasLines ? "" : bars.length > 0 ? bars : none;
  return html`<a href="${hrefOf(stack.day)}" aria-label="${label}"><rect class="area" x="${percent(area.x)}" width="${percent(area.width)}" height="100%"/>${drawn}</a>
        `;
}

/** A mark below each day on which something happened. The name of the day's link says it too. */
function eventMarks({ days, events = [] }: Chart): Markup[] {
  const shown = events.filter(({ day }) => day >= days.from && day <= days.to);
  const width = 100 / (days.to - days.from + 1);
  return [...Map.groupBy(shown, ({ day }) => day)].map(
    ([day, same]) =>
      html`<svg class="event" x="${percent((day - days.from + 0.5) * width)}" y="100%" aria-hidden="true"><title>${[`${describeDay(day)}:`, ...same.map(({ text }) => text)].join("\n")}</title><path d="M0 1l5 8h-10z"/></svg>`,
  );
}

function summarize(stacks: Stack[], { show }: Unit): string {
  const highest = stacks.reduce((best, stack) => (stack.total > best.total ? stack : best));
  return highest.total === 0n ? "" : `Highest: ${describeDay(highest.day)}, ${show(highest.total)}`;
}

function valueAxis({ ticks }: Plot, { labels }: Unit): Markup[] {
  const [bottom = 0, next = 1] = ticks;
  const label = labels(Number((next - bottom).toPrecision(12)));
  return ticks.map((tick, index) => {
    const y = percent(100 - (index * 100) / (ticks.length - 1));
    return html`<line class="${tick === 0 ? "base" : "grid"}" x1="0" x2="100%" y1="${y}" y2="${y}"/><text class="value" x="-8" y="${y}" dy="0.32em">${label(tick)}</text>`;
  });
}

function dayAxis(days: DayRange): Markup[] {
  const isOneYear = yearOf(days.from) === yearOf(days.to);
  const width = 100 / (days.to - days.from + 1);
  let year = isOneYear ? yearOf(days.from) : 0;
  return dayTicks(days).map((day, index) => {
    const x = percent((day - days.from + 0.5) * width);
    const isNewYear = yearOf(day) !== year;
    year = yearOf(day);
    const second = isNewYear ? html`<tspan x="${x}" dy="1.2em">${year}</tspan>` : "";
    // A narrow window has room for every second label.
    return html`<rect class="tick" x="${x}" y="100%" width="1" height="5"/><text class="day ${index % 2 ? "second" : ""}" x="${x}" y="100%" dy="1.6em">${describeShortDay(day)}${second}</text>`;
  });
}

const yearOf = (day: number) => new Date(day * DAY_MS).getUTCFullYear();

/** The marks on the color of each series, in a square of 8, for print, forced colors and more contrast. */
const PATTERNS = [
  "",
  "M-1 9L9 -1M-1 1L1 -1M7 9L9 7",
  "M4 2v.01M0 6v.01M8 6v.01",
  "M0 4H8",
  "M-1 -1L9 9M7 -1L9 1M-1 7L1 9",
  "M2 0V8M6 0V8",
];

function pattern(id: string, series: number, marks: string): Markup {
  return html`<pattern id="${id}" width="8" height="8" patternUnits="userSpaceOnUse"><rect class="series-${series}" width="8" height="8"/><path class="marks" d="${marks}"/></pattern>`;
}
