/** Sessions: their end after two hours without a request, and the list of them on the account page. */
import { beforeEach, describe, expect, it } from "vitest";
import { DEMO, freshDemo, NOW, rows } from "../harness.ts";
import { Browser, checkForLeakedSecrets, signedIn, singleSignOnUser } from "./support.ts";

beforeEach(async () => {
  await freshDemo();
});
checkForLeakedSecrets();

const password = DEMO.password;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const FIREFOX = "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0";

describe("a session", () => {
  const isAlive = async (browser: Browser, now: number) =>
    (await browser.get("/account", { now })).status === 200;

  it("ends two hours after its last request", async () => {
    const browser = await signedIn();
    expect(await isAlive(browser, NOW + 2 * HOUR - 1)).toBe(true);
    expect(await isAlive(browser, NOW + 4 * HOUR - 2)).toBe(true);
    expect(await isAlive(browser, NOW + 6 * HOUR - 2)).toBe(false);
    const page = await browser.get("/account", { now: NOW + 6 * HOUR });
    expect(page.headers.get("location")).toBe("/login?next=%2Faccount&notice=ended");
  });

  it("ends two hours after the sign-in without any request", async () => {
    expect(await isAlive(await signedIn(), NOW + 2 * HOUR)).toBe(false);
  });

  it("ends after 12 hours, also if it is in use", async () => {
    const browser = await signedIn();
    for (let hour = 1.5; hour < 12; hour += 1.5) expect(await isAlive(browser, NOW + hour * HOUR)).toBe(true);
    expect(await isAlive(browser, NOW + 12 * HOUR - 1)).toBe(true);
    expect(await isAlive(browser, NOW + 12 * HOUR)).toBe(false);
  });

  it("writes its last request at most every five minutes", async () => {
    const browser = await signedIn();
    const lastSeen = async (now: number) => {
      await browser.get("/account", { now });
      return (await rows<{ at: number }>("SELECT last_seen_at AS at FROM sessions"))[0]?.at;
    };
    expect(await lastSeen(NOW + 5 * MINUTE - 1)).toBe(NOW);
    expect(await lastSeen(NOW + 5 * MINUTE)).toBe(NOW + 5 * MINUTE);
    expect(await lastSeen(NOW + 10 * MINUTE - 1)).toBe(NOW + 5 * MINUTE);
  });
});

describe("the list of sessions", () => {
  const references = (text: string) =>
    [...text.matchAll(/name="session" value="([0-9a-f]{16})"/g)].map(([, reference = ""]) => reference);

  it("shows the browser, the times, and a button for each other session", async () => {
    const first = new Browser();
    await first.signIn(DEMO.email, DEMO.password, { headers: { "user-agent": FIREFOX } });
    const second = await signedIn();
    const { text } = await second.get("/account", { now: NOW + 30 * MINUTE });
    expect(text).toContain("Firefox on Windows");
    expect(text).toContain("Unknown browser");
    expect(text).toContain("15 Mar 2026, 12:00 UTC");
    expect(text).toContain("This session");
    expect(references(text)).toHaveLength(1);
  });

  it("does not have sessions that ended, wait for a code, or belong to others", async () => {
    await signedIn(DEMO.operatorEmail, DEMO.operatorPassword);
    await rows(
      "INSERT INTO sessions (id_hash, user_id, created_at, expires_at, last_seen_at, waiting_secret) VALUES ('w', 1, ?1, 9e15, ?1, 'x')",
      NOW,
    );
    await rows(
      "INSERT INTO sessions (id_hash, user_id, created_at, expires_at, last_seen_at) VALUES ('e', 1, 0, ?1, ?1)",
      NOW,
    );
    await rows(
      "INSERT INTO sessions (id_hash, user_id, created_at, expires_at, last_seen_at) VALUES ('i', 1, 0, 9e15, ?1)",
      NOW - 2 * HOUR,
    );
    const { text } = await (await signedIn()).get("/account");
    expect(references(text)).toEqual([]);
  });

  it("ends one session, which is recorded, and no other", async () => {
    const [first, second] = [await signedIn(), await signedIn()];
    const [reference = ""] = references((await second.get("/account")).text);
    const ended = await second.post("/account/sessions/end", { session: reference, password });
    expect([ended.status, ended.headers.get("location")]).toEqual([303, "/account?notice=session-ended"]);
    expect((await second.get("/account?notice=session-ended")).text).toContain("Session ended.");
    expect((await first.get("/account")).status).toBe(303);
    const entries = await rows("SELECT user_id, subject FROM audit_log WHERE action = 'end session'");
    expect(entries).toEqual([{ user_id: 1, subject: "user 1" }]);
  });

  it.each([
    ["without the password", {}, 400],
    ["with an empty password", { password: "" }, 400],
    ["with a wrong password", { password: "not-the-password" }, 403],
  ])("ends none %s", async (_, sent, status) => {
    const [first, second] = [await signedIn(), await signedIn()];
    const [reference = ""] = references((await second.get("/account")).text);
    const rejected = await second.post("/account/sessions/end", { session: reference, ...sent });
    expect(rejected.status).toBe(status);
    expect((await first.get("/account")).status).toBe(200);
    const everywhere = await second.post("/account/sign-out-everywhere", sent);
    expect(everywhere.status).toBe(status);
    expect((await first.get("/account")).status).toBe(200);
    expect((await second.get("/account")).status).toBe(200);
  });

  it("asks a user of single sign-on for a new sign-in", async () => {
    const browser = await singleSignOnUser();
    await rows(
      "INSERT INTO sessions SELECT 'other', user_id, created_at, expires_at, NULL, '', last_seen_at, 0, 0 FROM sessions",
    );
    const end = () => browser.post("/account/sessions/end", { session: "other" });
    await rows("UPDATE sessions SET id_hash = ? WHERE id_hash = 'other'", "0".repeat(64));
    const reference = "0".repeat(16);
    const post = (path: string, fields: Record<string, string> = {}) =>
      browser.post(`/account/${path}`, fields);
    expect((await end()).status).toBe(400);
    expect((await post("sessions/end", { session: reference })).status).toBe(403);
    expect((await post("sign-out-everywhere")).status).toBe(403);
    await rows("UPDATE sessions SET password_at = ?", NOW);
    expect((await post("sessions/end", { session: reference })).status).toBe(303);
    expect((await post("sign-out-everywhere")).status).toBe(303);
    expect(await rows("SELECT * FROM sessions")).toEqual([]);
  });

  it("never ends a session of another user", async () => {
    const operator = await signedIn(DEMO.operatorEmail, DEMO.operatorPassword);
    const [row] = await rows<{ id_hash: string }>("SELECT id_hash FROM sessions");
    const browser = await signedIn();
    await browser.post("/account/sessions/end", { session: row?.id_hash.slice(0, 16) ?? "", password });
    expect((await operator.get("/account")).status).toBe(200);
    expect(await rows("SELECT * FROM audit_log WHERE action = 'end session'")).toEqual([]);
  });

  it.each(["", "%", "_".repeat(16), "g".repeat(16), "0".repeat(64)])(
    "rejects the reference %j",
    async (session) => {
      const browser = await signedIn();
      expect((await browser.post("/account/sessions/end", { session, password })).status).toBe(400);
      expect((await browser.get("/account")).status).toBe(200);
    },
  );
});
