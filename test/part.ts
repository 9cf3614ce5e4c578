/**
 * Which part of the suite runs. `npm test` runs a fixed part of what is large: random models, orders, faults at every call, every
 * hostile text. `npm run test:long` runs all of it, with new seeds. Everything else runs in both.
 */
import { env } from "cloudflare:workers";

const { LONG, SEED, SEED_PATH, LEDGER_0 } = env as {
  [name in "LONG" | "SEED" | "SEED_PATH"]?: string;
} & { LEDGER_0?: D1Database };

/** Whether everything runs. */
export const isLong = LONG === "1";

/** Whether a file runs whole: with one database. With four shards, `npm test` leaves out the cases that no shard can break. */
export const isWhole = isLong || LEDGER_0 === undefined;

/** The distance between the calls that fail, in tests that count them: each in the long part, every third in `npm test`. */
export const CALL_STEP = isLong ? 1 : 3;

/**
 * The parameters of a random property that has `all` runs in the long part, and `some` in `npm test`, always the same. A property
 * that fails prints its seed and its path; SEED and SEED_PATH repeat it, in both parts.
 */
export const runs = (all: number, some: number = all) => ({
  numRuns: isLong ? all : some,
  ...(SEED ? { seed: Number(SEED) } : !isLong && { seed: 20_260_101 }),
  ...(SEED_PATH && { path: SEED_PATH }),
});

/** Cases that share code: all in the long part, and in `npm test` one of so many, others for each place in the list of what has them. */
export const oneOf = <Case>(count: number, cases: Case[], place: number): Case[] =>
  isLong ? cases : cases.filter((_, position) => position % count === place % count);
