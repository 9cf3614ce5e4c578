/** What opening a link and recording an impression share. */
import * as z from "zod/mini";
import { limitServerEngagements } from "../auth/rate-limits.ts";
import type { Kind } from "../domain/cost-types.ts";
import { PLATFORMS } from "../domain/engagements/audience.ts";
import type { Context } from "../env.ts";
import { AppError } from "../errors.ts";
import { jsonResponse } from "../http/envelope.ts";
import { readPersonal } from "../usecases/engagements/read.ts";
import { isPerson, isPreview } from "./agents.ts";
import { lookUpDestination } from "./destinations.ts";
import { noteBot, queueEngagement } from "./queue.ts";
import { limitNames, recordReported } from "./record.ts";

export const path = z.object({ link_token: z.string().with(z.describe("The token of the link")) });

const PRICE =
  "With the other two of a price: what the engagement cost, if prices on URLs count for the partner";
const pricePart = z.optional(z.string()).with(z.describe(PRICE));

/** Invalid parameters never cause an error: they are ignored and named in `dropped`. */
export const query = z.object({
  cost_id: z
    .optional(z.string())
    .with(z.describe("12 to 256 characters. A cost with the same ID matches this engagement")),
  cost_type: pricePart,
  cost_amount: pricePart,
  cost_currency: pricePart,
  campaign: z
    .optional(z.string())
    .with(
      z.describe(
        "The sub-link of level 2 to record under, if the partner's template has this parameter. Created if missing",
      ),
    ),
  adgroup: z.optional(z.string()).with(z.describe("The sub-link of level 3, like campaign")),
  creative: z.optional(z.string()).with(z.describe("The sub-link of level 4, like campaign")),
  s2s: z.optional(z.string()).with(z.describe("1: return JSON after the engagement is committed")),
  country: z
    .optional(z.string())
    .with(
      z.describe(
        "With `s2s=1`: the country of the person, as ISO 3166-1 alpha-2 in any case, for example `US`",
      ),
    ),
  platform: z
    .optional(z.string())
    .with(
      z.describe(
        `With \`s2s=1\`: the platform of the person, one of ${PLATFORMS.join(", ")}, in any case, or another name of such a system as \`iPadOS\` or \`Mac OS X 10.15\``,
      ),
    ),
  os_name: z.optional(z.string()).with(z.describe("Another name of `platform`")),
  user_agent: z
    .optional(z.string())
    .with(
      z.describe(
        "With `s2s=1` and without `platform`: the user agent of the person, from which the platform is read. It is not stored",
      ),
    ),
});

export const committed = {
  description: "With `s2s=1`: the result for the engagement, after it is committed",
  schema: z.strictObject({
    status: z.literal("ok"),
    kind: z.enum(["click", "impression"]),
    cost_id: z
      .nullable(z.string())
      .with(z.describe("The ID in the ledger; generated for a price that counts without one")),
    recorded: z.boolean().with(z.describe("Whether the engagement is in the ledger")),
    duplicate: z
      .boolean()
      .with(
        z.describe(
          "True if the ledger already had an engagement of this kind with this cost ID; the first one counts",
        ),
      ),
    dropped: z.array(z.string()).with(z.describe("Names of the parameters that were not used")),
    cost_data: z
      .boolean()
      .with(
        z.describe(
          "Whether cost data is on for the link and its partner is live. If not, a live cost for this engagement is rejected",
        ),
      ),
    request_id: z.string(),
  }),
};

/**
 * The token in a path as people type and copy it: in capitals, or with the punctuation after it. Undefined for a path that could not
 * be a token, which is not looked up.
 */
function readToken(path: string): string | undefined {
  let end = path.length;
  while (end > 0 && /[\p{P}\p{S}\p{Z}\p{C}]/u.test(path[end - 1] ?? "")) end--;
  const token = path.slice(0, end);
  return /^[0-9A-Za-z]{6,20}$/.test(token) ? token.toLowerCase() : undefined;
}

/** Finds the link of a request. Throws not_found, and rate_limited if a server sends too many. */
export async function findLink(context: Context) {
  if (isServerToServer(context)) await limitServerEngagements(context);
  const linkToken = readToken(context.params.link_token ?? "");
  const found = linkToken && (await lookUpDestination(context, linkToken));
  if (!found) throw linkNotFound();
  return { linkToken, ...found };
}

const linkNotFound = () => new AppError("not_found", "This link does not exist. Check its token.");

export function isServerToServer(context: Context): boolean {
  return context.url.searchParams.get("s2s") === "1" && context.request.method === "GET";
}

/** Records the engagement of a person after the response is sent, or counts a bot. */
export function recordLater(context: Context, linkToken: string, kind: Kind, notAllowed?: string[]): void {
  const { method, headers } = context.request;
  if (method !== "GET" || isPreview(headers)) return;
  const isBot = !isPerson(headers.get("user-agent") ?? "");
  context.afterResponse(
    isBot
      ? noteBot(context, linkToken)
      : limitNames(context, readPersonal(context, linkToken, kind, notAllowed)).then((opened) =>
          queueEngagement(context, opened),
        ),
  );
}

/** Responds to a partner's server after the engagement is committed. */
export async function recordNow(context: Context, linkToken: string, kind: Kind): Promise<Response> {
  const recorded = await recordReported(context, linkToken, kind);
  if (!recorded) throw linkNotFound();
  return jsonResponse({
    status: "ok",
    kind,
    cost_id: recorded.costId,
    recorded: recorded.costId !== null,
    duplicate: recorded.isDuplicate,
    dropped: recorded.dropped,
    cost_data: recorded.hasCostData,
    request_id: context.requestId,
  });
}
