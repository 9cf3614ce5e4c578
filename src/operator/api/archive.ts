/** `GET /operator/v1/archive`: reads back what the purge has deleted from the ledger. */
import * as z from "zod/mini";
import { operatorOperation } from "../../auth/guards.ts";
import { type FoundCost, findArchived, TooMuchToRead } from "../../db/archive/find.ts";
import { COST_TYPES } from "../../domain/cost-types.ts";
import { RETENTION } from "../../domain/texts.ts";
import type { Context } from "../../env.ts";
import { AppError, ConfigurationError } from "../../errors.ts";
import { envelopeV1, jsonResponse } from "../../http/envelope.ts";
import { idText, storedCostId, utcDate } from "../../http/input/fields.ts";
import { itemsV1, timestamp } from "../../http/response-schemas.ts";
import { logError } from "../../log.ts";
import { lookUp } from "../../usecases/costs/read.ts";
import { badField } from "./common.ts";

const money = z.nullable(z.string());
const costType = z.enum(COST_TYPES);
const kind = z.enum(["click", "impression"]);

const engagement = z.nullable(
  z.strictObject({
    app_token: z.string(),
    link_token: z.nullable(z.string()),
    occurred_at: timestamp,
    cost_data_enabled: z.boolean(),
    url_price: z
      .nullable(
        z.strictObject({
          cost_type: z.nullable(costType),
          currency: z.nullable(z.string()),
          amount: money,
          counts: z.boolean().with(z.describe("Whether the price is a cost while no call matches")),
        }),
      )
      .with(z.describe("The price on the URL")),
    country: z.string().with(z.describe("ISO 3166-1 alpha-2, `XX` if it is not known")),
    platform: z.string(),
  }),
);

const archivedCost = z
  .strictObject({
    partner_id: z.int(),
    cost_id: z.string(),
    call: z
      .nullable(
        z.strictObject({
          cost_type: costType,
          currency: z.string(),
          amount: money.with(z.describe("null if the call had none")),
          tag: z.nullable(z.string()),
          received_at: z.nullable(timestamp),
        }),
      )
      .with(
        z.describe("The call, or the values that a void removed: `received_at` is null for a price on a URL"),
      ),
    void_state: z
      .nullable(z.enum(["voided", "lifted"]))
      .with(z.describe("`voided`: nothing counts. `lifted`: a call after a void counts")),
    click: engagement,
    impression: engagement,
    counts: z
      .array(
        z.strictObject({
          source: z.enum(["call", "url"]),
          state: z.enum(["matched", "pending", "unpriced"]),
          kind: z.nullable(kind),
          app_token: z.nullable(z.string()),
          link_token: z.nullable(z.string()),
          day: z.string().with(z.meta({ format: "date" })),
          cost_type: costType,
          currency: z.string(),
          amount: money,
        }),
      )
      .with(z.describe("What the totals include permanently")),
    expired_at: timestamp.with(z.describe("When the ID was forgotten, or would have been")),
    replaced_at: z.nullable(timestamp).with(z.describe("When another call replaced this one")),
    object: z.string().with(z.describe("The object in the bucket that has this line")),
  })
  .with(z.meta({ id: "ArchivedCost" }));

export const archiveQuery = z.strictObject({
  partner_id: idText,
  cost_id: storedCostId,
  day: z
    .optional(utcDate)
    .with(
      z.describe(
        "A day in UTC on which the call, the click or the impression happened. Default: all days, if there are not too many",
      ),
    ),
});

/** Returns the archived rows of an ID. Throws an AppError if there are none. */
export async function readArchived(
  { ledger, requestId }: Context,
  { partner_id: partnerId, cost_id, ...query }: z.output<typeof archiveQuery>,
): Promise<FoundCost[]> {
  const { archive } = ledger;
  const day = query.day ?? null;
  if (!archive) throw new AppError("archive_not_bound");
  let missing = 0;
  const known = await lookUp(cost_id, async (costId) => {
    const read = await findArchived(ledger, archive, { partnerId, costId }, day).catch((error) => {
      if (error instanceof TooMuchToRead)
        throw badField(
          "day",
          day === null
            ? "is required: the archive is too large to search all days"
            : "has too many objects in the archive. Read them with a tool, as on /docs/archive",
        );
      if (error instanceof ConfigurationError) throw error;
      logError(requestId, error);
      throw new AppError("unavailable", "The archive did not respond. Resend the request.", {
        headers: { "retry-after": "5" },
      });
    });
    missing += read.missing;
    return read.costs.length > 0 ? read.costs : undefined;
  });
  if (known) return known.found;
  const gone = missing > 0 ? ` The bucket no longer has ${missing} of the objects that could have it.` : "";
  throw new AppError(
    "not_found",
    `The archive has no cost with this ID. A cost is archived about ${RETENTION} after its newest click or impression; until then the ledger has it.${gone}`,
  );
}

const findCost = operatorOperation({
  method: "GET",
  path: "/operator/v1/archive",
  id: "readArchive",
  summary: "Find a cost in the archive",
  description:
    "Costs, clicks and impressions that the purge has deleted, with everything that proves what counted. An ID that was used again, or whose call was replaced, has several items.",
  input: { query: archiveQuery },
  responses: {
    200: { description: "What is archived of the ID, oldest first", schema: itemsV1(archivedCost) },
  },
  errors: ["archive_not_bound", "not_found"],
  handle: async (context, _operator, { query }) =>
    jsonResponse(envelopeV1(context, await readArchived(context, query))),
});

export const operations = [findCost];
