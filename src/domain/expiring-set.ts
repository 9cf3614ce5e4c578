/** Remembers texts for some time in the memory of an isolate. No clock: the time is passed in, in milliseconds since 1970. */
export class ExpiringSet {
  readonly #duration: number;
  readonly #until = new Map<string, number>();

  constructor(duration: number) {
    this.#duration = duration;
  }

  has(text: string, now: number): boolean {
    return (this.#until.get(text) ?? 0) > now;
  }

  /** Forgets all others if there are too many. */
  add(text: string, now: number): void {
    if (this.#until.size >= MAX_SIZE) this.#until.clear();
    this.#until.set(text, now + this.#duration);
  }

  delete(text: string): void {
    this.#until.delete(text);
  }
}

const MAX_SIZE = 10_000;
