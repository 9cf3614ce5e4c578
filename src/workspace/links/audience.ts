/** The section of a link's page about the countries and platforms of its clicks and costs. */
import { html } from "hono/html";
import type { Viewer } from "../../db/accounts/viewers.ts";
import type { ReportRow } from "../../db/ledger/reports/sources.ts";
import { readSums } from "../../db/ledger/reports/sums.ts";
import type { Ledger } from "../../db/ledger/shards.ts";
import { currenciesOf, type Figures, toFigures } from "../../domain/figures/performance.ts";
import { MAX_AUDIENCE_DAYS } from "../../http/input/report-fields.ts";
import { countryName, platformName } from "../../pages/costs/audience.ts";
import { card } from "../../pages/elements.ts";
import { firstRows, table } from "../../pages/lists/table.ts";
import { NONE, showCount, showList, showShare } from "../../pages/locale.ts";
import type { Markup } from "../../pages/markup.ts";
import { cutNotice, type Period } from "../../pages/periods.ts";
import { figure, spendIn } from "../performance/cells.ts";

export interface LinkAudience {
  spend: ReportRow<"spend">[];
  counts: ReportRow<"engagements">[];
  period: Period;
  /** The first day that was read. */
  from: number;
}

/** Undefined if the days are more than the reports cover. */
export async function readAudience(
  ledger: Ledger,
  viewer: Viewer,
  appToken: string,
  link: string,
  period: Period,
): Promise<LinkAudience | undefined> {
  const { from, to } = period;
  if (to - from >= MAX_AUDIENCE_DAYS.link) return undefined;
  const found = await readSums(ledger, {
    whose: { viewer, appToken },
    filters: { link },
    parts: {
      spend: { report: "spend", from, to, groups: ["cost_type", "country", "platform"] },
      counts: { report: "engagements", from, to, groups: ["kind", "country", "platform"] },
    },
    canBeCut: true,
  });
  return { spend: found.rowsOf("spend"), counts: found.rowsOf("counts"), period, from: found.from };
}

type Key = "country" | "platform";
const NAMES = { country: countryName, platform: platformName };
const HEADINGS = { country: "Country", platform: "Platform" };

interface Line {
  key: string | null;
  figures: Figures;
}

/** `hrefOf`: the figures of the link in Performance. */
export function audienceSection(
  url: URL,
  audience: LinkAudience | undefined,
  hrefOf: (query: Record<string, string>) => string,
): Markup {
  const [currency, ...others] = currenciesOf(audience?.spend ?? []);
  const isEmpty = audience?.spend.length === 0 && audience.counts.length === 0;
  const content = !audience
    ? html`<p class="muted">Choose at most ${MAX_AUDIENCE_DAYS.link} days to see countries and platforms.</p>`
    : isEmpty
      ? html`<p class="muted">No clicks, impressions or costs in this period.</p>`
      : html`
          ${cutNotice(audience.period, audience.from)}
          ${audienceTable(url, audience, "country", (currency) => hrefOf({ group_by: "country", currency }))}
          ${audienceTable(url, audience, "platform", (currency) => hrefOf({ group_by: "platform", currency }))}
          <p class="hint">${others.length > 0 ? `Costs in ${showList(others)} are left out. ` : ""}Cloudflare estimates the country, and the browser names the platform. For clicks sent by a server, both are unknown unless the URL has them. Adjustments have neither. <a href="/docs/privacy">What is stored</a></p>`;
  return card(
    { id: "audience", title: `Countries and platforms${currency ? `, in ${currency}` : ""}` },
    content,
  );
}

function audienceTable(
  url: URL,
  { spend, counts }: LinkAudience,
  by: Key,
  hrefOf: (currency: string) => string,
): Markup {
  const [currency = null] = currenciesOf(spend);
  const keys = new Set([...spend, ...counts].map((row) => row[by] ?? null));
  const of = <Row extends Partial<Record<Key, string | null>>>(rows: Row[], key: string | null) =>
    rows.filter((row) => (row[by] ?? null) === key);
  const lines = [...keys]
    .map((key): Line => ({ key, figures: toFigures(currency, of(spend, key), of(counts, key)) }))
    .sort((one, other) => compare(one, other));
  const total = toFigures(currency, spend, counts);
  const clicks = total.clicks ?? 0n;
  const { rows, more } = firstRows(url, lines, by);
  return html`
    ${table<Line>({
      label: `Clicks and spend by ${by}`,
      layout: "compact",
      columns: [
        { heading: HEADINGS[by], cell: ({ key }) => NAMES[by](key) },
        { heading: "Clicks", kind: "number", cell: ({ figures }) => showCount(Number(figures.clicks)) },
        {
          heading: "Share",
          kind: "number",
          isMinor: currency !== null,
          cell: ({ figures }) => (clicks === 0n ? NONE : showShare(figures.clicks ?? 0n, clicks)),
        },
        total.impressions !== 0n && {
          heading: "Impressions",
          kind: "number",
          isMinor: currency !== null,
          cell: ({ figures }) => showCount(Number(figures.impressions)),
        },
        currency !== null && {
          heading: "Spend",
          kind: "number",
          cell: ({ figures }) => spendIn(figures, currency, hrefOf),
        },
        currency !== null && {
          heading: "Cost per click",
          kind: "number",
          cell: ({ figures }) => figure("cost_per_click", figures, currency),
        },
      ],
      rows,
    })}
    ${more}`;
}

/** The most clicks first, and adjustments last. */
function compare(one: Line, other: Line): number {
  if (one.key === null || other.key === null) return one.key === null ? 1 : -1;
  const clicks = Number((other.figures.clicks ?? 0n) - (one.figures.clicks ?? 0n));
  const spend = other.figures.spend - one.figures.spend;
  return clicks || (spend === 0n ? (one.key < other.key ? -1 : 1) : spend > 0n ? 1 : -1);
}
