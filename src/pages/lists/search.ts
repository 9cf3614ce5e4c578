/**
 * A list that searches through many IDs, of which one request reads a part. A script goes on by itself, with a bar and a button that
 * stops it; without it, a link does.
 */
import { html } from "hono/html";
import { servedScript } from "../../http/served-file.ts";
import { notice } from "../elements.ts";
import { showCount } from "../locale.ts";
import type { Markup } from "../markup.ts";
import { script } from "./search.client.js";

export const searchScript = servedScript("/search.js", script);

export interface Search {
  /** A table, or what is in the place of one without rows. */
  list: Markup | string;
  /** Where the search goes on; null at its end. */
  next: string | null;
  first: string | null;
  isFull: boolean;
  /** How far it came in the order of the IDs, from 0 to 1; undefined if that is not known. */
  share?: number;
  /** What was done so far. */
  progress: Markup | string;
}

export function searchedList({ list, next, first, isFull, share, progress }: Search): Markup {
  const isOn = next !== null && !isFull;
  const bar =
    share === undefined
      ? html`<progress aria-label="Search"></progress>`
      : html`<progress max="100" value="${Math.round(share * 100)}" aria-label="Position of the search in the order of the IDs"></progress>`;
  return html`
    <div id="found">${list}</div>
    <div id="search">
      ${isOn ? html`<p role="status">${progress}</p>${bar}` : html`<p class="muted" role="status">${next === null ? progress : ""}</p>`}
      <p class="actions">
        ${first === null ? "" : html`<a class="button secondary" href="${first}">First page</a>`}
        ${isOn ? html`<button type="button" class="secondary" data-stop hidden>Stop</button>` : ""}
        ${next === null ? "" : isOn ? html`<a class="button secondary" href="${next}" data-go-on>Continue</a>` : html`<a class="button secondary" href="${next}">Next page</a>`}
      </p>
    </div>`;
}

/** In the place of a table, while the search can go on. */
export const NONE_SO_FAR = notice("None so far.");

interface Progress {
  found: number;
  /** How many there are, null if that is not known; `isExact`: not fewer. */
  expected: number | null;
  isExact: boolean;
  /** Whether the filter by amount is left out of these numbers. */
  hasAmount: boolean;
  read: number;
}

/** `12 of 15 found. Searched 40,000 IDs.` How many IDs there are is not known: most of them can begin with the same letters. */
export function describeSearch({ found, expected, isExact, hasAmount, read }: Progress): string {
  const of = expected === null ? "" : ` of ${isExact ? "" : "up to "}${showCount(expected)}`;
  return `${hasAmount ? "Without the filter by amount, " : ""}${showCount(found)}${of} found. Searched ${showCount(read)} IDs.`.replace(
    " 1 IDs",
    " 1 ID",
  );
}
