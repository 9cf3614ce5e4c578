/** Response schemas that several surfaces share (spec §2.3, §2.4), as zod types. A contract file. */
import * as z from "zod/mini";

export const pagingV1 = z
  .strictObject({
    page_size: z.string().with(z.describe("The limit in effect")),
    collection_size: z.string().with(z.describe("Number of items on this page")),
    total: z.string().with(z.describe("Number of items in the whole list")),
    next: z.nullable(z.string()).with(z.describe("The URL of the next page; null on the last page")),
    previous: z.nullable(z.string()).with(z.describe("The URL of the previous page; null on the first page")),
    cursors: z.strictObject({ after: z.nullable(z.string()), before: z.nullable(z.string()) }),
  })
  .with(z.meta({ id: "PagingV1" }));

export const pagingV2 = z
  .strictObject({
    cursor: z.nullable(z.string()).with(z.describe("The cursor of the next page; null on the last page")),
    next: z.nullable(z.string()).with(z.describe("The URL of the next page; null on the last page")),
  })
  .with(z.meta({ id: "PagingV2" }));

export const timestamp = z.string().with(z.meta({ format: "date-time" }));

const header = {
  api_version: z.literal("1"),
  request_id: z.string().with(z.describe("Equal to the `X-Request-Id` header")),
  timestamp,
};

/** A page of a list in the version 1 envelope. */
export const listV1 = (item: z.ZodMiniType) =>
  z.strictObject({ data: z.strictObject({ ...header, paging: pagingV1, items: z.array(item) }) });

/** Items without paging, in the version 1 envelope, with what is true for all of them. */
export const itemsV1 = (item: z.ZodMiniType, fields: z.core.$ZodLooseShape = {}) =>
  z.strictObject({ data: z.strictObject({ ...header, ...fields, items: z.array(item) }) });

/** A page of a report in the version 1 envelope, with what is true for all of its rows. */
export const reportV1 = (fields: z.core.$ZodLooseShape, item: z.ZodMiniType) =>
  z.strictObject({ data: z.strictObject({ ...header, ...fields, paging: pagingV2, items: z.array(item) }) });

/** A report without paging in the version 1 envelope. */
export const reportOfOne = (fields: z.core.$ZodLooseShape, item: z.ZodMiniType) =>
  z.strictObject({ data: z.strictObject({ ...header, ...fields, items: z.array(item) }) });

export const listV2 = (item: z.ZodMiniType) =>
  z.strictObject({ data: z.strictObject({ paging: pagingV2, items: z.array(item) }) });

export const problem = z
  .strictObject({
    type: z.string().with(z.describe("The address of a page that explains the code")),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    code: z.string(),
    request_id: z.string(),
    errors: z
      .optional(z.array(z.strictObject({ param: z.string(), message: z.string() })))
      .with(
        z.describe("Every invalid parameter. The message is a phrase that follows the name of the parameter"),
      ),
  })
  .with(z.meta({ id: "Problem" }));

/** The response to a void, by a partner or by an operator. */
export const voided = z.strictObject({
  status: z.literal("ok"),
  cost_id: z.string(),
  match: z.literal("voided"),
  duplicate: z.boolean().with(z.describe("True if the cost was void before: nothing was written")),
  request_id: z.string(),
});

export const VOIDED_EXAMPLE = {
  status: "ok",
  cost_id: "acme-click-20260701",
  match: "voided",
  duplicate: false,
  request_id: "0b6f5b0e-6f0c-4a4e-9c0e-2f2f3f0a7c11",
};
