/**
 * The cron of each minute when a call to D1 fails, on the built Worker with a real receiver: no event is lost, none is sent without its
 * cause, and one is sent twice only if the answer to it could not be stored.
 */
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { DEMO } from "../../../src/dev/demo.ts";
import { type Queries, remember } from "../../databases.ts";
import { api, BINDINGS, create, type Received, run, startReceiver, verify } from "../../receiver.ts";
import { type FaultyWorker, startFaulty } from "./faulty.ts";

const HOUR = 3_600_000;
const NOW = Date.now();
const LOST = "D1_ERROR: Network connection lost.";
/** What operators (/ok) and an app get. The events of alerts are of those that the runs open. */
const EVENTS = [
  "/error partner.stopped",
  "/fine alert.opened webhook_failing",
  "/fine partner.stopped",
  "/ok alert.opened purge_late",
  "/ok partner.stopped",
];

let server: FaultyWorker;
/** Each round runs the same statements. */
let db: Queries;
let stop: () => void;
const received: Received[] = [];
/** The secrets, by the path of the webhook. */
const secrets: Record<string, string> = {};

beforeAll(async () => {
  const { base, stop: end } = await startReceiver(received);
  stop = end;
  server = await startFaulty({ name: "webhook-faults", bindings: BINDINGS });
  db = remember(server.db);
  for (const path of ["/ok", "/fine", "/error"]) {
    const app = path === "/ok" ? undefined : DEMO.appToken;
    secrets[path] = (await create(server, base + path, app)).secret;
  }
  await db.prepare("UPDATE links SET partner_id = 2 WHERE token = ?").bind(DEMO.linkToken).run();
});
afterAll(async () => {
  stop();
  await server.stop();
});

const read = async <Row>(sql: string) => (await server.rows.prepare(sql).all<Row>()).results;

/** A partner was just stopped, the purge is late, and one more failure turns off the webhook of the app. */
async function reset(): Promise<void> {
  await server.begin();
  const tables = ["webhook_deliveries", "webhook_events", "alerts"];
  await db.batch([
    ...tables.map((table) => db.prepare(`DELETE FROM ${table}`)),
    db
      .prepare(
        `INSERT INTO purge_positions VALUES ('ledger_entries', 0, '', NULL, NULL, ?1, 0, 0)
         ON CONFLICT DO UPDATE SET walked_at = ?1`,
      )
      .bind(NOW - 4 * HOUR),
    db
      .prepare(
        "UPDATE webhooks SET ended_at = NULL, ended_because = NULL, failing_since = iif(url LIKE '%/error', ?, NULL)",
      )
      .bind(NOW - 6 * 24 * HOUR),
  ]);
  for (const stopped of [false, true]) await api(server, "partners/2", "PATCH", { stopped });
  received.length = 0;
  server.lines.length = 0;
  await server.begin();
}
beforeEach(reset);

/** What an event is about, and who got it. */
function nameOf({ path, body }: Received): string {
  const { type, data } = JSON.parse(body) as { type: string; data: { kind?: string } };
  return [path, type, data.kind ?? []].flat().join(" ");
}

/** Every event is one that D1 has, of a stored cause. */
async function expectCauses(): Promise<void> {
  const stored = await read<{ id: string; body: string }>(
    "SELECT message_id AS id, body FROM webhook_events",
  );
  const open = (await read<{ kind: string }>("SELECT kind FROM alerts WHERE closed_at IS NULL")).map(
    ({ kind }) => kind,
  );
  const ofAlerts = stored.flatMap(({ body }) => JSON.parse(body).data.kind ?? []);
  expect(ofAlerts.sort()).toEqual(open.sort());
  const [ended] = await read("SELECT 1 FROM webhooks WHERE ended_because = 'failing'");
  expect(open.includes("webhook_failing")).toBe(ended !== undefined);
  for (const event of received) {
    verify(secrets[event.path] ?? "", event);
    expect(stored).toContainEqual({ id: event.headers["webhook-id"], body: event.body });
  }
}

/** Runs until nothing is due, as if the time of claims and of pauses had passed. */
async function runOn(): Promise<void> {
  for (let count = 0; count < 3; count++) {
    await db.prepare("UPDATE webhook_deliveries SET due_at = 1 WHERE due_at IS NOT NULL").run();
    expect(await run(server)).toBe("ok");
  }
  expect(await read("SELECT id FROM webhook_deliveries WHERE due_at IS NOT NULL")).toEqual([]);
  expect(await read("SELECT id FROM webhook_events WHERE spread_at IS NULL")).toEqual([]);
}

it("sends each event once without a fault", async () => {
  expect(await run(server)).toBe("ok");
  await expectCauses();
  await runOn();
  expect(received.map(nameOf).sort()).toEqual(EVENTS);
});

it.each(["before", "after"] as const)("loses nothing when a call fails %s its commit", async (when) => {
  await run(server);
  const calls = (await server.seen()).calls.length;
  // Rules and purge, the alert of the purge, two claims, and the outcomes of four deliveries.
  expect(calls).toBe(8);
  for (let skip = 0; skip < calls; skip++) {
    await reset();
    await server.begin({ fault: { has: "", skip, times: 1, when, message: LOST } });
    await run(server);
    expect(
      server.lines.map((line) => JSON.stringify(line)).filter((line) => line.includes(LOST)),
    ).toHaveLength(1);
    await expectCauses();
    await server.begin();
    await runOn();
    await expectCauses();
    expect([...new Set(received.map(nameOf))].sort(), `call ${skip + 1}`).toEqual(EVENTS);
    const ids = received.map(({ path, headers }) => `${path} ${headers["webhook-id"]}`);
    const isOfOutcome = skip >= calls - 4;
    expect(new Set(ids).size).toBe(EVENTS.length);
    expect(ids.length, `call ${skip + 1}`).toBe(EVENTS.length + (isOfOutcome && when === "before" ? 1 : 0));
  }
});
