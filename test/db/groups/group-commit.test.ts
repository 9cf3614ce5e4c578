/** How statements of several requests share calls, on a database that only says what it was sent. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DEADLINE_MS, GroupCommit, TooManyWaitingError } from "../../../src/db/group-commit.ts";
import { runs } from "../../part.ts";
import { calls, database, finish, holdCalls, now, pass, sentOf, setTime } from "./held-calls.ts";

const SQL_ERROR = "D1_ERROR: integer overflow: SQLITE_ERROR";
const LOST = "D1_ERROR: Network connection lost.";

const open = (maxCalls: number, db = database) =>
  new GroupCommit(db, {
    maxCalls,
    clock: () => now,
    isSqlError: (error) => String(error).includes("SQLITE_"),
  });

const run = (group: GroupCommit, sent: string[], weight = sent.length, until = now + DEADLINE_MS) =>
  group
    .run(sent as unknown as D1PreparedStatement[], weight, until)
    .then((results) => results.map((result) => result.results[0]))
    .catch((error: Error) => error.message);

holdCalls();

describe("statements", () => {
  it("wait while so many calls are in flight, and the next call has all of them, in order", async () => {
    const group = open(2);
    const all = ["a", "b"].map((name) => run(group, [name]));
    await pass(20);
    all.push(...["c", "d"].map((name) => run(group, [name])));
    await pass(10);
    expect(sentOf()).toEqual([["a"], ["b"]]);
    calls[1]?.answer();
    await pass(10);
    expect(sentOf().at(-1)).toEqual(["c", "d"]);
    for (const { answer } of calls) answer();
    await pass(10);
    expect(await Promise.all(all)).toEqual([["row of a"], ["row of b"], ["row of c"], ["row of d"]]);
  });

  it("wait for a call until it has taken 16 ms, and the second call has all that came meanwhile", async () => {
    const group = open(2);
    const all = ["a", "b", "c"].map((name) => run(group, [name]));
    await pass(14);
    expect(sentOf()).toEqual([["a"]]);
    await pass(2);
    expect(sentOf()).toEqual([["a"], ["b", "c"]]);
    for (const { answer } of calls) answer();
    await pass(10);
    expect(await Promise.all(all)).toEqual([["row of a"], ["row of b"], ["row of c"]]);
  });

  it("of a full call do not wait; no call carries more than 40, unless one request has more, and none overtakes many that wait", async () => {
    const group = open(1);
    const many = (name: string, count: number) => Array.from({ length: count }, (_, at) => `${name}${at}`);
    const all = [
      run(group, ["a"]),
      run(group, many("b", 38)),
      run(group, ["e"]),
      run(group, many("c", 3)),
      run(group, many("d", 50)),
    ];
    await pass(10);
    expect(sentOf().map(({ length }) => length)).toEqual([1, 3, 50]);
    calls[0]?.answer();
    calls[1]?.answer();
    expect((await finish(Promise.all(all))).map((rows) => rows.length)).toEqual([1, 38, 1, 3, 50]);
    expect(sentOf().map(({ length }) => length)).toEqual([1, 3, 50, 39]);
  });

  it("of more than 1,000 without a result are rejected", async () => {
    const group = open(1);
    const ten = Array.from({ length: 10 }, (_, at) => at);
    const waiting = Array.from({ length: 100 }, (_, one) =>
      run(
        group,
        ten.map((at) => `a${one} ${at}`),
      ),
    );
    const rejected = group.run(["b"] as unknown as D1PreparedStatement[], 1, now + DEADLINE_MS);
    const error = rejected.catch((thrown: unknown) => thrown);
    expect(new Set((await finish(Promise.all(waiting))).flat()).size).toBe(1_000);
    expect(await finish(error)).toBeInstanceOf(TooManyWaitingError);
    void run(group, ["c"]);
    await pass(10);
    expect(sentOf().at(-1)).toEqual(["c"]);
  });

  it("of 64 lists wait, although each fills an eighth of a call", async () => {
    const group = open(2);
    const lists = Array.from({ length: 64 }, (_, at) => run(group, [`list ${at}`], 5));
    const rows = (await finish(Promise.all(lists))).flat();
    expect(rows).toEqual(lists.map((_, at) => `row of list ${at}`));
    expect(Math.max(...sentOf().map(({ length }) => length))).toBe(8);
  });

  it("that nobody sent before their request gave up are not sent", async () => {
    const group = open(1);
    const first = run(group, ["a"]);
    const late = run(group, ["b"], 1, now + 100);
    await pass(200);
    expect(await late).toContain("deadline");
    calls[0]?.answer();
    await pass(20);
    expect([await first, sentOf()]).toEqual([["row of a"], [["a"]]]);
    void run(group, ["c"]);
    await pass(10);
    expect(sentOf()).toEqual([["a"], ["c"]]);
  });

  it("are not sent by others after their deadline", async () => {
    const group = open(1);
    const first = run(group, ["a"]);
    const late = run(group, ["b"], 1, now + 9);
    calls[0]?.answer();
    await first;
    setTime(now + 10);
    void run(group, ["c"]);
    expect(sentOf()).toEqual([["a"], ["c"]]);
    await pass(10);
    expect(await late).toContain("deadline");
  });

  it("do not count any more after their request gave up", async () => {
    const group = open(1);
    void run(group, ["a"]);
    const late = run(group, ["b"], 39, now + 100);
    await pass(200);
    await late;
    void run(group, ["c"]);
    await pass(10);
    expect(sentOf()).toEqual([["a"]]);
  });

  it("are not sent by a request that has less than half of its time left", async () => {
    const group = open(1);
    void run(group, ["a"]);
    void run(group, ["b"], 1, now + DEADLINE_MS / 2);
    void run(group, ["c"]);
    await pass(4);
    calls[0]?.answer();
    await pass(4);
    expect(sentOf()).toEqual([["a"], ["b"]]);
    calls[1]?.answer();
    await pass(10);
    expect(sentOf()).toEqual([["a"], ["b"], ["c"]]);
  });
});

describe("a call that never returns", () => {
  it("ends with an error at the deadline of each of its requests", async () => {
    const group = open(1);
    const all = [run(group, ["a"]), run(group, ["b"]), run(group, ["c"])];
    calls[0]?.answer();
    await pass(DEADLINE_MS + 10);
    expect(await finish(Promise.all(all))).toEqual([
      ["row of a"],
      expect.stringContaining("deadline"),
      expect.stringContaining("deadline"),
    ]);
  });

  it("has no place after the deadline, also if its request has ended and cannot say so", async () => {
    const group = open(1);
    void run(group, ["a"], 1, now + 100 * DEADLINE_MS);
    await pass(DEADLINE_MS - 1_000);
    const next = run(group, ["b"]);
    await pass(900);
    expect(sentOf()).toEqual([["a"]]);
    await pass(2_000);
    expect(sentOf()).toEqual([["a"], ["b"]]);
    calls[1]?.answer();
    await pass(1_000);
    expect(await next).toEqual(["row of b"]);
  });
});

describe("if a call fails", () => {
  const sent = async (message: string) => {
    const group = open(1);
    const all = [run(group, ["a"]), run(group, ["b", "c"]), run(group, ["d"])];
    await pass(4);
    calls[0]?.answer();
    await pass(10);
    calls[1]?.fail(message);
    await pass(10);
    return all;
  };

  it("in SQL, each request sends its statements again by itself", async () => {
    const all = await sent(SQL_ERROR);
    expect(sentOf()).toEqual([["a"], ["b", "c", "d"], ["b", "c"], ["d"]]);
    calls[2]?.fail(SQL_ERROR);
    calls[3]?.answer();
    expect(await Promise.all(all)).toEqual([["row of a"], SQL_ERROR, ["row of d"]]);
  });

  it("otherwise, it may have committed, and is the error of all", async () => {
    const all = await sent(LOST);
    expect(sentOf()).toHaveLength(2);
    expect(await Promise.all(all)).toEqual([["row of a"], LOST, LOST]);
  });
});

it("fails if D1 returns another number of results", async () => {
  const db = { batch: async () => [{ results: [] }] } as unknown as D1Database;
  expect(await run(open(1, db), ["a", "b"])).toContain("other results");
});

const request = fc.record({
  after: fc.nat(20),
  count: fc.integer({ min: 1, max: 4 }),
  weight: fc.integer({ min: 1, max: 6 }),
  /** One in ten. */
  isWrong: fc.nat(9).map((value) => value === 0),
});
const outcome = fc.record({
  takes: fc.nat(12),
  fails: fc.constantFrom(undefined, undefined, undefined, "before", "after"),
});

/** Twenty requests that arrive together, while each call takes 5 ms. */
const TOGETHER = () =>
  [
    Array.from({ length: 20 }, () => ({ after: 0, count: 1, weight: 1, isWrong: false })),
    fc.stream(
      (function* () {
        for (;;) yield { takes: 5, fails: undefined };
      })(),
    ),
    1,
  ] satisfies [unknown, unknown, number];

it("gives each request its own rows or its own error, and commits what it confirms once, for any mix and any failures", async () => {
  const sizes = new Map<number, number>();
  await fc.assert(
    fc.asyncProperty(
      fc.array(request, { minLength: 1, maxLength: 40 }),
      fc.infiniteStream(outcome),
      fc.integer({ min: 1, max: 3 }),
      async (requests, outcomes, maxCalls) => {
        const committed = new Map<string, number>();
        const db = {
          batch: async (statements: string[]) => {
            const { takes, fails } = outcomes.next().value as { takes: number; fails?: string };
            const size = new Set(statements.map((text) => text.split(".")[0])).size;
            sizes.set(size, (sizes.get(size) ?? 0) + 1);
            if (takes > 0) await new Promise<void>((resolve) => setTimeout(resolve, takes));
            if (fails === "before") throw new Error(LOST);
            if (statements.some((text) => text.endsWith("wrong"))) throw new Error(SQL_ERROR);
            for (const text of statements) committed.set(text, (committed.get(text) ?? 0) + 1);
            if (fails === "after") throw new Error(LOST);
            return statements.map((text) => ({ results: [`row of ${text}`] }));
          },
        } as unknown as D1Database;
        const group = open(maxCalls, db);
        const all = requests.map(async ({ after, count, weight, isWrong }, at) => {
          const texts = Array.from({ length: count }, (_, index) => `${at}.${index}`);
          if (isWrong) texts[count - 1] += ".wrong";
          if (after > 0) await new Promise<void>((resolve) => setTimeout(resolve, after));
          return { isWrong, texts, result: await run(group, texts, Math.max(weight, count)) };
        });
        for (const { isWrong, texts, result } of await finish(Promise.all(all))) {
          const times = texts.map((text) => committed.get(text) ?? 0);
          if (Array.isArray(result)) {
            expect(isWrong).toBe(false);
            expect(result).toEqual(texts.map((text) => `row of ${text}`));
            expect(times).toEqual(texts.map(() => 1));
          } else {
            expect(isWrong ? [SQL_ERROR, LOST] : [LOST]).toContain(result);
            // Whole or not.
            expect(new Set(times).size).toBe(1);
            expect(times[0]).toBeLessThanOrEqual(isWrong ? 0 : 1);
          }
        }
      },
    ),
    { ...runs(500, 6), examples: [TOGETHER()] },
  );
  expect(Math.max(...sizes.keys())).toBeGreaterThan(8);
});
