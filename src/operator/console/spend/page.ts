/** The spend of all apps by partner, of one partner by app, and the costs that wait for their click or impression. */
import { html } from "hono/html";
import * as z from "zod/mini";
import { findPartnerChanges } from "../../../db/ledger/reports/events.ts";
import type { ReportRow } from "../../../db/ledger/reports/sources.ts";
import { readSums } from "../../../db/ledger/reports/sums.ts";
import { listAppsWithArchived, listAppTokens } from "../../../db/operator/apps.ts";
import { listPartnerNames } from "../../../db/operator/partners.ts";
import { listPendingSpend, type PendingSpend } from "../../../db/operator/pending.ts";
import { sumOf } from "../../../domain/figures/performance.ts";
import { sumAdjusted, sumSpend } from "../../../domain/money.ts";
import { type DayRange, dayOf, formatDate } from "../../../domain/time.ts";
import { idText } from "../../../http/input/fields.ts";
import { chartScript } from "../../../pages/chart/chart.ts";
import { costCharts, mostCharts } from "../../../pages/costs/day-charts.ts";
import { breadcrumb, card, nameText, notice, pageHead } from "../../../pages/elements.ts";
import { chartEvents, eventList } from "../../../pages/events.ts";
import { readFilters, withQuery } from "../../../pages/lists/query.ts";
import { table } from "../../../pages/lists/table.ts";
import { describeDays, NONE, showCount, showShare } from "../../../pages/locale.ts";
import type { Markup } from "../../../pages/markup.ts";
import { changeText, moneyText } from "../../../pages/money.ts";
import {
  comparedDays,
  cutNotice,
  daysBefore,
  finality,
  NOT_OVER,
  NOT_READ,
  periodChecks,
  periodFields,
  periodPicker,
  rejectedDates,
  toPeriod,
} from "../../../pages/periods.ts";
import { stateOf, toEvents, withStates } from "../../../usecases/events.ts";
import { badField } from "../../api/common.ts";
import type { Show } from "../layout.ts";

const fields = z.strictObject({ ...periodFields, partner_id: z.optional(idText) }).check(...periodChecks);

export const spendPage: Show = async ({ ledger, env, now, url }) => {
  const asked = readFilters(url, fields);
  const period = toPeriod(asked, now);
  const [tokens, apps, partners, pending] = await Promise.all([
    listAppTokens(env.DB),
    listAppsWithArchived(env.DB),
    listPartnerNames(env.DB),
    listPendingSpend(ledger, now),
  ]);
  const partner = partners.find(({ id }) => id === asked.partner_id);
  if (asked.partner_id !== undefined && !partner)
    throw badField("partner_id", "This partner does not exist.");
  const read = (days: DayRange) =>
    readSums(
      ledger,
      {
        whose: { apps: tokens },
        filters: { partnerId: partner?.id },
        parts: { spend: { report: "spend", ...days, groups: ["day", "partner"] } },
        canBeCut: true,
      },
      { partnerChanges: findPartnerChanges(env.DB, partner?.id ?? null, days) },
    );
  const compared = comparedDays(period, now);
  const isOver = compared?.now.to === period.to;
  const found = await read(period);
  const isRead = found.from <= period.from;
  const earlier = isOver && isRead ? await read(compared.before) : undefined;
  const rows = found.rowsOf("spend");
  const before =
    earlier && earlier.from <= (compared?.before.from ?? 0) ? earlier.rowsOf("spend") : undefined;
  const names: Names = partner
    ? new Map(apps.map(({ token, name }) => [token, { name, href: `/operator/apps/${token}` }]))
    : new Map(
        partners.map(({ id, name }) => [
          String(id),
          { name, href: withQuery(url, { partner_id: String(id) }) },
        ]),
      );
  const toKey = (row: ReportRow<"spend">) => (partner ? row.appToken : String(row.partnerId));
  const currencies = toCurrencies(rows, before, toKey);
  const title = partner ? html`Spend of ${nameText(partner.name)} by app` : "Spend by partner";
  const named = new Map(partners.map(({ id, name }) => [id, { displayName: name }]));
  const all = [...rows, ...(before ?? [])];
  const eventsOf = (currency: string) => {
    const isOfPartner = (id: number) => all.some((row) => row.partnerId === id && row.currency === currency);
    const { events } = toEvents(found.more, { isOfPartner, currency });
    const states = partners.filter(({ id }) => isOfPartner(id)).map((one) => stateOf(one, one));
    return withStates(events, states, period);
  };
  const chartOf = (currency: string) => {
    const events = eventsOf(currency);
    const chart = costCharts({
      ...{ name: "Spend", by: partner ? "app" : "partner" },
      keyOf: toKey,
      nameOf: (key) => names.get(key)?.name ?? key,
      days: { from: Math.max(period.from, found.from), to: period.to },
      ...{ today: dayOf(now), rows, before, currencies: [currency] },
      hrefOf: (day) => withQuery(url, { period: null, from: formatDate(day), to: formatDate(day) }),
      events: chartEvents(events, named),
    });
    return html`${chart}${eventList(events, named, (id) => `/operator/partners/${id}`)}`;
  };
  return {
    section: "Spend",
    scripts: [chartScript.href],
    ...(rejectedDates(url) && { status: 400 }),
    body: html`
      ${partner ? breadcrumb([["Spend", withQuery(url, { partner_id: null })]], partner.name) : ""}
      ${pageHead(title)}
      ${periodPicker(url, period)}
      ${cutNotice(period, found.from)}
      <p class="hint">${before ? `Compared with ${describeDays(daysBefore(period))}.` : isOver ? NOT_READ : NOT_OVER} ${finality(period, now)} ${partner ? "" : "In all apps, with adjustments."}</p>
      ${currencies.length === 0 ? notice("No matched costs in this period.") : ""}
      ${currencies.map((one, index) =>
        currencySection(
          one,
          names,
          partner ? "App" : "Partner",
          index < mostCharts(period) ? chartOf(one.currency) : "",
        ),
      )}
      ${partner ? html`<p><a href="/operator/partners/${partner.id}">Partner page</a></p>` : pendingSection(pending)}`,
  };
};

type Names = Map<string, { name: string; href: string }>;

interface Line {
  key: string;
  spend: bigint;
  /** Of the days before; undefined if they are not compared. */
  before: bigint | undefined;
  adjusted: bigint;
  matched: number;
  unpriced: number;
}

interface Currency {
  currency: string;
  /** The highest spend first. */
  lines: Line[];
  total: Line;
}

type ToKey = (row: ReportRow<"spend">) => string;

/** The currency with the most costs first. */
function toCurrencies(
  rows: ReportRow<"spend">[],
  before: ReportRow<"spend">[] | undefined,
  toKey: ToKey,
): Currency[] {
  const earlier = Map.groupBy(before ?? [], ({ currency }) => currency);
  return [...Map.groupBy(rows, ({ currency }) => currency)]
    .map(([currency, ofCurrency]) => {
      const last = Map.groupBy(earlier.get(currency) ?? [], toKey);
      const lines = [...Map.groupBy(ofCurrency, toKey)]
        .map(([key, own]) => toLine(key, own, before && (last.get(key) ?? [])))
        .sort((one, other) => (one.spend < other.spend ? 1 : -1));
      return { currency, lines, total: toLine("", ofCurrency, before && (earlier.get(currency) ?? [])) };
    })
    .sort((one, other) => other.total.matched - one.total.matched);
}

const toLine = (key: string, rows: ReportRow<"spend">[], before: ReportRow<"spend">[] | undefined): Line => ({
  key,
  spend: sumSpend(rows),
  before: before && sumSpend(before),
  adjusted: sumAdjusted(rows),
  matched: sumOf(rows, (row) => row.matched),
  unpriced: sumOf(rows, (row) => row.unpriced),
});

function currencySection(
  { currency, lines, total }: Currency,
  names: Names,
  heading: string,
  chart: Markup | "",
): Markup {
  const name = ({ key }: Line) => {
    const found = names.get(key);
    return found ? html`<a href="${found.href}">${nameText(found.name)}</a>` : key;
  };
  const number = (heading: string, cell: (line: Line) => Markup | string, onPhone?: 3 | 4 | 5) => ({
    ...{ heading, kind: "number" as const, cell },
    ...(onPhone && { onPhone }),
  });
  const hasAdjustments = lines.some(({ adjusted }) => adjusted !== 0n);
  return html`
    <section class="card" aria-labelledby="spend-${currency}">
    <h2 id="spend-${currency}" class="${chart === "" ? "" : "visually-hidden"}">${currency}</h2>
    ${chart}
    ${table({
      label: `Spend in ${currency}`,
      layout: "figures-in-row",
      rows: lines,
      total,
      columns: [
        { heading, cell: (line) => (line === total ? "Total" : name(line)) },
        number("Spend", ({ spend }) => moneyText(spend, currency), 5),
        number("Change", ({ spend, before }) => (before === undefined ? NONE : changeText(spend, before)), 4),
        number("Share", ({ spend }) => showShare(spend, total.spend), 3),
        hasAdjustments &&
          number("Adjusted", ({ adjusted }) => (adjusted === 0n ? NONE : moneyText(adjusted, currency))),
        number("Costs", ({ matched }) => showCount(matched)),
        total.unpriced > 0 && number("Costs without amount", ({ unpriced }) => showCount(unpriced)),
      ],
    })}
    </section>`;
}

/** More rows than this are closed. */
const MOST_PENDING = 5;

function pendingSection(pending: PendingSpend[]): Markup {
  const rows = pendingTable(pending);
  return card(
    { id: "pending", title: "Pending costs" },
    html`<p class="muted">${pending.length === 0 ? "No pending costs." : "These costs don't have a matching click or impression yet. They don't count for any app."}</p>`,
    pending.length > MOST_PENDING
      ? html`<details><summary>${showCount(pending.length)} rows</summary>${rows}</details>`
      : rows,
  );
}

const pendingTable = (pending: PendingSpend[]): Markup | string =>
  table({
    label: "Pending costs by partner",
    rows: pending,
    columns: [
      {
        heading: "Partner",
        cell: ({ partnerId, partner }) =>
          html`<a href="/operator/partners/${partnerId}/costs?match=pending">${nameText(partner)}</a>`,
      },
      { heading: "Costs", kind: "number", onPhone: 4, cell: ({ count }) => showCount(count) },
      {
        heading: "Amount",
        kind: "number",
        onPhone: 4,
        cell: ({ rows, currency }) => moneyText(sumSpend(rows), currency),
      },
    ],
  });
