/** An operator links users of single sign-on to people at the provider, and unlinks them. */
import { beforeEach, describe, expect, it } from "vitest";
import { ATTEMPT_MS } from "../../src/db/accounts/identities.ts";
import { purge } from "../../src/purge.ts";
import { type Browser, freshSession, singleSignOnUser } from "../account/support.ts";
import { call, DEMO, env, freshDemo, ledgerOn, NOW, rows, UNLIMITED } from "../harness.ts";
import { tablesOf } from "../workspace/page-text.ts";

const USER = 77;
const PAGE = `/operator/users/${USER}`;
const LATER = { now: NOW + 10 * 60_000 };

async function freshSingleSignOn() {
  await freshDemo();
  await singleSignOnUser();
}

let operator: Browser;
beforeEach(async () => {
  operator = await freshSession(freshSingleSignOn, DEMO.operatorEmail, DEMO.operatorPassword);
});

const attempt = (id: number, subject: string, attemptedAt = NOW - 1000, userId = USER, isVerified = 1) =>
  env.DB.prepare(
    "INSERT INTO sign_in_attempts VALUES (?1, ?2, 'https://login.test', ?3, 'sso@example.com', ?4, ?5, 'CODE2' || CAST(?1 AS INTEGER))",
  )
    .bind(id, userId, subject, attemptedAt, isVerified)
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

  it("shows its code and what the provider said of the address, and is below those that are verified", async () => {
    await attempt(1, "sub-1", NOW - 1, USER, 0);
    await attempt(2, "sub-2", NOW - 2);
    const table = tablesOf((await operator.get(PAGE)).text).find(([heading]) => heading?.cells[0] === "Code");
    expect(table?.slice(1).map(({ cells }) => cells.slice(0, 3))).toEqual([
      ["CODE22", "verified", "sub-2"],
      ["CODE21", "verification not stated", "sub-1"],
    ]);
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
    ["gets a password", `/operator/v1/users/${USER}/password`, { your_password: DEMO.operatorPassword }],
    ["is erased", `/operator/v1/users/${USER}/erase`, { your_password: DEMO.operatorPassword }],
  ];
  it.each(ENDING)("has no identity and no attempts after the user %s", async (_, path, json) => {
    await attempt(1, "sub-2");
    expect((await call(path, { method: "POST", json, token: DEMO.operatorToken })).status).toBe(200);
    expect(await identities()).toEqual([]);
    expect(await rows("SELECT * FROM sign_in_attempts")).toEqual([]);
  });

  const update = async (json: object) => {
    const body = { ...json, your_password: DEMO.operatorPassword };
    const path = `/operator/v1/users/${USER}`;
    const options = { method: "PATCH", json: body, token: DEMO.operatorToken, env: UNLIMITED };
    expect((await call(path, options)).status).toBe(200);
  };
  const lastDetail = async () =>
    JSON.parse(
      (await rows<{ detail: string }>("SELECT detail FROM audit_log ORDER BY id DESC LIMIT 1"))[0]?.detail ??
        "",
    );

  it("keeps the identity while disabled, with the same email address, and as a member again", async () => {
    for (const json of [
      { disabled: true },
      { disabled: false },
      { email: "SSO@example.com" },
      { role: "member" },
    ])
      await update(json);
    expect(await identities()).toHaveLength(1);
    await rows(`UPDATE users SET role = 'operator' WHERE id = ${USER}`);
    await linked("linked-by-an-operator");
    await update({ role: "member" });
    expect(await identities()).toEqual([{ subject: "linked-by-an-operator", user_id: USER }]);
  });

  it.each([
    ["the email address changes", { email: "new@example.com" }],
    ["the user becomes an operator", { role: "operator" }],
  ])("is unlinked and signed out when %s, and the audit log says so", async (_, json) => {
    await update(json);
    expect(await identities()).toEqual([]);
    expect(await rows(`SELECT * FROM sessions WHERE user_id = ${USER}`)).toEqual([]);
    expect(await lastDetail()).toMatchObject({ single_sign_on: { from: "linked", to: "unlinked" } });
  });

  it("has no attempts with the address of before", async () => {
    await attempt(1, "sub-2");
    await update({ email: "new@example.com" });
    expect(await rows("SELECT * FROM sign_in_attempts")).toEqual([]);
  });
});

describe("OPERATOR_MFA and an operator of single sign-on", () => {
  const required = { env: { OPERATOR_MFA: "required" } };
  const onlyPassword = () => rows("UPDATE sessions SET only_password = 1");

  it("does not apply to one: the factor of the provider counts", async () => {
    const browser = await singleSignOnUserAsOperator();
    expect((await browser.get("/operator", required)).status).toBe(200);
  });

  it("keeps one out of the console who entered only a password there, and the page says why", async () => {
    const browser = await singleSignOnUserAsOperator();
    await onlyPassword();
    const pages = [
      await browser.get("/operator/users", required),
      await browser.post(
        "/operator/apps/new",
        { name: "App", default_url: "https://example.com/" },
        required,
      ),
    ];
    for (const { status, text } of pages) {
      expect(status).toBe(403);
      expect(text).toContain("you entered only a password there");
    }
    const json = { ...required, headers: { accept: "application/json" } };
    expect(JSON.parse((await browser.get("/operator/users", json)).text)).toMatchObject({
      code: "two_factor_required",
      detail: expect.stringContaining("only a password"),
    });
    expect((await browser.get("/account", required)).status).toBe(200);
  });

  it("does not keep one out if it is optional", async () => {
    const browser = await singleSignOnUserAsOperator();
    await onlyPassword();
    expect((await browser.get("/operator", { env: { OPERATOR_MFA: "optional" } })).status).toBe(200);
  });
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
