/** Which statements share calls, and which are sent again. */
import { describe, expect, it, vi } from "vitest";
import {
  type Bound,
  groupCalls,
  type Run,
  runBatch,
  runGrouped,
  runGroupedIdempotent,
} from "../../../src/db/statement.ts";
import { calls, database, finish, holdCalls, now, pass, sentOf } from "./held-calls.ts";

const LOST = "D1_ERROR: Network connection lost.";

holdCalls();

describe("of the requests of an isolate", () => {
  /** A database whose calls are `calls`, and which shares one call at a time. */
  const share = (maxCalls = 1) => {
    const db = { batch: database.batch } as D1Database;
    groupCalls([db], maxCalls, () => now);
    return (runner: Run, text: string) =>
      runner(db, text as unknown as Bound<unknown>).catch((error: Error) => error.message);
  };

  it("a list of 100 rows weighs ten, and a longer one and what did not opt in have calls of their own", async () => {
    const send = share();
    for (const name of ["a", "b", "c", "d"]) void send(runGrouped(100), name);
    await pass(10);
    expect(sentOf()).toEqual([["a"]]);
    void send(runGrouped(101), "long");
    void send(runBatch, "report");
    void send(runGrouped(91), "e");
    await pass(10);
    expect(sentOf().slice(1).toSorted()).toEqual([["e", "b", "c", "d"], ["long"], ["report"]]);
  });

  it("each has a call of its own if GROUP_CALLS is 0", async () => {
    const send = share(0);
    for (const name of ["a", "b", "c"]) void send(runGrouped(), name);
    await pass(10);
    expect(sentOf()).toEqual([["a"], ["b"], ["c"]]);
  });

  /** Two requests whose call fails, and what was sent after it. */
  async function failTogether(runners: Run[], message: string) {
    vi.spyOn(scheduler, "wait").mockImplementation((pause) => new Promise((done) => setTimeout(done, pause)));
    const send = share();
    const first = send(runGrouped(), "first");
    const all = runners.map((runner, index) => send(runner, `${index}`));
    await pass(4);
    calls[0]?.answer();
    await pass(10);
    calls[1]?.fail(message);
    await pass(300);
    const again = sentOf().slice(2);
    await finish(Promise.all([first, ...all]));
    return { all: await Promise.all(all), again };
  }

  it("after a lost connection, only those with an ID send their statements again", async () => {
    const { all, again } = await failTogether([runGrouped(), runGroupedIdempotent()], LOST);
    expect(again).toEqual([["1"]]);
    expect(all).toEqual([LOST, [["row of 1"]]]);
  });

  it.each([
    "D1_ERROR: no such table: links: SQLITE_ERROR",
    "D1_ERROR: database is locked: SQLITE_BUSY",
    "D1_ERROR: D1 DB is overloaded. Too many requests queued.",
  ])("none sends its statements again, because none is the cause: %s", async (message) => {
    const { all, again } = await failTogether([runGroupedIdempotent(), runGrouped()], message);
    expect([all, again]).toEqual([[message, message], []]);
  });
});
