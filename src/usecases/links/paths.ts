/**
 * Creates links by path: rows of 1 to 4 names from the network down to the last link, each with the settings of that link. Pages,
 * files and the script use the same rules, and the check of a file decides like the import.
 */
import type { AppAccess } from "../../db/accounts/viewers.ts";
import type { Recording } from "../../db/links/changes.ts";
import { putLink } from "../../db/links/destination-cache.ts";
import type { AppScope } from "../../db/links/lists.ts";
import type { Partners } from "../../db/links/partner-catalog.ts";
import * as db from "../../db/links/paths.ts";
import { chunk } from "../../db/statement.ts";
import { toIds } from "../../domain/engagements/click-target.ts";
import { expectDefined } from "../../domain/expect-defined.ts";
import type { Context } from "../../env.ts";
import { AppError } from "../../errors.ts";
import { invalidRequest } from "../../http/input/parse.ts";
import { createLinkToken } from "./link-name.ts";
import { keyOf, type PathRow } from "./path-rows.ts";
import { appFull, findPartner, inOrder, judge, type PathResult } from "./path-rules.ts";
import { renewDestination, targetJudge } from "./targets.ts";

export interface PathResults {
  access: AppAccess | undefined;
  partners: Partners;
  maxLinks: number;
  /** With the IDs of their partners. */
  rows: PathRow[];
  /** Empty without access. */
  results: (PathResult | AppError)[];
}

/** Finds the link below which others are created. `base` is undefined without a token, and null if the app does not have it. */
export async function findBase(context: Context, scope: AppScope, token: string | null) {
  const asked = token === null ? [] : [{ base: token, names: [] }];
  const { access, partners, found } = await db.findPaths(context.env.DB, scope, asked);
  const base = token === null ? undefined : (found[0]?.base ?? null);
  return { access, partners, base };
}

/** Finds what `createPaths` would do. Creates nothing. */
export async function checkPaths(context: Context, scope: AppScope, sent: PathRow[]): Promise<PathResults> {
  const asked = sent.filter(({ error }) => !error);
  const read = await db.findPaths(context.env.DB, scope, asked);
  const { access, partners, maxLinks } = read;
  if (!access || access.appToken === null) return { access, partners, maxLinks, rows: sent, results: [] };
  const complete = await withTargets(context, scope, asked, read);
  const places = new Map(asked.map((row, index) => [row, read.found[index]]));
  const rows = sent.map((row) => (row.error ? row : expectDefined(complete.shift())));
  const found = sent.map((row) => places.get(row));
  return { access, partners, maxLinks, rows, results: judge(rows, found, read) };
}

/** The rows with the IDs of their partners, or with errors. The app must allow their targets; a link that exists keeps its own. */
async function withTargets(
  { env }: Context,
  scope: AppScope,
  rows: PathRow[],
  { found, partners }: db.FoundPaths,
): Promise<PathRow[]> {
  const isNew = ({ names }: PathRow, index: number) => found[index]?.nodes.length !== names.length;
  const targets = rows.map((row, index) => (isNew(row, index) ? row.target : null));
  const judgeTarget = await targetJudge(env.DB, scope, targets);
  return rows.map((row, index) => {
    const [target, named] = [judgeTarget(targets[index]), findPartner(row, partners)];
    if (!(named instanceof AppError)) return { ...named, error: target };
    const errors = target?.code === "invalid_request" ? [...target.errors, ...named.errors] : [];
    return { ...row, error: errors.length > 0 ? invalidRequest(errors) : (target ?? named) };
  });
}

/**
 * Creates the links that are missing, each with those above it: 100 rows in one transaction, those with fewer names first. A row
 * that is rejected creates nothing. A link that exists is not changed. With a `record`, it can
 * be undone.
 */
export async function createPaths(
  context: Context,
  scope: AppScope,
  asked: PathRow[],
  record?: Recording,
): Promise<PathResults> {
  const { now } = context;
  const checked = await checkPaths(context, scope, asked);
  const { rows, results, maxLinks } = checked;
  const tokens = new Map<string, string>();
  const added = inOrder(
    rows.flatMap((row, index) => {
      const result = results[index];
      if (!result || result instanceof AppError || result.state !== "ready") return [];
      return [{ index, row, names: row.names, path: toNewPath(row, result.found, tokens) }];
    }),
  );
  const done = new Set<string>();
  for (const part of chunk(added, db.MAX_PATHS)) {
    const paths = part.map(({ path }) => beginBelow(path, done));
    const { access, created } = await db.insertPaths(context.env.DB, scope, paths, { now, record });
    if (!access || access.appToken === null) return { ...checked, access };
    const others: typeof part = [];
    for (const one of part) {
      const token = one.path.tokens.at(-1) ?? "";
      if (!created.has(token)) others.push(one);
      else results[one.index] = toCreated(token, context, expectDefined(results[one.index]));
    }
    // Another request created them meanwhile, or took the room for them.
    if (others.length > 0) {
      const { results: again } = await checkPaths(
        context,
        scope,
        others.map(({ row }) => row),
      );
      for (const [position, { index }] of others.entries()) {
        const result = again[position];
        const isThere = result instanceof AppError || result?.state === "exists";
        results[index] = isThere ? result : appFull(maxLinks);
      }
    }
    for (const { token, ids } of created.values()) {
      done.add(token);
      const link = { appToken: scope.appToken, ids: toIds(ids) };
      context.afterResponse(putLink(context.env.LINKS, token, link));
    }
  }
  const isTargeted = added.some(({ row, path }) => row.target !== null && done.has(path.tokens.at(-1) ?? ""));
  if (isTargeted) await renewDestination(context, scope.appToken);
  return checked;
}

/**
 * Begins at the deepest link that exists, so that the transaction reads little. `known` has the tokens of the new links by path, and
 * gets those of this row.
 */
function toNewPath(row: PathRow, { nodes }: db.FoundPath, known: Map<string, string>): db.NewPath {
  const names = row.names.slice(nodes.length);
  const base = nodes.at(-1)?.token ?? row.base;
  const tokens = names.map((_, at) => {
    const key = keyOf(row, nodes.length + at + 1);
    const token = known.get(key) ?? createLinkToken();
    known.set(key, token);
    return token;
  });
  return { ...row, base, names, tokens };
}

/** The rest of a path whose first links were created before. */
function beginBelow(path: db.NewPath, created: ReadonlySet<string>): db.NewPath {
  const depth = path.tokens.findLastIndex((token) => created.has(token)) + 1;
  const base = path.tokens[depth - 1] ?? path.base;
  return { ...path, base, names: path.names.slice(depth), tokens: path.tokens.slice(depth) };
}

function toCreated(token: string, { now }: Context, judged: PathResult | AppError): PathResult | AppError {
  return judged instanceof AppError ? judged : { ...judged, state: "created", token, createdAt: now };
}
