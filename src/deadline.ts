/** How long is waited for what may never answer: the database, KV, the queue, a limiter, a body that is being sent. */

/** What was waited for did not come in time. */
export class DeadlineError extends Error {}

/** What the work gives. Throws DeadlineError where it takes longer than so many milliseconds; it may go on all the same. */
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
