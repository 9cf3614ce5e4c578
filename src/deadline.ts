/** Limits how long the Worker waits for the database, KV, the queue, a rate limiter or a request body. */

/** The work did not finish in time. */
export class DeadlineError extends Error {}

/** Waits for the work. Throws DeadlineError if it takes longer than `milliseconds`; the work itself is not stopped. */
export async function withDeadline<T>(work: Promise<T>, milliseconds: number, what: string): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const deadline = new Promise<never>((_, reject) => {
    const end = () => reject(new DeadlineError(`${what} did not answer before the deadline`));
    timer = setTimeout(end, milliseconds);
  });
  try {
    return await Promise.race([work, deadline]);
  } finally {
    clearTimeout(timer);
  }
}
