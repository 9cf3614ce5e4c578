/** Hostile texts, and how much CPU time code takes to read them. */

/** `%` repeated is `%%` too. The last two are accents that normalization sorts, and half of a character. */
const SHORT = ["{", "%", "[", ";", "'", '"', "\n", "a", "\u0301", "\u0301\u0316", "\ud800"];
const ASCII = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code));
/** Read like `isLong` of test/part.ts, which needs the Workers runtime. */
export const isLong = process.env.LONG === "1";
const CHARACTERS = isLong ? [...new Set([...SHORT, ...ASCII])] : SHORT;

/** A run of one character, and the same in a URL and before another character, where an expression has to go back. */
const SHAPES = [(run: string) => run, (run: string) => `https://${run}x`];

const LENGTH = 60_000;
const SHORTER = 15_000;
/** Milliseconds. Linear code takes 34 on a slow machine; the ratio to a shorter text finds what is not linear. */
const MOST = 60;
const FAST = 2;

/** Prepares code to read a text. Only the code itself is measured. */
export type Prepare = (text: string) => () => unknown;

/** What takes too long, in words. `npm test` tries each character in one of the shapes, which one depends on the text. */
export async function findSlow(what: string, prepare: Prepare, shapes = SHAPES): Promise<string[]> {
  const found: string[] = [];
  for (const [position, character] of CHARACTERS.entries()) {
    const one = (position + what.length) % shapes.length;
    for (const shape of isLong ? shapes : shapes.slice(one, one + 1)) {
      const run = (length: number) => prepare(shape(character.repeat(length / character.length)));
      const slow = await judge(run);
      if (slow) found.push(`${what}, ${JSON.stringify(shape(character))}: ${slow}`);
    }
  }
  return found;
}

/** How long code takes to read a text of 60 kB, if that is too long. `prepare` gets the length of the text. */
export async function judge(prepare: (length: number) => () => unknown): Promise<string | undefined> {
  let slow: string | undefined;
  // Other work on the machine and the garbage collector only make code slower, so one good try is enough.
  for (let tries = 0; tries < 20; tries++) {
    // What took less time took less CPU time too, and the clock of a thread is too coarse for a single run.
    const first = await leastTimeOf(() => prepare(LENGTH), FAST, 2);
    if (first <= FAST) return undefined;
    const enough = Math.max(FAST, Math.min(MOST, 6 * (await leastTimeOf(() => prepare(SHORTER)))));
    if (first <= enough || (await leastTimeOf(() => prepare(LENGTH), enough, 3)) <= enough) return undefined;
    // The clock needs many runs, and a second try is often good.
    if (tries % 2 === 0) continue;
    const [long, short] = [await cpuOf(() => prepare(LENGTH)), await cpuOf(() => prepare(SHORTER))];
    if (long <= FAST || (long <= MOST && long <= 6 * short)) return undefined;
    slow = `${long.toFixed(1)} ms, and ${short.toFixed(1)} ms for a quarter of it`;
  }
  return slow;
}

/** Milliseconds of the fastest run, which other work on the machine disturbed least, or of the first that takes `enough`. */
async function leastTimeOf(prepare: () => () => unknown, enough = 0, most = 5): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let runs = 0; runs < most && least > enough; runs++) {
    const run = prepare();
    const start = performance.now();
    await run();
    least = Math.min(least, performance.now() - start);
  }
  return least;
}

/**
 * Milliseconds of CPU time of one run: the mean of as many as the clock needs. Without that of the kernel, which gives pages of memory to a
 * long text, and for a short one has them.
 */
async function cpuOf(prepare: () => () => unknown): Promise<number> {
  let [sum, runs] = [0, 0];
  for (; sum < 40 && runs < 80; runs++) {
    const run = prepare();
    const start = process.threadCpuUsage();
    await run();
    sum += process.threadCpuUsage(start).user / 1000;
  }
  return sum / runs;
}
