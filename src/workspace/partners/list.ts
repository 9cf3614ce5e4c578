/** The Partners page of an app: what each partner may do, its links, its spend, and how complete its costs are. Problems come first. */
import { html } from "hono/html";
import { type Attachment, findAttachments } from "../../db/ledger/attention.ts";
import type { ReportRow } from "../../db/ledger/reports/sources.ts";
import { readSums } from "../../db/ledger/reports/sums.ts";
import type { Partner } from "../../db/links/partner-catalog.ts";
import { findOpenRounds } from "../../db/partner/status.ts";
import { COST_TYPES, type CostType, TYPES_PER_CLICK, toMask, toTypes } from "../../domain/cost-types.ts";
import { currenciesOf, toFigures } from "../../domain/figures/performance.ts";
import type { Context } from "../../env.ts";
import { readInput } from "../../http/input/input.ts";
import { withContact } from "../../pages/contact.ts";
import { partnerBadge, typeBadges } from "../../pages/costs/states.ts";
import { buttonLink, card, emptyState, facts, pageHead } from "../../pages/elements.ts";
import { type Column, firstRows, table } from "../../pages/lists/table.ts";
import { NONE, showCount, showPercent } from "../../pages/locale.ts";
import type { Markup } from "../../pages/markup.ts";
import { moneyText } from "../../pages/money.ts";
import { cutNotice, type Period, periodPicker, periodQuery, toPeriod } from "../../pages/periods.ts";
import { authorizeApp, type Member, type Show } from "../frame.ts";
import { keepDays } from "../links/cells.ts";
import { periodQuery as daysQuery } from "../links/query.ts";
import { COVERAGE } from "../performance/cells.ts";
import { addUp, describeType, type Row } from "../reports/lines.ts";
import { partnerLink } from "./link.ts";

export const partnersPage: Show = async (context, member) => {
  const view = await readPartners(context, member);
  const others = [...view.partners.values()].filter(({ id }) => !view.attachments.has(id));
  return {
    title: "Partners",
    body: html`
      ${pageHead("Partners")}
      ${periodPicker(context.url, view.period)}
      ${cutNotice(view.period, view.from)}
      ${partnersTable(context.url, member, view)}
      ${others.length > 0 ? otherPartners(context.url, member, view, others) : ""}`,
  };
};

interface PartnersView {
  period: Period;
  /** The first day that was read. */
  from: number;
  partners: ReadonlyMap<number, Partner>;
  attachments: Map<number, Attachment>;
  /** The cost types that are in an open round, by partner. */
  inRound: Map<number, CostType[]>;
  spend: Row[];
  engagements: ReportRow<"engagements">[];
}

async function readPartners(context: Context, { viewer, app }: Member): Promise<PartnersView> {
  const { query } = await readInput(context, { query: daysQuery });
  const period = toPeriod(query, context.now, app.firstDay);
  const { ledger } = context;
  const { from, to } = period;
  const found = await readSums(
    ledger,
    {
      whose: { viewer, appToken: app.token },
      parts: {
        spend: { report: "spend", from, to, groups: ["partner", "cost_type"] },
        engagements: { report: "engagements", from, to, groups: ["partner", "kind"] },
      },
      canBeCut: true,
    },
    {
      attachments: findAttachments(ledger.control, viewer, app.token),
      rounds: findOpenRounds(ledger.control, viewer, app.token),
    },
  );
  authorizeApp(found.access);
  const { attachments, rounds } = found.more;
  const byPartner = Map.groupBy(rounds, ({ partnerId }) => partnerId);
  return {
    period,
    partners: found.partners,
    attachments: new Map(attachments.map((attachment) => [attachment.partnerId, attachment])),
    inRound: new Map(
      [...byPartner].map(([id, open]) => [id, open.flatMap((round) => toTypes(round.costTypes))]),
    ),
    from: found.from,
    spend: found.rowsOf("spend"),
    engagements: found.rowsOf("engagements"),
  };
}

interface Line {
  partner: Partner;
  attachment: Attachment;
  inRound: CostType[];
  clicks: number;
  spend: Row[];
  /** Null without a priced cost per click, and for those of several currencies. */
  costPerClick: [units: bigint, currency: string] | null;
  /** In units of 0.00000001. Null without recorded clicks. */
  coverage: bigint | null;
}

const isPerClick = ({ costType }: Row) => costType !== null && TYPES_PER_CLICK.includes(costType);

function toLine(view: PartnersView, attachment: Attachment): Line[] {
  const { partnerId } = attachment;
  const partner = view.partners.get(partnerId);
  if (!partner) return [];
  const spend = view.spend.filter((row) => row.partnerId === partnerId);
  const engagements = view.engagements.filter((row) => row.partnerId === partnerId);
  const perClick = new Set(spend.filter(isPerClick).map(({ currency }) => currency));
  const [currency = null] = perClick;
  const { costPerClick, coverage, clicks } = toFigures(currency, spend, engagements);
  return [
    {
      partner,
      attachment,
      inRound: view.inRound.get(partnerId) ?? [],
      clicks: Number(clicks),
      spend,
      // Amounts of two currencies have no average.
      costPerClick:
        perClick.size === 1 && currency && costPerClick !== null ? [costPerClick, currency] : null,
      coverage,
    },
  ];
}

/** Stopped partners first, then those that send no costs, then the others; within these by clicks. */
function byUrgency(one: Line, other: Line): number {
  const rank = ({ partner }: Line) => (partner.stoppedAt !== null ? 0 : partner.supportsCostData ? 2 : 1);
  return rank(one) - rank(other) || other.clicks - one.clicks;
}

function partnersTable(url: URL, member: Member, view: PartnersView): Markup {
  const { path, env } = member;
  const days = periodQuery(view.period);
  const hrefOf = (page: string, query: Record<string, string>) =>
    `${path}/${page}?${new URLSearchParams({ ...days, ...query })}`;
  const lines = [...view.attachments.values()]
    .flatMap((attachment) => toLine(view, attachment))
    .sort(byUrgency);
  const { rows, more } = firstRows(url, lines);
  const columns: Column<Line>[] = [
    {
      heading: "Partner",
      cell: ({ partner, inRound, spend }) => html`
        ${partnerLink(member, partner, keepDays(url))}
        <details class="types"><summary>Cost types<span class="visually-hidden"> of ${partner.displayName}</span></summary>
          <p class="hint">${withContact(env, explain(partner, inRound))}</p>
          <p><a href="${path}/partners/${partner.id}/rejections">Rejected costs<span class="visually-hidden"> of ${partner.displayName}</span></a></p>
          ${facts(...COST_TYPES.map((type): [string, Markup] => [describeType(type), typeState(partner, inRound, spend, type)]))}
        </details>`,
    },
    {
      heading: "State",
      cell: ({ partner, inRound }) => partnerBadge({ ...partner, typesInRound: toMask(inRound) }),
    },
    {
      heading: "Links",
      kind: "number",
      cell: ({ partner, attachment: { links, costDataOn } }) => html`
        <a href="${hrefOf("links", { partner: String(partner.id) })}">${showCount(links)}</a>
        <div class="hint">cost data on: ${showCount(costDataOn)}</div>`,
    },
    { heading: "Clicks", kind: "number", cell: ({ clicks }) => showCount(clicks) },
    {
      heading: "Spend",
      kind: "number",
      cell: ({ partner, spend }) =>
        spendCell(spend, (currency) => hrefOf("performance", { partner_id: String(partner.id), currency })),
    },
    {
      heading: "Cost per click",
      kind: "number",
      cell: ({ costPerClick }) => (costPerClick ? moneyText(...costPerClick) : NONE),
    },
    {
      heading: "Coverage",
      kind: "number",
      cell: ({ coverage }) => (coverage === null ? NONE : showPercent(Number(coverage) / 1e8)),
    },
  ];
  const list = table({
    label: "Partners of this app",
    layout: "figures-in-row",
    columns,
    rows,
    empty: noPartner(path),
  });
  return html`
    ${list} ${more}
    ${lines.length === 0 ? "" : html`<p class="hint">${COVERAGE}</p>`}`;
}

function spendCell(spend: Row[], hrefOf: (currency: string) => string): Markup | string {
  const currencies = currenciesOf(spend);
  if (currencies.length === 0) return NONE;
  const unpriced = spend.reduce((sum, row) => sum + row.unpriced, 0);
  return html`${currencies.map((currency) => {
    const sums = addUp(
      currency,
      spend.filter((row) => row.currency === currency),
      [],
    );
    return html`<div><a href="${hrefOf(currency)}">${moneyText(sums.spend, currency)}</a></div>`;
  })}${unpriced > 0 ? html`<div class="hint">unpriced: ${showCount(unpriced)}</div>` : ""}`;
}

/** The state of a cost type, and how many of its costs have matched and how many of them have no amount yet. */
function typeState(partner: Partner, inRound: CostType[], spend: Row[], type: CostType): Markup {
  const rows = spend.filter((row) => row.costType === type);
  const counts = (["matched", "unpriced"] as const).flatMap((name) => {
    const count = rows.reduce((sum, row) => sum + row[name], 0);
    return count > 0 ? [`${showCount(count)} ${name}`] : [];
  });
  return html`${typeBadges({ ...partner, typesInRound: toMask(inRound) }, type)} ${counts.join(", ")}`;
}

const noPartner = (path: string) =>
  emptyState(
    "No link has a partner yet",
    "Open a link and attach a partner in its settings. Its clicks, impressions and costs appear here.",
    buttonLink(`${path}/links`, "Go to links"),
  );

function otherPartners(url: URL, member: Member, { inRound }: PartnersView, partners: Partner[]): Markup {
  const { rows, more } = firstRows(url, partners, "others");
  const columns: Column<Partner>[] = [
    { heading: "Partner", cell: (partner) => partnerLink(member, partner, keepDays(url)) },
    {
      heading: "State",
      cell: (partner) => partnerBadge({ ...partner, typesInRound: toMask(inRound.get(partner.id) ?? []) }),
    },
    {
      heading: "Cost types",
      cell: ({ integratedTypes }) =>
        toTypes(integratedTypes).join(", ") || html`<span class="muted">None</span>`,
    },
  ];
  return card(
    { id: "others", title: "Not attached to any link" },
    table({ label: "Other partners", columns, rows }),
    more,
  );
}

function explain(
  { displayName, stoppedAt, supportsCostData, integratedTypes }: Partner,
  inRound: CostType[],
): string {
  if (stoppedAt !== null)
    return `${displayName} is stopped, so its costs are rejected. Ask your operator to resume it.`;
  if (supportsCostData)
    return `${displayName} can send costs of these types: ${toTypes(integratedTypes).join(", ")}.`;
  return inRound.length > 0
    ? `${displayName} is testing its costs. They count once your operator approves the round.`
    : `${displayName} can't send costs yet. Its clicks and impressions count. Ask your operator for an integration round.`;
}
