/** An isolate reads one report at a time, the users in turn, and nobody waits forever. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Context } from "../../src/env.ts";

/** The module of a new isolate, in which no report was read. */
let isolate: typeof import("../../src/auth/report-limits.ts");
let isolates = 0;
let log: string[] = [];

beforeEach(async () => {
  const path = `../../src/auth/report-limits.ts?isolate=${++isolates}`;
  isolate = await import(/* @vite-ignore */ path);
  log = [];
  vi.useFakeTimers({ toFake: ["Date", "setTimeout"] });
});
afterEach(() => {
  vi.useRealTimers();
});

const start = () => Date.now();

/** Reads a report of a user that takes this long. Logs when it starts, in milliseconds after `from`. */
function read(user: string, milliseconds: number, from: number, name = user): Promise<string> {
  const work = async () => {
    log.push(`${name} ${Date.now() - from}`);
    await new Promise((resolve) => setTimeout(resolve, milliseconds));
    return "read";
  };
  return isolate.asReport({ env: {} } as Context, user, work).then(
    (result) => result,
    ({ code, headers }) => `${code}, retry after ${headers["retry-after"]}`,
  );
}

const BUSY = "rate_limited, retry after 5";
/** What a report got so far. */
const soFar = (report: Promise<string>) => Promise.race([report, Promise.resolve("waits")]);

describe("two reports", () => {
  it("of one user are read one after the other, with a rest in between, and both succeed", async () => {
    const from = start();
    const both = [read("a", 400, from, "first"), read("a", 400, from, "second")];
    await vi.advanceTimersByTimeAsync(2_000);
    expect(await Promise.all(both)).toEqual(["read", "read"]);
    // 400 ms, a quarter of that as a rest, and up to 50 ms until the second one looks.
    expect(log).toEqual(["first 0", "second 500"]);
  });

  it("that do not overlap are read without a rest", async () => {
    const from = start();
    const first = read("a", 400, from, "first");
    await vi.advanceTimersByTimeAsync(400);
    expect(await first).toBe("read");
    const second = read("a", 400, from, "second");
    await vi.advanceTimersByTimeAsync(400);
    expect(await second).toBe("read");
    expect(log).toEqual(["first 0", "second 400"]);
  });

  it("rest at most 250 ms between them", async () => {
    const from = start();
    const both = [read("a", 4_000, from, "first"), read("a", 1, from, "second")];
    await vi.advanceTimersByTimeAsync(5_000);
    await Promise.all(both);
    expect(log).toEqual(["first 0", "second 4250"]);
  });
});

it("a user with many reports does not keep another user waiting for more than one of them", async () => {
  const from = start();
  const many = Array.from({ length: 5 }, (_, index) => read("a", 100, from, `a${index}`));
  await vi.advanceTimersByTimeAsync(50);
  const other = read("b", 100, from);
  await vi.advanceTimersByTimeAsync(5_000);
  await Promise.all([...many, other]);
  expect(log.map((line) => line.split(" ")[0])).toEqual(["a0", "b", "a1", "a2", "a3", "a4"]);
});

it("a report that waited 10 seconds gets 429 with Retry-After and is not read", async () => {
  const from = start();
  const first = read("a", 10_001, from, "first");
  const second = read("a", 1, from, "second");
  await vi.advanceTimersByTimeAsync(10_000);
  expect(await soFar(second)).toBe(BUSY);
  await vi.advanceTimersByTimeAsync(1);
  expect(await first).toBe("read");
  expect(log).toEqual(["first 0"]);
});

it.each([
  ["11 of one user", 11, (index: number) => (index < 12 ? "a" : "b")],
  ["51 of all users", 51, (index: number) => `user ${index}`],
])("with %s in the line, one more gets 429 immediately", async (_, most, userOf) => {
  const from = start();
  const waiting = Array.from({ length: most }, (__, index) => read(userOf(index), 1, from));
  const oneMore = read(userOf(most), 1, from);
  await vi.advanceTimersByTimeAsync(0);
  expect(await soFar(oneMore)).toBe(BUSY);
  expect(new Set(await Promise.all(waiting.map(soFar)))).toEqual(new Set(["waits"]));
});

it("all of 11 in the line are read", async () => {
  const from = start();
  const waiting = Array.from({ length: 11 }, () => read("a", 1, from));
  await vi.advanceTimersByTimeAsync(2_000);
  expect(new Set(await Promise.all(waiting))).toEqual(new Set(["read"]));
});

it("a report that fails lets the next one be read", async () => {
  const fails = isolate.asReport({ env: {} } as Context, "a", () => Promise.reject(new Error("failed")));
  await expect(fails).rejects.toThrow("failed");
  expect(await isolate.asReport({ env: {} } as Context, "a", async () => "read")).toBe("read");
});

it("an aborted request, whose turn nobody ends, keeps others waiting for at most 30 seconds", async () => {
  const from = start();
  void isolate.asReport({ env: {} } as Context, "a", () => new Promise(() => undefined));
  await vi.advanceTimersByTimeAsync(21_000);
  const next = read("a", 1, from, "next");
  await vi.advanceTimersByTimeAsync(9_051);
  expect(await next).toBe("read");
  expect(log).toEqual(["next 30000"]);
});
