/** The table of the Links page: a tree whose branches open without a script, or a list of what was found. */
import { html } from "hono/html";
import type { BrowsedLink } from "../../db/links/browse.ts";
import type { Context } from "../../env.ts";
import type { Markup } from "../../http/pages.ts";
import { toLink } from "../../usecases/links.ts";
import type { Member } from "../frame.ts";
import { showCount } from "../money.ts";
import { withQuery } from "../periods.ts";
import {
  averageCell,
  copyButton,
  costBadge,
  countCell,
  inPlace,
  keepDays,
  partnerCell,
  spendCell,
} from "./cells.ts";
import { type BranchPosition, buildAfter, isSearch, LEVEL_NAMES, MAX_OPEN, ROOT } from "./query.ts";
import type { LinksView } from "./view.ts";

const HEADS = ["Partner", "Cost data", "Clicks", "Spend", "Average cost"] as const;

export function linksTable(context: Context, member: Member, view: LinksView): Markup {
  const heads = HEADS.map(
    (head, index) => html`<th scope="col" ${index > 1 ? html`class="number"` : ""}>${head}</th>`,
  );
  return html`
    <div class="table links" tabindex="0" role="region" aria-label="Links">
      <table>
        <thead><tr><th scope="col">Link</th>${heads}<th scope="col"><span class="visually-hidden">Actions</span></th></tr></thead>
        <tbody>${branchRows(context, member, view, ROOT, 1)}</tbody>
      </table>
    </div>`;
}

/** The rows of a branch, each followed by those below it if it is open. */
function branchRows(context: Context, member: Member, view: LinksView, key: string, level: number): Markup {
  const branch = view.branches.get(key);
  if (!branch) return html``;
  const { url } = context;
  const goTo = (position: BranchPosition | undefined) => {
    const positions = new Map(view.query.after);
    if (position) positions.set(key, position);
    else positions.delete(key);
    return withQuery(url, { after: buildAfter(positions) || null });
  };
  const more = (text: string, position: BranchPosition | undefined) =>
    html`<a href="${goTo(position)}" data-in-place>${text}</a>`;
  return html`
    ${
      branch.isContinued
        ? html`<tr class="more level-${level}"><td colspan="7">${more("Back to the first links", undefined)}</td></tr>`
        : ""
    }
    ${branch.links.map(
      (link) =>
        html`${linkRow(context, member, view, link)}${view.branches.has(link.token) ? branchRows(context, member, view, link.token, link.level + 1) : ""}`,
    )}
    ${
      branch.next
        ? html`<tr class="more level-${level}"><td colspan="7">${more("Show 50 more", branch.next)}</td></tr>`
        : ""
    }`;
}

function linkRow(context: Context, member: Member, view: LinksView, row: BrowsedLink): Markup {
  const { url } = context;
  const link = toLink(row, view.partners, context);
  const figures = view.figures?.get(row.id);
  const path = `${member.path}/links/${row.token}`;
  const flat = isSearch(view.query);
  const names = row.inheritedName?.replaceAll("::", " › ");
  const cell = (head: (typeof HEADS)[number], content: Markup) =>
    html`<td data-head="${head}" ${head === "Partner" || head === "Cost data" ? "" : html`class="number"`}>${content}</td>`;
  return html`
    <tr class="level-${flat ? 1 : row.level}">
      <th scope="row">
        <div class="name">
          ${flat ? "" : toggle(url, view, row)}
          <div>
            ${flat && names ? html`<span class="muted path">${names} ›</span>` : ""}
            <a href="${path}${keepDays(url)}">${row.label}</a>
            ${row.archived ? html`<span class="badge">Archived</span>` : ""}
            <span class="muted level">${LEVEL_NAMES[row.level - 1]}</span>
          </div>
        </div>
      </th>
      ${cell("Partner", partnerCell(row, view.partners))}
      ${cell("Cost data", costBadge(link))}
      ${cell("Clicks", view.figures ? countCell(figures?.clicks) : html`–`)}
      ${cell("Spend", spendCell(figures))}
      ${cell("Average cost", averageCell(figures))}
      <td class="row-actions">
        ${copyButton(link.click_url, "click URL", row.label)}
        ${copyButton(link.impression_url, "impression URL", row.label)}
        <a class="button small secondary" href="${path}/qr.svg">QR<span class="visually-hidden"> code of ${row.label}</span></a>
      </td>
    </tr>`;
}

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
