/** The real wrangler, for tests that call many of its commands. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { json } from "node:stream/consumers";
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

/**
 * Writes a program into a folder that runs as wrangler: it sends each command to the process that has loaded wrangler, except for
 * `own`, which the wrangler of the PATH runs. The program works until the server is closed.
 */
export async function installWrangler(folder: string, own: string): Promise<Server> {
  const server = createServer(async (request, response) => {
    const { args, directory, environment } = (await json(request)) as Sent;
    response.end(JSON.stringify(await wranglerIn(directory, () => environment)(args)));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const send = join(folder, "send.mjs");
  writeFileSync(
    send,
    `const sent = { args: process.argv.slice(2), directory: process.cwd(), environment: process.env };
const answer = await fetch("${url}", { method: "POST", body: JSON.stringify(sent) });
const { status, stdout, stderr } = await answer.json();
process.stdout.write(stdout);
process.stderr.write(stderr);
process.exitCode = status;
`,
  );
  const program = `#!/bin/sh
if [ "$1" = ${own} ]; then PATH="\${PATH#*:}" exec wrangler "$@"; fi
exec "${process.execPath}" "${send}" "$@"
`;
  writeFileSync(join(folder, "wrangler"), program, { mode: 0o755 });
  return server;
}

interface Sent {
  args: string[];
  directory: string;
  environment: Record<string, string>;
}
