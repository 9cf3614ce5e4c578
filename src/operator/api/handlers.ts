/** The handlers of the operator API: paginated lists and single items, in the version 1 envelope. */
import { type Operator, withOperator } from "../../auth/guards.ts";
import { type Range, toPage } from "../../db/keyset.ts";
import type { Actor, OperatorAccess } from "../../db/operator/audit.ts";
import type { Context } from "../../env.ts";
import { AppError } from "../../errors.ts";
import type { ListRange } from "../../http/cursors.ts";
import { envelopeV1, jsonResponse } from "../../http/envelope.ts";
import { type Contract, type Parsed, readInput } from "../../http/input.ts";
import { documented, type Operation } from "../../http/operation.ts";
import { pagingV1 } from "../../http/paging.ts";
import type { Handler } from "../../http/router.ts";

type ListContract = Contract & { paged: true };

/** Handles a list. Throws not_found if `find` returns no total, because the parent resource does not exist. */
export function list<C extends ListContract, Row extends { id: number }>(
  operation: Operation,
  from: C,
  find: (
    db: D1Database,
    actor: Actor,
    range: Range,
    input: Parsed<C>,
  ) => Promise<{ access: OperatorAccess | undefined; total: number | undefined; rows: Row[] }>,
  toItem: (row: Row) => object,
): Handler {
  return documented(
    operation,
    withOperator(async (context, { actor, authorize }) => {
      const input = await readInput(context, from);
      const { range } = input as { range: ListRange };
      const found = await find(context.env.DB, actor, range, input);
      authorize(found.access);
      if (found.total === undefined) throw new AppError("not_found", "No resource exists at this path.");
      const page = toPage(range, found.rows);
      const paging = pagingV1(context, range, page, found.total);
      return jsonResponse(envelopeV1(context, page.items.map(toItem), paging));
    }),
  );
}

/** Handles an operation on a single item. `location` returns the last path segment of a created item. */
export function one<C extends Contract>(
  operation: Operation,
  from: C,
  act: (context: Context, operator: Operator, input: Parsed<C>) => Promise<object>,
  location?: (item: object) => string,
): Handler {
  const status = 201 in operation.responses ? 201 : 200;
  return documented(
    operation,
    withOperator(async (context, operator) => {
      const item = await act(context, operator, await readInput(context, from));
      const path = context.url.pathname.replace(/\/*$/, "/");
      const headers = location ? { location: path + location(item) } : {};
      return jsonResponse(envelopeV1(context, [item]), status, headers);
    }),
  );
}

export const idOf = (item: object) => ("id" in item ? String(item.id) : "");
export const tokenOf = (item: object) => ("token" in item ? String(item.token) : "");
