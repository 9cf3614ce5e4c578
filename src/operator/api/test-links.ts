/** `POST /operator/v1/rounds/{id}/links`: an operator creates the link that a partner tests with. */
import * as z from "zod/mini";
import { putLink } from "../../db/links/destination-cache.ts";
import type { LinkRow } from "../../db/links/lists.ts";
import { findApp } from "../../db/operator/apps.ts";
import { findPartner } from "../../db/operator/partners.ts";
import { findRound } from "../../db/operator/rounds/rounds.ts";
import {
  findNewestTestLink,
  findTestLink,
  insertTestLink,
  listTestLinks,
} from "../../db/operator/test-links.ts";
import type { Context } from "../../env.ts";
import { AppError } from "../../errors.ts";
import { appToken } from "../../http/input/fields.ts";
import { inheritedFrom, type Link, link, toLink } from "../../usecases/links/link.ts";
import { createLinkToken, linkName } from "../../usecases/links/link-name.ts";
import { badField, byId, notFound } from "./common.ts";
import { itemOperation } from "./item-operations.ts";

const newTestLink = z.strictObject({ app_token: appToken, name: linkName });

/** The links of an app that a partner is attached to, newest first. */
export async function readTestLinks(context: Context, token: string, partnerId: number): Promise<Link[]> {
  return toLinks(context, await listTestLinks(context.env.DB, token, partnerId), partnerId);
}

/** One of these links; undefined if the partner has no such link in the app. */
export async function readTestLink(
  context: Context,
  values: { token: string; appToken: string; partnerId: number },
): Promise<Link | undefined> {
  const row = await findTestLink(context.env.DB, values);
  const [found] = await toLinks(context, row ? [row] : [], values.partnerId);
  return found;
}

/** The newest of these links in any app, with the token of its app. */
export async function readNewestTestLink(context: Context, partnerId: number) {
  const row = await findNewestTestLink(context.env.DB, partnerId);
  const [found] = await toLinks(context, row ? [row] : [], partnerId);
  return row && found && { ...found, appToken: row.appToken };
}

async function toLinks(context: Context, rows: LinkRow[], partnerId: number): Promise<Link[]> {
  const partner = await findPartner(context.env.DB, partnerId);
  const partners = new Map(partner ? [[partner.id, partner]] : []);
  return rows.map((row) => toLink({ ...row, ...inheritedFrom(undefined) }, partners, context));
}

export const createTestLink = itemOperation({
  method: "POST",
  path: "/operator/v1/rounds/:id/links",
  id: "createTestLink",
  summary: "Create a link for a round, with the partner attached",
  description:
    "The link is at level 1, and cost data is off. What is sent with the test credential never counts. If the round already has a link of this app with this name, the response is that link.",
  input: { path: byId, body: newTestLink },
  item: link,
  status: 201,
  returns: "Created",
  errors: ["not_found", "round_ended", "app_full"],
  async handle(context, operator, { path: { id }, body: { app_token, name } }) {
    const { env, ledger, now } = context;
    const added = { token: createLinkToken(), appToken: app_token, label: name };
    const inserted = await insertTestLink(env.DB, operator, id, added);
    const [round, app] = await Promise.all([findRound(ledger, id, now), findApp(env.DB, app_token)]);
    if (!round) throw notFound("round");
    if (!inserted) {
      if (!app) throw badField("app_token", "must be the token of an existing app");
      if (app.archivedAt !== null)
        throw badField("app_token", "must be the token of an app that is not archived");
      throw new AppError(round.row.state === "open" ? "app_full" : "round_ended");
    }
    const { token, id: linkId } = inserted;
    context.afterResponse(putLink(env.LINKS, token, { appToken: app_token, ids: [linkId] }));
    const { partnerId } = round.row;
    const created = await readTestLink(context, { token, appToken: app_token, partnerId });
    if (!created) throw notFound("link");
    return created;
  },
});

export const operations = [createTestLink];
