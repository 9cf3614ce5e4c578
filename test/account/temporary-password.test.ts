/** A temporary password must be changed before anything else, and expires. */
import { beforeEach, describe, expect, it } from "vitest";
import { ask, DAY, DEMO, freshDemo, freshState, NOW, rows, UNLIMITED } from "../harness.ts";
import { samplePath } from "../http/every-route.ts";
import { once } from "../once.ts";
import { everyOperation, needing } from "../security/support.ts";
import { accountState, Browser, checkForLeakedSecrets } from "./support.ts";

const EMAIL = "new@example.com";
const NEW = "a new and long password";
const USERS = "/operator/v1/users";

checkForLeakedSecrets();
/** Of a user that an operator created, which happens once in a process. */
const created = once("temporary password", () => ({ password: "" }));
let temporary = "";
beforeEach(async () => {
  await freshState("temporary password", async () => {
    await freshDemo();
    created.password = await setTemporary(USERS, { email: EMAIL });
  });
  temporary = created.password;
});

interface Created {
  data: { items: { temporary_password: string; temporary_password_expires_at: string | null }[] };
}

/** The temporary password that an operator gets from the API. */
async function setTemporary(path: string, json?: object): Promise<string> {
  const { body } = await ask<Created>(path, {
    env: UNLIMITED,
    token: DEMO.operatorToken,
    method: "POST",
    ...(json && { json }),
  });
  expect(body.data.items[0]?.temporary_password_expires_at).toBe(new Date(NOW + 7 * DAY).toISOString());
  return body.data.items[0]?.temporary_password ?? "";
}

const change = (fields: object = {}) => ({
  current_password: temporary,
  new_password: NEW,
  repeat_password: NEW,
  ...fields,
});

async function signedInWithTemporary(): Promise<Browser> {
  const browser = new Browser();
  expect((await browser.signIn(EMAIL, temporary)).status).toBe(303);
  return browser;
}

/** The pages that need a session, other than the one that changes the password. */
const pages = everyOperation
  .filter(({ need, pattern }) => /^(operator_)?session$/.test(need) && pattern !== "/account/password")
  .map(({ method, pattern }) => [method, pattern] as const);

it("is asked for on every page and form until it is changed, and nothing else happens", async () => {
  await rows("UPDATE users SET role = 'operator' WHERE email = ?", EMAIL);
  const browser = await signedInWithTemporary();
  const before = await accountState();
  expect(pages).toHaveLength(needing("session", "operator_session").length - 2);
  for (const [method, pattern] of pages) {
    const path = samplePath(pattern);
    const page =
      method === "GET" ? await browser.get(path) : await browser.post(path, { password: temporary });
    const next = method === "GET" ? `?${new URLSearchParams({ next: path })}` : "";
    expect([page.status, page.headers.get("location")], `${method} ${path}`).toEqual([
      303,
      `/account/password${next}`,
    ]);
  }
  const program = await browser.get("/account", { headers: { accept: "application/json" } });
  expect([program.status, JSON.parse(program.text).code]).toEqual([403, "password_change_required"]);
  expect(await accountState()).toEqual(before);
});

it("is replaced by the user's own password, which lifts the limits", async () => {
  const browser = await signedInWithTemporary();
  const page = await browser.get("/account/password");
  expect(page.text).toContain("Choose your own password to continue.");
  expect(page.text).toContain("Temporary password");
  const changed = await browser.post("/account/password", change());
  expect([changed.status, changed.headers.get("location")]).toEqual([303, "/"]);
  expect((await browser.get("/account")).status).toBe(200);
  expect(await rows("SELECT password_expires_at FROM users WHERE email = ?", EMAIL)).toEqual([
    { password_expires_at: null },
  ]);
  expect((await new Browser().signIn(EMAIL, temporary)).status).toBe(401);
  const later = new Browser();
  await later.signIn(EMAIL, NEW, { now: NOW + 8 * DAY });
  expect((await later.get("/account", { now: NOW + 8 * DAY })).status).toBe(200);
});

it.each([
  ["a page of ours", "/account/tokens?new=1", "/account/tokens?new=1"],
  ["the start page of an operator without apps", "/", "/operator"],
  ["another site, which counts as none", "https://evil.example/account", "/operator"],
])("leads on to where the sign-in was going: %s", async (_, next, end) => {
  await rows("UPDATE users SET role = 'operator' WHERE email = ?", EMAIL);
  const browser = new Browser();
  let { headers } = await browser.post("/login", { email: EMAIL, password: temporary, next });
  if (headers.get("location") === "/") ({ headers } = await browser.get("/"));
  ({ headers } = await browser.get(headers.get("location") ?? ""));
  const form = headers.get("location") ?? "";
  expect(form).toBe(`/account/password?${new URLSearchParams({ next: end })}`);
  const hidden = `name="next" value="${end}"`;
  expect((await browser.get(form)).text).toContain(hidden);
  for (const wrong of [{ new_password: "short" }, { current_password: "wrong-password" }])
    expect((await browser.post("/account/password", { ...change(wrong), next: end })).text).toContain(hidden);
  const changed = await browser.post("/account/password", { ...change(), next: end });
  expect([changed.status, changed.headers.get("location")]).toEqual([303, end]);
  expect((await browser.get(end)).status).toBe(200);
});

it("does not lead to another site", async () => {
  const browser = await signedInWithTemporary();
  const changed = await browser.post("/account/password", {
    ...change(),
    next: "https://evil.example/account",
  });
  expect(changed.headers.get("location")).toBe("/");
});

it("is not accepted as the user's own password", async () => {
  const browser = await signedInWithTemporary();
  const before = await accountState();
  const page = await browser.post(
    "/account/password",
    change({ new_password: temporary, repeat_password: temporary }),
  );
  expect(page.status).toBe(400);
  expect(page.text).toContain("The new password must differ from the current password.");
  expect(await accountState()).toEqual(before);
});

it.each([
  ["before it expires", NOW],
  ["after it has expired", NOW + 7 * DAY],
])("does not confirm what an operator does with the API token, %s", async (_, now) => {
  const USER = `${USERS}/1`;
  const own = await setTemporary(`${USERS}/2/password`, { your_password: DEMO.operatorPassword });
  const json = { role: "operator", your_password: own };
  const promoted = await ask(USER, { token: DEMO.operatorToken, method: "PATCH", json, now, env: UNLIMITED });
  expect([promoted.status, promoted.body]).toMatchObject([403, { code: "password_required" }]);
  expect(promoted.body).toMatchObject({ detail: expect.stringContaining("temporary password") });
  expect(await rows("SELECT role FROM users WHERE id = 1")).toEqual([{ role: "member" }]);
});

it("lets the user sign out", async () => {
  const browser = await signedInWithTemporary();
  expect((await browser.post("/logout", {})).headers.get("location")).toBe("/login?notice=signed-out");
});

describe("expires after 7 days", () => {
  it("at sign-in, with a message for the person who has it, and only for them", async () => {
    const signIn = (password: string, now: number) => new Browser().signIn(EMAIL, password, { now });
    expect((await signIn(temporary, NOW + 7 * DAY - 1)).status).toBe(303);
    await rows("DELETE FROM sessions");
    const late = await signIn(temporary, NOW + 7 * DAY);
    expect(late.status).toBe(401);
    expect(late.text).toContain("This temporary password has expired. Ask your operator for a new one.");
    expect((await signIn("not-the-password", NOW + 7 * DAY)).text).toContain("Incorrect email or password.");
    expect(await rows("SELECT * FROM sessions")).toEqual([]);
  });

  it("counted from the last reset", async () => {
    const [user] = await rows<{ id: number }>("SELECT id FROM users WHERE email = ?", EMAIL);
    await rows("UPDATE users SET password_expires_at = 1 WHERE email = ?", EMAIL);
    temporary = await setTemporary(`${USERS}/${user?.id}/password`, { your_password: DEMO.operatorPassword });
    await signedInWithTemporary();
  });
});

it("does not make an operator count who can no longer sign in with it", async () => {
  await rows("UPDATE users SET role = 'operator' WHERE email = ?", EMAIL);
  const json = { role: "member", your_password: DEMO.operatorPassword };
  const demote = (now: number) =>
    ask(`${USERS}/2`, { token: DEMO.operatorToken, method: "PATCH", json, now, env: UNLIMITED });
  expect((await demote(NOW + 7 * DAY)).body).toMatchObject({ code: "last_operator" });
  expect((await demote(NOW + 7 * DAY - 1)).status).toBe(200);
});

it("is no temporary password once a user of single sign-on replaces it", async () => {
  const { body } = await ask<Created>(`${USERS}/3`, {
    env: UNLIMITED,
    token: DEMO.operatorToken,
    method: "PATCH",
    json: { sign_in: "sso", your_password: DEMO.operatorPassword },
  });
  expect(body.data.items[0]?.temporary_password_expires_at).toBeNull();
});
