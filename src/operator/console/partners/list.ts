/** The console's list of partners: searched, filtered, and ordered by its headings. */
import { html } from "hono/html";
import { MOST_PARTNERS, readPartners } from "../../../db/operator/lists/partner-facts.ts";
import { spendDays } from "../../../db/operator/lists/partner-spend.ts";
import { DEFAULT_MAX_URL_AMOUNT, formatAmount } from "../../../domain/money.ts";
import { partnerStateOf } from "../../../domain/partner-state.ts";
import { buttonLink, notice, pageHead } from "../../../pages/elements.ts";
import { noRows } from "../../../pages/lists/list.ts";
import { readPartnerList } from "../../../pages/lists/partners.ts";
import { describeDays, showCount } from "../../../pages/locale.ts";
import type { Show } from "../layout.ts";
import { ABOUT_TABLE, PARTNER_ORDER, partnerTable, whenCounted, withFigures } from "./table.ts";

export const partnersPage: Show = async (context) => {
  const q = (context.url.searchParams.get("q") ?? "").trim() || null;
  const found = await readPartners(context.ledger, context.now, { q });
  const list = await readPartnerList(context, {
    rows: withFigures(found),
    order: PARTNER_ORDER,
    sorts: {
      "-discrepancy": "Highest discrepancy",
      discrepancy: "Lowest discrepancy",
      "-created": "Newest first",
    },
    filters: {
      "no-round": ["Not set up yet", (row) => partnerStateOf(row) === "not_integrated"],
      round: ["With an open round", ({ openRounds }) => openRounds.length > 0],
      "high-price": [
        `Prices on URLs above ${formatAmount(DEFAULT_MAX_URL_AMOUNT)}`,
        ({ maxUrlAmount }) => maxUrlAmount > DEFAULT_MAX_URL_AMOUNT,
      ],
      "no-limit": ["Prices on URLs without a daily limit", ({ isUnlimited }) => isUnlimited === 1],
    },
  });
  const none = notice(
    html`No partners yet. <a href="/operator/partners/new">Create the first one</a>, then open a round for it.`,
  );
  return {
    section: "Partners",
    body: html`
      ${pageHead("Partners", buttonLink("/operator/partners/new", "New partner", ""))}
      <div class="toolbar"><p class="muted">Spend and coverage of ${describeDays(spendDays(context.now))}, UTC</p>${list.controls}</div>
      ${found.partners.length === MOST_PARTNERS ? notice(`The first ${showCount(MOST_PARTNERS)} partners by name are listed. Search for a name to find others.`) : ""}
      ${found.spend ? "" : notice("The spend couldn't be added up: a database doesn't respond, or there are too many costs.", "warn")}
      ${partnerTable({ rows: list.rows, empty: noRows(list, none, "partners"), heading: list.heading })}
      ${list.pager}
      ${list.rows.length === 0 ? "" : html`<p class="hint">${ABOUT_TABLE} ${whenCounted(found.partners, context.now)}</p>`}`,
  };
};
