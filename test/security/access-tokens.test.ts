/** Every operation with every kind of access token: what it may do, and which error it gets otherwise. */
import { beforeAll, describe, expect, it } from "vitest";
import { createToken, hashToken } from "../../src/auth/secrets.ts";
import { ask, type Call, call, DEMO, env, freshDemo, NOW, type ProblemBody } from "../harness.ts";
import { oneOf } from "../part.ts";
import { acceptedStatus, type EveryOperation, everything, needing, rejectedInput } from "./support.ts";

interface Kind {
  scope: "read" | "write";
  /** 1 is the member, 2 the operator, 3 a member who was an operator, 4 an operator who was a member. */
  userId: 1 | 2 | 3 | 4;
  issuedAs: "member" | "operator";
  app?: string;
  /** From now, in milliseconds. Default: an hour. */
  expiresIn?: number;
}

const member = { userId: 1, issuedAs: "member" } as const;
const operator = { userId: 2, issuedAs: "operator" } as const;
const KINDS = {
  "reads, of a member": { ...member, scope: "read" },
  "writes, of a member": { ...member, scope: "write" },
  "reads the app, of a member": { ...member, scope: "read", app: DEMO.appToken },
  "writes to the app, of a member": { ...member, scope: "write", app: DEMO.appToken },
  "reads, of an operator": { ...operator, scope: "read" },
  "writes, of an operator": { ...operator, scope: "write" },
  "writes to the app, of an operator": { ...operator, scope: "write", app: DEMO.appToken },
  "writes to another app of the operator": { ...operator, scope: "write", app: DEMO.otherAppToken },
  "writes, of an operator who is a member now": { userId: 3, issuedAs: "operator", scope: "write" },
  "writes, of a member who is an operator now": { userId: 4, issuedAs: "member", scope: "write" },
  "ends in a millisecond": { ...operator, scope: "write", expiresIn: 1 },
  "has just expired": { ...operator, scope: "write", expiresIn: 0 },
} satisfies Record<string, Kind>;
const kinds = Object.entries<Kind>(KINDS).map(([name, kind], index) => ({
  name,
  kind,
  token: createToken(kind.scope, String(index).padEnd(43, "k")),
}));
/** One that is not in the database, as after its end. */
const ENDED: (typeof kinds)[number] = {
  name: "was ended",
  kind: { ...operator, scope: "write", expiresIn: 0 },
  token: createToken("write", "E".repeat(43)),
};

beforeAll(async () => {
  await freshDemo();
  const insert = env.DB.prepare(
    `INSERT INTO access_tokens (token_hash, user_id, name, hint, scope, app_token, role, created_at, expires_at)
     VALUES (?, ?, '', '', ?, ?, ?, 0, ?)`,
  );
  await env.DB.batch([
    env.DB.prepare(
      "INSERT INTO users (id, email, role, created_at) VALUES (3, 'was@example.com', 'member', 0), (4, 'is@example.com', 'operator', 0)",
    ),
    env.DB.prepare(`INSERT INTO memberships VALUES (3, '${DEMO.appToken}'), (4, '${DEMO.appToken}')`),
    ...kinds.map(({ token, kind: { userId, scope, app, issuedAs, expiresIn = 3_600_000 } }) =>
      insert.bind(hashToken(token, [scope]), userId, scope, app ?? null, issuedAs, NOW + expiresIn),
    ),
  ]);
});

const UNAUTHORIZED = "401 unauthorized";
const NO_SCOPE = "403 insufficient_scope";

/** The error that a token gets from an operation; undefined if it is accepted. */
function expectedError({ need, method, pattern }: EveryOperation, kind: Kind): string | undefined {
  if (need === "cost_credential" || kind.expiresIn === 0) return UNAUTHORIZED;
  if (kind.scope === "read" && method !== "GET" && pattern !== "/mcp") return NO_SCOPE;
  if (need === "api_token") {
    return pattern.includes(":app_token") && kind.app === DEMO.otherAppToken ? NO_SCOPE : undefined;
  }
  if (kind.userId === 1 || kind.userId === 3) return "403 operator_required";
  if (kind.app) return NO_SCOPE;
  return kind.issuedAs === "member" ? "403 operator_required" : undefined;
}

async function errorOf(path: string, options: Call): Promise<string> {
  const { status, body } = await ask<ProblemBody>(path, options);
  return `${status} ${body.code}`;
}

const operations = needing("api_token", "operator_token", "cost_credential");

describe.each(operations.map((operation): [string, EveryOperation] => [operation.name, operation]))(
  "%s",
  (_, operation) => {
    it("accepts the tokens whose scope and role include it, and no other", async () => {
      const { path, ...options } = rejectedInput(operation);
      // What another app gets is decided by the database, with the data. An invalid input would be rejected before.
      const json = operation.pattern.endsWith("/bulk") ? { links: [{ name: "x" }] } : { name: "x" };
      const before = await everything();
      // In `npm test`, of those that the guard answers alike one in turn. Which app a token is for, the operation itself compares.
      const comparesApps = operation.need === "api_token";
      const alike = Map.groupBy([...kinds, ENDED], ({ kind }) => {
        const error = expectedError(operation, kind);
        return `${error} ${comparesApps && (!error || kind.app === DEMO.otherAppToken) && kind.app}`;
      });
      const place = operations.indexOf(operation);
      const chosen = [...alike.values()].flatMap((some) => oneOf(some.length, some, place));
      for (const { name, kind, token } of chosen) {
        const expected = expectedError(operation, kind);
        const isElsewhere = kind.app === DEMO.otherAppToken && operation.method !== "GET";
        const sent = { ...options, ...(isElsewhere && { json }), token };
        if (expected) expect(await errorOf(path, sent), name).toBe(expected);
        else expect((await call(path, sent)).status, name).toBe(acceptedStatus(operation));
      }
      expect(await everything()).toEqual(before);
    });

    it.runIf(operation.pattern.includes(":app_token"))("returns 404 for an app of others", async () => {
      const path = operation.path.replace(DEMO.appToken, DEMO.otherAppToken);
      const json = operation.pattern.endsWith("/bulk") ? { links: [{ name: "x" }] } : { name: "x" };
      const options = operation.method === "GET" ? {} : { method: operation.method, json };
      const ofMember = kinds.filter(({ kind }) => kind.userId === 1 && kind.scope === "write");
      expect(ofMember.map(({ kind }) => kind.app)).toEqual([undefined, DEMO.appToken]);
      for (const { token } of ofMember) {
        expect(await errorOf(path, { ...options, token })).toBe("404 not_found");
      }
    });
  },
);

it("lists only the app of a token for one app", async () => {
  const list = async (name: keyof typeof KINDS) => {
    const { token } = kinds.find((one) => one.name === name) ?? {};
    const { body } = await ask<{ data: { items: { token: string }[]; paging: { total: string } } }>(
      "/public/v1/apps",
      { token },
    );
    return [body.data.paging.total, ...body.data.items.map((app) => app.token)];
  };
  expect(await list("writes, of an operator")).toEqual(["2", DEMO.appToken, DEMO.otherAppToken]);
  expect(await list("writes to another app of the operator")).toEqual(["1", DEMO.otherAppToken]);
});
