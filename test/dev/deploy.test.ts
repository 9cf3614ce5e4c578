/** Tests `npm run deploy` with a stub of wrangler instead of a Cloudflare account. */
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
let requests: string[];
let respond: (path: string) => { status?: number; body: object } | undefined;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "linkledger-stub-"));
  const stub = join(ROOT, "test/dev/wrangler-stub.ts");
  writeFileSync(join(folder, "wrangler"), `#!/bin/sh\nexec "${process.execPath}" "${stub}" "$@"\n`, {
    mode: 0o755,
  });
  requests = [];
  respond = (path) => ({ body: path === "/healthz" ? { deployment: "version-2" } : READY });
  const listener: RequestListener = (request, response) => {
    const path = request.url ?? "";
    requests.push(path);
    const { status = 200, body } = respond(path) ?? { status: 404, body: {} };
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

test("creates the database and the namespaces in an empty account, then migrates, then deploys", async () => {
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
  expect(requests).toEqual(["/healthz", "/readyz"]);
  expect(out).toContain(`linkledger is ready at ${url}`);
  expect(out).toContain("npm run operator:create -- --remote EMAIL");
  expect(existsSync(join(ROOT, ".wrangler.deploy.json"))).toBe(false);
  expect(readFileSync(join(ROOT, "wrangler.toml"), "utf8")).not.toMatch(/^\s*(database_)?id\s*=/m);
});

test("creates nothing on a second run and deploys with the IDs that it finds", async () => {
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

test("continues an interrupted run, and does not deploy when the migration fails", async () => {
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
  expect(requests).toEqual([]);
});

test("waits for the new version and ignores responses of the old one", async () => {
  let healthChecks = 0;
  respond = (path) => {
    if (path !== "/healthz") return { body: READY };
    return ++healthChecks === 1
      ? { body: { deployment: "version-1" } }
      : { body: { deployment: "version-2" } };
  };
  expect((await deploy()).code).toBe(0);
  expect(requests).toEqual(["/healthz", "/healthz", "/readyz"]);
});

test("fails with the reason when the new version is not ready", async () => {
  const checks = { database: { ok: true }, cron: { ok: false, reason: "The hourly run is overdue." } };
  respond = (path) =>
    path === "/healthz"
      ? { body: { deployment: "version-2" } }
      : { status: 503, body: { status: "not ready", checks } };
  const { code, error, out } = await deploy();
  expect(code).toBe(1);
  expect(error).toContain("cron: The hourly run is overdue.");
  expect(error).not.toContain("database:");
  expect(out).not.toContain("is ready at");
});

test("asks to check /readyz when the Worker has only routes", async () => {
  save({ ...account(), targets: ["example.com/* (zone name: example.com)"] });
  const { code, out } = await deploy();
  expect(code).toBe(0);
  expect(out).toContain("Check /readyz");
});
