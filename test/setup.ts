/** Runs before each test file. The files of a process share it and its modules, so also what the Worker remembers in memory. */
import { afterAll, afterEach, chai, expect } from "vitest";
import { once } from "./once.ts";

// It finds misspelled assertions, which TypeScript finds too, and takes a proxy for each of ours.
chai.config.useProxy = false;

// The timers of the pool read a stack trace at each call, to find the calls of Vitest. Vitest has kept them; all others get workerd's.
for (const name of ["setTimeout", "clearTimeout"] as const) Reflect.deleteProperty(globalThis, name);

// To send each line of the log to the main process takes as long as a short request, so only a failed test prints its lines.
const log = once("log", () => {
  const prints: (() => void)[] = [];
  const keeping =
    (print: (...values: unknown[]) => void) =>
    (...values: unknown[]) =>
      void prints.push(() => print(...values));
  console.log = keeping(console.log);
  console.error = keeping(console.error);
  return prints;
});
afterEach(({ task }) => {
  const prints = log.splice(0);
  if (task.result?.state === "fail") for (const print of prints) print();
});

await import("./passwords.ts");
const { takeScans } = await import("./plans.ts");

afterAll(async () => {
  expect(await takeScans()).toEqual([]);
});
