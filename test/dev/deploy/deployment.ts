/** A checkout and a Cloudflare account with the real wrangler, for tests of `npm run deploy`. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, vi } from "vitest";
import { CommandError } from "../../../src/dev/command.ts";
import { deploy as deployCheckout } from "../../../src/dev/deploy.ts";
import { createOperator } from "../../../src/dev/operator.ts";
import type { Wrangler } from "../../../src/dev/wrangler.ts";
import { CloudflareStub } from "../cloudflare/api.ts";
import { wranglerIn } from "../cloudflare/wrangler.ts";
import { ROOT } from "../run.ts";

/** wrangler.toml before the first deployment. */
export const NEW_SETTINGS = readFileSync(join(ROOT, "wrangler.toml"), "utf8");
/** The text of each migration by its name. */
export const MIGRATIONS = Object.fromEntries(
  readdirSync(join(ROOT, "migrations"))
    .filter((name) => /^\d.*\.sql$/.test(name))
    .sort()
    .map((name) => [name, readFileSync(join(ROOT, "migrations", name), "utf8")]),
);
/** All of them as one, because wrangler takes several calls for each. */
const ONE_MIGRATION = { "0100_all.sql": Object.values(MIGRATIONS).join("\n--> statement-breakpoint\n") };

/** What a command ended with: `code` 1 and the text of `error`, or `code` 0. */
export interface Ended {
  code: number | null;
  out: string;
  error: string;
}

export class Deployment {
  readonly folder = mkdtempSync(join(tmpdir(), "linkledger-stub-"));
  readonly stub = new CloudflareStub();
  /** The commands of wrangler that `deploy` ran, without the temporary file. SQL is replaced by what it does. */
  commands: string[] = [];
  readonly #wrangler: Wrangler = wranglerIn(this.folder, () => this.stub.environment);

  constructor(migrations: Record<string, string>) {
    // The Worker itself is built in built/build.test.ts.
    mkdirSync(join(this.folder, "src"));
    writeFileSync(join(this.folder, "src/index.ts"), "export default { fetch: () => new Response() };");
    mkdirSync(join(this.folder, "migrations"));
    for (const [name, sql] of Object.entries(migrations))
      writeFileSync(join(this.folder, "migrations", name), sql);
    this.toml = NEW_SETTINGS;
    this.stub.migrations = Object.keys(migrations);
  }

  get toml(): string {
    return readFileSync(join(this.folder, "wrangler.toml"), "utf8");
  }
  set toml(text: string) {
    writeFileSync(join(this.folder, "wrangler.toml"), text);
  }

  /** Runs `npm run deploy` in this process, without pauses. */
  deploy(...flags: string[]): Promise<Ended> {
    const wrangler: Wrangler = async (args, options) => {
      const words = args.join(" ").replace(/ --config \S+/, "");
      const [, before, sql] = /^(d1 execute \w+) .* --command (.*)$/s.exec(words) ?? [];
      this.commands.push(sql ? `${before}: ${sql.startsWith("UPDATE") ? "store" : "read"}` : words);
      return this.#wrangler(args, options);
    };
    return this.#end(() => deployCheckout(flags, { folder: this.folder, wrangler }, async () => undefined));
  }

  /** Runs `npm run operator:create` in this process. */
  createOperator(...args: string[]): Promise<Ended> {
    return this.#end(async () => console.log(await createOperator(args, this.#wrangler)));
  }

  /** Runs a command of wrangler as a person would. */
  async wrangler(command: string, ...more: string[]): Promise<Ended> {
    const { status, stdout, stderr } = await this.#wrangler([...command.split(" "), ...more]);
    return { code: status, out: stdout, error: stderr };
  }

  async #end(run: () => Promise<void>): Promise<Ended> {
    const ended: Ended = { code: 0, out: "", error: "" };
    const log = vi.spyOn(console, "log").mockImplementation((line) => {
      ended.out += `${line}\n`;
    });
    const fetchAnything = globalThis.fetch;
    vi.stubGlobal("fetch", (to: string, how: RequestInit) => fetchAnything(this.stub.redirect(to), how));
    try {
      await run();
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      ended.code = 1;
      ended.error = error.message;
    } finally {
      log.mockRestore();
      vi.unstubAllGlobals();
    }
    return ended;
  }

  /** What a database stores about its place. */
  place(name: string) {
    const read = "SELECT shards, shard_index FROM shard_identity";
    return { ...this.stub.database(name).sqlite.prepare(read).get() };
  }

  get names(): string[] {
    return this.stub.databases.map(({ name }) => name);
  }
  get titles(): string[] {
    return this.stub.namespaces.map(({ title }) => title);
  }

  remove(): void {
    this.stub.stop();
    rmSync(this.folder, { recursive: true });
  }
}

/** Makes a checkout with an empty account. */
export async function openDeployment(
  migrations: Record<string, string> = ONE_MIGRATION,
): Promise<Deployment> {
  const deployment = new Deployment(migrations);
  await deployment.stub.start();
  return deployment;
}

/** The checkout and account that each test of a file gets. */
export function giveDeployment(): { readonly now: Deployment } {
  let current: Deployment;
  beforeEach(async () => {
    current = await openDeployment();
  });
  afterEach(() => current.remove());
  return {
    get now() {
      return current;
    },
  };
}

/** What was created in the account since the calls were last forgotten. */
export const creations = ({ stub }: Deployment) =>
  stub.calls.filter((call) => /^POST \/(d1\/database|storage\/kv\/namespaces)$/.test(call));

export const TITLES = ["linkledger-tokens", "linkledger-links"];
export const namesOf = (count: number) => [
  "linkledger-db",
  ...Array.from({ length: count }, (_, index) => `linkledger-ledger-${index}`),
];
/** What DB and then each shard stores. */
export const placesOf = (count: number) =>
  namesOf(count).map((_, index) => ({ shards: count, shard_index: index === 0 ? null : index - 1 }));
