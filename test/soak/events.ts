/** The alerts and webhooks of the soak test: creates them as operators do, and finds what is wrong with the events that were sent. */
import { DEMO } from "../../src/dev/demo.ts";
import type { BuiltWorker } from "../built-worker.ts";
import { api, create, run } from "../receiver.ts";
import type { Hooks, Receiver } from "./receiver.ts";

/** Two runs of the cron send six each at the same time: a kill can keep the outcome of these from being stored. */
const IN_FLIGHT = 12;
/** A run sends so many to a webhook. */
const IN_RUN = 10;

/** The rules of the app, each of which must open and close an alert. The rules of operators that the migrations add stay. */
const RULES = [
  { kind: "costs_rejected", count: 0, percent: 5 },
  { kind: "partner_silent", hours: 2 },
];

/** What the database and the receiver had when the server was killed. */
export interface Kill {
  attempts: number;
  /** The deliveries that the database says succeeded. */
  delivered: Set<string>;
}

interface Delivery {
  id: number;
  hook: number;
  message: string;
  body: string;
  dueAt: number | null;
  deliveredAt: number | null;
}

const keyOf = (hook: number | undefined, message: string | undefined) => `${hook} ${message}`;

/** Creates two webhooks of an app and one of operators, and the rules of the app. */
export async function addWebhooks(built: BuiltWorker, base: string, hooks: Hooks): Promise<void> {
  for (const [path, app] of [["/app"], ["/chat"], ["/operators", null]] as const)
    hooks.set(path, await create(built, base + path, app === null ? undefined : DEMO.appToken));
  for (const rule of RULES) {
    const { status } = await api(built, "alert-rules", "POST", { ...rule, app_token: DEMO.appToken });
    if (status !== 201) throw new Error(`Status ${status} instead of an alert rule`);
  }
}

export async function readKill({ db }: BuiltWorker, { attempts }: Receiver): Promise<Kill> {
  const done = (await readDeliveries(db)).filter(({ deliveredAt }) => deliveredAt !== null);
  return {
    attempts: attempts.length,
    delivered: new Set(done.map(({ hook, message }) => keyOf(hook, message))),
  };
}

/**
 * Sends what waits for its next attempt again, as an operator would, and runs the cron as often as that takes. Returns what does not
 * wait, although it was not delivered.
 */
export async function drain(built: BuiltWorker): Promise<string[]> {
  await run(built);
  const open = (await readDeliveries(built.db)).filter(({ deliveredAt }) => deliveredAt === null);
  for (const { id, hook } of open) await api(built, `webhooks/${hook}/deliveries/${id}`);
  // A webhook whose last answer was slow gets one event in the first run.
  for (let runs = Math.ceil(open.length / IN_RUN) + 2; runs > 0; runs--) await run(built);
  return open
    .filter(({ dueAt }) => dueAt === null)
    .map(({ hook, message }) => `${keyOf(hook, message)} was not delivered, and no attempt was planned`);
}

async function readDeliveries(db: D1Database): Promise<Delivery[]> {
  const { results } = await db
    .prepare(
      `SELECT d.id, d.webhook_id AS hook, e.message_id AS message, e.body, d.due_at AS dueAt, d.delivered_at AS deliveredAt
       FROM webhook_deliveries d JOIN webhook_events e ON e.id = d.event_id`,
    )
    .all<Delivery>();
  return results;
}

/** Everything that is wrong with what the receiver got, after the drain. `tests`: so many test events were confirmed. */
export async function findEventErrors(
  db: D1Database,
  { attempts, hooks }: Receiver,
  kills: Kill[],
  tests: number,
): Promise<string[]> {
  const deliveries = await readDeliveries(db);
  const attemptsOf = Map.groupBy(
    attempts.map((attempt, index) => ({ ...attempt, index })),
    ({ path, headers }) => keyOf(hooks.get(path)?.id, headers["webhook-id"]),
  );
  const errors = attempts.flatMap(({ path, error }) => (error ? `an event to ${path}: ${error}` : []));
  const repeatedBy = kills.map(() => 0);
  for (const { hook, message, body, deliveredAt } of deliveries) {
    const key = keyOf(hook, message);
    const sent = attemptsOf.get(key) ?? [];
    attemptsOf.delete(key);
    if (deliveredAt === null) errors.push(`${key} was not delivered, after ${sent.length} attempts`);
    else if (!sent.some(({ isAccepted }) => isAccepted))
      errors.push(`${key} was delivered, says the database, but the receiver did not accept it`);
    if (sent.some((attempt) => attempt.body !== body)) errors.push(`${key} was sent with another body`);
    sent.forEach((attempt, index) => {
      const before = sent[index - 1];
      if (!before?.isAccepted) return;
      const kill = kills.findIndex(
        (one) => before.index < one.attempts && attempt.index >= one.attempts && !one.delivered.has(key),
      );
      if (kill === -1) errors.push(`${key} was sent again after success`);
      else repeatedBy[kill] = (repeatedBy[kill] ?? 0) + 1;
    });
  }
  for (const key of attemptsOf.keys()) errors.push(`${key} was received, and the database does not have it`);
  for (const count of repeatedBy)
    if (count > IN_FLIGHT) errors.push(`${count} events were sent again after success and one kill`);
  errors.push(...(await findStoredErrors(db, tests)));
  console.log(
    `${deliveries.length} deliveries of events in ${attempts.length} attempts; ${repeatedBy.join(" and ")} were sent again after a kill`,
  );
  return errors;
}

/** Each alert has its events, each event goes to its webhooks, and nobody else's. */
async function findStoredErrors(db: D1Database, tests: number): Promise<string[]> {
  const all = async <Row>(sql: string) => (await db.prepare(sql).all<Row>()).results;
  const alerts = await all<{
    id: number;
    kind: string;
    app: string | null;
    closedAt: number;
    events: string;
  }>(
    `SELECT id, kind, app_token AS app, closed_at AS closedAt, (
       SELECT group_concat(type) FROM (
         SELECT e.type FROM webhook_events e WHERE e.type LIKE 'alert.%' AND e.body ->> '$.data.alert_id' = a.id
           AND e.app_token IS a.app_token ORDER BY e.id
       )
     ) AS events FROM alerts a`,
  );
  const expected = (closedAt: number | null) => `alert.opened${closedAt === null ? "" : ",alert.closed"}`;
  const errors = alerts
    .filter(({ closedAt, events }) => events !== expected(closedAt))
    .map(({ id, kind, events }) => `alert ${id}, ${kind}, has the events ${events}`);
  const [counts] = await all<Record<"ofAlerts" | "ofTests" | "logged" | "wrong", number>>(
    `SELECT
       (SELECT count(*) FROM webhook_events WHERE type LIKE 'alert.%') AS ofAlerts,
       (SELECT count(*) FROM webhook_events WHERE type = 'webhook.test') AS ofTests,
       (SELECT count(*) FROM audit_log WHERE action = 'test webhook') AS logged,
       (SELECT count(*) FROM webhook_events e WHERE
         (SELECT group_concat(webhook_id) FROM (SELECT webhook_id FROM webhook_deliveries WHERE event_id = e.id ORDER BY 1)) IS NOT
         (SELECT group_concat(id) FROM (
           SELECT w.id FROM webhooks w WHERE iif(e.webhook_id IS NULL, w.app_token IS e.app_token, w.id = e.webhook_id) ORDER BY 1
         ))) AS wrong`,
  );
  const { ofAlerts = 0, ofTests = 0, logged = 0, wrong = 0 } = counts ?? {};
  if (ofAlerts !== alerts.reduce((sum, { closedAt }) => sum + (closedAt === null ? 1 : 2), 0))
    errors.push(`${ofAlerts} events of ${alerts.length} alerts`);
  if (ofTests !== logged || ofTests < tests)
    errors.push(
      `${tests} test events were confirmed, ${logged} are in the audit log, and ${ofTests} in the outbox`,
    );
  if (wrong > 0) errors.push(`${wrong} events are not for the webhooks that they should be for`);
  for (const { kind } of RULES)
    if (!alerts.some((alert) => alert.kind === kind && alert.app !== null && alert.closedAt !== null))
      errors.push(`no alert of ${kind} opened and closed`);
  const open = alerts.filter(({ closedAt }) => closedAt === null).length;
  console.log(`${alerts.length} alerts opened, ${alerts.length - open} closed; ${ofTests} test events`);
  return errors;
}
