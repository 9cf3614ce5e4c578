/** GET /cost/{cost_id}: a partner reads one of its costs. */
import { beforeEach, expect, test } from "vitest";
import { createToken, hashToken } from "../../src/auth/secrets.ts";
import { COST_WINDOW_MS } from "../../src/domain/time.ts";
import {
  ask,
  type Call,
  call,
  click,
  countingDatabase,
  DAY,
  DEMO,
  freshDemo,
  ledgerOn,
  NOW,
  rejection,
  rows,
  sendCost,
  view,
} from "../harness.ts";

const readBack = (costId: string, options: Call = {}) =>
  ask(`/cost/${encodeURIComponent(costId)}`, { token: DEMO.costToken, ...options });

beforeEach(freshDemo);

test("a matched cost returns the stored values and the engagement that it matches", async () => {
  await sendCost({ cost_id: "demo-click-recent-0001", cost_amount: "0.10", tag: "night run" });
  const { status, body, headers } = await readBack("demo-click-recent-0001", { now: NOW + 5 });
  expect(status).toBe(200);
  expect(body).toEqual({
    status: "ok",
    cost_id: "demo-click-recent-0001",
    cost_type: "cpc",
    cost_currency: "USD",
    amount: "0.1",
    tag: "night run",
    source: "call",
    received_at: "2026-03-15T12:00:00.000Z",
    match: "matched",
    may_match_until: null,
    mismatch: null,
    url_price: null,
    engagement: { kind: "click", occurred_at: "2026-03-14T12:00:00.000Z", link_token: DEMO.linkToken },
    request_id: headers.get("x-request-id"),
  });
});

test("an ID that is not percent-encoded UTF-8 is rejected, and never read as a similar ID", async () => {
  const costId = "%FFread-encoded-01";
  await sendCost({ cost_id: costId });
  expect((await readBack(costId)).body).toMatchObject({ cost_id: costId });
  expect(await rejection(`/cost/${costId}`, { token: DEMO.costToken })).toEqual({
    status: 400,
    code: "invalid_request",
    params: ["cost_id"],
  });
});

test("a pending cost returns how long it can still match, to the millisecond, and has lapsed after that", async () => {
  await sendCost({ cost_id: "read-pending-001" });
  const until = NOW + COST_WINDOW_MS;
  expect((await readBack("read-pending-001", { now: until })).body).toMatchObject({
    match: "pending",
    may_match_until: new Date(until).toISOString(),
    amount: null,
    engagement: null,
  });
  const lapsed = await readBack("read-pending-001", { now: until + 1 });
  expect(lapsed.body).toMatchObject({ match: "lapsed", engagement: null });
  await click("read-pending-001", { now: until + 1 });
  expect((await readBack("read-pending-001", { now: until + 1 })).body).toMatchObject({ engagement: null });
});

test("a pending cost returns why it does not match the engagement with its ID", async () => {
  const id = "read-unfit-00001";
  const readAt = async (at: number) => (await readBack(id, { now: at })).body;
  await sendCost({ cost_id: id });
  expect(await readAt(NOW)).toMatchObject({ match: "pending", mismatch: null });
  await view(id, { now: NOW + 1 });
  expect(await readAt(NOW + 1)).toMatchObject({ match: "pending", mismatch: "wrong_engagement" });
  await rows("UPDATE links SET cost_switch = 0 WHERE token = ?", DEMO.linkToken);
  await click(id, { now: NOW + 2 });
  expect(await readAt(NOW + 2)).toMatchObject({
    match: "pending",
    mismatch: "cost_data_disabled",
    engagement: null,
  });
});

test("a lapsed cost returns window_closed for an engagement one millisecond after the window", async () => {
  const id = "read-late-click-1";
  await sendCost({ cost_id: id });
  await click(id, { now: NOW + COST_WINDOW_MS + 1 });
  const { body } = await readBack(id, { now: NOW + COST_WINDOW_MS + 1 });
  expect(body).toMatchObject({ match: "lapsed", mismatch: "window_closed", engagement: null });
});

test("a pending cost is returned as matched after its engagement arrives", async () => {
  await sendCost({ cost_id: "read-late-000001", cost_amount: "2" });
  await click("read-late-000001", { now: NOW + DAY });
  expect((await readBack("read-late-000001", { now: NOW + DAY })).body).toMatchObject({
    match: "matched",
    may_match_until: null,
    mismatch: null,
    engagement: { kind: "click", occurred_at: new Date(NOW + DAY).toISOString() },
  });
});

const price = (cost_type: string, cost_amount: string, cost_currency = "usd") =>
  `&${new URLSearchParams({ cost_type, cost_currency, cost_amount })}`;

test("a price on a URL is returned as a cost with the source url and its engagement", async () => {
  await view("read-url-0000001", { query: price("cpm", "4.5") });
  const { body, headers } = await readBack("read-url-0000001", { now: NOW + 5 });
  expect(body).toEqual({
    status: "ok",
    cost_id: "read-url-0000001",
    cost_type: "cpm",
    cost_currency: "USD",
    amount: "4.5",
    tag: null,
    source: "url",
    received_at: "2026-03-15T12:00:00.000Z",
    match: "matched",
    may_match_until: null,
    mismatch: null,
    url_price: null,
    engagement: { kind: "impression", occurred_at: "2026-03-15T12:00:00.000Z", link_token: DEMO.linkToken },
    request_id: headers.get("x-request-id"),
  });
});

test.each([
  ["exactly one window after the impression", 0, "click", "0.1"],
  ["one window and one millisecond after it", 1, "impression", "0.2"],
])(
  "of two prices on URLs the one that counts is returned: the click happened %s",
  async (_, more, kind, amount) => {
    const clickedAt = NOW + COST_WINDOW_MS + more;
    await view("read-url-0000002", { query: price("cpm", "0.2") });
    await click("read-url-0000002", { query: price("cpc", "0.1"), now: clickedAt });
    expect((await readBack("read-url-0000002", { now: clickedAt })).body).toMatchObject({
      source: "url",
      amount,
      match: "matched",
      engagement: { kind },
    });
  },
);

test("a price on a URL that does not count is not a cost", async () => {
  await click("read-url-0000003", { query: price("cpc", "10000.00001") });
  expect((await readBack("read-url-0000003")).status).toBe(404);
});

test("a pending call is returned with the price on the URL that counts beside it, until it matches", async () => {
  const id = "read-beside-0001";
  await sendCost({ cost_id: id, cost_type: "cpm", cost_amount: "2" });
  await click(id, { query: price("cpc", "0.1") });
  const beside = {
    source: "call",
    cost_type: "cpm",
    amount: "2",
    mismatch: "wrong_engagement",
    url_price: { cost_type: "cpc", cost_currency: "USD", amount: "0.1" },
    engagement: null,
  };
  const until = NOW + COST_WINDOW_MS;
  expect((await readBack(id, { now: until })).body).toMatchObject({ ...beside, match: "pending" });
  expect((await readBack(id, { now: until + 1 })).body).toMatchObject({ ...beside, match: "lapsed" });
  await view(id, { now: NOW + 1 });
  expect((await readBack(id, { now: NOW + 1 })).body).toMatchObject({
    source: "call",
    match: "matched",
    amount: "2",
    mismatch: null,
    url_price: null,
    engagement: { kind: "impression" },
  });
});

test("a cost without an amount is returned with the price on the URL", async () => {
  await click("read-carried-001", { query: price("cpc", "0.75") });
  await sendCost({ cost_id: "read-carried-001" });
  expect((await readBack("read-carried-001")).body).toMatchObject({
    amount: "0.75",
    source: "call",
    url_price: null,
  });
});

test("a call that added the amount is returned with the arrival of the first call", async () => {
  await sendCost({ cost_id: "read-completed-1" });
  await sendCost({ cost_id: "read-completed-1", cost_amount: "2" }, { now: NOW + DAY });
  expect((await readBack("read-completed-1", { now: NOW + DAY })).body).toMatchObject({
    amount: "2",
    received_at: "2026-03-15T12:00:00.000Z",
    may_match_until: new Date(NOW + COST_WINDOW_MS).toISOString(),
  });
});

test("a percent-encoded ID is found, whatever its characters", async () => {
  const id = "read/ä?&=%20 #日本語+";
  await sendCost({ cost_id: id });
  expect((await readBack(id)).body).toMatchObject({ cost_id: id });
});

test("HEAD returns the status of GET, without a body", async () => {
  await sendCost({ cost_id: "read-head-000001" });
  const head = await call("/cost/read-head-000001", { token: DEMO.costToken, method: "HEAD" });
  expect([head.status, await head.text()]).toEqual([200, ""]);
});

test("a cost that was never sent and a cost of another partner both return 404", async () => {
  await sendCost({ cost_id: "read-theirs-0001" });
  const token = createToken("live");
  await rows(
    "INSERT INTO credentials (token_hash, partner_id, mode, cost_types, hint, created_at) VALUES (?, 2, 'live', 1, '', 0)",
    hashToken(token, ["live"]),
  );
  const never = { status: 404, code: "not_found", params: [] };
  expect(await rejection("/cost/read-theirs-0001", { token })).toEqual(never);
  expect(await rejection("/cost/read-nobody-0001", { token })).toEqual(never);
});

test("an ID that is too long is rejected with 400, and one that can be no ID is not found", async () => {
  const malformed = { status: 400, code: "invalid_request", params: ["cost_id"] };
  for (const id of ["short", "%20", "%7Bclick_id%7D", "pad-0000%E2%80%8B0001"])
    expect((await rejection(`/cost/${id}`, { token: DEMO.costToken })).status).toBe(404);
  expect(await rejection(`/cost/${"x".repeat(257)}`, { token: DEMO.costToken })).toEqual(malformed);
});

test("a missing or unknown credential gets 401 for every ID", async () => {
  await sendCost({ cost_id: "read-secret-0001" });
  for (const token of [undefined, "noise", DEMO.apiToken, createToken("live")]) {
    for (const id of ["read-secret-0001", "read-nobody-0001", "short"]) {
      expect(await rejection(`/cost/${id}`, { token })).toMatchObject({ status: 401, code: "unauthorized" });
    }
  }
});

test("a revoked credential gets 403", async () => {
  await sendCost({ cost_id: "read-secret-0001" });
  await rows("UPDATE credentials SET revoked_at = ?", NOW);
  expect(await rejection("/cost/read-secret-0001", { token: DEMO.costToken })).toMatchObject({
    status: 403,
    code: "credential_revoked",
  });
});

test("the budget is one call, 10 rows read and none written, whatever the size of the ledger", async () => {
  await sendCost({ cost_id: "demo-click-recent-0001" });
  await sendCost({ cost_id: "read-unfit-00002" });
  await view("read-unfit-00002");
  // A shard has no links.
  const isSharded = ledgerOn().shards.length > 0;
  for (const [id, calls] of [
    ["demo-click-recent-0001", isSharded ? 2 : 1],
    ["read-unfit-00002", 1],
  ] as const) {
    const { database, counts } = countingDatabase();
    await readBack(id, { env: { DB: database } });
    expect(counts).toEqual({ calls, read: expect.any(Number), written: 0 });
    expect(counts.read).toBeLessThanOrEqual(10);
  }
});
