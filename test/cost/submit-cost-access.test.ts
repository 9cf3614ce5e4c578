import { beforeEach, describe, expect, it } from "vitest";
import { createToken, hashToken } from "../../src/auth/secrets.ts";
import { COST_TYPES, type CostType, toMask } from "../../src/domain/cost-types.ts";
import { ask, call, click, DEMO, env, freshDemo, NOW, rejection, rows, sendCost } from "../harness.ts";

beforeEach(freshDemo);

const COST = {
  cost_type: "cpc",
  cost_currency: "USD",
  cost_id: "access-cost-0001",
  tag: "t",
  cost_amount: "1",
};
const GOOD = `/cost?${new URLSearchParams(COST)}`;
const BAD = "/cost?cost_id=short";

async function issue(partnerId: number, costTypes: CostType[]): Promise<string> {
  const token = createToken("live");
  await env.DB.prepare(
    "INSERT INTO credentials (token_hash, partner_id, mode, cost_types, hint, created_at) VALUES (?, ?, 'live', ?, '', ?)",
  )
    .bind(hashToken(token, ["live"]) ?? "", partnerId, toMask(costTypes), NOW)
    .run();
  return token;
}

const revoke = (token: string) =>
  env.DB.prepare("UPDATE credentials SET revoked_at = ? WHERE token_hash = ?")
    .bind(NOW, hashToken(token, ["live", "test"]) ?? "")
    .run();

const nothingStored = async () =>
  expect(await rows("SELECT * FROM costs WHERE cost_id = ?", COST.cost_id)).toEqual([]);

describe("a credential", () => {
  it.each([
    ["Token token=…", `Token token=${DEMO.costToken}`],
    ['Token token="…"', `Token token="${DEMO.costToken}"`],
    ["Bearer …", `Bearer ${DEMO.costToken}`],
    ["a scheme in any case", `tOKEN TOKEN=${DEMO.costToken}`],
    ["bearer in lower case", `bearer ${DEMO.costToken}`],
  ])("is accepted as %s", async (_format, authorization) => {
    expect((await call(GOOD, { method: "POST", headers: { authorization } })).status).toBe(200);
  });

  it.each([
    ["no header", ""],
    ["an unknown credential", `Bearer ${createToken("live")}`],
    ["a credential with a typing error", `Bearer ${DEMO.costToken.slice(0, -1)}!`],
    ["another scheme", `Basic ${btoa(`partner:${DEMO.costToken}`)}`],
    ["the bare token", DEMO.costToken],
    ["a scheme without a token", "Token token="],
    ["a user's API token", `Bearer ${DEMO.apiToken}`],
    ["two tokens", `Bearer ${DEMO.costToken} ${DEMO.costToken}`],
  ])("is rejected with 401 and WWW-Authenticate: %s", async (_what, authorization) => {
    const response = await call(GOOD, {
      method: "POST",
      headers: { ...(authorization && { authorization }) },
    });
    expect(response.status).toBe(401);
    expect(response.headers.get("www-authenticate")).toMatch(/Token.*Bearer/);
    await nothingStored();
  });

  it("is rejected with a detail that names a missing header or a token of another kind", async () => {
    const detail = async (options: object) =>
      (await (await call(GOOD, { method: "POST", ...options })).json<{ detail: string }>()).detail;
    expect(await detail({})).toBe(
      "Send a cost credential (ll_live_… or ll_test_…) as `Authorization: Token token=…`.",
    );
    expect(await detail({ token: DEMO.apiToken })).toBe(
      "This is an API token; this path takes a cost credential (ll_live_… or ll_test_…).",
    );
    expect(await detail({ token: DEMO.testCostToken.slice(0, -1) })).toBe(
      "The token is incomplete or mistyped. This path takes a cost credential (ll_live_… or ll_test_…).",
    );
  });

  it("is never read from the URL or the body", async () => {
    const token = DEMO.costToken;
    for (const name of ["token", "authorization", "access_token", "api_token"]) {
      const query = new URLSearchParams({ ...COST, [name]: token });
      expect((await rejection(`/cost?${query}`, { method: "POST" })).status).toBe(401);
      const headers = { "content-type": "application/x-www-form-urlencoded" };
      expect((await rejection("/cost", { body: String(query), headers })).status).toBe(401);
    }
  });
});

describe("the first rejection", () => {
  it("is 401 for an unknown credential, whatever the parameters", async () => {
    for (const token of [undefined, "nonsense", createToken("live"), createToken("test")]) {
      for (const path of [GOOD, BAD]) {
        expect(await rejection(path, { method: "POST", token })).toMatchObject({ status: 401, params: [] });
      }
    }
  });

  it("is 403 for a revoked credential, whatever the parameters", async () => {
    await revoke(DEMO.costToken);
    for (const path of [GOOD, BAD]) {
      expect(await rejection(path, { method: "POST", token: DEMO.costToken })).toEqual({
        status: 403,
        code: "credential_revoked",
        params: [],
      });
    }
    await nothingStored();
  });

  it("is then 400 for invalid parameters, before the cost types of the credential are checked", async () => {
    const token = await issue(2, ["cpc"]);
    expect((await rejection(BAD, { method: "POST", token })).status).toBe(400);
  });
});

describe("a credential that may not submit the cost", () => {
  it("is rejected if its partner does not support cost data", async () => {
    const token = await issue(2, [...COST_TYPES]);
    expect(await rejection(GOOD, { method: "POST", token })).toMatchObject({
      status: 403,
      code: "cost_type_not_integrated",
    });
  });

  it("is rejected for a cost type that it is not cleared for, and only for that", async () => {
    const token = await issue(1, ["cpc", "cpm"]);
    expect((await sendCost({ ...COST, cost_type: "cpi" }, { token })).body.code).toBe(
      "cost_type_not_integrated",
    );
    await nothingStored();
    expect((await sendCost(COST, { token })).status).toBe(200);
  });

  it("learns which of the two is missing, also in a batch", async () => {
    const token = await issue(2, [...COST_TYPES]);
    const detail = async (more: object, credential: string) => {
      const one = (await sendCost({ ...COST, ...more }, { token: credential })).body.detail;
      const { body } = await ask<{ results: { detail: string }[] }>("/cost/batch", {
        token: credential,
        json: { costs: [{ ...COST, ...more }] },
      });
      expect(body.results[0]?.detail).toBe(one);
      return one;
    };
    expect(await detail({}, token)).toBe(
      "You do not support cost data yet. Ask the operator for an integration round.",
    );
    expect(await detail({ cost_type: "cpi" }, await issue(1, ["cpc"]))).toBe(
      "This credential does not include cpi. Ask the operator for one that does, after an integration round for cpi.",
    );
  });

  it("is rejected as soon as its partner no longer supports cost data", async () => {
    await env.DB.prepare("UPDATE partners SET supports_cost_data = 0 WHERE id = 1").run();
    expect((await sendCost(COST)).body.code).toBe("cost_type_not_integrated");
    await nothingStored();
  });

  it("never writes to the ledger if it is a test credential", async () => {
    await env.DB.prepare("UPDATE partners SET supports_cost_data = 1 WHERE id = 3").run();
    // Partner 3 has an open round, which stores the cost.
    expect((await sendCost(COST, { token: DEMO.testCostToken })).status).toBe(200);
    expect(await rows("SELECT * FROM costs WHERE partner_id = 3")).toEqual([]);
  });
});

describe("another partner", () => {
  it("never matches an engagement of the first partner, and has its own cost with the same ID", async () => {
    const token = await issue(3, ["cpc"]);
    await env.DB.prepare("UPDATE partners SET supports_cost_data = 1 WHERE id = 3").run();
    await click(COST.cost_id);
    expect((await sendCost({ ...COST, cost_amount: "2" }, { token })).body.match).toBe("pending");
    expect((await sendCost(COST)).body).toMatchObject({ match: "matched", duplicate: false, amount: "1" });
    expect(
      await rows(
        "SELECT partner_id, state, amount FROM cost_states WHERE cost_id = ? ORDER BY 1",
        COST.cost_id,
      ),
    ).toEqual([
      { partner_id: 1, state: "matched", amount: 100_000 },
      { partner_id: 3, state: "pending", amount: 200_000 },
    ]);
  });
});
