/** Clicks that are alike share rows: each is counted at most once, all of them unless a call is lost, and the log says how many are. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { clicksOn, numbers } from "./clicks.ts";
import { type FaultyWorker, startFaulty, until } from "./faulty.ts";

const isLong = process.env.LONG === "1";
const ALL = Number.MAX_SAFE_INTEGER;
const OVERLOADED = "D1_ERROR: D1 DB is overloaded. Requests queued for too long.";
const LOST = "D1_ERROR: Network connection lost.";

let server: FaultyWorker;
let clicks: Awaited<ReturnType<typeof clicksOn>>;

const [ONE, OTHER, FIRST] = [0, 1, 2];
const onLink = (link: number, count: number) => numbers(count).map(() => link);
const on = (link: number) => clicks.tokens[link] ?? "";

/** Holds the call of a first click, sends the others while it is in flight, and then lets it go. Returns what was counted of each link. */
async function clickTogether(first: number, others: number[], then: () => Promise<void>): Promise<number[]> {
  const before = await clicks.counts();
  await server.begin({ allowed: 0 });
  await clicks.click([first]);
  await until(async () => (await server.seen()).calls.length === 1);
  await clicks.click(others);
  await then();
  return (await clicks.counts()).map((count, link) => count - Number(before[link]));
}

const release = (more = {}) => server.change({ allowed: ALL, ...more });
const written = (rows: number) => until(async () => (await server.seen()).written >= rows);

describe("with one call in flight", () => {
  beforeAll(async () => {
    server = await startFaulty({ name: "alike", bindings: { GROUP_CALLS: "1" } });
    clicks = await clicksOn(server);
  });
  afterAll(() => server.stop());

  test.each([
    // A row for the counter and one for the audience, of the first click and of each link after it.
    [1, 1, 2],
    [16, 1, 4],
    [64, 1, 4],
    [1, 20, 2],
    [16, 20, 32],
    [64, 20, 42],
  ])("%i clicks that are open at the same time on %i links write %i rows", async (open, of, rows) => {
    const clicked = numbers(open).map((number) => number % of);
    const expected = numbers(20).map((link) => clicked.filter((one) => one === link).length);
    const [first = 0, ...others] = clicked;
    const counted = await clickTogether(first, others, async () => {
      await release();
      await written(rows);
    });
    expect(counted).toEqual(expected);
    expect((await server.seen()).written).toBe(rows);
  });

  test.each([
    ["before", LOST, [0, 0], [2, 3]],
    ["after", LOST, [3, 2], [2, 3]],
    ["before", OVERLOADED, [0, 0], [2, 3]],
    ["after", OVERLOADED, [3, 2], [2, 3]],
  ] as const)(
    "if the call fails %s the commit with %s, none is counted twice, and the log says how many it carried",
    async (when, message, expected, lost) => {
      const line = server.lines.length;
      const others = [...onLink(ONE, 3), ...onLink(OTHER, 2)];
      const counted = await clickTogether(FIRST, others, async () => {
        await server.change({ fault: { has: on(ONE), times: 1, when, message } });
        await release();
        await until(() => clicks.lostSince(line).length === lost.length);
      });
      expect(counted.slice(0, 3)).toEqual([...expected, 1]);
      expect(clicks.lostSince(line)).toEqual(lost);
      expect((await server.seen()).calls).toEqual([1, 2]);
    },
  );

  test("if a statement of the call is wrong, only the clicks of that statement are lost", async () => {
    const line = server.lines.length;
    const counted = await clickTogether(FIRST, [...onLink(ONE, 3), ...onLink(OTHER, 2)], async () => {
      await release({ poison: on(ONE) });
      await until(() => clicks.lostSince(line).length === 1);
      await until(async () => (await server.seen()).calls.length === 4);
    });
    expect(counted.slice(0, 3)).toEqual([0, 2, 1]);
    expect([clicks.lostSince(line), (await server.seen()).calls]).toEqual([[3], [1, 2, 1, 1]]);
  });

  test("if the request of the first of them is ended, the next request sends them", async () => {
    const counted = await clickTogether(FIRST, [], async () => {
      await server.change({ ends: 1 });
      await clicks.click([ONE]);
      await server.change({ ends: 0 });
      await clicks.click(onLink(ONE, 4));
      await release();
      await written(2);
      await clicks.click([OTHER]);
      await written(6);
    });
    expect(counted.slice(0, 3)).toEqual([5, 1, 1]);
    expect((await server.seen()).calls).toEqual([1, 2]);
  });

  test("if no request comes before the deadline, they are dropped and logged, and not counted later", async () => {
    const line = server.lines.length;
    const counted = await clickTogether(FIRST, [], async () => {
      await server.change({ ends: 1 });
      await clicks.click([ONE]);
      await server.change({ ends: 0 });
      await clicks.click(onLink(ONE, 4));
      await release();
      await written(2);
      await server.change({ ahead: 10_000 });
      await clicks.click([ONE, OTHER], 1);
      await written(6);
    });
    expect(counted.slice(0, 3)).toEqual([1, 1, 1]);
    expect(clicks.lostSince(line)).toEqual([5]);
    await server.begin();
  });

  test("before and after midnight, they are counted on their days", async () => {
    const midnight = Math.ceil(Date.now() / 86_400_000) * 86_400_000;
    await server.begin({ allowed: 0, now: midnight - 1 });
    const before = await clicks.counts();
    await clicks.click([FIRST]);
    await until(async () => (await server.seen()).calls.length === 1);
    await clicks.click(onLink(ONE, 3));
    await server.change({ now: midnight });
    await clicks.click(onLink(ONE, 2));
    await release();
    await written(6);
    expect(Number((await clicks.counts())[ONE]) - Number(before[ONE])).toBe(5);
    const { results } = await server.rows
      .prepare(
        "SELECT sum(e.count) AS n FROM daily_engagements e JOIN links l ON l.id = e.link_id WHERE l.token = ? AND day = ?",
      )
      .bind(on(ONE), midnight / 86_400_000)
      .all<{ n: number }>();
    expect(results).toEqual([{ n: 2 }]);
    await server.begin();
  });

  test("under load, all are counted", async () => {
    const rows = await clicks.countUnderLoad(isLong ? 10_000 : 100);
    // Without shared rows, each click writes two. On 20 links in turn, 16 that are open at the same time differ.
    const most = [1, 2, 1, 2];
    expect(rows.map((count, at) => count <= Number(most[at]))).toEqual([true, true, true, true]);
  });
});
