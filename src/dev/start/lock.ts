/** Lets only one `npm start` use a state directory, because two servers on one SQLite file reject each other's writes. */
import { createHash } from "node:crypto";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { createConnection, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface Lock {
  /** Set when the server is ready, for the message of a second start. */
  url: string;
}

/** The lock ends with the process, however that ends. Returns the URL of the other server, "" before that is ready. */
export async function lock(stateDirectory: string): Promise<Lock | { heldBy: string }> {
  const hash = createHash("sha256").update(stateDirectory).digest("hex").slice(0, 20);
  // Not in the directory itself, because the path of a socket has at most 100 characters.
  const path =
    process.platform === "win32"
      ? `\\\\.\\pipe\\linkledger-${hash}`
      : join(tmpdir(), `linkledger-${hash}.sock`);
  const held: Lock = { url: "" };
  if (await listen(path, held)) return held;
  const heldBy = await ask(path);
  if (heldBy !== undefined) return { heldBy };
  // The process that created it was killed.
  rmSync(path, { force: true });
  if (await listen(path, held)) return held;
  return { heldBy: (await ask(path)) ?? "" };
}

async function listen(path: string, held: Lock): Promise<boolean> {
  const server = createServer((socket: Socket) => socket.end(held.url)).listen(path);
  server.unref();
  try {
    await once(server, "listening");
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EADDRINUSE") return false;
    throw error;
  }
}

/** undefined if nothing answers. */
async function ask(path: string): Promise<string | undefined> {
  const socket = createConnection(path).setEncoding("utf8");
  try {
    let url = "";
    for await (const part of socket) url += part;
    return url;
  } catch {
    return undefined;
  }
}
