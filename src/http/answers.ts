/** The shapes of answers that more than one surface gives (spec §2.3, §2.4), as zod types. A contract file. */
import * as z from "zod";

export const pagingV1 = z
  .strictObject({
    page_size: z.string().meta({ description: "The limit in force" }),
    collection_size: z.string().meta({ description: "Items on this page" }),
    total: z.string().meta({ description: "Items of the whole list" }),
    next: z.string().nullable(),
    previous: z.string().nullable(),
    cursors: z.strictObject({ after: z.string().nullable(), before: z.string().nullable() }),
  })
  .meta({ id: "PagingV1" });

export const pagingV2 = z
  .strictObject({ cursor: z.string().nullable(), next: z.string().nullable() })
  .meta({ id: "PagingV2" });

export const timestamp = z.string().meta({ format: "date-time" });

const header = {
  api_version: z.literal("1"),
  request_id: z.string(),
  timestamp,
};

/** One page in the version 1 envelope. */
export const listV1 = (item: z.ZodType) =>
  z.strictObject({ data: z.strictObject({ ...header, paging: pagingV1, items: z.array(item) }) });

/** What was made or changed, in the version 1 envelope. */
export const itemsV1 = (item: z.ZodType) =>
  z.strictObject({ data: z.strictObject({ ...header, items: z.array(item) }) });

export const listV2 = (item: z.ZodType) =>
  z.strictObject({ data: z.strictObject({ paging: pagingV2, items: z.array(item) }) });

export const problem = z
  .strictObject({
    type: z.string().meta({ description: "A page that explains the code" }),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    code: z.string(),
    request_id: z.string(),
    errors: z
      .array(z.strictObject({ param: z.string(), message: z.string() }))
      .optional()
      .meta({ description: "Every fault of the request at once" }),
  })
  .meta({ id: "Problem" });
