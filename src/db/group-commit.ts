/**
 * Group commit: while calls of this isolate to a database are in flight, the statements of further requests wait, and the next call
 * carries all of them. A call takes about a millisecond of CPU whatever is in it, and a database has one writer.
 *
 * Rules:
 * - Nothing waits while no call is in flight, or when enough waits for a full call. Beside a call that takes long, up to `maxCalls`
 *   others start: statements that arrive with the first share the second, and a call that is answered soon has no second one.
 * - Each request keeps its own statements, so each is gated by its own credential, read in a call that starts after the request.
 * - A call is one transaction. After an SQL error nothing of it is committed (D1, `batch()`), so each request sends its statements
 *   again by itself, and only those that are wrong fail. After any other error nobody knows, so it is the error of all of them.
 * - A request that gives up has no result. Statements that nobody has sent by then are not sent any more.
 * - Requests that want the same done and no answer share statements with a count (`Shared`). They are bound again and leave `#shared`
 *   in the step that sends them, so no request joins what was sent, and each is in one call. Those that joined have no timer: they are
 *   done or lost with the request that they joined.
 *
 * Promises of the platform:
 * - The bindings of an isolate are the same objects in every request, and statements and results are plain data. Timers and calls
 *   belong to their request: "Cannot perform I/O on behalf of a different request" (Workers, "Errors and exceptions").
 * - So no request awaits a promise of another, or one that another resolves: each looks at its own entry with its own timer.
 *   workerd 1.20261023.1 answers 500 ("your Worker's code had hung") to a request that waits only for its promise to be resolved by
 *   another, also if no client disconnects, and not at all to one that awaits a promise of a request that was ended. Both although
 *   `handle_cross_request_promise_resolution` is on. A timer and `waitUntil` prevent both, and with the timer no promise is needed.
 * - A client that disconnects ends its request, and the call that it sent, unless `waitUntil` holds the request, which delays this
 *   for up to 30 seconds (Workers, "Context"). `fetch` in index.ts does that. If a call is lost nevertheless, its place is free
 *   after the deadline, and so are the requests in it.
 * - A Worker may run 50 queries an invocation on the free plan, 1,000 on the paid plan (D1, "Limits").
 */
import { DeadlineError, withDeadline } from "../deadline.ts";
import { type Groups, logFigures } from "../log.ts";

/** D1 can stall for seconds. After this time the client gets a 503 and retries; nothing has been confirmed to it. */
export const DEADLINE_MS = 8_000;
/** The most that one call carries, unless one request has more. A statement weighs 1. */
export const MAX_CALL = 40;
/** The most statements without a result, in the memory of this isolate and in the queue of D1, whatever they weigh. */
export const MAX_PENDING = 1_000;
/** How often a request looks at its entry, at first. Later it is a quarter of the time that it has waited. */
const POLL_MS = 2;
/**
 * Time between the starts of two calls that are in flight together. A call inside one data center is usually answered by then. It is
 * half of a call that takes 30 ms, so two of them start evenly.
 */
export const SPACING_MS = 16;
const LOG_EVERY_MS = 1_000;

/** More statements wait than this isolate holds. */
export class TooManyWaitingError extends Error {}

type Statements = D1PreparedStatement[];
type Results = D1Result<unknown>[];

/** Statements that stand for all alike requests that come while they wait. */
export interface Shared {
  /** Equal for requests that are alike. */
  key: string;
  /** What the statements are bound from. Its count is how many requests they stand for. Default: 1. */
  item: { count?: number };
  /** The statements for the present count: as many as before. */
  bind: () => Statements;
  /** They are rejected if more statements would be without a result. Default: as many as the isolate holds. */
  maxWaiting?: number;
}
/** Those after it send statements of their own, because the earlier ones may soon be given up. */
const JOIN_MS = 4_000;
/** A request that runs gives up at its deadline. What is here so much later is of one that was ended. */
const ENDED_MS = 1_000;

interface Entry {
  statements: Statements;
  shared: Shared | undefined;
  weight: number;
  arrivedAt: number;
  until: number;
  /** `rolled back`: its call failed, perhaps because of another request. */
  state: "waiting" | "sent" | "rolled back" | { results: Results } | { error: unknown };
}

type Call = { startedAt: number; statements: Statements };

interface Options {
  /** The most calls in flight, except for full ones. 1 groups most; with 2, statements do not wait for a whole round trip. */
  maxCalls: number;
  /** Milliseconds since 1970. */
  clock: () => number;
  /** Whether nothing was committed, and one statement may have been the cause. */
  isSqlError: (error: unknown) => boolean;
}

/** The calls of this isolate to a database. */
export class GroupCommit {
  /** Of requests that have no result yet, in the order of their arrival. */
  readonly #open = new Set<Entry>();
  #waiting: Entry[] = [];
  /** Those of `#waiting` that others may join. */
  readonly #shared = new Map<string, Entry>();
  /** In flight. */
  readonly #calls = new Set<Call>();
  readonly #db: D1Database;
  readonly #isSqlError: (error: unknown) => boolean;
  readonly maxCalls: number;
  readonly clock: () => number;
  /** Since the last line in the log. */
  #seen = newSeen();
  #loggedAt = 0;

  constructor(db: D1Database, { maxCalls, clock, isSqlError }: Options) {
    this.#db = db;
    this.maxCalls = maxCalls;
    this.clock = clock;
    this.#isSqlError = isSqlError;
  }

  /** Lets waiting statements stand for one more request. Returns false if there are none that are alike. */
  join(key: string): boolean {
    const { shared, arrivedAt } = this.#shared.get(key) ?? {};
    if (!shared || this.clock() - Number(arrivedAt) >= JOIN_MS) return false;
    shared.item.count = (shared.item.count ?? 1) + 1;
    return true;
  }

  /** Runs the statements in one transaction, perhaps with those of others. Throws DeadlineError at `until`. */
  async run(statements: Statements, weight: number, until: number, shared?: Shared): Promise<Results> {
    const arrivedAt = this.clock();
    this.#forgetEnded(arrivedAt);
    this.#forgetLostCalls(arrivedAt);
    if (
      countOf(this.#waiting) + countOf([...this.#calls]) + statements.length >
      (shared?.maxWaiting ?? MAX_PENDING)
    )
      throw new TooManyWaitingError("D1 is overloaded: too many statements wait");
    const entry: Entry = { statements, shared, weight, arrivedAt, until, state: "waiting" };
    this.#open.add(entry);
    this.#waiting.push(entry);
    if (shared) this.#shared.set(shared.key, entry);
    try {
      return await this.#resultOf(entry);
    } finally {
      this.#open.delete(entry);
    }
  }

  async #resultOf(entry: Entry): Promise<Results> {
    const { arrivedAt, until } = entry;
    while (typeof entry.state === "string") {
      const now = this.clock();
      if (entry.state === "waiting" && now < until && this.#canStart(now)) await this.#lead(entry, now);
      else if (entry.state === "rolled back") return this.#send(entry.statements, until - now);
      else if (now >= until) {
        this.#take(entry);
        throw new DeadlineError("D1 did not answer before the deadline");
      } else {
        const pause = Math.min(Math.max(POLL_MS, (now - arrivedAt) / 4), until - now);
        await new Promise<void>((resolve) => setTimeout(resolve, pause));
      }
    }
    if ("error" in entry.state) throw entry.state.error;
    return entry.state.results;
  }

  #canStart(now: number): boolean {
    if (weightOf(this.#waiting) >= MAX_CALL) return true;
    this.#forgetLostCalls(now);
    if (this.#calls.size === 0) return true;
    const isLong = [...this.#calls].every(({ startedAt }) => now - startedAt >= SPACING_MS);
    return isLong && this.#calls.size < this.maxCalls;
  }

  /** A call has no result by then if its request was ended. */
  #forgetLostCalls(now: number): void {
    for (const call of this.#calls) if (now - call.startedAt >= DEADLINE_MS) this.#calls.delete(call);
  }

  /** Nobody waits for the results of a request that was ended, nor says what was lost with it. */
  #forgetEnded(now: number): void {
    let lost = 0;
    for (const entry of this.#open) {
      if (now < entry.until + ENDED_MS) break;
      this.#open.delete(entry);
      this.#take(entry);
      if (entry.shared && !isDone(entry)) lost += entry.shared.item.count ?? 1;
    }
    if (lost > 0) logFigures({ lost_engagements: lost });
  }

  #take(...entries: Entry[]): void {
    this.#waiting = this.#waiting.filter((entry) => !entries.includes(entry));
    for (const entry of entries)
      if (entry.shared && this.#shared.get(entry.shared.key) === entry) this.#shared.delete(entry.shared.key);
  }

  /** Sends the statements of this request with those that wait longest, and writes down the result of each. Never throws. */
  async #lead(own: Entry, now: number): Promise<void> {
    const group = [own];
    let weight = own.weight;
    // The call ends with its request, so one that has little time left does not take others with it.
    if (own.until - now >= DEADLINE_MS / 2) {
      for (const entry of this.#waiting) {
        if (entry === own || entry.until <= now) continue;
        if (weight + entry.weight > MAX_CALL) break;
        weight += entry.weight;
        group.push(entry);
      }
    }
    this.#take(...group);
    for (const entry of group) {
      entry.state = "sent";
      if (entry.shared?.item.count) entry.statements = entry.shared.bind();
    }
    const statements = group.flatMap((entry) => entry.statements);
    const call: Call = { startedAt: now, statements };
    this.#calls.add(call);
    try {
      const results = await this.#send(statements, own.until - now);
      let at = 0;
      for (const entry of group) {
        entry.state = { results: results.slice(at, at + entry.statements.length) };
        at += entry.statements.length;
      }
    } catch (error) {
      const isRolledBack = group.length > 1 && this.#isSqlError(error);
      for (const entry of group) entry.state = isRolledBack ? "rolled back" : { error };
    }
    this.#calls.delete(call);
    this.#note(group, now);
  }

  async #send(statements: Statements, milliseconds: number): Promise<Results> {
    const results = await withDeadline(this.#db.batch(statements), milliseconds, "D1");
    // Otherwise a request would get the rows of another.
    if (results.length !== statements.length) throw new Error("D1 returned other results");
    return results;
  }

  #note(group: Entry[], sentAt: number): void {
    const seen = this.#seen;
    seen.calls++;
    seen.requests += group.length;
    seen.largest = Math.max(seen.largest, group.length);
    seen.longest_wait = Math.max(seen.longest_wait, ...group.map(({ arrivedAt }) => sentAt - arrivedAt));
    const now = this.clock();
    if (seen.largest === 1 || now - this.#loggedAt < LOG_EVERY_MS) return;
    logFigures({ group: seen });
    this.#seen = newSeen();
    this.#loggedAt = now;
  }
}

const isDone = ({ state }: Entry) => typeof state === "object" && "results" in state;
const newSeen = (): Groups => ({ calls: 0, requests: 0, largest: 0, longest_wait: 0 });
const countOf = (items: { statements: Statements }[]) =>
  items.reduce((sum, { statements }) => sum + statements.length, 0);
const weightOf = (items: { weight: number }[]) => items.reduce((sum, { weight }) => sum + weight, 0);
