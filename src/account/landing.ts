/** The landing page: what the product is, for visitors. */

import { html } from "hono/html";
import { COST_WINDOW } from "../domain/texts.ts";
import type { Context } from "../env.ts";
import { servedStyles } from "../http/served-file.ts";
import { badge } from "../pages/elements.ts";
import { pageResponse } from "../pages/frame.ts";
import { scaleMoney, showAmount } from "../pages/locale.ts";
import type { Markup } from "../pages/markup.ts";
import stylesheet from "./landing.css";

export const landingStyles = servedStyles("/landing.css", stylesheet);

export function landingPage(context: Context): Promise<Response> {
  return pageResponse(context, {
    title: "Links and ad costs",
    styles: [landingStyles.href],
    body: html`
      <h1>Campaign links, and what every click costs</h1>
      <p class="lead">linkledger creates the links of your app campaigns, records clicks and impressions, and matches each cost that an ad partner reports to the click or impression behind it.</p>
      <p class="actions">
        <a class="button" href="/login">Sign in</a>
        <a class="button secondary" href="/docs">Read the documentation</a>
      </p>
      ${showcase()}
      <div class="grid three">
        <section class="card">
          <h2>Members</h2>
          <p>Create links for networks, campaigns, ad groups and creatives. See the spend of each by day and partner, in every currency.</p>
          <p><a href="/docs/members">Member guide</a></p>
        </section>
        <section class="card">
          <h2>Partners</h2>
          <p>Send the cost of a click or impression within ${COST_WINDOW}. One response lists everything that is wrong with a request.</p>
          <p><a href="/partner">Partner sign-in</a> · <a href="/docs/partners">Partner guide</a></p>
        </section>
        <section class="card">
          <h2>Operators</h2>
          <p>Test each partner in an integration round before its costs count. An audit log has every change.</p>
          <p><a href="/docs/operators">Operator guide</a></p>
        </section>
      </div>`,
  });
}

/** The spend of each day of the example in USD, with each of the two partners. */
const DAYS = [
  [132, 54],
  [144, 60],
  [126, 84],
  [162, 72],
  [186, 90],
  [114, 48],
  [102, 54],
  [156, 96],
  [174, 108],
  [198, 102],
  [216, 126],
  [204, 144],
  [144, 78],
  [132, 72],
  [228, 120],
  [246, 156],
  [264, 144],
  [282, 174],
  [258, 186],
  [186, 102],
  [168, 96],
  [294, 168],
  [312, 198],
  [300, 216],
  [336, 204],
  [348, 228],
  [246, 132],
  [222, 144],
  [360, 222],
  [366, 210],
] as const;
const SCALE_TOP = 600;

/** The product on example data. */
function showcase(): Markup {
  const bars = DAYS.map(([acme, delta], day) => {
    const bar = (partner: number, below: number, amount: number) =>
      html`<rect class="series-${partner}" x="${day * 10 + 1}" y="${SCALE_TOP - below - amount}" width="8" height="${amount}"/>`;
    return html`${bar(1, 0, acme)}${bar(2, acme, delta)}`;
  });
  const totalOf = (partner: 0 | 1) =>
    showAmount(String(DAYS.reduce((sum, day) => sum + day[partner], 0)), "USD");
  const entry = (partner: 0 | 1, name: string) => html`
    <li><svg viewBox="0 0 1 1" aria-hidden="true"><rect class="series-${partner + 1}" width="1" height="1"/></svg>${name} <span class="muted">${totalOf(partner)}</span></li>`;
  return html`
    <section class="card" aria-labelledby="showcase">
      <div class="head"><h2 id="showcase">Spend by day</h2>${badge("Example")}</div>
      <figure class="chart" aria-labelledby="showcase">
        <div class="scale" aria-hidden="true"><span>${scaleMoney("USD", SCALE_TOP)(SCALE_TOP)}</span></div>
        <svg class="plot" viewBox="0 0 ${DAYS.length * 10} ${SCALE_TOP}" preserveAspectRatio="none" role="img" aria-label="Example chart: in 30 days, the daily spend with two partners grows from $186 to $576.">
          <line x1="0" y1="${SCALE_TOP / 2}" x2="${DAYS.length * 10}" y2="${SCALE_TOP / 2}"/>
          ${bars}
        </svg>
        <div class="scale" aria-hidden="true"><span>1 Jun</span><span>30 Jun</span></div>
        <ul class="legend">${entry(0, "Acme Ads")}${entry(1, "Delta Ads")}</ul>
      </figure>
      <dl class="details">
        <dt>Highest link</dt>
        <dd>Acme Ads › Summer › Video 15s, <span class="muted">${showAmount("2310.5", "USD")}</span></dd>
        <dt>Matched costs</dt>
        <dd>41,908, <span class="muted">99.2% priced</span></dd>
      </dl>
    </section>`;
}
