/** Starts wrangler. */
import { type SpawnSyncReturns, spawnSync } from "node:child_process";

export interface RunOptions {
  /** The working directory. Default: that of this process. */
  folder?: string;
  /** Variables in addition to those of this process. */
  environment?: Record<string, string>;
  /** Whether wrangler uses the terminal of the caller, so that it can prompt there. Nothing is returned as text then. */
  inTerminal?: boolean;
}

/** Runs a wrangler command to its end. `status` is not 0 if it failed. */
export type Wrangler = (
  args: string[],
  options?: RunOptions,
) => Pick<SpawnSyncReturns<string>, "status" | "stdout" | "stderr" | "error">;

/** The wrangler on the PATH, where npm puts that of node_modules first. */
export const wrangler: Wrangler = (args, { folder, environment, inTerminal = false } = {}) =>
  spawnSync("wrangler", args, {
    cwd: folder,
    env: { ...process.env, ...environment },
    stdio: inTerminal ? "inherit" : "pipe",
    encoding: "utf8",
  });
