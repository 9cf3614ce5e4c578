/**
 * A stub of the part of Cloudflare's API that wrangler 4.155 calls: it keeps an account in memory, records every call and can fail
 * one. It also answers as the deployed Worker. What a real account answers to mistakes, and its limits, rights and delays, is not in it.
 */
import { createHash } from "node:crypto";
import { readdirSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { join } from "node:path";
import { Account, ApiError, route } from "./account.ts";
import { databaseRoutes } from "./databases.ts";
import { storageRoutes } from "./storage.ts";
import { answerAsWorker, workerRoutes } from "./workers.ts";

/** What `d1 info` asks: the use of a database. It is the whole answer, without `result`. */
const ANALYTICS = {
  sum: { readQueries: 10, writeQueries: 20, rowsRead: 3_000, rowsWritten: 400_000 },
  dimensions: { datetimeHour: "2026-11-26T12:00:00Z" },
};
const GRAPHQL = { data: { viewer: { accounts: [{ d1AnalyticsAdaptiveGroups: [ANALYTICS] }] } } };

/** In the order in which they are tried. */
const ROUTES = [
  route(/^GET \/user$/, () => ({ id: "user", email: "ops@example.com" })),
  route(/^GET \/memberships$/, () => [{ id: "membership", account: { id: "account", name: "Account" } }]),
  route(/^GET \/user\/tokens\/verify$/, () => ({ id: "token", status: "active" })),
  route(/^POST \/graphql$/, () => GRAPHQL),
  ...databaseRoutes,
  ...storageRoutes,
  ...workerRoutes,
];

export class CloudflareStub extends Account {
  /** `METHOD /path` of each call, without the account. */
  calls: string[] = [];
  /** The number of the call that fails, from 1, or the beginning of those that fail. */
  failing: number | RegExp | undefined;
  /** What a failed call answers. wrangler repeats a call that ended with 500 or above, and then waits for seconds. */
  failure = { status: 400, code: 10013, message: "stub: an unknown error has occurred" };
  /** The names of the migrations that the deployed Worker expects. */
  migrations = readdirSync(join(import.meta.dirname, "../../../migrations")).filter((name) =>
    /^\d.*\.sql$/.test(name),
  );
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

  /** Where a request to a deployed Worker goes instead: the stub answers for `workers.dev` too. */
  redirect(url: string): string {
    return url.replace(/^https:\/\/([\w-]+)\.stub\.workers\.dev/, `${this.url}/deployed/$1`);
  }

  /** A flag of Node with which `fetch` does the same. */
  get redirectFlag(): string {
    const source = `const ask = fetch; globalThis.fetch = (url, how) =>
      ask(String(url).replace(/^https:..([\\w-]+)\\.stub\\.workers\\.dev/, "${this.url}/deployed/$1"), how);`;
    return `--import=data:text/javascript,${encodeURIComponent(source)}`;
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const raw = Buffer.concat(chunks);
    const { pathname, searchParams: query } = new URL(request.url ?? "", this.url);
    const [, worker, path = ""] = /^\/deployed\/([\w-]+)\/(\w+)$/.exec(pathname) ?? [];
    if (worker)
      return send(response, answerAsWorker(this, worker, path, query.get("deployment"), this.migrations));
    const name = `${request.method} ${pathname.replace(/^\/accounts\/[^/]+/, "")}`;
    this.calls.push(name);
    try {
      const result = this.#answer(name, query, raw);
      if (Buffer.isBuffer(result))
        response.writeHead(200, { etag: createHash("md5").update(raw).digest("hex") }).end(result);
      else if (result === GRAPHQL) send(response, GRAPHQL);
      else {
        const count = Array.isArray(result) ? result.length : 1;
        const pages = { page: 1, per_page: 1_000, count, total_count: count };
        send(response, { success: true, errors: [], messages: [], result, result_info: pages });
      }
    } catch (error) {
      const { status, code, message } =
        error instanceof ApiError ? error : { status: 400, code: 7500, message: String(error) };
      send(response, { success: false, errors: [{ code, message }], messages: [], result: null }, status);
    }
  }

  #answer(name: string, query: URLSearchParams, raw: Buffer): unknown {
    const { failing, failure } = this;
    if (typeof failing === "number" ? this.calls.length === failing : failing?.test(name))
      throw new ApiError(failure.status, failure.code, failure.message);
    // wrangler does not always name the type.
    const body = /^[{[]/.test(raw.toString("utf8", 0, 1)) ? JSON.parse(raw.toString("utf8")) : undefined;
    for (const { pattern, handle } of ROUTES) {
      const [found, id = ""] = pattern.exec(name) ?? [];
      if (found) return handle({ account: this, id: decodeURIComponent(id), query, raw, body });
    }
    throw new ApiError(404, 7003, `stub: no route for ${name}`);
  }
}

function send(response: ServerResponse, body: object, status = 200): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}
