/** From which figures on each kind of rule opens an alert, in the database, and what it says. */
import { beforeEach, describe, expect, it } from "vitest";
import { judgeAlerts, judgePurge } from "../../src/alerts.ts";
import { storeRates } from "../../src/db/operator/stored-rates.ts";
import { KIND_NAMES } from "../../src/pages/alerts/sentences.ts";
import {
  ask,
  click,
  countingDatabase,
  DAY,
  DEMO,
  env,
  freshState,
  ledgerOn,
  NOW,
  rows,
  sendCost,
} from "../harness.ts";
import { isWhole } from "../part.ts";
import { changedBefore, freshEmptyLedger, inLedger } from "../support.ts";

const HOUR = 3_600_000;
const PATH = "/operator/v1/alert-rules";

beforeEach(() =>
  freshState("no alert rules", async () => {
    await freshEmptyLedger();
    await inLedger("DELETE FROM alert_rules", "DELETE FROM partner_rates");
  }),
);

const run = (now = NOW) => judgeAlerts(ledgerOn(), now, false);
async function create(json: object) {
  const { status, body } = await ask<{ data: { items: { id: number }[] } }>(PATH, {
    json,
    token: DEMO.operatorToken,
  });
  expect([status, body]).toMatchObject([201, { data: { items: [json] } }]);
  return body.data.items[0]?.id ?? 0;
}
async function alerts() {
  const found = await rows<{ kind: string; subject: string; data: string; closed: number }>(
    "SELECT kind, subject, data, closed_at IS NOT NULL AS closed FROM alerts ORDER BY id",
  );
  return found.map(({ data, ...row }) => ({ ...row, data: JSON.parse(data) }));
}
async function cost(id: string, amount: string, now = NOW - 1, link = DEMO.linkToken as string) {
  await click(id, { now, link });
  const { status } = await sendCost({ cost_id: id, cost_amount: amount }, { now });
  expect(status).toBe(200);
}

describe("spend_above", () => {
  const SPEND = { kind: "spend_above", amount: "10", currency: "USD", period: "day" };
  const DAY_OF_NOW = "2026-03-15";

  it.runIf(isWhole)("opens above the amount, not at it, and closes with the day or below it", async () => {
    await create({ ...SPEND, app_token: DEMO.appToken });
    await cost("spent-click-0001", "10");
    await run();
    expect(await alerts()).toEqual([]);
    await cost("spent-click-0002", "0.00001");
    await run();
    const data = { spend: "10.00001", limit: "10", currency: "USD", period: "day", day: DAY_OF_NOW };
    const open = { kind: "spend_above", subject: DAY_OF_NOW, data: expect.objectContaining(data), closed: 0 };
    expect(await alerts()).toEqual([open]);
    await ask("/cost/spent-click-0002/void", { method: "POST", token: DEMO.costToken, now: NOW });
    await run();
    expect(await alerts()).toEqual([{ ...open, closed: 1 }]);
    await cost("spent-click-0003", "1");
    await run(NOW + HOUR);
    await run(NOW + DAY);
    expect((await alerts()).map(({ closed }) => closed)).toEqual([1, 0]);
    await run(NOW + 2 * DAY);
    expect((await alerts()).map(({ closed }) => closed)).toEqual([1, 1]);
  });

  it.runIf(isWhole)("finds what arrives on the day after, and says why its alert closes then", async () => {
    await create({ ...SPEND, app_token: DEMO.appToken, partner_id: 1 });
    await create({ ...SPEND, app_token: DEMO.appToken, period: "month" });
    await env.DB.prepare(
      "INSERT INTO webhooks (app_token, url, secret, created_at) VALUES (?, 'https://example.com', '', 0)",
    )
      .bind(DEMO.appToken)
      .run();
    const lastOfMonth = Date.UTC(2026, 2, 31, 23, 30);
    await click("late-click-00001", { now: lastOfMonth });
    await run(lastOfMonth + HOUR / 2);
    expect(await alerts()).toEqual([]);
    await sendCost({ cost_id: "late-click-00001", cost_amount: "10.5" }, { now: lastOfMonth + 3 * HOUR });
    await run(lastOfMonth + 4 * HOUR);
    expect(await alerts()).toMatchObject([
      { subject: "2026-03-31", closed: 0 },
      { subject: "2026-03", closed: 0 },
    ]);
    await run(lastOfMonth + 2 * DAY);
    await run(lastOfMonth + 2 * DAY);
    const texts = await rows<{ text: string }>(
      "SELECT body ->> '$.text' AS text FROM webhook_events ORDER BY id",
    );
    const opened = [
      "The spend of Acme Ads on 31 Mar 2026 is $10.50, above the limit of $10.00.",
      "The spend in Mar 2026 is $10.50, above the limit of $10.00.",
    ];
    expect(texts.map(({ text }) => text)).toEqual([
      ...opened,
      ...opened.map((text) => `Closed, because its rule covers other days now: ${text}`),
    ]);
  });

  it("adds up a month, adjustments included, and no other app, partner or currency", async () => {
    await create({ ...SPEND, period: "month", amount: "30", app_token: DEMO.appToken });
    await create({ ...SPEND, period: "month", amount: "30", app_token: DEMO.otherAppToken });
    await create({ ...SPEND, period: "month", amount: "5", currency: "EUR", app_token: DEMO.appToken });
    await create({ ...SPEND, period: "month", amount: "5", partner_id: 2, app_token: DEMO.appToken });
    const all = await create({ ...SPEND, period: "month", amount: "30", partner_id: 1 });
    await cost("month-click-0001", "20", Date.UTC(2026, 2, 12));
    await env.DB.prepare(
      `INSERT INTO adjustments VALUES (1, '${DEMO.appToken}', ${Date.UTC(2026, 2, 2) / DAY}, 1, 1, 'cpc', 'USD', 1000000001, 'x', 2, 0)`,
    ).run();
    await run();
    const found = await rows<{ rule: number; app: string | null; subject: string; spend: string }>(
      "SELECT rule_id AS rule, app_token AS app, subject, data ->> '$.spend' AS spend FROM alerts ORDER BY id",
    );
    const same = { subject: "2026-03", spend: "30.00000001" };
    expect(found).toEqual([
      { rule: all, app: null, ...same },
      { rule: expect.any(Number), app: DEMO.appToken, ...same },
    ]);
  });

  it.runIf(isWhole)("is about a link and those below it", async () => {
    const above = await create({ ...SPEND, app_token: DEMO.appToken, link_token: DEMO.linkToken });
    const beside = await create({ ...SPEND, app_token: DEMO.appToken, link_token: "demo1nk008" });
    await click("below-click-0001", { now: NOW - 1, query: "&campaign=Below" });
    await sendCost({ cost_id: "below-click-0001", cost_amount: "10.5" }, { now: NOW - 1 });
    await run();
    const found = await rows<{ rule: number; link: string }>(
      "SELECT rule_id AS rule, data ->> '$.link' AS link FROM alerts",
    );
    expect(found).toEqual([{ rule: above, link: "Acme" }]);
    expect(beside).toBeGreaterThan(above);
  });

  it.runIf(isWhole)("of operators about a link names its app", async () => {
    const { body } = await ask(PATH, {
      json: { ...SPEND, link_token: DEMO.linkToken },
      token: DEMO.operatorToken,
    });
    expect(body).toMatchObject({ data: { items: [{ app_token: null, of_app_token: DEMO.appToken }] } });
  });
});

it.runIf(isWhole)(
  "discrepancy opens from the percentage and 20 clicks or impressions on, for each cost type",
  async () => {
    await create({ kind: "discrepancy", percent: 29 });
    await env.DB.batch(
      [
        [1, "cpc", 100, 71],
        [1, "cpm", 100, 72],
        [4, "cpc", 19, 0],
        [4, "cpm", 20, 0],
        [5, "cpi", null, null],
      ].map((row) => env.DB.prepare("INSERT INTO partner_rates VALUES (?, ?, 0, 0, 0, ?, ?)").bind(...row)),
    );
    await run();
    expect(await alerts()).toEqual([
      {
        ...{ kind: "discrepancy", subject: "partner 1 cpc", closed: 0 },
        data: { partner_id: 1, partner: "Acme Ads", cost_type: "cpc", discrepancy: 0.29 },
      },
      {
        ...{ kind: "discrepancy", subject: "partner 4 cpm", closed: 0 },
        data: { partner_id: 4, partner: "Delta Reach", cost_type: "cpm", discrepancy: 1 },
      },
    ]);
  },
);

it("discrepancy of an app is of its own clicks, counted once a day", async () => {
  const rule = { kind: "discrepancy", app_token: DEMO.appToken };
  await storeRates(ledgerOn(), NOW - 2 * DAY);
  const opens = await create({ ...rule, percent: 50 });
  await create({ ...rule, percent: 51 });
  await create({ ...rule, percent: 1, app_token: DEMO.otherAppToken });
  const numbers = Array.from({ length: 10 }, (_, index) => 10 + index);
  await Promise.all(numbers.map((number) => cost(`agreeing-click-${number}`, "1")));
  const open = (number: number) => click(`missing-click-${number}`, { now: NOW - 1 });
  await Promise.all(numbers.slice(1).map(open));
  await run();
  expect(await alerts()).toEqual([]);
  // 19 are too few.
  await storeRates(ledgerOn(), NOW);
  await run();
  expect(await alerts()).toEqual([]);
  await open(10);
  await inLedger("DELETE FROM partner_rates");
  await storeRates(ledgerOn(), NOW);
  await run();
  const data = { partner_id: 1, partner: "Acme Ads", cost_type: "cpc", discrepancy: 0.5 };
  expect(await alerts()).toEqual([{ kind: "discrepancy", subject: "partner 1 cpc", data, closed: 0 }]);
  expect(await rows("SELECT DISTINCT rule_id, app_token FROM alerts")).toEqual([
    { rule_id: opens, app_token: DEMO.appToken },
  ]);
  const late = (number: number) =>
    sendCost({ cost_id: `missing-click-${number}`, cost_amount: "1" }, { now: NOW + 1 });
  await Promise.all(numbers.map(late));
  await storeRates(ledgerOn(), NOW + DAY);
  await run(NOW + DAY);
  expect((await alerts()).map(({ closed }) => closed)).toEqual([1]);
  // They are counted for the lists of members too.
  await inLedger("DELETE FROM alert_rules");
  await storeRates(ledgerOn(), NOW + 2 * DAY);
  expect(await rows("SELECT * FROM app_rates")).toEqual([
    { app_token: DEMO.appToken, partner_id: 1, cost_type: "cpc", expected: 20, agreeing: 20 },
  ]);
});

it("url_prices_limited is open while prices are held", async () => {
  await create({ kind: "url_prices_limited" });
  await inLedger(
    `INSERT INTO daily_url_prices VALUES (1, '${DEMO.appToken}', ${Math.floor(NOW / DAY)}, 'USD', 5, 5, 2)`,
  );
  await run();
  const held = 2 * (ledgerOn().shards.length + 1);
  expect(await alerts()).toMatchObject([{ subject: "partner 1", data: { held_prices: held }, closed: 0 }]);
  await inLedger("UPDATE daily_url_prices SET held_count = 0");
  await run();
  expect(await alerts()).toMatchObject([{ subject: "partner 1", closed: 1 }]);
});

it.runIf(isWhole)(
  "sub_links_full is about an app, and about a network, that clicks can add no link to today",
  async () => {
    await create({ kind: "sub_links_full" });
    const today = Math.floor(NOW / DAY);
    const set = (app: number, network: number) =>
      env.DB.batch([
        env.DB.prepare(
          "UPDATE apps SET max_new_sub_links = 2, new_sub_link_day = ?, new_sub_link_count = ? WHERE token = ?",
        ).bind(today, app, DEMO.appToken),
        env.DB.prepare("UPDATE links SET new_sub_link_day = ?, new_sub_link_count = ? WHERE token = ?").bind(
          today,
          network,
          DEMO.linkToken,
        ),
      ]);
    await set(9, 1);
    await run();
    expect(await alerts()).toEqual([]);
    await set(10, 2);
    await run();
    expect((await alerts()).map(({ subject }) => subject)).toEqual([
      `app ${DEMO.appToken}`,
      `link ${DEMO.linkToken}`,
    ]);
    await run(NOW + DAY);
    expect((await alerts()).map(({ closed }) => closed)).toEqual([1, 1]);
  },
);

describe("purge_late", () => {
  const LIMIT = { kind: "purge_late", hours: 3 };
  const purged = (at: number) =>
    inLedger(
      `INSERT INTO purge_positions VALUES ('ledger_entries', 0, '', NULL, NULL, ${at}, 0, 0) ON CONFLICT DO UPDATE SET walked_at = ${at}`,
    );
  const minute = (now: number) => judgePurge(ledgerOn(), now, false);

  it.runIf(isWhole)(
    "is judged each minute, after more than its hours, and not before the first purge",
    async () => {
      await create(LIMIT);
      await minute(NOW);
      await purged(NOW);
      await minute(NOW + 3 * HOUR);
      expect(await alerts()).toEqual([]);
      await minute(NOW + 3 * HOUR + 60_000);
      await minute(NOW + 3 * HOUR + 120_000);
      const data = { database: "DB", purged_at: "2026-03-15T12:00:00.000Z" };
      const open = { kind: "purge_late", subject: "database DB", data, closed: 0 };
      expect(await alerts()).toEqual([open]);
      await purged(NOW + 4 * HOUR);
      await minute(NOW + 4 * HOUR);
      expect(await alerts()).toEqual([{ ...open, closed: 1 }]);
    },
  );

  it("leaves the alerts of other rules and of shards to the hourly run", async () => {
    await create(LIMIT);
    await env.DB.batch(
      [
        ["purge_late", "database LEDGER_0"],
        ["database_large", "database DB"],
      ].map(([kind, subject]) =>
        env.DB.prepare(
          `INSERT INTO alerts (rule_id, kind, subject, data, opened_at)
             VALUES (9, ?, ?, '{"database":"LEDGER_0","bytes":1,"purged_at":"2026-03-01T00:00:00.000Z"}', 0)`,
        ).bind(kind, subject),
      ),
    );
    await purged(NOW);
    await minute(NOW);
    expect((await alerts()).map(({ closed }) => closed)).toEqual([0, 0]);
    await run();
    expect((await alerts()).map(({ closed }) => closed)).toEqual([1, 1]);
  });
});

it.runIf(isWhole)("a rule for a partner is in the place of the one for all", async () => {
  await create({ kind: "partner_silent", hours: 2 });
  await create({ kind: "partner_silent", hours: 4, partner_id: 1 });
  await run(NOW);
  await click("silent-click-001", { now: NOW + 1 });
  for (const hour of [1, 2, 3, 4]) await run(NOW + hour * HOUR);
  expect(await alerts()).toEqual([]);
  await run(NOW + 5 * HOUR);
  expect(await alerts()).toMatchObject([
    { subject: "partner 1", data: { waiting_since: "2026-03-15T13:00:00.000Z", last_cost_at: null } },
  ]);
});

it("a partner that is stopped, or whose links have cost data off or are archived, is not silent", async () => {
  await create({ kind: "partner_silent", hours: 2 });
  await create({ kind: "partner_silent", hours: 2, app_token: DEMO.appToken });
  await run(NOW);
  await click("off-click-000001", { now: NOW + 1 });
  await env.DB.prepare("UPDATE links SET cost_switch = 0").run();
  for (const hour of [1, 2]) await run(NOW + hour * HOUR);
  await env.DB.prepare("UPDATE links SET cost_switch = 1, archived = 1 WHERE partner_id = 1").run();
  await click("off-click-archive", { now: NOW + 2 * HOUR + 1 });
  for (const hour of [3, 4]) await run(NOW + hour * HOUR);
  expect(await alerts()).toEqual([]);
  await env.DB.prepare("UPDATE links SET archived = 0 WHERE partner_id = 1").run();
  await click("off-click-000002", { now: NOW + 5 * HOUR - 1 });
  for (const hour of [5, 6]) await run(NOW + hour * HOUR);
  // It begins to wait when cost data is on again.
  expect(await alerts()).toEqual([]);
  await run(NOW + 7 * HOUR);
  expect(await alerts()).toMatchObject([{ closed: 0 }, { closed: 0 }]);
  await env.DB.prepare("UPDATE partners SET stopped_at = 1 WHERE id = 1").run();
  await run(NOW + 8 * HOUR);
  expect(await alerts()).toMatchObject([{ closed: 1 }, { closed: 1 }]);
});

it("costs_rejected is above a number an hour, after a pause of the cron too", async () => {
  await create({ kind: "costs_rejected", count: 1, percent: 1 });
  await run(NOW);
  const reject = (now: number) => sendCost({ cost_id: "short" }, { now });
  await reject(NOW + 1);
  await reject(NOW + HOUR + 1);
  await run(NOW + 2 * HOUR);
  expect(await alerts()).toEqual([]);
  for (const minute of [1, 2, 3]) await reject(NOW + 2 * HOUR + minute);
  await run(NOW + 4 * HOUR);
  expect(await alerts()).toMatchObject([{ subject: "partner 1", data: { rejected: 3, costs: 3, hours: 2 } }]);
});

it.runIf(isWhole)("a run that a later one overtakes stores nothing", async () => {
  await create({ kind: "costs_rejected", count: 0, percent: 1 });
  await run(NOW);
  await sendCost({ cost_id: "short" }, { now: NOW + 1 });
  // Its last call is the one that writes.
  const { database, counts } = countingDatabase();
  await judgeAlerts(ledgerOn(database), NOW, false);
  const late = changedBefore(counts.calls, () => run(NOW + 2 * HOUR));
  await judgeAlerts(ledgerOn(late), NOW + HOUR, false);
  const [{ hour }] = (await rows<{ hour: number }>("SELECT min(hour) AS hour FROM cost_activity")) as [
    { hour: number },
  ];
  expect(hour).toBe((NOW + 2 * HOUR) / HOUR);
});

it.runIf(isWhole)("closes the alerts of a rule that was deleted, and says so", async () => {
  const id = await create({ kind: "partner_silent", hours: 2, app_token: DEMO.appToken });
  await env.DB.prepare(
    "INSERT INTO webhooks (app_token, url, secret, created_at) VALUES (?, 'https://example.com', '', 0)",
  )
    .bind(DEMO.appToken)
    .run();
  await run(NOW);
  await click("gone-click-00001", { now: NOW + 1 });
  for (const hour of [1, 2, 3]) await run(NOW + hour * HOUR);
  expect(await alerts()).toMatchObject([{ closed: 0 }]);
  await ask(`${PATH}/${id}`, { method: "DELETE", token: DEMO.operatorToken });
  await run(NOW + 4 * HOUR);
  expect(await alerts()).toMatchObject([{ closed: 1 }]);
  const texts = await rows<{ text: string }>(
    "SELECT body ->> '$.text' AS text FROM webhook_events ORDER BY id",
  );
  const opened =
    "No cost from Acme Ads after 15 Mar 2026, 13:00 UTC. Its clicks and impressions wait for costs.";
  expect(texts.map(({ text }) => text)).toEqual([
    opened,
    `Closed, because its rule was changed or deleted: ${opened}`,
  ]);
});

it.runIf(isWhole)("has a name for every kind", () => {
  expect(new Set(Object.values(KIND_NAMES)).size).toBe(Object.keys(KIND_NAMES).length);
});
