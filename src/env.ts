/** The bindings, the configuration checked once a request, and what a handler is given. The only reader of the clock. */
import type { NewEngagement } from "./db/ledger/engagements.ts";
import { type Ledger, type LedgerBindings, ledgerOf } from "./db/ledger/shards.ts";
import { logError, type Trace } from "./log.ts";

export interface Env extends LedgerBindings {
  TOKENS: KVNamespace;
  LINKS: KVNamespace;
  /** The files of the API reference. */
  ASSETS: Fetcher;
  /** Which version of the Worker this is. */
  VERSION: WorkerVersionMetadata;
  ACCOUNT_ATTEMPTS: RateLimit;
  ADDRESS_ATTEMPTS: RateLimit;
  /** Uses of each API token and cost credential; unset, without limit. */
  CREDENTIAL_REQUESTS?: RateLimit;
  /** Refused credentials from each address; unset, without limit. */
  ADDRESS_REJECTIONS?: RateLimit;
  /** Where clicks wait for their record; none, each is written by itself after its answer. */
  ENGAGEMENTS?: Queue<NewEngagement>;
  /** Origin of generated click URLs; unset, the origin that was asked. */
  CLICK_URL?: string;
  /** Origin of generated impression URLs; unset, the origin that was asked. */
  IMPRESSION_URL?: string;
  /** The share of requests that get a line in the log, 0 to 1; unset, all. */
  LOG_SAMPLE?: string;
}

/** Milliseconds since 1970. */
export type Clock = () => number;

export const systemClock: Clock = () => Date.now();

export interface Context {
  env: Env;
  ledger: Ledger;
  request: Request;
  url: URL;
  /** Path parameters, percent-decoded. */
  params: Record<string, string>;
  requestId: string;
  /** Milliseconds since 1970, one instant for the whole request. */
  now: number;
  clickUrl: string;
  impressionUrl: string;
  /** What the log will say of the request. */
  trace: Trace;
  /** Work that goes on after the answer. A failure of it is logged, never thrown. */
  afterResponse: (work: Promise<unknown>) => void;
}

/** Builds what the handlers of one request are given. */
export function buildContext(
  env: Env,
  request: Request,
  execution: Pick<ExecutionContext, "waitUntil">,
  clock: Clock,
): Context {
  const url = new URL(request.url);
  const requestId = crypto.randomUUID();
  return {
    env,
    get ledger() {
      return ledgerOf(env, this.now);
    },
    request,
    url,
    params: {},
    requestId,
    now: clock(),
    trace: {},
    clickUrl: toOrigin(env.CLICK_URL) ?? url.origin,
    impressionUrl: toOrigin(env.IMPRESSION_URL) ?? url.origin,
    afterResponse: (work) => execution.waitUntil(work.catch((error) => logError(requestId, error))),
  };
}

const checked = new WeakSet<Env>();

/** Throws on a configuration that cannot serve. An isolate's bindings do not change: what passed once is not checked again. */
export function checkConfiguration(env: Env): void {
  if (checked.has(env)) return;
  for (const name of ["CLICK_URL", "IMPRESSION_URL"] as const) {
    if (env[name] && !toOrigin(env[name])) throw new Error(`${name} must be an http(s) URL`);
  }
  ledgerOf(env, 0);
  const sample = Number(env.LOG_SAMPLE ?? 1);
  if (!(sample >= 0 && sample <= 1)) throw new Error("LOG_SAMPLE must be a number from 0 to 1");
  checked.add(env);
}

/** undefined for what is no http(s) URL. */
function toOrigin(value: string | undefined): string | undefined {
  const origin = value && URL.parse(value)?.origin;
  return origin?.startsWith("http") ? origin : undefined;
}
