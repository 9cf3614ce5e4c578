/** Runs wrangler for `npm run deploy`, with settings that have this account's IDs. */
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CommandError } from "../command.ts";
import { isSignInError, type RunOptions, SIGN_IN, type Wrangler } from "../wrangler.ts";
import { resourceName, type Settings } from "./settings.ts";

/** The commands of each kind of resource, and where its ID is in the settings. */
const KINDS = {
  "D1 database": { list: ["d1", "list", "--json"], create: ["d1", "create"], id: "database_id" },
  "KV namespace": { list: ["kv", "namespace", "list"], create: ["kv", "namespace", "create"], id: "id" },
} as const;
type Kind = keyof typeof KINDS;
type Resource = { binding: string; database_name?: string; database_id?: string; id?: string };
/** What wrangler lists: `name` and `uuid` of a database, `title` and `id` of a namespace. */
type Listed = Record<"name" | "title" | "uuid" | "id", string> & { jurisdiction?: string | null };
/** What an account has of a kind, by names. */
export type Found = Map<string, { id: string; jurisdiction: string | undefined }>;

export type Cloudflare = ReturnType<typeof cloudflareOf>;

/** Each command gets the settings as they are when it starts. Without IDs, wrangler would look up each name for each migration. */
export function cloudflareOf(folder: string, wrangler: Wrangler, settings: Settings) {
  // Beside wrangler.toml, so that relative paths still resolve.
  const file = join(folder, ".wrangler.deploy.json");

  async function call(words: string[], how?: RunOptions): Promise<string> {
    writeFileSync(file, JSON.stringify(settings));
    const ended = wrangler([...words, "--config", file], { folder, ...how });
    const { status, stdout, stderr, error } = await ended.finally(() => rmSync(file));
    if (status === 0) return stdout;
    const reason = error?.message ?? `${stdout}${stderr}`.trim();
    const hint = isSignInError(reason)
      ? `Make sure that you are signed in, and that you may edit Workers, D1 and Workers KV. ${SIGN_IN} Then run`
      : "Run";
    throw new CommandError(
      `${reason}\n\nwrangler ${words.join(" ")} failed. ${hint} the command again; it continues where it stopped.`.trim(),
    );
  }

  /** Runs a command in the caller's terminal. */
  const run = (words: string[], environment: Record<string, string> = {}) =>
    call(words, { environment, inTerminal: true });

  /** Runs SQL on a database. Returns the rows. */
  async function execute<Row>(binding: string, sql: string): Promise<Row[]> {
    const words = ["d1", "execute", binding, "--remote", "--yes", "--json", "--command", sql];
    const executed: { results: Row[] }[] = JSON.parse(await call(words));
    return executed.flatMap(({ results }) => results);
  }

  async function list(kind: Kind): Promise<Found> {
    const listed: Listed[] = JSON.parse(await call([...KINDS[kind].list]));
    return new Map(
      listed.map(({ name, title, uuid, id, jurisdiction }) => [
        name ?? title,
        { id: uuid ?? id, jurisdiction: jurisdiction ?? undefined },
      ]),
    );
  }

  /** Gives each resource its ID, by its name. Creates those that were not `found`. */
  async function findOrCreate(kind: Kind, resources: Resource[], found: Found, flags: string[] = []) {
    const { create, id } = KINDS[kind];
    const named = resources
      .filter((one) => !one[id])
      .map((one) => ({ one, name: one.database_name ?? resourceName(settings, one.binding) }));
    for (const { name } of named) {
      if (!found.has(name)) await call([...create, name, ...flags]);
      console.log(`${kind} ${name}: ${found.has(name) ? "found" : "created"}.`);
    }
    const listed = named.every(({ name }) => found.has(name)) ? found : await list(kind);
    for (const { one, name } of named) {
      one[id] = listed.get(name)?.id ?? "";
      if (!one[id])
        throw new CommandError(`${kind} ${name} was created but is not listed yet. Run the command again.`);
    }
  }

  return { run, execute, list, findOrCreate };
}
