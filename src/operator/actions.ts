/** The actions of operators, shared by the operator API and the console. Each is one transaction. */

import { customAlphabet } from "nanoid";
import type * as z from "zod/mini";
import type { Operator } from "../auth/guards.ts";
import { createPassword, hashPassword } from "../auth/passwords.ts";
import { createToken, hashToken, hintOf, type TokenKind } from "../auth/secrets.ts";
import { markTokenReset } from "../auth/tokens.ts";
import { replicateCredentials } from "../db/ledger/credential-copies.ts";
import { putDestination } from "../db/links/destination-cache.ts";
import * as apps from "../db/operator/apps.ts";
import { findOperatorAccess } from "../db/operator/audit.ts";
import * as credentials from "../db/operator/credentials.ts";
import * as partners from "../db/operator/partners.ts";
import * as users from "../db/operator/users.ts";
import { expectDefined } from "../domain/expect-defined.ts";
import type { Context } from "../env.ts";
import { AppError } from "../errors.ts";
import type * as contract from "./contract.ts";

type Body<C extends { body: z.ZodMiniType }> = z.output<C["body"]>;

const createAppToken = customAlphabet("0123456789abcdefghijklmnopqrstuvwxyz", 12);

export async function createApp(
  context: Context,
  { actor, authorize }: Operator,
  body: Body<typeof contract.createApp>,
): Promise<apps.App> {
  const change = { ...toAppChange(body), token: createAppToken() };
  const { access, app } = await apps.insertApp(context.env.DB, actor, change);
  authorize(access);
  return expectDefined(app);
}

export async function updateApp(
  context: Context,
  { actor, authorize }: Operator,
  token: string,
  body: Body<typeof contract.updateApp>,
): Promise<apps.App> {
  const { access, app } = await apps.updateApp(context.env.DB, actor, token, toAppChange(body));
  authorize(access);
  if (!app) throw notFound("app");
  const { defaultUrl, iosUrl, androidUrl, redirectHosts, redirectSchemes } = app;
  const destination = { defaultUrl, iosUrl, androidUrl, redirectHosts, redirectSchemes };
  context.afterResponse(putDestination(context.env.LINKS, token, destination));
  return app;
}

function toAppChange<B extends Body<typeof contract.updateApp>>(body: B) {
  return {
    name: body.name as B["name"],
    defaultUrl: body.default_url as B["default_url"],
    iosUrl: body.ios_url as B["ios_url"],
    androidUrl: body.android_url as B["android_url"],
    redirectHosts: body.redirect_hosts as B["redirect_hosts"],
    redirectSchemes: body.redirect_schemes as B["redirect_schemes"],
  };
}

interface Membership {
  appToken: string;
  userId: number;
}

export async function addMember(
  context: Context,
  { actor, authorize }: Operator,
  membership: Membership,
): Promise<void> {
  const { access, before } = await apps.addMember(context.env.DB, actor, membership);
  authorize(access);
  if (!before?.app) throw notFound("app");
  if (!before.user) throw badField("user_id", "must be the ID of an existing user");
  if (before.member) throw new AppError("already_member");
}

export async function removeMember(
  context: Context,
  { actor, authorize }: Operator,
  membership: Membership,
): Promise<void> {
  const { access, before } = await apps.removeMember(context.env.DB, actor, membership);
  authorize(access);
  if (!before?.member) throw notFound("membership");
}

/** Creates a user. The password is returned only here; a single sign-on user has none. */
export async function createUser(
  context: Context,
  operator: Operator,
  body: Body<typeof contract.createUser>,
): Promise<{ user: users.UserRow; password: string | null }> {
  const password = body.sign_in === "password" ? createPassword() : null;
  const passwordHash = password && (await hashForOperator(context, operator, password));
  const { access, inserted, user } = await users.insertUser(context.env.DB, operator.actor, {
    email: body.email,
    role: body.role,
    passwordHash,
  });
  operator.authorize(access);
  if (!inserted) throw new AppError("email_taken");
  return { user: expectDefined(user), password };
}

export async function updateUser(
  context: Context,
  { actor, authorize }: Operator,
  id: number,
  { role, disabled, sign_in }: Body<typeof contract.updateUser>,
): Promise<users.UserRow> {
  const change = { role, disabled, ...(sign_in && { passwordHash: null }) };
  const { access, before, user } = await users.updateUser(context.env.DB, actor, id, change);
  authorize(access);
  if (!before) throw notFound("user");
  if (!user) throw new AppError("last_operator");
  return user;
}

/** Sets a new password and returns it, only here. The user's sessions end, and a sealed API token can no longer be shown. */
export async function resetPassword(
  context: Context,
  operator: Operator,
  id: number,
): Promise<{ user: users.UserRow; password: string }> {
  const password = createPassword();
  const passwordHash = await hashForOperator(context, operator, password);
  const { DB } = context.env;
  const { access, before, user } = await users.updateUser(DB, operator.actor, id, { passwordHash });
  operator.authorize(access);
  if (!before) throw notFound("user");
  return { user: expectDefined(user), password };
}

/** Hashes a password after the operator is authorized: anyone can send a well-formed token, and hashing is expensive. */
async function hashForOperator(
  context: Context,
  { actor, authorize }: Operator,
  password: string,
): Promise<string> {
  authorize(await findOperatorAccess(context.env.DB, actor));
  return hashPassword(password);
}

/** Replaces the user's API token and returns the new one, only here. */
export async function issueToken(
  context: Context,
  { actor, authorize }: Operator,
  id: number,
): Promise<{ user: users.UserRow; token: string }> {
  const { secret: token, newHash, hint } = createSecret("api");
  const { access, user, oldHash, replaced } = await users.replaceToken(context.env.DB, actor, id, {
    newHash,
    hint,
  });
  authorize(access);
  if (!user) throw notFound("user");
  if (!replaced) throw new AppError("user_disabled");
  if (oldHash) context.afterResponse(markTokenReset(context.env.TOKENS, oldHash, context.now));
  return { user: { ...user, token_hint: hint }, token };
}

export async function createPartner(
  context: Context,
  { actor, authorize }: Operator,
  body: Body<typeof contract.createPartner>,
): Promise<partners.PartnerRecord> {
  const { access, partner } = await partners.insertPartner(context.env.DB, actor, toPartnerChange(body));
  authorize(access);
  return expectDefined(partner);
}

export async function updatePartner(
  context: Context,
  { actor, authorize }: Operator,
  id: number,
  body: Body<typeof contract.updatePartner>,
): Promise<partners.PartnerRecord> {
  const { access, partner } = await partners.updatePartner(context.env.DB, actor, id, toPartnerChange(body));
  authorize(access);
  if (!partner) throw notFound("partner");
  if (body.supports_cost_data !== undefined) {
    if (body.supports_cost_data && !partner.supportsCostData) throw new AppError("round_required");
    await replicateCredentials(context.ledger);
  }
  return partner;
}

function toPartnerChange(body: Body<typeof contract.updatePartner>): partners.PartnerChange {
  return {
    displayName: body.display_name,
    serverToServer: body.server_to_server,
    clickParameters: body.click_parameters,
    impressionParameters: body.impression_parameters,
    costParameters: body.cost_parameters,
    supportsCostData: body.supports_cost_data,
  };
}

/** Creates a credential. The secret is returned only here. */
export async function createCredential(
  context: Context,
  { actor, authorize }: Operator,
  body: Body<typeof contract.createCredential>,
): Promise<{ credential: credentials.CredentialRecord; secret: string }> {
  const { secret, newHash, hint } = createSecret(body.mode);
  const { access, partnerFound, inserted } = await credentials.insertCredential(context.env.DB, actor, {
    partnerId: body.partner_id,
    mode: body.mode,
    costTypes: body.cost_types,
    newHash,
    hint,
  });
  authorize(access);
  if (!partnerFound) throw badField("partner_id", "must be the ID of an existing partner");
  if (!inserted) throw new AppError("round_required");
  return { credential: inserted, secret };
}

export async function revokeCredential(
  context: Context,
  { actor, authorize }: Operator,
  id: number,
): Promise<credentials.CredentialRecord> {
  const { access, credential } = await credentials.revokeCredential(context.env.DB, actor, id);
  authorize(access);
  if (!credential) throw notFound("credential");
  // Confirmed only after every shard has it. After an error, the operator revokes again.
  await replicateCredentials(context.ledger);
  return credential;
}

export function createSecret(kind: TokenKind): { secret: string; newHash: string; hint: string } {
  const secret = createToken(kind);
  return { secret, newHash: expectDefined(hashToken(secret, [kind])), hint: hintOf(secret) };
}

export function notFound(noun: string): AppError {
  return new AppError("not_found", `This ${noun} does not exist.`);
}

export function badField(param: string, message: string): AppError {
  return new AppError("invalid_request", `Fix ${param} and resend the request.`, {
    errors: [{ param, message }],
  });
}
