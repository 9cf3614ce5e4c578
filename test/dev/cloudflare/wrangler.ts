/** The real wrangler, for tests that call many of its commands. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { Ended, Wrangler } from "../../../src/dev/wrangler.ts";

/** A process that has loaded wrangler, and the end of its last command. It ends with this process. */
let loaded: { child: ChildProcess; last: Promise<unknown> } | undefined;

function load() {
  const child = fork(join(import.meta.dirname, "wrangler-process.ts"), {
    execArgv: ["--no-warnings"],
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  child.unref();
  child.channel?.unref();
  return { child, last: once(child, "message") };
}

/** Runs commands in this folder with these variables, one after the other. */
export const wranglerIn =
  (folder: string, variables: () => Record<string, string>): Wrangler =>
  (args, { environment = {} } = {}) => {
    loaded ??= load();
    const { child, last } = loaded;
    const ended = last.then(async () => {
      child.send({ args, folder, environment: { ...variables(), ...environment } });
      const [answer] = await once(child, "message");
      return answer as Ended;
    });
    loaded.last = ended;
    return ended;
  };
