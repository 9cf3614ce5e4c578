/** The partner ad-cost interface (spec §4.7). */
import { readTokenHash, unauthorized } from "../auth/guards.ts";
import * as ledger from "../db/ledger.ts";
import type { Context } from "../env.ts";
import { AppError, type Fault } from "../errors.ts";
import { jsonResponse } from "../http/envelope.ts";
import {
  decodeUtf8,
  MAX_BODY_BYTES,
  mediaType,
  parsePairs,
  readBody,
  readPairs,
  refuseFaults,
} from "../http/input.ts";
import { formatAmount } from "../http/money.ts";
import type { Route } from "../http/router.ts";
import * as contract from "./contract.ts";
import { COST_WINDOW_MS, judgeCost } from "./rules.ts";

export const costRoutes: Route[] = [{ path: "/cost", methods: { POST: submitCost } }];

async function submitCost(context: Context): Promise<Response> {
  const tokenHash = readTokenHash(context, ["live", "test"]);
  const cost = await readCost(context).catch(async (error) => {
    await admitCredential(context, tokenHash);
    throw error;
  });
  const { situations, stored } = await ledger.submitCosts(context.env.DB, {
    tokenHash,
    costs: [cost],
    now: context.now,
    windowMs: COST_WINDOW_MS,
  });
  const [situation] = situations;
  if (!situation) throw unauthorized();
  const verdict = judgeCost(cost, situation.credential, situation.engagements, situation.prior, context.now);
  // What was judged and what was written are the same rules, in two languages. Were they ever not, nobody is told "ok".
  if ((verdict.outcome === "store") !== stored.length > 0)
    throw new Error("the ledger and the rules disagree");
  if (verdict.outcome === "refuse") throw new AppError(verdict.reason);
  return jsonResponse({
    status: "ok",
    cost_id: cost.costId,
    match: verdict.match ? "matched" : "pending",
    duplicate: verdict.outcome === "duplicate",
    amount: verdict.amount === null ? null : formatAmount(verdict.amount),
    request_id: context.requestId,
  });
}

/** The faults of a request are told only to whom it may concern. */
async function admitCredential(context: Context, tokenHash: string): Promise<void> {
  const credential = await ledger.findCredential(context.env.DB, tokenHash);
  if (!credential) throw unauthorized();
  if (credential.revoked) throw new AppError("credential_revoked");
}

/** Parameters come from the query string, a form body, or both. */
async function readCost(context: Context): Promise<ledger.Cost> {
  const faults: Fault[] = [];
  const body = await readBody(context.request, MAX_BODY_BYTES);
  if (body.byteLength > 0 && mediaType(context.request) !== "application/x-www-form-urlencoded") {
    throw new AppError(
      "unsupported_media_type",
      "Send the parameters in the query string or as a form body.",
    );
  }
  const form = decodeUtf8(body);
  if (form === undefined) faults.push({ param: "body", message: "must be UTF-8" });
  const pairs = [...readPairs(context.url.search.slice(1), faults), ...readPairs(form ?? "", faults)];
  const sent = parsePairs(contract.cost, pairs, "same value", faults);
  refuseFaults(faults);
  if (!sent) throw new Error("a cost without faults was not read");
  return {
    costId: sent.cost_id,
    costType: sent.cost_type,
    currency: sent.cost_currency,
    amount: sent.cost_amount ?? null,
    tag: sent.tag,
  };
}
