/** Lines and areas, as paths over all days of a chart. */
import { html } from "hono/html";
import type { DayRange } from "../../db/ledger/reports/statements.ts";
import type { Markup } from "../markup.ts";
import type { Plot, Series, Stack, Values } from "./plot.ts";

/** Lines have a unit for each day, whose middle is a whole number, and this many for the height. */
export const LINES_HEIGHT = 1_000;
const heightOf = (plot: Plot, value: bigint) => Math.round((plot.yOf(value) / 100) * LINES_HEIGHT);

/** A path in whole units, each point as the step from the one before: a page can have thousands of them. */
function path(points: [x: number, y: number][]): string {
  const steps = points.map(([x, y], index) => {
    const [lastX, lastY] = points[index - 1] ?? [0, 0];
    return `${x - lastX} ${y - lastY}`;
  });
  return `m${steps.join(" ").replaceAll(" -", "-")}`;
}

export function line(values: Values, { from, to }: DayRange, plot: Plot, name: string): Markup {
  const days = [...values].filter(([day]) => day >= from && day <= to).sort(([one], [other]) => one - other);
  const points = days.map(([day, value]): [number, number] => [day - from, heightOf(plot, value)]);
  return html`<path class="${name}" d="${points.length > 0 ? path(points) : ""}"/>`;
}

/** Each series as the area between zero and the sum of it and those before it, which are drawn later and so cover their part. */
export function areas(series: Series[], stacks: Stack[], plot: Plot): Markup[] {
  const zero = heightOf(plot, 0n);
  const layers = series.map((_, index) => {
    const edge = stacks.map(({ parts }, x): [number, number] => {
      const own = parts.find((part) => part.index === index);
      const top = own ?? parts.filter((part) => part.index < index && part.to > 0n).at(-1);
      return [x, heightOf(plot, top?.to ?? 0n)];
    });
    return html`<path class="layer series-${index + 1}" d="${path([[0, zero], ...edge])}V${zero}z"/>`;
  });
  return layers.reverse();
}
