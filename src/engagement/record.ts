/** Reads what the URL of a click or an impression says, and records the engagement. */

import * as z from "zod/mini";
import { type Recorded, recordOne } from "../db/ledger/engagements.ts";
import { KINDS_THAT_FIT, type Kind } from "../domain/cost-types.ts";
import type { OpenedLink } from "../domain/costs.ts";
import { type DropReason, LEVEL_PARAMETERS } from "../domain/sub-links.ts";
import type { Context } from "../env.ts";
import { amount, costId, costType, currency, isMacro } from "../http/input/fields.ts";
import { type Pair, readPairs } from "../http/input/pairs.ts";
import { createLinkToken, linkName } from "../usecases/links/link.ts";

/** Records an engagement now. Returns undefined if its link does not exist. */
export function recordEngagement(
  context: Context,
  linkToken: string,
  kind: Kind,
): Promise<Recorded | undefined> {
  return recordOne(context.ledger, readOpened(context, linkToken, kind), context.now);
}

/**
 * Reads the parameters of the URL (spec §2.2). Invalid ones never fail a click: they are dropped, each with a reason. One
 * invalid parameter of a price drops all of the price.
 */
export function readOpened({ url, now }: Context, linkToken: string, kind: Kind): OpenedLink {
  const pairs = readPairs(url.search.slice(1));
  const dropped: [string, DropReason][] = [];
  const read = <T>(parameter: string, field: z.ZodMiniType<T, string>): T | null => {
    const { value, reason } = readParameter(pairs, parameter, field);
    if (reason) dropped.push([parameter, reason]);
    return value;
  };
  const id = read("cost_id", costId);
  const droppedBefore = dropped.length;
  const type = read("cost_type", costType);
  const urlCurrency = read("cost_currency", currency);
  const urlAmount = read("cost_amount", amount);
  const doesFit = type === null || KINDS_THAT_FIT[type].includes(kind);
  if (!doesFit) dropped.push(["cost_type", "invalid"]);
  const isPriceValid = dropped.length === droppedBefore;
  const hasPrice = isPriceValid && type !== null && urlCurrency !== null && urlAmount !== null;
  return {
    linkToken,
    kind,
    occurredAt: now,
    costId: id ?? (hasPrice ? `url-${crypto.randomUUID()}` : null),
    isGenerated: id === null,
    urlCostType: isPriceValid ? type : null,
    urlCurrency: isPriceValid ? urlCurrency : null,
    urlAmount: isPriceValid ? urlAmount : null,
    subLinks: LEVEL_PARAMETERS.map((parameter) => {
      const { value, reason } = readParameter(pairs, parameter, linkName);
      return { name: value, reason, token: value === null ? "" : createLinkToken() };
    }),
    dropped,
  };
}

/** The valid value of a parameter, or why it cannot be used. An empty parameter is like a missing one. */
function readParameter<T>(pairs: Pair[], parameter: string, field: z.ZodMiniType<T, string>) {
  const found = pairs.filter(({ name, value, isUtf8 }) => name === parameter && (value !== "" || !isUtf8));
  if (found.length === 0) return { value: null, reason: null };
  const reject = (reason: DropReason) => ({ value: null, reason });
  if (found.some(({ isUtf8 }) => !isUtf8)) return reject("invalid");
  if (found.some(({ value }) => isMacro(value))) return reject("unfilled_macro");
  const parsed = found.map(({ value }) => z.safeParse(field, value));
  const values = new Set(parsed.map((result) => (result.success ? result.data : undefined)));
  const [value] = values;
  if (values.has(undefined) || value === undefined) return reject("invalid");
  return values.size > 1 ? reject("repeated") : { value, reason: null };
}
