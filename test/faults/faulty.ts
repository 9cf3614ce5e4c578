/** Wraps real D1, KV and queues so that a chosen call fails, hangs or returns an old value. */
import { vi } from "vitest";
import type { TokenEntry } from "../../src/auth/tokens.ts";
import type { OpenedLink } from "../../src/domain/costs.ts";
import type { Destination } from "../../src/domain/engagements/click-target.ts";
import { DAY, DEMO, env, NOW, withMethods, wrapDatabases } from "../harness.ts";

/** D1's documented errors after which the same request may succeed when it is repeated. */
export const TRANSIENT = [
  "D1_ERROR: Network connection lost.",
  "D1_ERROR: Internal error in D1 DB storage caused object to be reset.",
  "D1_ERROR: D1 DB reset because its code was updated.",
  "D1_ERROR: D1 DB is overloaded. Requests queued for too long.",
  "D1_ERROR: D1 DB is overloaded. Too many requests queued.",
  "D1_ERROR: D1 DB storage operation exceeded timeout which caused object to be reset.",
  "D1_ERROR: D1 DB's isolate exceeded its memory limit and was reset.",
  "D1_ERROR: D1 DB exceeded its CPU time limit and was reset.",
  "D1_ERROR: internal error; reference = 0123456789abcdef",
  "D1_ERROR: database is locked: SQLITE_BUSY",
  "D1_ERROR: Cannot resolve D1 DB due to transient issue on remote node.",
  "D1_ERROR: Can't read from request stream because client disconnected. Network connection lost.",
];

export interface InjectedFault {
  /** Which calls, counted from 1. */
  at: (call: number) => boolean;
  /** Whether the fault occurs before or after the work of the call. */
  when: "before" | "after";
  /** The message of the error; undefined for a call that hangs, which requires `withoutPauses`. */
  message: string | undefined;
}

/** Runs a call with a fault. */
async function runWithFault<T>(fault: InjectedFault, work: () => Promise<T>): Promise<T> {
  if (fault.when === "after") await work();
  else await null;
  if (fault.message !== undefined) throw new Error(fault.message);
  return silence();
}

/** The longest deadline of a call. The work after a response may take three times as long, in tests and in production. */
const DEADLINE_MS = 10_000;

/** Never resolves. Lets pending deadlines expire immediately. */
export function silence<T>(): Promise<T> {
  queueMicrotask(() => vi.advanceTimersByTime(DEADLINE_MS));
  return new Promise<T>(() => undefined);
}

/** A method that never answers, and `called`, which resolves when it is called. */
export function hangingMethod() {
  const { promise: called, resolve } = Promise.withResolvers<void>();
  const method = () => {
    resolve();
    return new Promise<never>(() => undefined);
  };
  return { method, called };
}

/** Runs `work` with deadlines and pauses between attempts that take no time. */
export async function withoutPauses<T>(work: () => Promise<T>): Promise<T> {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const wait = vi.spyOn(scheduler, "wait").mockResolvedValue(undefined);
  try {
    return await work();
  } finally {
    wait.mockRestore();
    vi.useRealTimers();
  }
}

/** Wraps D1, with every database of the ledger, so that the chosen calls fail before or after they are committed. */
export function faultyDatabase(fault?: InjectedFault): {
  database: D1Database;
  calls: () => number;
  /** The SQL of each call. */
  sent: string[];
} {
  const sent: string[] = [];
  const database = wrapDatabases((real) =>
    withMethods(real, {
      batch: (statements: D1PreparedStatement[]) => {
        const queries = statements as unknown as { statement: string }[];
        sent.push(queries.map(({ statement }) => statement).join(";\n"));
        const work = () => real.batch(statements);
        return fault?.at(sent.length) ? runWithFault(fault, work) : work();
      },
    }),
  );
  return { database, calls: () => sent.length, sent };
}

type Rows = Record<string, unknown>[];

/** Wraps D1, with every database of the ledger, so that it commits every batch and then returns altered rows. */
export function misreportingDatabase(alter: (batch: Rows[]) => Rows[]): D1Database {
  return wrapDatabases((real) =>
    withMethods(real, {
      batch: async (statements: D1PreparedStatement[]) => {
        const results = await real.batch<Rows[number]>(statements);
        const altered = alter(results.map((result) => result.results));
        return results.map((result, index) => ({ ...result, results: altered[index] ?? [] }));
      },
    }),
  );
}

export type KvMethods = Partial<Record<"get" | "put", unknown>>;

/** Both KV namespaces, with some methods replaced. */
export function kvWith(methods: KvMethods): { TOKENS: KVNamespace; LINKS: KVNamespace } {
  return { TOKENS: withMethods(env.TOKENS, { ...methods }), LINKS: withMethods(env.LINKS, { ...methods }) };
}

/** Both KV namespaces, and those that were called. */
export function notedKv() {
  const called = new Set<KVNamespace>();
  const noted = (namespace: KVNamespace): KVNamespace =>
    new Proxy(namespace, {
      get(target, name) {
        called.add(namespace);
        return Reflect.get(target, name).bind(target);
      },
    });
  return { called, bindings: { TOKENS: noted(env.TOKENS), LINKS: noted(env.LINKS) } };
}

/** An outdated namespace in which every token belongs to the operator and was used today. */
export function oldTokens() {
  const entry: TokenEntry = { user_id: 2, used_day: Math.floor(NOW / DAY) };
  return withMethods(env.TOKENS, { get: async () => entry });
}

/** The old destination of an app. */
export const OLD: Destination = {
  defaultUrl: "https://old.example/",
  iosUrl: null,
  androidUrl: null,
  redirectHosts: ["old.example"],
  redirectSchemes: ["https"],
};
/** An outdated namespace in which every link belongs to another app, with that app's old destination. */
export const oldLinks = () =>
  withMethods(env.LINKS, {
    get: async (key: string) => (key.startsWith("link:") ? `${DEMO.otherAppToken} 9` : OLD),
  });

export const kvFails = () => Promise.reject(new Error("KV GET failed: 503 Service Unavailable"));
export const kvThrows = () => {
  throw new TypeError("KV rejects the value");
};
export const kvHangs = () => silence<null>();

/** A queue that accepts messages unless a fault occurs before, and confirms them unless one occurs after. */
export function faultyQueue(fault?: InjectedFault): {
  queue: Queue<OpenedLink>;
  accepted: OpenedLink[];
} {
  const accepted: OpenedLink[] = [];
  let calls = 0;
  const send = (message: OpenedLink) => {
    const work = async () => void accepted.push(structuredClone(message));
    return fault?.at(++calls) ? runWithFault(fault, work) : work();
  };
  return { queue: { send } as unknown as Queue<OpenedLink>, accepted };
}

/** The bucket of the tests with a fault. `afterPut` runs after an object was stored, before its put is confirmed. */
export function faultyBucket(
  fault?: InjectedFault,
  afterPut: (name: string) => Promise<void> = async () => undefined,
): { bucket: R2Bucket; calls: () => number } {
  const real = env.TEST_BUCKET;
  let calls = 0;
  const run = <T>(work: () => Promise<T>) => {
    calls++;
    return fault?.at(calls) ? runWithFault(fault, work) : work();
  };
  const bucket = withMethods(real, {
    put: (name: string, body: Uint8Array, options: R2PutOptions) =>
      run(async () => {
        const stored = await real.put(name, body, options);
        await afterPut(name);
        return stored;
      }),
    delete: (name: string) => run(() => real.delete(name)),
    head: (name: string) => run(() => real.head(name)),
  });
  return { bucket, calls: () => calls };
}
