/** A request for every operation that does what the operation is for, and what the database then holds. */
import { createToken, hashToken } from "../../src/auth/secrets.ts";
import { operationOf } from "../../src/http/operation.ts";
import { routes } from "../../src/index.ts";
import { LINKS } from "../campaign/support.ts";
import { type Call, call, DEMO, env, NOW, rows } from "../harness.ts";
import { samplePath } from "../http/every-route.ts";
import { everyOperation, plainCall, SESSIONS } from "../security/support.ts";

const key = { "idempotency-key": "faulty-key-0001" };
const form = (body: string): Call => ({
  method: "POST",
  headers: { "content-type": "application/x-www-form-urlencoded", cookie: SESSIONS.member },
  body,
});
const cost = {
  cost_type: "cpc",
  cost_currency: "USD",
  cost_id: "faulty-cost-0001",
  cost_amount: "0.25",
  tag: "t",
};

const ROUND = 50;
export const ROUND_TEST = createToken("test", "FaultyRound".padEnd(43, "0"));

interface Sample extends Call {
  path: string;
  /** Sent twice it makes two: there is no key to tell them by, and a list shows them. */
  repeats?: true;
}

/** By operation id or, for pages, by method and pattern. What is read with GET at its sample path needs none. */
const SAMPLES: Record<string, Sample> = {
  createLink: { path: LINKS, json: { name: "a", parent_token: DEMO.linkToken }, headers: key },
  createLinks: {
    path: `${LINKS}/bulk`,
    json: { links: [{ name: "a" }, { name: "b", parent_token: DEMO.linkToken }] },
    headers: key,
  },
  updateLink: { path: `${LINKS}/${DEMO.linkToken}`, method: "PATCH", json: { name: "b", archived: true } },
  readSpend: { path: `/public/v1/apps/${DEMO.appToken}/spend?from=2026-03-01&to=2026-03-31` },
  submitCost: { path: `/cost?${new URLSearchParams(cost)}`, method: "POST" },
  submitBatch: { path: "/cost/batch", json: { costs: [cost, { ...cost, cost_id: "faulty-cost-0002" }] } },
  readCost: { path: "/cost/demo-spend-00-0" },
  readRound: { path: "/cost/round", token: DEMO.testCostToken },
  openLink: {
    path: `/${DEMO.linkToken}?s2s=1&cost_id=faulty-click-001&cost_type=cpc&cost_amount=1&cost_currency=USD`,
  },
  openImpression: { path: `/impression/${DEMO.linkToken}?s2s=1&cost_id=faulty-view-0001` },
  createApp: {
    path: "/operator/v1/apps",
    json: { name: "a", default_url: "https://a.test/" },
    repeats: true,
  },
  updateApp: { path: `/operator/v1/apps/${DEMO.appToken}`, method: "PATCH", json: { name: "b" } },
  addMember: { path: `/operator/v1/apps/${DEMO.otherAppToken}/members`, json: { user_id: 1 } },
  removeMember: { path: `/operator/v1/apps/${DEMO.appToken}/members/1`, method: "DELETE" },
  createUser: { path: "/operator/v1/users", json: { email: "new@example.com" } },
  updateUser: { path: "/operator/v1/users/1", method: "PATCH", json: { disabled: true } },
  resetPassword: { path: "/operator/v1/users/1/password", method: "POST" },
  issueToken: { path: "/operator/v1/users/1/token", method: "POST" },
  createPartner: { path: "/operator/v1/partners", json: { display_name: "a" }, repeats: true },
  updatePartner: { path: "/operator/v1/partners/1", method: "PATCH", json: { display_name: "b" } },
  createCredential: {
    path: "/operator/v1/credentials",
    json: { partner_id: 1, mode: "live", cost_types: ["cpc"] },
    repeats: true,
  },
  revokeCredential: { path: "/operator/v1/credentials/1/revoke", method: "POST" },
  openRound: { path: "/operator/v1/rounds", json: { partner_id: 1, cost_types: ["cpc"] } },
  approveRound: { path: `/operator/v1/rounds/${ROUND}/approve`, method: "POST" },
  closeRound: { path: `/operator/v1/rounds/${ROUND}/close`, method: "POST" },
  dismissFinding: { path: "/operator/v1/rounds/1/dismissals", json: { finding: "" } },
  "POST /login": { path: "/login", ...form(`email=${DEMO.email}&password=${DEMO.password}`), repeats: true },
  "POST /logout": { path: "/logout", ...form("") },
  "POST /account/token/show": { path: "/account/token/show", ...form(`password=${DEMO.password}`) },
  "POST /account/token/reset": { path: "/account/token/reset", ...form(`password=${DEMO.password}`) },
  "POST /account/password": {
    path: "/account/password",
    ...form(`current_password=${DEMO.password}&new_password=another-password-1`),
  },
  "POST /account/sign-out-everywhere": { path: "/account/sign-out-everywhere", ...form("") },
};

const TOKENS = {
  api_token: DEMO.apiToken,
  operator_token: DEMO.operatorToken,
  cost_credential: DEMO.costToken,
  none: undefined,
};

const unlimited = { limit: async () => ({ success: true }) };

export interface Sampled {
  name: string;
  repeats: boolean;
  isWrite: boolean;
  /** The operators' pages do what the operations do, by the same functions. */
  isConsole: boolean;
  send: (bindings?: Call["env"]) => Promise<Response>;
}

/** Every operation of the router. One that writes and has no sample stands here by its name alone. */
export const sampled: Sampled[] = everyOperation.flatMap((one) => {
  const handler = routes.find(({ path }) => path === one.pattern)?.methods[one.method];
  const operation = handler && operationOf(handler);
  const name = operation?.id ?? one.name;
  // What is the same for everybody.
  if (one.pattern === "/readyz" || (one.need === "public" && one.method === "GET" && one.name !== "GET /"))
    return [];
  const { repeats, path, ...options }: Sample = SAMPLES[name] ?? {
    ...plainCall(one),
    path: samplePath(one.pattern),
  };
  const token = options.token ?? (operation && TOKENS[operation.credentials]);
  const cookie = one.need === "operator_session" ? SESSIONS.operator : SESSIONS.member;
  const headers = operation ? options.headers : { cookie, ...options.headers };
  return {
    name,
    repeats: repeats ?? false,
    isWrite: one.method !== "GET" || SAMPLES[name]?.path.includes("s2s=1") === true,
    isConsole: one.need === "operator_session",
    send: async (bindings = {}) =>
      call(path, {
        ...options,
        ...(await bodyOf(name, options)),
        ...(token && { token }),
        ...(headers && { headers: { accept: operation ? "application/json" : "text/html", ...headers } }),
        env: { ACCOUNT_ATTEMPTS: unlimited, ADDRESS_ATTEMPTS: unlimited, ...bindings },
      }),
  };
});

export const sampledNames = new Set(Object.keys(SAMPLES));

/** Finds an open mismatch of the demo's round to dismiss. */
async function bodyOf(name: string, { json }: Call): Promise<Call> {
  if (name !== "dismissFinding") return json === undefined ? {} : { json };
  const [entry] = await rows<{ number: number }>(
    "SELECT number FROM round_entries WHERE round_id = 1 AND record ->> '$.answer' = 'wrong_engagement' LIMIT 1",
  );
  return { json: { finding: `entry ${entry?.number}` } };
}

/** A round that may be approved: one click, and its cost. */
export async function openRoundToApprove(): Promise<void> {
  await env.DB.batch([
    env.DB.prepare(
      "INSERT INTO rounds (id, partner_id, cost_types, state, opened_at) VALUES (?, 2, 'cpc', 'open', ?)",
    ).bind(ROUND, NOW - 1000),
    env.DB.prepare(
      "INSERT INTO credentials (token_hash, partner_id, mode, cost_types, round_id, hint, created_at) VALUES (?, 2, 'test', 'cpc', ?, '', 0)",
    ).bind(hashToken(ROUND_TEST, ["test"]), ROUND),
    env.DB.prepare(
      "INSERT INTO engagements (partner_id, cost_id, kind, app_token, link_id, occurred_at, eligible) VALUES (2, 'faulty-round-001', 'click', ?, 6, ?, 0)",
    ).bind(DEMO.appToken, NOW - 500),
  ]);
  await call("/cost?cost_type=cpc&cost_currency=USD&cost_id=faulty-round-001&cost_amount=1&tag=t", {
    token: ROUND_TEST,
    method: "POST",
  });
}

/** Columns that are drawn anew, or derived from what is. */
const DRAWN = [
  "token_hash",
  "hint",
  "sealed",
  "password_hash",
  "request_id",
  "answer",
  "location",
  "revision",
  "id_hash",
  "last_used_day",
];

/** What the database holds, but what was drawn at random. */
export async function settled(): Promise<Record<string, string[]>> {
  const tables = await rows<{ name: string }>(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_%' ESCAPE '\\' AND name <> 'd1_migrations'",
  );
  const found: Record<string, string[]> = {};
  for (const { name } of tables) {
    const drawn = [...DRAWN, ...(name === "links" || name === "apps" ? ["token"] : [])];
    found[name] = (await rows(`SELECT * FROM "${name}"`))
      .map((row) => JSON.stringify(Object.entries(row).filter(([column]) => !drawn.includes(column))))
      .map((row) => row.replace(/_…\w{4}|"app \w{12}"/g, "drawn"))
      .sort();
  }
  return found;
}
