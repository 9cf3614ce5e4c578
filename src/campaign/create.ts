/** Creates links, one or many (spec §4.4). */
import { customAlphabet } from "nanoid";
import type * as z from "zod/mini";
import type { Principal } from "../auth/guards.ts";
import * as creation from "../db/links/creation.ts";
import { putLink } from "../db/links/destination-cache.ts";
import type { Context } from "../env.ts";
import { AppError, type InputError } from "../errors.ts";
import { envelopeV1 } from "../http/envelope.ts";
import { invalidRequest, parsePart, readInput } from "../http/input.ts";
import { toProblem } from "../http/problems.ts";
import { inheritedFrom, judgeParent, type Link, type Partners, toLink } from "../usecases/links.ts";
import { authorizeApp, toScope } from "./access.ts";
import * as contract from "./contract.ts";
import { keyInUse, readKey, rejectLong, replay, toKeyedRequest } from "./idempotency.ts";

/** Without vowels, so that a token never equals a word of a path. 30^10 tokens. */
export const createLinkToken = customAlphabet("0123456789bcdfghjkmnpqrstvwxyz", 10);

export async function createLink(context: Context, principal: Principal): Promise<Response> {
  const errors: InputError[] = [];
  const key = readKey(context, errors);
  const { path, body } = await readInput(context, contract.createLink, errors);
  return insertLinks(context, principal, {
    operation: "create_link",
    path,
    key,
    body,
    items: [toNewLink(body)],
    buildResponse: ([link]) => {
      if (!link) throw new Error("a new link has no result");
      if (link instanceof AppError) throw link;
      const location = `/public/v1/apps/${path.app_token}/trackers/${link.token}`;
      return { status: 201, location, answer: JSON.stringify(envelopeV1(context, [link])) };
    },
  });
}

/**
 * Beyond the specification: creates up to 100 links in one request, with a result for each. An invalid one does not affect
 * the others.
 */
export async function createLinks(context: Context, principal: Principal): Promise<Response> {
  const errors: InputError[] = [];
  const key = readKey(context, errors);
  const { path, body } = await readInput(context, contract.createLinks, errors);
  return insertLinks(context, principal, {
    operation: "create_links",
    path,
    key,
    body,
    items: body.links.map(readItem),
    buildResponse: (results) => {
      const items = results.map((result) =>
        result instanceof AppError ? toProblem(context, result) : { status: 201, link: result },
      );
      return { status: 200, location: null, answer: JSON.stringify(envelopeV1(context, items)) };
    },
  });
}

interface Creation {
  operation: creation.KeyedRequest["operation"];
  path: { app_token: string };
  key: string | undefined;
  body: unknown;
  /** The links to insert, or an error for an item that is not a valid link. */
  items: (creation.NewLink | AppError)[];
  /** Builds the response from the result of each item. Throws if the whole request is rejected. */
  buildResponse: (results: (Link | AppError)[]) => creation.StoredResponse;
}

async function insertLinks(context: Context, principal: Principal, requested: Creation): Promise<Response> {
  const scope = toScope(principal, requested.path);
  const links = requested.items.filter((item): item is creation.NewLink => !(item instanceof AppError));
  if (requested.key === undefined) {
    const found = await creation.insertLinks(context.env.DB, scope, links, context.now);
    authorizeApp(principal, found.access);
    const results = judgeItems(context, requested.items, links, found);
    const response = requested.buildResponse(results);
    confirm(context, requested.path, results, found.inserted);
    return toResponse(response);
  }
  const request = toKeyedRequest(context, requested.operation, requested.key, requested.body);
  const found = await creation.prepareLinks(context.env.DB, scope, links, request);
  authorizeApp(principal, found.access);
  if (found.earlier) return toResponse(replay(found.earlier, request));
  const results = judgeItems(context, requested.items, links, found);
  const response = requested.buildResponse(results);
  rejectLong(response);
  const inserted = await creation.insertKeyedLinks(context.env.DB, scope, links, request, response);
  if (!inserted) {
    const current = await creation.prepareLinks(context.env.DB, scope, [], request);
    authorizeApp(principal, current.access);
    if (current.earlier) replay(current.earlier, request);
    throw keyInUse();
  }
  confirm(context, requested.path, results, inserted);
  return toResponse(response);
}

function judgeItems(
  context: Context,
  items: Creation["items"],
  links: creation.NewLink[],
  found: { parents: ReadonlyMap<number, creation.Parent>; partners: Partners },
): (Link | AppError)[] {
  return items.map((item) => {
    if (item instanceof AppError) return item;
    const parent = found.parents.get(links.indexOf(item));
    const rejection = judgeParent(item.parentToken, parent);
    if (rejection) return parentRejected(rejection);
    return toLink({ ...toRow(item, parent), ...inheritedFrom(parent) }, found.partners, context);
  });
}

/**
 * Throws if the links that SQL inserted are not those that the TypeScript rules accepted: both hold the same rules. Then puts
 * the new links into KV for clicks.
 */
function confirm(
  context: Context,
  path: { app_token: string },
  results: (Link | AppError)[],
  inserted: string[],
): void {
  const created = results.flatMap((result) => (result instanceof AppError ? [] : result.token));
  if (String(created.sort()) !== String(inserted.sort()))
    throw new Error("the inserted links differ from the accepted ones");
  for (const token of created) context.afterResponse(putLink(context.env.LINKS, token, path.app_token));
}

/** The row of a new link. The database assigns the id, which is not part of the response. */
function toRow({ token, label }: creation.NewLink, parent: creation.Parent | undefined) {
  const level = (parent?.level ?? 0) + 1;
  return { id: 0, token, level, label, archived: 0, partnerId: null, costSwitch: null, childCount: 0 };
}

function toNewLink(sent: z.output<typeof contract.createLink.body>): creation.NewLink {
  return { token: createLinkToken(), label: sent.name, parentToken: sent.parent_token ?? null };
}

function readItem(item: unknown, index: number): creation.NewLink | AppError {
  const errors: InputError[] = [];
  const sent = parsePart(contract.createLink.body, item, errors, `links.${index}`);
  return sent ? toNewLink(sent) : invalidRequest(errors);
}

function parentRejected(code: "not_found" | "level_limit"): AppError {
  const message =
    code === "not_found"
      ? "is not a link of this app"
      : "is a link of level 4; choose a parent of level 1, 2 or 3";
  return new AppError(code, `parent_token ${message}.`, {
    errors: [{ param: "parent_token", message }],
  });
}

function toResponse({ status, location, answer }: creation.StoredResponse): Response {
  const headers = { "content-type": "application/json", "cache-control": "no-store" };
  return new Response(answer, { status, headers: location === null ? headers : { ...headers, location } });
}
