/** Real D1, KV and queues behind thin wrappers that fail, never answer or answer stale at a chosen call. */
import { vi } from "vitest";
import type { NewEngagement } from "../../src/db/ledger/engagements.ts";
import { env, withMethods, wrapDatabases } from "../harness.ts";

/** What D1 is documented to say where the same request may work in a moment. */
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

export interface InputError {
  /** Which calls, counted from 1. */
  at: (call: number) => boolean;
  /** Whether the call was done when it went wrong. */
  when: "before" | "after";
  /** What it throws; nothing where it never answers at all, which needs `withoutPauses`. */
  message: string | undefined;
}

/** Does what a call should do, but for its fault. */
async function faulted<T>(fault: InputError, work: () => Promise<T>): Promise<T> {
  if (fault.when === "after") await work();
  else await null;
  if (fault.message !== undefined) throw new Error(fault.message);
  return silence();
}

/** The longest deadline of a call. What waits for work after an answer, in tests and in production, waits three times as long. */
const DEADLINE_MS = 10_000;

/** Never answers. The deadlines that somebody waits for pass at once. */
export function silence<T>(): Promise<T> {
  queueMicrotask(() => vi.advanceTimersByTime(DEADLINE_MS));
  return new Promise<T>(() => undefined);
}

/** Lets deadlines pass, and pauses between attempts, without taking the time. */
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

/** D1 whose chosen calls go wrong before or after they were committed; every database of the ledger with it. */
export function faultyDatabase(fault?: InputError): { database: D1Database; calls: () => number } {
  let calls = 0;
  const database = wrapDatabases((real) =>
    withMethods(real, {
      batch: (statements: D1PreparedStatement[]) => {
        calls++;
        const work = () => real.batch(statements);
        return fault?.at(calls) ? faulted(fault, work) : work();
      },
    }),
  );
  return { database, calls: () => calls };
}

type Rows = Record<string, unknown>[];

/** D1 that commits every batch and then returns altered rows for it; every database of the ledger with it. */
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

/** Both namespaces of KV, of which some operations are in other hands. */
export function kvWith(methods: KvMethods): { TOKENS: KVNamespace; LINKS: KVNamespace } {
  return { TOKENS: withMethods(env.TOKENS, { ...methods }), LINKS: withMethods(env.LINKS, { ...methods }) };
}

export const kvFails = () => Promise.reject(new Error("KV GET failed: 503 Service Unavailable"));
export const kvThrows = () => {
  throw new TypeError("KV refuses what it was given");
};
export const kvIsSilent = () => silence<null>();

/** A queue that takes what is sent unless a fault comes before, and says so unless one comes after. */
export function faultyQueue(fault?: InputError): { queue: Queue<NewEngagement>; taken: NewEngagement[] } {
  const taken: NewEngagement[] = [];
  let calls = 0;
  const send = (message: NewEngagement) => {
    const work = async () => void taken.push(structuredClone(message));
    return fault?.at(++calls) ? faulted(fault, work) : work();
  };
  return { queue: { send } as unknown as Queue<NewEngagement>, taken };
}
