/** Real D1 and KV behind thin wrappers that fail, stall or answer stale at a chosen call. */
import { env } from "../harness.ts";

/** What D1 is documented to say where the same request may work in a moment. */
export const TRANSIENT = [
  "D1_ERROR: Network connection lost.",
  "D1_ERROR: Internal error in D1 DB storage caused object to be reset.",
  "D1_ERROR: D1 DB reset because its code was updated.",
  "D1_ERROR: D1 DB is overloaded. Requests queued for too long.",
  "D1_ERROR: D1 DB is overloaded. Too many requests queued.",
  "D1_ERROR: D1 DB storage operation exceeded timeout which caused object to be reset.",
  "D1_ERROR: Cannot resolve D1 DB due to transient issue on remote node.",
  "D1_ERROR: Can't read from request stream because client disconnected. Network connection lost.",
];

export interface Fault {
  /** Which calls to D1, counted from 1. */
  at: (call: number) => boolean;
  /** Whether the call was committed when it went wrong. */
  when: "before" | "after";
  /** What it throws; nothing where it never answers at all. */
  message?: string | undefined;
}

/** D1 whose chosen calls go wrong before or after they were committed. */
export function faultyDatabase(fault?: Fault): { database: D1Database; calls: () => number } {
  let calls = 0;
  const database = new Proxy(env.DB, {
    get(target, name) {
      if (name !== "batch") {
        const value = Reflect.get(target, name);
        return typeof value === "function" ? value.bind(target) : value;
      }
      return async (statements: D1PreparedStatement[]) => {
        calls++;
        const isFaulty = fault?.at(calls);
        const results = isFaulty && fault?.when === "before" ? [] : await target.batch(statements);
        if (!isFaulty) return results;
        if (fault?.message === undefined) return new Promise(() => undefined);
        throw new Error(fault.message);
      };
    },
  });
  return { database, calls: () => calls };
}

/** KV of which operations are in other hands. */
export function kvWith(kv: KVNamespace, operations: Partial<Record<"get" | "put", unknown>>): KVNamespace {
  return new Proxy(kv, {
    get(target, name) {
      const other = operations[name as "get" | "put"];
      if (other) return other;
      const value = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
