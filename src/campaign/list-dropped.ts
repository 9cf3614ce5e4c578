/** `GET …/trackers/{link_token}/dropped`: the parameters of a link's URLs that were not used. Beyond the specification. */
import * as z from "zod/mini";
import { userOperation } from "../auth/guards.ts";
import { addDroppedInShards } from "../db/ledger/attention.ts";
import * as db from "../db/links/links.ts";
import { DROP_REASONS, type DropReason } from "../domain/engagements/sub-links.ts";
import { RETENTION } from "../domain/texts.ts";
import { DAY_MS, dayOf, formatDate, RETENTION_MS } from "../domain/time.ts";
import { envelopeV1, jsonResponse } from "../http/envelope.ts";
import { itemsV1 } from "../http/response-schemas.ts";
import { authorizeLink, linkPath, toLinkScope } from "./common.ts";

/** Engagements are kept for this many days. */
const DAYS = RETENTION_MS / DAY_MS;

export const listDropped = userOperation({
  method: "GET",
  path: "/public/v1/apps/:app_token/trackers/:link_token/dropped",
  id: "listDroppedParameters",
  summary: "List the parameters that were dropped from the URLs of a link",
  description: `Counts of the last ${RETENTION} by UTC day, parameter and reason, latest day first. The parameter \`engagement\` counts clicks and impressions that were not recorded: those that a queue delivered too late, on the day on which they were dropped, and those of bots. \`/docs/rules#why-a-parameter-is-dropped\` says what the reasons mean.`,
  input: { path: linkPath },
  responses: {
    200: {
      description: "The counts",
      schema: itemsV1(
        z.strictObject({
          day: z.string(),
          param: z.string(),
          reason: z.enum(Object.keys(DROP_REASONS) as DropReason[]),
          count: z.int(),
        }),
      ),
    },
  },
  errors: ["not_found"],
  async handle(context, caller, { path }) {
    const today = dayOf(context.now);
    const days = { from: today - DAYS + 1, to: today };
    const found = await db.listDropped(context.env.DB, toLinkScope(caller, path), days.from);
    const { id } = authorizeLink(caller, found);
    const rows = await addDroppedInShards(context.ledger, id, days, found.rows);
    const items = rows.map(({ day, ...counted }) => ({ day: formatDate(day), ...counted }));
    return jsonResponse(envelopeV1(context, items));
  },
});
