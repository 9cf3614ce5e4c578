/** Records a click or an impression in the ledger, with the cost that its URL carries. */

import { insertEngagement, type NewEngagement } from "../db/ledger/engagements.ts";
import { countDropped } from "../db/links/destinations.ts";
import { findRecording } from "../db/links/links.ts";
import { KINDS_THAT_FIT, type Kind } from "../domain/cost-types.ts";
import { DAY_MS } from "../domain/time.ts";
import type { Context } from "../env.ts";
import type { InputError } from "../errors.ts";
import { parsePairs, readPairs } from "../http/input.ts";
import * as contract from "./contract.ts";

/** What became of an engagement, and the cost parameters of its URL that were bad and left out. */
export interface Recorded {
  recorded: boolean;
  /** One like it was there before: the first stands. */
  duplicate: boolean;
  dropped: string[];
}

/**
 * Committed when it resolves; with another `store`, handed to that. Only an engagement with a cost ID, on a link with a
 * partner, goes to the ledger.
 */
export async function recordEngagement(
  context: Context,
  linkToken: string,
  kind: Kind,
  store: (context: Context, engagement: NewEngagement) => Promise<boolean> = commit,
): Promise<Recorded> {
  const { costId, urlCost, dropped } = readUrlCost(context.url, kind);
  const nothing = { recorded: false, duplicate: false, dropped };
  if (costId === undefined && dropped.length === 0) return nothing;
  const link = await findRecording(context.env.DB, linkToken);
  if (!link) return nothing;
  if (dropped.length > 0) {
    const day = Math.floor(context.now / DAY_MS);
    // Counting must not cost the engagement.
    context.afterResponse(countDropped(context.env.DB, link.link_id, day, dropped));
  }
  if (costId === undefined || link.partner_id === null) return nothing;
  const first = await store(context, {
    partnerId: link.partner_id,
    costId,
    kind,
    appToken: link.app_token,
    linkId: link.link_id,
    occurredAt: context.now,
    eligible: link.eligible === 1,
    // Kept where cost data is off too: an integration round compares them with what is sent.
    urlCostType: urlCost.cost_type ?? null,
    urlCurrency: urlCost.cost_currency ?? null,
    urlAmount: urlCost.cost_amount ?? null,
  });
  return { recorded: true, duplicate: !first, dropped };
}

function commit({ ledger }: Context, engagement: NewEngagement): Promise<boolean> {
  return insertEngagement(ledger, engagement);
}

/** Bad parameters never fail a click. One bad one of a cost takes the others along: their meaning hangs together. */
function readUrlCost(url: URL, kind: Kind) {
  const idErrors: InputError[] = [];
  const costErrors: InputError[] = [];
  const pairs = readPairs(url.search.slice(1));
  const id = parsePairs(contract.engagementId, pairs, "same value", idErrors);
  let urlCost = parsePairs(contract.urlCost, pairs, "same value", costErrors);
  if (urlCost?.cost_type && !KINDS_THAT_FIT[urlCost.cost_type].includes(kind)) {
    costErrors.push({ param: "cost_type", message: `is not for a ${kind}` });
    urlCost = undefined;
  }
  const dropped = [...new Set([...idErrors, ...costErrors].map((fault) => fault.param))];
  return {
    costId: id?.cost_id,
    urlCost: costErrors.length > 0 ? {} : (urlCost ?? {}),
    dropped,
  };
}
