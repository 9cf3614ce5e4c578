/** A rejected cost, as the cost API and the operator API return it, and a list of them as CSV. */
import * as z from "zod/mini";
import { toPosition } from "../../db/ledger/recent-rejections.ts";
import type { RecentRejection } from "../../db/ledger/rejections-of-id.ts";
import { inDays } from "../../domain/texts.ts";
import { KEPT_REJECTIONS_MS, toIso } from "../../domain/time.ts";
import { type Cell, csvResponse } from "../../http/csv.ts";
import { NOT_OF_LIST } from "../../http/cursors.ts";
import { invalidRequest } from "../../http/input/parse.ts";
import { timestamp } from "../../http/response-schemas.ts";

/** How many are kept, and for how long. */
export const KEPT_REJECTIONS = `The newest 200 of each reason are kept, for ${inDays(KEPT_REJECTIONS_MS)}.`;
/** For descriptions: what a list of them has. */
export const ABOUT_REJECTIONS = `The newest rejected costs, the newest first: at most 200 for each error code, for ${inDays(KEPT_REJECTIONS_MS)}`;

export const rejectionItem = {
  match: z.literal("rejected"),
  cost_id: z
    .nullable(z.string())
    .with(
      z.describe(
        "As it was sent, without spaces at its ends, up to 256 characters. Null if there was none, or if the cost could not be read",
      ),
    ),
  code: z.string().with(z.describe("The error code of the response")),
  params: z
    .array(z.string())
    .with(z.describe("The parameters that were wrong. Empty for other codes than invalid_request")),
  tag: z.nullable(z.string()),
  rejected_at: timestamp,
};

export const toRejectionItem = ({
  costId,
  code,
  params,
  tag,
  rejectedAt,
}: Pick<RecentRejection, "costId" | "code" | "params" | "tag" | "rejectedAt">) => ({
  match: "rejected" as const,
  cost_id: costId,
  code,
  params: params?.split(" ") ?? [],
  tag,
  rejected_at: toIso(rejectedAt),
});
export type RejectionItem = ReturnType<typeof toRejectionItem>;

export const REJECTION_COLUMNS = ["cost_id", "match", "code", "params", "tag", "rejected_at"];

/** The items as a CSV file, written by `toCsv` for people or by `toCsvAsSent` for programs. */
export function rejectionsResponse(
  items: RejectionItem[],
  write: (header: string[], rows: Cell[][]) => string,
  headers: Record<string, string> = {},
): Response {
  const rows = items.map(({ cost_id, match, code, params, tag, rejected_at }) => [
    cost_id,
    match,
    code,
    params.join(" "),
    tag,
    rejected_at,
  ]);
  return csvResponse(write(REJECTION_COLUMNS, rows), "rejected-costs.csv", headers);
}

/** The range of a list of rejections. `param`: that has its position. Throws invalid_request if it is none. */
export function checkPosition<Range extends { after: string | null }>(range: Range, param = "cursor"): Range {
  if (range.after !== null && !toPosition(range.after))
    throw invalidRequest([{ param, message: NOT_OF_LIST }]);
  return range;
}
