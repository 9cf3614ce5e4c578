/** The Links page of an app: the tree of its links, with search, filters and figures. */
import { html } from "hono/html";
import { buttonLink, card, emptyState, menu, nameText, notice, pageHead } from "../../pages/elements.ts";
import type { Option } from "../../pages/forms/fields.ts";
import { filterForm, filterMenu, filterSelect } from "../../pages/lists/controls.ts";
import { keptInputs, withQuery } from "../../pages/lists/query.ts";
import { showList, showPlural } from "../../pages/locale.ts";
import type { Markup } from "../../pages/markup.ts";
import { cutNotice, periodPicker } from "../../pages/periods.ts";
import { explainTooMany, matchOffer, selectionForm, sortedPartners } from "../bulk/selection.ts";
import { unusedPath } from "../bulk/unused.ts";
import type { Member, Show } from "../frame.ts";
import { linksScript, workspaceScript } from "../script.ts";
import { ALL_MATCHES, isSearch, LEVEL_NAMES, type LinksQuery, ROOT, SORTS } from "./query.ts";
import { branchLines, linksTable } from "./table.ts";
import { type LinksView, readLinksView } from "./view.ts";

export const linksPage: Show = async (context, member) => {
  const view = await readLinksView(context, member);
  const { url } = context;
  const { query } = view;
  const shown = {
    context,
    member,
    ...view,
    selected: query.selected,
    sort: query.sort,
    isFlat: isSearch(query),
  };
  const isEmpty = view.branches.get(ROOT)?.links.length === 0;
  return {
    title: "Links",
    scripts: [linksScript.href, workspaceScript.href],
    body: html`
      ${pageHead(
        "Links",
        html`
          <div class="actions">
            ${buttonLink(`${member.path}/links/new`, "Create link", "")}
            ${menu("More", [
              html`<a href="${member.path}/links/import">Paste or import many</a>`,
              member.app.linkCount === 0 ? "" : html`<a href="${exportHref(url)}" download>Export CSV</a>`,
              member.app.linkCount === 0
                ? ""
                : html`<a href="${unusedPath(member, null)}">Archive unused sub-links</a>`,
              html`<a href="${member.path}/links/undo">Undo changes</a>`,
            ])}
          </div>`,
      )}
      ${
        member.app.linkCount === 0
          ? noLinks(member)
          : html`
              <div class="toolbar">${periodPicker(url, view.period)}${filters(url, view)}</div>
              <div id="links" data-part>
                ${notices(view)}
                ${isEmpty ? nothingFound(url, view) : html`${count(url, view)}${linksTable(shown, branchLines(shown, view))}`}
                ${isEmpty ? "" : hiddenHint(url, view)}
                ${isEmpty ? "" : selectionForm(url, view, shownTokens(view))}
              </div>`
      }`,
  };
};

const shownTokens = ({ branches }: LinksView) =>
  new Set([...branches.values()].flatMap(({ links }) => links.map(({ token }) => token)));

/** The file with all links that this page finds. */
const exportHref = (url: URL) => `${url.pathname}.csv${url.search}`;

/** The parameters of the filters. */
const FILTERS = ["q", "level", "partner", "cost", "archived"];

function filters(url: URL, { query, partners }: LinksView): Markup {
  const inUse = ["level", "partner", "cost", "archived"].filter((name) => url.searchParams.get(name)).length;
  const select = (name: keyof LinksQuery, label: string, options: Option[]) =>
    filterSelect(name, label, options, String(query[name] ?? ""));
  const levels = LEVEL_NAMES.map((name, index): Option => [String(index + 1), name]);
  return filterForm(
    {
      action: url.pathname,
      noun: "links",
      // All that match are other links with other filters.
      kept: keptInputs(
        url,
        ...FILTERS,
        "sort",
        "after",
        ...(query.selected === ALL_MATCHES ? ["selected"] : []),
      ),
      search: { name: "q", label: "Name, path or token", value: query.q ?? "" },
      ...((isSearch(query) || query.archived) && { clear: clearHref(url) }),
    },
    filterMenu(inUse, [
      select("sort", "Order", Object.entries(SORTS)),
      select("level", "Level", [["", "Any level"], ...levels]),
      select("partner", "Attached partner", [["", "Any partner"], ...sortedPartners(partners)]),
      select("cost", "Cost data", COST_FILTERS),
      select("archived", "Archived", ARCHIVED_FILTERS),
    ]),
  );
}

const COST_FILTERS: Option[] = [
  ["", "Any setting"],
  ["on", "On"],
  ["off", "Off"],
  ["own", "Set on a sub-link"],
];
const ARCHIVED_FILTERS: Option[] = [
  ["", "Hide archived"],
  ["all", "Include archived"],
  ["only", "Only archived"],
];

const clearHref = (url: URL) =>
  withQuery(url, Object.fromEntries([...FILTERS, "after"].map((name) => [name, null])));

/** How many links a search by words found, and what can be done with all of them. */
function count(url: URL, view: LinksView): Markup | "" {
  const { found, query } = view;
  if (!found) return "";
  const offer = matchOffer(url, view);
  const isSaid = offer !== "" && explainTooMany(found.count, found.isIncomplete) !== undefined;
  const words = query.q === undefined ? "" : ` “${query.q}”`;
  const text = `${showPlural(found.count, "link")} ${found.count === 1 ? "matches" : "match"}${words}. `;
  return html`<p class="muted" role="status">${isSaid ? "" : text}${offer}</p>`;
}

const hiddenHint = (url: URL, { query }: LinksView) =>
  query.archived
    ? ""
    : html`<p class="hint">Archived links are hidden here and left out of the export. <a href="${withQuery(url, { archived: "all", after: null })}">Include archived links</a></p>`;

function notices({ query, figures, currency, period, from }: LinksView): Markup {
  return html`
    ${cutNotice(period, from)}
    ${figures ? "" : notice("Too many links have clicks or costs in this period, so figures aren't shown. Choose fewer days.", "warn")}
    ${figures && query.sort === "-spend" && currency ? html`<p class="hint">Ordered by spend in ${currency}, with everything below each link.</p>` : ""}
    ${query.cost === "own" ? html`<p class="hint">These sub-links have their own cost data setting. Select them to make them inherit it again.</p>` : ""}
    ${query.cost === "on" || query.cost === "off" ? html`<p class="hint">These links have their own partner or cost data setting. Their sub-links inherit it.</p>` : ""}`;
}

function nothingFound(url: URL, { query, found }: LinksView): Markup {
  const clear = buttonLink(clearHref(url), "Clear filters");
  const archived = (mode: "all" | "only") => withQuery(url, { archived: mode, after: null });
  if (!isSearch(query))
    return emptyState(
      "All links of this app are archived",
      "Archived links still redirect and count clicks and impressions.",
      buttonLink(archived("only"), "Show archived links"),
    );
  const words = found?.missingWords ?? [];
  const text =
    words.length > 0
      ? html`No link of this app has ${showList(words.map((word) => `“${word}”`))}.`
      : found && words.length === 0 && !found.archived
        ? "Links have each of these words, but none has all of them with these filters."
        : "";
  return emptyState(
    "No links match these filters",
    text,
    ...(found?.archived
      ? [
          buttonLink(
            archived("all"),
            `Show ${showPlural(found.archived, "archived match", "archived matches")}`,
          ),
        ]
      : []),
    clear,
  );
}

function noLinks({ app, path }: Member): Markup {
  const steps = html`
    <ol>
      <li><strong>Create a link</strong> for a network, with a campaign below it if you like.</li>
      <li><strong>Attach a partner</strong>, and turn cost data on if the partner sends costs.</li>
      <li><strong>Share its click URL</strong> with the partner. Clicks, impressions and spend appear here.</li>
    </ol>`;
  const actions = html`
    <p class="actions">
      ${buttonLink(`${path}/links/new`, "Create your first link", "")}
      ${buttonLink("/docs/members", "Read the member guide")}
    </p>`;
  return card({ id: "no-links", title: html`${nameText(app.name)} has no links yet` }, steps, actions);
}
