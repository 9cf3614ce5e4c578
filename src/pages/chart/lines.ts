/** Lines and areas, as paths over all days of a chart. */
import { html } from "hono/html";
import type { DayRange } from "../../domain/time.ts";
import type { Markup } from "../markup.ts";
import type { Plot, Stack } from "./plot.ts";
import type { Drawing, Values } from "./series.ts";

/** Lines have a unit for each day, whose middle is a whole number, and this many for the height. */
export const LINES_HEIGHT = 1_000;
const heightOf = (plot: Plot, value: bigint) => Math.round((plot.yOf(value) / 100) * LINES_HEIGHT);

/** A path in whole units, each point as the step from the one before: a page can have thousands of them. */
export function path(points: [x: number, y: number][]): string {
  const steps = points.map(([x, y], index) => {
    const [lastX, lastY] = points[index - 1] ?? [0, 0];
    return `${x - lastX} ${y - lastY}`;
  });
  return `m${steps.join(" ").replaceAll(" -", "-")}`;
}

/** What leads to a day that is not over is dotted. One point is a dot that is large enough to see. */
export function line(
  values: Values,
  { from, to }: DayRange,
  plot: Plot,
  name: string,
  today?: number,
): Markup | "" {
  const days = [...values].filter(([day]) => day >= from && day <= to).sort(([one], [other]) => one - other);
  const points = days.map(([day, value]): [number, number] => [day - from, heightOf(plot, value)]);
  if (points.length === 0) return "";
  const isOpen = points.length > 1 && days.at(-1)?.[0] === today;
  const closed = isOpen ? points.slice(0, -1) : points;
  const kind = points.length === 1 ? `${name} point` : name;
  return html`<path class="${kind}" d="${path(closed)}${closed.length === 1 ? "h0" : ""}"/>${isOpen ? html`<path class="${name} open" d="${path(points.slice(-2))}"/>` : ""}`;
}

/** Each series as the area between zero and the sum of it and those before it, which are drawn later and so cover their part. */
export function areas({ series }: Drawing, stacks: Stack[], plot: Plot): Markup[] {
  const zero = heightOf(plot, 0n);
  const layers = series.map(({ color }, place) => {
    const below = series.slice(0, place).map((one) => one.color);
    const edge = stacks.map(({ parts }, x): [number, number] => {
      const own = parts.find((part) => part.color === color);
      const top = own ?? parts.filter((part) => below.includes(part.color) && part.to > 0n).at(-1);
      return [x, heightOf(plot, top?.to ?? 0n)];
    });
    return html`<path class="layer series-${color}" d="${path([[0, zero], ...edge])}V${zero}z"/>`;
  });
  return layers.reverse();
}
