/** `/apps`: a card for each app of the signed-in user. */
import { html } from "hono/html";
import type { Session } from "../auth/sessions.ts";
import type { OwnApp } from "../db/accounts/sessions.ts";
import type { Viewer } from "../db/accounts/viewers.ts";
import type { ReportRow } from "../db/ledger/reports/sources.ts";
import { readSums } from "../db/ledger/reports/sums.ts";
import { currenciesOf } from "../domain/figures/performance.ts";
import { sumSpend } from "../domain/money.ts";
import { type DayRange, dayOf } from "../domain/time.ts";
import type { Context } from "../env.ts";
import { redirectResponse } from "../http/redirect.ts";
import { operatorContact } from "../pages/contact.ts";
import { nameText, notice } from "../pages/elements.ts";
import { pageResponse } from "../pages/frame.ts";
import { noRows, readListView } from "../pages/lists/list.ts";
import { showCount } from "../pages/locale.ts";
import type { Markup } from "../pages/markup.ts";
import { changeText, moneyText } from "../pages/money.ts";
import { daysBefore, type Period, toPeriod } from "../pages/periods.ts";
import { toViewer } from "./frame.ts";

const LIST = {
  path: "/apps",
  nouns: ["app", "apps"] as [string, string],
  search: "Name or token contains",
  sorts: { name: "Name", "-spend": "Most spend", "-clicks": "Most clicks" },
};

export async function appsPage(context: Context, session: Session): Promise<Response> {
  const apps = session.apps.filter((app) => app.archivedAt === null);
  const [only, ...others] = apps;
  if (only && others.length === 0) return redirectResponse(`/apps/${only.token}`);
  return pageResponse(context, {
    title: "Apps",
    user: session,
    body: html`
      <h1>Apps</h1>
      ${apps.length > 0 ? await cards(context, session, apps) : session.apps.length > 0 ? onlyArchived(context, session) : noApps(context, session)}`,
  });
}

function onlyArchived({ env }: Context, { apps }: Session): Markup {
  return html`
    <section class="card">
      <h2>All your apps are archived</h2>
      <p>You can still open them. Ask ${operatorContact(env)} to restore an app or to add you to another one.</p>
      <ul>${apps.map(({ token, name }) => html`<li><a href="/apps/${token}">${name}</a></li>`)}</ul>
    </section>`;
}

function noApps({ env }: Context, { role }: Session): Markup {
  return html`
    <section class="card">
      <h2>You don't have access to any apps yet</h2>
      ${
        role === "operator"
          ? html`<p>Add yourself to an app as a member to see its links and spend here.</p>
            <p><a class="button" href="/operator/apps">Go to apps in the operator console</a></p>`
          : html`<p>Ask ${operatorContact(env)} to add you to an app. Tell them the email address that you sign in with.</p>`
      }
    </section>`;
}

interface Card {
  app: OwnApp;
  period: Period;
  figures: Figures;
}
interface Figures {
  /** Whether the days before were read too. */
  isCompared: boolean;
  /** By currency, in units of 0.00000001. */
  spend: Map<string, [now: bigint, before: bigint]>;
  clicks: [now: number, before: number];
}

async function cards(context: Context, session: Session, apps: OwnApp[]): Promise<Markup> {
  const today = dayOf(context.now);
  const { from } = daysBefore(toPeriod({}, context.now));
  const tokens = apps.map(({ token }) => token);
  const totals = await readTotals(context, toViewer(context, session), tokens, { from, to: today });
  const all = apps.map((app): Card => {
    const period = toPeriod({}, context.now, app.firstDay);
    return {
      app,
      period: { ...period, from: Math.max(period.from, totals.from) },
      figures: figuresOf(app, period, totals),
    };
  });
  const [main = ""] = currenciesOf(totals.spend);
  const sizes = {
    name: () => 0n,
    "-spend": ({ figures }: Card) => figures.spend.get(main)?.[0] ?? 0n,
    "-clicks": ({ figures }: Card) => BigInt(figures.clicks[0]),
  };
  const list = await readListView(context, LIST, async (_, { sort, offset, limit }, { q = "" }) => {
    const text = q.toLowerCase();
    const found = all.filter(({ app }) => `${app.name} ${app.token}`.toLowerCase().includes(text));
    const sorted = found.toSorted((one, other) => Number(sizes[sort](other) - sizes[sort](one)));
    return { rows: sorted.slice(offset, offset + limit), total: found.length };
  });
  return html`
    ${totals.from > from ? notice("Your apps have too much data to add up for all of these days. Open an app to see more.") : ""}
    ${apps.length > FEW_APPS ? list.controls : ""}
    ${list.rows.length > 0 ? html`<ul class="grid cards">${list.rows.map(card)}</ul>` : noRows(list, html``, "apps")}
    ${list.pager}`;
}

/** So many apps are seen without a search. */
const FEW_APPS = 3;

interface Totals {
  spend: ReportRow<"spend">[];
  engagements: ReportRow<"engagements">[];
  /** The first day that was read. */
  from: number;
}

/** The totals of all apps by day, by app and currency, and by app and kind. */
async function readTotals(
  { ledger }: Context,
  viewer: Viewer,
  apps: string[],
  days: DayRange,
): Promise<Totals> {
  const found = await readSums(ledger, {
    whose: { viewer, apps },
    parts: {
      spend: { report: "spend", ...days, groups: ["day"] },
      engagements: { report: "engagements", ...days, groups: ["day", "kind"] },
    },
    canBeCut: true,
  });
  return { spend: found.rowsOf("spend"), engagements: found.rowsOf("engagements"), from: found.from };
}

/** What the app has in the days of the period, and in those before. */
function figuresOf({ token }: OwnApp, period: Period, { spend, engagements, from }: Totals): Figures {
  const before = daysBefore(period);
  const isIn = ({ from, to }: DayRange, day: number | null) => day !== null && from <= day && day <= to;
  const own = spend.filter(({ appToken, day }) => appToken === token && isIn(period, day));
  const spentIn = (days: DayRange, currency: string) =>
    sumSpend(
      spend.filter((row) => row.appToken === token && row.currency === currency && isIn(days, row.day)),
    );
  const clicksIn = (days: DayRange) =>
    engagements
      .filter(({ appToken, kind, day }) => appToken === token && kind === "click" && isIn(days, day))
      .reduce((sum, { count }) => sum + count, 0);
  return {
    isCompared: from <= before.from,
    spend: new Map(
      currenciesOf(own).map((currency) => [currency, [spentIn(period, currency), spentIn(before, currency)]]),
    ),
    clicks: [clicksIn(period), clicksIn(before)],
  };
}

function card({ app, period, figures }: Card): Markup {
  const isOver = period.preset !== "today";
  const days = isOver ? `last ${period.to - period.from + 1} days` : "today so far";
  const change = ([now, before]: [bigint, bigint]) =>
    isOver && figures.isCompared && now + before > 0n ? html` ${changeText(now, before)}` : "";
  const spent = [...figures.spend].map(
    ([currency, sums]) => html`<div>${moneyText(sums[0], currency)}${change(sums)}</div>`,
  );
  return html`
    <li class="card">
      <h2><a href="/apps/${app.token}">${nameText(app.name)}</a></h2>
      <dl class="details">
        <dt>Spend, ${days}</dt>
        <dd>${spent.length === 0 ? "None" : spent}</dd>
        <dt>Clicks, ${days}</dt>
        <dd>${showCount(figures.clicks[0])}${change([BigInt(figures.clicks[0]), BigInt(figures.clicks[1])])}</dd>
        <dt>Network links</dt><dd>${showCount(app.linkCount)}</dd>
      </dl>
      <p><a href="/apps/${app.token}/performance">Performance<span class="visually-hidden"> of ${app.name}</span></a></p>
    </li>`;
}
