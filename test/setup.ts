/**
 * Runs before each test file. The files of a process share it and its modules, so also what the Worker remembers in memory. Files
 * whose tests are about that memory get modules of their own, as in a new isolate.
 */
import { afterAll, chai, expect, vi } from "vitest";
import { once } from "./once.ts";

const OWN_MODULES =
  /\/(account\/show-token|auth\/(passwords|pace|report-limits)|db\/statements|site\/health|security\/(rate-limits|shed-load))\.test\.ts$/;

const last = once("last file", () => ({ hadOwnModules: false }));
const hasOwnModules = OWN_MODULES.test(expect.getState().testPath ?? "");
if (hasOwnModules || last.hadOwnModules) vi.resetModules();
last.hadOwnModules = hasOwnModules;

// It finds misspelled assertions, which TypeScript finds too, and takes a proxy for each of ours.
chai.config.useProxy = false;

await import("./passwords.ts");
const { takeScans } = await import("./plans.ts");

afterAll(async () => {
  expect(await takeScans()).toEqual([]);
});
