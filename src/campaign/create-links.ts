/**
 * `POST …/trackers` (spec §4.4), and `POST …/trackers/bulk`, beyond the specification: up to 100 links in one request. Both with
 * or without an idempotency key.
 */
import * as z from "zod/mini";
import { type Principal, userOperation } from "../auth/guards.ts";
import type { KeyedRequest } from "../db/idempotency.ts";
import * as db from "../db/links/creation.ts";
import { putLink } from "../db/links/destination-cache.ts";
import type { AppScope } from "../db/links/lists.ts";
import type { Partners } from "../db/links/partner-catalog.ts";
import { toIds } from "../domain/engagements/click-target.ts";
import type { Context } from "../env.ts";
import { AppError, type InputError } from "../errors.ts";
import { envelopeV1, jsonResponse } from "../http/envelope.ts";
import { invalidRequest, parsePart } from "../http/input/parse.ts";
import { toProblem } from "../http/problems.ts";
import { itemsV1, problem } from "../http/response-schemas.ts";
import {
  type Created,
  idempotencyKey,
  keyInUse,
  MAX_STORED_LENGTH,
  replay,
  toKeyedRequest,
  tooManyStored,
  toStored,
} from "../usecases/idempotency.ts";
import {
  inheritedFrom,
  judgeParent,
  type Link,
  link,
  newLink,
  newRow,
  toLink,
  toNewLink,
} from "../usecases/links/link.ts";
import { renewDestination, targetJudge } from "../usecases/links/targets.ts";
import { appPath, authorizeApp, oneLink, toScope } from "./common.ts";

export const createLink = userOperation({
  method: "POST",
  path: "/public/v1/apps/:app_token/trackers",
  id: "createLink",
  summary: "Create a link, or a sub-link below a parent",
  input: { path: appPath, headers: idempotencyKey, body: newLink },
  requestExample: { name: "Summer" },
  responses: { 201: oneLink("The new link", ["Location"]) },
  errors: [
    "not_found",
    "level_limit",
    "limit_reached",
    "app_full",
    "idempotency_key_in_use",
    "idempotency_key_reused",
  ],
  handle: (context, caller, input) =>
    createAll(
      context,
      caller,
      { ...input, operation: "create_link", items: [toNewLink(input.body)] },
      ([link]) => {
        if (!link) throw new Error("a new link has no result");
        if (link instanceof AppError) throw link;
        const location = `/public/v1/apps/${input.path.app_token}/trackers/${link.token}`;
        return { status: 201, location, items: [link] };
      },
    ),
});

const MAX_LINKS = 100;

export const createLinks = userOperation({
  method: "POST",
  path: "/public/v1/apps/:app_token/trackers/bulk",
  id: "createLinks",
  summary: "Create up to 100 links in one request",
  description:
    "Each link gets its own result, in the order of the request. An invalid link does not affect the others.",
  input: {
    path: appPath,
    headers: idempotencyKey,
    // Each link is parsed separately, so that an invalid one does not affect the others.
    body: z.strictObject({
      links: z
        .array(z.unknown())
        .check(
          z.minLength(1, "must contain at least one link"),
          z.maxLength(MAX_LINKS, `must contain at most ${MAX_LINKS} links`),
        ),
    }),
  },
  describedBody: z.strictObject({ links: z.array(newLink).check(z.minLength(1), z.maxLength(MAX_LINKS)) }),
  requestExample: { links: [{ name: "Summer" }, { name: "Beach", parent_token: "q2r7kd0n5x" }] },
  responses: {
    200: {
      description: "A result for each link: the new link, or a problem document",
      schema: itemsV1(z.union([z.strictObject({ status: z.literal(201), link }), problem])),
    },
  },
  errors: ["not_found", "idempotency_key_in_use", "idempotency_key_reused"],
  handle: (context, caller, input) =>
    createAll(
      context,
      caller,
      { ...input, operation: "create_links", items: input.body.links.map(readItem) },
      (results) => ({
        status: 200,
        location: null,
        items: results.map((result) =>
          result instanceof AppError ? toProblem(context, result) : { status: 201, link: result },
        ),
      }),
    ),
});

function readItem(item: unknown, index: number): db.NewLink | AppError {
  const errors: InputError[] = [];
  const sent = parsePart(newLink, item, errors, `links.${index}`);
  return sent ? toNewLink(sent) : invalidRequest(errors);
}

interface Request {
  operation: KeyedRequest["operation"];
  path: { app_token: string };
  headers: { "Idempotency-Key"?: string | undefined };
  body: unknown;
  /** The links to insert, or an error for an item that is not a valid link. */
  items: (db.NewLink | AppError)[];
}

/**
 * Inserts the links of a request. `describe` turns the result of each item into the response, or throws if the whole
 * request is rejected.
 */
async function createAll(
  context: Context,
  caller: Principal,
  request: Request,
  describe: (results: (Link | AppError)[]) => Created,
): Promise<Response> {
  const { DB } = context.env;
  const { path } = request;
  const scope = toScope(caller, path);
  const items = await judgeTargets(context, scope, request);
  const links = items.filter((item): item is db.NewLink => !(item instanceof AppError));
  const key = request.headers["Idempotency-Key"];
  if (key === undefined) {
    const found = await db.insertLinks(DB, scope, links, context.now);
    authorizeApp(caller, found.access);
    const results = judgeItems(context, items, found);
    const created = describe(results);
    await confirm(context, path, results, { items, inserted: found.inserted });
    return toResponse(context, created);
  }
  const keyed = toKeyedRequest(context, request.operation, key, request.body);
  const found = await db.prepareLinks(DB, scope, links, keyed);
  authorizeApp(caller, found.access);
  if (found.earlier) return replay(context, found.earlier, keyed);
  if (found.storedLength > MAX_STORED_LENGTH) throw tooManyStored();
  const results = judgeItems(context, items, found);
  const created = describe(results);
  const response = toStored(context, created);
  const tokens = new Set(results.map((result) => (result instanceof AppError ? undefined : result.token)));
  const accepted = links.filter(({ token }) => tokens.has(token));
  const inserted = await db.insertKeyedLinks(DB, scope, accepted, keyed, response);
  if (!inserted) {
    const current = await db.prepareLinks(DB, scope, [], keyed);
    authorizeApp(caller, current.access);
    // Throws if the key was reused for another body. Otherwise the other request may still have to write to KV.
    if (current.earlier) replay(context, current.earlier, keyed);
    throw keyInUse();
  }
  await confirm(context, path, results, { items, inserted });
  return toResponse(context, created);
}

/** The items, with an error for each whose target the app does not allow. */
async function judgeTargets(
  { env }: Context,
  scope: AppScope,
  { items, operation }: Pick<Request, "items" | "operation">,
): Promise<Request["items"]> {
  const targets = items.map((item) => (item instanceof AppError ? null : item.target));
  const judge = await targetJudge(env.DB, scope, targets);
  const isMany = operation === "create_links";
  return items.map(
    (item, index) => judge(targets[index], { param: isMany ? `links.${index}.target` : "target" }) ?? item,
  );
}

function judgeItems(
  context: Context,
  items: Request["items"],
  found: { room: number; parents: ReadonlyMap<string, db.Parent>; partners: Partners },
): (Link | AppError)[] {
  let { room } = found;
  return items.map((item) => {
    if (item instanceof AppError) return item;
    room--;
    const parent = found.parents.get(item.token);
    const rejection = judgeParent(item.parentToken, parent);
    if (rejection) return parentRejected(rejection);
    if (room < 0) return new AppError("app_full");
    const { token, label, target } = item;
    const row = { ...newRow({ token, label, level: (parent?.level ?? 0) + 1 }), target };
    return toLink({ ...row, ...inheritedFrom(parent) }, found.partners, context);
  });
}

/**
 * Throws if the links that SQL inserted are not those that the TypeScript rules accepted: both hold the same rules. Then puts
 * the new links into KV for clicks.
 */
async function confirm(
  context: Context,
  path: { app_token: string },
  results: (Link | AppError)[],
  { items, inserted }: { items: Request["items"]; inserted: db.Inserted[] },
): Promise<void> {
  const created = results.flatMap((result) => (result instanceof AppError ? [] : result.token));
  if (String(created.sort()) !== String(inserted.map(({ token }) => token).sort()))
    throw new Error("the inserted links differ from the accepted ones");
  if (items.some((item) => !(item instanceof AppError) && item.target !== null))
    await renewDestination(context, path.app_token);
  const { LINKS } = context.env;
  for (const { token, ids } of inserted)
    context.afterResponse(putLink(LINKS, token, { appToken: path.app_token, ids: toIds(ids) }));
}

function parentRejected(code: "not_found" | "level_limit"): AppError {
  const message =
    code === "not_found"
      ? "is not a link of this app"
      : "is a link of level 4; choose a parent of level 1, 2 or 3";
  return new AppError(code, `parent_token ${message}.`, { errors: [{ param: "parent_token", message }] });
}

function toResponse(context: Context, { status, location, items }: Created): Response {
  return jsonResponse(envelopeV1(context, items), status, location === null ? {} : { location });
}
