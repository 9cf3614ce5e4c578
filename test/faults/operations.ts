/** A successful sample request for every operation. */
import { codeAt } from "../../src/auth/sign-in/totp.ts";
import { operationOf } from "../../src/http/operation.ts";
import type { Method } from "../../src/http/router.ts";
import { LINKS } from "../campaign/support.ts";
import { type Call, call, DEMO, env, NOW, UNLIMITED } from "../harness.ts";
import { RULE, samplePath } from "../http/every-route.ts";
import { headersFor, META_OF } from "../mcp/support.ts";
import { routes } from "../routes.ts";
import {
  ACCESS_REFERENCE,
  DEMO_LINKS,
  everyOperation,
  type Need,
  PAGE_BODIES,
  plainCall,
  RECOVERY_CODE,
  reviewedOf,
  SECOND_SESSION,
  SESSIONS,
  sessionFor,
  shownOf,
} from "../security/support.ts";
import { ARCHIVED, ENDED_WEBHOOK, IMPORTED, LINKED_USER, ROUND, SSO_USER, VIEW } from "./state.ts";

const key = { "idempotency-key": "faulty-key-0001" };
const form = (fields: Record<string, string> = {}, cookie?: string): Call => ({
  method: "POST",
  headers: { "content-type": "application/x-www-form-urlencoded", ...(cookie && { cookie }) },
  body: new URLSearchParams(fields).toString(),
});
/** A sample of a page's form, by method and pattern. */
const page = (path: string, sent: Call, more: { pattern?: string; repeats?: true } = {}) => ({
  [`POST ${more.pattern ?? path}`]: { path, ...sent, ...(more.repeats && { repeats: true as const }) },
});
const cost = {
  cost_type: "cpc",
  cost_currency: "USD",
  cost_id: "faulty-cost-0001",
  cost_amount: "0.25",
  tag: "t",
};

const your_password = DEMO.operatorPassword;
/** The secret of an authenticator app. */
const SECRET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const UPLOADED = `${Object.keys(cost).join()}\n${Object.values(cost).join()}`;
const UPLOADED_PART = `row,${UPLOADED.replace("\n", "\n1,")}`;
const IMPORT = `/apps/${DEMO.appToken}/links/import`;
const part = (path: string): Sample => ({
  path,
  method: "POST",
  headers: { "content-type": "text/csv", accept: "application/json" },
  body: UPLOADED_PART,
});
const upload = (path: string, disposition: string, content: string): Sample => ({
  path,
  method: "POST",
  headers: { "content-type": "multipart/form-data; boundary=boundary" },
  body: `--boundary\r\ncontent-disposition: form-data; ${disposition}\r\n\r\n${content}\r\n--boundary--\r\n`,
});

const ADJUSTMENT = {
  app_token: DEMO.appToken,
  link_token: DEMO.linkToken,
  day: "2026-03-14",
  partner_id: 1,
  cost_type: "cpc",
  currency: "USD",
  amount: "-1",
  reason: "credit note",
};

const LINK_PAGE = `/apps/${DEMO.appToken}/links/${DEMO.linkToken}`;

/** An open mismatch in the demo's round. */
const FINDING = "entry 13";
/** Another one, which was dismissed. */
const DISMISSED = "entry 9";

const SINGLE_SIGN_ON = {
  ...{ ORIGIN: "https://pages.test", OIDC_ISSUER: "https://login.test" },
  ...{ OIDC_CLIENT_ID: "client", OIDC_CLIENT_SECRET: "secret" },
};

const WEBHOOKS = { WEBHOOK_KEY: "a-key-of-at-least-32-characters-x" };

interface Sample extends Call {
  path: string;
  /** Sending it twice counts or creates twice, because the operation has no idempotency key. */
  repeats?: true;
}

/** By operation ID or, for pages, by method and pattern. A GET operation whose sample path works does not need a sample. */
const SAMPLES: Record<string, Sample> = {
  createLink: { path: LINKS, json: { name: "a", parent_token: DEMO.linkToken }, headers: key },
  createLinks: {
    path: `${LINKS}/bulk`,
    json: { links: [{ name: "a" }, { name: "b", parent_token: DEMO.linkToken }] },
    headers: key,
  },
  updateLink: { path: `${LINKS}/${DEMO.linkToken}`, method: "PATCH", json: { name: "b", archived: true } },
  submitCost: { path: `/cost?${new URLSearchParams(cost)}`, method: "POST" },
  submitBatch: { path: "/cost/batch", json: { costs: [cost, { ...cost, cost_id: "faulty-cost-0002" }] } },
  callMcp: {
    path: "/mcp",
    json: { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "list_apps", _meta: META_OF } },
    headers: headersFor("tools/call", "list_apps"),
  },
  readCost: { path: "/cost/demo-spend-00-0" },
  voidCost: { path: "/cost/demo-spend-00-0/void", method: "POST" },
  readArchive: {
    path: `/operator/v1/archive?partner_id=1&cost_id=${ARCHIVED}`,
    env: { ARCHIVE: env.TEST_BUCKET },
  },
  readRound: { path: "/cost/round", token: DEMO.testCostToken },
  openLink: {
    path: `/${DEMO.linkToken}?s2s=1&cost_id=faulty-click-001&cost_type=cpc&cost_amount=1&cost_currency=USD`,
    repeats: true,
  },
  openImpression: { path: `/impression/${DEMO.linkToken}?s2s=1&cost_id=faulty-view-0001`, repeats: true },
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
  resetPassword: { path: "/operator/v1/users/1/password", json: { your_password } },
  issueToken: { path: `/operator/v1/users/${SSO_USER}/token`, json: { your_password } },
  turnOffTwoFactor: { path: "/operator/v1/users/2/two-factor/off", json: { your_password } },
  eraseUser: { path: "/operator/v1/users/1/erase", json: { your_password } },
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
  undoDismissal: {
    path: `/operator/v1/rounds/1/dismissals?${new URLSearchParams({ finding: DISMISSED })}`,
    method: "DELETE",
  },
  createTestLink: {
    path: "/operator/v1/rounds/1/links",
    json: { app_token: DEMO.appToken, name: "Test" },
    repeats: true,
  },
  dismissFinding: { path: "/operator/v1/rounds/1/dismissals", json: { finding: FINDING } },
  "GET /.well-known/security.txt": {
    path: "/.well-known/security.txt",
    env: { SECURITY_CONTACT: "mailto:security@example.com" },
  },
  "GET /docs/api/:area": { path: "/docs/api/cost" },
  "GET /docs/api/:area/:operation": { path: "/docs/api/cost/submitCost" },
  readPartnerCost: { path: "/operator/v1/partners/1/costs/demo-spend-00-0" },
  voidPartnerCost: {
    path: "/operator/v1/partners/1/voids",
    json: { cost_id: "demo-spend-00-0", reason: "fraud" },
  },
  decideUrlPrices: {
    path: "/operator/v1/partners/1/url-prices",
    json: { app_token: DEMO.appToken, day: "2026-03-15", decision: "drop", reason: "junk" },
  },
  createAlertRule: {
    path: "/operator/v1/alert-rules",
    json: { kind: "partner_silent", hours: 48 },
    repeats: true,
  },
  updateAlertRule: { path: "/operator/v1/alert-rules/1", method: "PATCH", json: { hours: 48 } },
  deleteAlertRule: { path: "/operator/v1/alert-rules/1", method: "DELETE" },
  createWebhook: {
    path: "/operator/v1/webhooks",
    json: { url: "https://example.com/hooks" },
    env: WEBHOOKS,
    repeats: true,
  },
  deleteWebhook: { path: "/operator/v1/webhooks/1", method: "DELETE" },
  rotateWebhookSecret: {
    path: "/operator/v1/webhooks/1/secret",
    method: "POST",
    env: WEBHOOKS,
    repeats: true,
  },
  turnOnWebhook: { path: `/operator/v1/webhooks/${ENDED_WEBHOOK}/on`, method: "POST" },
  testWebhook: { path: "/operator/v1/webhooks/1/test", method: "POST", repeats: true },
  resendWebhookDelivery: { path: "/operator/v1/webhooks/1/deliveries/1", method: "POST", repeats: true },
  createAdjustment: { path: "/operator/v1/adjustments", json: ADJUSTMENT, headers: key },
  ...page("/login", form({ email: DEMO.email, password: DEMO.password }), { repeats: true }),
  ...page("/logout", form()),
  ...page("/account/token/show", form({ password: DEMO.password })),
  ...page("/account/token/reset", form({ password: DEMO.password })),
  ...page(
    "/account/tokens",
    form({ name: "Nightly", scope: "read", app_token: DEMO.appToken, days: "90", password: DEMO.password }),
    { repeats: true },
  ),
  ...page("/account/tokens/end", form({ token: ACCESS_REFERENCE })),
  ...page(
    "/account/password",
    form({
      current_password: DEMO.password,
      new_password: "another-password-1",
      repeat_password: "another-password-1",
    }),
  ),
  ...page("/account/sign-out-everywhere", form({ password: DEMO.password })),
  ...page("/account/sessions/end", form({ session: SECOND_SESSION, password: DEMO.password })),
  ...page(
    "/account/two-factor",
    form({ secret: SECRET, code: codeAt(SECRET, NOW), password: DEMO.password }),
  ),
  ...page("/login/code", form({ code: RECOVERY_CODE }, SESSIONS.waiting)),
  ...page(
    "/account/two-factor/recovery-codes",
    form({ password: DEMO.operatorPassword }, SESSIONS.operator),
    {
      repeats: true,
    },
  ),
  ...page("/account/two-factor/off", form({ password: DEMO.operatorPassword }, SESSIONS.operator)),
  ...page("/operator/partners/new", form({ display_name: "a" }), { repeats: true }),
  ...page("/operator/partners/1", form({ display_name: "b" }), { pattern: "/operator/partners/:id" }),
  ...page("/operator/partners/1/costs", form({ stopped: "yes" }), {
    pattern: "/operator/partners/:id/costs",
  }),
  ...page("/operator/partners/1/rounds", form({ cost_types: "cpc" }), {
    pattern: "/operator/partners/:id/rounds",
  }),
  ...page("/operator/partners/1/credentials", form({ mode: "live", cost_types: "cpc" }), {
    pattern: "/operator/partners/:id/credentials",
    repeats: true,
  }),
  ...page("/operator/partners/1/setup", form({ cost_parameters: "cost_id={id}" }), {
    pattern: "/operator/partners/:id/setup",
  }),
  ...page("/operator/partners/1/setup/round", form({ app_token: DEMO.appToken, cost_types: "cpc" }), {
    pattern: "/operator/partners/:id/setup/round",
  }),
  ...page("/operator/partners/1/setup/credential", form({ mode: "live" }), {
    pattern: "/operator/partners/:id/setup/credential",
    repeats: true,
  }),
  ...page("/operator/partners/1/voids", form({ cost_id: "demo-spend-00-0", reason: "fraud" }), {
    pattern: "/operator/partners/:id/voids",
  }),
  ...page(
    "/operator/partners/1/url-prices",
    form({ app_token: DEMO.appToken, day: "2026-03-15", decision: "drop", reason: "junk" }),
    { pattern: "/operator/partners/:id/url-prices" },
  ),
  ...page(
    "/operator/partners/1/url-prices/voids",
    form({ app_token: DEMO.appToken, day: "2026-03-15", generated: "yes", reason: "junk" }),
    { pattern: "/operator/partners/:id/url-prices/voids" },
  ),
  ...page("/operator/adjustments/new", form({ ...ADJUSTMENT, partner_id: "1", idempotency_key: "form-key" })),
  ...page(`/operator/rounds/${ROUND}/approve`, form({ cost_types: "cpc" }), {
    pattern: "/operator/rounds/:id/approve",
  }),
  ...page(`/operator/rounds/${ROUND}/close`, form(), { pattern: "/operator/rounds/:id/close" }),
  ...page("/operator/rounds/1/dismissals", form({ finding: FINDING }), {
    pattern: "/operator/rounds/:id/dismissals",
  }),
  ...page("/operator/rounds/1/dismissals/undo", form({ finding: DISMISSED }), {
    pattern: "/operator/rounds/:id/dismissals/undo",
  }),
  ...page("/operator/rounds/1/link", form({ app_token: DEMO.appToken, name: "Test" }), {
    pattern: "/operator/rounds/:id/link",
    repeats: true,
  }),
  ...page(`/operator/apps/${DEMO.appToken}/archive`, form({ archived: "yes" }), {
    pattern: "/operator/apps/:token/archive",
  }),
  ...page("/operator/users/1/apps", form({ app_token: DEMO.otherAppToken }), {
    pattern: "/operator/users/:id/apps",
  }),
  ...page(`/operator/users/${SSO_USER}/identity`, form({ attempt: "1" }), {
    pattern: "/operator/users/:id/identity",
  }),
  ...page(`/operator/users/${LINKED_USER}/identity/unlink`, form(), {
    pattern: "/operator/users/:id/identity/unlink",
  }),
  // Leads to the origin of the pages. What follows has a real provider in test/dev/built/single-sign-on.test.ts.
  "GET /login/sso": { path: "/login/sso", env: SINGLE_SIGN_ON },
  "GET /login/sso/callback": { path: "/login/sso/callback", env: SINGLE_SIGN_ON },
  ...page("/operator/apps/new", form({ name: "a", default_url: "https://a.test/" }), { repeats: true }),
  ...page(`/operator/apps/${DEMO.appToken}`, form({ name: "b", default_url: "https://b.test/" }), {
    pattern: "/operator/apps/:token",
  }),
  ...page(`/operator/apps/${DEMO.otherAppToken}/members`, form({ email: DEMO.email }), {
    pattern: "/operator/apps/:token/members",
  }),
  ...page(`/operator/apps/${DEMO.appToken}/members/remove`, form({ user_id: "1" }), {
    pattern: "/operator/apps/:token/members/remove",
  }),
  ...page(
    `/apps/${DEMO.appToken}/links/new`,
    form({ network: "Faulty", campaign: "Below", partner_id: "2" }),
    {
      pattern: "/apps/:app_token/links/new",
    },
  ),
  ...page(
    `/apps/${DEMO.appToken}/performance/views`,
    form({ name: "Rising", query: "sort=-cost_per_click_change" }),
    { pattern: "/apps/:app_token/performance/views" },
  ),
  ...page(`/apps/${DEMO.appToken}/performance/views/${VIEW}/delete`, form(), {
    pattern: "/apps/:app_token/performance/views/:view_id/delete",
  }),
  ...page(
    "/operator/alerts/webhooks/new",
    { ...form({ url: "https://example.com/hooks" }), env: WEBHOOKS },
    { repeats: true },
  ),
  ...page("/operator/alerts/webhooks/1", form({ action: "delete" }), {
    pattern: "/operator/alerts/webhooks/:id",
  }),
  ...page(
    `/apps/${DEMO.appToken}/alerts/webhooks/new`,
    { ...form({ url: "https://example.com/hooks" }), env: WEBHOOKS },
    { pattern: "/apps/:app_token/alerts/webhooks/new", repeats: true },
  ),
  ...page(`/apps/${DEMO.appToken}/alerts/webhooks/${RULE}`, form({ action: "delete" }), {
    pattern: "/apps/:app_token/alerts/webhooks/:id",
  }),
  ...page("/operator/alerts/new", form({ kind: "partner_silent", hours: "48", partner_id: "" }), {
    repeats: true,
  }),
  ...page("/operator/alerts/rules/1", form({ hours: "48", partner_id: "" }), {
    pattern: "/operator/alerts/rules/:id",
  }),
  ...page(
    `/apps/${DEMO.appToken}/alerts/new`,
    form({ kind: "partner_silent", hours: "48", partner_id: "" }),
    {
      pattern: "/apps/:app_token/alerts/new",
      repeats: true,
    },
  ),
  ...page(`/apps/${DEMO.appToken}/alerts/rules/${RULE}`, form({ hours: "48", partner_id: "" }), {
    pattern: "/apps/:app_token/alerts/rules/:id",
  }),
  ...page(`/apps/${DEMO.appToken}/attention/hide`, form({ item: "stopped:4", query: "" }), {
    pattern: "/apps/:app_token/attention/hide",
  }),
  ...page(`/apps/${DEMO.appToken}/attention/show`, form({ query: "" }), {
    pattern: "/apps/:app_token/attention/show",
  }),
  "POST /apps/:app_token/links/import": upload(
    IMPORT,
    'name="file"; filename="links.csv"',
    "network\nFaulty",
  ),
  "POST /apps/:app_token/links/import/rows": upload(`${IMPORT}/rows`, 'name="rows"', "row,network\n1,Faulty"),
  ...page(`/apps/${DEMO.appToken}/links/undo`, form({ change: IMPORTED }), {
    pattern: "/apps/:app_token/links/undo",
  }),
  ...page("/operator/users/new", form({ email: "new@example.com", role: "member", sign_in: "password" })),
  ...page("/operator/users/1", form({ disabled: "yes" }), { pattern: "/operator/users/:id" }),
  ...page("/operator/users/1/password", form(), { pattern: "/operator/users/:id/password" }),
  ...page("/operator/users/2/two-factor", form(), { pattern: "/operator/users/:id/two-factor" }),
  ...page(`/operator/users/${SSO_USER}/token`, form(), { pattern: "/operator/users/:id/token" }),
  ...page("/operator/users/1/erase", form(), { pattern: "/operator/users/:id/erase" }),
  ...page(`${LINK_PAGE}/settings/name`, form({ name: "b", ...shownOf("name", {}, DEMO_LINKS.ofPartner) }), {
    pattern: "/apps/:app_token/links/:link_token/settings/name",
  }),
  ...page(`${LINK_PAGE}/settings/archived`, form({ archived: "yes" }), {
    pattern: "/apps/:app_token/links/:link_token/settings/archived",
  }),
  ...page(
    `${LINK_PAGE}/settings/partner`,
    form({ partner: "3", cost: "off", ...shownOf("partner", {}, DEMO_LINKS.ofPartner) }),
    { pattern: "/apps/:app_token/links/:link_token/settings/partner" },
  ),
  ...page(
    `${LINK_PAGE}/settings/target`,
    form({
      leads: "own",
      target: "https://example.com/sale",
      ...shownOf("target", {}, DEMO_LINKS.ofPartner),
    }),
    { pattern: "/apps/:app_token/links/:link_token/settings/target" },
  ),
  ...page(
    `/apps/${DEMO.appToken}/links/bulk`,
    form({
      action: "attach",
      partner: "3",
      links: `${DEMO.linkToken},demo1nk008`,
      back: "?q=a",
      reviewed: reviewedOf("attach", DEMO_LINKS.ofPartner, DEMO_LINKS.plain),
    }),
    { pattern: "/apps/:app_token/links/bulk" },
  ),
  ...page(`/apps/${DEMO.appToken}/links/unused`, form({ network: DEMO.linkToken, level: "4", after: "" }), {
    pattern: "/apps/:app_token/links/unused",
  }),
  "GET /apps/:app_token/links/bulk": {
    path: `/apps/${DEMO.appToken}/links/bulk?action=archive&links=${DEMO.linkToken}`,
  },
  "GET /partner/round": { path: "/partner/round", headers: { cookie: SESSIONS.partnerInRound } },
  "GET /partner/costs/:cost_id": { path: "/partner/costs/demo-spend-00-0" },
  "GET /partner/costs/:cost_id/void": { path: "/partner/costs/demo-spend-00-0/void" },
  ...page("/partner", form({ credential: DEMO.costToken }), { repeats: true }),
  ...page("/partner/sign-out", { ...form(), headers: { ...form().headers, cookie: SESSIONS.partner } }),
  ...page("/partner/costs/demo-spend-00-0/void", form(), { pattern: "/partner/costs/:cost_id/void" }),
  "POST /partner/upload": upload("/partner/upload", 'name="file"; filename="costs.csv"', UPLOADED),
  "POST /partner/upload/import": upload("/partner/upload/import", 'name="rows"', UPLOADED_PART),
  ...page("/operator/credentials/1/revoke", form(), { pattern: "/operator/credentials/:id/revoke" }),
};

const TOKENS = {
  api_token: DEMO.apiToken,
  operator_token: DEMO.operatorToken,
  cost_credential: DEMO.costToken,
  none: undefined,
};

export interface Sampled {
  name: string;
  pattern: string;
  need: Need;
  method: Method;
  repeats: boolean;
  isWrite: boolean;
  /** The form body of a page's operation. */
  form: string | undefined;
  send: (bindings?: Call["env"], more?: Pick<Call, "execution" | "token" | "body">) => Promise<Response>;
}

const onAlerts = (what: string, path: string, fields: Record<string, string>, repeats?: true) => {
  const pattern = `/operator/alerts/${path.replace(/\d+$/, ":id")}`;
  const sample = { path: `/operator/alerts/${path}`, ...form(fields), env: WEBHOOKS };
  return { [`POST ${pattern} of ${what}`]: { ...sample, ...(repeats && { repeats }) } };
};

/** Another sample of an operation, which runs other statements. For operations that the names begin with. */
const VARIANTS: Record<string, Sample> = {
  "listCosts of a round": { path: "/cost", token: DEMO.testCostToken },
  "readCost of a round": { path: "/cost/corsair-click-0001", token: DEMO.testCostToken },
  "GET /partner of a round": { path: "/partner", headers: { cookie: SESSIONS.partnerInRound } },
  "GET /partner/costs of a round": { path: "/partner/costs", headers: { cookie: SESSIONS.partnerInRound } },
  "POST /apps/:app_token/links/import of changes": upload(
    IMPORT,
    'name="file"; filename="links.csv"',
    `link_token,partner_id\n${DEMO.linkToken},none`,
  ),
  "POST /apps/:app_token/links/import/rows of changes": upload(
    `${IMPORT}/rows`,
    'name="rows"',
    `row,link_token,cost_data\n1,${DEMO.linkToken},off`,
  ),
  "POST /partner/upload of a part": part("/partner/upload"),
  "POST /partner/upload/import of a part": part("/partner/upload/import"),
  ...onAlerts("a deletion", "rules/1", { action: "delete" }),
  ...onAlerts("a test", "webhooks/1", { action: "test" }, true),
  ...onAlerts("a rotation", "webhooks/1", { action: "rotate" }, true),
  ...onAlerts("turning on", `webhooks/${ENDED_WEBHOOK}`, { action: "on" }),
  ...onAlerts("a delivery", "webhooks/1", { action: "again", delivery: "1" }, true),
};

/** Every operation of the router, also those without a sample. */
export const sampled: Sampled[] = everyOperation.map((one) => {
  const name = nameOf(one);
  return toSampled(name, one, SAMPLES[name] ?? { ...plainCall(one), path: samplePath(one.pattern) });
});

/** The further samples of these. */
export const variants: Sampled[] = Object.entries(VARIANTS).map(([name, sample]) => {
  const one = everyOperation.find((operation) => name.split(" of ")[0] === nameOf(operation));
  if (!one) throw new Error(`There is no operation for ${name}.`);
  return toSampled(name, one, sample);
});

type Operation = (typeof everyOperation)[number];

function handlerOf({ pattern, method }: Operation) {
  const handler = routes.find(({ path }) => path === pattern)?.methods[method];
  return handler && operationOf(handler);
}

function nameOf(one: Operation): string {
  return handlerOf(one)?.id ?? one.name;
}

function toSampled(name: string, one: Operation, { repeats, path, ...options }: Sample): Sampled {
  const operation = handlerOf(one);
  const token = options.token ?? (operation && TOKENS[operation.credentials]);
  const cookie = sessionFor(one.need);
  const accept = operation ? "application/json" : "text/html";
  const headers = { accept, ...(!operation && { cookie }), ...options.headers };
  return {
    name,
    pattern: one.pattern,
    need: one.need,
    method: one.method,
    repeats: repeats ?? false,
    form: operation || PAGE_BODIES[name] ? undefined : (options.body as string | undefined),
    isWrite: one.method !== "GET" || path.includes("s2s=1"),
    send: (bindings = {}, more = {}) =>
      call(path, {
        ...options,
        ...(token && { token }),
        headers,
        env: { ...UNLIMITED, ...options.env, ...bindings },
        ...more,
      }),
  };
}

export const sampledNames = new Set(Object.keys(SAMPLES));
