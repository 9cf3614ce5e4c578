/** What an isolate remembers of a token that D1 accepted grants nothing: after a change, the next request of every operation is rejected. */
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createToken, hashToken } from "../../src/auth/secrets.ts";
import { acceptedTokens } from "../../src/db/isolate-memory.ts";
import { ask, type Call, call, DEMO, env, freshDemo, NOW, type ProblemBody, sendCost } from "../harness.ts";
import { oneOf } from "../part.ts";
import { type EveryOperation, needing, rejectedInput } from "./support.ts";

const KINDS = ["api", "read", "write", "live", "test"] as const;
const hashOf = (token: string) => hashToken(token, [...KINDS]) ?? "";
const created = (name: string, scope: "write" | "live" = "write") => createToken(scope, name.padEnd(43, "w"));
const TOKENS = {
  ended: created("Ended"),
  expired: created("Expired"),
  formerMember: created("FormerMember"),
  formerOperator: created("FormerOperator"),
  demoted: created("Demoted"),
  oneApp: created("OneApp"),
};
const REVOKED = created("Revoked", "live");

beforeAll(async () => {
  await freshDemo();
  const insert = env.DB.prepare(
    `INSERT INTO access_tokens (token_hash, user_id, name, hint, scope, app_token, role, created_at, expires_at)
     VALUES (?, ?, '', '', 'write', ?, ?, 0, ?)`,
  );
  const add = (token: string, user: number, role: string, app: string | null = null, expires = NOW + 10) =>
    insert.bind(hashOf(token), user, app, role, expires);
  await env.DB.batch([
    env.DB.prepare(
      `INSERT INTO users (id, email, role, created_at) VALUES (3, 'three@example.com', 'operator', 0),
       (4, 'four@example.com', 'operator', 0), (5, 'five@example.com', 'member', 0)`,
    ),
    env.DB.prepare(`INSERT INTO memberships VALUES (5, '${DEMO.appToken}')`),
    add(TOKENS.ended, 2, "operator"),
    add(TOKENS.expired, 2, "operator", null, NOW + 1),
    add(TOKENS.formerMember, 5, "member"),
    add(TOKENS.formerOperator, 3, "operator"),
    add(TOKENS.demoted, 4, "operator"),
    add(TOKENS.oneApp, 2, "operator", DEMO.appToken),
    env.DB.prepare(
      "INSERT INTO credentials (token_hash, partner_id, mode, cost_types, hint, created_at) VALUES (?, 1, 'live', 15, '', 0)",
    ).bind(hashOf(REVOKED)),
  ]);
});

const ACCEPTED = [...Object.values(TOKENS), REVOKED, DEMO.apiToken, DEMO.costToken];

/** What the isolate remembers after requests with these tokens that D1 accepted. */
const warm = () => {
  for (const token of ACCEPTED) acceptedTokens.set(hashOf(token), true, NOW);
};

it("an isolate remembers each of these tokens after one request", async () => {
  for (const token of ACCEPTED) {
    const path = token.startsWith("ll_live_") ? "/cost" : "/public/v1/apps";
    expect((await call(path, { token })).status).toBe(200);
    expect(acceptedTokens.has(hashOf(token), NOW)).toBe(true);
  }
});

describe("after its tokens have lost their access, an isolate that remembers them rejects", () => {
  beforeAll(async () => {
    await env.DB.batch(
      [
        `DELETE FROM access_tokens WHERE token_hash = '${hashOf(TOKENS.ended)}'`,
        `DELETE FROM api_tokens WHERE user_id = 1`,
        `DELETE FROM memberships WHERE user_id = 5`,
        `UPDATE users SET disabled_at = 1 WHERE id = 3`,
        `UPDATE users SET role = 'member' WHERE id = 4`,
        `UPDATE credentials SET revoked_at = 1 WHERE token_hash = '${hashOf(REVOKED)}'`,
      ].map((sql) => env.DB.prepare(sql)),
    );
  });
  beforeEach(warm);

  const errorOf = async (operation: EveryOperation, token: string, more: Call = {}) => {
    const { path, ...options } = rejectedInput(operation);
    const { status, body } = await ask<ProblemBody>(path, { ...options, token, now: NOW + 1, ...more });
    return `${status} ${body.code}`;
  };
  const UNAUTHORIZED = "401 unauthorized";

  /** What every statement rejects for the same reason, in turn. */
  const ENDED = [TOKENS.ended, TOKENS.expired, DEMO.apiToken, TOKENS.formerOperator];

  it.each(needing("api_token").map((operation, place) => [operation.name, operation, place] as const))(
    "%s",
    async (_, operation, place) => {
      for (const token of oneOf(2, ENDED, place)) expect(await errorOf(operation, token)).toBe(UNAUTHORIZED);
      if (!operation.pattern.includes(":app_token")) return;
      // An invalid input is rejected before the database looks for the app.
      const json = operation.pattern.endsWith("/bulk") ? { links: [{ name: "x" }] } : { name: "x" };
      const valid = operation.method === "GET" ? {} : { json };
      for (const token of oneOf(2, [TOKENS.formerMember, TOKENS.demoted], place))
        expect(await errorOf(operation, token, valid)).toBe("404 not_found");
      const { path, ...options } = rejectedInput(operation);
      const elsewhere = path.replace(DEMO.appToken, DEMO.otherAppToken);
      const { status } = await call(elsewhere, { ...options, ...valid, token: TOKENS.oneApp });
      expect(status).toBe(403);
    },
  );

  it.each(needing("operator_token").map((operation, place) => [operation.name, operation, place] as const))(
    "%s",
    async (_, operation, place) => {
      for (const token of oneOf(2, ENDED, place)) expect(await errorOf(operation, token)).toBe(UNAUTHORIZED);
      expect(await errorOf(operation, TOKENS.demoted)).toBe("403 operator_required");
      expect(await errorOf(operation, TOKENS.oneApp)).toBe("403 insufficient_scope");
    },
  );

  it.each(needing("cost_credential").map((operation) => [operation.name, operation] as const))(
    "%s",
    async (_, operation) => {
      expect(await errorOf(operation, REVOKED)).toBe("403 credential_revoked");
      expect(acceptedTokens.has(hashOf(REVOKED), NOW)).toBe(false);
      const { path, ...options } = rejectedInput(operation);
      const { status } = await call(path, { ...options, token: DEMO.costToken });
      expect(status === 401 || status === 403).toBe(false);
    },
  );

  it("costs of a partner that was stopped", async () => {
    await env.DB.prepare("UPDATE partners SET stopped_at = 1 WHERE id = 1").run();
    const { status, body } = await sendCost({ cost_id: "warm-isolate-001", cost_amount: "1" });
    expect([status, body.code]).toEqual([403, "partner_stopped"]);
  });
});

it("a rejected token is forgotten, so that a flood of them reaches the limiter of their address, whatever is remembered", async () => {
  warm();
  const asked: string[] = [];
  const limiter: RateLimit = {
    limit: async ({ key }) => {
      asked.push(key);
      return { success: true };
    },
  };
  const send = async (token: string) =>
    (
      await call("/public/v1/apps", {
        token,
        headers: { "cf-connecting-ip": "192.0.2.77" },
        env: { ADDRESS_REJECTIONS: limiter, CREDENTIAL_REQUESTS: limiter },
      })
    ).status;
  const flood = [
    ...Array.from({ length: 20 }, () => createToken("api")),
    ...Array<string>(20).fill(TOKENS.ended),
  ];
  for (const token of flood) expect(await send(token)).toBe(401);
  expect(asked.filter((key) => key === "192.0.2.77")).toHaveLength(flood.length);
  expect(asked.filter((key) => key === hashOf(TOKENS.ended))).toHaveLength(20);
  expect(acceptedTokens.has(hashOf(TOKENS.ended), NOW)).toBe(false);
});
