/** The time limit of every test and every hook. No test measures time, and a busy machine must not fail one, so it only ends a hang. */
const LIMIT = 600_000;
export const limits = { testTimeout: LIMIT, hookTimeout: LIMIT };
