/** Hashing a password blocks an isolate, so an isolate hashes at most two a second, and no stranger takes all turns. */
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { verifyPassword } from "../../src/auth/passwords.ts";
import { PACE, type PasswordOwner } from "../../src/auth/scrypt.ts";

/** How long each derivation blocks the isolate, in milliseconds. */
let blocks = 0;
/** A password that takes so long: it is normalized in its turn, just before its key is derived. */
const PASSWORD = {
  normalize: () => {
    vi.setSystemTime(Date.now() + blocks);
    return "a password";
  },
} as string;

/** The module of a new isolate, in which no key was derived. */
let isolate: typeof import("../../src/auth/scrypt.ts");
let isolates = 0;
beforeEach(async () => {
  const path = `../../src/auth/scrypt.ts?isolate=${++isolates}`;
  isolate = await import(/* @vite-ignore */ path);
  Object.assign(isolate.SCRYPT, { N: 2, r: 1, p: 1 });
  vi.useFakeTimers({ toFake: ["Date", "setTimeout"] });
});
afterEach(() => {
  blocks = 0;
  vi.useRealTimers();
});

const SALT = new Uint8Array(16);

/** Verifies this many passwords concurrently. For each, the milliseconds until its turn, or why there was none. */
function verify(count: number, owner: PasswordOwner): Promise<(number | string)[]> {
  const start = Date.now();
  const one = () =>
    isolate.deriveKey(PASSWORD, SALT, owner).then(
      () => Date.now() - start,
      ({ code, headers }) => `${code}, retry after ${headers["retry-after"]}`,
    );
  return Promise.all(Array.from({ length: count }, one));
}

const BUSY = "rate_limited, retry after 5";

it("hashes two passwords a second, and rejects a stranger who would wait longer than 2 seconds", async () => {
  const verified = verify(7, "stranger");
  await vi.advanceTimersByTimeAsync(10_000);
  expect(await verified).toEqual([0, 500, 1000, 1500, 2000, BUSY, BUSY]);
});

it("lets a user whom we know wait up to 5 seconds, behind the strangers who came first", async () => {
  const strangers = verify(9, "stranger");
  const known = verify(8, "known");
  await vi.advanceTimersByTimeAsync(10_000);
  expect((await strangers).slice(5)).toEqual([BUSY, BUSY, BUSY, BUSY]);
  expect(await known).toEqual([2500, 3000, 3500, 4000, 4500, 5000, BUSY, BUSY]);
});

it("never keeps a user whom we know waiting longer than strangers may wait, however many come", async () => {
  const arrivals: Promise<(number | string)[]>[] = [];
  for (let second = 0; second < 20; second++) {
    arrivals.push(verify(50, "stranger"));
    await vi.advanceTimersByTimeAsync(1_000);
  }
  const known = verify(1, "known");
  await vi.advanceTimersByTimeAsync(5_000);
  const [wait] = await known;
  expect(wait).toBeLessThanOrEqual(isolate.PACE.patience.stranger + isolate.PACE.interval);
  expect((await Promise.all(arrivals)).flat().filter((one) => one !== BUSY)).toHaveLength(43);
});

it.each([160, 500, 1_500])(
  "gives users whom we know their turns within 10 seconds, on a machine that hashes for %i ms, however many strangers come",
  async (milliseconds) => {
    blocks = milliseconds;
    const known: Promise<(number | string)[]>[] = [];
    const strangers: Promise<(number | string)[]>[] = [];
    for (let second = 0; second < 20; second++) {
      strangers.push(verify(12, "stranger"));
      if (second % 5 === 4) known.push(verify(2, "known"));
      await vi.advanceTimersByTimeAsync(1_000);
    }
    await vi.advanceTimersByTimeAsync(20_000);
    const waits = (await Promise.all(known)).flat();
    // Not a number if there was none.
    expect(Math.max(...waits.map(Number))).toBeLessThanOrEqual(10_000);
    expect((await Promise.all(strangers)).flat()).toContain(BUSY);
  },
);

it("hashes the next password without a pause after half a second without any", async () => {
  for (const pause of [500, 500, 499]) {
    const verified = verify(1, "stranger");
    await vi.advanceTimersByTimeAsync(pause);
    expect(await verified).toEqual([0]);
  }
  const early = verify(1, "stranger");
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await early).toEqual([1]);
});

it("verifies a password in the turn of its owner", async () => {
  const { patience } = PACE;
  PACE.patience = { stranger: -1, known: 0 };
  try {
    await expect(verifyPassword("a password", undefined, "stranger")).rejects.toMatchObject({
      code: "rate_limited",
    });
    expect(await verifyPassword("a password", undefined, "known")).toBeUndefined();
  } finally {
    PACE.patience = patience;
  }
});
