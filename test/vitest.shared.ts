/** What all configurations of Vitest share. */
import { existsSync } from "node:fs";

// Databases are files, and each write waits for the disk. A file system in memory has nothing to wait for.
if (existsSync("/dev/shm")) process.env.TMPDIR ??= "/dev/shm";

/** The time limit of every test and every hook. No test measures time, and a busy machine must not fail one, so it only ends a hang. */
const LIMIT = 600_000;
/** How long a test waits for one thing, such as a text in a page. Shorter, so that the failure says what is missing. */
export const WAIT = 120_000;
export const limits = { testTimeout: LIMIT, hookTimeout: LIMIT, expect: { poll: { timeout: WAIT } } };
