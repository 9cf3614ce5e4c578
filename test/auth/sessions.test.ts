/** The guard of the pages for signed-in users: a handler never runs without a row of a current session. */
import { beforeEach, describe, expect, it, vi } from "vitest";
import { withSession } from "../../src/auth/sessions.ts";
import { sha256 } from "../../src/domain/hash.ts";
import { buildContext, type Env } from "../../src/env.ts";
import { DEMO, env, freshDemo, NOW, ORIGIN } from "../harness.ts";
import { failingDatabase } from "../support.ts";

const ID = "s".repeat(43);
const MEMBER = 1;
const start = (expiresAt: number) =>
  env.DB.prepare(
    "INSERT INTO sessions (id_hash, user_id, created_at, last_seen_at, expires_at) VALUES (?1, ?2, ?3, ?3, ?4)",
  )
    .bind(sha256(ID), MEMBER, NOW - 1000, expiresAt)
    .run();

beforeEach(async () => {
  await freshDemo();
  await start(NOW + 1);
});

const handler = vi.fn(async () => new Response("for the user only"));
beforeEach(() => void handler.mockClear());

function send(cookie: string | undefined, options: RequestInit & { env?: Partial<Env> } = {}) {
  const { env: bindings, ...init } = options;
  const headers = { accept: "text/html", origin: ORIGIN, ...(cookie !== undefined && { cookie }) };
  const request = new Request(`${ORIGIN}/account`, { headers, ...init });
  const context = buildContext({ ...env, ...bindings }, request, { waitUntil: () => undefined }, () => NOW);
  return withSession(handler)(context);
}
const current = `__Host-session=${ID}`;

it.each(["GET", "POST"])("runs a handler with the user of a current session: %s", async (method) => {
  const response = await send(`other=x; ${current}`, { method });
  expect(await response.text()).toBe("for the user only");
  expect(handler).toHaveBeenCalledExactlyOnceWith(expect.anything(), {
    userId: MEMBER,
    email: DEMO.email,
    role: "member",
    hasPassword: 1,
    mustChangePassword: 0,
    hasTwoFactor: 0,
    lastSeenAt: NOW - 1000,
    passwordAt: 0,
    onlyPassword: 0,
    idHash: sha256(ID),
    apps: [
      {
        token: DEMO.appToken,
        name: "Demo App",
        linkCount: expect.any(Number),
        archivedAt: null,
        firstDay: expect.any(Number),
      },
    ],
  });
});

describe("runs no handler and redirects to the sign-in", () => {
  const changes: [string, string][] = [
    ["expires at this moment", `UPDATE sessions SET expires_at = ${NOW}`],
    ["has ended", "DELETE FROM sessions"],
    ["belongs to a user who was disabled", "UPDATE users SET disabled_at = 1 WHERE id = 1"],
    ["is stored for another ID", "UPDATE sessions SET id_hash = 'x'"],
    ["waits for a code", "UPDATE sessions SET waiting_secret = 'sealed'"],
  ];
  it.each(changes)("for a session that %s", async (_name, change) => {
    await env.DB.prepare(change).run();
    for (const method of ["GET", "POST"]) {
      const response = await send(current, { method });
      expect([response.status, response.headers.get("location")]).toEqual([
        303,
        "/login?next=%2Faccount&notice=ended",
      ]);
    }
    expect(handler).not.toHaveBeenCalled();
  });

  it.each([
    ["no cookie", undefined],
    ["an empty ID", "__Host-session="],
    ["an unknown ID", `__Host-session=${"u".repeat(43)}`],
    ["the stored hash as its ID", `__Host-session=${sha256(ID).slice(0, 43)}`],
    ["an ID that is too long", `${current}s`],
    ["a second session with the same name before the current one", `__Host-session=x; ${current}`],
    ["the cookie name for plain http", `session=${ID}`],
  ])("for %s", async (_name, cookie) => {
    expect((await send(cookie)).status).toBe(303);
    expect(handler).not.toHaveBeenCalled();
  });
});

it("runs no handler and throws if the database fails", async () => {
  const { database } = failingDatabase(() => true);
  await expect(send(current, { env: { DB: database } })).rejects.toThrow("injected");
  expect(handler).not.toHaveBeenCalled();
});

it("runs no handler for a form of another site, even with a current session", async () => {
  const headers = { cookie: current, origin: "https://evil.example" };
  await expect(send(undefined, { method: "POST", headers })).rejects.toMatchObject({ code: "cross_site" });
  expect(handler).not.toHaveBeenCalled();
});
