/** An account of the stub, and the form of its routes. */
import type { DatabaseSync } from "node:sqlite";

export interface Database {
  uuid: string;
  name: string;
  jurisdiction: string | null;
  location: string | undefined;
  sqlite: DatabaseSync;
}

export interface Binding {
  type: string;
  name: string;
  id?: string;
  text?: string;
}

export interface Worker {
  bindings: Binding[];
  versions: string[];
  crons: string[];
}

export class ApiError extends Error {
  readonly status: number;
  readonly code: number;
  constructor(status: number, code: number, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

export class Account {
  databases: Database[] = [];
  namespaces: { id: string; title: string }[] = [];
  buckets: string[] = [];
  queues: { queue_id: string; queue_name: string }[] = [];
  workers = new Map<string, Worker>();
  /** Of the API. */
  url = "";

  /** `name` is its name or its ID. */
  database(name: string): Database {
    const found = this.databases.find((one) => one.name === name || one.uuid === name);
    if (!found) throw new ApiError(404, 7404, `The database ${name} could not be found`);
    return found;
  }

  worker(name: string): Worker {
    const worker = this.workers.get(name);
    if (!worker) throw new ApiError(404, 10007, "This Worker does not exist on your account.");
    return worker;
  }

  /** The IDs of a deployed Worker's bindings, by their names; of variables, the values. */
  bindings(worker: string): Record<string, string | undefined> {
    const { bindings = [] } = this.workers.get(worker) ?? {};
    return Object.fromEntries(bindings.map(({ name, id, text }) => [name, id ?? text]));
  }
}

interface Call<Body> {
  account: Account;
  /** The part of the path that the route matched, usually a name or an ID. */
  id: string;
  query: URLSearchParams;
  raw: Buffer;
  /** As wrangler 4.155 sends it to this route. */
  body: Body;
}

export interface Route {
  /** Of `METHOD /path`, without the account. */
  pattern: RegExp;
  handle: (call: Call<unknown>) => unknown;
}

/** A route whose body is `Body`. A Buffer is the whole answer; anything else is the `result` of the answer. */
export const route = <Body = undefined>(pattern: RegExp, handle: (call: Call<Body>) => unknown): Route => ({
  pattern,
  handle: handle as Route["handle"],
});

/** A list, whose pages beyond the first have nothing. */
export const page = <T>(all: T[], query: URLSearchParams): T[] =>
  Number(query.get("page") ?? 1) > 1 ? [] : all;
