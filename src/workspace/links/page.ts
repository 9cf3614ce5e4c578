/** A link's page: its URLs, its figures, its sub-links, its costs by type, and what went wrong with its URLs. */
import { html } from "hono/html";
import type { PageLink } from "../../db/links/browse.ts";
import { currenciesOf, sumOf } from "../../domain/figures/performance.ts";
import { isTemplateMacro } from "../../domain/macros.ts";
import { templatePairs } from "../../domain/templates.ts";
import { dayOf, formatDate } from "../../domain/time.ts";
import type { Context } from "../../env.ts";
import { chartScript } from "../../pages/chart/chart.ts";
import { operatorContact } from "../../pages/contact.ts";
import {
  badge,
  breadcrumb,
  buttonLink,
  copyButton,
  countLinks,
  facts,
  menu,
  nameText,
  notice,
  type Tile,
  tiles,
  unpricedCount,
} from "../../pages/elements.ts";
import { chartEvents, eventList } from "../../pages/events.ts";
import { describeDay, describeDays, describeShortDay, showCount } from "../../pages/locale.ts";
import type { Markup } from "../../pages/markup.ts";
import { changeText, moneyText } from "../../pages/money.ts";
import { showNotice } from "../../pages/notice.ts";
import { cutNotice, daysBefore, finality, periodPicker, periodQuery } from "../../pages/periods.ts";
import { unusedPath } from "../bulk/unused.ts";
import { historySection } from "../edit/history.ts";
import type { Member, Show } from "../frame.ts";
import { partnerLink } from "../partners/link.ts";
import { adjustedNote } from "../reports/adjusted.ts";
import { countChart, spendCharts } from "../reports/day-charts.ts";
import { addUp } from "../reports/lines.ts";
import { linkStyles, linkTestScript } from "../script.ts";
import { audienceSection } from "./audience.ts";
import { costCell, countsText, keepDays, partnerCell, partnerOf, partnerSignal, testBadge } from "./cells.ts";
import { type LinkView, MOST_SUB_LINKS, readLinkView } from "./link-view.ts";
import { LEVEL_NAMES, LINK_NOTICES } from "./query.ts";
import { costsByType, problems } from "./sections.ts";
import { linksTable } from "./table.ts";
import { targetSection } from "./target.ts";

export const linkPage: Show = async (context, member) => {
  const view = await readLinkView(context, member);
  const { row, link, period } = view;
  const { url } = context;
  return {
    title: row.label,
    scripts: [chartScript.href, linkTestScript.href],
    styles: [linkStyles.href],
    body: html`
      ${trail(member, url, row)}
      <div class="head">
        <div class="title"><h1>${nameText(row.label)}</h1> ${badge(LEVEL_NAMES[row.level - 1] ?? "")} ${testBadge(row)}</div>
        ${buttonLink(`${member.path}/links/${row.token}/settings`, "Settings")}
      </div>
      ${showNotice(LINK_NOTICES, context)}
      ${states(member, url, view)}
      ${addresses(member, url, view)}
      <div class="toolbar">
        ${periodPicker(withoutNotice(url), period)}
        <p class="muted">Today so far: ${countsText(view.today)}.</p>
      </div>
      ${cutNotice(period, view.from)}
      ${figures(member, view, context.now)}
      ${charts(member, view, dayOf(context.now))}
      ${subLinks(context, member, view)}
      <div class="halves">
      ${costsByType(member, view)}
        ${targetSection(view.destination, row, `${member.path}/links/${row.token}/settings`)}
        ${problems(view)}
        ${historySection(member, view.history, view.partners, `${member.path}/links/${row.token}/history`)}
      ${audienceSection(
        url,
        view.audience,
        (query) =>
          `${member.path}/performance?${new URLSearchParams({ ...periodQuery(period), link: link.token, ...query })}`,
      )}
      </div>
      <p class="hint">Token <code>${link.token}</code>, created on ${describeDay(dayOf(row.createdAt))}</p>`,
  };
};

/** The links above it, the highest first. */
function above({ inheritedName, token1, token2, token3 }: PageLink): { token: string; label: string }[] {
  const tokens = [token3, token2, token1].filter((token) => token !== null);
  const labels = inheritedName?.split("::") ?? [];
  return tokens.map((token, index) => ({ token, label: labels[index] ?? "" }));
}

function trail({ path }: Member, url: URL, row: PageLink): Markup {
  const days = keepDays(url);
  const links = above(row).map(({ token, label }): [string, string] => [
    label,
    `${path}/links/${token}${days}`,
  ]);
  return breadcrumb([["Links", `${path}/links${days}`], ...links], row.label);
}

function withoutNotice(url: URL): URL {
  const own = new URL(url);
  own.searchParams.delete("notice");
  return own;
}

/** What changes how the link works. */
function states(member: Member, url: URL, { row, partners, silent }: LinkView): Markup {
  const { env } = member;
  const partner = partnerOf(row, partners);
  const silentSince = partner && silent.get(partner.id);
  const isSwitchedOn = (row.costSwitch ?? row.inheritedSwitch) === 1;
  return html`
    ${testBadge(row) === "" ? "" : notice(`An operator created this link to test ${partner?.displayName ?? "a partner"}. Its costs count once you turn on its cost data.`)}
    ${row.archived ? notice("This link is archived. It still redirects and counts clicks and impressions.") : ""}
    ${partner && partner.stoppedAt !== null ? notice(html`${partnerLink(member, partner, keepDays(url))} is stopped. Its costs are rejected. Ask ${operatorContact(env)} to resume it.`, "error") : ""}
    ${partner && isSwitchedOn && !partner.supportsCostData ? notice(html`Cost data is on, but ${partnerLink(member, partner, keepDays(url))} has no cost data yet. Ask ${operatorContact(env)} for an integration round.`, "warn") : ""}
    ${partner && isSwitchedOn && silentSince !== undefined ? notice(html`No cost after ${describeShortDay(dayOf(silentSince))} from ${partnerLink(member, partner, keepDays(url))}. Ask the partner.`, "warn") : ""}`;
}

/** The URLs, each in one line, above the figures: they are copied more often than they are read. */
function addresses(member: Member, url: URL, { row, link, partners, silent }: LinkView): Markup {
  const address = (id: string, name: string, text: string, copied: string) => html`
    <div class="secret"><span id="${id}">${name}</span><code aria-labelledby="${id}" role="group" tabindex="0">${highlightMacros(text)}</code>${copyButton(text, `${copied} of ${row.label}`)}</div>`;
  const partner = partnerOf(row, partners);
  const known = { partners, silent };
  return html`
    <section class="card urls" aria-labelledby="urls">
      <h2 id="urls" class="visually-hidden">URLs</h2>
      ${address("click-url", "Click URL", link.click_url, "click URL")}
      ${address("impression-url", "Impression URL", link.impression_url, "impression URL")}
      <div class="actions">
        ${facts(
          ["Partner", partnerCell(member, row, known, keepDays(url), partnerSignal(row, known))],
          [
            "Cost data",
            html`${costCell(link, row)}${row.costSwitch === null && row.inheritedSwitch !== null ? html` <span class="muted">inherited</span>` : ""}`,
          ],
        )}
        ${menu("QR code", [
          html`<img src="${url.pathname}/qr.svg" alt="QR code of ${link.url}" width="176" height="176" loading="lazy">`,
          html`<a href="${url.pathname}/qr.svg" download="${link.token}.svg">Download QR code</a>`,
        ])}
        <a class="button small secondary" href="${url.pathname}/test" data-test-link>Test link</a>
      </div>
      ${link.click_url === link.url ? "" : html`<p class="hint"><mark>Marked</mark> parts are macros. ${partner?.displayName} replaces them for each click and impression.</p>`}
    </section>
    <div id="test-panel" hidden></div>`;
}

/** A URL with its macros marked, each a whole value of a parameter. */
function highlightMacros(url: string): Markup[] {
  const start = url.indexOf("?") + 1;
  if (start === 0) return [html`${url}`];
  const pairs = templatePairs(url.slice(start)).map(({ name, value }, index) => {
    const before = `${index === 0 ? "" : "&"}${name}`;
    if (value === "") return html`${before}`;
    return html`${before}=${isTemplateMacro(value) ? html`<mark>${value}</mark>` : value}`;
  });
  return [html`${url.slice(0, start)}`, ...pairs];
}

function figures(member: Member, view: LinkView, now: number): Markup {
  const { spend, counts, period, row, adjustments, partners } = view;
  // Without anything before, nothing changed: everything is new.
  const isNew = view.before?.spend.length === 0 && view.before.counts.length === 0;
  const before = isNew ? undefined : view.before;
  const noteOf = (sum: bigint, earlier: bigint) => (before ? { note: changeText(sum, earlier) } : {});
  const countIn = (rows: LinkView["counts"], kind: string) =>
    sumOf(rows, (line) => (line.kind === kind ? line.count : 0));
  const count = (name: string, kind: string): Tile => {
    const [found, earlier] = [countIn(counts, kind), countIn(before?.counts ?? [], kind)];
    return { name, value: showCount(found), ...noteOf(BigInt(found), BigInt(earlier)) };
  };
  const costs = (name: "matched" | "unpriced") => sumOf(spend, (line) => line[name]);
  const sums = currenciesOf(spend, before?.spend).map((currency) => {
    const ofCurrency = (lines: LinkView["spend"]) => lines.filter((line) => line.currency === currency);
    return addUp(currency, ofCurrency(spend), ofCurrency(before?.spend ?? []));
  });
  const spent = sums.map(
    ({ currency, spend, previous }): Tile => ({
      name: `Spend in ${currency}`,
      value: moneyText(spend, currency),
      ...noteOf(spend, previous),
    }),
  );
  const hints = [
    ...(before ? [`Compared with ${describeDays(daysBefore(period))}.`] : []),
    ...(row.childCount > 0 ? ["Includes sub-links."] : []),
  ];
  return html`
    ${tiles(`Figures, ${describeDays(period)}`, [
      ...spent,
      count("Clicks", "click"),
      count("Impressions", "impression"),
      { name: "Matched costs", value: showCount(costs("matched")) },
    ])}
    <p class="hint">${hints.join(" ")} ${finality(period, now)} ${countLinks(unpricedCount(costs("unpriced"), "#costs"))}</p>
    ${adjustedNote(member, sums, adjustments, partners)}`;
}

const MOST_CHARTS = 2;

function charts(member: Member, view: LinkView, today: number): Markup | "" {
  const { spend, counts, before, period, link, eventsOf, partners } = view;
  const shown = {
    days: period,
    today,
    firstDay: member.app.firstDay,
    now: { spend, counts },
    before,
    by: "cost_type" as const,
    currencies: currenciesOf(spend),
    eventsOf: (currency?: string) => chartEvents(eventsOf(currency), partners),
    hrefOf: (day: number, currency?: string) => {
      const ofDay = { from: formatDate(day), to: formatDate(day) };
      return currency
        ? `${member.path}/performance?${new URLSearchParams({ link: link.token, group_by: "cost_type", currency, ...ofDay })}`
        : `${member.path}/links/${link.token}?${new URLSearchParams(ofDay)}`;
    },
  };
  const drawn = [...spendCharts(shown).slice(0, MOST_CHARTS), countChart(shown)].filter((one) => one !== "");
  return drawn.length === 0
    ? ""
    : html`<section class="card" aria-label="Charts"><div class="charts">${drawn}</div>${eventList(eventsOf(), partners)}</section>`;
}

function subLinks(context: Context, member: Member, view: LinkView): Markup | "" {
  const { row, subLinks, partners, silent, figures } = view;
  if (row.level === 4) return "";
  const rows = subLinks.slice(0, MOST_SUB_LINKS);
  const open = [...above(row).map(({ token }) => token), row.token].join();
  const days = keepDays(context.url).replace("?", "&");
  return html`
    <section aria-labelledby="sub-links">
      <div class="head">
        <h2 id="sub-links">Sub-links</h2>
        <p class="actions">
          ${rows.length > 0 ? html`<a href="${member.path}/links?open=${open}&archived=all${days}">Show in Links</a>` : ""}
          ${rows.length > 0 && row.level === 1 ? html`<a href="${unusedPath(member, row.token)}">Archive unused</a>` : ""}
          <a class="button secondary" href="${member.path}/links/new?parent=${row.token}">Create sub-link</a>
        </p>
      </div>
      ${
        rows.length === 0
          ? html`<p class="muted">No sub-links yet.</p>`
          : linksTable(
              { context, member, partners, silent, figures, isFlat: true },
              rows.map((row) => ({ row, lead: "" })),
            )
      }
      ${subLinks.length > MOST_SUB_LINKS ? html`<p class="hint">The first ${MOST_SUB_LINKS} of ${showCount(row.childCount)} by name.</p>` : ""}
    </section>`;
}
