/** Compares the alerts of random hours of costs and clicks with a model, with their events. */
import * as fc from "fast-check";
import { beforeAll, beforeEach, expect, it } from "vitest";
import { judgeAlerts } from "../../src/alerts.ts";
import { click, DEMO, env, ledgerOn, NOW, rows, sendCost } from "../harness.ts";
import { runs } from "../part.ts";
import { freshEmptyLedger, inLedger } from "../support.ts";

const HOUR = 3_600_000;
/** In hours: how long a partner is silent; and more rejected costs than a number and a percentage of all. */
const RULES = [
  { id: 101, app: null, silent: 3 },
  { id: 102, app: null, count: 1, percent: 40 },
  { id: 103, app: DEMO.appToken, silent: 2 },
  { id: 104, app: DEMO.appToken, count: 0, percent: 50 },
] as const;

beforeAll(freshEmptyLedger);
beforeEach(async () => {
  await inLedger(
    ...["daily_totals", "daily_engagements", "ledger_entries", "daily_rejections", "cost_activity"].map(
      (table) => `DELETE FROM ${table}`,
    ),
  );
  await env.DB.batch(
    [
      ...["alerts", "alert_rules", "webhook_events", "webhooks"].map((table) => `DELETE FROM ${table}`),
      ...RULES.map(
        ({ id, app, ...settings }) =>
          `INSERT INTO alert_rules (id, app_token, kind, settings) VALUES (${id}, ${app ? `'${app}'` : "NULL"}, ${
            "silent" in settings
              ? `'partner_silent', '{"hours":${settings.silent}}'`
              : `'costs_rejected', '${JSON.stringify(settings)}'`
          })`,
      ),
      ...["NULL", `'${DEMO.appToken}'`].map(
        (app) =>
          `INSERT INTO webhooks (app_token, url, secret, created_at) VALUES (${app}, 'https://example.com', '', 0)`,
      ),
    ].map((sql) => env.DB.prepare(sql)),
  );
});

/** What happens in an hour: clicks, costs for them, the same again with other amounts, costs that cannot be read, and runs of the cron. */
const hour = fc.record({
  clicks: fc.integer({ min: 0, max: 2 }),
  costs: fc.integer({ min: 0, max: 2 }),
  conflicts: fc.integer({ min: 0, max: 2 }),
  invalid: fc.integer({ min: 0, max: 2 }),
  runs: fc.constantFrom("one", "two", "at the same time"),
});
const quiet = fc.constant({ clicks: 0, costs: 0, conflicts: 0, invalid: 0, runs: "one" as const });
type Hour = typeof hour extends fc.Arbitrary<infer H> ? H : never;

/** What the alerts are after each hour: `[hour, rule]` of those that are open. */
class Model {
  readonly open = new Set<number>();
  readonly log: string[] = [];
  readonly #waiting = new Map<string, number>();

  pass(at: number, { clicks, costs, conflicts, invalid }: Hour): void {
    for (const { id, app, ...rule } of RULES) {
      const rejected = conflicts + (app === null ? invalid : 0);
      const isActive = costs + rejected > 0;
      const scope = app ?? "";
      if (isActive) this.#waiting.delete(scope);
      else if (clicks > 0 && !this.#waiting.has(scope)) this.#waiting.set(scope, at);
      const waiting = this.#waiting.get(scope);
      const isFound =
        "silent" in rule
          ? waiting !== undefined && at - waiting >= rule.silent
          : rejected > rule.count && 100 * rejected > rule.percent * (costs + rejected);
      if (isFound === this.open.has(id)) continue;
      if (isFound) this.open.add(id);
      else this.open.delete(id);
      this.log.push(`${at} ${id} ${isFound ? "alert.opened" : "alert.closed"}`);
    }
  }
}

const run = (at: number) => judgeAlerts(ledgerOn(), NOW + at * HOUR, false);

async function live(at: number, { clicks, costs, conflicts, invalid, runs }: Hour, sent: string[]) {
  const now = NOW + at * HOUR - 1_000;
  for (let index = 0; index < clicks; index++) {
    // Its cost comes with an ID of its own, so each click waits.
    await click(`model-click-${at}-${index}`, { now });
  }
  for (let index = 0; index < costs; index++) {
    const id = `model-cost-${at}-${index}-x`;
    await click(id, { now });
    await sendCost({ cost_id: id, cost_amount: "1" }, { now });
    sent.push(id);
  }
  for (let index = 0; index < conflicts; index++)
    await sendCost({ cost_id: sent.at(-1) ?? "", cost_amount: "2" }, { now });
  for (let index = 0; index < invalid; index++) await sendCost({ cost_id: "short" }, { now });
  if (runs === "at the same time") await Promise.all([run(at), run(at)]);
  else await run(at);
  if (runs === "two") await run(at);
}

it("opens and closes alerts, each with one event, exactly as a model says", async () => {
  let from = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.oneof({ weight: 2, arbitrary: quiet }, { weight: 1, arbitrary: hour }), {
        minLength: 4,
        maxLength: 24,
      }),
      async (hours) => {
        // Each history is two months after the one before, when nothing of that is counted.
        from += 60 * 24;
        await env.DB.batch(
          ["alerts", "webhook_events", "cost_activity"].map((table) =>
            env.DB.prepare(`DELETE FROM ${table}`),
          ),
        );
        const sent = [`model-first-${from}`];
        await click(sent[0] ?? "", { now: NOW + from * HOUR - 1_000 });
        await sendCost({ cost_id: sent[0] ?? "", cost_amount: "1" }, { now: NOW + from * HOUR - 1_000 });
        await run(from);
        const model = new Model();
        // The first run cannot say what is new.
        model.pass(from, { clicks: 0, costs: 0, conflicts: 0, invalid: 0, runs: "one" });
        for (const [index, happens] of hours.entries()) {
          const at = from + index + 1;
          await live(at, happens, sent);
          model.pass(at, { ...happens, clicks: happens.clicks + happens.costs });
          const open = await rows<{ rule_id: number }>(
            "SELECT rule_id FROM alerts WHERE closed_at IS NULL ORDER BY rule_id",
          );
          expect(open.map(({ rule_id }) => rule_id)).toEqual([...model.open].sort());
        }
        const events = await rows<{ at: number; rule: number; type: string }>(
          "SELECT happened_at AS at, body ->> '$.data.rule_id' AS rule, type FROM webhook_events ORDER BY id",
        );
        expect(events.map(({ at, rule, type }) => `${(at - NOW) / HOUR} ${rule} ${type}`).sort()).toEqual(
          model.log.toSorted(),
        );
      },
    ),
    runs(8, 2),
  );
});
