/** Alerts of operators by email, with the platform's simulator, which checks each message as Cloudflare does. */
import { createScheduledController } from "cloudflare:test";
import { beforeEach, expect, it, vi } from "vitest";
import type { Env } from "../../src/env.ts";
import worker from "../../src/index.ts";
import { faultyDatabase } from "../faults/faulty.ts";
import { DAY, DEMO, env, freshDemo, NOW, rows, withMethods } from "../harness.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
let sent: EmailMessageBuilder[];
let fails: boolean;

beforeEach(async () => {
  await freshDemo();
  [sent, fails] = [[], false];
});

const ALERTS = () =>
  withMethods(env.TEST_EMAIL, {
    send: async (message: EmailMessageBuilder) => {
      if (fails) throw new Error("the address is not verified");
      const result = await env.TEST_EMAIL.send(message);
      sent.push(message);
      return result;
    },
  });
const SETTINGS = { ALERTS_FROM: "alerts@example.com", ALERTS_TO: "ops@example.com, second@example.com" };
const run = (at: number, cron = "* * * * *", settings: Partial<Env> = { ...SETTINGS, ALERTS: ALERTS() }) =>
  worker.scheduled(createScheduledController({ scheduledTime: new Date(at), cron }), {
    ...env,
    ...settings,
  } as Env);
const late = (at: number) =>
  env.DB.prepare(
    "INSERT INTO purge_positions VALUES ('ledger_entries', 0, '', NULL, NULL, ?, 0, 0) ON CONFLICT DO UPDATE SET walked_at = excluded.walked_at",
  )
    .bind(at)
    .run();

it("tells operators of a late purge once, within a minute", async () => {
  await late(NOW - 3 * HOUR);
  await run(NOW);
  expect(sent).toEqual([]);
  await run(NOW + MINUTE);
  await run(NOW + 2 * MINUTE);
  expect(sent).toEqual([
    {
      from: "alerts@example.com",
      to: ["ops@example.com", "second@example.com"],
      subject: "linkledger: Hourly job late",
      text: "The hourly job has not run for DB since 15 Mar 2026, 09:00 UTC.\n\nAlert 1, opened 2026-03-15T12:01:00.000Z.\n",
    },
  ]);
});

it("names the page if the origin is known", async () => {
  await late(NOW - 2 * DAY);
  await run(NOW, "* * * * *", { ...SETTINGS, ALERTS: ALERTS(), ORIGIN: "https://links.example.com" });
  expect(sent[0]?.text).toContain("\n\nAll alerts: https://links.example.com/operator/alerts\n");
});

it("is tried again three minutes later for a day, and then no more", async () => {
  await late(NOW - 2 * DAY);
  fails = true;
  await run(NOW);
  fails = false;
  await run(NOW + 2 * MINUTE);
  expect(sent).toEqual([]);
  await run(NOW + 3 * MINUTE);
  expect(sent).toHaveLength(1);
  await env.DB.prepare("UPDATE alerts SET email_due_at = ?")
    .bind(NOW + DAY)
    .run();
  await run(NOW + DAY);
  expect(sent).toHaveLength(1);
});

it.each(["before", "after"] as const)(
  "is not lost when a call to D1 fails %s its commit, and is sent twice only if it could not be marked",
  async (when) => {
    vi.spyOn(console, "error").mockImplementation(() => {});
    // Rules and purge, the alert, the claim, and the mark.
    for (const failing of [1, 2, 3, 4]) {
      await freshDemo();
      sent = [];
      await late(NOW - 2 * DAY);
      const message = "D1_ERROR: Network connection lost.";
      const { database, calls } = faultyDatabase({ at: (call) => call === failing, when, message });
      await run(NOW, "* * * * *", { ...SETTINGS, ALERTS: ALERTS(), DB: database }).catch(() => undefined);
      expect(calls()).toBeGreaterThanOrEqual(failing);
      const open = await rows("SELECT id FROM alerts WHERE kind = 'purge_late'");
      expect(open.length).toBeGreaterThanOrEqual(sent.length);
      for (const minutes of [1, 3, 4, 7]) await run(NOW + minutes * MINUTE);
      expect(sent, `call ${failing}`).toHaveLength(failing === 4 && when === "before" ? 2 : 1);
      expect(new Set(sent.map(({ text }) => text)).size).toBe(1);
    }
  },
);

it("is sent once by two runs at the same time", async () => {
  await late(NOW - 2 * DAY);
  await Promise.all([run(NOW), run(NOW)]);
  expect(sent).toHaveLength(1);
});

it("has no alert of an app, and none that was opened before email was set up", async () => {
  await late(NOW - 2 * DAY);
  await run(NOW, "* * * * *", {});
  await env.DB.prepare(
    `INSERT INTO alert_rules VALUES (50, '${DEMO.appToken}', 'spend_above', '{"amount":0,"currency":"USD","period":"month"}')`,
  ).run();
  await run(NOW + MINUTE, "17 * * * *");
  await run(NOW + 2 * MINUTE);
  const open = await rows<{ app: string | null }>(
    "SELECT DISTINCT app_token AS app FROM alerts WHERE kind = 'spend_above'",
  );
  expect(open).toEqual([{ app: DEMO.appToken }]);
  expect(sent.map(({ subject }) => subject)).not.toContain("linkledger: Spend above a limit");
  expect(sent.map(({ subject }) => subject)).not.toContain("linkledger: Hourly job late");
});
