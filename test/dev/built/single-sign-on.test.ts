/** Single sign-on in the built Worker with a real provider. Every attack leaves no session and links nobody. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { DEMO } from "../../../src/dev/demo.ts";
import { expectDefined } from "../../../src/domain/expect-defined.ts";
import { sha256 } from "../../../src/domain/hash.ts";
import { remember } from "../../databases.ts";
import { CLIENT, sign } from "../../single-sign-on/provider.ts";
import { Visitor } from "../../single-sign-on/visitor.ts";
import {
  resetUsers,
  type SingleSignOnWorker,
  startWithProvider,
  USERS,
} from "../../single-sign-on/worker.ts";
import { type FaultyWorker, startFaulty } from "./faulty.ts";

const MINUTE = 60_000;

let server: FaultyWorker;
let worker: SingleSignOnWorker;
let start: string;
beforeAll(async () => {
  const started = await startWithProvider(async (settings) => {
    server = await startFaulty(settings);
    return server;
  });
  worker = { ...started, db: remember(server.db) as D1Database };
  start = `${worker.origin}/login/sso`;
});
afterAll(() => worker.stop());
beforeEach(() => resetUsers(worker));

const query = async <T = Record<string, unknown>>(sql: string) =>
  (await server.rows.prepare(sql).all<T>()).results;
const sessions = () => query<{ user_id: number; password_at: number }>("SELECT * FROM sessions");
const identities = () =>
  query<{ issuer: string; subject: string; user_id: number }>("SELECT * FROM identities");
const attempts = () =>
  query<{ user_id: number; subject: string; is_verified: number; code: string }>(
    "SELECT * FROM sign_in_attempts",
  );
const lastAudit = async () =>
  (await query<{ action: string; user_id: number }>("SELECT * FROM audit_log ORDER BY id DESC LIMIT 1"))[0];

const link = (userId: number, subject: string) =>
  worker.db
    .prepare("INSERT INTO identities VALUES (?, ?, ?, 0)")
    .bind(worker.provider.issuer, subject, userId)
    .run();

/** Checks that a response signed nobody in. */
async function expectRejected(response: Response, status = 400): Promise<string> {
  const text = await response.text();
  expect(response.status, text).toBe(status);
  expect(response.headers.getSetCookie().filter((line) => line.startsWith("session="))).toEqual([]);
  expect(await sessions()).toEqual([]);
  return text;
}

describe("the first sign-in", () => {
  it("links a member whose email address is verified, starts a session, and leads to the page that was asked for", async () => {
    const visitor = new Visitor();
    const response = await visitor.signIn(
      `${start}?next=${encodeURIComponent("/account?x=1")}`,
      "ana-at-provider",
    );
    expect([response.status, response.headers.get("location")]).toEqual([303, "/account?x=1"]);
    expect(await identities()).toMatchObject([
      { issuer: worker.provider.issuer, subject: "ana-at-provider", user_id: USERS.ana.id },
    ]);
    expect(await sessions()).toMatchObject([{ user_id: USERS.ana.id, password_at: 0 }]);
    expect(await lastAudit()).toMatchObject({ action: "sign in", user_id: USERS.ana.id });
    const page = await visitor.send(`${worker.origin}/account`);
    expect(await page.text()).toContain("ana@example.com");
  });

  // Each would be Ana's address if it were trimmed, or folded beyond ASCII.
  const CHANGED = [
    " ana@example.com",
    "ana@example.com ",
    "ana@example.com\n",
    "\tana@example.com",
    "ana@example.com\u00a0",
    "\ufeffana@example.com",
    "ana@example.com\u200b",
    "an\u00aa@example.com",
    "\uff41na@example.com",
  ];
  it.each(CHANGED)("compares the email address as sent: %j is of nobody", async (email) => {
    worker.provider.accounts["ana-at-provider"] = { email, email_verified: true };
    await expectRejected(await new Visitor().signIn(start, "ana-at-provider"), 403);
    expect([await identities(), await attempts()]).toEqual([[], []]);
  });

  it("does not fold the Kelvin sign to k", async () => {
    await worker.db.prepare(`UPDATE users SET email = 'kim@example.com' WHERE id = ${USERS.ana.id}`).run();
    worker.provider.accounts["kim-at-provider"] = { email: "\u212aim@example.com", email_verified: true };
    await expectRejected(await new Visitor().signIn(start, "kim-at-provider"), 403);
    expect([await identities(), await attempts()]).toEqual([[], []]);
    worker.provider.accounts["kim-at-provider"] = { email: "KIM@example.com", email_verified: true };
    expect((await new Visitor().signIn(start, "kim-at-provider")).status).toBe(303);
  });

  it("compares email addresses without regard to case", async () => {
    worker.provider.accounts["ana-at-provider"] = { email: "Ana@Example.COM", email_verified: true };
    expect((await new Visitor().signIn(start, "ana-at-provider")).status).toBe(303);
  });

  it("asks the provider with PKCE, a state and a nonce, and with another of each every time", async () => {
    const ask = async () =>
      new URL((await new Visitor().send(start)).headers.get("location") ?? "").searchParams;
    const [first, second] = [await ask(), await ask()];
    expect(Object.fromEntries(first)).toMatchObject({
      response_type: "code",
      scope: "openid email",
      code_challenge_method: "S256",
      client_id: CLIENT.id,
      redirect_uri: `${worker.origin}/login/sso/callback`,
    });
    for (const name of ["state", "nonce", "code_challenge"]) {
      expect(first.get(name)).toMatch(/^[\w-]{43}$/);
      expect(second.get(name)).not.toBe(first.get(name));
    }
  });
});

describe("a linked user", () => {
  it("stays the same after the email address changed at the provider, even to that of another user", async () => {
    await link(USERS.ana.id, "ana-at-provider");
    for (const email of ["new@example.com", "ben@example.com", "olga@example.com", undefined]) {
      worker.provider.accounts["ana-at-provider"] = { email, email_verified: true };
      expect((await new Visitor().signIn(start, "ana-at-provider")).status).toBe(303);
    }
    expect((await sessions()).map(({ user_id }) => user_id)).toEqual(Array(4).fill(USERS.ana.id));
    expect(await identities()).toHaveLength(1);
  });

  it("is an operator after the link, without a second factor of ours", async () => {
    await link(USERS.olga.id, "olga-at-provider");
    const visitor = new Visitor();
    expect((await visitor.signIn(start, "olga-at-provider")).status).toBe(303);
    expect((await visitor.send(`${worker.origin}/operator`)).status).toBe(200);
  });

  const METHODS: [amr: unknown, onlyPassword: 0 | 1][] = [
    [undefined, 0],
    [[], 0],
    [["pwd"], 1],
    ["pwd", 1],
    [["pwd", "kba"], 1],
    [["pwd", "otp"], 0],
    [["pwd", "mfa"], 0],
    [["hwk"], 0],
    [[1, { pwd: true }], 0],
  ];
  it.each(METHODS)(
    "has a session that remembers whether there was only a password: amr %j",
    async (amr, only) => {
      await link(USERS.olga.id, "olga-at-provider");
      worker.provider.changeToken = with_({ amr });
      expect((await new Visitor().signIn(start, "olga-at-provider")).status).toBe(303);
      expect(await sessions()).toMatchObject([{ user_id: USERS.olga.id, only_password: only }]);
    },
  );

  it("is let into the console by a confirmation with a second factor", async () => {
    await link(USERS.olga.id, "olga-at-provider");
    const visitor = new Visitor();
    worker.provider.changeToken = with_({ amr: ["pwd"] });
    await visitor.signIn(start, "olga-at-provider");
    worker.provider.changeToken = with_({ amr: ["pwd", "otp"] });
    await visitor.signIn(`${start}?confirm=yes&next=/operator`, "olga-at-provider");
    expect(await sessions()).toMatchObject([{ only_password: 0 }]);
  });

  it("is not signed in while disabled", async () => {
    await link(USERS.ana.id, "ana-at-provider");
    await worker.db.prepare(`UPDATE users SET disabled_at = 1 WHERE id = ${USERS.ana.id}`).run();
    await expectRejected(await new Visitor().signIn(start, "ana-at-provider"), 403);
    expect(await lastAudit()).toMatchObject({ action: "sign-in failed" });
  });

  it("is signed out here, and the page says that the session of the provider goes on", async () => {
    const visitor = new Visitor();
    await visitor.signIn(start, "ana-at-provider");
    const response = await visitor.send(`${worker.origin}/logout`, {});
    expect(response.headers.get("location")).toBe("/login?notice=signed-out-here");
    expect(await sessions()).toEqual([]);
    const page = await (await visitor.send(`${worker.origin}/login?notice=signed-out-here`)).text();
    expect(page).toContain("You may still be signed in at your company");
  });
});

type Claims = Record<string, unknown>;
type Change = NonNullable<SingleSignOnWorker["provider"]["changeToken"]>;
const without = (name: string) => (claims: Claims) => {
  const { [name]: _, ...rest } = claims;
  return rest;
};
const with_ = (changed: Claims) => (claims: Claims) => ({ ...claims, ...changed });

describe("an ID token", () => {
  const WRONG: [what: string, change: Change][] = [
    ["with another nonce", with_({ nonce: "another" })],
    ["without a nonce", without("nonce")],
    ["for another audience", with_({ aud: "somebody-else" })],
    [
      "for us and another audience, that another party asked for",
      with_({ aud: [CLIENT.id, "other"], azp: "other" }),
    ],
    ["of another issuer", with_({ iss: "https://evil.example" })],
    ["without a subject", without("sub")],
    ["with an empty subject", with_({ sub: "" })],
    ["with a subject of 256 characters", with_({ sub: "s".repeat(256) })],
    ["with a subject that has a space", with_({ sub: "ana at-provider" })],
    ["with a subject that is not ASCII", with_({ sub: "ana-at-pr\u00f6vider" })],
    ["for us, that another party asked for", with_({ azp: "somebody-else" })],
    ["that is an access token (at+jwt)", (claims, key) => sign(claims, key, "at+jwt")],
    ["of another type", (claims, key) => sign(claims, key, "logout+jwt")],
    ["that has expired", with_({ exp: Math.floor(Date.now() / 1000) - 3600 })],
    ["without a signature", (claims) => sign(claims, "none")],
    ["signed with HS256 and our secret", (claims) => sign(claims, "HS256")],
    [
      "signed with a key that the provider does not publish",
      (claims) => sign(claims, worker.provider.unknownKey),
    ],
    [
      "signed with another key of the same name",
      (claims) => sign(claims, { ...worker.provider.unknownKey, kid: "key-1" }),
    ],
    ["that is no token", () => "not.a.token"],
  ];
  it.each(WRONG)("%s signs nobody in", async (_, change) => {
    worker.provider.changeToken = change;
    await expectRejected(await new Visitor().signIn(start, "ana-at-provider"));
    expect(await identities()).toEqual([]);
    expect(await attempts()).toEqual([]);
  });

  const RIGHT: [what: string, change: Change][] = [
    ["with a subject of 255 characters", with_({ sub: "!".repeat(254).concat("~") })],
    ["that names us as the party", with_({ azp: CLIENT.id })],
    ["without a type", (claims, key) => sign(claims, key, null)],
  ];
  it.each(RIGHT)("%s signs in", async (_, change) => {
    worker.provider.changeToken = change;
    expect((await new Visitor().signIn(start, "ana-at-provider")).status).toBe(303);
    expect(await sessions()).toMatchObject([{ user_id: USERS.ana.id }]);
  });

  it("with an unknown key twice makes us ask for the keys at most once", async () => {
    await new Visitor().signIn(start, "ana-at-provider");
    await worker.db.prepare("DELETE FROM sessions").run();
    worker.provider.changeToken = (claims) => sign(claims, worker.provider.unknownKey);
    const before = worker.provider.requests["/jwks"] ?? 0;
    for (let times = 0; times < 2; times++)
      await expectRejected(await new Visitor().signIn(start, "ana-at-provider"));
    expect((worker.provider.requests["/jwks"] ?? 0) - before).toBeLessThanOrEqual(1);
  });
});

describe("a sign-in that another site starts", () => {
  const sentFrom = (site: string) => ({ "sec-fetch-site": site, "sec-fetch-dest": "document" });

  it.each(["cross-site", "same-site"])(
    "(%s) ends on the sign-in page, and the provider is not asked",
    async (site) => {
      const visitor = new Visitor();
      const page = await visitor.send(`${start}?next=/account/tokens`, undefined, sentFrom(site));
      expect(page.status).toBe(200);
      expect(await page.text()).toContain('href="/login/sso?next=%2Faccount%2Ftokens"');
      expect(visitor.jarOf(worker.origin).has("sso")).toBe(false);
    },
  );

  it.each(["same-origin", "none"])("(%s) is not one", async (site) => {
    expect((await new Visitor().send(start, undefined, sentFrom(site))).status).toBe(303);
  });

  it("confirms nothing: a signed-in user is led to the page that it was for", async () => {
    const visitor = new Visitor();
    await visitor.signIn(start, "ana-at-provider");
    const confirm = `${start}?confirm=yes&next=/account/tokens`;
    const response = await visitor.send(confirm, undefined, sentFrom("cross-site"));
    expect([response.status, response.headers.get("location")]).toEqual([303, "/account/tokens"]);
    expect(visitor.jarOf(worker.origin).has("sso")).toBe(false);
  });
});

describe("a callback", () => {
  it("with another state signs nobody in", async () => {
    const visitor = new Visitor();
    const callback = new URL(await visitor.authorize(start, "ana-at-provider"));
    callback.searchParams.set("state", "x".repeat(43));
    await expectRejected(await visitor.send(callback.href));
  });

  it("that is sent again signs nobody in, also with its cookie, and does not reach the provider", async () => {
    const visitor = new Visitor();
    const callback = await visitor.authorize(start, "ana-at-provider");
    const cookie = visitor.jarOf(worker.origin).get("sso") ?? "";
    expect((await visitor.send(callback)).status).toBe(303);
    await worker.db.prepare("DELETE FROM sessions").run();
    await expectRejected(await visitor.send(callback));
    const exchanged = worker.provider.requests["/token"];
    visitor.jarOf(worker.origin).set("sso", cookie);
    await expectRejected(await visitor.send(callback));
    expect(worker.provider.requests["/token"]).toBe(exchanged);
  });

  it("that is sent twice at the same time signs in once", async () => {
    const visitor = new Visitor();
    const callback = await visitor.authorize(start, "ana-at-provider");
    const both = await Promise.all([visitor.send(callback), visitor.send(callback)]);
    expect(both.map(({ status }) => status).sort()).toEqual([303, 400]);
    expect(await sessions()).toHaveLength(1);
  });

  it("in another browser signs nobody in, also in one that began a sign-in of its own", async () => {
    const callback = await new Visitor().authorize(start, "ana-at-provider");
    await expectRejected(await new Visitor().send(callback));
    const other = new Visitor();
    await other.send(start);
    await expectRejected(await other.send(callback));
  });

  it("with a cookie that somebody changed signs nobody in", async () => {
    const visitor = new Visitor();
    const callback = await visitor.authorize(start, "ana-at-provider");
    const jar = visitor.jarOf(worker.origin);
    const cookie = jar.get("sso") ?? "";
    jar.set("sso", `${cookie.slice(0, -4)}AAAA`);
    await expectRejected(await visitor.send(callback));
  });

  it("10 minutes after the beginning signs nobody in", async () => {
    const visitor = new Visitor();
    const callback = await visitor.authorize(start, "ana-at-provider");
    await worker.setClock(10 * MINUTE);
    await expectRejected(await visitor.send(callback));
    await worker.setClock(0);
  });

  it("with another issuer signs nobody in", async () => {
    const visitor = new Visitor();
    const callback = new URL(await visitor.authorize(start, "ana-at-provider"));
    callback.searchParams.set("iss", "https://evil.example");
    await expectRejected(await visitor.send(callback.href));
  });

  it("with an error of the provider signs nobody in, and does not show its text", async () => {
    const visitor = new Visitor();
    const callback = new URL(await visitor.authorize(start, "ana-at-provider"));
    callback.searchParams.delete("code");
    callback.searchParams.set("error", "access_denied");
    callback.searchParams.set("error_description", "<b>call 555 now</b>");
    expect(await expectRejected(await visitor.send(callback.href))).not.toContain("call 555");
  });
});

describe("an identity without a link", () => {
  /** The code that the page shows. */
  const notLinked = async (account = "ana-at-provider") => {
    const page = await expectRejected(await new Visitor().signIn(start, account), 403);
    expect(page).toContain("Ask your operator to link it");
    return expectDefined(/<code>([2-9A-HJ-NP-Z]{6})<\/code>/.exec(page)?.[1]);
  };

  const UNVERIFIED: [what: string, claims: Claims][] = [
    ["missing", {}],
    ['the text "true"', { email_verified: "true" }],
    ["1", { email_verified: 1 }],
  ];
  it.each(UNVERIFIED)("is listed for an operator if email_verified is %s", async (_, claims) => {
    worker.provider.accounts["ana-at-provider"] = { email: "ana@example.com", ...claims };
    const code = await notLinked();
    expect(await identities()).toEqual([]);
    expect(await attempts()).toMatchObject([
      { user_id: USERS.ana.id, subject: "ana-at-provider", is_verified: 0, code },
    ]);
  });

  it.each([
    ["false", false],
    ['the text "false"', "false"],
  ])("is not listed if email_verified is %s, and the page says why", async (_, email_verified) => {
    worker.provider.accounts["olga-at-provider"] = { email: USERS.olga.email, email_verified };
    const page = await expectRejected(await new Visitor().signIn(start, "olga-at-provider"), 403);
    expect(page).toContain("your email address is not verified there");
    expect([await identities(), await attempts()]).toEqual([[], []]);
  });

  it("has places of its own if the address is verified: strangers who type the address push nobody out", async () => {
    const code = await notLinked("olga-at-provider");
    for (let number = 1; number <= 6; number++) {
      worker.provider.accounts[`stranger-${number}`] = { email: USERS.olga.email };
      await notLinked(`stranger-${number}`);
    }
    const listed = await attempts();
    expect(listed).toHaveLength(6);
    expect(listed).toContainEqual(
      expect.objectContaining({ subject: "olga-at-provider", is_verified: 1, code }),
    );
    expect(listed.filter(({ is_verified }) => is_verified === 0).map(({ subject }) => subject)).toEqual(
      [2, 3, 4, 5, 6].map((number) => `stranger-${number}`),
    );
  });

  it("is listed once, with the newest code and with what the provider said last", async () => {
    worker.provider.accounts["olga-at-provider"] = { email: USERS.olga.email };
    await notLinked("olga-at-provider");
    worker.provider.accounts["olga-at-provider"] = { email: USERS.olga.email, email_verified: true };
    const code = await notLinked("olga-at-provider");
    expect(await attempts()).toMatchObject([{ subject: "olga-at-provider", is_verified: 1, code }]);
  });

  it.each([DEMO.email, DEMO.operatorEmail, "nobody@example.com", "", "no address"])(
    "is neither linked nor listed with the email address %j, which is of no user of single sign-on",
    async (email) => {
      worker.provider.accounts["ana-at-provider"] = { email, email_verified: true };
      await notLinked();
      expect([await identities(), await attempts()]).toEqual([[], []]);
    },
  );

  it("is listed with the email address of an operator", async () => {
    await notLinked("olga-at-provider");
    expect(await identities()).toEqual([]);
    expect(await attempts()).toMatchObject([{ user_id: USERS.olga.id }]);
  });

  it("is listed if the user has another identity, which stays", async () => {
    await link(USERS.ana.id, "first-ana");
    await notLinked();
    expect(await identities()).toMatchObject([{ subject: "first-ana", user_id: USERS.ana.id }]);
    expect(await attempts()).toMatchObject([{ user_id: USERS.ana.id, subject: "ana-at-provider" }]);
  });

  it("is one of the newest 5 of the user", async () => {
    await link(USERS.ana.id, "first-ana");
    for (let number = 1; number <= 6; number++) {
      worker.provider.accounts[`ana-${number}`] = { email: "ana@example.com", email_verified: true };
      await notLinked(`ana-${number}`);
    }
    expect((await attempts()).map(({ subject }) => subject).sort()).toEqual(
      [2, 3, 4, 5, 6].map((n) => `ana-${n}`),
    );
  });

  it("is not signed in as a user who is disabled", async () => {
    await worker.db.prepare(`UPDATE users SET disabled_at = 1 WHERE id = ${USERS.ana.id}`).run();
    await notLinked();
    expect([await identities(), await attempts()]).toEqual([[], []]);
  });
});

describe("a return path", () => {
  const PATHS = [
    "https://evil.example/",
    "//evil.example/",
    "/\\evil.example",
    "/account/../../evil",
    "javascript:alert(1)",
    "/login/sso/callback",
    "\t//evil.example",
  ];
  it.each(PATHS)("%j does not lead away", async (next) => {
    const response = await new Visitor().signIn(
      `${start}?${new URLSearchParams({ next })}`,
      "ana-at-provider",
    );
    expect([response.status, response.headers.get("location")]).toEqual([303, "/"]);
  });
});

describe("a confirmation", () => {
  const confirm = (next = "/account/tokens") => `${start}?${new URLSearchParams({ confirm: "yes", next })}`;
  const signedIn = async (account = "ana-at-provider") => {
    const visitor = new Visitor();
    expect((await visitor.signIn(start, account)).status).toBe(303);
    return visitor;
  };
  const confirmedAt = async () => (await sessions())[0]?.password_at;

  it("is a new sign-in of the same person, and leads back", async () => {
    const visitor = await signedIn();
    const asked = new URL((await visitor.send(confirm())).headers.get("location") ?? "").searchParams;
    expect([asked.get("prompt"), asked.get("max_age")]).toEqual(["login", "0"]);
    const response = await visitor.signIn(confirm(), "ana-at-provider");
    expect([response.status, response.headers.get("location")]).toEqual([303, "/account/tokens"]);
    expect(Date.now() - ((await confirmedAt()) ?? 0)).toBeLessThan(10_000);
    expect(await lastAudit()).toMatchObject({ action: "confirm sign-in", user_id: USERS.ana.id });
    const created = await visitor.send(`${worker.origin}/account/tokens`, {
      name: "Nightly",
      scope: "read",
      app_token: "",
      days: "90",
    });
    expect(await created.text()).toContain("ll_read_");
  });

  it("gives the session another ID, and the one before ends", async () => {
    const visitor = await signedIn();
    const jar = visitor.jarOf(worker.origin);
    const before = jar.get("session") ?? "";
    const [old] = await query("SELECT * FROM sessions");
    await visitor.signIn(confirm(), "ana-at-provider");
    const [renewed] = await query("SELECT * FROM sessions");
    expect(renewed).toEqual({
      ...old,
      id_hash: sha256(jar.get("session") ?? ""),
      password_at: renewed?.password_at,
    });
    expect((await visitor.send(`${worker.origin}/account`)).status).toBe(200);
    jar.set("session", before);
    expect((await visitor.send(`${worker.origin}/account`)).status).toBe(303);
  });

  it("takes a sign-in of 30 seconds before, because clocks differ", async () => {
    const visitor = await signedIn();
    worker.provider.changeToken = with_({ auth_time: Math.floor(Date.now() / 1000) - 30 });
    expect((await visitor.signIn(confirm(), "ana-at-provider")).status).toBe(303);
    expect(await confirmedAt()).toBeGreaterThan(0);
  });

  const rejected = async (visitor: Visitor, account: string, status: number, text: string) => {
    // Without its session, the provider does not ask whether somebody else should be signed out there.
    visitor.jarOf(worker.provider.issuer).clear();
    const response = await visitor.signIn(confirm(), account);
    expect([response.status, await response.text()]).toEqual([status, expect.stringContaining(text)]);
    expect(await sessions()).toMatchObject([{ user_id: USERS.ana.id, password_at: 0 }]);
    expect((await visitor.send(`${worker.origin}/account`)).status).toBe(200);
  };

  it("as another person changes nothing, whether or not that person is a user", async () => {
    const visitor = await signedIn();
    await rejected(visitor, "ben-at-provider", 403, "as somebody else");
    await link(USERS.ben.id, "ben-at-provider");
    await rejected(visitor, "ben-at-provider", 403, "as somebody else");
    expect(await attempts()).toEqual([]);
  });

  const TIMES: [what: string, change: (claims: Claims) => Claims, status: number, text: string][] = [
    ["without auth_time", without("auth_time"), 403, "does not say when you signed in"],
    [
      "with one of 6 minutes ago",
      with_({ auth_time: Math.floor(Date.now() / 1000) - 360 }),
      403,
      "more than 5 minutes ago",
    ],
    [
      "with one in an hour",
      with_({ auth_time: Math.floor(Date.now() / 1000) + 3600 }),
      403,
      "more than 5 minutes ago",
    ],
    [
      "with one of two minutes before it was asked for",
      with_({ auth_time: Math.floor(Date.now() / 1000) - 120 }),
      403,
      "before you were asked to",
    ],
    ["with one that is a text", with_({ auth_time: "now" }), 400, "You&#39;re still signed in"],
    ["with another nonce", with_({ nonce: "another" }), 400, "You&#39;re still signed in"],
  ];
  it.each(TIMES)("%s confirms nothing", async (_, change, status, text) => {
    const visitor = await signedIn();
    worker.provider.changeToken = change;
    await rejected(visitor, "ana-at-provider", status, text);
  });

  it("in a session other than the one that asked confirms nothing", async () => {
    const visitor = await signedIn();
    const callback = await visitor.authorize(confirm(), "ana-at-provider");
    const jar = visitor.jarOf(worker.origin);
    jar.set("session", (await signedIn()).jarOf(worker.origin).get("session") ?? "");
    const response = await visitor.send(callback);
    expect([response.status, await response.text()]).toEqual([
      403,
      expect.stringContaining("ended or is another"),
    ]);
    expect((await sessions()).map(({ password_at }) => password_at)).toEqual([0, 0]);
  });

  it("lets a user reset the API token that an operator issued, and shows it once", async () => {
    await worker.db
      .prepare(
        "INSERT INTO api_tokens (token_hash, user_id, hint, created_at) VALUES ('issued', ?, 'll_api_…aaaa', 0)",
      )
      .bind(USERS.ana.id)
      .run();
    const visitor = await signedIn();
    const reset = () => visitor.send(`${worker.origin}/account/token/reset`, { replaces: "ll_api_…aaaa" });
    const early = await reset();
    expect(early.headers.get("location")).toMatch(/^\/login\/sso\?confirm=yes/);
    expect(await query("SELECT token_hash FROM api_tokens WHERE user_id = 101")).toEqual([
      { token_hash: "issued" },
    ]);
    await visitor.signIn(confirm("/account"), "ana-at-provider");
    const before = await confirmedAt();
    const page = await (await reset()).text();
    const [token] = /ll_api_\w{49}/.exec(page) ?? [];
    expect(
      (await fetch(`${worker.origin}/public/v1/apps`, { headers: { authorization: `Bearer ${token}` } }))
        .status,
    ).toBe(200);
    expect(await confirmedAt()).toBe(before);
    expect(await (await visitor.send(`${worker.origin}/account`)).text()).not.toContain(token);
  });
});

describe("the provider", () => {
  /** Long enough that its metadata is read again. */
  const later = async (hours: number) => worker.setClock(hours * 61 * MINUTE);

  it("can be down: the page says so with 503, and passwords still work", async () => {
    await later(1);
    worker.provider.isDown = true;
    const visitor = new Visitor();
    const response = await visitor.send(start);
    const page = await response.text();
    expect([response.status, response.headers.get("retry-after")]).toEqual([503, "30"]);
    expect(page).toContain("Single sign-on doesn&#39;t work at the moment");
    expect(page).toContain('name="password"');
    expect(
      (await visitor.send(`${worker.origin}/login`, { email: DEMO.email, password: DEMO.password })).status,
    ).toBe(303);
  });

  it("can fail after the sign-in there: nobody is signed in", async () => {
    const visitor = new Visitor();
    const callback = await visitor.authorize(start, "ana-at-provider");
    worker.provider.isDown = true;
    await expectRejected(await visitor.send(callback), 503);
  });

  it("with another issuer in its metadata is not used", async () => {
    await later(2);
    worker.provider.changeMetadata = (metadata) => ({ ...metadata, issuer: "https://evil.example" });
    await expectRejected(await new Visitor().send(start), 503);
  });

  it("is asked for its metadata once an hour", async () => {
    await later(3);
    const path = "/.well-known/openid-configuration";
    const before = worker.provider.requests[path] ?? 0;
    for (let times = 0; times < 3; times++) await new Visitor().signIn(start, "ana-at-provider");
    expect((worker.provider.requests[path] ?? 0) - before).toBe(1);
  });

  it("can replace its keys: a minute later, people sign in with the new ones", async () => {
    await later(4);
    expect((await new Visitor().signIn(start, "ana-at-provider")).status).toBe(303);
    worker.provider.rotateKeys();
    await worker.setClock(4 * 61 * MINUTE + MINUTE);
    expect((await new Visitor().signIn(start, "ana-at-provider")).status).toBe(303);
    expect(await sessions()).toHaveLength(2);
  });
});
