import { beforeEach, describe, expect, it } from "vitest";
import { DEMO, env, freshDemo } from "../harness.ts";
import {
  accountState,
  Browser,
  checkForLeakedSecrets,
  freshSession,
  racedDatabase,
  shownToken,
  signedIn,
  singleSignOnUser,
  statusLine,
  useToken,
} from "./support.ts";

checkForLeakedSecrets();
let browser: Browser;
beforeEach(async () => {
  browser = await freshSession(freshDemo);
});

const PATH = "/account/password";
const NEW = "a new and long password";
const form = (more: Record<string, string> = {}) => ({
  current_password: DEMO.password,
  new_password: NEW,
  repeat_password: NEW,
  ...more,
});

describe("changing the password", () => {
  it("accepts the new password and rejects the old one", async () => {
    const page = await browser.post(PATH, form());
    expect([page.status, statusLine(page)]).toEqual([200, "Password changed."]);
    expect((await new Browser().signIn(DEMO.email, DEMO.password)).status).toBe(401);
    expect((await new Browser().signIn(DEMO.email, NEW)).status).toBe(303);
  });

  it("keeps the API token, which only the new password can show", async () => {
    await browser.post(PATH, form());
    expect(await useToken(DEMO.apiToken)).toBe(200);
    expect(shownToken(await browser.post("/account/token/show", { password: NEW }))).toBe(DEMO.apiToken);
    expect((await browser.post("/account/token/show", { password: DEMO.password })).status).toBe(403);
  });

  it("renews the session of this browser and ends all others", async () => {
    const elsewhere = await signedIn();
    const before = browser.session;
    await browser.post(PATH, form());
    expect(browser.session).not.toBe(before);
    expect((await browser.get("/account")).status).toBe(200);
    expect((await elsewhere.get("/account")).status).toBe(303);
  });

  it("does not change a token that cannot be shown", async () => {
    await env.DB.exec("UPDATE api_tokens SET sealed = NULL WHERE user_id = 1");
    expect((await browser.post(PATH, form())).status).toBe(200);
    expect((await accountState()).tokens[0]).toMatchObject({ user_id: 1, sealed: null });
    expect(await useToken(DEMO.apiToken)).toBe(200);
  });

  it("accepts composed and decomposed Unicode letters as equal", async () => {
    const composed = { new_password: "pass\u00e9 longtemps", repeat_password: "pass\u00e9 longtemps" };
    expect((await browser.post(PATH, form(composed))).status).toBe(200);
    expect((await new Browser().signIn(DEMO.email, "passe\u0301 longtemps")).status).toBe(303);
  });

  it.each([
    [
      "a wrong current password",
      { current_password: "not-the-password" },
      403,
      "The current password is incorrect.",
    ],
    ["an empty current password", { current_password: "" }, 400, "The current password must not be empty."],
    [
      "a new password of 11 characters",
      { new_password: "x".repeat(11), repeat_password: "x".repeat(11) },
      400,
      "at least 12",
    ],
    ["a new password of 10 KB", { new_password: "x".repeat(10_240) }, 400, "at most 256"],
    [
      "a confirmation that differs",
      { repeat_password: `${NEW}!` },
      400,
      "The confirmation must match the new password.",
    ],
    [
      "the current password as the new one",
      { new_password: DEMO.password, repeat_password: DEMO.password },
      400,
      "The new password must differ from the current password.",
    ],
    [
      "a common password",
      { new_password: "password1234", repeat_password: "password1234" },
      400,
      "The new password is too easy to guess",
    ],
    [
      "the email address",
      { new_password: DEMO.email, repeat_password: DEMO.email },
      400,
      "The new password is too easy to guess, because it consists of your email address",
    ],
    [
      "the host name of this site",
      { new_password: "linkledger.test", repeat_password: "linkledger.test" },
      400,
      "it consists of your email address or the name of this site; use several unrelated words.",
    ],
  ])("rejects %s and changes nothing", async (_name, more, status, sentence) => {
    const before = await accountState();
    const page = await browser.post(PATH, form(more));
    expect(page.status).toBe(status);
    expect(page.text).toContain(sentence);
    expect(page.text).toContain("Password not changed. Fix the errors below and try again.");
    expect(await accountState()).toEqual(before);
  });

  it("names every error of a rejected form", async () => {
    const fields = { current_password: "", new_password: "123456789012", repeat_password: "x" };
    const { text } = await browser.post(PATH, fields);
    for (const sentence of [
      "The current password must not be empty.",
      "The new password is too easy to guess, because most of it repeats or continues itself",
      "The confirmation must match the new password.",
    ]) {
      expect(text).toContain(sentence);
    }
  });

  it("shows the form on a page of its own", async () => {
    const page = await browser.get(PATH);
    expect(page.status).toBe(200);
    expect(page.text).toContain('action="/account/password"');
    expect(page.text).toContain("Current password");
  });

  it("accepts a new password of 12 and of 256 characters", async () => {
    const [short, long] = ["tall blue ha", "seven odd socks ".repeat(16)];
    expect((await browser.post(PATH, form({ new_password: short, repeat_password: short }))).status).toBe(
      200,
    );
    const second = { current_password: short, new_password: long, repeat_password: long };
    expect((await browser.post(PATH, second)).status).toBe(200);
  });

  it("rejects a single sign-on user", async () => {
    const browser = await singleSignOnUser();
    const before = await accountState();
    expect((await browser.post(PATH, form())).status).toBe(403);
    expect(await accountState()).toEqual(before);
  });

  it.each([
    [
      "the token is replaced",
      "UPDATE api_tokens SET token_hash = token_hash || 'x', sealed = NULL WHERE user_id = 1",
    ],
    ["the password is reset", "UPDATE users SET password_hash = password_hash || 'A' WHERE id = 1"],
    ["the user is disabled", "UPDATE users SET disabled_at = 1 WHERE id = 1"],
  ])("answers 409 and changes nothing if %s at the same moment", async (_name, change) => {
    const page = await browser.post(PATH, form(), { env: { DB: racedDatabase(change) } });
    expect(page.status).toBe(409);
    expect(page.text).toContain("The account changed in the meantime");
    expect((await new Browser().signIn(DEMO.email, NEW)).status).toBe(401);
  });

  it("applies exactly one of two simultaneous changes", async () => {
    const [first, second] = [browser, await signedIn()];
    const other = "quite another password";
    const [one, two] = await Promise.all([
      first.post(PATH, form()),
      second.post(PATH, form({ new_password: other, repeat_password: other })),
    ]);
    expect([one, two].filter(({ status }) => status === 200).length).toBe(1);
    const [password, winner] = one.status === 200 ? [NEW, first] : [other, second];
    expect(shownToken(await winner.post("/account/token/show", { password }))).toBe(DEMO.apiToken);
  });
});
