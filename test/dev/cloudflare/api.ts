/**
 * A stub of the part of Cloudflare's API that wrangler 4.155 calls: it keeps an account in memory, with each D1 as a real SQLite
 * database, records every call and can fail one. It also answers as the deployed Worker. What a real account answers to mistakes, and
 * its limits, rights and delays, is not in it.
 */
import { createHash, randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { DatabaseSync } from "node:sqlite";

interface Database {
  uuid: string;
  name: string;
  jurisdiction: string | null;
  location: string | undefined;
  sqlite: DatabaseSync;
}

interface Binding {
  type: string;
  name: string;
  id?: string;
  text?: string;
}

interface Worker {
  bindings: Binding[];
  versions: string[];
  crons: string[];
}

type Handle = (call: Call) => unknown;

interface Call {
  /** The parts of the path that the route matched. */
  parts: string[];
  query: URLSearchParams;
  raw: Buffer;
  // biome-ignore lint/suspicious/noExplicitAny: each route reads the body that wrangler sends to it.
  body: any;
}

class ApiError extends Error {
  readonly status: number;
  readonly code: number;
  constructor(status: number, code: number, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

export class CloudflareStub {
  databases: Database[] = [];
  namespaces: { id: string; title: string }[] = [];
  buckets: string[] = [];
  queues: { queue_id: string; queue_name: string }[] = [];
  workers = new Map<string, Worker>();
  /** `METHOD /path` of each call, without the account. */
  calls: string[] = [];
  /** The number of the call that fails, from 1, or the beginning of those that fail. */
  failing: number | RegExp | undefined;
  /** What a failed call answers. wrangler repeats a call that ended with 500 or above, and then waits for seconds. */
  failure = { status: 400, code: 10013, message: "stub: an unknown error has occurred" };
  /** The names of the migrations that the deployed Worker expects. */
  migrations: string[] = [];
  url = "";
  #upload = Buffer.alloc(0);
  readonly #server = createServer((request, response) => this.#receive(request, response));

  async start(): Promise<void> {
    await new Promise<void>((listening) => this.#server.listen(0, "127.0.0.1", listening));
    const address = this.#server.address();
    this.url = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
  }

  stop(): void {
    this.#server.close();
    this.#server.closeAllConnections();
    for (const { sqlite } of this.databases) sqlite.close();
  }

  /** The variables with which wrangler finds this account. */
  get environment(): Record<string, string> {
    return {
      CLOUDFLARE_API_BASE_URL: this.url,
      CLOUDFLARE_API_TOKEN: "token-of-the-stub",
      CLOUDFLARE_ACCOUNT_ID: "account",
      CI: "true",
      WRANGLER_SEND_METRICS: "false",
      WRANGLER_HIDE_BANNER: "true",
    };
  }

  database(name: string): Database {
    const found = this.databases.find((one) => one.name === name || one.uuid === name);
    if (!found) throw new ApiError(404, 7404, `The database ${name} could not be found`);
    return found;
  }

  /** The IDs of a deployed Worker's bindings, by their names; of variables, the values. */
  bindings(worker: string): Record<string, string | undefined> {
    const { bindings = [] } = this.workers.get(worker) ?? {};
    return Object.fromEntries(bindings.map(({ name, id, text }) => [name, id ?? text]));
  }

  /** Where a request to a deployed Worker goes instead: the stub answers for `workers.dev` too. */
  redirect(url: string): string {
    return url.replace(/^https:\/\/([\w-]+)\.stub\.workers\.dev/, `${this.url}/deployed/$1`);
  }

  /** What a deployed Worker answers to `npm run deploy`: ready if each of its databases is migrated and in its place. */
  #answerAsWorker(name: string, path: string, deployment: string | null): object {
    const worker = this.#worker(name);
    if (path === "healthz") return { runs_deployment: deployment === worker.versions[0] };
    const databases = worker.bindings.filter(({ type }) => type === "d1");
    const reasons = databases.flatMap(({ name, id = "" }) => {
      try {
        const { sqlite } = this.database(id);
        const applied = sqlite.prepare("SELECT name FROM d1_migrations").all();
        const missing = this.migrations.filter((one) => !applied.some((row) => row.name === one));
        if (missing.length > 0) return [`${name} lacks ${missing.join(", ")}`];
        const place = sqlite.prepare("SELECT shards, shard_index FROM shard_identity").get();
        const index = /^LEDGER_(\d+)$/.exec(name)?.[1];
        const fits =
          place?.shards === databases.length - 1 &&
          place.shard_index === (index === undefined ? null : Number(index));
        return fits ? [] : [`${name} is in another place`];
      } catch (error) {
        return [`${name}: ${error}`];
      }
    });
    if (reasons.length === 0) return { status: "ready", checks: {} };
    return { status: "not ready", checks: { database: { ok: false, reason: reasons.join("; ") } } };
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const raw = Buffer.concat(chunks);
    const url = new URL(request.url ?? "", this.url);
    const [, worker, path = ""] = /^\/deployed\/([\w-]+)\/(\w+)$/.exec(url.pathname) ?? [];
    if (worker)
      return send(response, 200, this.#answerAsWorker(worker, path, url.searchParams.get("deployment")));
    const name = `${request.method} ${url.pathname.replace(/^\/accounts\/[^/]+/, "")}`;
    this.calls.push(name);
    const isFailing =
      typeof this.failing === "number" ? this.calls.length === this.failing : this.failing?.test(name);
    try {
      if (isFailing) throw new ApiError(this.failure.status, this.failure.code, this.failure.message);
      const result = this.#answer(name, { query: url.searchParams, raw, ...parse(raw), parts: [] });
      if (Buffer.isBuffer(result))
        response.writeHead(200, { etag: createHash("md5").update(raw).digest("hex") }).end(result);
      else if (name === "POST /graphql") send(response, 200, result as object);
      else {
        const count = Array.isArray(result) ? result.length : 1;
        const pages = { page: 1, per_page: 1_000, count, total_count: count };
        send(response, 200, { success: true, errors: [], messages: [], result, result_info: pages });
      }
    } catch (error) {
      const { status, code, message } =
        error instanceof ApiError ? error : { status: 400, code: 7500, message: String(error) };
      send(response, status, { success: false, errors: [{ code, message }], messages: [], result: null });
    }
  }

  #answer(name: string, call: Call): unknown {
    for (const [pattern, handle] of this.#routes) {
      const found = pattern.exec(name);
      if (found) return handle({ ...call, parts: found.slice(1).map(decodeURIComponent) });
    }
    throw new ApiError(404, 7003, `stub: no route for ${name}`);
  }

  #worker(name: string): Worker {
    const worker = this.workers.get(name);
    if (!worker) throw new ApiError(404, 10007, "This Worker does not exist on your account.");
    return worker;
  }

  /** A page beyond the first has nothing. */
  readonly #page = <T>(all: T[], { query }: Call): T[] => (Number(query.get("page") ?? 1) > 1 ? [] : all);

  /** In the order in which they are tried. */
  readonly #routes: [RegExp, Handle][] = [
    [/^GET \/user$/, () => ({ id: "user", email: "ops@example.com" })],
    [/^GET \/memberships$/, () => [{ id: "membership", account: { id: "account", name: "Account" } }]],
    [/^GET \/user\/tokens\/verify$/, () => ({ id: "token", status: "active" })],
    [
      /^GET \/d1\/database$/,
      (call) =>
        this.#page(this.databases, call)
          .filter(({ name }) => name.includes(call.query.get("name") ?? ""))
          .map(describe),
    ],
    [/^POST \/d1\/database$/, ({ body }) => describe(this.#createDatabase(body))],
    [/^GET \/d1\/database\/([^/]+)$/, ({ parts: [id = ""] }) => describe(this.database(id))],
    [
      /^DELETE \/d1\/database\/([^/]+)$/,
      ({ parts: [id = ""] }) => {
        this.databases.splice(this.databases.indexOf(this.database(id)), 1);
        return null;
      },
    ],
    [
      /^POST \/d1\/database\/([^/]+)\/query$/,
      ({ parts: [id = ""], body }) => execute(this.database(id), body),
    ],
    [
      /^POST \/d1\/database\/([^/]+)\/import$/,
      ({ parts: [id = ""], body }) => {
        if (body.action === "init") return { upload_url: `${this.url}/upload`, filename: "file" };
        this.database(id).sqlite.exec(this.#upload.toString("utf8"));
        const meta = { rows_read: 0, rows_written: 0, duration: 1, size_after: 1 };
        const result = { num_queries: 1, final_bookmark: "bookmark", meta };
        return { success: true, status: "complete", type: "import", messages: [], result };
      },
    ],
    [
      /^POST \/d1\/database\/([^/]+)\/export$/,
      ({ parts: [id = ""] }) => ({
        success: true,
        status: "complete",
        type: "export",
        messages: [],
        result: { filename: "file.sql", signed_url: `${this.url}/export/${id}` },
      }),
    ],
    [/^GET \/export\/([^/]+)$/, ({ parts: [id = ""] }) => Buffer.from(dump(this.database(id).sqlite))],
    [
      /^PUT \/upload$/,
      ({ raw }) => {
        this.#upload = raw;
        return Buffer.alloc(0);
      },
    ],
    [/^GET \/d1\/database\/([^/]+)\/time_travel\/bookmark$/, () => ({ bookmark: "bookmark" })],
    [
      /^POST \/d1\/database\/([^/]+)\/time_travel\/restore$/,
      () => ({ bookmark: "bookmark", previous_bookmark: "before", message: "restored" }),
    ],
    [
      /^POST \/graphql$/,
      () => ({
        data: {
          viewer: {
            accounts: [
              {
                d1AnalyticsAdaptiveGroups: [
                  {
                    sum: { readQueries: 10, writeQueries: 20, rowsRead: 3_000, rowsWritten: 400_000 },
                    dimensions: { datetimeHour: "2026-11-26T12:00:00Z" },
                  },
                ],
              },
            ],
          },
        },
      }),
    ],
    [/^GET \/storage\/kv\/namespaces$/, (call) => this.#page(this.namespaces, call)],
    [
      /^POST \/storage\/kv\/namespaces$/,
      ({ body: { title } }) => {
        if (this.namespaces.some((one) => one.title === title))
          throw new ApiError(400, 10014, "A namespace with this account ID and title already exists.");
        const created = { id: randomUUID().replaceAll("-", ""), title };
        this.namespaces.push(created);
        return created;
      },
    ],
    [/^GET \/r2\/buckets$/, () => ({ buckets: this.buckets.map((name) => ({ name })) })],
    [
      /^GET \/r2\/buckets\/([^/]+)$/,
      ({ parts: [name = ""] }) => {
        if (this.buckets.includes(name)) return { name };
        throw new ApiError(404, 10006, "The specified bucket does not exist.");
      },
    ],
    [/^GET \/r2\/buckets\/[^/]+\/objects\/.*$/, () => Buffer.from("an object")],
    [/^PUT \/r2\/buckets\/[^/]+\/lifecycle$/, () => null],
    [/^GET \/r2\/buckets\/[^/]+\/lifecycle$/, () => ({ rules: [] })],
    [
      /^POST \/r2\/buckets$/,
      ({ body: { name } }) => {
        this.buckets.push(name);
        return {};
      },
    ],
    [
      /^GET \/queues$/,
      (call) => {
        const name = call.query.get("name");
        return this.#page(this.queues, call).filter((one) => !name || one.queue_name === name);
      },
    ],
    [
      /^POST \/queues$/,
      ({ body: { queue_name } }) => {
        const created = {
          queue_id: randomUUID().replaceAll("-", ""),
          queue_name,
          producers: [],
          consumers: [],
        };
        this.queues.push(created);
        return created;
      },
    ],
    [/^GET .*\/consumers$/, () => []],
    [/^POST .*\/consumers$/, () => ({})],
    [
      /^GET \/workers\/services\/([^/]+)$/,
      ({ parts: [name = ""] }) => {
        this.#worker(name);
        const script = { tag: "tag", tags: [], last_deployed_from: "wrangler" };
        return { id: name, default_environment: { environment: "production", script } };
      },
    ],
    [
      /^DELETE \/workers\/services\/([^/]+)$/,
      ({ parts: [name = ""] }) => {
        this.workers.delete(name);
        return null;
      },
    ],
    [
      /^GET \/workers\/scripts\/([^/]+)\/settings$/,
      ({ parts: [name = ""] }) => ({ bindings: this.#worker(name).bindings }),
    ],
    [
      /^GET \/workers\/scripts\/([^/]+)\/secrets$/,
      ({ parts: [name = ""] }) => {
        this.#worker(name);
        return [];
      },
    ],
    [/^PUT \/workers\/scripts\/([^/]+)\/secrets$/, ({ body: { name } }) => ({ name, type: "secret_text" })],
    [
      /^GET \/workers\/workers\/([^/]+)$/,
      ({ parts: [name = ""] }) => ({
        ...{ id: name, name, url: null },
        subdomain: { enabled: true, previews_enabled: false },
      }),
    ],
    [/script-settings$/, () => ({})],
    [/^(?:PUT|POST) \/workers\/scripts\/([^/]+)(?:\/versions)?$/, (call) => this.#createVersion(call)],
    [
      /^GET \/workers\/scripts\/([^/]+)\/deployments$/,
      ({ parts: [name = ""] }) => ({
        deployments: this.#worker(name).versions.map((id) => ({
          ...{ id: `deployment-${id}`, created_on: "2026-11-26T12:00:00Z", author_email: "ops@example.com" },
          ...{ source: "wrangler", strategy: "percentage", annotations: {} },
          versions: [{ version_id: id, percentage: 100 }],
        })),
      }),
    ],
    [
      /^POST \/workers\/scripts\/([^/]+)\/deployments$/,
      ({ parts: [name = ""], body }) => {
        const { versions } = this.#worker(name);
        const [{ version_id }] = body.versions;
        versions.splice(versions.indexOf(version_id), 1);
        versions.unshift(version_id);
        return { id: "deployment" };
      },
    ],
    [
      /^GET \/workers\/scripts\/([^/]+)\/versions$/,
      ({ parts: [name = ""] }) => ({ items: this.#worker(name).versions.map(describeVersion) }),
    ],
    [
      /^GET \/workers\/scripts\/[^/]+\/versions\/([^/]+)$/,
      ({ parts: [id = ""] }) => ({
        ...describeVersion(id),
        resources: { bindings: [], script: {}, script_runtime: {} },
      }),
    ],
    [
      /^PUT \/workers\/scripts\/([^/]+)\/schedules$/,
      ({ parts: [name = ""], body }) => {
        this.#worker(name).crons = body.map(({ cron }: { cron: string }) => cron);
        return {};
      },
    ],
    [/^GET \/workers\/subdomain$/, () => ({ subdomain: "stub" })],
    [/^GET .*\/subdomain$/, () => ({ enabled: true, previews_enabled: false })],
    [/^POST .*\/subdomain$/, ({ body }) => ({ enabled: body.enabled, previews_enabled: false })],
    [/\/(?:domains|routes|zones)/, () => []],
  ];

  #createDatabase({ name, jurisdiction, primary_location_hint }: Record<string, string>): Database {
    if (this.databases.some((one) => one.name === name))
      throw new ApiError(400, 7502, "A database with that name already exists");
    const created: Database = {
      ...{ uuid: randomUUID(), name: String(name), jurisdiction: jurisdiction ?? null },
      ...{ location: primary_location_hint, sqlite: new DatabaseSync(":memory:") },
    };
    this.databases.push(created);
    return created;
  }

  /** A new version of a Worker. Bindings that it inherits are those of the version before. */
  #createVersion({ parts: [name = ""], raw }: Call): object {
    const [, metadata = "{}"] =
      /name="metadata"\r\n(?:.*\r\n)*?\r\n(.*?)\r\n--/.exec(raw.toString("latin1")) ?? [];
    const before = this.workers.get(name);
    const sent: (Binding & { namespace_id?: string; database_id?: string })[] =
      JSON.parse(metadata).bindings ?? [];
    const bindings = sent.map((one): Binding => {
      const inherited = before?.bindings.find((other) => other.name === one.name);
      if (one.type === "inherit" && inherited) return inherited;
      const id = one.id ?? one.database_id ?? one.namespace_id;
      return {
        type: one.type,
        name: one.name,
        ...(id && { id }),
        ...(one.text !== undefined && { text: one.text }),
      };
    });
    const id = randomUUID();
    const versions = [id, ...(before?.versions ?? [])];
    this.workers.set(name, { bindings, versions, crons: before?.crons ?? [] });
    return {
      id,
      etag: "etag",
      deployment_id: id,
      startup_time_ms: 12,
      resources: { script: { etag: "etag" } },
    };
  }
}

const describe = ({ uuid, name, jurisdiction }: Database) => ({
  ...{ uuid, name, jurisdiction, created_at: "2026-11-26T12:00:00Z", version: "production" },
  ...{ num_tables: 0, file_size: 8_192, running_in_region: "WEUR" },
});

const describeVersion = (id: string, index = 0) => ({
  ...{ id, number: 10 - index },
  metadata: { created_on: "2026-11-26T12:00:00Z", author_email: "ops@example.com", source: "wrangler" },
  annotations: {},
});

/** Runs the statements of a text, and returns a result for each. */
function execute({ sqlite }: Database, { sql, params }: { sql: string; params?: string[] }): object[] {
  const meta = { changes: 0, duration: 0, rows_read: 0, rows_written: 0, served_by: "stub", size_after: 0 };
  const results: object[] = [];
  for (let rest = sql.trim(); rest; ) {
    const statement = sqlite.prepare(rest);
    results.push({ success: true, results: statement.all(...(params ?? [])), meta });
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

/** wrangler does not always name the type. */
function parse(raw: Buffer): { body: unknown } {
  return { body: /^[{[]/.test(raw.toString("utf8", 0, 1)) ? JSON.parse(raw.toString("utf8")) : undefined };
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}
