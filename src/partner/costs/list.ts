/** `/partner/costs`: the partner's costs, and those that were rejected, as a page and as CSV. */

import { html } from "hono/html";
import * as z from "zod/mini";
import type { CostCaller } from "../../auth/guards.ts";
import type { SignedInPartner } from "../../auth/partner-sessions.ts";
import { MATCHES, type MatchFilter } from "../../db/ledger/cost-list.ts";
import { RETENTION } from "../../domain/texts.ts";
import type { Context } from "../../env.ts";
import { toCsv } from "../../http/csv.ts";
import { type Parsed, readInput } from "../../http/input/input.ts";
import { costFilters, costList, costListQuery, sentTo, toFilter, toRange } from "../../pages/costs/list.ts";
import { rejectionTable } from "../../pages/costs/rejections.ts";
import { pager } from "../../pages/lists/controls.ts";
import { searchScript } from "../../pages/lists/search.ts";
import { showCount } from "../../pages/locale.ts";
import { type CostItem, costsResponse } from "../../usecases/costs/item.ts";
import { type FoundCosts, findCosts } from "../../usecases/costs/listed.ts";
import { listOwnCosts, listOwnRejections } from "../../usecases/costs/read.ts";
import { checkPosition, KEPT_REJECTIONS, rejectionsResponse } from "../../usecases/costs/rejection-item.ts";
import { report, withFrame } from "../frame.ts";

const PATH = "/partner/costs";
const FILE_SIZE = 1_000;

const STATES = [...MATCHES, "rejected"] as const;

const contract = {
  query: z.object({
    ...costListQuery,
    match: z.optional(z.enum(STATES, `must be one of ${STATES.join(", ")}`)),
  }),
};
type Query = Parsed<typeof contract>["query"];

export const costsPage = withFrame(
  PATH,
  report(async (context, partner, caller) => {
    const { query, sent } = await readQuery(context);
    const list: Shown = { path: PATH, sent, states: [["rejected", "Rejected"]] };
    const { content, count } =
      query.match === "rejected"
        ? await rejectedList(context, caller, query, list)
        : await acceptedList(context, partner, caller, query, list);
    return {
      title: "Costs",
      scripts: [searchScript.href],
      body: html`
        <h1>Costs</h1>
        ${content}
        ${count > 0 ? html`<p><a href="${PATH}.csv?${sent}">Download CSV</a> <span class="hint">Up to ${showCount(FILE_SIZE)} costs, starting with the first one on this page.</span></p>` : ""}`,
    };
  }),
);

type Shown = Omit<Parameters<typeof costFilters>[0], "query">;

async function acceptedList(
  context: Context,
  partner: SignedInPartner,
  caller: CostCaller,
  query: Query,
  list: Shown,
) {
  const found = await find(context, partner, caller, query);
  const empty = html`
    <section class="card">
      <p>No costs yet. Costs are listed here until ${RETENTION} after their click or impression.</p>
      <p class="actions"><a class="button" href="/partner/setup">Set up costs</a> <a class="button secondary" href="/partner/upload">Upload costs</a></p>
    </section>`;
  return {
    content: costList({ ...list, query, found, hrefOf: pathOfCost, empty }),
    count: found.items.length,
  };
}

async function rejectedList(context: Context, caller: CostCaller, query: Query, list: Shown) {
  const { items, next } = await findRejected(context, caller, query, toRange(query));
  const more = new URLSearchParams(list.sent);
  if (next !== null) more.set("after", next);
  const content = html`
    ${costFilters(list)}
    <p class="muted">The newest first. ${KEPT_REJECTIONS}</p>
    ${rejectionTable("Rejected costs", items, html`<p class="notice">No costs match these filters.</p>`, pathOfCost)}
    ${pager(null, next === null ? null : `${PATH}?${more}`)}`;
  return { content, count: items.length };
}

export const costsFile = withFrame(
  PATH,
  report(async (context, partner, caller) => {
    const { query } = await readQuery(context);
    if (query.match === "rejected") {
      const { items } = await findRejected(context, caller, query, toRange(query, FILE_SIZE));
      return rejectionsResponse(items, toCsv);
    }
    return costsResponse((await find(context, partner, caller, query, FILE_SIZE)).items, toCsv);
  }),
);

async function readQuery(context: Context) {
  const url = new URL(context.url);
  const sent = sentTo(url);
  url.search = sent.toString();
  return { sent, ...(await readInput({ ...context, url }, contract)) };
}

/** The day is that on which they were sent. */
const findRejected = (
  context: Context,
  caller: CostCaller,
  query: Query,
  { after, limit }: { after: string | null; limit: number },
) => {
  const { prefix, day } = toFilter(query);
  return listOwnRejections(
    context,
    caller,
    checkPosition({ after, limit, prefix: prefix || null, day }, "after"),
  );
};

type Filter = ReturnType<typeof toFilter> & { match: MatchFilter | null };

async function find(
  context: Context,
  partner: SignedInPartner,
  caller: CostCaller,
  query: Query,
  limit?: number,
): Promise<FoundCosts> {
  const match = query.match === "rejected" ? null : (query.match ?? null);
  const filter = { ...toFilter(query), match, appToken: null, linkId: null };
  const range = toRange(query, limit);
  if (caller.mode === "test") return findOfRound(context, caller, filter, range);
  const { found, credential } = await findCosts(
    context,
    { partnerId: partner.partnerId, tokenHash: caller.tokenHash },
    filter,
    range,
  );
  // The page of a search is found by the partner's ID, which the database has just read for the session.
  caller.authorize(range.after === null ? credential : partner);
  return found;
}

/** The costs of a round, which are few and add up to nothing. */
async function findOfRound(
  context: Context,
  caller: CostCaller,
  { match, day, prefix, costType, amountOver }: Filter,
  { order, offset, limit }: ReturnType<typeof toRange>,
): Promise<FoundCosts> {
  const all = { after: null, limit: Number.POSITIVE_INFINITY };
  const { items } = await listOwnCosts(context, caller, { match, day }, all);
  const amountOf = ({ amount }: CostItem) => Number(amount ?? -1);
  const listed = items.filter(
    (item) =>
      item.cost_id.startsWith(prefix) &&
      item.cost_type === (costType ?? item.cost_type) &&
      (amountOver === null || amountOf(item) * 100_000 > amountOver),
  );
  const timeOf = ({ received_at }: CostItem) => Date.parse(received_at ?? "");
  const rankOf = { newest: timeOf, highest: amountOf, cost_id: () => 0 }[order];
  const shown = listed.sort((one, other) => rankOf(other) - rankOf(one)).slice(offset, offset + limit);
  const counted = [...Map.groupBy(listed, (item) => item.match)];
  return {
    items: shown.map((item) => ({ ...item, app_token: null })),
    sums: counted.map(([state, same]) => ({ match: state, currency: null, count: same.length, amount: 0n })),
  };
}

const pathOfCost = (costId: string) => `${PATH}/${encodeURIComponent(costId)}`;
