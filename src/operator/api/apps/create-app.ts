import { customAlphabet } from "nanoid";
import type * as z from "zod/mini";
import { operatorOperation } from "../../../auth/operations.ts";
import { insertApp } from "../../../db/operator/apps.ts";
import type { Operator } from "../../../db/operator/audit.ts";
import { expectDefined } from "../../../domain/expect-defined.ts";
import type { Context } from "../../../env.ts";
import { type AppItem, app, newApp, toAppChange, toAppItem } from "../../resources/apps.ts";
import { createdOf, createdResponse } from "../responses.ts";

const createAppToken = customAlphabet("0123456789abcdefghijklmnopqrstuvwxyz", 12);

export async function createApp(
  { env }: Context,
  operator: Operator,
  body: z.output<typeof newApp>,
): Promise<AppItem> {
  const inserted = await insertApp(env.DB, operator, createAppToken(), toAppChange(body));
  return toAppItem(expectDefined(inserted));
}

export const createAppOperation = operatorOperation({
  method: "POST",
  path: "/operator/v1/apps",
  id: "createApp",
  summary: "Create an app",
  input: { body: newApp },
  responses: createdOf(app),
  errors: [],
  handle: async (context, operator, { body }) => {
    const item = await createApp(context, operator, body);
    return createdResponse(context, item, item.token);
  },
});
