/** An operator links users of single sign-on to people at the provider, and unlinks them. */
import { beforeEach, describe, expect, it } from "vitest";
import { ATTEMPT_MS } from "../../src/db/accounts/identities.ts";
import { purge } from "../../src/purge.ts";
import { type Browser, signedIn, singleSignOnUser } from "../account/support.ts";
import { call, DEMO, env, freshDemo, ledgerOn, NOW, rows } from "../harness.ts";

const USER = 77;
const PAGE = `/operator/users/${USER}`;
const LATER = { now: NOW + 10 * 60_000 };

let operator: Browser;
beforeEach(async () => {
  await freshDemo();
  await singleSignOnUser();
  operator = await signedIn(DEMO.operatorEmail, DEMO.operatorPassword);
});

const attempt = (id: number, subject: string, attemptedAt = NOW - 1000, userId = USER) =>
  env.DB.prepare("INSERT INTO sign_in_attempts VALUES (?, ?, 'https://login.test', ?, 'sso@example.com', ?)")
    .bind(id, userId, subject, attemptedAt)
    .run();
const linked = (subject: string, userId = USER) =>
  env.DB.prepare("INSERT INTO identities VALUES ('https://login.test', ?, ?, 0)").bind(subject, userId).run();
const identities = () =>
  rows<{ subject: string; user_id: number }>("SELECT subject, user_id FROM identities");
const send = (path: string, fields: Record<string, string>, options = {}) =>
  operator.post(PAGE + path, fields, options);

describe("an attempt", () => {
  it("is listed on the user's page, and linked by its button", async () => {
    await attempt(1, "sub-1");
    await attempt(2, "sub-2");
    const listed = (await operator.get(PAGE)).text;
    for (const subject of ["sub-1", "sub-2"]) expect(listed).toContain(`<bdi>${subject}</bdi>`);
    const response = await send("/identity", { attempt: "2" });
    expect(response.headers.get("location")).toBe(`${PAGE}?notice=identity-linked`);
    expect(await identities()).toEqual([{ subject: "sub-2", user_id: USER }]);
    expect(await rows("SELECT * FROM sign_in_attempts")).toEqual([]);
    expect(await rows("SELECT user_id, action, subject FROM audit_log ORDER BY id DESC LIMIT 1")).toEqual([
      { user_id: 2, action: "link identity", subject: `user ${USER}` },
    ]);
    const page = (await operator.get(PAGE)).text;
    expect(page).toContain("sub-2");
    expect(page).not.toContain("sub-1");
  });

  it("is linked only after the password, 10 minutes after it was entered last", async () => {
    await attempt(1, "sub-1");
    expect((await send("/identity", { attempt: "1" }, LATER)).status).toBe(403);
    expect((await send("/identity", { attempt: "1", your_password: "wrong-password" }, LATER)).status).toBe(
      403,
    );
    expect(await identities()).toEqual([]);
    const your_password = DEMO.operatorPassword;
    expect((await send("/identity", { attempt: "1", your_password }, LATER)).status).toBe(303);
  });

  const CANNOT: [what: string, prepare: () => Promise<unknown>][] = [
    ["was 7 days ago", () => attempt(1, "sub-1", NOW - ATTEMPT_MS)],
    ["is of another user", () => attempt(1, "sub-1", NOW - 1, 1)],
    ["is of a user with another identity", async () => [await attempt(1, "sub-1"), await linked("other")]],
    ["is the identity of another user", async () => [await attempt(1, "sub-1"), await linked("sub-1", 1)]],
    ["does not exist", async () => undefined],
    [
      "is of a user who is disabled",
      async () => [
        await attempt(1, "sub-1"),
        await rows(`UPDATE users SET disabled_at = 1 WHERE id = ${USER}`),
      ],
    ],
  ];
  it.each(CANNOT)("cannot be linked if it %s", async (_, prepare) => {
    await prepare();
    const before = await identities();
    const page = await send("/identity", { attempt: "1" });
    expect(page.status).toBe(409);
    expect(page.text).toContain("The identity cannot be linked");
    expect(await identities()).toEqual(before);
  });

  it("needs a valid number", async () => {
    expect((await send("/identity", { attempt: "one" })).status).toBe(400);
  });

  it("is removed by the purge after 7 days, and used states after they expired", async () => {
    await attempt(1, "old", NOW - ATTEMPT_MS);
    await attempt(2, "new", NOW - ATTEMPT_MS + 1);
    await rows("INSERT INTO used_states VALUES ('old', ?), ('new', ?)", NOW, NOW + 1);
    await purge(ledgerOn(), NOW);
    expect(await rows("SELECT id FROM sign_in_attempts")).toEqual([{ id: 2 }]);
    expect(await rows("SELECT state_hash FROM used_states")).toEqual([{ state_hash: "new" }]);
  });
});

describe("a linked user", () => {
  beforeEach(() => linked("sub-1"));

  it("is unlinked, and the sessions end", async () => {
    expect((await send("/identity/unlink", {}, LATER)).status).toBe(403);
    const response = await send("/identity/unlink", {});
    expect(response.headers.get("location")).toBe(`${PAGE}?notice=identity-unlinked`);
    expect(await identities()).toEqual([]);
    expect(await rows(`SELECT * FROM sessions WHERE user_id = ${USER}`)).toEqual([]);
    expect((await send("/identity/unlink", {})).status).toBe(404);
  });

  const ENDING: [what: string, path: string, body: object][] = [
    ["gets a password", `/operator/v1/users/${USER}/password`, {}],
    ["is erased", `/operator/v1/users/${USER}/erase`, {}],
  ];
  it.each(ENDING)("has no identity and no attempts after the user %s", async (_, path, json) => {
    await attempt(1, "sub-2");
    expect((await call(path, { method: "POST", json, token: DEMO.operatorToken })).status).toBe(200);
    expect(await identities()).toEqual([]);
    expect(await rows("SELECT * FROM sign_in_attempts")).toEqual([]);
  });

  it("keeps the identity while disabled, and after a change of the email address", async () => {
    for (const json of [{ disabled: true }, { disabled: false }, { email: "new@example.com" }])
      await call(`/operator/v1/users/${USER}`, { method: "PATCH", json, token: DEMO.operatorToken });
    expect(await identities()).toHaveLength(1);
  });
});

it("OPERATOR_MFA does not apply to an operator of single sign-on", async () => {
  const browser = await singleSignOnUserAsOperator();
  const page = await browser.get("/operator", { env: { OPERATOR_MFA: "required" } });
  expect(page.status).toBe(200);
});

async function singleSignOnUserAsOperator(): Promise<Browser> {
  await freshDemo();
  const browser = await singleSignOnUser();
  const session = await rows<Record<string, number>>("SELECT * FROM sessions");
  await rows(`UPDATE users SET role = 'operator' WHERE id = ${USER}`);
  // Another role ended the session.
  await rows(
    "INSERT INTO sessions (id_hash, user_id, created_at, last_seen_at, expires_at) VALUES (?, ?, ?, ?, ?)",
    ...["id_hash", "user_id", "created_at", "last_seen_at", "expires_at"].map((name) => session[0]?.[name]),
  );
  return browser;
}
