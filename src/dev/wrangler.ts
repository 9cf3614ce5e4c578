/** Starts wrangler. */
import { spawn } from "node:child_process";

export interface RunOptions {
  /** The working directory. Default: that of this process. */
  folder?: string;
  /** Variables in addition to those of this process. */
  environment?: Record<string, string>;
  /** Whether wrangler uses the terminal of the caller, so that it can prompt there. Nothing is returned as text then. */
  inTerminal?: boolean;
}

/** `status` is not 0 if the command failed; null with an `error` if it could not be started. */
export type Ended = { status: number | null; stdout: string; stderr: string; error?: Error };

/** Runs a wrangler command to its end. */
export type Wrangler = (args: string[], options?: RunOptions) => Promise<Ended>;

/** The wrangler on the PATH, where npm puts that of node_modules first. */
export const wrangler: Wrangler = (args, { folder, environment, inTerminal = false } = {}) =>
  new Promise((resolve) => {
    const child = spawn("wrangler", args, {
      cwd: folder,
      env: { ...process.env, ...environment },
      stdio: inTerminal ? "inherit" : ["ignore", "pipe", "pipe"],
    });
    const ended: Ended = { status: null, stdout: "", stderr: "" };
    child.stdout?.setEncoding("utf8").on("data", (text) => {
      ended.stdout += text;
    });
    child.stderr?.setEncoding("utf8").on("data", (text) => {
      ended.stderr += text;
    });
    child.on("error", (error) => resolve({ ...ended, error }));
    child.on("close", (status) => resolve({ ...ended, status }));
  });

/** Whether wrangler failed because nobody is signed in, or because a token may not do this: Cloudflare's codes for both. */
export const isSignInError = (output: string): boolean =>
  /CLOUDFLARE_API_TOKEN|wrangler login|not (authenticated|logged in)|code: (10000|9106|9109)\b/i.test(output);

export const SIGN_IN =
  "Run npx wrangler login, or set CLOUDFLARE_API_TOKEN (and CLOUDFLARE_ACCOUNT_ID if you have several accounts).";
