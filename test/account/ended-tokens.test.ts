/** What a new password and "Sign out everywhere" do with tokens, which somebody else may have created or read. */
import { beforeEach, describe, expect, it } from "vitest";
import { DEMO, freshDemo, rows } from "../harness.ts";
import { once } from "../once.ts";
import {
  type Browser,
  checkForLeakedSecrets,
  freshSession,
  shownToken,
  statusLine,
  useToken,
} from "./support.ts";

checkForLeakedSecrets();
const PASSWORD = "/account/password";
const EVERYWHERE = "/account/sign-out-everywhere";
const NEW = "a new and long password";

let browser: Browser;
let access: string;
const created = once("access token of an intruder", () => ({ token: "" }));
async function createAccess(owner: Browser) {
  const fields = { name: "Intruder", scope: "write", app_token: "", days: "366", password: DEMO.password };
  const page = await owner.post("/account/tokens", fields);
  created.token = access = /ll_write_\w+/.exec(page.text)?.[0] ?? "";
  expect(await statuses()).toEqual([200, 200]);
}
beforeEach(async () => {
  browser = await freshSession(freshDemo, DEMO.email, DEMO.password, createAccess);
  access = created.token;
});

/** Of a use of the access token and of the API token. */
const statuses = async () => [await useToken(access), await useToken(DEMO.apiToken)];
const fieldsOf = (path: string) =>
  path === PASSWORD
    ? { current_password: DEMO.password, new_password: NEW, repeat_password: NEW }
    : { password: DEMO.password };
const lastDetail = async (action: string) =>
  JSON.parse(
    (await rows<{ detail: string }>("SELECT detail FROM audit_log WHERE action = ?", action))[0]?.detail ??
      "",
  );

it("access tokens are ticked, and the API token, which others may need, is not", async () => {
  const { text } = await browser.get("/account");
  const boxes = [...text.matchAll(/<input type="checkbox" name="(end_\w+)" value="yes" (checked)?/g)];
  const named = boxes.map(([, name, isTicked]) => `${name} ${isTicked ?? "not"}`);
  // The reset of the API token, the new password, and "Sign out everywhere".
  expect(named.sort()).toEqual([
    ...Array(2).fill("end_access_tokens checked"),
    "end_access_tokens not",
    ...Array(2).fill("end_api_token not"),
  ]);
  expect(text).toContain("Every integration that uses it stops working immediately");
});

describe.each([
  ["a new password", PASSWORD, "change password"],
  ["“Sign out everywhere”", EVERYWHERE, "sign out everywhere"],
])("%s", (_, path, action) => {
  const send = (more: Record<string, string>) => browser.post(path, { ...fieldsOf(path), ...more });

  it("leaves tokens unless a box is ticked", async () => {
    await send({});
    expect(await statuses()).toEqual([200, 200]);
    expect(await lastDetail(action)).toEqual({});
  });

  it("ends all access tokens, and not the API token", async () => {
    await send({ end_access_tokens: "yes" });
    expect(await statuses()).toEqual([401, 200]);
    expect(await rows("SELECT * FROM access_tokens")).toEqual([]);
    expect(await lastDetail(action)).toEqual({ access_tokens: "ended" });
  });

  it("ends the API token, and not the access tokens", async () => {
    await send({ end_api_token: "yes" });
    expect(await statuses()).toEqual([200, 401]);
    expect(await rows("SELECT user_id FROM api_tokens")).toEqual([{ user_id: 2 }]);
    expect(await lastDetail(action)).toEqual({ api_token: "ended" });
  });

  it("changes nothing with a wrong password, and keeps the boxes", async () => {
    const wrong = path === PASSWORD ? { current_password: "wrong" } : { password: "wrong" };
    const page = await send({ ...wrong, end_api_token: "yes" });
    expect(page.status).toBe(403);
    expect(page.text).toMatch(/name="end_api_token" value="yes" checked/);
    expect(page.text).not.toMatch(/name="end_access_tokens" value="yes" checked/);
    expect(await statuses()).toEqual([200, 200]);
  });

  it("rejects another value of a box", async () => {
    expect((await send({ end_api_token: "no" })).status).toBe(400);
    expect(await statuses()).toEqual([200, 200]);
  });
});

it("says which tokens no longer work after a new password, and another API token can be created", async () => {
  const page = await browser.post(PASSWORD, {
    ...fieldsOf(PASSWORD),
    end_access_tokens: "yes",
    end_api_token: "yes",
  });
  expect(statusLine(page)).toBe("Password changed. Your access tokens and your API token no longer work.");
  const created = await browser.post("/account/token/reset", { password: NEW });
  expect(await useToken(shownToken(created) ?? "")).toBe(200);
});
