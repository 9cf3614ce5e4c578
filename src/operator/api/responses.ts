/** The responses of the operator API: one item or a page of items in the version 1 envelope. */
import type * as z from "zod/mini";
import { toPage } from "../../db/keyset.ts";
import type { Context } from "../../env.ts";
import { AppError } from "../../errors.ts";
import type { ListRange } from "../../http/cursors.ts";
import { envelopeV1, jsonResponse } from "../../http/envelope.ts";
import { pagingV1 } from "../../http/paging.ts";
import { itemsV1, listV1 } from "../../http/response-schemas.ts";

export const pageOf = (item: z.ZodMiniType) => ({
  200: { description: "One page of items", schema: listV1(item) },
});
export const itemOf = (item: z.ZodMiniType, description = "The current item") => ({
  200: { description, schema: itemsV1(item) },
});
export const createdOf = (item: z.ZodMiniType) => ({
  201: { description: "Created", schema: itemsV1(item), headers: ["Location"] },
});

/** Throws not_found if the list has no total, because the resource that it belongs to does not exist. */
export function pageResponse<Row extends { id: number }>(
  context: Context,
  range: ListRange,
  found: { rows: Row[]; total: number | undefined },
  toItem: (row: Row) => object,
): Response {
  if (found.total === undefined) throw new AppError("not_found", "No resource exists at this path.");
  const page = toPage(range, found.rows);
  const paging = pagingV1(context, range, page, found.total);
  return jsonResponse(envelopeV1(context, page.items.map(toItem), paging));
}

export function itemResponse(context: Context, item: object, status: 200 | 201 = 200): Response {
  return jsonResponse(envelopeV1(context, [item]), status);
}

/** `key` is the last path segment of the new item. */
export function createdResponse(context: Context, item: object, key: string | number): Response {
  const location = context.url.pathname.replace(/\/*$/, `/${key}`);
  return jsonResponse(envelopeV1(context, [item]), 201, { location });
}
