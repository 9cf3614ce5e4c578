/**
 * A chart of daily values as SVG, drawn by the server: stacked bars, areas for many days, or lines. All positions are relative to the
 * plot and the stylesheet sets its size, so texts are never distorted and have the same size in every window.
 */
import { html } from "hono/html";
import { type DayRange, firstOpenDay } from "../../domain/time.ts";
import { servedScript } from "../../http/served-file.ts";
import { nameText, pathText } from "../elements.ts";
import { describeDay, NONE, showPlural } from "../locale.ts";
import type { Markup } from "../markup.ts";
import { dayAxis, valueAxis } from "./axes.ts";
import { script } from "./chart.client.js";
import { areas, LINES_HEIGHT, line } from "./lines.ts";
import { type Plot, percent, type Stack, toPlot, toStacks } from "./plot.ts";
import { type Drawing, max, type Series, toDrawing, totalOf, type Values } from "./series.ts";
import type { Unit } from "./units.ts";

export const chartScript = servedScript("/chart.js", script);

export interface Chart {
  /** Unique on the page. */
  id: string;
  title: string;
  /** What the series are, for the title of a chart with several: `campaign`. */
  by?: string;
  days: DayRange;
  /** In their order: the first five have a color of their own, and the others are added up if they can be. */
  series: Series[];
  unit: Unit;
  /** What the value of a day is, if it is of other days too. */
  kind?: string;
  /** All series together. Ratios need its values and its total. */
  whole?: Series;
  /** The same in the period before, by the days of this one. */
  before?: Values | undefined;
  /** The day that isn't over. */
  today?: number | undefined;
  /** The first day with data. The days before it are left out, except for those of the last week. */
  firstDay?: number | null | undefined;
  /** The page that a day leads to. */
  hrefOf: (day: number) => string;
  /** What happened, as marks on the axis. The page lists it too. */
  events?: ChartEvent[];
}

export interface ChartEvent {
  day: number;
  text: string;
}

interface Drawn extends Chart {
  /** The first of its days for which costs can still arrive. Undefined if all are final, or their values don't depend on costs. */
  open: number | undefined;
}

const NOT_FINAL = "Not final";
const NO_VALUES: Values = new Map();

/** Bars of more days would be too thin. */
const MOST_BARS = 34;

export function dailyChart(given: Chart): Markup {
  const { id, unit, today, firstDay } = given;
  const days = daysWithData(given);
  const open = firstOpen(given, days);
  // What adds up is zero on a day without values, once the app had any.
  const withZeros = (values: Values, since = days.from) =>
    unit.isRatio
      ? values
      : zerosBetween(Math.max(since, days.from), Math.min(days.to, today ?? days.to), values);
  const before =
    given.before && withZeros(given.before, (firstDay ?? 0) + given.days.to - given.days.from + 1);
  const chart: Drawn = { ...given, days, open, before };
  const drawing = toDrawing(chart.series, unit.isRatio, chart.whole);
  const { series, whole } = drawing;
  const stacks = toStacks(days, drawing);
  const plot = toPlot(stacks, drawing, days, unit, before);
  const isBy = chart.by !== undefined && series.filter(({ name }) => name).length > 1;
  const title = isBy ? `${chart.title} and ${chart.by}` : chart.title;
  const total = whole ? totalOf(whole) : stacks.reduce((sum, stack) => sum + stack.total, 0n);
  const isLong = stacks.length > MOST_BARS;
  const lines = [
    ...(whole ? series : []).map(({ values, color }) =>
      line(withZeros(values), days, plot, `line series-${color}`, today),
    ),
    // What is behind the dashes separates them from bars and areas.
    ...(before ? ["line behind", "line before"].map((name) => line(before, days, plot, name)) : []),
    ...(whole ? [line(withZeros(whole.values), days, plot, "line whole", today)] : []),
  ];
  const layer = (name: string, paths: (Markup | "")[]) =>
    paths.length > 0
      ? html`<svg class="${name}" viewBox="-0.5 0 ${stacks.length} ${LINES_HEIGHT}" preserveAspectRatio="none" aria-hidden="true">${paths}</svg>`
      : "";
  const marks = eventMarks(chart);
  const [bottom = 0, next = 1] = plot.ticks;
  const labelOf = unit.labels(Number((next - bottom).toPrecision(12)));
  const axis = plot.isLogarithmic ? "log axis" : `axis from ${labelOf(bottom)}`;
  const about = [
    ...(chart.kind ? [chart.kind] : []),
    ...(bottom > 0 ? [axis, ...(plot.isCut ? ["lower values at its edge"] : [])] : []),
  ].join(", ");
  const notes = [
    ...(about ? [about] : []),
    ...(days.from > given.days.from ? [`No data before ${describeDay(given.firstDay ?? 0)}`] : []),
  ];
  return html`
    <figure class="daily-chart" aria-labelledby="${id}">
      <figcaption><span id="${id}">${title}: ${total === null ? NONE : (unit.short ?? unit.show)(total)}</span>${notes.map((note) => html` <span class="from">${note}</span>`)}${open !== undefined && !isHatched(chart) ? html` <small class="from">${NOT_FINAL}</small>` : ""}</figcaption>
      <a class="skip-chart" href="#${id}-end">Skip chart</a>
      <div class="chart-body">
      <svg class="plot" role="group" aria-labelledby="${id}">
        <defs>${whole ? "" : series.map(({ color }) => pattern(id, color))}${isHatched(chart) ? hatch(id) : ""}</defs>
        <g class="axis" aria-hidden="true">${open !== undefined && isHatched(chart) ? openArea(id, plot.areaOf(open).x) : ""}${valueAxis(plot, labelOf)}${dayAxis(days, today)}</g>
        ${layer("areas", isLong && !whole ? areas(drawing, stacks, plot) : [])}
        ${stacks.map((stack) => dayMarkup(chart, drawing, stack, plot, isLong))}
        ${layer("lines", lines)}
        ${marks}
      </svg>
      ${legend(chart, drawing)}
      </div>
      <p class="readout muted" id="${id}-end" tabindex="-1">${marks.length > 0 ? html`<span aria-hidden="true">▲ event · </span>` : ""}${summarize(stacks, unit)}</p>
    </figure>`;
}

const zerosBetween = (from: number, to: number, values: Values): Values =>
  new Map([
    ...Array.from({ length: Math.max(to - from + 1, 0) }, (_, at) => [from + at, 0n] as const),
    ...values,
  ]);

/** The days of a chart: without those before the first one with data. A week is always shown. */
export function daysWithData({ days: { from, to }, firstDay }: Pick<Chart, "days" | "firstDay">): DayRange {
  return { from: Math.max(from, Math.min(firstDay ?? from, to - 6)), to };
}

/** Whether open days are beside final ones. Where all are alike, hatching shows nothing. */
const isHatched = ({ days, open }: Drawn): boolean => open !== undefined && open > days.from;

function firstOpen({ unit, today }: Chart, days: DayRange): number | undefined {
  if (!unit.isOfCosts || today === undefined) return undefined;
  const first = Math.max(firstOpenDay(today), days.from);
  return first <= days.to ? first : undefined;
}

/** A name that is longer can be cut. */
const ROOM = 20;

/** The names of the series with their values and changes, and what the dashed line and the hatched days are. */
function legend(chart: Drawn, { series, whole }: Drawing): Markup | "" {
  const { id, unit, before } = chart;
  const items = [
    ...(whole ? [{ ...whole, mark: "whole", isLine: true }] : []),
    ...series.filter(({ name }) => name).map((one) => ({ ...one, mark: `${one.color}`, isLine: !!whole })),
    ...(before
      ? [
          {
            ...{ name: "Previous period", values: before, mark: "before", isLine: true },
            // The total of ratios is no sum.
            total: unit.isRatio ? null : undefined,
          },
        ]
      : []),
    ...(isHatched(chart)
      ? [{ name: NOT_FINAL, values: NO_VALUES, mark: "open", isLine: false, total: null }]
      : []),
  ];
  if (items.length < 2 && !before && !isHatched(chart)) return "";
  const hasChanges = items.some(({ change }) => change);
  return html`
    <table class="legend" aria-label="Legend"><tbody>
      ${items.map((one) => {
        const total = totalOf(one);
        const value = total !== null ? unit.show(total) : ["before", "open"].includes(one.mark) ? "" : NONE;
        return html`<tr data-mark="${one.mark}"><th scope="row"${one.name.length > ROOM ? html` title="${one.name}"` : ""}><span>${mark(id, one.mark, one.isLine)}${nameOf(one.name)}</span></th><td class="number">${value}</td>${hasChanges ? html`<td class="number">${one.change ?? ""}</td>` : ""}</tr>`;
      })}
    </tbody></table>`;
}

/** The name of a link, and those above it, which give way first. */
function nameOf(path: string): Markup {
  const names = path.split(" › ");
  const above = names.slice(0, -1);
  return html`<span>${nameText(names.at(-1) ?? "")}${above.length > 0 ? html`<span class="muted">${pathText(above)}</span>` : ""}</span>`;
}

/** What a series looks like in the chart: a line, or a filled area. */
const mark = (id: string, name: string, isLine: boolean): Markup =>
  isLine
    ? html`<svg class="sample" aria-hidden="true"><path class="line ${/^\d/.test(name) ? "series-" : ""}${name}" d="M0 6H34"/></svg>`
    : html`<svg class="square" aria-hidden="true"><rect fill="url(#${id}-${name})" ${name === "open" ? OUTLINE : html`width="100%" height="100%"`}/></svg>`;

/** Hatching is hard to see in a small square. */
const OUTLINE = html`stroke="currentColor" x="5%" y="5%" width="90%" height="90%"`;

function dayMarkup(
  chart: Drawn,
  { series, whole }: Drawing,
  stack: Stack,
  plot: Plot,
  isLong: boolean,
): Markup {
  const { unit, id, hrefOf, today, open, before, kind, events = [] } = chart;
  const isNamed = series.some(({ name }) => name);
  const earlier = before?.get(stack.day);
  const [happened, ...more] = events.filter(({ day }) => day === stack.day);
  const details = [
    ...(isNamed
      ? stack.parts.map(({ color, name, from, to }) => [`${color}`, `${name} ${unit.show(to - from)}`])
      : []),
    ...(earlier === undefined ? [] : [["before", `Previous period ${unit.show(earlier)}`]]),
    ...(open !== undefined && stack.day >= open ? [[isHatched(chart) ? "open" : "", NOT_FINAL]] : []),
    // The mark of the day and the list have all of them.
    ...(happened ? [["", more.length > 0 ? showPlural(more.length + 1, "event") : happened.text]] : []),
  ];
  const name = [
    describeDay(stack.day),
    ...(stack.day === today ? ["so far"] : []),
    ...(kind ? [kind] : []),
  ].join(", ");
  const total = stack.isKnown ? unit.show(stack.total) : NONE;
  // The script shows each detail in a line of its own. A line feed is a space to those who hear the label.
  const label = `${name}: ${total}${details.length > 0 ? ` (${details.map(([, text]) => text).join(",\n")})` : ""}`;
  const marks = details.map(([mark]) => mark).join(" ");
  const [area, bar] = [plot.areaOf(stack.day), plot.barOf(stack.day)];
  const className = stack.day === today ? "bar today" : "bar";
  const bars = stack.parts.map(({ color, from, to }) => {
    const [top, bottom] = [plot.yOf(max(from, to)), plot.yOf(from > to ? to : from)];
    return html`<rect class="${className} outline-${color}" rx="2" fill="url(#${id}-${color})" x="${percent(bar.x)}" width="${percent(bar.width)}" y="${percent(top)}" height="${percent(bottom - top)}"/>`;
  });
  return html`<a href="${hrefOf(stack.day)}" aria-label="${label}"${marks.trim() ? html` data-marks="${marks}"` : ""}><rect class="area" x="${percent(area.x)}" width="${percent(area.width)}" height="100%"/>${whole || isLong ? "" : bars}</a>
        `;
}

/** So many marks have room beside each other in a wide window, and in a narrow one. */
const MOST_MARKS = [90, 30] as const;

/**
 * A mark below each day on which something happened. The name of the day's link says it too. One that would be on a newer one is left
 * out, by the stylesheet where it would only be in a narrow window.
 */
function eventMarks({ days, events = [] }: Chart): Markup[] {
  const shown = events.filter(({ day }) => day >= days.from && day <= days.to);
  const count = days.to - days.from + 1;
  const last: [wide?: number, narrow?: number] = [];
  return [...Map.groupBy(shown, ({ day }) => day)]
    .toSorted(([one], [other]) => other - one)
    .map(([day, same]) => {
      const [isOn, isNear] = MOST_MARKS.map((most, at) => {
        const isNear = ((last[at] ?? Number.POSITIVE_INFINITY) - day) * most < count;
        if (!isNear) last[at] = day;
        return isNear;
      });
      return isOn
        ? html``
        : html`<svg class="event${isNear ? " near" : ""}" x="${percent(((day - days.from + 0.5) * 100) / count)}" y="100%" aria-hidden="true"><title>${[`${describeDay(day)}:`, ...same.map(({ text }) => text)].join("\n")}</title><path d="M0 1l4 8h-8z"/></svg>`;
    });
}

function summarize(stacks: Stack[], { show }: Unit): string {
  const highest = stacks.reduce((best, stack) => (stack.total > best.total ? stack : best));
  return highest.total === 0n ? "" : `Highest: ${describeDay(highest.day)}, ${show(highest.total)}`;
}

/** The marks on the color of each series, in a square of 8, for print, forced colors and more contrast. */
const PATTERNS = [
  "",
  "M-1 9L9 -1M-1 1L1 -1M7 9L9 7",
  "M4 2v.01M0 6v.01M8 6v.01",
  "M0 4H8",
  "M-1 -1L9 9M7 -1L9 1M-1 7L1 9",
  "M2 0V8M6 0V8",
];

const pattern = (id: string, color: number): Markup =>
  html`<pattern id="${id}-${color}" width="8" height="8" patternUnits="userSpaceOnUse"><rect class="series-${color}" width="8" height="8"/><path class="marks" d="${PATTERNS[color - 1]}"/></pattern>`;

/** Behind days that are not final. */
const hatch = (id: string): Markup =>
  html`<pattern id="${id}-open" width="8" height="8" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><path stroke="currentColor" opacity=".25" d="M4 0V8"/></pattern>`;

const openArea = (id: string, x: number): Markup =>
  html`<rect fill="url(#${id}-open)" x="${percent(x)}" width="${percent(100 - x)}" height="100%"/>`;
