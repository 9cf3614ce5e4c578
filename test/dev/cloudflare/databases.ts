/** The routes of D1. Each database is a real SQLite database in memory. */
import { randomUUID } from "node:crypto";
import { DatabaseSync } from "node:sqlite";
import { type Account, ApiError, type Database, page, route } from "./account.ts";

interface NewDatabase {
  name: string;
  jurisdiction?: string;
  primary_location_hint?: string;
}

/** The file of the import that is under way. */
const uploads = new WeakMap<Account, string>();

const done = (type: string, result: object) => ({
  ...{ success: true, status: "complete", type, messages: [], result },
});

export const databaseRoutes = [
  route(/^GET \/d1\/database$/, ({ account, query }) =>
    page(account.databases, query)
      .filter(({ name }) => name.includes(query.get("name") ?? ""))
      .map(describe),
  ),
  route<NewDatabase>(/^POST \/d1\/database$/, ({ account, body }) => describe(create(account, body))),
  route(/^GET \/d1\/database\/([^/]+)$/, ({ account, id }) => describe(account.database(id))),
  route(/^DELETE \/d1\/database\/([^/]+)$/, ({ account, id }) => {
    account.databases.splice(account.databases.indexOf(account.database(id)), 1);
    return null;
  }),
  route<Query>(/^POST \/d1\/database\/([^/]+)\/query$/, ({ account, id, body }) =>
    execute(account.database(id), body),
  ),
  route<{ action: string }>(/^POST \/d1\/database\/([^/]+)\/import$/, ({ account, id, body }) => {
    if (body.action === "init") return { upload_url: `${account.url}/upload`, filename: "file" };
    account.database(id).sqlite.exec(uploads.get(account) ?? "");
    const meta = { rows_read: 0, rows_written: 0, duration: 1, size_after: 1 };
    return done("import", { num_queries: 1, final_bookmark: "bookmark", meta });
  }),
  route(/^PUT \/upload$/, ({ account, raw }) => {
    uploads.set(account, raw.toString("utf8"));
    return Buffer.alloc(0);
  }),
  route(/^POST \/d1\/database\/([^/]+)\/export$/, ({ account, id }) =>
    done("export", { filename: "file.sql", signed_url: `${account.url}/export/${id}` }),
  ),
  route(/^GET \/export\/([^/]+)$/, ({ account, id }) => Buffer.from(dump(account.database(id).sqlite))),
  route(/^GET \/d1\/database\/([^/]+)\/time_travel\/bookmark$/, () => ({ bookmark: "bookmark" })),
  route(/^POST \/d1\/database\/([^/]+)\/time_travel\/restore$/, () => ({
    ...{ bookmark: "bookmark", previous_bookmark: "before", message: "restored" },
  })),
];

const describe = ({ uuid, name, jurisdiction }: Database) => ({
  ...{ uuid, name, jurisdiction, created_at: "2026-11-26T12:00:00Z", version: "production" },
  ...{ num_tables: 0, file_size: 8_192, running_in_region: "WEUR" },
});

function create(
  { databases }: Account,
  { name, jurisdiction, primary_location_hint }: NewDatabase,
): Database {
  if (databases.some((one) => one.name === name))
    throw new ApiError(400, 7502, "A database with that name already exists");
  const created: Database = {
    ...{ uuid: randomUUID(), name, jurisdiction: jurisdiction ?? null },
    ...{ location: primary_location_hint, sqlite: new DatabaseSync(":memory:") },
  };
  databases.push(created);
  return created;
}

interface Query {
  sql: string;
  params?: string[];
}

/** Runs the statements of a text, and returns a result for each. */
function execute({ sqlite }: Database, { sql, params = [] }: Query): object[] {
  const meta = { changes: 0, duration: 0, rows_read: 0, rows_written: 0, served_by: "stub", size_after: 0 };
  const results: object[] = [];
  for (let rest = sql.trim(); rest; ) {
    const statement = sqlite.prepare(rest);
    results.push({ success: true, results: statement.all(...params), meta });
    rest = rest.slice(statement.sourceSQL.length).replace(/^[\s;]+/, "");
  }
  return results;
}

/** The database as SQL, as D1 exports it: tables with their rows, then what depends on them. */
function dump(sqlite: DatabaseSync): string {
  const objects = sqlite
    .prepare("SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY rowid")
    .all();
  const tables = objects.filter(({ type, name }) => type === "table" && !String(name).startsWith("sqlite_"));
  const rows = tables.flatMap(({ name }) => {
    const columns = sqlite
      .prepare(`SELECT name FROM pragma_table_info('${name}')`)
      .all()
      .map((one) => one.name);
    const values = columns.map((column) => `quote("${column}")`).join(" || ',' || ");
    return sqlite
      .prepare(`SELECT ${values} AS row FROM "${name}"`)
      .all()
      .map(({ row }) => `INSERT INTO "${name}" (${columns.map((one) => `"${one}"`)}) VALUES (${row});`);
  });
  const others = objects.filter(({ type }) => type !== "table").map(({ sql }) => `${sql};`);
  return ["PRAGMA defer_foreign_keys=TRUE;", ...tables.map(({ sql }) => `${sql};`), ...rows, ...others].join(
    "\n",
  );
}
