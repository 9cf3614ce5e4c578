/** Runs wrangler for `npm run deploy`, with settings that have this account's IDs. */
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CommandError } from "../command.ts";
import { isSignInError, SIGN_IN, type Wrangler } from "../wrangler.ts";
import { resourceName, type Settings } from "./settings.ts";

/** The commands of each kind of resource, and where its ID is in the settings. */
const KINDS = {
  "D1 database": { list: "d1 list --json", create: "d1 create", id: "database_id" },
  "KV namespace": { list: "kv namespace list", create: "kv namespace create", id: "id" },
} as const;
type Kind = keyof typeof KINDS;
type Resource = { binding: string; database_name?: string; database_id?: string; id?: string };
/** What wrangler lists: `name` and `uuid` of a database, `title` and `id` of a namespace. */
type Listed = Record<"name" | "title" | "uuid" | "id", string> & { jurisdiction?: string | null };
/** What an account has of a kind, by names. */
export type Found = Map<string, Listed>;

export type Cloudflare = ReturnType<typeof cloudflareOf>;

/** Each command gets the settings as they are when it starts. Without IDs, wrangler would look up each name for each migration. */
export function cloudflareOf(folder: string, wrangler: Wrangler, settings: Settings) {
  // Beside wrangler.toml, so that relative paths still resolve.
  const file = join(folder, ".wrangler.deploy.json");

  /** Returns what wrangler wrote; nothing for a command that has an environment, which runs in the caller's terminal. */
  async function run(words: string[], environment?: Record<string, string>): Promise<string> {
    writeFileSync(file, JSON.stringify(settings));
    const how = environment ? { folder, environment, inTerminal: true } : { folder };
    const ended = wrangler([...words, "--config", file], how).finally(() => rmSync(file));
    const { status, stdout, stderr, error } = await ended;
    if (status === 0) return stdout;
    const reason = error?.message ?? `${stdout}${stderr}`.trim();
    const hint = isSignInError(reason)
      ? `Make sure that you are signed in, and that you may edit Workers, D1 and Workers KV. ${SIGN_IN} Then run`
      : "Run";
    throw new CommandError(
      `${reason}\n\nwrangler ${words.join(" ")} failed. ${hint} the command again; it continues where it stopped.`.trim(),
    );
  }

  /** Runs SQL on a database. Returns the rows. */
  async function execute<Row>(binding: string, sql: string): Promise<Row[]> {
    const words = ["d1", "execute", binding, "--remote", "--yes", "--json", "--command", sql];
    const executed: { results: Row[] }[] = JSON.parse(await run(words));
    return executed.flatMap(({ results }) => results);
  }

  async function list(kind: Kind): Promise<Found> {
    const listed: Listed[] = JSON.parse(await run(KINDS[kind].list.split(" ")));
    return new Map(listed.map((one) => [one.name ?? one.title, one]));
  }

  /** Gives each resource its ID, by its name. Creates those that the account does not have. */
  async function findOrCreate(kind: Kind, resources: Resource[], known?: Found, flags: string[] = []) {
    const { create, id } = KINDS[kind];
    const nameOf = ({ binding, database_name }: Resource) => database_name ?? resourceName(settings, binding);
    const unknown = resources.filter((one) => !one[id]);
    let found = known ?? (await list(kind));
    const missing = unknown.map(nameOf).filter((name) => !found.has(name));
    for (const name of missing) {
      await run([...create.split(" "), name, ...flags]);
      console.log(`${kind} ${name}: created.`);
    }
    if (missing.length > 0) found = await list(kind);
    for (const one of unknown) {
      const listed = found.get(nameOf(one));
      one[id] = listed?.uuid ?? listed?.id ?? "";
      if (!one[id])
        throw new CommandError(
          `${kind} ${nameOf(one)} was created but is not listed yet. Run the command again.`,
        );
    }
  }

  return { run, execute, list, findOrCreate };
}
