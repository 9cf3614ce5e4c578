/** Tables, described by their columns. On a phone each row is a card, whose cells have the headings of their columns. */
import { html } from "hono/html";
import { showCount } from "../locale.ts";
import type { Markup } from "../markup.ts";
import { withQuery } from "./query.ts";

type Content = Markup | string;

export interface Column<Row> {
  heading: string;
  /** What the heading says of all rows. */
  note?: string | undefined;
  cell: (row: Row) => Content;
  /** `number` and `day` stay on one line. The heading of `action` is only read aloud. */
  kind?: "number" | "day" | "action";
  /** Whether a window of middle width has no room for it, or of a compact table, a phone. */
  isMinor?: boolean;
  /**
   * Where a phone shows it, if its cards have two lines: beside the name, or below it in so many twelfths of the line. The other columns
   * of such a table are shown when a card is opened.
   */
  onPhone?: "beside" | 3 | 4 | 5 | 6 | 7 | 8;
  /** Whether a phone shows it only when a card is opened, in a table with styles of its own. */
  isFolded?: boolean;
  /** Where the heading leads: to the order by this column, or to more about it. */
  href?: string;
  /** The ID of a heading that a script follows without loading the whole page. */
  inPlace?: string;
  /** The order of the rows, for the column that decides it. */
  sorted?: "ascending" | "descending" | undefined;
}

export interface Table<Row> {
  /** The name of the table, for people who hear it. */
  label: string;
  /** The cells of the first column are the names of their rows. */
  columns: (Column<Row> | false)[];
  /** Whether the name is also a heading, which is only read aloud: where no other heading is before the table. */
  hasHeading?: boolean;
  rows: Row[];
  /** In the place of a table without rows. */
  empty?: Content;
  /** The last row, with the totals. */
  total?: Row | undefined;
  /** The row before it: those of the rows that are shown. */
  subtotal?: Row | undefined;
  /** For links to a row. */
  idOf?: (row: Row) => string | undefined;
  classOf?: (row: Row) => string;
  /** What a row has in the place of its cells. */
  spanOf?: (row: Row) => Markup | undefined;
  /**
   * `figures-in-row` puts the numbers of a card beside each other, and `links` also shows levels by their distance from the side.
   * `compact` is a table on a phone too: of short names and a few numbers.
   */
  layout?: "figures-in-row" | "links figures-in-row" | "compact";
}

export function table<Row>({ columns: given, empty = "", ...rest }: Table<Row>): Content {
  const { label, hasHeading, rows, total, subtotal, idOf, classOf, spanOf, layout } = rest;
  if (rows.length === 0) return empty;
  const columns = given.filter((column) => column !== false);
  const hasTwoLines = columns.some(({ onPhone }) => onPhone !== undefined);
  const opens = columns.slice(1).some(({ onPhone }) => onPhone === undefined);
  const nameOf = (content: Content) =>
    hasTwoLines ? html`<div class="cut">${content}</div>${opens ? MORE_FIGURES : ""}` : content;
  const cells = (row: Row) =>
    columns.map((column, index) =>
      index === 0
        ? html`<th scope="row"${attribute("class", column.kind)}>${nameOf(column.cell(row))}</th>`
        : cell(column, column.cell(row)),
    );
  const line = (row: Row) => {
    const id = idOf?.(row);
    const span = spanOf?.(row);
    const attributes = html`${attribute("id", id)}${id === undefined ? "" : html` tabindex="-1"`}${attribute("class", classOf?.(row))}`;
    const content = span === undefined ? cells(row) : html`<td colspan="${columns.length}">${span}</td>`;
    return html`
      <tr${attributes}>${content}</tr>`;
  };
  // A link in the head can be reached with Tab, and then the arrow keys scroll as well.
  const scrolls = columns.every(({ href }) => href === undefined);
  const isInPlace = columns.some(({ inPlace }) => inPlace !== undefined);
  return html`
    ${hasHeading ? html`<h2 class="visually-hidden">${label}</h2>` : ""}
    <div class="table ${layout === "compact" ? "" : "stacked "}${layout ?? ""}${hasTwoLines ? " two-lines" : ""}"${scrolls ? html` tabindex="0"` : ""} role="region" aria-label="${label}"><table>
      <thead${isInPlace ? html` data-arrows` : ""}><tr>${columns.map(head)}</tr></thead>
      <tbody>${rows.map(line)}</tbody>
      ${total === undefined ? "" : html`<tfoot>${subtotal === undefined ? "" : html`<tr>${cells(subtotal)}</tr>`}<tr>${cells(total)}</tr></tfoot>`}
    </table></div>`;
}

/** On a phone, opens what a card doesn't show at first. The stylesheet has its text, as other windows never show it. */
export const MORE_FIGURES = html`<details class="more-figures"><summary aria-label="More figures"></summary></details>`;

const classNames = <Row>({ kind, isMinor, isFolded, onPhone }: Column<Row>) =>
  [kind, isMinor && "minor", isFolded && "folded", onPhone && `phone-${onPhone}`].filter(Boolean).join(" ");

function head<Row>(column: Column<Row>): Markup {
  const { note, kind, href, inPlace, sorted } = column;
  // A narrow column has two lines for it.
  const heading = column.heading.replace(" per ", " per\u00a0");
  const name = attribute("class", classNames(column));
  if (kind === "action")
    return html`<th scope="col"${name}><span class="visually-hidden">${heading}</span></th>`;
  if (href === undefined) return html`<th scope="col"${name}>${heading}</th>`;
  // Never in a line of its own.
  const arrow = sorted && html`\u00a0<span aria-hidden="true">${sorted === "ascending" ? "▲" : "▼"}</span>`;
  return html`<th scope="col"${name}${attribute("aria-sort", sorted)}><a href="${href}"${attribute("id", inPlace)}${inPlace === undefined ? "" : html` data-in-place`}>${heading}${arrow ?? ""}</a>${note === undefined ? "" : html` <span class="muted">${note}</span>`}</th>`;
}

/** An empty cell is not shown on a phone. */
function cell<Row>(column: Column<Row>, content: Content): Markup {
  const label = attribute("data-label", column.kind === "action" ? undefined : column.heading);
  return html`<td${label}${attribute("class", classNames(column))}>${content}</td>`;
}

const attribute = (name: string, value: string | undefined): Markup | "" =>
  value ? html` ${name}="${value}"` : "";

const STEP = 50;
const MOST = 1_000;

/**
 * The rows that a long table shows: 50, and 50 more with each step. `param` is the parameter of the page that counts them; `more`
 * leads to the next step, at the row where the present one ends.
 */
export function firstRows<Row>(url: URL, rows: Row[], param = "rows"): { rows: Row[]; more: Content } {
  const asked = Number(url.searchParams.get(param) ?? STEP);
  const limit = Number.isInteger(asked) && asked > STEP ? Math.min(asked, MOST) : STEP;
  if (rows.length <= limit) return { rows, more: "" };
  const all = `${showCount(limit)} of ${showCount(rows.length)}`;
  const more =
    limit >= MOST
      ? ""
      : html`<a class="button secondary" href="${withQuery(url, { [param]: String(limit + STEP) })}" data-in-place>Show 50 more</a>`;
  return {
    rows: rows.slice(0, limit),
    more: html`<p class="actions more">${more} <span class="muted">${all}</span></p>`,
  };
}
