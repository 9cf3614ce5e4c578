/** The real wrangler, for tests that call many of its commands. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { Ended, Wrangler } from "../../../src/dev/wrangler.ts";

export class WranglerProcess {
  readonly #child: ChildProcess;
  #last: Promise<unknown>;

  constructor() {
    this.#child = fork(join(import.meta.dirname, "wrangler-process.ts"), {
      execArgv: ["--no-warnings"],
      stdio: ["ignore", "inherit", "inherit", "ipc"],
    });
    this.#last = once(this.#child, "message");
  }

  /** Runs commands in this folder with these variables, one after the other. */
  in(folder: string, variables: () => Record<string, string>): Wrangler {
    return (args, { environment = {} } = {}) => {
      const ended = this.#last.then(async () => {
        this.#child.send({ args, folder, environment: { ...variables(), ...environment } });
        const [answer] = await once(this.#child, "message");
        return answer as Ended;
      });
      this.#last = ended;
      return ended;
    };
  }

  stop(): void {
    this.#child.kill();
  }
}
