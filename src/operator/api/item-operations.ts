/** Builds the operations of operators, which respond with one item or one page of items in the version 1 envelope. */
import * as z from "zod/mini";
import { operatorOperation } from "../../auth/guards.ts";
import { type Order, toPage } from "../../db/keyset.ts";
import type { Context } from "../../env.ts";
import { AppError, type InputError } from "../../errors.ts";
import { envelopeV1, jsonResponse } from "../../http/envelope.ts";
import type { Contract, Parsed } from "../../http/input/input.ts";
import { parseForm, parseOrThrow } from "../../http/input/parse.ts";
import { pagingV1 } from "../../http/paging.ts";
import { itemsV1, listV1 } from "../../http/response-schemas.ts";
import { withoutEndSlashes } from "../../http/router.ts";
import type { ActingOperator } from "../confirmation.ts";
import { checkFilters } from "./common.ts";

type Spec<C extends Contract> = Omit<Parameters<typeof operatorOperation<C>>[0], "responses" | "handle">;

interface ItemSpec<C extends Contract, Item> {
  /** What the response is, for the documentation. */
  returns?: string;
  status?: 201;
  handle: (context: Context, operator: ActingOperator, input: Parsed<C>) => Promise<Item>;
  /** What `handle` rejects, of a form of which some values are not valid. */
  judge?: (context: Context, body: Partial<NonNullable<Parsed<C>["body"]>>) => Promise<InputError[]>;
  /** Of an operation that creates an item: the last segment of the item's path. */
  locate?: (item: Item) => string | number;
}

/**
 * An operation on one item, which `handle` returns. The console's forms call `handle` too, or `submit`, which validates the body
 * first and throws invalid_request with every error.
 */
export function itemOperation<C extends Contract, S extends z.ZodMiniType, Item extends z.output<S>>(
  spec: Spec<C> & { item: S } & ItemSpec<C, Item>,
) {
  const { item: schema, handle, judge, locate, status = locate ? 201 : 200 } = spec;
  const { returns: description = locate ? "Created" : "The current item" } = spec;
  const operation = operatorOperation<C>({
    ...spec,
    responses: {
      [status]: { description, schema: itemsV1(schema), ...(locate && { headers: ["Location"] }) },
    },
    handle: async (context, operator, input) => {
      const item = await handle(context, operator, input);
      const path = withoutEndSlashes(context.url.pathname);
      const headers = locate && { location: `${path}/${locate(item)}` };
      return jsonResponse(envelopeV1(context, [item]), status, headers);
    },
  });
  const submit = async (
    context: Context,
    operator: ActingOperator,
    input: Omit<Parsed<C>, "body"> & { body: object },
  ) => {
    const { body: accepted } = spec.input;
    const body =
      judge && accepted instanceof z.ZodMiniObject
        ? await parseForm(accepted, { ...input.body }, (valid) => judge(context, valid as never))
        : accepted && parseOrThrow(accepted, input.body);
    return handle(context, operator, { ...input, body } as Parsed<C>);
  };
  return { ...operation, handle, submit };
}

interface ListSpec<C extends Contract, Row, Item> {
  /** Reads one page. The total is undefined if the resource that the list belongs to does not exist. */
  list: (
    context: Context,
    input: Parsed<C>,
  ) => Promise<{ rows: (Row & { id: number })[]; total: number | undefined }>;
  toItem: (row: Row) => Item;
  /** That of the rows; the oldest first by default. */
  order?: Order;
}

/** A list of items, one page at a time. An app or a partner in the query exists. */
export function listOperation<C extends Contract & { paged: true }, S extends z.ZodMiniType, Row>(
  spec: Omit<Spec<C>, "method"> & { item: S } & ListSpec<C, Row, z.output<S>>,
) {
  const { item, list, toItem, order } = spec;
  return operatorOperation<C>({
    ...spec,
    method: "GET",
    responses: { 200: { description: "One page of items", schema: listV1(item) } },
    handle: async (context, _operator, input) => {
      await checkFilters(context, input.query);
      const { rows, total } = await list(context, input);
      if (total === undefined) throw new AppError("not_found", "No resource exists at this path.");
      const page = toPage(input.range, rows, order);
      const paging = pagingV1(context, input.range, page, total);
      return jsonResponse(envelopeV1(context, page.items.map(toItem), paging));
    },
  });
}
