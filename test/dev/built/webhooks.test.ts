/** Webhooks on the built Worker, with a real receiver that verifies them with the package of Standard Webhooks. */
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { DEMO } from "../../../src/dev/demo.ts";
import { type BuiltWorker, startBuilt } from "../../built-worker.ts";
import { type Queries, remember } from "../../databases.ts";
import { isLong } from "../../linear/attack.ts";
import * as receiver from "../../receiver.ts";
import { type Received, startReceiver, verify } from "../../receiver.ts";
import { verifyWithSample } from "./verify-sample.ts";
import { script } from "./worker.ts";

let built: BuiltWorker;
/** For statements that many cases use. */
let db: Queries;
let base: string;
let stop: () => void;
const received: Received[] = [];
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

beforeAll(async () => {
  ({ base, stop } = await startReceiver(received));
  built = await startBuilt({ name: "webhooks", script, bindings: receiver.BINDINGS });
  db = remember(built.db);
});
afterAll(async () => {
  stop();
  await built.stop();
});
beforeEach(async () => {
  received.length = 0;
  const tables = ["webhook_deliveries", "webhook_events", "webhooks", "alerts"];
  await db.batch(tables.map((table) => db.prepare(`DELETE FROM ${table}`)));
});

const api = <Item = { id: number; secret: string }>(path: string, method?: string, json?: object) =>
  receiver.api<Item>(built, path, method, json);
const create = (path: string, app?: string) => receiver.create(built, base + path, app);
const run = (cron?: string, at?: number) => receiver.run(built, cron, at);
const one = <T>(sql: string) => built.db.prepare(sql).first<T>();
const delivery = () =>
  one<{ status: number; error: string; due: number; attempts: number; at: number }>(
    "SELECT status, error, due_at AS due, attempts, attempted_at AS at FROM webhook_deliveries ORDER BY id DESC",
  );
const makeDue = () => db.prepare("UPDATE webhook_deliveries SET due_at = 1 WHERE due_at IS NOT NULL").run();

it("sends a signed event that the official package verifies, once, and tells nobody else", async () => {
  const { id, secret } = await create("/ok");
  await create("/error", DEMO.appToken);
  await api(`webhooks/${id}/test`);
  await run();
  await run();
  expect(received).toHaveLength(1);
  const [event] = received as [Received];
  expect(verify(secret, event)).toEqual({
    type: "webhook.test",
    timestamp: expect.stringMatching(/^20.*Z$/),
    text: "This is a test event from linkledger.",
    data: { webhook_id: id },
  });
  // A changed body, a changed secret, and a replay after five minutes.
  expect(() => verify(secret, { ...event, body: event.body.replace("test", "best") })).toThrow();
  const old = {
    ...event.headers,
    "webhook-timestamp": String(Number(event.headers["webhook-timestamp"]) - 301),
  };
  expect(() => verify(secret, { ...event, headers: old })).toThrow();
  const { items } = await api<{ attempts: number; status: number; error: null; due_at: null }>(
    `webhooks/${id}/deliveries`,
    "GET",
  );
  expect(items).toMatchObject([{ attempts: 1, status: 204, error: null, due_at: null }]);
});

it("tells of a silent partner within one hourly run and one of a minute", async () => {
  const { secret } = await create("/ok", DEMO.appToken);
  await api("alert-rules", "POST", { kind: "partner_silent", hours: 2, app_token: DEMO.appToken });
  const now = Date.now();
  expect(await run("17 * * * *", now)).toBe("ok");
  const click = await fetch(`${built.url}/${DEMO.linkToken}?s2s=1&cost_id=silent-built-0001`);
  expect(click.status).toBe(200);
  for (const hour of [1, 2]) await run("17 * * * *", now + hour * HOUR);
  await run();
  expect(received).toEqual([]);
  await run("17 * * * *", now + 3 * HOUR);
  await run();
  expect(received).toHaveLength(1);
  expect(verify(secret, received[0] as Received)).toMatchObject({
    type: "alert.opened",
    text: expect.stringContaining("No cost from Acme Ads after"),
    data: { kind: "partner_silent", app_token: DEMO.appToken, partner_id: 1, partner: "Acme Ads" },
  });
});

it("tells operators and the apps of a partner that it was stopped, and no other app", async () => {
  await create("/ok");
  await create("/large", DEMO.appToken);
  await create("/error", DEMO.otherAppToken);
  await built.db
    .prepare("UPDATE links SET partner_id = 3 WHERE app_token = ?")
    .bind(DEMO.otherAppToken)
    .run();
  await api("partners/2", "PATCH", { stopped: true });
  await api("partners/2", "PATCH", { stopped: true });
  await run();
  expect(received.map(({ path }) => path).sort()).toEqual(["/large", "/ok"]);
  expect(JSON.parse(received[0]?.body ?? "")).toMatchObject({
    type: "partner.stopped",
    text: "Beacon Network was stopped. Its costs are rejected from now on.",
  });
});

it.each([
  ["/error", 500, "Status 500"],
  ["/moved", 302, "Status 302: redirects are not followed"],
  ["/reset", null, "The connection failed"],
  ["/silent", null, "No response within 10 seconds"],
])("tries %s again", async (path, status, error) => {
  const { id, secret } = await create(path);
  await api(`webhooks/${id}/test`);
  await run();
  const first = await delivery();
  expect(first).toMatchObject({ status, error, attempts: 1 });
  expect((first?.due ?? 0) - (first?.at ?? 0)).toBe(MINUTE);
  expect(received.map((event) => event.path)).toEqual([path]);
  await built.db.prepare("UPDATE webhooks SET url = ?").bind(`${base}/ok`).run();
  await run();
  expect(received).toHaveLength(1);
  await makeDue();
  await run();
  expect(received).toHaveLength(2);
  expect(received[1]?.headers["webhook-id"]).toBe(received[0]?.headers["webhook-id"]);
  verify(secret, received[1] as Received);
  expect(await delivery()).toMatchObject({ status: 204, error: null, due: null, attempts: 2 });
  expect(await one("SELECT failing_since FROM webhooks")).toEqual({ failing_since: null });
});

it.each(["/large", "/endless"])("does not wait for the body of %s", async (path) => {
  const { id } = await create(path);
  await api(`webhooks/${id}/test`);
  await run();
  expect(await delivery()).toMatchObject({ status: 200, error: null, due: null, attempts: 1 });
});

it.each(["ts", "js", "python"])("is verified by the %s sample of the documentation", async (language) => {
  const { id, secret } = await create("/ok");
  const { items } = await api(`webhooks/${id}/secret`);
  await api(`webhooks/${id}/test`);
  await run();
  const [event] = received as [Received];
  const sent = { secret, ...event };
  const withHeader = (name: string, value: string) => ({
    ...sent,
    headers: { ...event.headers, [name]: value },
  });
  const seconds = Number(event.headers["webhook-timestamp"]);
  // Both secrets of a rotation.
  const accepted = [sent, { ...sent, secret: items[0]?.secret }];
  const rejected = [
    { ...sent, body: event.body.replace("test", "best") },
    { ...sent, secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw" },
    withHeader("webhook-id", "msg_other"),
    withHeader("webhook-timestamp", String(seconds - 301)),
    withHeader("webhook-timestamp", String(seconds + 1)),
    withHeader("webhook-signature", "v1,AAAA"),
  ];
  expect(verifyWithSample(language, [...accepted, ...rejected])).toEqual([
    ...accepted.map(() => "accepted"),
    ...rejected.map(() => "rejected"),
  ]);
});

it("tries nine times more, with the waits that are documented", async () => {
  const { id } = await create("/error");
  await api(`webhooks/${id}/test`);
  const waits: number[] = [];
  const attemptedAt: number[] = [];
  for (let attempt = 0; attempt < 11; attempt++) {
    await run();
    const last = await delivery();
    if (last?.due) waits.push((last.due - last.at) / MINUTE);
    if (last) attemptedAt.push(last.at);
    await makeDue();
  }
  expect(waits).toEqual([1, 5, 30, ...[2, 5, 10, 14, 20, 24].map((hours) => hours * 60)]);
  expect(received).toHaveLength(10);
  expect(await one("SELECT failing_since FROM webhooks")).toEqual({ failing_since: attemptedAt[0] });
  await api(
    `webhooks/${id}/deliveries/${(await one<{ id: number }>("SELECT id FROM webhook_deliveries"))?.id}`,
  );
  await run();
  expect(received).toHaveLength(11);
  expect(new Set(received.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
});

it("is judged again when it is sent, because the settings or a row may have changed", async () => {
  const { id } = await create("/ok");
  await built.db
    .prepare("UPDATE webhooks SET url = ?")
    .bind(`${base.replace("127.0.0.1", "localhost")}/ok`)
    .run();
  await api(`webhooks/${id}/test`);
  await run();
  expect(received).toEqual([]);
  expect(await delivery()).toMatchObject({ status: null, error: "The URL must begin with https://" });
});

it("ends with 410, and gets nothing until it is turned on", async () => {
  const { id } = await create("/gone");
  await api(`webhooks/${id}/test`);
  await run();
  expect((await api<{ state: string }>(`webhooks/${id}`, "GET")).items).toMatchObject([{ state: "gone" }]);
  await api(`webhooks/${id}/test`);
  await run();
  expect(received).toHaveLength(1);
  await api(`webhooks/${id}/on`);
  await api(`webhooks/${id}/test`);
  await run();
  expect(received).toHaveLength(2);
});

it("is turned off after five days of failures, with an alert that another webhook gets", async () => {
  const { id } = await create("/error");
  await create("/ok");
  await api(`webhooks/${id}/test`);
  await run();
  await built.db
    .prepare("UPDATE webhooks SET failing_since = failing_since - ? WHERE id = ?")
    .bind(5 * 24 * HOUR, id)
    .run();
  await makeDue();
  await run();
  expect((await api<{ state: string }>(`webhooks/${id}`, "GET")).items).toMatchObject([{ state: "failing" }]);
  await run();
  expect(received.map(({ path }) => path)).toEqual(["/error", "/error", "/ok"]);
  expect(JSON.parse(received[2]?.body ?? "")).toMatchObject({
    type: "alert.opened",
    data: { kind: "webhook_failing", webhook_id: id },
  });
  await api(`webhooks/${id}/on`);
  expect(await one("SELECT count(*) AS open FROM alerts WHERE closed_at IS NULL")).toEqual({ open: 0 });
});

it("signs with the secrets before a rotation too for a day", async () => {
  const { id, secret } = await create("/ok");
  // A rotation whose response was lost.
  await api(`webhooks/${id}/secret`);
  const { items } = await api(`webhooks/${id}/secret`);
  const second = items[0]?.secret ?? "";
  await api(`webhooks/${id}/test`);
  await run();
  for (const one of [secret, second]) verify(one, received[0] as Received);
  await built.db.prepare("UPDATE webhooks SET old_secret_until = ?").bind(Date.now()).run();
  await api(`webhooks/${id}/test`);
  await run();
  expect(() => verify(secret, received[1] as Received)).toThrow();
  verify(second, received[1] as Received);
});

it("sends once if two runs are at the same time, and one delivery to a webhook that was slow", async () => {
  const { id } = await create("/slow");
  for (let count = 0; count < 3; count++) await api(`webhooks/${id}/test`);
  await Promise.all([run(), run()]);
  expect(received).toHaveLength(3);
  for (let count = 0; count < 3; count++) await api(`webhooks/${id}/test`);
  await run();
  expect(received).toHaveLength(4);
});

it("keeps what came after a run that took longer than its claim", async () => {
  const { id } = await create("/slow");
  await api(`webhooks/${id}/test`);
  const slow = run();
  await expect.poll(() => received.length).toBe(1);
  await makeDue();
  await built.db.prepare("UPDATE webhooks SET url = ?").bind(`${base}/ok`).run();
  await run();
  const kept = await delivery();
  expect(kept).toMatchObject({ status: 204, attempts: 2 });
  await slow;
  expect(await delivery()).toEqual(kept);
});

/** Of each of ten webhooks. */
const DUE = isLong ? 100 : 20;
it(`sends ${DUE * 10} due deliveries in ${DUE / 5} runs, at most 10 to a webhook in a run`, async () => {
  for (let count = 0; count < 5; count++) await create("/ok");
  for (let count = 0; count < 5; count++) await create("/ok", DEMO.appToken);
  await built.db
    .prepare(
      `INSERT INTO webhook_events (message_id, type, body, happened_at, spread_at)
       VALUES ('msg_many', 'partner.stopped', '{"type":"partner.stopped"}', 1, 1)`,
    )
    .run();
  await built.db
    .prepare(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${DUE})
       INSERT INTO webhook_deliveries (webhook_id, event_id, rank, due_at)
       SELECT webhooks.id, (SELECT max(id) FROM webhook_events), 1, 1 FROM webhooks CROSS JOIN n`,
    )
    .run();
  await run();
  const most = await one(
    "SELECT max(c) AS c FROM (SELECT count(*) AS c FROM webhook_deliveries WHERE due_at IS NULL GROUP BY webhook_id)",
  );
  expect([received.length, most]).toEqual([50, { c: 10 }]);
  for (let count = 1; count < DUE / 5; count++) await run();
  expect(received).toHaveLength(DUE * 10);
}, 120_000);
