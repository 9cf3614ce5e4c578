/** The campaign API (spec §4.1 to §4.6): partners, links and sub-links. */
import { type Principal, withToken } from "../auth/guards.ts";
import { findAccess } from "../db/accounts/api-tokens.ts";
import { toPage } from "../db/keyset.ts";
import * as links from "../db/links/links.ts";
import type { LinkRow } from "../db/links/lists.ts";
import * as partners from "../db/links/partner-catalog.ts";
import { DAY_MS } from "../domain/time.ts";
import type { Context } from "../env.ts";
import { AppError } from "../errors.ts";
import type { ListRange } from "../http/cursors.ts";
import { envelopeV1, envelopeV2, jsonResponse } from "../http/envelope.ts";
import { readInput } from "../http/input.ts";
import { documented } from "../http/operation.ts";
import { pagingV1, pagingV2 } from "../http/paging.ts";
import type { Route } from "../http/router.ts";
import { inheritedFrom, judgeUpdate, type Link, toLink, type UpdateRejection } from "../usecases/links.ts";
import { authorizeApp, toScope } from "./access.ts";
import * as contract from "./contract.ts";
import { createLink, createLinks } from "./create.ts";
import * as operations from "./operations.ts";
import { readSpend } from "./spend.ts";

type Version = 1 | 2;

export const campaignRoutes: Route[] = [
  {
    path: "/public/v1/partners",
    methods: { GET: documented(operations.listPartners, withToken(listPartners)) },
  },
  {
    path: "/public/v1/apps/:app_token/trackers",
    methods: {
      GET: documented(operations.listLinks(1), withToken(listLinks(1))),
      POST: documented(operations.createLink, withToken(createLink)),
    },
  },
  {
    path: "/public/v2/apps/:app_token/trackers",
    methods: { GET: documented(operations.listLinks(2), withToken(listLinks(2))) },
  },
  {
    path: "/public/v1/apps/:app_token/trackers/bulk",
    methods: { POST: documented(operations.createLinks, withToken(createLinks)) },
  },
  {
    path: "/public/v1/apps/:app_token/trackers/:link_token",
    methods: {
      GET: documented(operations.readLink, withToken(readLink)),
      PATCH: documented(operations.updateLink, withToken(updateLink)),
    },
  },
  {
    path: "/public/v1/apps/:app_token/trackers/:link_token/children",
    methods: { GET: documented(operations.listChildren(1), withToken(listChildren(1))) },
  },
  {
    path: "/public/v2/apps/:app_token/trackers/:link_token/children",
    methods: { GET: documented(operations.listChildren(2), withToken(listChildren(2))) },
  },
  {
    path: "/public/v1/apps/:app_token/trackers/:link_token/dropped",
    methods: { GET: documented(operations.listDropped, withToken(listDropped)) },
  },
  {
    path: "/public/v1/apps/:app_token/spend",
    methods: { GET: documented(operations.readSpend, withToken(readSpend)) },
  },
];

async function listPartners(context: Context, principal: Principal): Promise<Response> {
  const { range } = await readInput(context, contract.listPartners);
  const found = await partners.listPartners(context.env.DB, principal.tokenHash, range);
  const { partnerCount } = principal.authorize(found.access);
  const page = toPage(range, found.rows);
  const items = page.items.map((partner) => ({
    id: partner.id,
    display_name: partner.displayName,
    supports_cost_data: partner.supportsCostData === 1,
  }));
  return jsonResponse(envelopeV1(context, items, pagingV1(context, range, page, partnerCount)));
}

function listLinks(version: Version) {
  return async (context: Context, principal: Principal): Promise<Response> => {
    const input = await readInput(context, contract.listLinks);
    const { range } = input;
    const found = await links.listLevelOne(
      context.env.DB,
      toScope(principal, input.path),
      input.query,
      range,
    );
    authorizeApp(principal, found.access);
    return linkPage(context, version, range, found);
  };
}

function listChildren(version: Version) {
  return async (context: Context, principal: Principal): Promise<Response> => {
    const input = await readInput(context, contract.listChildren);
    const { range } = input;
    const scope = toScope(principal, input.path);
    const { link_token } = input.path;
    const found = await links.listChildren(context.env.DB, scope, link_token, input.query, range);
    authorizeApp(principal, found.access);
    if (!found.parent) throw linkNotFound();
    return linkPage(context, version, range, found);
  };
}

function linkPage(
  context: Context,
  version: Version,
  range: ListRange,
  found: {
    rows: LinkRow[];
    parent?: Parent;
    total: number;
  } & KnownPartners,
): Response {
  const page = toPage(range, found.rows);
  const inherited = inheritedFrom(found.parent);
  const items = page.items.map((row) => toLink({ ...row, ...inherited }, found.partners, context));
  return jsonResponse(
    version === 1
      ? envelopeV1(context, items, pagingV1(context, range, page, found.total))
      : envelopeV2(items, pagingV2(context, range, page)),
  );
}

async function readLink(context: Context, principal: Principal): Promise<Response> {
  const { path } = await readInput(context, contract.readLink);
  const found = await links.findLink(context.env.DB, toScope(principal, path), path.link_token);
  authorizeApp(principal, found.access);
  if (!found.link) throw linkNotFound();
  return linkResponse(context, toLink(found.link, found.partners, context));
}

/** Engagements are kept for this many days. */
const DROPPED_DAYS = 14;

/** Beyond the specification: counts of the invalid cost parameters that were dropped from a partner's URLs. */
async function listDropped(context: Context, principal: Principal): Promise<Response> {
  const { path } = await readInput(context, contract.readLink);
  const firstDay = Math.floor(context.now / DAY_MS) - DROPPED_DAYS + 1;
  const found = await links.listDropped(context.env.DB, toScope(principal, path), path.link_token, firstDay);
  authorizeApp(principal, found.access);
  if (!found.link) throw linkNotFound();
  const items = found.rows.map(({ day, param, count }) => ({
    day: new Date(day * DAY_MS).toISOString().slice(0, 10),
    param,
    count,
  }));
  return jsonResponse(envelopeV1(context, items));
}

async function updateLink(context: Context, principal: Principal): Promise<Response> {
  const { path, body } = await readInput(context, contract.updateLink);
  const scope = toScope(principal, path);
  const found = await links.findLink(context.env.DB, scope, path.link_token);
  authorizeApp(principal, found.access);
  if (!found.link) throw linkNotFound();
  const change = judgeUpdate(found.link, body, found.partners);
  if (typeof change === "string") throw updateRejected(change);
  const updated = await links.updateLink(context.env.DB, scope, path.link_token, change);
  if (!updated) {
    // The token was reset or the access to the app was removed after the first query.
    principal.authorize(await findAccess(context.env.DB, principal.tokenHash));
    throw linkNotFound();
  }
  return linkResponse(context, toLink({ ...found.link, ...updated }, found.partners, context));
}

type Parent = Parameters<typeof inheritedFrom>[0];

interface KnownPartners {
  partners: ReadonlyMap<number, partners.Partner>;
}

function linkNotFound(): AppError {
  return new AppError("not_found", "This app has no link with this token.");
}

function updateRejected(rejection: UpdateRejection): AppError {
  const param = rejection === "unknown_partner" ? "partner_id" : "cost_data_enabled";
  const message =
    rejection === "unknown_partner"
      ? "is not the ID of a partner"
      : "requires a partner that supports cost data";
  return new AppError(rejection, undefined, { errors: [{ param, message }] });
}

function linkResponse(context: Context, link: Link): Response {
  return jsonResponse(envelopeV1(context, [link]));
}
