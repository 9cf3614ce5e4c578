/** `GET /readyz`: shows whether the services that the Worker uses are ready. */
import * as z from "zod/mini";
import { findSingleSignOn } from "../auth/single-sign-on/settings.ts";
import { databasesOf, describeMismatch, type Ledger, nameOf } from "../db/ledger/shards.ts";
import { type DatabaseHealth, readHealth } from "../db/upkeep/health.ts";
import { describeReplaced } from "../db/upkeep/replaced-migrations.ts";
import { sizesOf } from "../db/upkeep/sizes.ts";
import { withDeadline } from "../deadline.ts";
import { PURGE_OVERDUE_MS, toIso } from "../domain/time.ts";
import { type Context, type Env, LIMITERS } from "../env.ts";
import { ConfigurationError } from "../errors.ts";
import { jsonResponse } from "../http/envelope.ts";
import { publicOperation } from "../http/operation.ts";
import { logError } from "../log.ts";

/** Shorter than the deadlines of other requests: health checks time out early. */
const DEADLINE_MS = 3_000;

/** `reason` is the cause if it is not ok, otherwise additional information. */
const check = z.strictObject({
  ok: z.boolean(),
  reason: z.optional(z.string()),
  age_seconds: z.optional(z.int()),
});
type Check = z.output<typeof check>;

const readiness = z.strictObject({
  status: z.enum(["ready", "not ready"]),
  checks: z.strictObject({
    database: check,
    migrations: check,
    shards: check,
    cron: check,
    archive: check,
    tokens: check,
    links: check,
    limiters: check,
    single_sign_on: check,
  }),
  databases: z.array(
    z.strictObject({
      name: z.string().with(z.describe("The binding: `DB`, or a shard such as `LEDGER_0`")),
      size_bytes: z.int().with(z.describe("Its size. A database can hold 10 GB")),
    }),
  ),
  request_id: z.string(),
});

/** The response has the cause of a failed check; the message of the error is only in the log. */
export const readReadiness = publicOperation({
  method: "GET",
  path: "/readyz",
  id: "readReadiness",
  summary: "Check that the databases and namespaces are ready",
  input: {},
  responses: {
    200: { description: "Ready", schema: readiness },
    503: {
      description: "Not ready; each failed check has a reason",
      schema: readiness,
      headers: ["Retry-After"],
    },
  },
  errors: [],
  async handle(context) {
    const { env, now } = context;
    const last = lastResults.get(env);
    const isFresh = last !== undefined && now - last.at < MAX_AGE_MS;
    const checks = isFresh ? last.checks : await runChecks(context);
    if (!isFresh) lastResults.set(env, { at: now, checks });
    const ready = Object.values(checks).every((one) => one.ok);
    const databases = sizesOf(context.ledger).map(({ name, bytes }) => ({ name, size_bytes: bytes }));
    return jsonResponse(
      { status: ready ? "ready" : "not ready", checks, databases, request_id: context.requestId },
      ready ? 200 : 503,
      ready ? {} : { "retry-after": "5" },
    );
  },
});

type Checks = z.output<typeof readiness>["checks"];

/** Anyone can ask, so an isolate checks at most once in this time. */
const MAX_AGE_MS = 5_000;
const lastResults = new WeakMap<Env, { at: number; checks: Checks }>();

async function runChecks(context: Context): Promise<Checks> {
  const { TOKENS, LINKS, ARCHIVE } = context.env;
  const [databases, tokens, links, archive, limiters] = await Promise.all([
    readDatabases(context),
    resultOf(context, TOKENS.get("readyz")),
    resultOf(context, LINKS.get("readyz")),
    resultOf(context, ARCHIVE?.head("readyz") ?? Promise.resolve(null)),
    checkLimiters(context),
  ]);
  return {
    ...judgeDatabases(context, databases),
    archive: judgeArchive(context, archive, databases),
    tokens: toCheck("The KV namespace TOKENS", tokens),
    links: toCheck("The KV namespace LINKS", links),
    limiters,
    single_sign_on: judgeSingleSignOn(context),
  };
}

/** undefined if it failed or took too long. */
async function resultOf<T>(context: Context, work: Promise<T>): Promise<{ value: T } | undefined> {
  try {
    return { value: await withDeadline(work, DEADLINE_MS, "a health check") };
  } catch (error) {
    logError(context.requestId, error);
    return undefined;
  }
}

function toCheck(name: string, result: object | undefined): Check {
  return result ? { ok: true } : { ok: false, reason: `${name} does not respond.` };
}

/** A limiter that does not answer limits nothing, so requests would not show it. Any answer is one, also that its limit is reached. */
async function checkLimiters(context: Context): Promise<Check> {
  const names = Object.keys(LIMITERS) as (keyof typeof LIMITERS)[];
  const silent = await Promise.all(
    names.map(async (name) => {
      const limiter = context.env[name];
      return limiter && !(await resultOf(context, limiter.limit({ key: "readyz" }))) ? [name] : [];
    }),
  );
  const failed = silent.flat();
  if (failed.length === 0) return { ok: true };
  const plural = failed.length > 1;
  return {
    ok: false,
    reason: `The rate limiter${plural ? "s" : ""} ${failed.join(", ")} ${plural ? "do" : "does"} not respond, so what ${plural ? "they limit" : "it limits"} is not limited.`,
  };
}

/** DB, or a shard. `health` is undefined if it does not answer. */
type FoundDatabase = { name: string; db: D1Database; health: DatabaseHealth | undefined };

function readDatabases(context: Context): Promise<FoundDatabase[]> {
  const { ledger } = context;
  return Promise.all(
    databasesOf(ledger).map(async (db) => {
      const result = await resultOf(context, readHealth(db));
      return { name: nameOf(ledger, db), db, health: result?.value };
    }),
  );
}

function judgeDatabases({ ledger, now }: Context, databases: FoundDatabase[]) {
  const found = databases.flatMap(({ name, db, health }) => (health ? { name, db, ...health } : []));
  const unreachable = databases.filter(({ health }) => !health).map(({ name }) => name);
  if (unreachable.length > 0) {
    const unknown = { ok: false, reason: "Unknown: the database does not respond." };
    const database = { ok: false, reason: `The database ${unreachable.join(", ")} does not respond.` };
    return { database, migrations: unknown, shards: unknown, cron: unknown };
  }
  const walks = found.map(({ purgedAt }) => purgedAt);
  const purgedAt = walks.includes(null) ? null : Math.min(...walks.map(Number));
  return {
    database: { ok: true },
    migrations: judgeMigrations(found),
    shards: judgeShards(ledger, found),
    cron: judgeCron(purgedAt, now),
  };
}

function judgeMigrations(databases: ({ name: string } & DatabaseHealth)[]): Check {
  const behind = databases.filter(({ missingMigrations }) => missingMigrations.length > 0);
  if (behind.length === 0) return { ok: true };
  const reasons = behind.map(
    ({ name, appliedMigrations, missingMigrations }) =>
      describeReplaced(name, appliedMigrations) ??
      `Not applied: ${missingMigrations.join(", ")}. Run npx wrangler d1 migrations apply ${name} --remote (or --local).`,
  );
  return { ok: false, reason: reasons.join(" ") };
}

/** A shard is compared with DB, so that a missing or additional binding is reported once. */
function judgeShards(
  ledger: Ledger,
  [control, ...shards]: Pick<FoundDatabase & DatabaseHealth, "db" | "identity">[],
): Check {
  const number = control?.identity?.shards;
  const reasons = [
    control && describeMismatch(ledger, control.db, control.identity),
    ...shards.map(({ db, identity }) => describeMismatch(ledger, db, identity, number)),
  ].filter((reason) => reason !== undefined);
  if (reasons.length === 0) return { ok: true };
  return { ok: false, reason: `${reasons.join(" ")} Correct the LEDGER_ bindings in wrangler.toml.` };
}

/** A failure of the archive does not affect requests, but rows that cannot be archived are kept and fill the databases. */
function judgeArchive({ env }: Context, answer: object | undefined, databases: FoundDatabase[]): Check {
  if (!env.ARCHIVE) return { ok: true, reason: "Not bound." };
  if (!answer) return { ok: false, reason: "The bucket ARCHIVE does not respond." };
  const failures = databases.flatMap(({ health }) => health?.archiveFailingSince ?? []);
  if (failures.length === 0) return { ok: true };
  const since = toIso(Math.min(...failures));
  return {
    ok: false,
    reason: `The bucket ARCHIVE has rejected objects since ${since}. Expired rows are kept until it accepts them.`,
  };
}

/** The settings only: whether the provider answers is not ours. */
function judgeSingleSignOn({ env }: Context): Check {
  try {
    return findSingleSignOn(env) ? { ok: true } : { ok: true, reason: "Not set up." };
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return { ok: false, reason: error.message };
  }
}

function judgeCron(purgedAt: number | null, now: number): Check {
  if (purgedAt === null) return { ok: true, reason: "Has not run yet." };
  const age = now - purgedAt;
  return {
    ok: age <= PURGE_OVERDUE_MS,
    age_seconds: Math.max(0, Math.floor(age / 1000)),
    ...(age > PURGE_OVERDUE_MS && { reason: "The hourly job is overdue." }),
  };
}
