/**
 * A chart of daily values: stacked bars as SVG, drawn by the server. All positions are percentages and the stylesheet sets the
 * size, so bars, patterns and texts are never distorted, and texts have the same size in every window.
 */
import { html } from "hono/html";
import type { DayRange } from "../db/ledger/reports/statements.ts";
import { DAY_MS } from "../domain/time.ts";
import { servedFile } from "../http/served-file.ts";
import {
  describeDay,
  describeShortDay,
  MONEY_SCALE,
  scaleMoney,
  showCompact,
  showCount,
  showMoney,
} from "../pages/locale.ts";
import type { Markup } from "../pages/markup.ts";
import script from "./chart.client.js";
import { dayTicks, spread, valueTicks } from "./scales.ts";

export const chartScript = servedFile("/chart.js", "text/javascript; charset=utf-8", script);

export interface Series {
  /** An empty name for a chart with only this series. */
  name: string;
  /** By day. */
  values: ReadonlyMap<number, bigint>;
}

export interface Chart {
  /** Unique on the page. */
  id: string;
  title: string;
  days: DayRange;
  /**
   * The first five have a color and a pattern of their own, and the others are added up. A series without values keeps its place,
   * so that several charts on a page can give the same place to the same name.
   */
  series: Series[];
  unit: Unit;
  /** The page that a day leads to. */
  hrefOf: (day: number) => string;
}

/** How to read and to write values. */
export interface Unit {
  /** The number of units in 1 on the scale. */
  scale: number;
  isWhole: boolean;
  show: (value: bigint) => string;
  /** The labels of ticks, for the step between them. */
  labels: (step: number) => (tick: number) => string;
}

export const countUnit: Unit = {
  scale: 1,
  isWhole: true,
  show: showCount,
  labels: () => showCompact,
};

export const moneyUnit = (currency: string): Unit => ({
  scale: MONEY_SCALE,
  isWhole: false,
  show: (value) => showMoney(value, currency),
  labels: (step) => scaleMoney(currency, step),
});

const OWN_SERIES = 5;

export function dailyChart(chart: Chart): Markup {
  const { id, title, days, unit } = chart;
  const series = combine(chart.series);
  const stacks = toStacks(days, series);
  const plot = toPlot(stacks, days, unit);
  const total = sum(stacks.map((stack) => stack.total));
  const shown = series.flatMap(({ name, values }, index) => {
    const part = { name, total: sum([...values.values()]), fill: `url(#${id}-${index + 1})`, index };
    return values.size > 0 && name ? [part] : [];
  });
  return html`
    <figure class="daily-chart ${shown.length > 1 ? "labeled" : ""}" aria-labelledby="${id}">
      <figcaption id="${id}">${title}: ${unit.show(total)}</figcaption>
      <a class="skip-chart" href="#${id}-end">Skip chart</a>
      <svg class="plot" role="group" aria-labelledby="${id}">
        <defs>${PATTERNS.slice(0, series.length).map((marks, index) => pattern(`${id}-${index + 1}`, index + 1, marks))}</defs>
        <g class="axis" aria-hidden="true">${valueAxis(plot, unit)}${dayAxis(days)}</g>
        ${stacks.map((stack) => dayMarkup(chart, series, stack, plot))}
        ${shown.length > 1 ? html`<g class="labels" aria-hidden="true">${directLabels(shown, stacks, plot)}</g>` : ""}
      </svg>
      <p class="readout muted">${summarize(stacks, unit)}</p>
      <ul class="legend" id="${id}-end" tabindex="-1">
        ${shown.map(
          (part) =>
            html`<li><svg aria-hidden="true"><rect fill="${part.fill}" width="100%" height="100%"/></svg>${part.name} <span class="muted">${unit.show(part.total)}</span></li>`,
        )}
      </ul>
    </figure>`;
}

const sum = (values: bigint[]) => values.reduce((total, value) => total + value, 0n);

/** The series with their own place, and the sum of the others. */
function combine(series: Series[]): Series[] {
  const others = series.slice(OWN_SERIES);
  if (others.length === 0) return series;
  const values = new Map<number, bigint>();
  for (const other of others)
    for (const [day, value] of other.values) values.set(day, (values.get(day) ?? 0n) + value);
  return [...series.slice(0, OWN_SERIES), { name: "Other", values }];
}

/** A day: the parts above zero are stacked upward, those below zero downward. */
interface Stack {
  day: number;
  total: bigint;
  above: bigint;
  below: bigint;
  parts: { index: number; from: bigint; to: bigint }[];
}

function toStacks({ from, to }: DayRange, series: Series[]): Stack[] {
  return Array.from({ length: to - from + 1 }, (_, offset) => {
    const stack: Stack = { day: from + offset, total: 0n, above: 0n, below: 0n, parts: [] };
    series.forEach(({ values }, index) => {
      const value = values.get(stack.day) ?? 0n;
      const side = value > 0n ? "above" : "below";
      if (value !== 0n) stack.parts.push({ index, from: stack[side], to: stack[side] + value });
      stack[side] += value;
      stack.total += value;
    });
    return stack;
  });
}

/** How to place values and days, in percent of the plot. */
interface Plot {
  ticks: number[];
  yOf: (value: bigint) => number;
  /** The left edge and the width of a day's bar and of its area. */
  barOf: (day: number) => { x: number; width: number };
  areaOf: (day: number) => { x: number; width: number };
}

/** A single bar would be as wide as the whole plot without this limit, in percent. */
const WIDEST_BAR = 12;

function toPlot(stacks: Stack[], { from }: DayRange, { scale, isWhole }: Unit): Plot {
  const toTick = (value: bigint) => Number(value) / scale;
  const low = Math.min(...stacks.map(({ below }) => toTick(below)));
  const high = Math.max(...stacks.map(({ above }) => toTick(above)));
  const ticks = valueTicks(low, high, isWhole);
  const [bottom = 0, , , top = 1] = ticks;
  const slot = 100 / stacks.length;
  // Many bars have no room for gaps.
  const width = Math.min(slot * (stacks.length > 92 ? 1 : 0.78), WIDEST_BAR);
  return {
    ticks,
    yOf: (value) => ((top - toTick(value)) / (top - bottom)) * 100,
    barOf: (day) => ({ x: (day - from) * slot + (slot - width) / 2, width }),
    areaOf: (day) => ({ x: (day - from) * slot, width: slot }),
  };
}

const percent = (value: number) => `${Number(value.toFixed(3))}%`;

function dayMarkup({ unit, id, hrefOf }: Chart, series: Series[], stack: Stack, plot: Plot): Markup {
  const parts = stack.parts.map(({ index, from, to }) => `${series[index]?.name} ${unit.show(to - from)}`);
  const details = series.some(({ name }) => name) && parts.length > 0 ? ` (${parts.join(", ")})` : "";
  const label = `${formatLong(stack.day)}: ${unit.show(stack.total)}${details}`;
  const [area, bar] = [plot.areaOf(stack.day), plot.barOf(stack.day)];
  const zero = percent(plot.yOf(0n));
  const bars = stack.parts.map(({ index, from, to }) => {
    const [top, bottom] = [plot.yOf(from > to ? from : to), plot.yOf(from > to ? to : from)];
    return html`<rect class="bar" fill="url(#${id}-${index + 1})" x="${percent(bar.x)}" width="${percent(bar.width)}" y="${percent(top)}" height="${percent(bottom - top)}"/>`;
  });
  const none = html`<line class="none" x1="${percent(bar.x)}" x2="${percent(bar.x + bar.width)}" y1="${zero}" y2="${zero}"/>`;
  return html`<a href="${hrefOf(stack.day)}" aria-label="${label}"><rect class="area" x="${percent(area.x)}" width="${percent(area.width)}" height="100%"/>${bars.length > 0 ? bars : none}</a>
        `;
}

const formatLong = (day: number) => describeDay(day);

function summarize(stacks: Stack[], { show }: Unit): string {
  const highest = stacks.reduce((best, stack) => (stack.total > best.total ? stack : best));
  return highest.total === 0n ? "" : `Highest: ${formatLong(highest.day)}, ${show(highest.total)}`;
}

function valueAxis({ ticks }: Plot, { labels }: Unit): Markup[] {
  const [bottom = 0, next = 1] = ticks;
  const label = labels(Number((next - bottom).toPrecision(12)));
  return ticks.map((tick, index) => {
    const y = percent(100 - (index * 100) / 3);
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

/** The least distance between two labels, in percent of the height in a wide window. */
const LABEL_GAP = 8;

/** The names of the parts of the last bar, beside the plot, each with a line to its part. The legend has all names. */
function directLabels(shown: { name: string; index: number }[], stacks: Stack[], plot: Plot): Markup[] {
  const last = stacks.findLast(({ parts }) => parts.length > 0);
  if (!last) return [];
  const { x, width } = plot.barOf(last.day);
  const labels = last.parts.flatMap(({ index, from, to }) => {
    const name = shown.find((part) => part.index === index)?.name;
    return name ? [{ name, y: (plot.yOf(from) + plot.yOf(to)) / 2 }] : [];
  });
  const places = spread(
    labels.map(({ y }) => y),
    LABEL_GAP,
    100,
  );
  return labels.map(({ name, y }, index) => {
    const place = percent(places[index] ?? y);
    return html`<line x1="${percent(x + width)}" y1="${percent(y)}" x2="101.5%" y2="${place}"/><text x="102%" y="${place}" dy="0.32em">${shorten(name)}</text>`;
  });
}

const LABEL_LENGTH = 16;

function shorten(name: string): string {
  const characters = [...name];
  return characters.length > LABEL_LENGTH
    ? `${characters
        .slice(0, LABEL_LENGTH - 1)
        .join("")
        .trimEnd()}…`
    : name;
}

/** The marks on the color of each series, in a square of 8, so that color is never the only difference. */
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
