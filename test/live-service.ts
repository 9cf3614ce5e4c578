/** Runs the service, with `npm start` or from the built Worker, and finds inconsistencies in its database. */
import { spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";
import { createInterface } from "node:readline";
import { type DemoRow, toStatements } from "../src/dev/demo/rows.ts";
import { DEMO, demoStatements } from "../src/dev/demo.ts";
import { startBuilt } from "./built-worker.ts";

/** Adds up the lines of the log about requests that shared calls to D1, so that a run shows that they did. */
export class SharedCalls {
  requests = 0;
  calls = 0;
  largest = 0;

  /** Ignores other lines. */
  add(line: string): void {
    const [, json] = /"group":(\{[^}]*\})/.exec(line) ?? [];
    if (!json) return;
    const { requests, calls, largest } = JSON.parse(json) as SharedCalls;
    this.requests += requests;
    this.calls += calls;
    this.largest = Math.max(this.largest, largest);
  }

  toString(): string {
    return `${this.requests} requests in ${this.calls} calls to D1, at most ${this.largest} in one`;
  }
}

export interface LiveService {
  /** The `NAME=value` lines that `npm start` prints. */
  names: Record<string, string>;
  shared: SharedCalls;
  stop: (signal?: "SIGTERM" | "SIGKILL") => Promise<void>;
}

/** Runs `npm start` with a separate state directory, on any free port if none is given. `more` are other flags. */
export async function startService(state: string, port?: number, more: string[] = []): Promise<LiveService> {
  const flags = ["--port", String(port ?? (await freePort())), "--persist-to", state, ...more];
  const server = spawn("npm", ["start", "--", ...flags], {
    stdio: ["ignore", "pipe", "inherit"],
    // A separate process group, so that all of its processes can be stopped.
    detached: true,
  });
  const names: Record<string, string> = {};
  for await (const line of createInterface({ input: server.stdout })) {
    const [, name, value] = /^([A-Z_]+)=(\S+)$/.exec(line) ?? [];
    if (name && value) names[name] = value;
    if (name === "TEST_COST_TOKEN") break;
  }
  if (!names.BASE_URL) throw new Error("npm start exited before it was ready");
  // Keep reading, because the server stops when the pipe is full.
  const shared = new SharedCalls();
  createInterface({ input: server.stdout }).on("line", (line) => shared.add(line));
  return {
    names,
    shared,
    stop: async (signal = "SIGTERM") => {
      const ended = new Promise((resolve) => server.once("exit", resolve));
      if (server.pid) process.kill(-server.pid, signal);
      await ended;
    },
  };
}

/** Starts a built Worker with the demo data and `more`: in a fraction of the time, and without the proxies of `wrangler dev`. */
export async function startBuiltService(
  script: string,
  more: DemoRow[] = [],
  bindings: Record<string, string> = { WEBHOOK_KEY: "tests-of-webhooks-need-32-characters" },
): Promise<LiveService & { db: D1Database }> {
  const shared = new SharedCalls();
  const onLog = (line: string) => shared.add(line);
  const { url, db, stop } = await startBuilt({
    ...{ name: "worker", script, bindings, onLog },
    ...(more.length > 0 && { seed: [...demoStatements(Date.now()), ...toStatements(more)] }),
  });
  const names = {
    BASE_URL: url,
    APP_TOKEN: DEMO.appToken,
    LINK_TOKEN: DEMO.linkToken,
    API_TOKEN: DEMO.apiToken,
    OPERATOR_TOKEN: DEMO.operatorToken,
    COST_TOKEN: DEMO.costToken,
    TEST_COST_TOKEN: DEMO.testCostToken,
    TEST_LINK_TOKEN: DEMO.testLinkToken,
  };
  return { names, shared, db, stop };
}

/**
 * Returns a port on which nothing listens. It is below the ports that systems give to listeners and connections that name none: such
 * a port could be given to another process before the service listens on it.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(10_000, 32_768);
    const probe = createServer().listen(port, "localhost");
    const isFree = await once(probe, "listening").then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    probe.close();
    await once(probe, "close");
    return port;
  }
}

/**
 * Finds inconsistencies in the database; there must never be any. Compares the totals since a day (days since 1970), because
 * earlier ones include purged costs.
 */
export async function findContradictions(db: D1Database, sinceDay: number): Promise<string[]> {
  const keys = "app_token, day, link_id, partner_id, cost_type, currency, state";
  const checks = {
    "a daily total that differs from the sum of its costs": `
      SELECT * FROM (
        SELECT ${keys}, sum(count) AS count, sum(amount) AS amount FROM (
          SELECT ${keys}, count, amount FROM daily_totals
          UNION ALL SELECT ${keys}, -1, -coalesce(amount, 0) FROM cost_states
        ) GROUP BY ${keys}
      ) WHERE (count <> 0 OR amount <> 0) AND day >= ${sinceDay}`,
    "a link with a wrong number of sub-links": `
      SELECT id, child_count FROM links l WHERE child_count <> (SELECT count(*) FROM links c WHERE c.parent_id = l.id)`,
    "an app with a wrong number of links": `
      SELECT token, link_count FROM apps a
      WHERE link_count <> (SELECT count(*) FROM links l WHERE l.app_token = a.token AND l.parent_id IS NULL)`,
    "a link whose parent has another app or a wrong level": `
      SELECT l.id FROM links l JOIN links p ON p.id = l.parent_id WHERE p.app_token <> l.app_token OR p.level + 1 <> l.level`,
    "a round with a wrong number of entries": `
      SELECT id FROM rounds r WHERE entry_count <> (SELECT count(*) FROM round_entries e WHERE e.round_id = r.id)`,
    "a broken foreign key": "SELECT * FROM pragma_foreign_key_check",
    "two open rounds for one partner and cost type": `
      SELECT r.id FROM rounds r JOIN rounds o ON o.partner_id = r.partner_id AND o.id > r.id AND r.state = 'open' AND o.state = 'open'
      WHERE r.cost_types & o.cost_types`,
  };
  const found: string[] = [];
  for (const [name, query] of Object.entries(checks)) {
    const { results } = await db.prepare(query).all();
    if (results.length > 0) found.push(`${results.length} × ${name}: ${JSON.stringify(results.slice(0, 3))}`);
  }
  return found;
}

/** Returns those of a partner's cost IDs that are not in the ledger. */
export async function findLost(db: D1Database, partnerId: number, costIds: string[]): Promise<string[]> {
  const lost: string[] = [];
  for (let from = 0; from < costIds.length; from += 5_000) {
    const { results } = await db
      .prepare(
        `SELECT j.value AS id FROM json_each(?) j WHERE NOT EXISTS (
          SELECT 1 FROM ledger_entries e WHERE e.partner_id = ? AND e.cost_id = j.value AND e.received_at IS NOT NULL)`,
      )
      .bind(JSON.stringify(costIds.slice(from, from + 5_000)), partnerId)
      .all<{ id: string }>();
    lost.push(...results.map(({ id }) => id));
  }
  return lost;
}
