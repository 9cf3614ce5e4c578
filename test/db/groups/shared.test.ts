/** Requests that are alike and want no answer share statements with a count: each is counted at most once, and what is lost is logged. */
import * as fc from "fast-check";
import { beforeEach, describe, expect, it, type MockInstance, vi } from "vitest";
import { DEADLINE_MS, GroupCommit } from "../../../src/db/group-commit.ts";
import { runs } from "../../part.ts";
import { calls, database, finish, holdCalls, now, pass, sentOf, setTime } from "./held-calls.ts";

const SQL_ERROR = "D1_ERROR: integer overflow: SQLITE_ERROR";
const LOST = "D1_ERROR: Network connection lost.";

const open = (db = database, maxCalls = 1) =>
  new GroupCommit(db, {
    maxCalls,
    clock: () => now,
    isSqlError: (error) => String(error).includes("SQLITE_"),
  });

/** Counts one for a key, by itself or with others. The result is undefined if it joined others. */
function count(group: GroupCommit, key: string): Promise<{ count: number; error?: string }> | undefined {
  if (group.join(key)) return undefined;
  const item: { count?: number } = {};
  const bind = () => [`${key} ${item.count ?? 1}`] as unknown as D1PreparedStatement[];
  const result = group.run(bind(), 1, now + DEADLINE_MS, { key, item, bind });
  return result.then(
    () => ({ count: item.count ?? 1 }),
    (error: Error) => ({ count: item.count ?? 1, error: error.message }),
  );
}

/** The clicks that lines of the log name as lost, of requests that were ended. */
const lostOf = () => log.mock.calls.flatMap(([line]) => JSON.parse(line).lost_engagements ?? []);

holdCalls();
let log: MockInstance<typeof console.log>;
beforeEach(() => {
  log = vi.spyOn(console, "log").mockImplementation(() => undefined);
});

describe("statements that stand for alike requests", () => {
  it("count those that come while they wait, and no other", async () => {
    const group = open();
    const first = count(group, "a");
    expect(group.join("a")).toBe(false);
    const others = ["a", "b", "a", "b", "a"].map((key) => count(group, key));
    expect(others.map((one) => one !== undefined)).toEqual([true, true, false, false, false]);
    await pass(4);
    calls[0]?.answer();
    await pass(4);
    expect(sentOf()).toEqual([["a 1"], ["a 3", "b 2"]]);
    const late = count(group, "a");
    expect(late).toBeDefined();
    expect(await finish(Promise.all([first, ...others, late]))).toEqual([
      { count: 1 },
      { count: 3 },
      { count: 2 },
      ...[undefined, undefined, undefined],
      { count: 1 },
    ]);
    expect(sentOf().at(-1)).toEqual(["a 1"]);
  });

  it("are joined for less than four seconds; those after it have statements of their own", async () => {
    const group = open();
    void count(group, "a");
    void count(group, "a");
    await pass(3_950);
    expect(count(group, "a")).toBeUndefined();
    await pass(50);
    expect(count(group, "a")).toBeDefined();
    expect(count(group, "a")).toBeUndefined();
    calls[0]?.answer();
    // A request looks at its entry after a quarter of the time that it has waited.
    await pass(2_000);
    expect(sentOf()).toEqual([["a 1"], ["a 2", "a 2"]]);
  });

  it("are sent again with their count if another statement of their call was wrong", async () => {
    const group = open();
    const first = count(group, "a");
    const [a, b] = [count(group, "a"), count(group, "b")];
    count(group, "a");
    await pass(4);
    calls[0]?.answer();
    await pass(4);
    calls[1]?.fail(SQL_ERROR);
    await pass(4);
    expect(sentOf().slice(1)).toEqual([["a 2", "b 1"], ["a 2"], ["b 1"]]);
    calls[2]?.answer();
    calls[3]?.fail(SQL_ERROR);
    expect(await Promise.all([first, a, b])).toEqual([
      { count: 1 },
      { count: 2 },
      { count: 1, error: SQL_ERROR },
    ]);
  });

  it("are not sent again after another error, and the error is that of all of them", async () => {
    const group = open();
    void count(group, "a");
    const second = count(group, "a");
    count(group, "a");
    await pass(4);
    calls[0]?.answer();
    await pass(4);
    calls[1]?.fail(LOST);
    expect(await second).toEqual({ count: 2, error: LOST });
    expect(sentOf()).toHaveLength(2);
  });

  it("that nobody sends before the deadline have an error with their count", async () => {
    const group = open();
    void count(group, "a");
    const second = count(group, "a");
    count(group, "a");
    await skip(DEADLINE_MS);
    expect(await second).toEqual({ count: 2, error: expect.stringContaining("deadline") });
    expect(lostOf()).toEqual([]);
  });
});

/** Lets so much time pass that nobody looks at what happens meanwhile. */
async function skip(milliseconds: number): Promise<void> {
  setTime(now + milliseconds);
  await vi.advanceTimersByTimeAsync(milliseconds);
}

/** Whether the request that now runs is ended before it runs again: none of its timers fires, and it never learns of its call. */
let isEnding = false;

function ended<T>(ask: () => T): T {
  isEnding = true;
  const timer = vi.spyOn(globalThis, "setTimeout");
  timer.mockReturnValue(0 as unknown as ReturnType<typeof setTimeout>);
  try {
    return ask();
  } finally {
    timer.mockRestore();
    isEnding = false;
  }
}

describe("of a request that was ended, statements", () => {
  it("that wait are sent by the next request, with those that joined", async () => {
    const group = open();
    const first = count(group, "a");
    void ended(() => count(group, "b"));
    count(group, "b");
    calls[0]?.answer();
    await first;
    await pass(100);
    expect(sentOf()).toEqual([["a 1"]]);
    await finish(Promise.resolve(count(group, "c")));
    expect(sentOf()).toEqual([["a 1"], ["c 1", "b 2"]]);
  });

  it("that nobody sent are dropped after the deadline, logged, and neither joined nor counted as waiting", async () => {
    const group = open();
    const first = count(group, "a");
    for (let number = 0; number < 39; number++) void ended(() => count(group, `b${number}`));
    count(group, "b0");
    calls[0]?.answer();
    await first;
    await skip(DEADLINE_MS + 1_000);
    void count(group, "c");
    expect(lostOf()).toEqual([40]);
    for (const key of ["d", "b0", "b0"]) void count(group, key);
    await pass(10);
    // With 40 that wait, each would have a call of its own.
    expect(sentOf()).toEqual([["a 1"], ["c 1"]]);
    calls[1]?.answer();
    await pass(10);
    expect(sentOf()[2]).toEqual(["d 1", "b0 2"]);
  });

  it.each(["answer", "fail"] as const)(
    "that others sent are lost only if the call did not %s",
    async (how) => {
      const group = open();
      const first = count(group, "a");
      const leader = count(group, "b");
      void ended(() => count(group, "c"));
      count(group, "c");
      await pass(4);
      calls[0]?.answer();
      await pass(4);
      expect(sentOf()[1]).toEqual(["b 1", "c 2"]);
      calls[1]?.[how](LOST);
      await Promise.all([first, leader]);
      await skip(DEADLINE_MS + 1_000);
      void count(group, "d");
      expect(lostOf()).toEqual(how === "answer" ? [] : [2]);
    },
  );

  it("that it sent itself are logged as lost, because nobody knows", async () => {
    const group = open();
    void ended(() => count(group, "a"));
    await skip(DEADLINE_MS + 1_000);
    void count(group, "b");
    expect([sentOf(), lostOf()]).toEqual([[["a 1"], ["b 1"]], [1]]);
  });
});

const step = fc.record({
  after: fc.constantFrom(0, 0, 0, 2, 8),
  key: fc.constantFrom("a", "a", "b", "c", "wrong"),
  /** One in eight. */
  isEnded: fc.nat(7).map((value) => value === 0),
});
const outcome = fc.record({
  takes: fc.nat(30),
  fails: fc.constantFrom(undefined, undefined, undefined, "before", "after", "never"),
});

it("counts each request at most once, all of them without a lost call, and says how many are lost, for any mix and any failures", async () => {
  let merged = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 30, maxLength: 60 }),
      fc.infiniteStream(outcome),
      fc.boolean(),
      fc.integer({ min: 1, max: 3 }),
      async (steps, outcomes, canFail, maxCalls) => {
        log.mockClear();
        const counted = new Map<string, number>();
        const asked = new Map<string, number>();
        const add = (to: Map<string, number>, key: string, times: number) =>
          to.set(key, (to.get(key) ?? 0) + times);
        const db = {
          batch: async (statements: string[]) => {
            const isEnded = isEnding;
            const { takes, fails } = outcomes.next().value as { takes: number; fails?: string };
            const fault = canFail ? fails : undefined;
            if (takes > 0) await new Promise<void>((resolve) => setTimeout(resolve, takes));
            if (fault === "never") await new Promise(() => undefined);
            if (fault === "before") throw new Error(LOST);
            if (statements.some((text) => text.startsWith("wrong"))) throw new Error(SQL_ERROR);
            for (const text of statements) {
              const [key = "", times] = text.split(" ");
              add(counted, key, Number(times));
              if (Number(times) > 1) merged++;
            }
            if (fault === "after") throw new Error(LOST);
            if (isEnded) await new Promise(() => undefined);
            return statements.map(() => ({ results: [] }));
          },
        } as unknown as D1Database;
        const group = open(db, maxCalls);
        const lost = new Map<string, number>();
        const results: Promise<void>[] = [];
        for (const { after, key, isEnded } of steps) {
          if (after > 0) await pass(after);
          add(asked, key, 1);
          if (isEnded && canFail) void ended(() => count(group, key));
          else
            results.push(
              Promise.resolve(count(group, key)).then((done) => {
                if (done?.error !== undefined) add(lost, key, done.count);
              }),
            );
        }
        await pass(60);
        await skip(2 * DEADLINE_MS);
        await Promise.all(results);
        void count(group, "last");
        const sum = (some: Map<string, number>) =>
          [...some.values()].reduce((total, times) => total + times, 0);
        const lostInAll = lostOf().reduce((total, times) => total + times, sum(lost));
        for (const [key, times] of asked) {
          const found = counted.get(key) ?? 0;
          expect(found).toBeLessThanOrEqual(key === "wrong" ? 0 : times);
          if (!canFail) expect(found + (lost.get(key) ?? 0)).toBe(times);
          if (!canFail && key !== "wrong") expect(lost.get(key)).toBeUndefined();
        }
        expect(sum(counted) + lostInAll).toBeGreaterThanOrEqual(sum(asked));
      },
    ),
    runs(300, 2),
  );
  expect(merged).toBeGreaterThan(10);
});
