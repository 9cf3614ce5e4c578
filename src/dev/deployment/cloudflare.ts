/** Runs wrangler for `npm run deploy`, with settings that have this account's IDs. */
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CommandError } from "../command.ts";
import { isSignInError, SIGN_IN, type Wrangler } from "../wrangler.ts";
import type { Settings } from "./settings.ts";

/** Names with their IDs. */
export type Ids = Map<string, string>;

export class Cloudflare {
  readonly #folder: string;
  readonly #wrangler: Wrangler;
  /** Temporary, and beside wrangler.toml so that relative paths still resolve. */
  readonly #file: string;

  constructor(folder: string, wrangler: Wrangler) {
    this.#folder = folder;
    this.#wrangler = wrangler;
    this.#file = join(folder, ".wrangler.deploy.json");
  }

  /** Saves the settings for the commands that use bindings. Without IDs, wrangler would look up each name for each migration. */
  use(settings: Settings): void {
    writeFileSync(this.#file, JSON.stringify(settings));
  }

  close(): void {
    rmSync(this.#file, { force: true });
  }

  /** Runs wrangler with the saved settings in the caller's terminal. */
  async run(words: string[], environment: Record<string, string> = {}): Promise<void> {
    await this.#call([...words, "--config", this.#file], { environment, inTerminal: true });
  }

  /** Runs wrangler and returns its output. */
  read(words: string[]): Promise<string> {
    return this.#call(words, {});
  }

  async readJson<T>(words: string[]): Promise<T> {
    return JSON.parse(await this.read(words));
  }

  /** Runs SQL on a database of the saved settings. Returns the rows. */
  async execute<Row>(binding: string, sql: string): Promise<Row[]> {
    const words = ["d1", "execute", binding, "--remote", "--yes", "--json", "--config", this.#file];
    const executed = await this.readJson<{ results: Row[] }[]>([...words, "--command", sql]);
    return executed.flatMap(({ results }) => results);
  }

  async #call(words: string[], how: { environment?: Record<string, string>; inTerminal?: boolean }) {
    const { status, stdout, stderr, error } = await this.#wrangler(words, { folder: this.#folder, ...how });
    if (status === 0) return stdout;
    const reason = error?.message ?? `${stdout}${stderr}`.trim();
    const command = words.join(" ").replace(/ --config .*$/s, "");
    const hint = isSignInError(reason)
      ? `Make sure that you are signed in, and that you may edit Workers, D1 and Workers KV. ${SIGN_IN} Then run`
      : "Run";
    throw new CommandError(
      `${reason}\n\nwrangler ${command} failed. ${hint} the command again; it continues where it stopped.`.trim(),
    );
  }
}

/** Creates the names that `found` lacks. Returns the ID of each name, or throws if one can be neither found nor created. */
export async function findOrCreate(
  kind: string,
  names: string[],
  create: (name: string) => Promise<unknown>,
  list: () => Promise<Ids>,
  found: Ids,
): Promise<Ids> {
  for (const name of names) {
    if (!found.has(name)) await create(name);
    console.log(`${kind} ${name}: ${found.has(name) ? "found" : "created"}.`);
  }
  const ids = names.every((name) => found.has(name)) ? found : await list();
  const missing = names.filter((name) => !ids.has(name));
  if (missing.length > 0)
    throw new CommandError(
      `${kind} ${missing.join(", ")} was created but is not listed yet. Run the command again.`,
    );
  return ids;
}
