import { type SpawnSyncReturns, spawnSync } from "node:child_process";
import { join } from "node:path";

export const ROOT = join(import.meta.dirname, "../..");

/**
 * Runs a command to its end, in the checkout unless `options` names another folder. Throws if it does not end: a test's own time
 * limit cannot stop a synchronous call.
 */
export function run(
  command: string,
  args: string[],
  options: { cwd?: string; env?: NodeJS.ProcessEnv } = {},
): SpawnSyncReturns<string> {
  const result = spawnSync(command, args, {
    cwd: ROOT,
    ...options,
    encoding: "utf8",
    timeout: 240_000,
    killSignal: "SIGKILL",
  });
  if (result.error) throw result.error;
  return result;
}
