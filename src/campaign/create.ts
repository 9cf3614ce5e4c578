/** New links, one or many (spec §4.4). */
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
import { keyInUse, readKey, refuseLong, replay, toKeyedRequest } from "./idempotency.ts";

/** No vowels: a token never spells a word of a path. 30^10 tokens. */
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
    toAnswer: ([link]) => {
      if (!link) throw new Error("a new link was not judged");
      if (link instanceof AppError) throw link;
      const location = `/public/v1/apps/${path.app_token}/trackers/${link.token}`;
      return { status: 201, location, answer: JSON.stringify(envelopeV1(context, [link])) };
    },
  });
}

/** Beyond the specification: up to 100 links at once, a result for each. A bad one fails alone. */
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
    toAnswer: (results) => {
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
  /** The links to insert; a refusal for what was no link. */
  items: (creation.NewLink | AppError)[];
  /** From a result for each item. Throws where the request as a whole is refused. */
  toAnswer: (results: (Link | AppError)[]) => creation.StoredResponse;
}

async function insertLinks(context: Context, principal: Principal, asked: Creation): Promise<Response> {
  const scope = toScope(principal, asked.path);
  const links = asked.items.filter((item): item is creation.NewLink => !(item instanceof AppError));
  if (asked.key === undefined) {
    const found = await creation.insertLinks(context.env.DB, scope, links, context.now);
    authorizeApp(principal, found.access);
    const results = judgeItems(context, asked.items, links, found);
    const answer = asked.toAnswer(results);
    confirm(context, asked.path, results, found.inserted);
    return toResponse(answer);
  }
  const request = toKeyedRequest(context, asked.operation, asked.key, asked.body);
  const found = await creation.prepareLinks(context.env.DB, scope, links, request);
  authorizeApp(principal, found.access);
  if (found.earlier) return toResponse(replay(found.earlier, request));
  const results = judgeItems(context, asked.items, links, found);
  const answer = asked.toAnswer(results);
  refuseLong(answer);
  const inserted = await creation.insertKeyedLinks(context.env.DB, scope, links, request, answer);
  if (!inserted) {
    const since = await creation.prepareLinks(context.env.DB, scope, [], request);
    authorizeApp(principal, since.access);
    if (since.earlier) replay(since.earlier, request);
    throw keyInUse();
  }
  confirm(context, asked.path, results, inserted);
  return toResponse(answer);
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
    if (rejection) return parentRefused(rejection);
    return toLink({ ...toRow(item, parent), ...inheritedFrom(parent) }, found.partners, context);
  });
}

/**
 * What was judged and what was written are the same rules, in two languages. Were they ever not, nobody is told "created".
 * Clicks look for the new links in KV.
 */
function confirm(
  context: Context,
  path: { app_token: string },
  results: (Link | AppError)[],
  inserted: string[],
): void {
  const created = results.flatMap((result) => (result instanceof AppError ? [] : result.token));
  if (String(created.sort()) !== String(inserted.sort())) throw new Error("the links and the rules disagree");
  for (const token of created) context.afterResponse(putLink(context.env.LINKS, token, path.app_token));
}

/** A link as it is inserted. Its id is the database's affair, and not on the wire. */
function toRow({ token, label }: creation.NewLink, parent: creation.Parent | undefined) {
  const level = (parent?.level ?? 0) + 1;
  return { id: 0, token, level, label, archived: 0, partner_id: null, cost_switch: null, child_count: 0 };
}

function toNewLink(sent: z.output<typeof contract.createLink.body>): creation.NewLink {
  return { token: createLinkToken(), label: sent.name, parentToken: sent.parent_token ?? null };
}

function readItem(item: unknown, index: number): creation.NewLink | AppError {
  const errors: InputError[] = [];
  const sent = parsePart(contract.createLink.body, item, errors, `links.${index}`);
  return sent ? toNewLink(sent) : invalidRequest(errors);
}

function parentRefused(code: "not_found" | "level_limit"): AppError {
  const message = code === "not_found" ? "is no link of this app" : "is a link of level 4";
  return new AppError(code, `The link named by parent_token ${message}.`, {
    errors: [{ param: "parent_token", message }],
  });
}

function toResponse({ status, location, answer }: creation.StoredResponse): Response {
  const headers = { "content-type": "application/json", "cache-control": "no-store" };
  return new Response(answer, { status, headers: location === null ? headers : { ...headers, location } });
}
