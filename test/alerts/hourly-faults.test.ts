/** The rules of alerts in the hourly run when a call to D1 fails: no alert and no event is lost, and none is without its cause. */
import { beforeEach, expect, it } from "vitest";
import { judgeAlerts } from "../../src/alerts.ts";
import { faultyDatabase, type InjectedFault } from "../faults/faulty.ts";
import { click, DEMO, env, freshState, ledgerOn, NOW, rows } from "../harness.ts";
import { CALL_STEP } from "../part.ts";
import { freshEmptyLedger, inLedger } from "../support.ts";

const HOUR = 3_600_000;
const SPEND = `'{"amount":0,"currency":"USD","period":"month","link_token":"${DEMO.linkToken}"}'`;

/** The first runs are over, and a partner was silent since then. What each opens, and what the alert of a deleted rule needs. */
const begin = () => freshState("hour of alerts", setUp);
async function setUp(): Promise<void> {
  await freshEmptyLedger();
  await inLedger("DELETE FROM alert_rules");
  await env.DB.batch(
    [
      `INSERT INTO alert_rules VALUES (201, NULL, 'partner_silent', '{"hours":2}'),
         (202, '${DEMO.appToken}', 'spend_above', ${SPEND}), (203, '${DEMO.appToken}', 'partner_silent', '{"hours":2}')`,
      ...["NULL", `'${DEMO.appToken}'`].map(
        (app) =>
          `INSERT INTO webhooks (app_token, url, secret, created_at) VALUES (${app}, 'https://example.com', '', 0)`,
      ),
    ].map((sql) => env.DB.prepare(sql)),
  );
  await judgeAlerts(ledgerOn(), NOW, false);
  await click("fault-click-0001", { now: NOW + 1 });
  for (const hour of [1, 2]) await judgeAlerts(ledgerOn(), NOW + hour * HOUR, false);
  await click("fault-click-0002", { now: NOW + 2 * HOUR });
  await env.DB.prepare(
    `INSERT INTO alerts (rule_id, app_token, kind, subject, data, opened_at)
     VALUES (9, '${DEMO.appToken}', 'partner_silent', 'partner 3', '{"partner":"Corsair","waiting_since":"2026-03-01T00:00:00Z"}', 0)`,
  ).run();
  await env.DB.prepare(
    `INSERT INTO daily_totals (app_token, day, link_id, partner_id, cost_type, currency, state, count, amount)
     SELECT '${DEMO.appToken}', ${Math.floor(NOW / (24 * HOUR))}, id, 4, 'cpc', 'USD', 'matched', 1, 100000 FROM links WHERE token = '${DEMO.linkToken}'`,
  ).run();
}
beforeEach(begin);

const OPENED = ["201 partner 1", "202 2026-03", "203 partner 1"];

/** Every event is that of a stored change of an alert, and every change has its event. */
async function expectEvents(): Promise<void> {
  const events = await rows<{ what: string }>(
    "SELECT body ->> '$.data.alert_id' || ' ' || type AS what FROM webhook_events ORDER BY 1",
  );
  const changes = await rows<{ what: string }>(
    `SELECT id || ' alert.opened' AS what FROM alerts WHERE opened_at > 0
     UNION ALL SELECT id || ' alert.closed' FROM alerts WHERE closed_at IS NOT NULL ORDER BY 1`,
  );
  expect(events).toEqual(changes);
}
const listOpen = async () =>
  (
    await rows<{ what: string }>(
      "SELECT rule_id || ' ' || subject AS what FROM alerts WHERE closed_at IS NULL ORDER BY 1",
    )
  ).map(({ what }) => what);

const judge = async (hour: number, fault?: InjectedFault) => {
  const { database, calls } = faultyDatabase(fault);
  const failed = await judgeAlerts(ledgerOn(database), NOW + hour * HOUR, false).then(
    () => false,
    () => true,
  );
  return { failed, calls: calls() };
};

it.each(["before", "after"] as const)("loses nothing when a call fails %s its commit", async (when) => {
  const { calls } = await judge(3);
  expect(await listOpen()).toEqual(OPENED);
  await expectEvents();
  expect(calls).toBeGreaterThan(8);
  for (let failing = 1; failing <= calls; failing += CALL_STEP) {
    await begin();
    const message = "D1_ERROR: Network connection lost.";
    expect((await judge(3, { at: (call) => call === failing, when, message })).failed).toBe(true);
    await expectEvents();
    expect((await judge(4)).failed).toBe(false);
    await expectEvents();
    expect(await listOpen(), `call ${failing}`).toEqual(OPENED);
  }
});

it("judges the apps although the rules of operators cannot be judged", async () => {
  const isOfOperators = (call: number) => call === 2;
  expect((await judge(3, { at: isOfOperators, when: "before", message: "D1_ERROR: x" })).failed).toBe(true);
  expect(await listOpen()).toEqual(OPENED.slice(1));
});
