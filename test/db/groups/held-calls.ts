/** A database that only says what it was sent, and answers each call when a test says so, in a time that a test lets pass. */
import { afterEach, beforeEach, vi } from "vitest";

interface Call {
  sent: string[];
  /** Commits all of it and returns a row for each. */
  answer: () => void;
  fail: (message: string) => void;
}

export let now = 0;
export const setTime = (time: number) => {
  now = time;
};
export let calls: Call[] = [];
export const sentOf = () => calls.map(({ sent }) => sent);

export const database = {
  batch: (sent: string[]) =>
    new Promise((resolve, reject) => {
      const answer = () => resolve(sent.map((text) => ({ results: [`row of ${text}`] })));
      calls.push({ sent, answer, fail: (message) => reject(new Error(message)) });
    }),
} as unknown as D1Database;

/** Lets time pass, for the timers and the clock. */
export async function pass(milliseconds: number): Promise<void> {
  const step = milliseconds > 500 ? 50 : milliseconds >= 100 ? 10 : 2;
  for (let passed = 0; passed < milliseconds; passed += step) {
    now += step;
    await vi.advanceTimersByTimeAsync(step);
  }
}

/** Lets time pass until the work is done. Calls that were not answered yet are. */
export async function finish<T>(work: Promise<T>): Promise<T> {
  let isDone = false;
  void work.then(() => {
    isDone = true;
  });
  while (!isDone) {
    for (const { answer } of calls) answer();
    await pass(2);
  }
  return work;
}

/** Begins each test without calls. */
export function holdCalls(): void {
  beforeEach(() => {
    vi.spyOn(console, "log").mockImplementation(() => undefined);
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    calls = [];
    now = 1_000_000;
  });
  afterEach(() => vi.useRealTimers());
}
