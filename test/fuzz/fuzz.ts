/**
 * Sends valid, nearly valid and hostile requests to the built Worker. The connections lead directly to it: the proxy of `wrangler dev`
 * loses some after a request whose body was not read (workers-sdk issue 15203). No response may be a server error or violate the
 * OpenAPI document. Afterwards the database must be consistent and contain everything that was confirmed. Loading this module starts
 * the server.
 */
import * as fc from "fast-check";
import { DAY_MS } from "../../src/domain/time.ts";
import { buildWorker } from "../built-worker.ts";
import { createContract } from "../contract.ts";
import { findContradictions, findLost, startBuiltService } from "../live-service.ts";
import { type Dictionary, type FuzzDocument, type FuzzRequest, requestsOf } from "./requests.ts";
import { attackSockets, holdOpen } from "./sockets.ts";

const CLIENTS = 24;

const service = await startBuiltService(buildWorker().script);
const { db } = service;
const { BASE_URL = "", APP_TOKEN = "", LINK_TOKEN = "", ...secrets } = service.names;

const linkTokens = [
  LINK_TOKEN,
  "demo1nk002",
  "demo1nk003",
  "demo1nk004",
  "demo1nk006",
  "demo1nk008",
  "demo1nk009",
];
/** IDs of users and credentials that the run does not use itself. Otherwise it would end its own access. */
const unusedId = fc.integer({ min: 3, max: 12 });
const costId = fc.oneof(
  fc.constantFrom("demo-click-recent-0001", "demo-click-expired-001", "demo-view-recent-0001"),
  fc.integer({ min: 0, max: 3_000 }).map((number) => `fuzzed-cost-${String(number).padStart(5, "0")}`),
);
const dictionary: Dictionary = {
  app_token: fc.constantFrom(APP_TOKEN, APP_TOKEN, "otherapp0001", "nosuchapp001"),
  token: fc.constantFrom(APP_TOKEN, "otherapp0001"),
  link_token: fc.constantFrom(...linkTokens),
  parent_token: fc.constantFrom(...linkTokens),
  partner_id: fc.constantFrom(1, 2, 3, 3, 99),
  cost_id: costId,
  cost_type: fc.constantFrom("cpc", "cpi", "cpe", "cpm", "CPC"),
  cost_types: fc.subarray(["cpc", "cpi", "cpe", "cpm"], { minLength: 1 }),
  cost_currency: fc.constantFrom("USD", "EUR", "usd"),
  cost_amount: fc.constantFrom("0", "0.25", "0.00001", "1000000"),
  tag: fc.constantFrom("fuzz", "t"),
  s2s: fc.constant("1"),
  limit: fc.integer({ min: 1, max: 1_200 }),
  from: fc.constantFrom("2026-01-01", "2026-11-01"),
  to: fc.constantFrom("2026-06-30", "2026-12-31"),
  group_by: fc.constantFrom("day", "day,link,partner,cost_type", "partner"),
  after: fc.constantFrom("", "MXxwYXJ0bmVyc3wy", "x"),
  before: fc.constantFrom("", "MXxwYXJ0bmVyc3wy"),
  cursor: fc.constantFrom("", "MXxwYXJ0bmVyc3wx"),
  user_id: unusedId,
  email: fc.integer({ min: 0, max: 200 }).map((number) => `fuzz${number}@example.com`),
  default_url: fc.constantFrom("https://example.com/", "https://example.org/x?y=z"),
  ios_url: fc.constantFrom(null, "https://apps.apple.com/app/id1"),
  android_url: fc.constantFrom(null, "https://play.google.com/store"),
  redirect_hosts: fc.constantFrom([], ["example.com"]),
  redirect_schemes: fc.constantFrom([], ["https"]),
  // Other requests create links in these apps.
  max_links: fc.constantFrom(100_000, 10_000_000),
  id: unusedId,
  "voidPartnerCost id": fc.constantFrom(1, 1, 1, 2),
  day: fc.constantFrom("2026-06-30", "2026-01-01"),
  currency: fc.constantFrom("USD", "EUR"),
  amount: fc.constantFrom("-12.5", "0.00000001", "1000000000"),
  reason: fc.constantFrom("fuzz", "Credit note"),
  match: fc.constantFrom("matched", "pending", "lapsed", "voided"),
  finding: fc.integer({ min: 1, max: 20 }).map((number) => `entry ${number}`),
  "Idempotency-Key": fc.integer({ min: 0, max: 40 }).map((number) => `fuzz-${number}`),
};

const document = (await (await fetch(`${BASE_URL}/openapi.json`)).json()) as FuzzDocument;
const findViolation = createContract(document);
const tokens = {
  apiToken: [secrets.API_TOKEN ?? ""],
  operator: [secrets.OPERATOR_TOKEN ?? ""],
  costCredential: [secrets.COST_TOKEN ?? "", secrets.COST_TOKEN ?? "", secrets.TEST_COST_TOKEN ?? ""],
};

const errors: string[] = [];
const statuses = new Map<number, number>();
const operations = new Map<string, number>();
/** Everything that a response confirmed. */
const confirmed = {
  costs: new Set<string>(),
  links: new Set<string>(),
  engagements: new Set<string>(),
  voids: new Set<string>(),
  adjustments: new Set<string>(),
};

async function send(request: FuzzRequest): Promise<void> {
  const { method, path, headers, template } = request;
  const url = new URL(path, BASE_URL);
  const response = await fetch(url, {
    method,
    headers,
    redirect: "manual",
    ...(request.body !== undefined && { body: request.body }),
  }).catch((error: unknown) => {
    errors.push(`${String(error)} for ${JSON.stringify(request)}`);
  });
  if (!response) return;
  statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
  const text = await response.text();
  if (response.status >= 500) errors.push(`${response.status} ${text} for ${JSON.stringify(request)}`);
  if (!response.headers.has("x-request-id")) errors.push(`no X-Request-Id for ${JSON.stringify(request)}`);
  // A value such as `..` changes the path, so that the response is another operation's.
  if (!url.pathname.match(`^${template.replace(/\{\w+\}/g, "[^/]+")}$`)) return;
  operations.set(request.operation, (operations.get(request.operation) ?? 0) + 1);
  const isPage = response.headers.get("content-type")?.startsWith("text/html");
  const { status, headers: responseHeaders } = response;
  const empty = status === 204 || status === 304 || (status >= 300 && status < 400);
  const violation = isPage
    ? undefined
    : await findViolation(
        template,
        method,
        new Response(empty ? null : text, { status, headers: responseHeaders }),
      );
  if (violation) errors.push(`${violation} for ${JSON.stringify(request)}`);
  const isJson = responseHeaders.get("content-type")?.startsWith("application/json");
  if (status < 300 && isJson) noteConfirmed(request, text);
}

interface Confirmation {
  cost_id?: string;
  status?: string;
  round?: number;
  recorded?: boolean;
  results?: Confirmation[];
  data?: { items: { id?: number; token?: string; link?: { token: string } }[] };
}

function noteConfirmed({ operation, headers, path }: FuzzRequest, text: string): void {
  const isLive = headers.authorization === `Bearer ${secrets.COST_TOKEN}`;
  if (operation === "submitCost" || operation === "submitBatch") {
    const body = JSON.parse(text) as Confirmation;
    for (const one of body.results ?? [body]) {
      if (isLive && one.status === "ok" && one.cost_id) confirmed.costs.add(one.cost_id);
    }
  }
  if (operation === "voidCost" || (operation === "voidPartnerCost" && path.includes("/partners/1/"))) {
    const { cost_id } = JSON.parse(text) as Confirmation;
    // Without the ID, the prices of a day were voided.
    if (cost_id !== undefined) confirmed.voids.add(cost_id);
  }
  if (operation === "createAdjustment") {
    for (const { id } of (JSON.parse(text) as Confirmation).data?.items ?? [])
      confirmed.adjustments.add(`${id}`);
  }
  if (operation === "createLink" || operation === "createLinks") {
    for (const { token, link } of (JSON.parse(text) as Confirmation).data?.items ?? []) {
      const created = token ?? link?.token;
      if (created) confirmed.links.add(created);
    }
  }
  if (operation === "openLink" && path.includes("s2s=1")) {
    const { recorded, cost_id } = JSON.parse(text || "{}") as Confirmation;
    if (recorded) confirmed.engagements.add(cost_id ?? "");
  }
}

/** Sends `count` requests, which `seed` decides. */
export async function fuzz(count: number, seed: number): Promise<void> {
  console.log(`${count} requests to ${BASE_URL}, seed ${seed}`);
  const requests = fc.sample(requestsOf(document, dictionary, tokens), { numRuns: count, seed });
  const startedAt = Date.now();
  const target = {
    base: new URL(BASE_URL),
    path: `/public/v1/apps/${APP_TOKEN}/trackers`,
    token: secrets.API_TOKEN ?? "",
  };
  // Stays open during the other requests, for longer than the Worker waits for a body.
  const held = holdOpen(target, 50, 45_000);
  const queue = requests.values();
  await Promise.all(
    Array.from({ length: CLIENTS }, async () => {
      for (const request of queue) if (errors.length < 20) await send(request);
    }),
  );
  const seconds = (Date.now() - startedAt) / 1000;
  errors.push(...(await attackSockets(target)));
  // A short run does not wait for the connections that are held open.
  if (count >= 20_000) {
    const unexpected = (await held).filter((statusLine) => statusLine !== "HTTP/1.1 408");
    errors.push(
      ...unexpected.map(
        (statusLine) => `a body that never ends: got ${statusLine || "no response"}, not 408`,
      ),
    );
  }

  // The demo's totals of earlier days have no costs: they would be purged.
  const contradictions = await findContradictions(db, Math.floor(Date.now() / DAY_MS) - 12);
  const lost = await findLost(db, 1, [...confirmed.costs]);
  const missing = {
    links: await findMissing("links", "token", confirmed.links),
    engagements: await findMissing(
      "ledger_entries",
      "click_at IS NOT NULL AND cost_id",
      confirmed.engagements,
    ),
    voids: await findMissing(
      "ledger_entries",
      "partner_id = 1 AND void_state IS NOT NULL AND cost_id",
      confirmed.voids,
    ),
    adjustments: await findMissing("adjustments", "CAST(id AS TEXT)", confirmed.adjustments),
  };
  await service.stop();
  console.log(String(service.shared));

  if (lost.length > 0) errors.push(`${lost.length} costs that got a 200 are missing: ${lost.slice(0, 5)}`);
  for (const [name, values] of Object.entries(missing))
    if (values.length > 0)
      errors.push(`${values.length} ${name} that were confirmed are missing: ${values.slice(0, 5)}`);
  errors.push(...contradictions);

  const unreached = Object.values(document.paths)
    .flatMap((methods) => Object.values(methods).map(({ operationId }) => operationId))
    .filter((id) => !operations.has(id));
  if (count >= 1_000 && unreached.length > 0) errors.push(`never reached: ${unreached.join(", ")}`);
  console.log(
    `${seconds.toFixed(1)} s, ${Math.round(count / seconds)}/s; responses ${[...statuses]
      .sort()
      .map(([status, times]) => `${status}: ${times}`)
      .join(", ")}`,
  );
  console.log(
    `confirmed: ${Object.entries(confirmed)
      .map(([name, { size }]) => `${size} ${name}`)
      .join(", ")}`,
  );
  for (const error of errors) console.error(error.slice(0, 1_500));
  console.log(
    errors.length === 0
      ? "No errors found."
      : `${errors.length} errors. To repeat: npm run test:fuzz -- --requests ${count} --seed ${seed}`,
  );
  if (errors.length > 0) process.exitCode = 1;
}

/** Which of these values no row has. */
async function findMissing(table: string, column: string, values: Set<string>): Promise<string[]> {
  const { results } = await db
    .prepare(
      `SELECT value FROM json_each(?) j WHERE NOT EXISTS (SELECT 1 FROM ${table} WHERE ${column} = j.value)`,
    )
    .bind(JSON.stringify([...values]))
    .all<{ value: string }>();
  return results.map(({ value }) => value);
}
