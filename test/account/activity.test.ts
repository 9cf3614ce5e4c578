/** What users do with their accounts is in the audit log and in the log lines, and the audit log never changes. */
import { beforeEach, describe, expect, it } from "vitest";
import { codeAt } from "../../src/auth/sign-in/totp.ts";
import { ask, type Call, DAY, DEMO, env, freshDemo, NOW, rows } from "../harness.ts";
import {
  Browser,
  checkForLeakedSecrets,
  loggedLines,
  shownToken,
  signedIn,
  singleSignOnUser,
} from "./support.ts";

checkForLeakedSecrets();
beforeEach(async () => {
  await freshDemo();
});

const FIREFOX = {
  "user-agent": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
};
const HOUR = 3_600_000;

/** The entries: `user 1 (by 1): sign in {…}`. */
async function audit(): Promise<string[]> {
  const found = await rows<{ subject: string; user_id: number | null; action: string; detail: string }>(
    "SELECT * FROM audit_log ORDER BY id",
  );
  return found.map(
    ({ subject, user_id, action, detail }) => `${subject} (by ${user_id}): ${action} ${detail}`,
  );
}

describe("the audit log has", () => {
  it("sign-ins with the browser, and sign-outs", async () => {
    const browser = new Browser();
    await browser.signIn(DEMO.email, DEMO.password, { headers: FIREFOX });
    await browser.post("/logout", {});
    const other = await signedIn();
    await other.post("/account/sign-out-everywhere", { password: DEMO.password });
    expect(await audit()).toEqual([
      'user 1 (by 1): sign in {"browser":"Firefox on Linux"}',
      "user 1 (by 1): sign out {}",
      'user 1 (by 1): sign in {"browser":"Unknown browser"}',
      "user 1 (by 1): sign out everywhere {}",
    ]);
    expect(await rows("SELECT DISTINCT happened_at FROM audit_log")).toEqual([{ happened_at: NOW }]);
  });

  it("no sign-out of a session that has ended", async () => {
    await new Browser().post("/logout", {});
    const browser = await signedIn();
    const id = browser.session ?? "";
    await browser.post("/logout", {});
    browser.cookies.set("__Host-session", id);
    await browser.post("/logout", {});
    expect((await audit()).filter((entry) => entry.includes("sign out"))).toHaveLength(1);
  });

  it("changes of the password and of the token, with its hint only, and each time that a token is shown", async () => {
    const browser = await signedIn();
    const old = (await browser.post("/account/token/show", { password: DEMO.password })).text;
    expect(old).toContain(DEMO.apiToken);
    const token = shownToken(await browser.post("/account/token/reset", { password: DEMO.password })) ?? "";
    const NEW = "a new and long password";
    await browser.post("/account/password", {
      current_password: DEMO.password,
      new_password: NEW,
      repeat_password: NEW,
    });
    await rows("DELETE FROM api_tokens WHERE user_id = 1");
    const created = shownToken(await browser.post("/account/token/reset", { password: NEW })) ?? "";
    expect((await audit()).slice(1)).toEqual([
      "user 1 (by 1): show API token {}",
      `user 1 (by 1): reset API token {"hint":"ll_api_…${token.slice(-4)}"}`,
      "user 1 (by 1): change password {}",
      `user 1 (by 1): create API token {"hint":"ll_api_…${created.slice(-4)}"}`,
    ]);
  });

  it("nothing of a change that was rejected", async () => {
    const browser = await signedIn();
    const before = await audit();
    for (const path of ["/account/token/show", "/account/token/reset"])
      await browser.post(path, { password: "" });
    await browser.post("/account/token/reset", { password: DEMO.password, replaces: "ll_api_…none" });
    await browser.post("/account/password", { current_password: DEMO.password, new_password: "short" });
    expect(await audit()).toEqual(before);
  });

  it("two-factor authentication: turning it on and off, its codes, and what a sign-in used", async () => {
    const browser = await signedIn();
    const { text } = await browser.get("/account/two-factor");
    const [, secret = ""] = /name="secret" value="(\w+)"/.exec(text) ?? [];
    const on = { secret, code: codeAt(secret, NOW - 30_000), password: DEMO.password };
    const [recovery = ""] =
      /\w{6}(-\w{6}){3}/.exec((await browser.post("/account/two-factor", on)).text) ?? [];
    for (const code of [codeAt(secret, NOW), recovery]) {
      const other = new Browser();
      await other.signIn();
      await other.post("/login/code", { code });
    }
    await browser.post("/account/two-factor/recovery-codes", { password: DEMO.password });
    await browser.post("/account/two-factor/off", { password: DEMO.password });
    expect((await audit()).slice(1)).toEqual([
      "user 1 (by 1): turn on two-factor {}",
      'user 1 (by 1): sign in {"browser":"Unknown browser","second_factor":"code"}',
      'user 1 (by 1): sign in {"browser":"Unknown browser","second_factor":"recovery code"}',
      "user 1 (by 1): create recovery codes {}",
      "user 1 (by 1): turn off two-factor {}",
    ]);
  });

  it("failed sign-ins of known users, with the reason", async () => {
    const headers = FIREFOX;
    await new Browser().signIn(DEMO.email, "not-the-password", { headers });
    await new Browser().signIn("nobody@example.com", "not-the-password", { headers });
    await rows("UPDATE users SET password_expires_at = 1 WHERE id = 2");
    await new Browser().signIn(DEMO.operatorEmail, DEMO.operatorPassword, { headers });
    expect(await audit()).toEqual([
      'user 1 (by null): sign-in failed {"reason":"wrong password","browser":"Firefox on Linux"}',
      'user 2 (by null): sign-in failed {"reason":"expired password","browser":"Firefox on Linux"}',
    ]);
  });

  it("wrong codes as failed sign-ins, and wrong passwords in a session as what they are: entered by the user", async () => {
    const browser = await signedIn();
    await browser.post("/account/token/show", { password: "not-the-password" }, { headers: FIREFOX });
    await browser.post("/account/password", {
      current_password: "not-the-password",
      new_password: "a new and long password",
      repeat_password: "a new and long password",
    });
    await rows("INSERT INTO authenticators (user_id, sealed, created_at, last_step) VALUES (1, 'x', 0, 0)");
    const other = new Browser();
    await other.signIn();
    await other.post("/login/code", { code: "000000" });
    await ask("/operator/v1/users/1", {
      token: DEMO.operatorToken,
      method: "PATCH",
      json: { role: "operator", your_password: "not-the-password" },
    });
    expect((await audit()).slice(1)).toEqual([
      'user 1 (by 1): enter wrong password {"route":"/account/token/show","browser":"Firefox on Linux"}',
      'user 1 (by 1): enter wrong password {"route":"/account/password","browser":"Unknown browser"}',
      'user 1 (by null): sign-in failed {"reason":"wrong code","browser":"Unknown browser"}',
      'user 2 (by 2): enter wrong password {"route":"/operator/v1/users/:id","browser":"Unknown browser"}',
    ]);
  });

  it("at most 10 failed sign-ins of a user in an hour", async () => {
    const fail = async (email: string, now: number, times: number) => {
      for (let count = 0; count < times; count++)
        await new Browser().signIn(email, "not-the-password", { now });
      const found = await rows<{ n: number }>(
        "SELECT count(*) AS n FROM audit_log WHERE action = 'sign-in failed'",
      );
      return found[0]?.n;
    };
    const start = Math.floor(NOW / HOUR) * HOUR;
    expect(await fail(DEMO.email, start, 9)).toBe(9);
    expect(await fail(DEMO.email, start + HOUR - 1, 5)).toBe(10);
    expect(await fail(DEMO.operatorEmail, start + HOUR - 1, 2)).toBe(12);
    expect(await fail(DEMO.email, start + HOUR, 12)).toBe(22);
    expect(await fail("nobody@example.com", start, 3)).toBe(22);
  });

  it("at most 10 wrong passwords, 10 wrong codes and 10 wrong passwords in sessions, each counted by itself", async () => {
    const signedInBrowser = await signedIn();
    await rows("INSERT INTO authenticators (user_id, sealed, created_at, last_step) VALUES (1, 'x', 0, 0)");
    const waiting = new Browser();
    await waiting.signIn();
    const sends = [
      () => new Browser().signIn(DEMO.email, "not-the-password"),
      () => waiting.post("/login/code", { code: "000000" }),
      () => signedInBrowser.post("/account/token/show", { password: "not-the-password" }),
    ];
    for (let count = 0; count < 11; count++) for (const send of sends) await send();
    const found = await rows(
      `SELECT action, detail ->> 'reason' AS reason, count(*) AS n FROM audit_log
        WHERE action <> 'sign in' GROUP BY 1, 2 ORDER BY 1, 2`,
    );
    expect(found).toEqual([
      { action: "enter wrong password", reason: null, n: 10 },
      { action: "sign-in failed", reason: "wrong code", n: 10 },
      { action: "sign-in failed", reason: "wrong password", n: 10 },
    ]);
  });
});

describe("an entry of the audit log", () => {
  it.each([
    ["changed", "UPDATE audit_log SET detail = '{}' WHERE id = 1", "cannot be changed"],
    ["deleted", "DELETE FROM audit_log WHERE id = 1", "cannot be deleted"],
    [
      "replaced",
      "INSERT OR REPLACE INTO audit_log (id, happened_at, action, subject, detail) VALUES (1, 0, 'x', 'x', '{}')",
      "cannot be replaced",
    ],
  ])("cannot be %s", async (_, statement, reason) => {
    await signedIn();
    const before = await rows("SELECT * FROM audit_log");
    await expect(env.DB.prepare(statement).run()).rejects.toThrow(reason);
    expect(await rows("SELECT * FROM audit_log")).toEqual(before);
    expect(before).toHaveLength(1);
  });

  it("is shown to operators, also for a failed sign-in", async () => {
    await new Browser().signIn(DEMO.email, "not-the-password");
    const operator = await signedIn(DEMO.operatorEmail, DEMO.operatorPassword);
    const { text } = await operator.get("/operator/audit");
    const [sentence = ""] = /<div class="sentence"><span class="by">Somebody[\s\S]*?<\/div>/.exec(text) ?? [];
    expect(sentence.replace(/<[^>]*>/g, "").replace(/\s+/g, " ")).toBe(
      "Somebody failed to sign in as demo@example.com (wrong password)",
    );
    const { body } = await ask<{ data: { items: { user: unknown; action: string }[] } }>(
      "/operator/v1/audit",
      {
        token: DEMO.operatorToken,
      },
    );
    expect(body.data.items.map(({ user, action }) => [user, action])).toEqual([
      [{ id: 2, email: DEMO.operatorEmail }, "sign in"],
      [null, "sign-in failed"],
    ]);
  });
});

describe("the log line of a sign-in carries the user and the outcome", () => {
  /** The line of the last request. */
  async function lineOf(send: () => Promise<unknown>) {
    await send();
    const { route, status, outcome, user_id } = JSON.parse(loggedLines().at(-1) ?? "{}");
    return [route, status, outcome, user_id];
  }
  const signIn = (email: string, password: string, options: Call = {}) =>
    lineOf(() => new Browser().signIn(email, password, options));

  it("when it succeeds or fails", async () => {
    await singleSignOnUser();
    expect(await signIn(DEMO.email, DEMO.password)).toEqual(["/login", 303, "ok", 1]);
    expect(await signIn(DEMO.email, "not-the-password")).toEqual(["/login", 401, "wrong_password", 1]);
    expect(await signIn("sso@example.com", "a-password")).toEqual(["/login", 401, "wrong_password", 77]);
    expect(await signIn("nobody@example.com", "a-password")).toEqual([
      "/login",
      401,
      "wrong_password",
      undefined,
    ]);
    expect(await signIn("not an email", "a-password")).toEqual(["/login", 400, "invalid_request", undefined]);
    const limited = { env: { PASSWORD_ATTEMPTS: { limit: async () => ({ success: false }) } } };
    expect(await signIn(DEMO.email, DEMO.password, limited)).toEqual([
      "/login",
      429,
      "rate_limited",
      undefined,
    ]);
    await rows("UPDATE users SET password_expires_at = ? WHERE id = 1", NOW + DAY);
    const late = { now: NOW + DAY };
    expect(await signIn(DEMO.email, DEMO.password, late)).toEqual(["/login", 401, "password_expired", 1]);
  });

  it("with two-factor authentication", async () => {
    await rows("INSERT INTO authenticators (user_id, sealed, created_at, last_step) VALUES (1, 'x', 0, 0)");
    expect(await signIn(DEMO.email, DEMO.password)).toEqual(["/login", 303, "code_required", 1]);
    const browser = new Browser();
    await browser.signIn();
    const enter = (code: string) => lineOf(() => browser.post("/login/code", { code }));
    expect(await enter("000000")).toEqual(["/login/code", 401, "wrong_code", 1]);
    expect(await enter("")).toEqual(["/login/code", 400, "invalid_request", 1]);
  });

  it("and so do the forms that ask for the password again, and the sign-out", async () => {
    const browser = await signedIn();
    const show = () => browser.post("/account/token/show", { password: "not-the-password" });
    expect(await lineOf(show)).toEqual(["/account/token/show", 403, "wrong_password", 1]);
    expect(await lineOf(() => browser.post("/logout", {}))).toEqual(["/logout", 303, "ok", 1]);
  });
});
