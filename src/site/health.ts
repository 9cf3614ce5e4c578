/** Liveness of the Worker (`/healthz`) and readiness of the services that it uses (`/readyz`). */
import { version } from "../../package.json";
import { type DatabaseHealth, readHealth } from "../db/health.ts";
import { withDeadline } from "../deadline.ts";
import type { Context } from "../env.ts";
import { jsonResponse } from "../http/envelope.ts";
import { logError } from "../log.ts";

/** The purge runs every hour. After a day without one an operator should look; nothing is lost yet. */
const CRON_OVERDUE_MS = 24 * 3600 * 1000;
/** Shorter than the deadlines of other requests: health checks time out early. */
const DEADLINE_MS = 3_000;

interface Check {
  ok: boolean;
  /** The cause if it is not ok, otherwise additional information. */
  reason?: string;
}

/** Returns 200 while the Worker runs, without any call to another service. `deployment` is the version that Cloudflare runs. */
export function readLiveness(context: Context): Response {
  return jsonResponse({
    status: "ok",
    version,
    deployment: context.env.VERSION.id,
    request_id: context.requestId,
  });
}

/** Returns 503 if a check fails. The response has the cause; the message of the error is only in the log. */
export async function readReadiness(context: Context): Promise<Response> {
  const { TOKENS, LINKS } = context.env;
  const [databases, tokens, links] = await Promise.all([
    readDatabases(context),
    resultOf(context, TOKENS.get("readyz")),
    resultOf(context, LINKS.get("readyz")),
  ]);
  const checks: Record<string, Check> = {
    ...judgeDatabases(databases, context.now),
    tokens: toCheck("The KV namespace TOKENS", tokens),
    links: toCheck("The KV namespace LINKS", links),
  };
  const ready = Object.values(checks).every((check) => check.ok);
  return jsonResponse(
    { status: ready ? "ready" : "not ready", checks, request_id: context.requestId },
    ready ? 200 : 503,
    ready ? {} : { "retry-after": "5" },
  );
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
  return result ? { ok: true } : { ok: false, reason: `${name} does not answer.` };
}

/** By the name of the binding: DB, and the shards of the ledger if there are any. */
type Databases = [name: string, result: { value: DatabaseHealth } | undefined][];

function readDatabases(context: Context): Promise<Databases> {
  return Promise.all(
    [...context.ledger.databases].map(
      async ([name, db]): Promise<Databases[number]> => [name, await resultOf(context, readHealth(db))],
    ),
  );
}

function judgeDatabases(databases: Databases, now: number): Record<string, Check> {
  const unreachable = databases.filter(([, result]) => !result).map(([name]) => name);
  if (unreachable.length > 0) {
    const unknown = { ok: false, reason: "Unknown: the database does not answer." };
    const database = { ok: false, reason: `The database ${unreachable.join(", ")} does not answer.` };
    return { database, migrations: unknown, cron: unknown };
  }
  const found = databases.flatMap(([name, result]) => (result ? { name, ...result.value } : []));
  const walks = found.map(({ purgedAt }) => purgedAt);
  const purgedAt = walks.includes(null) ? null : Math.min(...walks.map(Number));
  return { database: { ok: true }, migrations: judgeMigrations(found), cron: judgeCron(purgedAt, now) };
}

function judgeMigrations(databases: { name: string; missingMigrations: string[] }[]): Check {
  const behind = databases.filter(({ missingMigrations }) => missingMigrations.length > 0);
  if (behind.length === 0) return { ok: true };
  const reasons = behind.map(
    ({ name, missingMigrations }) =>
      `Not applied: ${missingMigrations.join(", ")}. Run npx wrangler d1 migrations apply ${name} --remote (or --local).`,
  );
  return { ok: false, reason: reasons.join(" ") };
}

function judgeCron(purgedAt: number | null, now: number): Check & { age_seconds?: number } {
  if (purgedAt === null) return { ok: true, reason: "Has not run yet." };
  const age = now - purgedAt;
  return {
    ok: age <= CRON_OVERDUE_MS,
    age_seconds: Math.max(0, Math.floor(age / 1000)),
    ...(age > CRON_OVERDUE_MS && { reason: "The hourly run is overdue." }),
  };
}
