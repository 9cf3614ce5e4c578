/**
 * What an isolate remembers of one kind, for some time and up to some number. No clock: the time is passed in, in milliseconds since
 * 1970. `db/isolate-memory.ts` has all that the Worker remembers.
 */
export class Memory<Value> {
  readonly #values = new Map<string, { value: Value; until: number }>();
  readonly #duration: number;
  readonly #most: number;
  #changes = 0;

  /** `duration` in milliseconds. */
  constructor({ duration, most = 10_000 }: { duration: number; most?: number }) {
    this.#duration = duration;
    this.#most = most;
  }

  get(key: string, now: number): Value | undefined {
    const known = this.#values.get(key);
    return known && known.until > now ? known.value : undefined;
  }

  has(key: string, now: number): boolean {
    return this.get(key, now) !== undefined;
  }

  /** Remembers what is so from now on. Forgets all others if there are too many. */
  set(key: string, value: Value, now: number): void {
    this.#changes++;
    this.#keep(key, value, now);
  }

  delete(key: string): void {
    this.#changes++;
    this.#values.delete(key);
  }

  clear(): void {
    this.#changes++;
    this.#values.clear();
  }

  /**
   * Call it before a value is read elsewhere. The result remembers what was read, unless something was set or deleted meanwhile, so
   * that the read may have been too early. Returns whether it did. `now` is the time before the read.
   */
  reading(now: number): (key: string, value: Value) => boolean {
    const before = this.#changes;
    return (key, value) => {
      const isCurrent = this.#changes === before;
      if (isCurrent) this.#keep(key, value, now);
      return isCurrent;
    };
  }

  #keep(key: string, value: Value, now: number): void {
    if (this.#values.size >= this.#most && !this.#values.has(key)) this.#values.clear();
    this.#values.set(key, { value, until: now + this.#duration });
  }
}
