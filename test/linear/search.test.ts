/** A search of the documentation costs about the same for every query. Anyone can send one, and nothing limits how many. */
import { expect, it, vi } from "vitest";
import type { Env } from "../../src/env.ts";
import { serve } from "../../src/index.ts";

vi.spyOn(console, "log").mockReturnValue();

const limiter = { limit: async () => ({ success: true }) };
const env = {
  DB: {},
  TOKENS: {},
  LINKS: {},
  VERSION: { id: "", tag: "", timestamp: "" },
  ...{ PASSWORD_ATTEMPTS: limiter, ADDRESS_ATTEMPTS: limiter, ACCOUNT_ATTEMPTS: limiter },
} as unknown as Env;

/** Sends a search. */
async function search(query: string): Promise<void> {
  const url = `https://linkledger.test/docs/search?${new URLSearchParams({ q: query })}`;
  const response = await serve(new Request(url), env, { waitUntil: () => undefined }, () => 0);
  expect(response.status).toBe(200);
  await response.text();
}

/** Microseconds of CPU time of a search. */
async function cpuOf(query: string): Promise<number> {
  const before = process.cpuUsage();
  await search(query);
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

/** The time of 200 searches, divided by that of as many for one word. In turns, because other work on the machine slows both. */
async function ratioOf(query: string): Promise<number> {
  let [own, one] = [0, 0];
  for (let run = 0; run < 200; run++) {
    own += await cpuOf(query);
    one += await cpuOf("cost");
  }
  return own / one;
}

const HOSTILE = [
  ["a letter 50 times", "e ".repeat(50)],
  ["the letters that most entries have", "e a i o n r t s"],
  [
    "every letter",
    "a b c d e f g h i j k l m n o p q r s t u v w x y z 0 1 2 3 4 5 6 7 8 9 _ - / . , : ; ( )",
  ],
  ["words that most entries have", "the a in of to is and or"],
  ["more words that most entries have", "the and for are not can you has"],
  ["long words", "cost_id link_token app_token from_engagement partner_id engagements"],
] as const;

it.each(HOSTILE)("takes at most twice the time of one word: %s", async (_, query) => {
  await Promise.all([search("cost"), search(query)]);
  let ratio = Number.POSITIVE_INFINITY;
  // The garbage collector only makes code slower, so one good try is enough.
  for (let tries = 0; tries < 5 && ratio > 2; tries++) ratio = await ratioOf(query);
  expect(ratio).toBeLessThanOrEqual(2);
});
