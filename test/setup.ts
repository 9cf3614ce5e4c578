/**
 * Runs before each test file. Several files share a process, which saves its start, but not what the Worker remembers: each
 * starts with new modules, as in a new isolate.
 */
import { afterAll, expect, vi } from "vitest";

vi.resetModules();
await import("./passwords.ts");
const { stopChecking, takeScans } = await import("./plans.ts");

afterAll(async () => {
  expect(await takeScans()).toEqual([]);
  stopChecking();
});
