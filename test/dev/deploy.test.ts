/** `npm run deploy` against a stub of wrangler: there is no account here. */
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Account } from "./wrangler-stub.ts";

const ROOT = join(import.meta.dirname, "../..");
const READY = { status: "ready", checks: {} };

let folder: string;
let server: Server;
let url: string;
let asked: string[];
let answer: (path: string) => { status?: number; body: object } | undefined;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "linkledger-stub-"));
  const stub = join(ROOT, "test/dev/wrangler-stub.ts");
  writeFileSync(join(folder, "wrangler"), `#!/bin/sh\nexec "${process.execPath}" "${stub}" "$@"\n`, {
    mode: 0o755,
  });
  asked = [];
  answer = (path) => ({ body: path === "/healthz" ? { deployment: "version-2" } : READY });
  const listener: RequestListener = (request, response) => {
    const path = request.url ?? "";
    asked.push(path);
    const { status = 200, body } = answer(path) ?? { status: 404, body: {} };
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  };
  server = createServer(listener);
  await new Promise<void>((listening) => server.listen(0, listening));
  const address = server.address();
  url = `http://localhost:${typeof address === "object" ? address?.port : ""}`;
  save({
    databases: [],
    namespaces: [],
    targets: [url, "schedule: 17 * * * *"],
    version: "version-2",
    calls: [],
  });
});
afterEach(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

const accountFile = () => join(folder, "account.json");
const account = (): Account => JSON.parse(readFileSync(accountFile(), "utf8"));
const save = (changed: Account) => writeFileSync(accountFile(), JSON.stringify(changed));
const commands = () => account().calls.map(({ command }) => command);

async function deploy() {
  const child = spawn(process.execPath, [join(ROOT, "src/dev/deploy.ts")], {
    env: { ...process.env, PATH: `${folder}:${process.env.PATH}`, STUB_ACCOUNT: accountFile() },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const exit = new Promise<number | null>((exited) => child.on("exit", exited));
  const [out, error] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await exit, out, error };
}

test("an account with nothing gets its database, its namespaces, the tables, then the code", async () => {
  const { code, out, error } = await deploy();
  expect({ code, error }).toEqual({ code: 0, error: "" });
  expect(commands()).toEqual([
    "d1 list --json",
    "d1 create linkledger",
    "d1 list --json",
    "kv namespace list",
    "kv namespace create linkledger-tokens",
    "kv namespace create linkledger-links",
    "kv namespace list",
    "d1 migrations apply DB --remote",
    "deploy",
  ]);
  expect(asked).toEqual(["/healthz", "/readyz"]);
  expect(out).toContain(`linkledger is ready at ${url}`);
  expect(out).toContain("npm run operator:create -- --remote EMAIL");
  expect(existsSync(join(ROOT, ".wrangler.deploy.json"))).toBe(false);
  expect(readFileSync(join(ROOT, "wrangler.toml"), "utf8")).not.toMatch(/^\s*(database_)?id\s*=/m);
});

test("a second run creates nothing, and hands on the ids that it found", async () => {
  const existing = {
    databases: [
      { name: "another", uuid: "1" },
      { name: "linkledger", uuid: "2" },
    ],
    namespaces: [
      { title: "linkledger-links", id: "3" },
      { title: "linkledger-tokens", id: "4" },
    ],
  };
  save({ ...account(), ...existing });
  expect((await deploy()).code).toBe(0);
  const { calls, ...after } = account();
  expect(after).toMatchObject(existing);
  expect(commands()).toEqual([
    "d1 list --json",
    "kv namespace list",
    "d1 migrations apply DB --remote",
    "deploy",
  ]);
  const [migrated, deployed] = calls.flatMap(({ configuration }) => configuration ?? []);
  expect(deployed).toEqual(migrated);
  expect(deployed).toMatchObject({
    name: "linkledger",
    main: "src/index.ts",
    triggers: { crons: ["17 * * * *"] },
    d1_databases: [{ binding: "DB", database_name: "linkledger", database_id: "2" }],
    kv_namespaces: [
      { binding: "TOKENS", id: "4" },
      { binding: "LINKS", id: "3" },
    ],
  });
});

test("takes up a run that was cut short; no code goes onto a database that could not be migrated", async () => {
  save({
    ...account(),
    databases: [{ name: "linkledger", uuid: "2" }],
    namespaces: [{ title: "linkledger-tokens", id: "4" }],
    failing: "d1 migrations apply",
  });
  const { code, error } = await deploy();
  expect(code).toBe(1);
  expect(error).toContain("A request to the Cloudflare API failed.");
  expect(error).toContain("wrangler d1 migrations apply DB --remote failed");
  expect(commands()).toEqual([
    "d1 list --json",
    "kv namespace list",
    "kv namespace create linkledger-links",
    "kv namespace list",
    "d1 migrations apply DB --remote",
  ]);
  expect(asked).toEqual([]);
});

test("waits for the new version: what an old one says does not count", async () => {
  let asks = 0;
  answer = (path) => {
    if (path !== "/healthz") return { body: READY };
    return ++asks === 1 ? { body: { deployment: "version-1" } } : { body: { deployment: "version-2" } };
  };
  expect((await deploy()).code).toBe(0);
  expect(asked).toEqual(["/healthz", "/healthz", "/readyz"]);
});

test("fails with the reasons of a version that is not ready", async () => {
  const checks = { database: { ok: true }, cron: { ok: false, reason: "The hourly run is overdue." } };
  answer = (path) =>
    path === "/healthz"
      ? { body: { deployment: "version-2" } }
      : { status: 503, body: { status: "not ready", checks } };
  const { code, error, out } = await deploy();
  expect(code).toBe(1);
  expect(error).toContain("cron: The hourly run is overdue.");
  expect(error).not.toContain("database:");
  expect(out).not.toContain("is ready at");
});

test("a service that only a route leads to is deployed, and says that nobody asked it", async () => {
  save({ ...account(), targets: ["example.com/* (zone name: example.com)"] });
  const { code, out } = await deploy();
  expect(code).toBe(0);
  expect(out).toContain("ask /readyz");
});
