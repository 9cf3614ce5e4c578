/** Who changed a link and when: a section of its page, and a page with all of it. */
import { html } from "hono/html";
import * as z from "zod/mini";
import type { HistoryRow } from "../../db/links/history.ts";
import type { Partners } from "../../db/links/partner-catalog.ts";
import { toIso } from "../../domain/time.ts";
import { idText } from "../../http/input/fields.ts";
import { readInput } from "../../http/input/input.ts";
import type { NameOf } from "../../pages/audit/changes.ts";
import { describeEntry } from "../../pages/audit/entries.ts";
import { card, nameText, pageHead } from "../../pages/elements.ts";
import { type Markup, time } from "../../pages/markup.ts";
import { countLinks, undoForm } from "../bulk/outcomes.ts";
import type { Member, Show } from "../frame.ts";
import { linkTrail, readLink } from "./edited-link.ts";

const PAGE_SIZE = 50;
const historyQuery = z.strictObject({ before: z.optional(idText) });

export const historyPage: Show = async (context, member) => {
  const { query } = await readInput(context, { query: historyQuery });
  const { row, partners, history, path } = await readLink(context, member, {
    before: query.before,
    limit: PAGE_SIZE + 1,
  });
  const shown = history.slice(0, PAGE_SIZE);
  return {
    title: `History of ${row.label}`,
    body: html`
      ${linkTrail(member, row, "History")}
      ${pageHead(html`History of ${nameText(row.label)}`)}
      <section class="card">
        ${historyList(member, shown, partners)}
        <p class="actions">
          ${query.before === undefined ? "" : html`<a href="${path}/history">Show the newest changes</a>`}
          ${history.length > PAGE_SIZE ? html`<a href="${path}/history?before=${shown.at(-1)?.id}">Show older changes</a>` : ""}
        </p>
      </section>`,
  };
};

/** The latest entries on a link's page, if there are any. `href` is the page with all of them. */
export function historySection(
  member: Member,
  rows: HistoryRow[],
  partners: Partners,
  href: string,
): Markup | "" {
  if (rows.length === 0) return "";
  const shown = rows.slice(0, LATEST);
  return card(
    { id: "history", title: "History" },
    historyList(member, shown, partners),
    rows.length > LATEST ? html`<p><a href="${href}">Show all changes</a></p>` : "",
  );
}

/** A link's page shows so many. */
export const LATEST = 5;

function historyList(member: Member, rows: HistoryRow[], partners: Partners): Markup {
  if (rows.length === 0) return html`<p class="muted">No changes yet.</p>`;
  const nameOf: NameOf = (noun, id) =>
    noun === "partner" ? partners.get(Number(id))?.displayName : undefined;
  const items = rows.map((row) => {
    const { happenedAt, action, detail } = row;
    return html`
      <li>
        <p>${whoDid(row)} ${describeEntry({ action, detail: JSON.parse(detail) }, nameOf)}.</p>
        <p class="muted">${time(toIso(happenedAt))}</p>
        ${undoOf(member, row)}
      </li>`;
  });
  return html`<ol class="history">${items}</ol>`;
}

/** Others may have been changed by the same request. */
export function undoOf(
  member: Member,
  { undoId, undoable, happenedAt }: HistoryRow,
  isNamed = true,
): Markup | "" {
  if (undoable === null || undoId === null) return "";
  const text = undoable > 1 ? `Undo for ${countLinks(undoable)}` : "Undo";
  const what = isNamed ? html`the change of ${time(toIso(happenedAt), "seconds")}` : "";
  return undoForm(member, undoId, text, what);
}

/** Members see the addresses of the members of their app, and of nobody else. */
function whoDid({ userId, email, role }: HistoryRow): string {
  if (userId === null) return "linkledger";
  return email ?? (role === "operator" ? "An operator" : "A former member");
}
