/** What the operations of operators share: input fields, new secrets, and errors. */
import * as z from "zod/mini";
import { createToken, hashToken, hintOf, type TokenKind } from "../../auth/secrets.ts";
import { readSubjects } from "../../db/alerts/subjects.ts";
import { COST_TYPES } from "../../domain/cost-types.ts";
import { expectDefined } from "../../domain/expect-defined.ts";
import type { Context } from "../../env.ts";
import { AppError } from "../../errors.ts";
import { idText, nameText, pageQuery } from "../../http/input/fields.ts";

export const byId = z.object({ id: idText.with(z.describe("The ID, as lists of the operator API name it")) });

/** The input of a list, and of a list that can be filtered by partner. An unknown name is an error: a misspelt filter would not filter. */
export const page = { query: z.strictObject(pageQuery.shape), paged: true } as const;
export const pageByPartner = {
  query: z.strictObject({
    ...pageQuery.shape,
    partner_id: z.optional(idText).with(z.describe("Only those of this partner")),
  }),
  paged: true,
} as const;

export const name = z.string().check(z.trim(), nameText(1, 255));

/** Why an operator corrects spend. The audit log shows it. */
export const reason = z
  .string()
  .check(z.trim(), nameText(1, 500))
  .with(z.describe("Why: 1 to 500 characters. The audit log keeps it"));

/** Distinct cost types in the order of `COST_TYPES`. */
export const costTypes = z.pipe(
  z
    .array(z.enum(COST_TYPES, `must be one of ${COST_TYPES.join(", ")}`))
    .check(z.minLength(1, "must name at least one cost type")),
  z.transform((types) => COST_TYPES.filter((type) => types.includes(type))),
);

/** An object with at least one of the fields of `shape`, and possibly the fields of `more`. */
export const change = <T extends z.core.$ZodLooseShape, M extends z.core.$ZodLooseShape = object>(
  shape: T,
  more: M = {} as M,
) =>
  z
    .strictObject({ ...shape, ...more })
    .check(
      z.refine(
        (body) => Object.keys(shape).some((name) => (body as Record<string, unknown>)[name] !== undefined),
        `must have at least one of ${Object.keys(shape).join(", ")}`,
      ),
    );

export const secret = z.optional(z.string()).with(z.describe("Returned only in this response"));

/** A new API token or credential, and what the database stores of it. */
export function createSecret(kind: TokenKind) {
  const secret = createToken(kind);
  return { secret, stored: { tokenHash: expectDefined(hashToken(secret, [kind])), hint: hintOf(secret) } };
}

export const notFound = (noun: string): AppError => new AppError("not_found", `This ${noun} does not exist.`);

export function badField(param: string, message: string): AppError {
  return new AppError("invalid_request", `Fix ${param} and resend the request.`, {
    errors: [{ param, message }],
  });
}

/** Throws if the filters of a list name an app or a partner that does not exist: the list would be empty, as if nothing had happened. */
export async function checkFilters(
  { env }: Context,
  filters: { app_token?: string | undefined; partner_id?: number | undefined } = {},
): Promise<void> {
  const { app_token: appToken, partner_id: partnerId } = filters;
  if (appToken === undefined && partnerId === undefined) return;
  const found = await readSubjects(env.DB, { appToken: appToken ?? null, partnerId });
  if (appToken !== undefined && found.app === null)
    throw badField("app_token", "must be the token of an existing app");
  if (partnerId !== undefined && found.partner === null) throw unknownPartner();
}

export const unknownPartner = (): AppError => badField("partner_id", "must be the ID of an existing partner");
