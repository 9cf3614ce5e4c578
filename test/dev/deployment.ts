/** A checkout, a stubbed Cloudflare account and a deployed service, for tests of `npm run deploy`. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach } from "vitest";
import { ROOT } from "./run.ts";
import { type Account, useDatabase } from "./wrangler-stub.ts";

export const READY = { status: "ready", checks: {} };
/** wrangler.toml before the first deployment. */
export const NEW_SETTINGS = readFileSync(join(ROOT, "wrangler.toml"), "utf8");

export let folder: string;
let server: Server;
/** That of the deployed service. */
export let url: string;
/** The paths that the deployed service was asked for. */
export let requests: string[];
export const HEALTH = "/healthz?deployment=version-2";
type Respond = (path: string) => { status?: number; body: object } | undefined;
let respond: Respond;
/** Sets what the deployed service answers. By default, it is the new version, and ready. */
export function answer(wanted: Respond): void {
  respond = wanted;
}

async function begin(): Promise<void> {
  folder = mkdtempSync(join(tmpdir(), "linkledger-stub-"));
  writeToml(NEW_SETTINGS);
  requests = [];
  respond = (path) => ({ body: path === HEALTH ? { runs_deployment: true } : READY });
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
}

function end(): void {
  server.close();
  rmSync(folder, { recursive: true });
}

/** Gives each test of a file a checkout, an empty account, and the service that a deployment asks. */
export function giveAccounts(): void {
  beforeEach(begin);
  afterEach(end);
}

export const toml = () => readFileSync(join(folder, "wrangler.toml"), "utf8");
export const writeToml = (changed: string) => writeFileSync(join(folder, "wrangler.toml"), changed);
export const accountFile = () => join(folder, "account.json");
export const account = (): Account => JSON.parse(readFileSync(accountFile(), "utf8"));
export const save = (changed: Account) => writeFileSync(accountFile(), JSON.stringify(changed));
/** The calls since the last time. SQL is replaced by what it does. */
export function commands(): string[] {
  const { calls, ...rest } = account();
  save({ ...rest, calls: [] });
  return calls.map(({ command }) => {
    const [, before, sql] = /^(d1 execute \w+) --remote --yes --json --command (.*)$/s.exec(command) ?? [];
    return sql ? `${before}: ${sql.startsWith("UPDATE") ? "store" : "read"}` : command;
  });
}

/** What a command ended with: `code` 1 and the text of `error`, or `code` 0. */
export interface Ended {
  code: number | null;
  out: string;
  error: string;
}

/** What a database stores about its place. */
export function stored(name: string) {
  const uuid = account().databases.find((database) => database.name === name)?.uuid ?? "";
  const read = "SELECT shards, shard_index FROM shard_identity";
  return useDatabase(accountFile(), uuid, (database) => ({ ...database.prepare(read).get() }));
}

export const namesOf = (count: number) => [
  "linkledger",
  ...Array.from({ length: count }, (_, index) => `linkledger-ledger-${index}`),
];
/** What DB and then each shard stores. */
export const placesOf = (count: number) =>
  namesOf(count).map((_, index) => ({ shards: count, shard_index: index === 0 ? null : index - 1 }));
