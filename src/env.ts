/** The bindings, the check of the configuration, and the context that every handler gets. The only reader of the clock. */

import { databasesOf, type Ledger, type LedgerBindings, ledgerOf } from "./db/ledger/databases.ts";
import { groupCalls } from "./db/statement.ts";
import { CONTROL } from "./domain/characters.ts";
import type { OpenedLink } from "./domain/costs.ts";
import { ConfigurationError } from "./errors.ts";
import { logError, type Trace } from "./log.ts";

export interface Env extends LedgerBindings {
  TOKENS: KVNamespace;
  LINKS: KVNamespace;
  /** The version of the Worker that is running. */
  VERSION: WorkerVersionMetadata;
  /** Limit passwords by account and address or by known browser, by address, and by account. */
  PASSWORD_ATTEMPTS: RateLimit;
  ADDRESS_ATTEMPTS: RateLimit;
  ACCOUNT_ATTEMPTS: RateLimit;
  /** Limits the uses of each API token and cost credential. No limit if not bound. */
  CREDENTIAL_REQUESTS?: RateLimit;
  /** Limits rejected credentials by address. No limit if not bound. */
  ADDRESS_REJECTIONS?: RateLimit;
  /** Limits the engagements that an address sends with `s2s=1`. No limit if not bound. */
  SERVER_ENGAGEMENTS?: RateLimit;
  /** Limit the names of new sub-links on URLs: by address, and with `s2s=1` by partner and address. No limit if not bound. */
  NEW_SUB_LINKS?: RateLimit;
  SERVER_SUB_LINKS?: RateLimit;
  /** Limits the steps of single sign-on by address. No limit if not bound. */
  SINGLE_SIGN_ON?: RateLimit;
  /** Limits the reports of each user. No limit if not bound. */
  REPORTS?: RateLimit;
  /** Clicks wait here to be recorded in bulk. If not bound, each click is recorded by itself after its response. */
  ENGAGEMENTS?: Queue<OpenedLink>;
  /** Origin of generated click URLs. Default: the origin of the request. */
  CLICK_URL?: string;
  /** Origin of generated impression URLs. Default: the origin of the request. */
  IMPRESSION_URL?: string;
  /** The origin of the pages, which the provider of single sign-on returns to. */
  ORIGIN?: string;
  /** Single sign-on: see auth/single-sign-on/settings.ts. */
  OIDC_ISSUER?: string;
  OIDC_CLIENT_ID?: string;
  OIDC_CLIENT_SECRET?: string;
  OIDC_NAME?: string;
  /** `1`: on this machine, the provider may use http. For tests. */
  LOCAL_INSECURE?: string;
  /** `optional`: operators choose whether they use two-factor authentication. Default: `required`. */
  OPERATOR_MFA?: string;
  /** Where to report a vulnerability: a mailto:, https: or tel: URI. If not set, there is no security.txt. */
  SECURITY_CONTACT?: string;
  /** Whom people ask for access or help: an email address, an https URL, or a text of at most 200 characters. */
  OPERATOR_CONTACT?: string;
  /** Seals the secrets of webhooks: at least 32 characters. Without it, webhooks are not set up. */
  WEBHOOK_KEY?: string;
  /** Sends the alerts of operators by email, from ALERTS_FROM to ALERTS_TO: one to five addresses, separated by commas. */
  ALERTS?: SendEmail;
  ALERTS_FROM?: string;
  ALERTS_TO?: string;
  /** The share of requests that are logged, from 0 to 1. Default: 1. */
  LOG_SAMPLE?: string;
  /** The most calls to a database in flight that requests share, beside full ones. `0`: they share none. Default: 2. */
  GROUP_CALLS?: string;
}

/** Milliseconds since 1970. */
export type Clock = () => number;

export const systemClock: Clock = () => Date.now();

/** What a request sends to authorize itself, and its SHA-256. */
export type SentToken = { text: string; hash: string };

/** What pages show of the signed-in user. */
export type SignedIn = { email: string; role: "member" | "operator" };

export interface Context {
  env: Env;
  ledger: Ledger;
  request: Request;
  url: URL;
  /** Path parameters, percent-decoded. */
  params: Record<string, string>;
  /** Set by `readToken`, so that the token is hashed once for its limit and its guard. */
  token?: SentToken;
  requestId: string;
  /** Milliseconds since 1970, one instant for the whole request. */
  now: number;
  clickUrl: string;
  impressionUrl: string;
  /** Whose session it is, once it was found: an error page shows it. */
  user?: SignedIn;
  /** Details for the request's log line. */
  trace: Trace;
  /** Continues work after the response was sent. A failure is logged and never thrown. */
  afterResponse: (work: Promise<unknown>) => void;
}

/** Builds what the handlers of one request are given. The configuration must have been checked. */
export function buildContext(
  env: Env,
  request: Request,
  execution: Pick<ExecutionContext, "waitUntil">,
  clock: Clock,
): Context {
  const url = new URL(request.url);
  const requestId = crypto.randomUUID();
  const now = clock();
  return {
    env,
    ledger: ledgerOf(env),
    request,
    url,
    params: {},
    requestId,
    now,
    trace: {},
    clickUrl: toOrigin(env.CLICK_URL) ?? url.origin,
    impressionUrl: toOrigin(env.IMPRESSION_URL) ?? url.origin,
    // waitUntil keeps the isolate running for this work after the response was sent, for at most 30 seconds.
    afterResponse: (work) => execution.waitUntil(work.catch((error) => logError(requestId, error))),
  };
}

type NameOfLimiter = {
  [Name in keyof Env]-?: Exclude<Env[Name], undefined> extends RateLimit ? Name : never;
}[keyof Env];

/** Every rate limiter, also those that need not be bound. */
export const LIMITERS: Record<NameOfLimiter, true> = {
  PASSWORD_ATTEMPTS: true,
  ADDRESS_ATTEMPTS: true,
  ACCOUNT_ATTEMPTS: true,
  CREDENTIAL_REQUESTS: true,
  ADDRESS_REJECTIONS: true,
  SERVER_ENGAGEMENTS: true,
  NEW_SUB_LINKS: true,
  SERVER_SUB_LINKS: true,
  SINGLE_SIGN_ON: true,
  REPORTS: true,
};

/** The bindings that every deployment needs, as wrangler.toml names them. */
const REQUIRED_BINDINGS = {
  DB: "a D1 database",
  TOKENS: "a KV namespace",
  LINKS: "a KV namespace",
  VERSION: "version metadata",
  PASSWORD_ATTEMPTS: "a rate limiter",
  ADDRESS_ATTEMPTS: "a rate limiter",
  ACCOUNT_ATTEMPTS: "a rate limiter",
} as const satisfies Partial<Record<keyof Env, string>>;

const ADDRESS = /^[^\s@,<>"]{1,64}@[^\s@,<>"]{1,190}$/;
const addressesOf = (list = "") => list.split(",").map((address) => address.trim());

/** How alerts are sent by email; undefined if that is not set up. The configuration must have been checked. */
export function findEmail({ ALERTS, ALERTS_FROM, ALERTS_TO }: Env) {
  if (!ALERTS || !ALERTS_FROM || !ALERTS_TO) return undefined;
  const send = (message: EmailMessageBuilder) => ALERTS.send(message);
  return { from: ALERTS_FROM, to: addressesOf(ALERTS_TO), send };
}

/** What receivers of webhooks must not be. `host`: of the request. */
export function receiversOf(env: Env, ...hosts: string[]) {
  const set = [env.ORIGIN, env.CLICK_URL, env.IMPRESSION_URL].flatMap(
    (url) => URL.parse(url ?? "")?.hostname ?? [],
  );
  return { hosts: [...set, ...hosts], allowsLocal: env.LOCAL_INSECURE === "1" };
}

const checked = new WeakSet<Env>();

/**
 * Throws ConfigurationError, with every problem, for a configuration that cannot serve, and applies GROUP_CALLS. The bindings of
 * an isolate (one running copy of the Worker) never change, so what passed once is not checked again.
 */
export function checkConfiguration(env: Env): void {
  if (checked.has(env)) return;
  const problems = Object.entries(REQUIRED_BINDINGS)
    .filter(([name]) => env[name as keyof typeof REQUIRED_BINDINGS] === undefined)
    .map(([name, kind]) => `The binding ${name} (${kind}) is missing.`);
  for (const name of ["CLICK_URL", "IMPRESSION_URL"] as const) {
    if (env[name] && !toOrigin(env[name])) problems.push(`${name} must be an http or https URL.`);
  }
  const sample = Number(env.LOG_SAMPLE ?? 1);
  if (!(sample >= 0 && sample <= 1)) problems.push("LOG_SAMPLE must be a number from 0 to 1.");
  if (!["required", "optional", undefined].includes(env.OPERATOR_MFA))
    problems.push('OPERATOR_MFA must be "required" or "optional".');
  if (!/^(mailto:|https:\/\/|tel:)[!-~]+$/.test(env.SECURITY_CONTACT ?? "tel:0"))
    problems.push("SECURITY_CONTACT must be a mailto:, https: or tel: URI.");
  const contact = env.OPERATOR_CONTACT ?? "";
  if (
    contact.length > 200 ||
    contact.search(CONTROL) >= 0 ||
    /^http:|^(https|mailto):(?!\/\/[!-~]+$)/i.test(contact)
  )
    problems.push(
      "OPERATOR_CONTACT must be an email address, an https URL, or a text of at most 200 characters.",
    );
  if (env.WEBHOOK_KEY !== undefined && !/^[!-~]{32,256}$/.test(env.WEBHOOK_KEY))
    problems.push("WEBHOOK_KEY must have 32 to 256 visible ASCII characters.");
  if (env.ALERTS_FROM !== undefined && !ADDRESS.test(env.ALERTS_FROM))
    problems.push("ALERTS_FROM must be an email address.");
  const to = addressesOf(env.ALERTS_TO);
  if (env.ALERTS_TO !== undefined && (to.length > 5 || !to.every((address) => ADDRESS.test(address))))
    problems.push("ALERTS_TO must be one to five email addresses, separated by commas.");
  const calls = env.GROUP_CALLS ?? "2";
  if (!/^\d{1,2}$/.test(calls)) problems.push("GROUP_CALLS must be a whole number from 0 to 99.");
  if (problems.length > 0) throw new ConfigurationError(`${problems.join(" ")} Check wrangler.toml.`);
  groupCalls(databasesOf(ledgerOf(env)), Number(calls), systemClock);
  checked.add(env);
}

/** The origin of an http or https URL; undefined for anything else. */
function toOrigin(value: string | undefined): string | undefined {
  const origin = value && URL.parse(value)?.origin;
  return origin?.startsWith("http") ? origin : undefined;
}
