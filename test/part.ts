/**
 * Which part of the suite runs. `npm test` runs a fixed part of what is large: random models, orders, faults at every call, every
 * hostile text. `npm run test:long` runs all of it, with new seeds. Everything else runs in both.
 */
import { env } from "cloudflare:workers";
import { describe, it } from "vitest";

const { LONG, SEED, SEED_PATH } = env as { [name in "LONG" | "SEED" | "SEED_PATH"]?: string };

/** Whether everything runs. */
export const isLong = LONG === "1";

/** The distance between the calls that fail, in tests that count them: each in the long part, every third in `npm test`. */
export const CALL_STEP = isLong ? 1 : 3;

/** Whether the ledger of these tests is in four databases. */
export const isSharded = "LEDGER_0" in env;

const none = Object.assign(() => undefined, { each: () => () => undefined });
/**
 * `describe` and `it` for tests in which it does not matter where a row is, in a file that has others. Over four databases they run in
 * the long part.
 */
export const { describeAnywhere, itAnywhere } = (
  isLong || !isSharded
    ? { describeAnywhere: describe, itAnywhere: it }
    : { describeAnywhere: none, itAnywhere: none }
) as { describeAnywhere: typeof describe; itAnywhere: typeof it };

/**
 * The parameters of a random property that has `all` runs in the long part, and `some` in `npm test`, or `sharded` over four databases,
 * always the same. A property that fails prints its seed and its path; SEED and SEED_PATH repeat it, in both parts.
 */
export const runs = (all: number, some: number = all, sharded: number = some) => ({
  numRuns: isLong ? all : isSharded ? sharded : some,
  ...(SEED ? { seed: Number(SEED) } : !isLong && { seed: 20_260_101 }),
  ...(SEED_PATH && { path: SEED_PATH }),
});

/** Cases that share code: all in the long part, and in `npm test` one of so many, others for each place in the list of what has them. */
export const oneOf = <Case>(count: number, cases: Case[], place: number): Case[] =>
  isLong ? cases : cases.filter((_, position) => position % count === place % count);
