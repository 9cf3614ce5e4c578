import { beforeEach, describe, expect, test } from "vitest";
import {
  ask,
  type Call,
  call,
  click,
  DEMO,
  env,
  freshDemo,
  NOW,
  rejection,
  rows,
  sendCost,
} from "../harness.ts";
import { changedBefore } from "../support.ts";

const token = DEMO.testCostToken;
const link = "demo1nk007";
const ID = "test-click-0001";

interface Entry {
  number: number;
  cost_id: string | null;
  sent: Record<string, string>;
  errors: { param: string }[];
  answer: string;
}
interface RoundBody {
  report: { types: { findings: { finding: string; cost_id: string | null }[] }[] };
}
async function lastEntry(): Promise<Entry | undefined> {
  const { body } = await ask<{ data: { items: Entry[] } }>("/operator/v1/rounds/1/entries?limit=1000", {
    token: DEMO.operatorToken,
  });
  return body.data.items.at(-1);
}

beforeEach(freshDemo);

describe("a cost sent with a test credential", () => {
  test("matches a click of the partner on a link without cost data, and never counts", async () => {
    await click(ID, { link });
    const before = [await rows("SELECT * FROM daily_totals"), await rows("SELECT * FROM costs")];
    const { status, body } = await sendCost({ cost_id: ID, cost_amount: "0.2" }, { token });
    expect({ httpStatus: status, ...body, request_id: "" }).toEqual({
      httpStatus: 200,
      status: "ok",
      cost_id: ID,
      match: "matched",
      duplicate: false,
      amount: "0.2",
      round: 1,
      mismatch: null,
      request_id: "",
    });
    expect([await rows("SELECT * FROM daily_totals"), await rows("SELECT * FROM costs")]).toEqual(before);
    expect(await lastEntry()).toMatchObject({ cost_id: ID, answer: "ok", errors: [] });
  });

  test.each<[string, string, string | null]>([
    ["takes the highest amount on a URL that counts live", "max_url_amount = 30000", "0.3"],
    ["takes no higher amount from a URL", "max_url_amount = 29999", null],
    [
      "takes an amount in the currency that the template names",
      "cost_parameters = 'cost_amount={price}&cost_currency=usd'",
      "0.3",
    ],
    [
      "takes no amount in another currency",
      "cost_parameters = 'cost_amount={price}&cost_currency=EUR'",
      null,
    ],
    ["takes no amount from a URL if the template does not name it", "cost_parameters = 'cost_id={id}'", null],
  ])("%s", async (_, setting, amount) => {
    await env.DB.exec(`UPDATE partners SET cost_parameters = 'cost_amount={price}', ${setting} WHERE id = 3`);
    await click(ID, { link, query: "&cost_type=cpc&cost_amount=0.3&cost_currency=USD" });
    const { body } = await sendCost({ cost_id: ID }, { token });
    expect(body).toMatchObject({ match: "matched", amount });
  });

  test("does not count after the round is approved and the click repeats", async () => {
    await sendCost({ cost_id: ID, cost_amount: "0.2" }, { token });
    await env.DB.prepare("UPDATE rounds SET state = 'approved'").run();
    await env.DB.prepare("UPDATE partners SET supports_cost_data = 1").run();
    await env.DB.prepare("UPDATE links SET cost_switch = 1 WHERE token = ?").bind(link).run();
    await click(ID, { link });
    expect(await rows("SELECT * FROM costs WHERE cost_id = ?", ID)).toEqual([]);
    expect(await rows("SELECT * FROM daily_totals WHERE partner_id = 3")).toEqual([]);
  });

  test("gets the same responses as a live cost: duplicate, conflict, wrong kind, late", async () => {
    await click(ID, { link });
    const send = (params: object, options = {}) =>
      sendCost({ cost_id: ID, ...params }, { token, ...options });
    expect((await send({ cost_amount: "1" })).body).toMatchObject({ match: "matched", mismatch: null });
    expect((await send({ cost_amount: "1" })).body).toMatchObject({ duplicate: true, mismatch: null });
    expect((await send({ cost_amount: "2" })).body).toMatchObject({
      code: "cost_id_conflict",
      detail:
        "cost_amount is 2, but an earlier call with this cost ID has 1. A round has no voids: to resolve this, resend the earlier values. For another click or impression, use another cost ID.",
      errors: [{ param: "cost_amount", message: "is 2, but an earlier call with this cost ID has 1" }],
    });
    await click("test-click-0002", { link });
    const other = { cost_id: "test-click-0002" };
    expect((await send({ ...other, cost_type: "cpm" })).body).toMatchObject({
      match: "pending",
      mismatch: "wrong_engagement",
    });
    const week = 7 * 24 * 3600 * 1000;
    expect((await send(other, { now: NOW + week + 1 })).body.code).toBe("window_closed");
    expect((await send(other, { now: NOW + week })).status).toBe(200);
  });

  test("never matches another partner's click", async () => {
    await click(ID);
    expect((await sendCost({ cost_id: ID }, { token })).body).toMatchObject({
      match: "pending",
      mismatch: "cost_without_engagement",
    });
  });

  test("reports a difference from the URL in the response", async () => {
    await click(ID, { link, query: "&cost_type=cpc&cost_amount=0.3&cost_currency=USD" });
    const sent = await sendCost({ cost_id: ID, cost_amount: "0.2" }, { token });
    expect(sent.body).toMatchObject({ match: "matched", mismatch: "differs_from_url" });
    const corrected = await sendCost({ cost_id: ID, cost_amount: "0.3" }, { token });
    expect(corrected.body).toMatchObject({ match: "matched", mismatch: null });
  });

  test("is stored with every error if it is malformed", async () => {
    const path = "/cost?cost_type=cpa&cost_id=short&cost_id=other";
    expect(await rejection(path, { method: "POST", token })).toMatchObject({ status: 400 });
    const entry = await lastEntry();
    expect(entry).toMatchObject({
      answer: "invalid_request",
      sent: { cost_type: "cpa", cost_id: "short and other" },
    });
    expect(new Set(entry?.errors.map((error) => error.param))).toEqual(
      new Set(["cost_type", "cost_currency", "cost_id", "tag"]),
    );
  });

  const REQUIRED = ["cost_type", "cost_currency", "cost_id"];
  const withTag = (tag: string) => ({ body: `tag=${encodeURIComponent(tag)}` });
  test.each<[string, Call, number, string[], string | undefined]>([
    [
      "a body of another type",
      { body: "{}", headers: { "content-type": "text/plain" } },
      415,
      ["body"],
      undefined,
    ],
    [
      "a JSON body without parameters",
      { body: "{}", headers: { "content-type": "application/json" } },
      400,
      [...REQUIRED, "tag"],
      undefined,
    ],
    ["a body that is too large", { body: "x".repeat(65_537) }, 413, ["body"], undefined],
    [
      "control characters and a long tag, which is cut to 300 characters",
      withTag("a\0".repeat(300)),
      400,
      [...REQUIRED, "tag"],
      `${"a\ufffd".repeat(149)}a…`,
    ],
    ["a tag of 300 characters", withTag("a".repeat(300)), 400, [...REQUIRED, "tag"], "a".repeat(300)],
    [
      "a tag of 301 characters, which is cut to 300",
      withTag("a".repeat(301)),
      400,
      [...REQUIRED, "tag"],
      `${"a".repeat(299)}…`,
    ],
  ])("is stored with %s", async (_, options, status, params, tag) => {
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const response = await call("/cost", { method: "POST", token, headers, ...options });
    expect(response.status).toBe(status);
    const entry = await lastEntry();
    expect(entry?.number).toBe(14);
    expect(entry?.errors.map(({ param }) => param)).toEqual(params);
    expect(entry?.sent.tag).toBe(tag);
  });

  test("in a batch is stored in order, each judged after the one before it", async () => {
    await click(ID, { link });
    const cost = { cost_type: "cpc", cost_currency: "USD", cost_id: ID, tag: "t", cost_amount: "1" };
    const { body } = await ask<{ results: object[] }>("/cost/batch", {
      token,
      json: { costs: [cost, cost, { ...cost, cost_amount: "2" }, { cost_id: 7 }, "no object"] },
    });
    expect(body.results).toMatchObject([
      { match: "matched", duplicate: false },
      { match: "matched", duplicate: true },
      { code: "cost_id_conflict" },
      { code: "invalid_request" },
      { code: "invalid_request" },
    ]);
    expect(await lastEntry()).toMatchObject({ number: 18, sent: {} });
    expect(await rows("SELECT entry_count FROM rounds")).toEqual([{ entry_count: 18 }]);
  });

  test("is rejected and not stored once the round is full, also within a batch", async () => {
    const cost = { cost_type: "cpc", cost_currency: "USD", cost_id: ID, tag: "t" };
    const { body } = await ask<{ results: { code?: string }[] }>("/cost/batch", {
      token,
      json: { costs: Array.from({ length: 988 }, (_, index) => ({ ...cost, cost_id: `${ID}-${index}` })) },
    });
    expect(body.results.map((result) => result.code).indexOf("round_full")).toBe(987);
    expect(await rows("SELECT count(*) AS n FROM round_entries")).toEqual([{ n: 1_000 }]);
    expect((await sendCost({ cost_id: ID }, { token })).body.code).toBe("round_full");
    expect(await rows("SELECT entry_count FROM rounds")).toEqual([{ entry_count: 1_000 }]);
  });

  test("gets its own number and finding when sent concurrently", async () => {
    const sent = Array.from({ length: 5 }, (_, index) => `${ID}-concurrent-${index}`);
    await Promise.all(sent.map((cost_id) => sendCost({ cost_id }, { token })));
    const { body } = await ask<{ data: { items: Entry[] } }>("/operator/v1/rounds/1/entries?limit=1000", {
      token: DEMO.operatorToken,
    });
    expect(body.data.items.map(({ number }) => number)).toEqual(Array.from({ length: 18 }, (_, i) => i + 1));
    const { report } = (await ask<RoundBody>("/cost/round", { token })).body;
    const keys = report.types
      .flatMap(({ findings }) => findings)
      .filter(({ cost_id }) => cost_id?.startsWith(`${ID}-concurrent`))
      .map(({ finding }) => finding);
    expect(keys.sort()).toEqual([14, 15, 16, 17, 18].map((number) => `entry ${number}`));
  });

  test("is stored or rejected with round_full when concurrent costs fill the round", async () => {
    await rows("UPDATE rounds SET entry_count = 998");
    const responses = await Promise.all(
      [1, 2, 3, 4].map((index) => sendCost({ cost_id: `${ID}-${index}` }, { token })),
    );
    expect(responses.map(({ status, body }) => (status === 200 ? "stored" : body.code)).sort()).toEqual([
      "round_full",
      "round_full",
      "stored",
      "stored",
    ]);
  });

  test("conflicts with a cost of the round's other credential that has more cost types", async () => {
    await click(ID, { link });
    const first = await sendCost({ cost_id: ID, cost_type: "cpi" }, { token });
    expect(first.body).toMatchObject({ mismatch: null });
    const { body } = await ask<{ data: { items: { credential: string }[] } }>("/operator/v1/credentials", {
      token: DEMO.operatorToken,
      json: { partner_id: 3, mode: "test", cost_types: ["cpc"] },
    });
    const narrow = body.data.items[0]?.credential;
    expect((await sendCost({ cost_id: ID, cost_type: "cpc" }, { token: narrow })).body.code).toBe(
      "cost_id_conflict",
    );
  });

  test.each([
    ["the round ends", "UPDATE rounds SET state = 'closed'", "test_credential"],
    ["the credential is revoked", "UPDATE credentials SET revoked_at = 1", "credential_revoked"],
  ])("is not stored if %s while it is judged", async (_, change, code) => {
    const DB = changedBefore(2, () => env.DB.exec(change));
    expect((await sendCost({ cost_id: ID }, { token, env: { DB } })).body.code).toBe(code);
    expect((await lastEntry())?.number).toBe(13);
  });

  test("is rejected without an open round and with a revoked credential", async () => {
    await env.DB.prepare("UPDATE rounds SET state = 'closed'").run();
    expect((await sendCost({ cost_id: ID }, { token })).body.code).toBe("test_credential");
    await env.DB.prepare("UPDATE credentials SET revoked_at = 1").run();
    expect((await sendCost({ cost_id: ID }, { token })).body.code).toBe("credential_revoked");
    expect(await rows("SELECT entry_count FROM rounds")).toEqual([{ entry_count: 13 }]);
  });
});

describe("GET /cost/round", () => {
  test("returns the same report to the partner as to operators", async () => {
    const partner = await ask<{ report: object; request_id?: string }>("/cost/round", { token });
    const operator = await ask<{ data: { items: object[] } }>("/operator/v1/rounds/1", {
      token: DEMO.operatorToken,
    });
    const { request_id, ...round } = partner.body;
    expect(round).toEqual(operator.body.data.items[0]);
  });

  test("is JSON for a browser too", async () => {
    const { headers } = await call("/cost/round", { token, headers: { accept: "text/html" } });
    expect(headers.get("content-type")).toBe("application/json");
  });

  test("is only for test credentials", async () => {
    expect((await rejection("/cost/round", { token: DEMO.costToken })).status).toBe(404);
    expect((await rejection("/cost/round")).status).toBe(401);
    await env.DB.prepare("UPDATE credentials SET revoked_at = 1").run();
    expect((await rejection("/cost/round", { token })).code).toBe("credential_revoked");
  });
});
