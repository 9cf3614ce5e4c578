/** What the costs of a partner add up to in the last complete days, in all apps, and what happened then. */
import { html } from "hono/html";
import { findPartnerChanges } from "../../../db/ledger/reports/events.ts";
import { readSums } from "../../../db/ledger/reports/sums.ts";
import { listAppTokens } from "../../../db/operator/apps.ts";
import { spendDays } from "../../../db/operator/lists/partner-spend.ts";
import type { PartnerRow } from "../../../db/operator/partners.ts";
import type { FoundRates } from "../../../db/operator/rates.ts";
import { currenciesOf, hasTooFewClicks, shareOf, toFigures } from "../../../domain/figures/performance.ts";
import { dayOf, formatDate } from "../../../domain/time.ts";
import type { Context } from "../../../env.ts";
import { costCharts } from "../../../pages/costs/day-charts.ts";
import { coverageBadge } from "../../../pages/costs/states.ts";
import { buttonLink, card, type Tile, tiles } from "../../../pages/elements.ts";
import { chartEvents, eventList } from "../../../pages/events.ts";
import { describeDays, NONE, showCount, showPlural, showPrice } from "../../../pages/locale.ts";
import type { Markup } from "../../../pages/markup.ts";
import { changeText, moneyText } from "../../../pages/money.ts";
import { cutNotice, daysBefore, finality, NOT_READ } from "../../../pages/periods.ts";
import { stateOf, toEvents, withStates } from "../../../usecases/events.ts";

/** `now` in milliseconds since 1970. Reads the days that the lists of partners show. */
export async function readPartnerSpend({ ledger, now }: Context, partnerId: number) {
  const days = spendDays(now);
  const before = daysBefore(days);
  const spend = { report: "spend", groups: ["day", "cost_type"] } as const;
  const counts = { report: "engagements", groups: ["kind"] } as const;
  const found = await readSums(
    ledger,
    {
      whose: { apps: await listAppTokens(ledger.control) },
      filters: { partnerId },
      parts: {
        spend: { ...spend, ...days },
        counts: { ...counts, ...days },
        spendBefore: { ...spend, ...before },
        countsBefore: { ...counts, ...before },
      },
      canBeCut: true,
    },
    { changes: findPartnerChanges(ledger.control, partnerId, { ...days, to: dayOf(now) }) },
  );
  const isCompared = found.from <= before.from;
  return {
    days: { from: Math.max(days.from, found.from), to: days.to },
    cut: cutNotice(days, found.from),
    changes: found.more.changes,
    spend: found.rowsOf("spend"),
    counts: found.rowsOf("counts"),
    before: isCompared
      ? { days: before, spend: found.rowsOf("spendBefore"), counts: found.rowsOf("countsBefore") }
      : undefined,
  };
}

type PartnerSpend = Awaited<ReturnType<typeof readPartnerSpend>>;

export function spendSection(
  partner: PartnerRow,
  read: PartnerSpend,
  { days }: FoundRates,
  now: number,
): Markup {
  const path = `/operator/partners/${partner.id}`;
  const { events: logged } = toEvents(
    {
      partnerChanges: read.changes,
      rejected: days.flatMap(({ rejected }) =>
        rejected.map(({ day, code, count }) => ({
          ...{ partnerId: partner.id, code, count },
          ...{ first: day, last: day, isLater: 0 },
        })),
      ),
    },
    { isOfPartner: () => true, currency: null },
  );
  const events = withStates(logged, [stateOf(partner, partner)], { ...read.days, to: dayOf(now) });
  const partners = new Map([[partner.id, partner]]);
  return card(
    {
      id: "spend",
      title: "Spend",
      aside: html`<p class="actions"><span class="muted">${describeDays(read.days)}, UTC</span> <a href="/operator/spend?partner_id=${partner.id}">Spend by app</a> <a href="/operator/adjustments/new?partner_id=${partner.id}">Adjust spend</a></p>`,
    },
    read.cut,
    tiles("Figures", figures(partner, read)),
    html`<p class="hint">${read.before ? `Compared with ${describeDays(read.before.days)}.` : NOT_READ} In all apps, with adjustments. ${finality(read.days, now)}</p>`,
    costCharts({
      name: "Spend",
      by: "cost type",
      keyOf: ({ costType }) => costType ?? "",
      nameOf: (costType) => costType,
      days: read.days,
      today: dayOf(now),
      rows: read.spend,
      before: read.before?.spend,
      currencies: currenciesOf(read.spend),
      hrefOf: (day) => `${path}/costs?day=${formatDate(day)}`,
      events: chartEvents(events, partners),
    }),
    eventList(events, partners),
    html`<p class="actions">
      ${buttonLink(`${path}/costs`, "Costs")}
      ${buttonLink(`${path}/costs?match=pending`, "Pending costs")}
      ${buttonLink(`${path}/rejections`, "Rejected costs")}
    </p>`,
  );
}

/** Of clicks; of impressions for a partner that has only those. `recorded`: what it is of. */
export function coverageOf({ spend, counts }: PartnerSpend) {
  const { coverage, impressionCoverage, recorded } = toFigures(null, spend, counts);
  return coverage === null
    ? { coverage: shareOf(impressionCoverage), recorded: Number(recorded.impression) }
    : { coverage: shareOf(coverage), recorded: Number(recorded.click) };
}

function figures({ id }: PartnerRow, { spend, counts, before }: PartnerSpend): Tile[] {
  const earlier = before ?? { spend: [], counts: [] };
  const change = (now: bigint | null, previous: bigint | null, isPrice = false): Markup | string =>
    !before || now === null || !previous ? "" : changeText(now, previous, { isPrice });
  const money = currenciesOf(spend, earlier.spend).flatMap((currency): Tile[] => {
    const now = toFigures(currency, spend, counts);
    const previous = toFigures(currency, earlier.spend, earlier.counts);
    return [
      {
        name: `Spend in ${currency}`,
        value: moneyText(now.spend, currency),
        href: `/operator/spend?partner_id=${id}#spend-${currency}`,
        note: change(now.spend, previous.spend),
      },
      {
        name: `Cost per click in ${currency}`,
        value: now.costPerClick === null ? NONE : moneyText(now.costPerClick, currency, showPrice),
        note: change(now.costPerClick, previous.costPerClick, !hasTooFewClicks(now)),
      },
    ];
  });
  const { clicks, coverage, recorded } = toFigures(null, spend, counts);
  return [
    ...(money.length === 0 ? [{ name: "Spend", value: "None" }] : money),
    {
      name: "Clicks",
      value: showCount(clicks ?? 0n),
      note: change(clicks, toFigures(null, [], earlier.counts).clicks),
    },
    {
      name: "Coverage",
      value: coverageBadge(shareOf(coverage), Number(recorded.click)),
      note: `of ${showPlural(Number(recorded.click), "click")}`,
    },
  ];
}
