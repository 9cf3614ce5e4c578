/** The table of the Links page: a tree whose branches open without a script, or a list of what was found. */
import { html } from "hono/html";
import type { LinkFigures } from "../../db/ledger/reports/link-figures.ts";
import type { BrowsedLink } from "../../db/links/browse.ts";
import type { Partners } from "../../db/links/partner-catalog.ts";
import type { Context } from "../../env.ts";
import { showCount } from "../../pages/locale.ts";
import type { Markup } from "../../pages/markup.ts";
import { withQuery } from "../../pages/query.ts";
import { toLink } from "../../usecases/links/link.ts";
import { checkbox } from "../bulk/selection.ts";
import type { Member } from "../frame.ts";
import {
  averageCell,
  copyButton,
  costCell,
  countCell,
  inPlace,
  keepDays,
  partnerCell,
  spendCell,
} from "./cells.ts";
import { type BranchPosition, buildAfter, isSearch, LEVEL_NAMES, MAX_OPEN, ROOT } from "./query.ts";
import type { LinksView } from "./view.ts";

const HEADS = ["Partner", "Cost data", "Clicks", "Spend", "Average cost"] as const;

/** What a row needs beside its link. */
export interface Shown {
  context: Context;
  member: Member;
  partners: Partners;
  figures: Map<number, LinkFigures> | undefined;
  /** The tokens of the selected links, where links can be selected. */
  selected?: Set<string>;
}

export function linksTable(rows: Markup | Markup[]): Markup {
  const heads = HEADS.map(
    (head, index) => html`<th scope="col" ${index > 1 ? html`class="number"` : ""}>${head}</th>`,
  );
  return html`
    <div class="table links" tabindex="0" role="region" aria-label="Links">
      <table>
        <thead><tr><th scope="col">Link</th>${heads}<th scope="col"><span class="visually-hidden">Actions</span></th></tr></thead>
        <tbody>${rows}</tbody>
      </table>
    </div>`;
}

/** The rows of a branch, each followed by those below it if it is open. */
export function branchRows(shown: Shown, view: LinksView, key = ROOT, level = 1): Markup {
  const branch = view.branches.get(key);
  if (!branch) return html``;
  const { url } = shown.context;
  const isFlat = isSearch(view.query);
  const more = (text: string, position: BranchPosition | undefined) => {
    const after = new Map(view.query.after);
    if (position) after.set(key, position);
    else after.delete(key);
    const href = withQuery(url, { after: buildAfter(after) || null });
    return html`<tr class="more level-${level}"><td colspan="7"><a href="${href}" data-in-place>${text}</a></td></tr>`;
  };
  return html`
    ${branch.isContinued ? more("Back to the first links", undefined) : ""}
    ${branch.links.map(
      (link) =>
        html`${linkRow(shown, link, isFlat ? path(link) : toggle(url, view, link))}${view.branches.has(link.token) ? branchRows(shown, view, link.token, link.level + 1) : ""}`,
    )}
    ${branch.next ? more("Show 50 more", branch.next) : ""}`;
}

/** A row of the table. `lead` comes before the name. */
export function linkRow(shown: Shown, row: BrowsedLink, lead: Markup | ""): Markup {
  const { context, member, partners, figures } = shown;
  const link = toLink(row, partners, context);
  const own = figures?.get(row.id);
  const href = `${member.path}/links/${row.token}`;
  const cell = (head: (typeof HEADS)[number], content: Markup) =>
    html`<td data-head="${head}" ${head === "Partner" || head === "Cost data" ? "" : html`class="number"`}>${content}</td>`;
  return html`
    <tr class="level-${row.level}">
      <th scope="row">
        <div class="name">
          ${shown.selected ? checkbox(row.token, row.label, shown.selected.has(row.token)) : ""}
          ${lead}
          <div>
            <a href="${href}${keepDays(context.url)}">${row.label}</a>
            ${row.archived ? html`<span class="badge">Archived</span>` : ""}
            <span class="muted level">${LEVEL_NAMES[row.level - 1]}</span>
          </div>
        </div>
      </th>
      ${cell("Partner", partnerCell(row, partners))}
      ${cell("Cost data", costCell(link, row))}
      ${cell("Clicks", figures ? countCell(own?.clicks) : html`–`)}
      ${cell("Spend", spendCell(own))}
      ${cell("Average cost", averageCell(own))}
      <td class="row-actions">
        ${copyButton(link.click_url, "click URL", row.label)}
        ${copyButton(link.impression_url, "impression URL", row.label)}
        <a class="button small secondary" href="${href}/qr.svg">QR<span class="visually-hidden"> code of ${row.label}</span></a>
      </td>
    </tr>`;
}

const path = ({ inheritedName }: BrowsedLink): Markup | "" =>
  inheritedName ? html`<span class="muted path">${inheritedName.replaceAll("::", " › ")} ›</span>` : "";

/** Opens or closes the branch of a link. */
function toggle(url: URL, { query }: LinksView, { token, label, childCount }: BrowsedLink): Markup {
  if (childCount === 0) return html`<span class="toggle"></span>`;
  const isOpen = query.open.includes(token);
  // The list has a limit, so the branch that was opened first closes.
  const open = isOpen
    ? query.open.filter((other) => other !== token)
    : [...query.open, token].slice(-MAX_OPEN);
  const after = new Map([...query.after].filter(([branch]) => branch === ROOT || open.includes(branch)));
  const changes = { open: open.join(",") || null, after: buildAfter(after) || null };
  const text = html`<span aria-hidden="true">${isOpen ? "▾" : "▸"}</span><span class="visually-hidden">${isOpen ? "Close" : "Open"} ${label}, ${showCount(childCount)} ${childCount === 1 ? "sub-link" : "sub-links"}</span>`;
  return html`<span class="toggle">${inPlace(url, `open-${token}`, changes, text)}</span>`;
}
