/** The shapes of answers that more than one surface gives (spec §2.3, §2.4), as zod types. A contract file. */
import * as z from "zod/mini";

export const pagingV1 = z
  .strictObject({
    page_size: z.string().with(z.describe("The limit in force")),
    collection_size: z.string().with(z.describe("Items on this page")),
    total: z.string().with(z.describe("Items of the whole list")),
    next: z.nullable(z.string()),
    previous: z.nullable(z.string()),
    cursors: z.strictObject({ after: z.nullable(z.string()), before: z.nullable(z.string()) }),
  })
  .with(z.meta({ id: "PagingV1" }));

export const pagingV2 = z
  .strictObject({ cursor: z.nullable(z.string()), next: z.nullable(z.string()) })
  .with(z.meta({ id: "PagingV2" }));

export const timestamp = z.string().with(z.meta({ format: "date-time" }));

const header = {
  api_version: z.literal("1"),
  request_id: z.string(),
  timestamp,
};

/** One page in the version 1 envelope. */
export const listV1 = (item: z.ZodMiniType) =>
  z.strictObject({ data: z.strictObject({ ...header, paging: pagingV1, items: z.array(item) }) });

/** What was made or changed, in the version 1 envelope. */
export const itemsV1 = (item: z.ZodMiniType) =>
  z.strictObject({ data: z.strictObject({ ...header, items: z.array(item) }) });

export const listV2 = (item: z.ZodMiniType) =>
  z.strictObject({ data: z.strictObject({ paging: pagingV2, items: z.array(item) }) });

export const problem = z
  .strictObject({
    type: z.string().with(z.describe("A page that explains the code")),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    code: z.string(),
    request_id: z.string(),
    errors: z
      .optional(z.array(z.strictObject({ param: z.string(), message: z.string() })))
      .with(z.describe("Every fault of the request at once")),
  })
  .with(z.meta({ id: "Problem" }));
