import { beforeEach, describe, expect, it } from "vitest";
import { countingDatabase, DEMO, env, freshDemo } from "../harness.ts";
import { accountState, Browser, checkForLeakedSecrets, signedIn, useToken } from "./support.ts";

beforeEach(async () => {
  await freshDemo();
});
checkForLeakedSecrets();

describe("signing out", () => {
  it("ends the session on the server and deletes the cookie", async () => {
    const browser = await signedIn();
    const id = browser.session ?? "";
    const { status, headers } = await browser.post("/logout", {});
    expect([status, headers.get("location")]).toEqual([303, "/login?notice=signed-out"]);
    expect(browser.session).toBeUndefined();
    browser.cookies.set("__Host-session", id);
    expect((await browser.get("/account")).status).toBe(303);
    expect((await browser.get("/login?notice=signed-out")).text).toContain("You&#39;ve been signed out.");
  });

  it("does not affect the user's other browsers or the API token", async () => {
    const [browser, elsewhere] = [await signedIn(), await signedIn()];
    await browser.post("/logout", {});
    expect((await elsewhere.get("/account")).status).toBe(200);
    expect(await useToken(DEMO.apiToken)).toBe(200);
  });

  it("responds the same to a visitor who is not signed in", async () => {
    expect((await new Browser().post("/logout", {})).headers.get("location")).toBe(
      "/login?notice=signed-out",
    );
  });

  it("everywhere ends all sessions of the user and no others", async () => {
    const [browser, elsewhere] = [await signedIn(), await signedIn()];
    const operator = await signedIn(DEMO.operatorEmail, DEMO.operatorPassword);
    const { headers } = await browser.post("/account/sign-out-everywhere", { password: DEMO.password });
    expect(headers.get("location")).toBe("/login?notice=signed-out-everywhere");
    expect((await elsewhere.get("/account")).status).toBe(303);
    expect((await operator.get("/account")).status).toBe(200);
  });

  it("everywhere reads no sessions of others, however many there are", async () => {
    const rowsRead = async () => {
      const browser = await signedIn();
      const { database, counts } = countingDatabase();
      await browser.post(
        "/account/sign-out-everywhere",
        { password: DEMO.password },
        { env: { DB: database } },
      );
      return counts.read;
    };
    const before = await rowsRead();
    await env.DB.exec(
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500) INSERT INTO sessions (id_hash, user_id, created_at, last_seen_at, expires_at) SELECT 'other ' || i, 2, 0, 9e15, 9e15 FROM n",
    );
    // A few more, because each sign-in adds a browser.
    expect(await rowsRead()).toBeLessThan(before + 20);
  });
});

it("disabling a user ends every session and deletes the token immediately", async () => {
  const browser = await signedIn();
  await useToken(DEMO.apiToken);
  await env.DB.exec("UPDATE users SET disabled_at = 1 WHERE id = 1");
  expect((await browser.get("/account")).status).toBe(303);
  expect(await useToken(DEMO.apiToken)).toBe(401);
  const { tokens, sessions } = await accountState();
  expect(tokens.map((token) => token.user_id)).toEqual([2]);
  expect(sessions).toEqual([]);
});
