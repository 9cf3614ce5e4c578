/** Tests `npm start` and `npm run operator:create` from end to end, with the real wrangler. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, it, test } from "vitest";
import { CommandError } from "../../../src/dev/command.ts";
import { DEMO } from "../../../src/dev/demo.ts";
import { createOperator } from "../../../src/dev/operator.ts";
import { readStartFlags } from "../../../src/dev/start/flags.ts";
import { wrangler as startWrangler, type Wrangler } from "../../../src/dev/wrangler.ts";
import { fileOf } from "../../databases.ts";
import { wranglerIn } from "../cloudflare/wrangler.ts";
import { MIGRATIONS } from "../deploy/deployment.ts";
import { ROOT, run } from "../run.ts";

const BASE_URL = "http://localhost:9000";

const folder = mkdtempSync(join(tmpdir(), "linkledger-start-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** The real wrangler, except for the server: that is ready, and exits or with SERVE=on waits. */
const stub = `#!/bin/sh
if [ "$1" != dev ] || [ "$2" = --help ]; then exec "${join(ROOT, "node_modules/.bin/wrangler")}" "$@"; fi
echo "$@"
echo "Ready on ${BASE_URL}"
if [ "$SERVE" = on ]; then exec sleep 60; fi
`;
writeFileSync(join(folder, "wrangler"), stub, { mode: 0o755 });
const environment = { ...process.env, PATH: `${folder}:${process.env.PATH}` };

/** Runs `npm start` with its own state. */
function start(state: string, ...flags: string[]) {
  return runScript("src/dev/start.ts", "--persist-to", join(folder, state), ...flags);
}

const ownWrangler = { CI: "true", WRANGLER_SEND_METRICS: "false", WRANGLER_HIDE_BANNER: "true" };
/** The real wrangler, in a process that has loaded it once. */
const wrangler = wranglerIn(ROOT, () => ownWrangler);

/** Runs `wrangler d1` on a state. */
function d1(state: string, ...args: string[]) {
  return wrangler(["d1", ...args, "--local", "--persist-to", join(folder, state)]);
}

/** Writes a wrangler.toml with these changes and with the migrations of a folder. Returns its path. */
function configure(name: string, change = (text: string) => text, migrations = join(ROOT, "migrations")) {
  const file = join(folder, name);
  const text = change(readFileSync(join(ROOT, "wrangler.toml"), "utf8"));
  writeFileSync(file, text.replaceAll('"migrations', `"${migrations}`));
  return file;
}

/** Opens a database of a state without wrangler, whose start takes seconds. */
function open(state: string, binding = "DB"): DatabaseSync {
  return new DatabaseSync(fileOf(join(folder, state, "v3"), binding));
}

/** The rows that a query finds in a database of a state. */
function rowsOf(state: string, sql: string, binding = "DB"): Record<string, unknown>[] {
  using database = open(state, binding);
  return database.prepare(sql).all();
}

/** Copies the demo data, so that wrangler does not start once more. */
const copyDemo = (state: string) => cpSync(join(folder, "demo"), join(folder, state), { recursive: true });

/** The migrations that a database lacks. */
function missingIn(state: string): string[] {
  const applied = new Set(rowsOf(state, "SELECT name FROM d1_migrations").map(({ name }) => name));
  return readdirSync(join(ROOT, "migrations")).filter(
    (file) => /^\d.*\.sql$/.test(file) && !applied.has(file),
  );
}

function runScript(...args: string[]) {
  return run(process.execPath, args, { env: environment });
}

let demo: ReturnType<typeof start>;
beforeAll(() => {
  const flags = ["--port=9000", "--live-reload=false", "--no-bundle", "--var", "A:1", "--var", "B:2"];
  demo = start("demo", ...flags, "-e", "", "--prot", "9000");
});

test("adds the demo data to an empty database, and leaves wrangler no migration to apply", async () => {
  expect([demo.status, demo.stderr]).toEqual([0, ""]);
  expect(demo.stdout).toContain(`API_TOKEN=${DEMO.apiToken}\n`);
  expect((await d1("demo", "migrations", "list", "DB")).stdout).toContain("No migrations to apply");
});

test("passes on the flags of wrangler dev as they are, also those that it does not know", () => {
  expect(demo.stdout).toMatch(
    /^dev --local .*--var OPERATOR_MFA:optional --persist-to \S+ --port=9000 --live-reload=false --no-bundle --var A:1 --var B:2 -e {2}--prot 9000$/m,
  );
});

test("has in the demo data what the hourly job finds, which wrangler dev does not run", () => {
  const sql =
    "SELECT (SELECT count(*) FROM partner_activity WHERE last_click_at > 0) AS active, (SELECT count(DISTINCT partner_id) FROM partner_rates) AS counted";
  expect(rowsOf("demo", sql)).toEqual([{ active: 5, counted: 3 }]);
});

describe("a database from before 0100_tables.sql", () => {
  const readme = readFileSync(join(ROOT, "migrations/README.md"), "utf8");
  const [, command = ""] =
    /d1 execute DB --remote --command "(INSERT OR IGNORE INTO d1_migrations [^"]*)"/.exec(readme) ?? [];
  /** Makes a migrated database one that has the first of the 23 migrations that 0100_tables.sql and 0101_rules.sql replaced. */
  const forget = (state: string, number: number) => {
    const names = Array.from(
      { length: number },
      (_, index) => `('${String(index).padStart(4, "0")}_replaced.sql')`,
    );
    const sql = `DELETE FROM d1_migrations WHERE name < '0102'; INSERT INTO d1_migrations (name) VALUES ${names}`;
    using database = open(state);
    database.exec(sql);
  };

  test("continues after the command in migrations/README.md, and npm start does the same", async () => {
    copyDemo("earlier");
    forget("earlier", 23);
    const { stdout } = await d1("earlier", "execute", "DB", "--command", command);
    expect(stdout).toContain("Noted: 0102 and later can be applied.");
    expect(missingIn("earlier")).toEqual([]);
    forget("earlier", 23);
    expect(start("earlier").stdout).toContain(`API_TOKEN=${DEMO.apiToken}\n`);
    expect(missingIn("earlier")).toEqual([]);
  });

  // npm start rejects it too (test/dev/upgrade.test.ts).
  test("that has only some of them is rejected", () => {
    copyDemo("some");
    forget("some", 22);
    const [change = "", question = ""] = command.split("; ");
    expect([rowsOf("some", change), rowsOf("some", question)]).toEqual([
      [],
      [{ result: expect.stringContaining("Nothing was noted") }],
    ]);
  });
});

describe("a database that wrangler migrated", () => {
  const create = (email: string) =>
    createOperator(["--local", "--persist-to", join(folder, "own"), email], wrangler);
  // As one file, because wrangler starts a server for each. It applies all of them in deploy/runs.test.ts.
  const squashed = join(folder, "squashed");
  const config = configure("own.toml", undefined, squashed);

  test("gets an operator, and rejects the same email address again", async () => {
    mkdirSync(squashed);
    const all = Object.values(MIGRATIONS).join("\n--> statement-breakpoint\n");
    writeFileSync(join(squashed, "0100_all.sql"), all);
    expect((await d1("own", "migrations", "apply", "DB", "--config", config)).status).toBe(0);
    expect(await create("First.O'Perator@Example.com")).toMatch(/^ {2}Temporary password: \S+$/m);
    await expect(create("FIRST.O'PERATOR@example.com")).rejects.toThrow(
      /^first\.o'perator@example\.com is already a user\. Nothing was changed\. /,
    );
    const sql = "SELECT id, email, role, (SELECT count(*) FROM audit_log) AS entries FROM users";
    expect(rowsOf("own", sql)).toEqual([
      { id: 1, email: "first.o'perator@example.com", role: "operator", entries: 1 },
    ]);
  });

  test("gets no demo data beside its user", () => {
    const { stdout } = start("own", "--config", config);
    expect(stdout).toContain("no demo data was added");
    expect(stdout).toContain("npm start -- --persist-to");
    for (const absent of [DEMO.email, DEMO.operatorEmail, DEMO.appToken, "ll_", "password"]) {
      expect(stdout).not.toContain(absent);
    }
  });
});

describe("operator:create", () => {
  test("explains that nobody is signed in to Cloudflare", async () => {
    const home = join(folder, "home");
    const nobody = { ...ownWrangler, CLOUDFLARE_API_TOKEN: "", HOME: home, XDG_CONFIG_HOME: home };
    // A process of its own: wrangler reads once who is signed in.
    const signedOut: Wrangler = (args, options) =>
      startWrangler(args, { ...options, environment: { ...options?.environment, ...nobody } });
    const error = await createOperator(["--remote", "a@example.com"], signedOut).catch((thrown) => thrown);
    expect(error).toBeInstanceOf(CommandError);
    expect(error.message).toContain(
      "You are not signed in to Cloudflare, or are not allowed to edit D1. Run npx wrangler login",
    );
    expect(error.message).not.toContain("migrated");
  });

  test("explains that the database is not migrated", async () => {
    const args = ["--persist-to", join(folder, "new"), "--local", "a@example.com"];
    await expect(createOperator(args, wrangler)).rejects.toThrow(
      "Run npx wrangler d1 migrations apply DB --local",
    );
  });
});

describe("a database of wrangler.toml that is deployed, and a shard", () => {
  const shard = `[[d1_databases]]
binding = "LEDGER_0"
migrations_dir = "migrations"
migrations_pattern = "migrations/[0-9]*.sql"
`;
  const deploy = (text: string) =>
    text.replace('binding = "DB"\n', '$&remote = true\ndatabase_id = "deployed"\n');
  const config = configure("shard.toml", (text) => deploy(text) + shard);

  test("are migrated and get the demo data locally, and data with another number of shards is rejected", () => {
    expect(readFileSync(config, "utf8")).toContain("remote = true");
    const { status, stdout, stderr } = start("shard", "--config", config);
    expect([status, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(/^dev --local /m);
    expect(stdout).toContain(`API_TOKEN=${DEMO.apiToken}\n`);
    const sql =
      "SELECT shards, shard_index, EXISTS (SELECT 1 FROM ledger_entries) AS used FROM shard_identity";
    expect(rowsOf("shard", sql, "LEDGER_0")).toEqual([{ shards: 1, shard_index: 0, used: 1 }]);
    const other = start("shard", "--config", configure("no-shard.toml", deploy));
    expect(other.status).toBe(1);
    expect(other.stderr).toMatch(
      /^The local data does not fit the 0 LEDGER_ bindings in wrangler\.toml.*\n$/,
    );
    expect(other.stdout).not.toContain("dev --local");
  });
});

describe("a mistake in the flags is explained for", () => {
  it.each<[string, string[], Record<string, string>, string[]]>([
    ["a flag without its value", ["--persist-to"], {}, ["--persist-to must have a value.", "--port NUMBER"]],
    ["a flag with an empty value", ["--config="], {}, ["--config must have a value."]],
    [
      "a flag instead of its value",
      ["--persist-to", "--port", "9000"],
      {},
      ["--persist-to must have a value."],
    ],
    [
      "a missing --",
      ["9000"],
      { npm_config_port: "true" },
      ["did not pass on --port", "npm start -- --port 9000\n"],
    ],
    [
      "a missing -- before flags with equals signs",
      [],
      { npm_config_port: "9000", npm_config_persist_to: "there" },
      ["did not pass on --port and --persist-to", "npm start -- --port 9000 --persist-to there\n"],
    ],
    ["a port that does not exist", ["--port", "99999"], {}, ["--port must be a number from 0 to 65535."]],
    ["a port that is no number", ["--port=http"], {}, ["--port must be a number from 0 to 65535."]],
    ["--remote", ["--remote"], {}, ["runs only locally"]],
    ["another size of the demo", ["--demo", "small"], {}, ["--demo must be large."]],
  ])("%s", (_, flags, fromNpm, texts) => {
    let thrown: unknown;
    try {
      readStartFlags(flags, fromNpm);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(CommandError);
    for (const text of [...texts, "npx wrangler dev --help"])
      expect((thrown as CommandError).message).toContain(text);
  });
});

test("a mistake in the flags ends npm start with 1 before anything is created", () => {
  const { status, stdout, stderr } = run(process.execPath, [join(ROOT, "src/dev/start.ts"), "9000"], {
    cwd: folder,
    env: { ...environment, npm_config_port: "true" },
  });
  expect([status, stdout]).toEqual([1, ""]);
  expect(stderr).toMatch(/^npm did not pass on --port\. .*npm start -- --port 9000\n/);
  expect(existsSync(join(folder, ".wrangler"))).toBe(false);
});

test("keeps --demo large from wrangler", () => {
  for (const flags of [["--demo", "large"], ["--demo=large"]]) {
    const { isLarge, others } = readStartFlags(["--port", "9000", ...flags, "--live-reload"], {});
    expect([isLarge, others]).toEqual([true, ["--port", "9000", "--live-reload"]]);
  }
  expect(readStartFlags(["--port", "9000"], {}).isLarge).toBe(false);
});

/** Starts a server on the demo data, and waits until it is ready. */
async function serve(command: string, ...args: string[]) {
  const server = spawn(command, [...args, "--persist-to", join(folder, "demo")], {
    cwd: ROOT,
    env: { ...environment, SERVE: "on" },
    stdio: ["ignore", "pipe", "inherit"],
    // Its own process group, so that all of its processes can be stopped.
    detached: true,
  });
  for await (const line of createInterface({ input: server.stdout }))
    if (line.includes("linkledger is ready")) return server;
  throw new Error("The server ended before it was ready");
}

test("a second start on the same data is rejected while the first runs, and not after that was killed, and one ends with npm, also if only the process of npm gets the signal", async () => {
  // Each but the first of the servers starts on the data of one that was killed.
  for (const signal of ["SIGKILL", "SIGTERM"] as const) {
    const first = await serve(process.execPath, "src/dev/start.ts");
    const second = start("demo/");
    expect([second.status, second.stdout]).toEqual([1, ""]);
    expect(second.stderr).toContain(
      `linkledger is already running at ${BASE_URL} with the data in ${join(folder, "demo")}.`,
    );
    expect(second.stderr).toContain("npm start -- --port 9000 --persist-to");
    const ended = once(first, "exit");
    process.kill(-(first.pid ?? 0), signal);
    await ended;
  }
  const npm = await serve("npm", "start", "--");
  try {
    const ended = once(npm.stdout, "close");
    process.kill(npm.pid ?? 0, "SIGTERM");
    npm.stdout.resume();
    // The pipe closes when the last process that has it has ended.
    await ended;
  } finally {
    if (npm.pid && isGroupThere(npm.pid)) process.kill(-npm.pid, "SIGKILL");
  }
});

function isGroupThere(pid: number): boolean {
  try {
    return process.kill(-pid, 0);
  } catch {
    return false;
  }
}

test("a database that was exported is the same after its import into an empty one, as in the runbook", async () => {
  // wrangler exports only what is beside its configuration.
  const exported = ".wrangler/state";
  const config = configure("exported.toml");
  const file = join(folder, "linkledger.sql");
  const contentOf = (state: string) => {
    const objects = rowsOf(
      state,
      "SELECT type, name FROM sqlite_master WHERE name NOT LIKE 'sqlite%' ORDER BY name",
    ).filter(({ name }) => !/^(_cf_|d1_)/.test(String(name)));
    const tables = objects.filter(({ type }) => type === "table");
    return { objects, rows: tables.map(({ name }) => [name, rowsOf(state, `SELECT * FROM ${name}`)]) };
  };
  copyDemo(exported);
  const before = contentOf(exported);
  expect(before.rows.length).toBeGreaterThan(30);
  const out = await wrangler(["d1", "export", "DB", "--local", "--output", file, "--config", config]);
  expect([out.status, out.stderr]).toEqual([0, ""]);
  const order = run(process.execPath, ["src/dev/order-export.ts", file]);
  expect([order.status, order.stderr]).toEqual([0, ""]);
  const into = await d1("imported", "execute", "DB", "--yes", "--file", file);
  expect([into.status, into.stderr]).toEqual([0, ""]);
  expect(contentOf("imported")).toEqual(before);
  expect(missingIn("imported")).toEqual([]);
});
