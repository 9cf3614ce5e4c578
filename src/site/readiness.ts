/** `GET /readyz`: shows whether the services that the Worker uses are ready. */
import * as z from "zod/mini";
import { publicOperation } from "../auth/operations.ts";
import { type DatabaseHealth, readHealth } from "../db/health.ts";
import { withDeadline } from "../deadline.ts";
import type { Context } from "../env.ts";
import { jsonResponse } from "../http/envelope.ts";
import { logError } from "../log.ts";

/** The purge runs every hour. After a day without one an operator should look; nothing is lost yet. */
const CRON_OVERDUE_MS = 24 * 3600 * 1000;
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
    cron: check,
    tokens: check,
    links: check,
  }),
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
    const { TOKENS, LINKS } = context.env;
    const [databases, tokens, links] = await Promise.all([
      readDatabases(context),
      resultOf(context, TOKENS.get("readyz")),
      resultOf(context, LINKS.get("readyz")),
    ]);
    const checks = {
      ...judgeDatabases(databases, context.now),
      tokens: toCheck("The KV namespace TOKENS", tokens),
      links: toCheck("The KV namespace LINKS", links),
    };
    const ready = Object.values(checks).every((one) => one.ok);
    return jsonResponse(
      { status: ready ? "ready" : "not ready", checks, request_id: context.requestId },
      ready ? 200 : 503,
      ready ? {} : { "retry-after": "5" },
    );
  },
});

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

function judgeDatabases(databases: Databases, now: number) {
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

function judgeCron(purgedAt: number | null, now: number): Check {
  if (purgedAt === null) return { ok: true, reason: "Has not run yet." };
  const age = now - purgedAt;
  return {
    ok: age <= CRON_OVERDUE_MS,
    age_seconds: Math.max(0, Math.floor(age / 1000)),
    ...(age > CRON_OVERDUE_MS && { reason: "The hourly run is overdue." }),
  };
}
