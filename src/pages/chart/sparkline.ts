/** A small line in the row of a table, for the eye: the row has the figures too. */
import { html } from "hono/html";
import type { Markup } from "../markup.ts";
import { path } from "./lines.ts";

const WIDTH = 64;
const HEIGHT = 16;

/** From zero, or for a ratio from the lowest value. Nothing for fewer than two values, or for none but zeros. */
export function sparkline(values: (bigint | null)[], isRatio: boolean): Markup | "" {
  const known = values.flatMap((value, step) => (value === null ? [] : [{ value, step }]));
  if (known.length < 2 || known.every(({ value }) => value === 0n)) return "";
  const numbers = known.map(({ value }) => Number(value));
  const low = Math.min(...numbers, ...(isRatio ? [] : [0]));
  const high = Math.max(...numbers, ...(isRatio ? [] : [0]));
  const step = (WIDTH - 2) / (values.length - 1);
  const points = known.map(({ value, step: at }): [number, number] => [
    Math.round(1 + at * step),
    Math.round(HEIGHT - 1 - ((Number(value) - low) / (high - low || 1)) * (HEIGHT - 2)),
  ]);
  return html`<svg class="spark" aria-hidden="true"><path d="${path(points)}"/></svg>`;
}
