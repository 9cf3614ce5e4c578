/** `/partner/missing`: the clicks and impressions of the last days that have no matching cost, as a page and as CSV. */
import { html } from "hono/html";
import * as z from "zod/mini";
import type { SignedInPartner } from "../../auth/partner-sessions.ts";
import { MAX_KEYS } from "../../db/ledger/key-pages.ts";
import { listMissingCosts, type MissingCost } from "../../db/partner/missing-costs.ts";
import { showInvisible } from "../../domain/characters.ts";
import { COST_TYPE, TYPES_WITH_DISCREPANCY, toMask } from "../../domain/cost-types.ts";
import { RATE_DAYS } from "../../domain/figures/rates.ts";
import { describeFits } from "../../domain/texts.ts";
import { toIso } from "../../domain/time.ts";
import type { Context } from "../../env.ts";
import { csvResponse, toCsv } from "../../http/csv.ts";
import { pageQuery } from "../../http/input/fields.ts";
import { readInput } from "../../http/input/input.ts";
import { pagingV2 } from "../../http/paging.ts";
import { buttonLink, emptyState, pageHead } from "../../pages/elements.ts";
import { type Column, table } from "../../pages/lists/table.ts";
import { showCount } from "../../pages/locale.ts";
import { time } from "../../pages/markup.ts";
import { MISSING_COLUMNS } from "../../usecases/costs/batch.ts";
import { report, withLedger } from "../frame.ts";

const PATH = "/partner/missing";
const PAGE_SIZE = 50;
const FILE_SIZE = 1_000;

const contract = {
  query: z.strictObject({ cursor: z.optional(z.string()), limit: pageQuery.shape.limit }),
  paged: "by text" as const,
};

/** The cursors of the page and of the file are those of one list. */
const readQuery = (context: Context) => {
  const url = new URL(PATH, context.url);
  url.search = context.url.search;
  return readInput({ ...context, url }, contract);
};

const find = (context: Context, partner: SignedInPartner, range: { after: string | null; limit: number }) => {
  const types = partner.integratedTypes & toMask(TYPES_WITH_DISCREPANCY);
  return listMissingCosts(context.ledger, { partnerId: partner.partnerId, types }, range, context.now);
};

export const missingPage = withLedger("/partner", async (context, partner, caller) => {
  // The list is found by the partner's ID, which the database has just read for the session.
  caller.authorize(partner);
  const { query, range } = await readQuery(context);
  const { items, next } = await find(context, partner, { ...range, limit: PAGE_SIZE });
  const cursor = next === null ? null : pagingV2(context, range, { next }).cursor;
  const withCursor = (path: string, at: string | null | undefined) =>
    at ? `${path}?${new URLSearchParams({ cursor: at })}` : path;
  return {
    title: "Without a matching cost",
    body: html`
        ${pageHead("Clicks and impressions without a matching cost")}
        <p class="lead">Those of the last ${RATE_DAYS} days with cost data on. Each click should have a ${typesOf("click")} cost and each impression a ${typesOf("impression")} cost, if you have integrated that type. To correct one, send its cost with the same cost ID.</p>
        ${table({
          label: "Clicks and impressions without a matching cost",
          hasHeading: true,
          columns: COLUMNS,
          rows: items,
          empty:
            next === null
              ? emptyState(
                  "Nothing is missing",
                  range.after === null
                    ? "Every click and impression has a matching cost."
                    : "No more on this page.",
                  buttonLink("/partner", "Back to overview"),
                )
              : html`<p class="notice">All of the ${showCount(MAX_KEYS / 2)} IDs that this page read have a matching cost. There may be more on the next page.</p>`,
        })}
        <p class="actions">
          ${range.after === null ? "" : buttonLink(PATH, "First page")}
          ${cursor === null ? "" : buttonLink(withCursor(PATH, cursor), "Next page")}
          ${items.length > 0 ? html`<a href="${withCursor(`${PATH}.csv`, query.cursor)}">Download CSV</a> <span class="hint">Up to ${showCount(FILE_SIZE)} IDs, starting with the first one on this page.</span>` : ""}
        </p>`,
  };
});

const typesOf = (kind: MissingCost["kind"]) =>
  TYPES_WITH_DISCREPANCY.filter((type) => COST_TYPE[type].fits[0] === kind).join(" or ");

const COLUMNS: Column<MissingCost>[] = [
  { heading: "Cost ID", cell: ({ costId }) => html`<span class="id-cell">${showInvisible(costId)}</span>` },
  { heading: "Kind", cell: ({ kind }) => (kind === "click" ? "Click" : "Impression") },
  { heading: "Recorded", cell: ({ occurredAt }) => time(toIso(occurredAt)) },
  { heading: "Link", cell: ({ linkToken }) => (linkToken === null ? "" : html`<code>${linkToken}</code>`) },
  {
    heading: "Why",
    cell: ({ costId, state }) =>
      state === null
        ? REASONS.none
        : html`<a href="/partner/costs/${encodeURIComponent(costId)}">${REASONS[state]}</a>`,
  },
];

const REASONS: Record<NonNullable<MissingCost["state"]> | "none", string> = {
  none: "No cost with this ID",
  matched: "The cost differs from the URL",
  unpriced: "The cost has no amount",
  pending: `The cost doesn't match: ${describeFits()}`,
  voided: "The cost was voided",
};

export const missingFile = withLedger(
  "/partner",
  report(async (context, partner, caller) => {
    caller.authorize(partner);
    const { range } = await readQuery(context);
    const { items } = await find(context, partner, { ...range, limit: FILE_SIZE });
    const rows = items.map(({ costId, kind, occurredAt, linkToken, state, costType }) => [
      ...[costId, kind, toIso(occurredAt), linkToken],
      ...[REASONS[state ?? "none"], costType],
    ]);
    return csvResponse(toCsv(MISSING_COLUMNS, rows), "without-cost.csv");
  }),
);
