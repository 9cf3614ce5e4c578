/** Runs `npm start` on a free port with its own state for the tests. */
import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    /** What `npm start` prints as `NAME=value`. */
    service: Record<string, string>;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const state = await mkdtemp(join(tmpdir(), "linkledger-browser-"));
  const server = spawn("npm", ["start", "--", "--port", String(await freePort()), "--persist-to", state], {
    stdio: ["ignore", "pipe", "inherit"],
    // Its own process group, so that all its processes can be stopped.
    detached: true,
  });
  const lines = createInterface({ input: server.stdout });
  const names: Record<string, string> = {};
  for await (const line of lines) {
    const [, name, value] = /^([A-Z_]+)=(\S+)$/.exec(line) ?? [];
    if (name && value) names[name] = value;
    if (name === "TEST_COST_TOKEN") break;
  }
  if (!names.BASE_URL) throw new Error("npm start ended before it was ready");
  server.stdout.resume();
  project.provide("service", names);
  return async () => {
    if (server.pid) process.kill(-server.pid, "SIGTERM");
    await new Promise((resolve) => server.once("exit", resolve));
    await rm(state, { recursive: true, force: true });
  };
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, "127.0.0.1", () => {
      const address = probe.address();
      const port = typeof address === "object" && address ? address.port : 0;
      probe.close(() => resolve(port));
    });
  });
}
