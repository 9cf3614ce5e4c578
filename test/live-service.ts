/** The service as `npm start` runs it, on a free port with a state of its own; and its database once it has stopped. */
import { spawn } from "node:child_process";
import { createServer } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { getPlatformProxy } from "wrangler";

export interface LiveService {
  /** What `npm start` prints as `NAME=value`. */
  names: Record<string, string>;
  stop: (signal?: "SIGTERM" | "SIGKILL") => Promise<void>;
}

export async function startService(state: string, port?: number): Promise<LiveService> {
  const flags = ["--port", String(port ?? (await freePort())), "--persist-to", state];
  const server = spawn("npm", ["start", "--", ...flags], {
    stdio: ["ignore", "pipe", "inherit"],
    // A group of its own, so that all of it can be stopped.
    detached: true,
  });
  const names: Record<string, string> = {};
  for await (const line of createInterface({ input: server.stdout })) {
    const [, name, value] = /^([A-Z_]+)=(\S+)$/.exec(line) ?? [];
    if (name && value) names[name] = value;
    if (name === "TEST_COST_TOKEN") break;
  }
  if (!names.BASE_URL) throw new Error("npm start ended before it was ready");
  // Read on, or the pipe fills and the server stops.
  server.stdout.resume();
  return {
    names,
    stop: async (signal = "SIGTERM") => {
      const ended = new Promise((resolve) => server.once("exit", resolve));
      if (server.pid) process.kill(-server.pid, signal);
      await ended;
    },
  };
}

export function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, "127.0.0.1", () => {
      const address = probe.address();
      const port = typeof address === "object" && address ? address.port : 0;
      probe.close(() => resolve(port));
    });
  });
}

/** Reads the database of a service that has stopped. */
export async function readState<T>(state: string, read: (db: D1Database) => Promise<T>): Promise<T> {
  const { env, dispose } = await getPlatformProxy<{ DB: D1Database }>({
    persist: { path: join(state, "v3") },
    remoteBindings: false,
  });
  try {
    return await read(env.DB);
  } finally {
    await dispose();
  }
}

/**
 * Everything in the database that contradicts itself: nothing, whatever was done to it. Totals are compared from a day on,
 * in days since 1970: those of costs that were purged stay.
 */
export async function findContradictions(db: D1Database, sinceDay: number): Promise<string[]> {
  const keys = "app_token, day, link_id, partner_id, cost_type, currency, state";
  const checks = {
    "a daily total that its costs do not add up to": `
      SELECT * FROM (
        SELECT ${keys}, sum(count) AS count, sum(amount) AS amount FROM (
          SELECT ${keys}, count, amount FROM daily_totals
          UNION ALL SELECT ${keys}, -1, -coalesce(amount, 0) FROM cost_states
        ) GROUP BY ${keys}
      ) WHERE (count <> 0 OR amount <> 0) AND day >= ${sinceDay}`,
    "a link whose sub-links are miscounted": `
      SELECT id, child_count FROM links l WHERE child_count <> (SELECT count(*) FROM links c WHERE c.parent_id = l.id)`,
    "an app whose links are miscounted": `
      SELECT token, link_count FROM apps a
      WHERE link_count <> (SELECT count(*) FROM links l WHERE l.app_token = a.token AND l.parent_id IS NULL)`,
    "a link below one of another app or level": `
      SELECT l.id FROM links l JOIN links p ON p.id = l.parent_id WHERE p.app_token <> l.app_token OR p.level + 1 <> l.level`,
    "a round whose entries are miscounted": `
      SELECT id FROM rounds r WHERE entry_count <> (SELECT count(*) FROM round_entries e WHERE e.round_id = r.id)`,
    "a reference to nothing": "SELECT * FROM pragma_foreign_key_check",
    "two open rounds for one partner and cost type": `
      SELECT r.id FROM rounds r JOIN rounds o ON o.partner_id = r.partner_id AND o.id > r.id AND r.state = 'open' AND o.state = 'open'
      JOIN json_each('["cpc","cpi","cpe","cpm"]') j ON instr(r.cost_types, j.value) AND instr(o.cost_types, j.value)`,
  };
  const found: string[] = [];
  for (const [name, query] of Object.entries(checks)) {
    const { results } = await db.prepare(query).all();
    if (results.length > 0) found.push(`${results.length} × ${name}: ${JSON.stringify(results.slice(0, 3))}`);
  }
  return found;
}

/** Which of the given cost IDs of a partner are not in the ledger. */
export async function findLost(db: D1Database, partnerId: number, costIds: string[]): Promise<string[]> {
  const lost: string[] = [];
  for (let from = 0; from < costIds.length; from += 5_000) {
    const { results } = await db
      .prepare(
        "SELECT j.value AS id FROM json_each(?) j WHERE NOT EXISTS (SELECT 1 FROM costs c WHERE c.partner_id = ? AND c.cost_id = j.value)",
      )
      .bind(JSON.stringify(costIds.slice(from, from + 5_000)), partnerId)
      .all<{ id: string }>();
    lost.push(...results.map(({ id }) => id));
  }
  return lost;
}
