/** `/apps`: a card for each app of the signed-in user. */
import { html } from "hono/html";
import type { Session } from "../auth/sessions.ts";
import type { OwnApp } from "../db/accounts/sessions.ts";
import { findOwnTotals } from "../db/ledger/reports/reports.ts";
import { ifNotTooLarge } from "../db/ledger/reports/too-large.ts";
import { currenciesOf } from "../domain/figures/performance.ts";
import { sumSpend } from "../domain/money.ts";
import { dayOf } from "../domain/time.ts";
import type { Context } from "../env.ts";
import { redirectResponse } from "../http/redirect.ts";
import { operatorContact } from "../pages/contact.ts";
import { pageResponse } from "../pages/frame.ts";
import { showCount, showMoney } from "../pages/locale.ts";
import type { Markup } from "../pages/markup.ts";
import { toViewer } from "./frame.ts";

const DAYS = 7;

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

async function cards(context: Context, session: Session, apps: OwnApp[]): Promise<Markup> {
  const today = dayOf(context.now);
  const days = { from: today - DAYS + 1, to: today };
  const tokens = apps.map(({ token }) => token);
  const totals = await ifNotTooLarge(findOwnTotals(context.ledger, toViewer(context, session), days, tokens));
  const { spend, engagements } = totals ?? { spend: [], engagements: [] };
  const card = (app: OwnApp) => {
    const own = spend.filter(({ appToken }) => appToken === app.token);
    const spent = currenciesOf(own).map((currency) =>
      showMoney(sumSpend(own.filter((row) => row.currency === currency)), currency),
    );
    const clicks = engagements.find(({ appToken, kind }) => appToken === app.token && kind === "click");
    return html`
      <li class="card">
        <h2><a href="/apps/${app.token}">${app.name}</a></h2>
        <dl class="details">
          ${
            totals
              ? html`
                <dt>Spend, last ${DAYS} days</dt>
                <dd>${spent.length === 0 ? "None" : spent.map((amount) => html`<div>${amount}</div>`)}</dd>
                <dt>Clicks, last ${DAYS} days</dt><dd>${showCount(clicks?.count ?? 0)}</dd>`
              : ""
          }
          <dt>Network links</dt><dd>${showCount(app.linkCount)}</dd>
        </dl>
        <p><a href="/apps/${app.token}/performance">Performance<span class="visually-hidden"> of ${app.name}</span></a></p>
      </li>`;
  };
  return html`
    ${totals ? "" : html`<p class="notice">Your apps have too many clicks and costs to add them up here. Open an app to see its figures.</p>`}
    <ul class="grid cards">${apps.map(card)}</ul>`;
}
