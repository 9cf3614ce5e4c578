/**
 * Runs in workerd around the built Worker. Its databases are slow, wait or fail as a test says: `PUT /test/database` begins again,
 * `PATCH` changes the behavior, `GET` returns what the databases have seen.
 */

/** What the databases do from now on. */
export interface Behavior {
  /** Milliseconds before each call. */
  delay: number;
  /** How many calls may begin; the others wait. */
  allowed: number;
  /** The next calls that have this text in the SQL or in a value of a statement fail. */
  fault?: {
    has: string;
    /** The name of a binding. Default: any. */
    database?: string;
    /** How many of these calls are made before the first that fails. Default: 0. */
    skip?: number;
    times: number;
    /** Before or after the commit; `never`: without an answer. */
    when: "before" | "after" | "never";
    message: string;
  };
  /** A statement that has this value fails with an SQL error. */
  poison?: string;
  /** The share of requests that end with their response or their connection: nothing continues after it. */
  ends?: number;
  /** How far the clock is ahead, in milliseconds. */
  ahead?: number;
  /** What the clock shows, in milliseconds since 1970, in the place of the time. It does not move. */
  now?: number;
}

export interface Seen {
  /** How many statements the Worker has bound. */
  bound: number;
  /** How many statements each call had. */
  calls: number[];
  /** How many rows they wrote, as D1 says. */
  written: number;
}

const NORMAL: Behavior = { delay: 0, allowed: Number.MAX_SAFE_INTEGER };

let behavior = NORMAL;
const realClock = Date.now;
Date.now = () => behavior.now ?? realClock() + (behavior.ahead ?? 0);
const seen: Seen = { bound: 0, calls: [], written: 0 };
let begun = 0;

/** What workerd keeps in a bound statement. */
type Bound = D1PreparedStatement & { statement: string; params: unknown[] };

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const isIn = (text: string, { statement, params }: Bound) =>
  statement.includes(text) || params.some((value) => String(value).includes(text));

function takeFault(name: string, statements: Bound[]): Behavior["fault"] {
  const { fault } = behavior;
  if (!fault || fault.times === 0 || (fault.database ?? name) !== name) return undefined;
  if (!statements.some((one) => isIn(fault.has, one))) return undefined;
  if (fault.skip) {
    fault.skip--;
    return undefined;
  }
  fault.times--;
  return fault;
}

function wrap(name: string, real: D1Database): unknown {
  return {
    prepare: (sql: string) => ({
      bind: (...values: unknown[]) => {
        seen.bound++;
        return real.prepare(sql).bind(...values);
      },
    }),
    async batch(statements: Bound[]) {
      seen.calls.push(statements.length);
      while (begun >= behavior.allowed) await pause(1);
      begun++;
      if (behavior.delay > 0) await pause(behavior.delay);
      const fault = takeFault(name, statements);
      if (fault?.when === "before") throw new Error(fault.message);
      while (fault?.when === "never") await pause(1_000);
      const { poison } = behavior;
      const results = await real.batch(
        statements.map((one) =>
          poison !== undefined && isIn(poison, one)
            ? real.prepare("SELECT abs(-9223372036854775807 - 1)")
            : one,
        ),
      );
      for (const { meta } of results) seen.written += meta.rows_written;
      if (fault) throw new Error(fault.message);
      return results;
    },
  };
}

type Environment = Record<string, object>;
let wrapped: Environment | undefined;

/** One for the isolate, as the real one is. */
function wrapAll(env: Environment): Environment {
  wrapped ??= Object.fromEntries(
    Object.entries(env).map(([name, binding]) => [
      name,
      name === "DB" || name.startsWith("LEDGER_") ? wrap(name, binding as D1Database) : binding,
    ]),
  ) as Environment;
  return wrapped;
}

const { default: worker } = (await import("./worker.js" as string)) as {
  default: Record<"fetch" | "scheduled" | "queue", (...values: unknown[]) => unknown>;
};

export default {
  async fetch(request: Request, env: Environment, execution: ExecutionContext) {
    if (new URL(request.url).pathname !== "/test/database") {
      const isEnding = Math.random() < (behavior.ends ?? 0);
      return worker.fetch(request, wrapAll(env), isEnding ? { waitUntil: () => undefined } : execution);
    }
    if (request.method === "PATCH") behavior = { ...behavior, ...(await request.json<Partial<Behavior>>()) };
    if (request.method === "PUT") {
      behavior = { ...NORMAL, ...(await request.json<Partial<Behavior>>()) };
      begun = 0;
      seen.bound = 0;
      seen.calls = [];
      seen.written = 0;
    }
    return Response.json(seen);
  },
  scheduled: (event: unknown, env: Environment, execution: unknown) =>
    worker.scheduled(event, wrapAll(env), execution),
  queue: (batch: unknown, env: Environment, execution: unknown) =>
    worker.queue(batch, wrapAll(env), execution),
};
