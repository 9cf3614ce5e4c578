/**
 * Derives keys from passwords: slow on purpose, about 160 ms and 16 MiB, near the maximum that workerd allows. It blocks the
 * isolate, so an isolate derives at most two keys a second, and clicks are served in between.
 */
import { scrypt } from "node:crypto";
import { systemClock } from "../env.ts";
import { AppError } from "../errors.ts";

export const SCRYPT = { N: 2 ** 14, r: 8, p: 5 } as const;

/**
 * The time between two derivations, and how long a line a caller joins. In milliseconds. A stranger joins a shorter one, so strangers
 * never use all turns. Where derivations take longer and the line slows down, only strangers give up.
 */
export const PACE = { interval: 500, patience: { stranger: 2_000, known: 5_000 } };

/** `known`: a signed-in user, or a browser that has signed in to the account before. */
export type PasswordOwner = keyof typeof PACE.patience;

const KEY_BYTES = 64;

/**
 * 64 bytes, after a turn. Throws rate_limited if that would take too long. Normalizes the password first, because different
 * machines encode the same characters differently.
 */
export async function deriveKey(
  password: string,
  salt: Uint8Array,
  owner: PasswordOwner,
  cost: { N: number; r: number; p: number } = SCRYPT,
): Promise<Uint8Array> {
  const started = await waitForTurn(owner);
  const key = await new Promise<Uint8Array>((resolve, reject) => {
    scrypt(password.normalize("NFKC"), salt, KEY_BYTES, cost, (error, derived) =>
      error ? reject(error) : resolve(derived),
    );
  });
  rest(started);
  return key;
}

/** When the next turn in the line is free, in milliseconds since 1970. */
let nextTurn = 0;
/** Until this time the isolate serves other requests. */
let restsUntil = 0;
/** When a user whom we know tries again, because the isolate rested at their turn. Strangers try later. */
let knownTurn = 0;

/**
 * Waits for a turn and returns the time. A turn is never given back and no caller wakes another one, so a request that is
 * aborted blocks nobody.
 */
async function waitForTurn(owner: PasswordOwner): Promise<number> {
  const patience = PACE.patience[owner];
  const arrived = systemClock();
  let turn = Math.max(arrived, nextTurn);
  if (turn - arrived > patience) throw busy();
  nextTurn = turn + PACE.interval;
  for (let now = arrived; now < turn; now = systemClock()) {
    await pause(turn - now);
    turn = Math.max(turn, restsUntil, owner === "stranger" ? knownTurn + PACE.interval : 0);
    if (owner === "known") knownTurn = Math.max(knownTurn, turn);
    else if (turn - arrived > patience + PACE.interval) throw busy();
  }
  restsUntil = turn + PACE.interval;
  return turn;
}

/** Where a derivation takes long, for example on a busy machine, the isolate rests twice as long afterwards. */
function rest(started: number): void {
  const ended = systemClock();
  restsUntil = Math.max(restsUntil, ended + 2 * Math.min(ended - started, PACE.interval));
  nextTurn = Math.max(nextTurn, restsUntil);
}

function busy(): AppError {
  const detail = "Too many people are entering passwords. Try again in a few seconds.";
  return new AppError("rate_limited", detail, { headers: { "retry-after": "5" } });
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
