/** The session of a partner: sign-in, its credential, its end, and its limits. */
import { beforeEach, describe, expect, it, vi } from "vitest";
import { createToken, hashToken } from "../../src/auth/secrets.ts";
import {
  type Call,
  call,
  countingDatabase,
  DAY,
  DEMO,
  env,
  freshDemo,
  NOW,
  rows,
  sendCost,
  withMethods,
} from "../harness.ts";
import { PartnerBrowser, signedIn } from "./support.ts";

beforeEach(freshDemo);

const HOUR = DAY / 24;

/** Revokes the credential of a partner as an operator. */
async function revoke(credential: string): Promise<void> {
  const hash = hashToken(credential, ["live", "test"]) ?? "";
  const [row] = await rows<{ id: number }>("SELECT id FROM credentials WHERE token_hash = ?", hash);
  const revoked = await call(`/operator/v1/credentials/${row?.id}/revoke`, {
    method: "POST",
    token: DEMO.operatorToken,
  });
  expect(revoked.status).toBe(200);
}

describe("the sign-in", () => {
  it("starts a session of two hours with an HttpOnly cookie that only this host gets", async () => {
    const browser = new PartnerBrowser();
    const answer = await browser.post("/partner", { credential: DEMO.costToken });
    expect([answer.status, answer.headers.get("location")]).toEqual([303, "/partner"]);
    expect(answer.headers.get("set-cookie")).toMatch(
      /^__Host-partner=[\w-]{43}; Max-Age=7200; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
    );
    expect((await browser.get("/partner")).text).toContain("Acme Ads");
    expect((await browser.get("/partner", { now: NOW + 2 * HOUR - 1 })).status).toBe(200);
    const ended = await browser.get("/partner/costs", { now: NOW + 2 * HOUR });
    expect(ended.headers.get("location")).toBe("/partner?notice=ended");
    expect((await browser.get("/partner?notice=ended")).text).toContain("Your session ended");
  });

  it("stores neither the credential nor the ID of the session", async () => {
    const browser = await signedIn();
    const stored = JSON.stringify(await rows("SELECT * FROM partner_sessions"));
    expect(stored).toContain(hashToken(DEMO.costToken, ["live"]));
    expect(stored).not.toContain(browser.cookie.split("=")[1]);
    expect(stored).not.toContain(DEMO.costToken);
    for (const path of ["/partner", "/partner/setup", "/partner/upload"])
      expect((await browser.get(path)).markup).not.toContain(DEMO.costToken);
  });

  it("accepts a credential with blanks around it", async () => {
    expect((await new PartnerBrowser().post("/partner", { credential: ` ${DEMO.costToken}\n` })).status).toBe(
      303,
    );
  });

  it.each([
    ["an unknown credential", createToken("live"), 401, "We don't know this credential."],
    ["an incomplete credential", DEMO.costToken.slice(0, -1), 401, "We don't know this credential."],
    ["an API token", DEMO.apiToken, 401, "This is a user's API token."],
    ["nothing", " ", 400, "credential must not be empty."],
  ])("rejects %s and starts no session", async (_, credential, status, text) => {
    const answer = await new PartnerBrowser().post("/partner", { credential });
    expect([answer.status, answer.headers.get("set-cookie")]).toEqual([status, null]);
    expect(answer.text).toContain(text);
    expect(answer.markup).not.toContain(`value="${credential}"`);
    expect(await rows("SELECT * FROM partner_sessions")).toEqual([]);
  });

  it("rejects a revoked credential and says so", async () => {
    await revoke(DEMO.costToken);
    const answer = await new PartnerBrowser().post("/partner", { credential: DEMO.costToken });
    expect([answer.status, answer.headers.get("set-cookie")]).toEqual([403, null]);
    expect(answer.text).toContain("This credential was revoked. Ask your operator for a new one.");
  });

  it("never takes a credential from the URL", async () => {
    const answer = await new PartnerBrowser().get(`/partner?credential=${DEMO.costToken}`);
    expect(answer.text).toContain("Partner sign-in");
    expect(await rows("SELECT * FROM partner_sessions")).toEqual([]);
  });

  it("gets 429 after too many unknown credentials from an address, and another address does not", async () => {
    const keys: string[] = [];
    const limit: RateLimit["limit"] = async ({ key }) => {
      keys.push(key);
      return { success: keys.filter((one) => one === key).length <= 2 };
    };
    const guess = async (address: string, credential = createToken("live")) => {
      const headers = { "cf-connecting-ip": address };
      const options = { headers, env: { ADDRESS_REJECTIONS: { limit } } };
      return (await new PartnerBrowser().post("/partner", { credential }, options)).status;
    };
    expect([await guess("192.0.2.1"), await guess("192.0.2.1", "noise"), await guess("192.0.2.1")]).toEqual([
      401, 401, 429,
    ]);
    expect(await guess("192.0.2.2")).toBe(401);
    expect(await guess("192.0.2.3", DEMO.costToken)).toBe(303);
    expect(keys).toEqual(["192.0.2.1", "192.0.2.1", "192.0.2.1", "192.0.2.2"]);
  });

  it("counts as a use of its credential, and gets 429 above the limit without a call to the database", async () => {
    const keys: string[] = [];
    const limit: RateLimit["limit"] = async ({ key }) => ({ success: keys.push(key) <= 1 });
    const { database, counts } = countingDatabase();
    const options = { env: { DB: database, CREDENTIAL_REQUESTS: { limit } } };
    const signIn = () => new PartnerBrowser().post("/partner", { credential: DEMO.costToken }, options);
    expect([(await signIn()).status, counts.calls]).toEqual([303, 1]);
    const limited = await signIn();
    expect([limited.status, limited.headers.get("retry-after"), counts.calls]).toEqual([429, "60", 1]);
    expect(keys).toEqual(Array(2).fill(hashToken(DEMO.costToken, ["live"])));
  });

  it("replaces the session that the browser had", async () => {
    const browser = await signedIn();
    const first = browser.cookie;
    await browser.post("/partner", { credential: DEMO.testCostToken });
    expect((await browser.get("/partner/round")).text).toContain("Corsair Media");
    const old = new PartnerBrowser();
    old.cookie = first;
    expect((await old.get("/partner/costs")).status).toBe(303);
  });
});

describe("the audit log", () => {
  const FIREFOX = { headers: { "user-agent": "Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0" } };
  /** The entries of the partners: who, what, and the detail. */
  const entries = async () =>
    (
      await rows<{ detail: string }>(
        "SELECT happened_at, user_id, action, subject, detail FROM audit_log WHERE user_id IS NULL",
      )
    ).map((entry) => ({ ...entry, detail: JSON.parse(entry.detail) }));
  const entry = (action: string, partner: number, credential: number, token: string, browser: string) => ({
    happened_at: NOW,
    user_id: null,
    action,
    subject: `partner ${partner}`,
    detail: { browser, credential_id: credential, hint: `${token.slice(0, 8)}…${token.slice(-4)}` },
  });

  it("has the sign-in and the sign-out of a partner, with its credential", async () => {
    const browser = new PartnerBrowser();
    await browser.post("/partner", { credential: DEMO.costToken }, FIREFOX);
    await browser.post("/partner/sign-out", {}, FIREFOX);
    await browser.post("/partner", { credential: DEMO.testCostToken });
    expect(await entries()).toEqual([
      entry("sign in", 1, 1, DEMO.costToken, "Firefox on Linux"),
      entry("sign out", 1, 1, DEMO.costToken, "Firefox on Linux"),
      entry("sign in", 3, 4, DEMO.testCostToken, "Unknown browser"),
    ]);
  });

  it("has nothing of a sign-in that is rejected, and of a sign-out without a session", async () => {
    const browser = await signedIn();
    const { cookie } = browser;
    const before = await entries();
    await rows("UPDATE partner_sessions SET expires_at = ?", NOW);
    await browser.post("/partner/sign-out");
    browser.cookie = cookie;
    await browser.post("/partner/sign-out");
    const revoked = await signedIn();
    const afterSignIn = await entries();
    await revoke(DEMO.costToken);
    await revoked.post("/partner/sign-out");
    for (const credential of [DEMO.costToken, createToken("live"), "noise", DEMO.apiToken])
      await new PartnerBrowser().post("/partner", { credential });
    expect([before.length, afterSignIn.length, await entries()]).toEqual([1, 2, afterSignIn]);
  });

  it("has the void of a cost on its page", async () => {
    const browser = await signedIn();
    await sendCost({ cost_id: "voided-on-page-1", cost_amount: "0.5" });
    await browser.post("/partner/costs/voided-on-page-1/void");
    expect((await entries())[1]).toMatchObject({
      action: "void cost",
      subject: "partner 1",
      detail: { cost_id: "voided-on-page-1", amount: "0.5", credential_id: 1 },
    });
  });
});

describe("the log line", () => {
  /** The partner and the credential in the line of a request, with its outcome. */
  async function lineOf(send: () => Promise<unknown>) {
    const log = vi.spyOn(console, "log").mockImplementation(() => {});
    await send();
    const { route, status, outcome, partner_id, credential_id } = JSON.parse(log.mock.lastCall?.[0] ?? "{}");
    log.mockRestore();
    return [route, status, outcome, partner_id, credential_id];
  }
  const signIn = (credential: string, options: Call = {}) =>
    lineOf(() => new PartnerBrowser().post("/partner", { credential }, options));

  it("of a sign-in has the partner, the credential and the outcome", async () => {
    expect(await signIn(DEMO.costToken)).toEqual(["/partner", 303, "ok", 1, 1]);
    expect(await signIn(DEMO.testCostToken)).toEqual(["/partner", 303, "ok", 3, 4]);
    expect(await signIn(createToken("live"))).toEqual([
      "/partner",
      401,
      "unauthorized",
      undefined,
      undefined,
    ]);
    expect(await signIn("noise")).toEqual(["/partner", 401, "unauthorized", undefined, undefined]);
    await revoke(DEMO.costToken);
    expect(await signIn(DEMO.costToken)).toEqual(["/partner", 403, "credential_revoked", 1, 1]);
    const limited = { env: { CREDENTIAL_REQUESTS: { limit: async () => ({ success: false }) } } };
    expect(await signIn(DEMO.testCostToken, limited)).toEqual([
      "/partner",
      429,
      "rate_limited",
      undefined,
      undefined,
    ]);
  });

  it("of a page and of the sign-out has them too", async () => {
    const browser = await signedIn();
    expect(await lineOf(() => browser.get("/partner/costs"))).toEqual(["/partner/costs", 200, "ok", 1, 1]);
    expect(await lineOf(() => browser.post("/partner/sign-out"))).toEqual([
      "/partner/sign-out",
      303,
      "ok",
      1,
      1,
    ]);
  });
});

describe("the session", () => {
  const PATHS = ["/partner", "/partner/costs", "/partner/costs.csv", "/partner/upload", "/partner/setup"];

  it("is gone with the revocation of its credential, and other sessions of the partner are not", async () => {
    const other = createToken("live", "SecondOfAcme".padEnd(43, "0"));
    await env.DB.prepare(
      "INSERT INTO credentials (token_hash, partner_id, mode, cost_types, hint, created_at) VALUES (?, 1, 'live', 1, '', 0)",
    )
      .bind(hashToken(other, ["live"]))
      .run();
    const [browser, second] = [await signedIn(), await signedIn(other)];
    await revoke(DEMO.costToken);
    for (const path of PATHS) {
      expect((await second.get(path)).status).toBe(200);
      const lost = new PartnerBrowser();
      lost.cookie = browser.cookie;
      const answer = await lost.get(path);
      expect([answer.status, answer.headers.get("location")]).toEqual([303, "/partner?notice=ended"]);
      expect(lost.cookie).toBe("");
    }
    expect((await browser.get("/partner", { headers: { accept: "application/json" } })).status).toBe(401);
  });

  it("shows nothing if its credential is revoked while the page is built", async () => {
    const browser = await signedIn();
    let calls = 0;
    const revokesFirst = withMethods(env.DB, {
      batch: async (statements: D1PreparedStatement[]) => {
        calls++;
        const results = await env.DB.batch(statements);
        if (calls === 1) await revoke(DEMO.costToken);
        return results;
      },
    });
    const answer = await browser.get("/partner/costs", { env: { DB: revokesFirst } });
    expect([answer.status, answer.headers.get("location")]).toEqual([303, "/partner?notice=ended"]);
  });

  it("stores no cost if its credential is revoked while the file is imported", async () => {
    const browser = await signedIn();
    const checked = await browser.upload(
      "cost_type,cost_currency,cost_id,cost_amount,tag\ncpc,USD,revoked-import-01,1,t",
    );
    let calls = 0;
    const revokesFirst = withMethods(env.DB, {
      batch: async (statements: D1PreparedStatement[]) => {
        calls++;
        const results = await env.DB.batch(statements);
        if (calls === 1) await revoke(DEMO.costToken);
        return results;
      },
    });
    expect((await browser.confirm(checked, { env: { DB: revokesFirst } })).status).toBe(303);
    expect(await rows("SELECT * FROM costs WHERE cost_id = 'revoked-import-01'")).toEqual([]);
  });

  it("ends with a sign-out, in the database too", async () => {
    const browser = await signedIn();
    const { cookie } = browser;
    const answer = await browser.post("/partner/sign-out");
    expect(answer.headers.get("location")).toBe("/partner?notice=signed-out");
    expect(browser.cookie).toBe("");
    browser.cookie = cookie;
    expect((await browser.get("/partner/costs")).status).toBe(303);
    expect(await rows("SELECT * FROM partner_sessions")).toEqual([]);
  });

  it("counts as a use of its credential, and gets 429 above the limit", async () => {
    const browser = await signedIn();
    const keys: string[] = [];
    const limit: RateLimit["limit"] = async ({ key }) => ({ success: keys.push(key) <= 1 });
    const bindings = { CREDENTIAL_REQUESTS: { limit } };
    expect((await browser.get("/partner/setup", { env: bindings })).status).toBe(200);
    const limited = await browser.get("/partner/setup", { env: bindings });
    expect([limited.status, limited.headers.get("retry-after")]).toEqual([429, "60"]);
    expect(keys).toEqual(Array(2).fill(hashToken(DEMO.costToken, ["live"])));
  });

  it("of an expired browser is deleted by the purge", async () => {
    const { purge } = await import("../../src/purge.ts");
    const { ledgerOn } = await import("../harness.ts");
    await signedIn();
    await purge(ledgerOn(), NOW + 2 * HOUR - 1);
    expect(await rows("SELECT 1 FROM partner_sessions")).toHaveLength(1);
    await purge(ledgerOn(), NOW + 2 * HOUR);
    expect(await rows("SELECT 1 FROM partner_sessions")).toEqual([]);
  });
});
