/** The axes of a chart. */
import { html } from "hono/html";
import { DAY_MS, type DayRange } from "../../domain/time.ts";
import { describeShortDay } from "../locale.ts";
import type { Markup } from "../markup.ts";
import { type Plot, percent } from "./plot.ts";
import { dayTicks } from "./scales.ts";

/** A line for each tick, with its label beside the plot. */
export function valueAxis({ ticks, yOfTick }: Plot, labelOf: (tick: number) => string): Markup[] {
  return ticks.map((tick) => {
    const y = percent(yOfTick(tick));
    return html`<line class="${tick === 0 ? "base" : "grid"}" x1="0" x2="100%" y1="${y}" y2="${y}"/><text class="value" x="-8" y="${y}" dy="0.32em">${labelOf(tick)}</text>`;
  });
}

/** A tick and a label for some of the days, with the year where it changes. */
export function dayAxis(days: DayRange, today: number | undefined): Markup[] {
  const isOneYear = yearOf(days.from) === yearOf(days.to);
  const width = 100 / (days.to - days.from + 1);
  let year = isOneYear ? yearOf(days.from) : 0;
  return dayTicks(days).map((day, index) => {
    const x = percent((day - days.from + 0.5) * width);
    const below = day === today ? "so far" : yearOf(day) !== year ? yearOf(day) : "";
    year = yearOf(day);
    const second = below === "" ? "" : html`<tspan x="${x}" dy="1.2em">${below}</tspan>`;
    // A narrow window has room for every second label, and beside the last day of many there is none.
    const place = `${index % 2 ? " second" : ""}${day === days.to && width < 7 ? " last" : ""}`;
    return html`<rect class="tick" x="${x}" y="100%" width="1" height="5"/><text class="day${place}" x="${x}" y="100%" dy="1.75em">${describeShortDay(day)}${second}</text>`;
  });
}

const yearOf = (day: number) => new Date(day * DAY_MS).getUTCFullYear();
