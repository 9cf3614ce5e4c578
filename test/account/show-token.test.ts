import { beforeEach, describe, expect, it } from "vitest";
import { recordedUses } from "../../src/db/isolate-memory.ts";
import { DAY, DEMO, env, freshDemo, NOW } from "../harness.ts";
import {
  accountState,
  checkForLeakedSecrets,
  type Fields,
  shownToken,
  signedIn,
  singleSignOnUser,
  statusLine,
  useToken,
} from "./support.ts";

beforeEach(async () => {
  recordedUses.clear();
  await freshDemo();
});
checkForLeakedSecrets();

describe("the account page", () => {
  it("shows the user and the token's hint, never the token", async () => {
    const { text } = await (await signedIn()).get("/account");
    expect(text).toContain(DEMO.email);
    expect(text).toContain(`ll_api_…${DEMO.apiToken.slice(-4)}`);
    expect(text).toContain("13 Feb 2026");
    expect(text).not.toContain(DEMO.apiToken);
  });

  it("shows the day on which the token was last used", async () => {
    const browser = await signedIn();
    expect((await browser.get("/account")).text).toContain("<dd>Never</dd>");
    await useToken(DEMO.apiToken);
    expect((await browser.get("/account")).text).toContain("<dd>Today</dd>");
    await env.DB.exec("UPDATE api_tokens SET last_used_day = last_used_day - 1");
    expect((await browser.get("/account")).text).toContain("<dd>Yesterday</dd>");
    await env.DB.exec("UPDATE api_tokens SET last_used_day = last_used_day - 1");
    expect((await browser.get("/account")).text).toContain("<dd>13 Mar 2026</dd>");
  });

  it("records the use of the token on the next day", async () => {
    await useToken(DEMO.apiToken, { now: NOW + DAY });
    const { tokens } = {
      tokens: await env.DB.prepare("SELECT last_used_day FROM api_tokens WHERE user_id = 1").first(),
    };
    expect(tokens).toEqual({ last_used_day: Math.floor(NOW / DAY) + 1 });
  });
});

describe("showing the token", () => {
  it("requires the password and changes nothing", async () => {
    const browser = await signedIn();
    const before = await accountState();
    const page = await browser.post("/account/token/show", { password: DEMO.password });
    expect(page.status).toBe(200);
    expect(statusLine(page)).toBe("Your API token is shown below.");
    expect(shownToken(page)).toBe(DEMO.apiToken);
    expect(await accountState()).toEqual(before);
  });

  it("shows an operator's own token", async () => {
    const browser = await signedIn(DEMO.operatorEmail, DEMO.operatorPassword);
    const page = await browser.post("/account/token/show", { password: DEMO.operatorPassword });
    expect(shownToken(page)).toBe(DEMO.operatorToken);
  });

  const rejected: [string, Fields, number, string][] = [
    ["a wrong password", { password: "not-the-password" }, 403, "Incorrect password."],
    ["another user's password", { password: DEMO.operatorPassword }, 403, "Incorrect password."],
    ["no password", {}, 400, "The password is required."],
    ["an empty password", { password: "" }, 400, "The password must not be empty."],
    ["a password of 10 KB", { password: "x".repeat(10_240) }, 400, "The password has 10240 characters"],
    [
      "the password twice",
      [
        ["password", DEMO.password],
        ["password", DEMO.password],
      ],
      400,
      "The password is given more than once.",
    ],
  ];
  it.each(rejected)("rejects %s and shows the form again", async (_name, fields, status, sentence) => {
    const page = await (await signedIn()).post("/account/token/show", fields);
    expect(page.status).toBe(status);
    expect(page.text).toContain(sentence);
    expect(page.text).toContain('action="/account/token/show"');
    expect(shownToken(page)).toBeUndefined();
  });

  it("does not open a sealed copy of another user's token", async () => {
    await env.DB.exec(
      "UPDATE api_tokens SET sealed = (SELECT sealed FROM api_tokens WHERE user_id = 2) WHERE user_id = 1",
    );
    const page = await (await signedIn()).post("/account/token/show", { password: DEMO.password });
    expect(shownToken(page)).toBeUndefined();
    expect(statusLine(page)).toContain("can't be shown");
  });

  it("offers only a reset for a token without a sealed copy, as after an operator issued it", async () => {
    await env.DB.exec("UPDATE api_tokens SET sealed = NULL");
    const browser = await signedIn();
    const page = await browser.get("/account");
    expect(page.text).not.toContain('commandfor="show-dialog" command="show-modal"');
    expect(page.text).toContain("reset-dialog");
    expect(statusLine(await browser.post("/account/token/show", { password: DEMO.password }))).toContain(
      "can't be shown",
    );
  });
});

describe("a single sign-on user", () => {
  it("sees no token and a hint to contact the operator", async () => {
    const { text } = await (await singleSignOnUser()).get("/account");
    expect(text).toContain("sso@example.com");
    expect(text).toContain("contact your operator");
    expect(text).toContain("ll_api_…aaaa");
    expect(text).not.toMatch(/ll_api_\w|token\/show|token\/reset|account\/password/);
  });

  it("is not shown a token, and resets none before signing in again", async () => {
    const browser = await singleSignOnUser();
    const before = await accountState();
    expect((await browser.post("/account/token/show", { password: "any-password" })).status).toBe(403);
    const reset = await browser.post("/account/token/reset", { password: "any-password" });
    expect([reset.status, reset.headers.get("location")]).toEqual([303, "/account"]);
    expect(await accountState()).toEqual(before);
  });
});
