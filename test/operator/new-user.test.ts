/** A new user: how they sign in, their apps, and what an operator sees and does about two-factor authentication. */
import { beforeEach, describe, expect, it } from "vitest";
import { Browser, freshSession } from "../account/support.ts";
import { ask, DEMO, freshDemo, NOW, rows } from "../harness.ts";
import { SINGLE_SIGN_ON } from "../support.ts";
import { hrefOf, tablesOf, textOf } from "../workspace/page-text.ts";

let operator: Browser;
beforeEach(async () => {
  operator = await freshSession(freshDemo, DEMO.operatorEmail, DEMO.operatorPassword);
});

const NEW = "/operator/users/new";
const appsOf = async (email: string) =>
  (
    await rows<{ app_token: string }>(
      "SELECT m.app_token FROM memberships m JOIN users u ON u.id = m.user_id WHERE u.email = ? ORDER BY 1",
      email,
    )
  ).map(({ app_token }) => app_token);
const optionsOf = (text: string) =>
  [
    ...(/<select id="sign_in"[\s\S]*?<\/select>/.exec(text)?.[0] ?? "").matchAll(/<option([^>]*)>([^<]*)</g),
  ].map(([, attributes = "", name = ""]) => `${name}${attributes.includes("disabled") ? " (off)" : ""}`);

describe("the sign-in method", () => {
  it("cannot be single sign-on where that is not set up, and the page says how to set it up", async () => {
    const { text } = await operator.get(NEW);
    expect(optionsOf(text)).toEqual([
      "Password: get a temporary password",
      "Single sign-on: no password. Not set up (off)",
    ]);
    expect(hrefOf(text, "How to set it up")).toBe("/docs/single-sign-on");
    const page = (await operator.get("/operator/users/1")).text;
    expect(page).not.toContain("Switch to single sign-on");
    expect(hrefOf(page, "How to set it up")).toBe("/docs/single-sign-on");
  });

  it("is single sign-on first where it is set up", async () => {
    const { text } = await operator.get(NEW, { env: SINGLE_SIGN_ON });
    expect(optionsOf(text)).toEqual(["Single sign-on: no password", "Password: get a temporary password"]);
    expect(text).not.toContain("How to set it up");
    expect((await operator.get("/operator/users/1", { env: SINGLE_SIGN_ON })).text).toContain(
      "Switch to single sign-on",
    );
  });

  it("of a user who cannot sign in is explained on their page", async () => {
    await rows("UPDATE users SET password_hash = NULL WHERE id = 1");
    expect(textOf((await operator.get("/operator/users/1")).text)).toContain(
      "Until then, this user can't sign in: reset the password to give them one.",
    );
    expect(textOf((await operator.get("/operator/users/1", { env: SINGLE_SIGN_ON })).text)).toContain(
      "Not linked yet.",
    );
  });
});

describe("the apps", () => {
  it("are chosen with the user", async () => {
    const fields = { email: "mia@example.com", sign_in: "sso", role: "member" };
    const body: [string, string][] = [
      ...Object.entries(fields),
      ["apps", DEMO.appToken],
      ["apps", DEMO.otherAppToken],
    ];
    const { status } = await operator.post(NEW, body, { env: SINGLE_SIGN_ON });
    expect(status).toBe(303);
    expect(await appsOf("mia@example.com")).toEqual([DEMO.appToken, DEMO.otherAppToken].sort());
  });

  it("can be none, and an unknown one creates nobody", async () => {
    await operator.post(NEW, { email: "none@example.com", sign_in: "password", role: "member" });
    expect(await appsOf("none@example.com")).toEqual([]);
    await operator.post(NEW, {
      email: "x@example.com",
      sign_in: "password",
      role: "member",
      apps: "nosuchapp000",
    });
    expect(await rows("SELECT id FROM users WHERE email = 'x@example.com'")).toEqual([]);
  });

  it("have the app whose page led here, for an address that nobody has", async () => {
    const { headers } = await operator.post(`/operator/apps/${DEMO.appToken}/members`, {
      email: "Mia@Example.com",
    });
    const to = headers.get("location") ?? "";
    expect(to).toBe(`${NEW}?email=mia%40example.com&app_token=${DEMO.appToken}&notice=user-unknown`);
    const { text } = await operator.get(to);
    expect(textOf(text)).toContain("Nobody has this email address yet.");
    expect(text).toMatch(/name="email"[\s\S]*?value="mia@example.com"/);
    expect(text).toMatch(new RegExp(`value="${DEMO.appToken}" checked`));
    expect(text).not.toMatch(new RegExp(`value="${DEMO.otherAppToken}" checked`));
  });
});

describe("two-factor authentication", () => {
  beforeEach(async () => {
    await rows("INSERT INTO authenticators VALUES (1, 'x', ?, 0)", NOW);
    await rows("INSERT INTO recovery_codes (user_id, code_hash) VALUES (1, 'x')");
    await rows("INSERT INTO devices (id_hash, user_id, expires_at) VALUES ('x', 1, ?)", NOW + 1000);
  });
  const section = async () =>
    textOf(
      /<section[^>]*aria-labelledby="two-factor"[\s\S]*?<\/section>/.exec(
        (await operator.get("/operator/users/1")).text,
      )?.[0] ?? "",
    );
  const left = async () => [
    await rows("SELECT user_id FROM authenticators WHERE user_id = 1"),
    await rows("SELECT user_id FROM recovery_codes WHERE user_id = 1"),
    await rows("SELECT user_id FROM devices WHERE user_id = 1"),
    await rows("SELECT user_id FROM sessions WHERE user_id = 1"),
  ];

  it("is on the page of the user, in the list and in the API", async () => {
    expect(await section()).toContain("On since 15 Mar 2026, 12:00 UTC");
    const [list = []] = tablesOf((await operator.get("/operator/users")).text);
    const column = list[0]?.cells.indexOf("Two-factor") ?? -1;
    expect(list.slice(1).map(({ cells }) => [cells[0], cells[column]])).toEqual([
      [DEMO.email, "On"],
      [DEMO.operatorEmail, "Off"],
    ]);
    const { body } = await ask<{ data: { items: { two_factor_at: string | null }[] } }>(
      "/operator/v1/users",
      {
        token: DEMO.operatorToken,
      },
    );
    expect(body.data.items.map((user) => user.two_factor_at)).toEqual(["2026-03-15T12:00:00.000Z", null]);
  });

  it("is turned off by its own button: the password stays, and sessions and known browsers end", async () => {
    const member = new Browser();
    await member.signIn(DEMO.operatorEmail, DEMO.operatorPassword);
    await rows("UPDATE sessions SET user_id = 1 WHERE id_hash = (SELECT max(id_hash) FROM sessions)");
    await operator.signIn(DEMO.operatorEmail, DEMO.operatorPassword);
    const [before] = await rows("SELECT password_hash FROM users WHERE id = 1");
    const { headers } = await operator.post("/operator/users/1/two-factor", {});
    expect(headers.get("location")).toBe("/operator/users/1?notice=two-factor-off");
    expect(await left()).toEqual([[], [], [], []]);
    expect(await rows("SELECT password_hash FROM users WHERE id = 1")).toEqual([before]);
    expect(await section()).toContain("Off The user sets it up on the account page.");
    const log = textOf((await operator.get("/operator/audit?object=user%201")).text);
    expect(log).toContain(`turned off the two-factor authentication of ${DEMO.email}`);
  });

  it("stays off, without another entry, if it is turned off twice", async () => {
    for (let time = 1; time <= 2; time++)
      expect((await operator.post("/operator/users/1/two-factor", {})).status).toBe(303);
    expect(await rows("SELECT id FROM audit_log WHERE action = 'reset two-factor'")).toHaveLength(1);
  });

  it("is not turned off for an operator without the password", async () => {
    await rows("UPDATE users SET role = 'operator' WHERE id = 1");
    const { status } = await ask("/operator/v1/users/1/two-factor/off", {
      method: "POST",
      token: DEMO.operatorToken,
    });
    expect(status).toBe(403);
    expect((await left())[0]).toHaveLength(1);
  });
});
