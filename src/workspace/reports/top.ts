/** The lists of an overview: the links and the partners with the highest spend. */
import { html } from "hono/html";
import type { ReportRow } from "../../db/ledger/reports/reports.ts";
import { showCount, showMoney } from "../../pages/locale.ts";
import type { Markup } from "../../pages/markup.ts";
import type { Member } from "../frame.ts";
import { type Line, nameOf, type Row, toLines } from "./lines.ts";

/** The lines for each currency, and the currencies. */
const MOST = 5;
const MOST_CURRENCIES = 2;

type Counts = ReportRow<"engagements">[];
type SpendHref = (query: Record<string, string>) => string;

/** `found` is undefined if there are too many links to rank. */
export function topLinks(
  { path }: Member,
  found: { spend: Row[]; engagements: Counts } | undefined,
  spendHref: SpendHref,
): Markup | "" {
  if (!found) {
    return html`
      <section class="card">
        <h2>Top links</h2>
        <p>Too many links had spend or clicks to rank them. Choose fewer days.</p>
      </section>`;
  }
  const clicks = new Map(
    found.engagements.filter(({ kind }) => kind === "click").map(({ linkId, count }) => [linkId, count]),
  );
  const lines = toLines("link", found.spend, []);
  return topList("links", "Top links", spendHref({ by: "link", level: "own" }), lines, ({ row }) => [
    html`<a href="${path}/links/${row.linkToken}">${nameOf("link", row)}</a>`,
    clicks.get(row.linkId) ?? 0,
  ]);
}

export function topPartners(rows: Row[], counts: Counts, spendHref: SpendHref): Markup | "" {
  const clicksOf = ({ row }: Line) =>
    counts.reduce(
      (sum, { partnerId, kind, count }) =>
        sum + (kind === "click" && (partnerId ?? 0) === (row.partnerId ?? 0) ? count : 0),
      0,
    );
  return topList(
    "partners",
    "Top partners",
    spendHref({ by: "partner" }),
    toLines("partner", rows, []),
    (line) => [
      line.row.partnerId
        ? html`<a href="${spendHref({ partner: String(line.row.partnerId), by: "link" })}">${nameOf("partner", line.row)}</a>`
        : html`${nameOf("partner", line.row)}`,
      clicksOf(line),
    ],
  );
}

function topList(
  id: string,
  title: string,
  href: string,
  lines: Line[],
  cells: (line: Line) => [name: Markup, clicks: number],
): Markup | "" {
  if (lines.length === 0) return "";
  const byCurrency = [...Map.groupBy(lines, ({ currency }) => currency).values()].slice(0, MOST_CURRENCIES);
  const rows = byCurrency
    .flatMap((lines) => lines.slice(0, MOST))
    .map((line) => {
      const [name, clicks] = cells(line);
      return html`<tr><th scope="row">${name}</th><td class="number">${showMoney(line.spend, line.currency)}</td><td class="number">${showCount(clicks)}</td></tr>`;
    });
  return html`
    <section class="card" aria-labelledby="top-${id}">
      <div class="head"><h2 id="top-${id}">${title}</h2><a href="${href}">Show all</a></div>
      <div class="table" tabindex="0" role="region" aria-label="${title} as a table">
        <table>
          <thead><tr><th scope="col">Name</th><th scope="col" class="number">Spend</th><th scope="col" class="number">Clicks</th></tr></thead>
          <tbody>${rows}</tbody>
        </table>
      </div>
    </section>`;
}
