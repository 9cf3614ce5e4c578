/** Every operation of the router with the access that it needs, and the stored state that a caller could change. */
import { createHash } from "node:crypto";
import { createToken, hashToken } from "../../src/auth/secrets.ts";
import { hashRecoveryCode } from "../../src/auth/sign-in/recovery-codes.ts";
import type { Credentials } from "../../src/http/operation.ts";
import { operationOf } from "../../src/http/operation.ts";
import type { Method } from "../../src/http/router.ts";
import { versionOf } from "../../src/usecases/links/updates.ts";
import { type Bulk, replacedBy } from "../../src/workspace/bulk/actions.ts";
import { type SectionName, shownVersion } from "../../src/workspace/edit/edited-link.ts";
import { type Call, DEMO, env, NOW, ORIGIN } from "../harness.ts";
import { RULE, samplePath } from "../http/every-route.ts";
import { tableReader } from "../restore.ts";
import { routes } from "../routes.ts";

/** The public pages and files. The site surface has only those. Any other page needs a session. */
const PUBLIC_PAGES = [
  "GET /",
  "GET /login",
  "POST /login",
  "GET /login/code",
  "POST /login/code",
  "GET /login/sso",
  "GET /login/sso/callback",
  "POST /logout",
  "GET /account.js",
  "GET /landing.css",
  "GET /workspace.js",
  "GET /links.js",
  "GET /link-test.js",
  "GET /workspace.css",
  "GET /link.css",
  "GET /performance.css",
  "GET /chart.js",
  "GET /create.js",
  "POST /partner",
  "POST /partner/sign-out",
  "GET /partner.css",
  "GET /operator.js",
  "GET /page.js",
];

/**
 * `session` is a page for signed-in users, `operator_session` a page for operators, `partner_session` a page for a partner,
 * `public` a public page.
 */
export type Need = Credentials | "session" | "operator_session" | "partner_session" | "public";
const SESSION_OF: Partial<Record<string, Need>> = {
  operator: "operator_session",
  partner: "partner_session",
};

export interface EveryOperation {
  name: string;
  method: Method;
  pattern: string;
  path: string;
  need: Need;
}

export const everyOperation: EveryOperation[] = routes.flatMap(({ path: pattern, methods, surface }) =>
  Object.entries(methods).map(([method, handler]) => {
    const name = `${method} ${pattern}`;
    const isPublic = surface === "site" || PUBLIC_PAGES.includes(name);
    const page: Need = isPublic ? "public" : (SESSION_OF[surface ?? ""] ?? "session");
    const need = operationOf(handler)?.credentials ?? page;
    return { name, method: method as Method, pattern, path: samplePath(pattern), need };
  }),
);

export const needing = (...needs: Need[]) => everyOperation.filter(({ need }) => needs.includes(need));

/** A request with a plain body and without a credential. */
export function plainCall({ method, need }: EveryOperation): Call {
  if (method === "GET") return { method };
  if (!/session|public/.test(need)) return { method, json: {} };
  const headers = { "content-type": "application/x-www-form-urlencoded", origin: ORIGIN };
  return { method, headers, body: "password=demo-password" };
}

/** The status for the right credential with unknown IDs, no query, and a JSON body that no operation accepts. */
export function acceptedStatus({ method, pattern }: EveryOperation): number {
  if (method === "GET") {
    if (/:id|:partner_id|:cost_id|\/cost\/round$/.test(pattern)) return 404;
    return pattern.endsWith("/v1/archive") ? 400 : 200;
  }
  const hasNoInput =
    method === "DELETE"
      ? !pattern.endsWith("/dismissals")
      : /\/(revoke|close|void|secret|on|test|:delivery_id)$/.test(pattern);
  return hasNoInput ? 404 : 400;
}

/** A request for unknown IDs, with a JSON body that no operation accepts: its input may be rejected, but not the right caller. */
export function rejectedInput({ path, method }: EveryOperation): Call & { path: string } {
  const unknown = path.replace(/\b1$|\/1\//, (id) => id.replace("1", "999999"));
  return { path: unknown, ...(method !== "GET" && { method, json: { unknown: true } }) };
}

const readAll = tableReader(env.DB);

/** The rows of every table, without the day on which a token was last used. */
export async function everything(): Promise<Record<string, unknown[]>> {
  const { api_tokens, access_tokens, ...others } = await readAll();
  if (!api_tokens || !access_tokens || !others.ledger_entries || !others.links)
    throw new Error("the tables were not read");
  const withoutUse = (rows: Record<string, unknown>[]) => rows.map(({ last_used_day: _, ...rest }) => rest);
  return { ...others, api_tokens: withoutUse(api_tokens), access_tokens: withoutUse(access_tokens) };
}

/** The bodies that pages read, beside forms. */
export const PAGE_BODIES: Partial<Record<string, string>> = {
  "POST /apps/:app_token/links/import": "multipart/form-data; boundary=boundary",
  "POST /apps/:app_token/links/import/rows": "multipart/form-data; boundary=boundary",
  "POST /partner/upload": "multipart/form-data; boundary=boundary",
  "POST /partner/upload/import": "multipart/form-data; boundary=boundary",
};

const sessionId = (name: string) => name.padEnd(43, "0");

const hashOf = (name: string) => createHash("sha256").update(sessionId(name)).digest("hex");

/** The reference of another session of the member. */
export const SECOND_SESSION = hashOf("second").slice(0, 16);

/** An access token of the member, and the name that the page of access tokens gives it. */
const ACCESS_TOKEN = createToken("read", "Nightly".padEnd(43, "0"));
export const ACCESS_REFERENCE = (hashToken(ACCESS_TOKEN, ["read"]) ?? "").slice(0, 16);

/** The cookies of the sessions of the demo users, and of the demo partners. */
export const SESSIONS = {
  member: `__Host-session=${sessionId("member")}`,
  operator: `__Host-session=${sessionId("operator")}`,
  expired: `__Host-session=${sessionId("expired")}`,
  unknown: `__Host-session=${sessionId("unknown")}`,
  /** The operator's password was entered, but no code yet. */
  waiting: `__Host-session=${sessionId("waiting")}`,
  partner: `__Host-partner=${sessionId("partner")}`,
  partnerInRound: `__Host-partner=${sessionId("partnerInRound")}`,
  partnerExpired: `__Host-partner=${sessionId("partnerExpired")}`,
  partnerRevoked: `__Host-partner=${sessionId("partnerRevoked")}`,
  partnerUnknown: `__Host-partner=${sessionId("partnerUnknown")}`,
};

/** Links of the demo data, as a review shows them. */
export const DEMO_LINKS = {
  ofPartner: { token: DEMO.linkToken, label: "Acme", archived: 0, partnerId: 1, costSwitch: 1, target: null },
  plain: {
    ...{ token: "demo1nk008", label: "Newsletter", archived: 0 },
    ...{ partnerId: null, costSwitch: null, target: null },
  },
};

/** The field that the form of a review has for these links. */
export const reviewedOf = (action: Bulk["action"], ...links: Parameters<typeof versionOf>[0]) =>
  versionOf(links, replacedBy({ action }));

/** The field that the form of a section has on the settings page of a link with these settings. */
export const shownOf = (
  section: SectionName,
  link: Partial<Parameters<typeof shownVersion>[1]> = {},
  base: Parameters<typeof shownVersion>[1] = DEMO_LINKS.plain,
) => ({ reviewed: shownVersion(section, { ...base, ...link }) });

/** A credential of the demo partner that was revoked. */
const REVOKED = createToken("live", "PartnerRevoked".padEnd(43, "0"));

/** The session that a page of this need is sampled with. */
export const sessionFor = (need: Need) =>
  need === "operator_session"
    ? SESSIONS.operator
    : need === "partner_session"
      ? SESSIONS.partner
      : SESSIONS.member;

/** A recovery code of the operator, who uses two-factor authentication. */
export const RECOVERY_CODE = "recovery-code-of-the-operator";

export async function startSessions(): Promise<void> {
  const insert = (name: string, userId: number, expiresAt: number) =>
    env.DB.prepare(
      "INSERT INTO sessions (id_hash, user_id, created_at, last_seen_at, password_at, expires_at) VALUES (?1, ?2, ?3, ?3, ?3, ?4)",
    ).bind(hashOf(name), userId, NOW - 1000, expiresAt);
  const insertPartner = (name: string, credential: string, expiresAt: number) =>
    env.DB.prepare(
      "INSERT INTO partner_sessions (id_hash, token_hash, created_at, expires_at) VALUES (?, ?, ?, ?)",
    ).bind(hashOf(name), hashToken(credential, ["live", "test"]), NOW - 1000, expiresAt);
  await env.DB.batch([
    env.DB.prepare(
      "INSERT INTO webhooks (id, url, secret, created_at, ended_at, ended_because) VALUES (1, 'https://example.com/hooks', '', 0, NULL, NULL)",
    ),
    ...[DEMO.appToken, DEMO.otherAppToken].map((app, index) =>
      env.DB.prepare(
        "INSERT INTO webhooks (id, app_token, url, secret, created_at) VALUES (?, ?, 'https://example.com/hooks', '', 0)",
      ).bind(RULE + index, app),
    ),
    env.DB.prepare(
      "INSERT INTO webhook_events (id, message_id, type, webhook_id, body, happened_at, spread_at) VALUES (1, 'msg_1', 'webhook.test', 1, '{}', 0, 0)",
    ),
    env.DB.prepare(
      "INSERT INTO webhook_deliveries (id, webhook_id, event_id, rank, attempts) VALUES (1, 1, 1, 1, 1)",
    ),
    ...[DEMO.appToken, DEMO.otherAppToken].map((app, index) =>
      env.DB.prepare("INSERT INTO alert_rules VALUES (?, ?, 'partner_silent', '{\"hours\":24}')").bind(
        RULE + index,
        app,
      ),
    ),
    env.DB.prepare(
      "INSERT INTO credentials (token_hash, partner_id, mode, cost_types, hint, created_at, revoked_at) VALUES (?, 1, 'live', 1, '', 0, 1)",
    ).bind(hashToken(REVOKED, ["live"])),
    env.DB.prepare(
      "INSERT INTO access_tokens (token_hash, user_id, name, hint, scope, role, created_at, expires_at) VALUES (?, 1, 'Nightly', 'll_read_…abcd', 'read', 'member', 0, ?)",
    ).bind(hashToken(ACCESS_TOKEN, ["read"]), NOW + 3_600_000),
    insertPartner("partner", DEMO.costToken, NOW + 3_600_000),
    insertPartner("partnerInRound", DEMO.testCostToken, NOW + 3_600_000),
    insertPartner("partnerExpired", DEMO.costToken, NOW),
    insertPartner("partnerRevoked", REVOKED, NOW + 3_600_000),
    insert("member", 1, NOW + 3_600_000),
    insert("operator", 2, NOW + 3_600_000),
    insert("second", 1, NOW + 3_600_000),
    insert("expired", 1, NOW),
    insert("waiting", 2, NOW + 60_000),
    env.DB.prepare("UPDATE sessions SET waiting_secret = 'sealed' WHERE expires_at = ?").bind(NOW + 60_000),
    env.DB.prepare(
      "INSERT INTO authenticators (user_id, sealed, created_at, last_step) VALUES (2, 'sealed', 0, 0)",
    ),
    env.DB.prepare("INSERT INTO recovery_codes (user_id, code_hash) VALUES (2, ?)").bind(
      hashRecoveryCode(RECOVERY_CODE),
    ),
  ]);
}

/** Headers without a valid credential. */
export const NO_CREDENTIALS: Record<string, Record<string, string>> = {
  nothing: {},
  "an empty header": { authorization: "" },
  "only a scheme": { authorization: "Bearer" },
  "another scheme": { authorization: `Basic ${btoa(`${DEMO.operatorToken}:`)}` },
  noise: { authorization: "Bearer noise" },
  "two credentials in one header": { authorization: `Bearer ${DEMO.apiToken}, Bearer ${DEMO.operatorToken}` },
  "an unknown API token": { authorization: `Bearer ${createToken("api")}` },
  "an unknown credential": { authorization: `Bearer ${createToken("live")}` },
  "an unknown test credential": { authorization: `Bearer ${createToken("test")}` },
  "a token in other headers": {
    "x-api-key": DEMO.operatorToken,
    "x-authorization": `Bearer ${DEMO.operatorToken}`,
    "proxy-authorization": `Bearer ${DEMO.operatorToken}`,
    cookie: `token=${DEMO.operatorToken}; authorization=Bearer ${DEMO.operatorToken}`,
  },
  "another address and method": {
    "x-original-url": "/healthz",
    "x-rewrite-url": "/healthz",
    "x-http-method-override": "GET",
    "x-forwarded-for": "127.0.0.1",
    "x-forwarded-host": "localhost",
  },
};
