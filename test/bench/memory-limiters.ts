/**
 * Runs in workerd around a measured Worker. Its limiters count in memory: those of the local simulator write to SQLite for each use,
 * in the process that is measured, and Cloudflare's do not.
 */
const counts = new Map<string, number>();
const limiter: RateLimit = {
  limit: async ({ key }) => {
    counts.set(key, (counts.get(key) ?? 0) + 1);
    return { success: true };
  },
};

type Environment = Record<string, object>;
let wrapped: Environment | undefined;
const wrapAll = (env: Environment) => {
  wrapped ??= Object.fromEntries(
    Object.entries(env).map(([name, binding]) => [name, "limit" in Object(binding) ? limiter : binding]),
  ) as Environment;
  return wrapped;
};

const { default: worker } = (await import("./worker.js" as string)) as {
  default: Record<"fetch" | "queue", (...values: unknown[]) => unknown>;
};

export default {
  fetch: (request: Request, env: Environment, execution: unknown) =>
    worker.fetch(request, wrapAll(env), execution),
  queue: (batch: unknown, env: Environment, execution: unknown) =>
    worker.queue(batch, wrapAll(env), execution),
};
