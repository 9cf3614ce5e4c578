/** The console's list of partners: searched, filtered, and ordered by its headings. */
import { html } from "hono/html";
import { MOST_PARTNERS, type PartnerFacts, readPartners } from "../../../db/operator/lists/partner-facts.ts";
import { DEFAULT_MAX_URL_AMOUNT, formatAmount } from "../../../domain/money.ts";
import { partnerStateOf } from "../../../domain/partner-state.ts";
import { STATES } from "../../../pages/costs/states.ts";
import { buttonLink, notice, pageHead } from "../../../pages/elements.ts";
import type { Option } from "../../../pages/forms/fields.ts";
import { noRows, readListView } from "../../../pages/lists/list.ts";
import { inOrder } from "../../../pages/lists/order.ts";
import { showCount } from "../../../pages/locale.ts";
import type { Show } from "../layout.ts";
import { PARTNER_ORDER, partnerTable, withSpend } from "./table.ts";

const isIn = (state: keyof typeof STATES) => (partner: PartnerFacts) => partnerStateOf(partner) === state;

/** Which partners a filter shows. */
const FILTERS: Record<string, [name: string, holds: (partner: PartnerFacts) => boolean]> = {
  ...Object.fromEntries(
    (Object.keys(STATES) as (keyof typeof STATES)[]).map((state) => [state, [STATES[state][0], isIn(state)]]),
  ),
  round: ["With an open round", ({ openRounds }) => openRounds.length > 0],
  "high-price": [
    `Prices on URLs above ${formatAmount(DEFAULT_MAX_URL_AMOUNT)}`,
    ({ maxUrlAmount }) => maxUrlAmount > DEFAULT_MAX_URL_AMOUNT,
  ],
  "no-limit": ["Prices on URLs without a limit a day", ({ isUnlimited }) => isUnlimited === 1],
};

const LIST = {
  path: "/operator/partners",
  nouns: ["partner", "partners"] as [string, string],
  search: "Name contains",
  sorts: {
    "-spend": "Highest spend",
    spend: "Lowest spend",
    name: "Name, A to Z",
    "-name": "Name, Z to A",
    "-change": "Highest rise",
    change: "Highest fall",
    "-coverage": "Highest coverage",
    coverage: "Lowest coverage",
    "-discrepancy": "Highest discrepancy",
    discrepancy: "Lowest discrepancy",
    "-created": "Newest first",
  },
  filters: [
    {
      name: "state",
      label: "State",
      options: [
        ["", "Any state"],
        ...Object.entries(FILTERS).map(([value, [name]]): Option => [value, name]),
      ] as Option[],
    },
  ],
};

export const partnersPage: Show = async (context) => {
  const q = (context.url.searchParams.get("q") ?? "").trim() || null;
  const found = await readPartners(context.ledger, context.now, { q });
  const list = await readListView(context, LIST, async (_, { sort, offset, limit }, { state = "" }) => {
    const [, holds = () => true] = FILTERS[state] ?? [];
    const rows = inOrder(withSpend(found.partners.filter(holds), found.spend), sort, PARTNER_ORDER);
    return { rows: rows.slice(offset, offset + limit), total: rows.length };
  });
  const none = notice(
    html`No partners yet. <a href="/operator/partners/new">Create the first one</a>, then open a round for it.`,
  );
  return {
    section: "Partners",
    body: html`
      ${pageHead("Partners", buttonLink("/operator/partners/new", "New partner", ""))}
      <p class="lead">A cost type goes live for a partner once it passes an integration round.</p>
      ${list.controls}
      ${found.partners.length === MOST_PARTNERS ? notice(`The first ${showCount(MOST_PARTNERS)} partners by name are listed. Search for a name to find others.`) : ""}
      ${found.spend ? "" : notice("The spend couldn't be added up: a database doesn't respond, or there are too many costs.", "warn")}
      ${partnerTable({ rows: list.rows, empty: noRows(list, none, "partners"), heading: list.heading })}
      ${list.pager}`,
  };
};
