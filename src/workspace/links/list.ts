/** The Links page of an app: the tree of its links, with search, filters and figures. */
import { html } from "hono/html";
import type { Partners } from "../../db/links/partner-catalog.ts";
import type { Markup } from "../../pages/markup.ts";
import { periodPicker } from "../../pages/periods.ts";
import { keptInputs, withQuery } from "../../pages/query.ts";
import { selectionForm } from "../bulk/selection.ts";
import type { Member, Show } from "../frame.ts";
import { workspaceScript } from "../script.ts";
import { isSearch, LEVEL_NAMES, type LinksQuery, ROOT, SORTS } from "./query.ts";
import { branchRows, linksTable } from "./table.ts";
import { type LinksView, readLinksView } from "./view.ts";

export const linksPage: Show = async (context, member) => {
  const view = await readLinksView(context, member);
  const { url } = context;
  const isEmpty = view.branches.get(ROOT)?.links.length === 0;
  return {
    title: "Links",
    scripts: [workspaceScript.href],
    body: html`
      <div class="head">
        <h1>Links</h1>
        <p class="actions">
          <a class="button" href="${member.path}/links/new">Create link</a>
          <a class="button secondary" href="${member.path}/links/import">Import</a>
          ${member.app.linkCount === 0 ? "" : html`<a class="button secondary" href="${exportHref(url)}" download>Export CSV</a>`}
        </p>
      </div>
      ${
        member.app.linkCount === 0
          ? noLinks(member)
          : html`
              ${periodPicker(url, view.period, false)}
              ${filterForm(url, view)}
              <div id="links">
                ${notices(view)}
                ${isEmpty ? "" : selectionForm(url, view.partners, view.query.selected, shownTokens(view))}
                ${isEmpty || view.query.archived ? "" : html`<p class="hint">Archived links are hidden, also in the exported file. <a href="${withQuery(url, { archived: "all", after: null })}">Show archived links</a></p>`}
                ${isEmpty ? nothingFound(url, view) : linksTable(branchRows({ context, member, ...view, selected: new Set(view.query.selected) }, view))}
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

function filterForm(url: URL, { query, partners }: LinksView): Markup {
  const isFiltered = ["level", "partner", "cost", "archived"].some((name) => url.searchParams.get(name));
  return html`
    <form class="filters" method="get" action="${url.pathname}" role="search" aria-label="Links">
      ${keptInputs(url, ...FILTERS, "sort", "after")}
      <label class="wide">Name starts with <input type="search" name="q" value="${query.q ?? ""}" maxlength="255"></label>
      ${select("sort", "Order", Object.entries(SORTS), query)}
      <details class="more-filters" ${isFiltered ? html`open` : ""}><summary>Filters</summary><div>
      ${select("level", "Level", [["", "Any level"], ...LEVEL_NAMES.map((name, index): Option => [String(index + 1), name])], query)}
      ${select("partner", "Attached partner", [["", "Any partner"], ...partnerOptions(partners)], query)}
      ${select(
        "cost",
        "Cost data",
        [
          ["", "Any setting"],
          ["on", "On"],
          ["off", "Off"],
          ["own", "Set on a sub-link"],
        ],
        query,
      )}
      ${select(
        "archived",
        "Archived",
        [
          ["", "Hide archived"],
          ["all", "Show archived"],
          ["only", "Only archived"],
        ],
        query,
      )}
      </div></details>
      <p class="actions">
        <button class="secondary">Show links</button>
        ${isSearch(query) || query.archived ? html`<a href="${clearHref(url)}">Clear filters</a>` : ""}
      </p>
    </form>`;
}

const clearHref = (url: URL) =>
  withQuery(url, Object.fromEntries([...FILTERS, "after"].map((name) => [name, null])));

type Option = [value: string, text: string];

const partnerOptions = (partners: Partners): Option[] =>
  [...partners.values()]
    .sort((one, other) => one.displayName.localeCompare(other.displayName))
    .map(({ id, displayName }) => [String(id), displayName]);

function select(name: keyof LinksQuery, label: string, options: Option[], query: LinksQuery): Markup {
  const current = String(query[name] ?? "");
  return html`
    <label>${label}
      <select name="${name}">${options.map(([value, text]) => html`<option value="${value}" ${value === current ? html`selected` : ""}>${text}</option>`)}</select>
    </label>`;
}

function notices({ query, figures, currency }: LinksView): Markup {
  return html`
    ${figures ? "" : html`<p class="notice warn">Too many links have clicks or costs in this period, so figures aren't shown. Choose fewer days.</p>`}
    ${figures && query.sort === "-spend" && currency ? html`<p class="hint">Ordered by spend in ${currency}, with everything below each link.</p>` : ""}
    ${query.cost === "own" ? html`<p class="hint">Lists sub-links with a cost data setting of their own. Select them to set it to same as parent.</p>` : ""}
    ${query.cost === "on" || query.cost === "off" ? html`<p class="hint">Lists links with a partner or a cost data setting of their own. Their sub-links inherit it.</p>` : ""}`;
}

function nothingFound(url: URL, { query }: LinksView): Markup {
  return isSearch(query)
    ? html`
        <section class="card">
          <h2>No links match these filters</h2>
          <p class="actions"><a class="button secondary" href="${clearHref(url)}">Clear filters</a></p>
        </section>`
    : html`
        <section class="card">
          <h2>All links of this app are archived</h2>
          <p class="actions"><a class="button secondary" href="${withQuery(url, { archived: "only" })}">Show archived links</a></p>
        </section>`;
}

function noLinks({ app, path }: Member): Markup {
  return html`
    <section class="card">
      <h2>${app.name} has no links yet</h2>
      <ol>
        <li><strong>Create a link</strong> for a network, with a campaign below it if you like.</li>
        <li><strong>Attach a partner</strong>, and switch cost data on if the partner sends costs.</li>
        <li><strong>Share its click URL</strong> with the partner. Clicks, impressions and spend appear here.</li>
      </ol>
      <p class="actions">
        <a class="button" href="${path}/links/new">Create your first link</a>
        <a class="button secondary" href="/docs/members">Read the member guide</a>
      </p>
    </section>`;
}
