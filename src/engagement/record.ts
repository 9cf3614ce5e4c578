/** Records a click or an impression in the ledger, with the price on its URL. */

import * as z from "zod/mini";
import { insertEngagement, type NewEngagement } from "../db/ledger/engagements.ts";
import { countDropped } from "../db/links/destinations.ts";
import { findRecording } from "../db/links/links.ts";
import { KINDS_THAT_FIT, type Kind } from "../domain/cost-types.ts";
import { dayOf } from "../domain/time.ts";
import type { Context } from "../env.ts";
import type { InputError } from "../errors.ts";
import { amount, costId, costType, currency } from "../http/fields.ts";
import { parsePairs, readPairs } from "../http/input.ts";

/** An unfilled macro is the same for every click, so it cannot identify one. */
const filledId = costId.check(z.refine((id) => !/^(\{.*\}|\[.*\]|%%.*%%)$/.test(id), "is an unfilled macro"));

/** The cost parameters on the URL of a click or impression (spec §2.2). */
const engagementId = z.object({ cost_id: z.optional(filledId) });
const urlCostInput = z.object({
  cost_type: z.optional(costType),
  cost_currency: z.optional(currency),
  cost_amount: z.optional(amount),
});

/** The result for an engagement. `dropped` names the invalid cost parameters of its URL. */
export interface Recorded {
  recorded: boolean;
  /** The ledger already had an engagement with this partner, cost ID and kind. The first one counts. */
  duplicate: boolean;
  dropped: string[];
}

/**
 * Records an engagement that has a cost ID and whose link has a partner. By default it is committed when the promise
 * resolves; `store` can hand it to a queue instead.
 */
export async function recordEngagement(
  context: Context,
  linkToken: string,
  kind: Kind,
  store: (context: Context, engagement: NewEngagement) => Promise<boolean> = commit,
): Promise<Recorded> {
  const { costId, urlCost, dropped } = readUrlCost(context.url, kind);
  const notRecorded = { recorded: false, duplicate: false, dropped };
  if (costId === undefined && dropped.length === 0) return notRecorded;
  const link = await findRecording(context.env.DB, linkToken);
  if (!link) return notRecorded;
  if (dropped.length > 0) {
    const day = dayOf(context.now);
    // Not awaited: a failure to count must not lose the engagement.
    context.afterResponse(countDropped(context.env.DB, link.linkId, day, dropped));
  }
  if (costId === undefined || link.partnerId === null) return notRecorded;
  const isFirst = await store(context, {
    partnerId: link.partnerId,
    costId,
    kind,
    appToken: link.appToken,
    linkId: link.linkId,
    occurredAt: context.now,
    eligible: link.eligible === 1,
    // Stored even if cost data is off: an integration round compares them with the submitted costs.
    urlCostType: urlCost.cost_type ?? null,
    urlCurrency: urlCost.cost_currency ?? null,
    urlAmount: urlCost.cost_amount ?? null,
  });
  return { recorded: true, duplicate: !isFirst, dropped };
}

function commit({ ledger }: Context, engagement: NewEngagement): Promise<boolean> {
  return insertEngagement(ledger, engagement);
}

/** Reads the cost parameters. Invalid ones never fail a click; one invalid parameter of a price drops all of them. */
function readUrlCost(url: URL, kind: Kind) {
  const idErrors: InputError[] = [];
  const costErrors: InputError[] = [];
  const pairs = readPairs(url.search.slice(1));
  const id = parsePairs(engagementId, pairs, "same value", idErrors);
  let urlCost = parsePairs(urlCostInput, pairs, "same value", costErrors);
  if (urlCost?.cost_type && !KINDS_THAT_FIT[urlCost.cost_type].includes(kind)) {
    costErrors.push({ param: "cost_type", message: `does not apply to ${kind}s` });
    urlCost = undefined;
  }
  const dropped = [...new Set([...idErrors, ...costErrors].map((error) => error.param))];
  return {
    costId: id?.cost_id,
    urlCost: costErrors.length > 0 ? {} : (urlCost ?? {}),
    dropped,
  };
}
