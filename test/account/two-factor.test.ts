/** Two-factor authentication: setting it up, signing in with it, recovery, and the setting that requires it of operators. */
import { beforeEach, describe, expect, it } from "vitest";
import { codeAt } from "../../src/auth/sign-in/totp.ts";
import { sha256 } from "../../src/domain/hash.ts";
import { ask, type Call, DAY, DEMO, freshDemo, freshState, NOW, rows } from "../harness.ts";
import { once } from "../once.ts";
import {
  accountState,
  Browser,
  checkForLeakedSecrets,
  type PageResponse,
  racedDatabase,
  rememberSecrets,
  shownToken,
  signedIn,
  singleSignOnUser,
} from "./support.ts";

const your_password = DEMO.operatorPassword;
const PATH = "/account/two-factor";
const STEP = 30_000;

checkForLeakedSecrets();

const secretOf = ({ text }: PageResponse) => /name="secret" value="([A-Z2-7]{32})"/.exec(text)?.[1] ?? "";
const codesOf = ({ text }: PageResponse) =>
  [...text.matchAll(/<li><code>([a-z2-9]{6}(?:-[a-z2-9]{6}){3})<\/code>/g)].map(([, code = ""]) => code);
const readTwoFactor = async () => ({
  authenticators: await rows("SELECT * FROM authenticators"),
  codes: await rows("SELECT * FROM recovery_codes ORDER BY code_hash"),
});

/** Turns two-factor on. Returns the secret that an app would have, the recovery codes, and the page that shows them. */
async function turnOn(browser: Browser, password: string = DEMO.password, options: Call = {}) {
  const secret = secretOf(await browser.get(PATH, options));
  const page = await browser.post(PATH, { secret, code: codeAt(secret, NOW - STEP), password }, options);
  expect(page.status).toBe(200);
  return { secret, codes: codesOf(page), page };
}

const turnedOn = once("two-factor that is on", () => ({
  cookies: [] as [string, string][],
  secret: "",
  codes: [] as string[],
}));

/** Resets to a state in which the demo user has turned two-factor on in a browser, which happens once in a process. */
async function freshTwoFactor() {
  await freshState("two-factor is on", async () => {
    await freshDemo();
    const browser = await signedIn();
    Object.assign(turnedOn, await turnOn(browser), { cookies: [...browser.cookies] });
  });
  const { cookies, secret, codes } = turnedOn;
  const browser = new Browser();
  for (const [name, value] of cookies) browser.cookies.set(name, value);
  rememberSecrets(secret, ...codes, ...browser.cookies.values());
  return { browser, secret, codes };
}

/** Enters the password, and returns the browser that waits for a code. */
async function waiting(options: Call = {}, browser = new Browser()): Promise<Browser> {
  const { status, headers } = await browser.signIn(DEMO.email, DEMO.password, options);
  expect([status, headers.get("location")]).toEqual([303, "/login/code?next=%2F"]);
  return browser;
}

/** Enters a code. Returns where the browser is redirected, or the status. */
async function enter(browser: Browser, fields: { code: string }, options: Call = {}) {
  const { status, headers } = await browser.post("/login/code", fields, options);
  return headers.get("location") ?? status;
}

describe("setting it up", () => {
  beforeEach(freshDemo);

  it("shows a QR code and its key, and turns it on with a code of the app and the password", async () => {
    const browser = await signedIn();
    expect((await browser.get("/account")).text).toContain("Set up two-factor");
    const offered = await browser.get(PATH);
    const secret = secretOf(offered);
    expect(offered.text).toContain(secret.match(/.{4}/g)?.join(" "));
    expect(offered.text).toMatch(/<div class="qr" role="img" aria-label="[^"]+"><svg [^>]*viewBox/);
    expect(offered.text).not.toMatch(/<svg[^>]*style=/);
    const { codes, page } = await turnOn(browser);
    expect(page.text).toContain("Two-factor authentication is on.");
    expect(new Set(codes).size).toBe(8);
    expect((await browser.get("/account")).text).toContain("On. 8 recovery codes are left.");
  });

  it("offers another secret each time", async () => {
    const browser = await signedIn();
    expect(secretOf(await browser.get(PATH))).not.toBe(secretOf(await browser.get(PATH)));
  });

  it("renews the session of this browser and ends all others", async () => {
    const [browser, elsewhere] = [await signedIn(), await signedIn()];
    const before = browser.session;
    await turnOn(browser);
    expect(browser.session).not.toBe(before);
    expect((await browser.get("/account")).status).toBe(200);
    expect((await elsewhere.get("/account")).status).toBe(303);
  });

  it.each([
    ["a code of another secret", { code: "000000" }, 400, "The code is not the one that the app shows now"],
    ["an empty code", { code: "" }, 400, "The code must not be empty."],
    ["a wrong password", { password: "not-the-password" }, 403, "The password is incorrect."],
    ["no password", { password: "" }, 400, "The password must not be empty."],
    [
      "a secret that the page did not offer",
      { secret: "short" },
      400,
      "is not from this page; reload the page",
    ],
  ])("rejects %s, keeps the secret, and changes nothing", async (_, wrong, status, sentence) => {
    const browser = await signedIn();
    const before = await accountState();
    const secret = secretOf(await browser.get(PATH));
    const fields = { secret, code: codeAt(secret, NOW), password: DEMO.password, ...wrong };
    const page = await browser.post(PATH, fields);
    expect(page.status).toBe(status);
    expect(page.text).toContain(sentence);
    expect(page.text).toContain("Two-factor authentication is still off.");
    if (!("secret" in wrong)) expect(secretOf(page)).toBe(secret);
    expect([await accountState(), await readTwoFactor()]).toEqual([
      before,
      { authenticators: [], codes: [] },
    ]);
  });

  it("is not possible twice, and not for a user of single sign-on", async () => {
    const [browser, sso] = [await signedIn(), await singleSignOnUser()];
    const { secret } = await turnOn(browser);
    const before = await readTwoFactor();
    const again = { secret, code: codeAt(secret, NOW), password: DEMO.password };
    expect((await browser.post(PATH, again)).status).toBe(409);
    expect((await sso.get(PATH)).status).toBe(404);
    expect((await sso.post(PATH, { ...again, password: "any-password" })).status).toBe(404);
    expect(await readTwoFactor()).toEqual(before);
  });

  it("answers 409 and changes nothing if the password is reset at the same moment", async () => {
    const browser = await signedIn();
    const secret = secretOf(await browser.get(PATH));
    const reset = "UPDATE users SET password_hash = password_hash || 'x' WHERE id = 1";
    const fields = { secret, code: codeAt(secret, NOW), password: DEMO.password };
    const page = await browser.post(PATH, fields, { env: { DB: racedDatabase(reset) } });
    expect(page.status).toBe(409);
    expect(await readTwoFactor()).toEqual({ authenticators: [], codes: [] });
  });
});

describe("signing in", () => {
  it("asks for a code after the password, and then opens the page that was asked for", async () => {
    const { secret } = await freshTwoFactor();
    const browser = new Browser();
    const fields = { email: DEMO.email, password: DEMO.password, next: "/account?x=1" };
    const { headers } = await browser.post("/login", fields);
    expect(headers.get("location")).toBe("/login/code?next=%2Faccount%3Fx%3D1");
    expect((await browser.get("/login/code?next=%2Faccount%3Fx%3D1")).text).toContain('value="/account?x=1"');
    const waitingId = browser.session;
    const done = await browser.post("/login/code", { code: codeAt(secret, NOW), next: "/account?x=1" });
    expect([done.status, done.headers.get("location")]).toEqual([303, "/account?x=1"]);
    expect(browser.session).not.toBe(waitingId);
    expect((await browser.get("/account")).status).toBe(200);
  });

  it("grants nothing before the code", async () => {
    await freshTwoFactor();
    const browser = await waiting();
    const before = await accountState();
    expect((await browser.get("/account")).headers.get("location")).toContain("/login?");
    expect((await browser.get("/")).text).not.toContain(DEMO.email);
    for (const path of [
      "/account/token/show",
      "/account/token/reset",
      "/account/password",
      PATH,
      `${PATH}/off`,
    ]) {
      const page = await browser.post(path, { password: DEMO.password });
      expect([page.status, shownToken(page)]).toEqual([303, undefined]);
    }
    expect([...browser.cookies.keys()]).toEqual(["__Host-session"]);
    expect(await accountState()).toEqual(before);
  });

  it("accepts the code of the present 30-second step and of the one before, and each only once", async () => {
    const { secret } = await freshTwoFactor();
    const later = { now: NOW + DAY };
    const codes: [steps: number, isAccepted: boolean][] = [
      [-2, false],
      [1, false],
      [-1, true],
      [-1, false],
      [0, true],
      [0, false],
      [-1, false],
    ];
    for (const [steps, isAccepted] of codes) {
      const code = codeAt(secret, later.now + steps * STEP);
      const outcome = await enter(await waiting(later), { code }, later);
      expect(outcome, `${steps} steps`).toBe(isAccepted ? "/" : 401);
    }
  });

  it.each([
    [-1, 401],
    [0, "/"],
    [2 * STEP - 1, "/"],
    [2 * STEP, 401],
  ])("accepts a code for 60 seconds: %i ms after its step began", async (age, outcome) => {
    const { secret } = await freshTwoFactor();
    const shownAt = NOW + DAY;
    const options = { now: shownAt + age };
    expect(await enter(await waiting(options), { code: codeAt(secret, shownAt) }, options)).toBe(outcome);
  });

  it("does not accept the code again that turned it on", async () => {
    const { secret } = await freshTwoFactor();
    const browser = await waiting();
    expect((await browser.post("/login/code", { code: codeAt(secret, NOW - STEP) })).status).toBe(401);
    expect(await enter(browser, { code: codeAt(secret, NOW) })).toBe("/");
  });

  it("accepts a code with spaces", async () => {
    const { secret } = await freshTwoFactor();
    const code = ` ${codeAt(secret, NOW).slice(0, 3)} ${codeAt(secret, NOW).slice(3)} `;
    expect(await enter(await waiting(), { code })).toBe("/");
  });

  it.each([
    ["a wrong code", "000000", 401, "That code is incorrect or was used before."],
    ["an empty code", "", 400, "The code must not be empty."],
    ["a recovery code that does not exist", "abcdef-abcdef-abcdef-abcdef", 401, "That code is incorrect"],
  ])("rejects %s and lets the user try again", async (_, code, status, sentence) => {
    const { secret } = await freshTwoFactor();
    const browser = await waiting();
    const page = await browser.post("/login/code", { code });
    expect([page.status, page.text.includes(sentence)]).toEqual([status, true]);
    expect((await browser.get("/account")).status).toBe(303);
    const again = await browser.post("/login/code", { code: codeAt(secret, NOW) });
    expect(again.headers.get("location")).toBe("/");
    expect((await browser.get("/account")).status).toBe(200);
  });

  it("waits 10 minutes for the code", async () => {
    const { secret } = await freshTwoFactor();
    const browser = await waiting();
    const at = (now: number) => browser.post("/login/code", { code: codeAt(secret, now) }, { now });
    const late = await at(NOW + 600_000);
    expect(late.headers.get("location")).toBe("/login?next=%2F&notice=ended");
    expect((await at(NOW + 600_000 - 1)).headers.get("location")).toBe("/");
  });

  it.each([
    ["signed out", (browser: Browser) => browser.post("/logout", {})],
    ["a user who was disabled", () => rows("UPDATE users SET disabled_at = 1 WHERE id = 1")],
    [
      "a user whose password was reset",
      () => ask("/operator/v1/users/1/password", { token: DEMO.operatorToken, json: { your_password } }),
    ],
  ])("no longer waits for %s", async (_, change) => {
    const { secret } = await freshTwoFactor();
    const browser = await waiting();
    const id = browser.session ?? "";
    await change(browser);
    browser.cookies.set("__Host-session", id);
    const page = await browser.post("/login/code", { code: codeAt(secret, NOW) });
    expect(page.headers.get("location")).toBe("/login?next=%2F&notice=ended");
  });

  it("without a sign-in that waits starts over", async () => {
    await freshDemo();
    for (const browser of [new Browser(), await signedIn()]) {
      for (const page of [
        await browser.get("/login/code"),
        await browser.post("/login/code", { code: "000000" }),
      ]) {
        expect(page.headers.get("location")).toBe("/login?next=%2F&notice=ended");
      }
    }
  });

  it("does not open the secret of another user", async () => {
    await freshTwoFactor();
    const { secret } = await turnOn(
      await signedIn(DEMO.operatorEmail, DEMO.operatorPassword),
      DEMO.operatorPassword,
    );
    await rows(
      "UPDATE authenticators SET sealed = (SELECT sealed FROM authenticators WHERE user_id = 2) WHERE user_id = 1",
    );
    const browser = await waiting();
    expect((await browser.post("/login/code", { code: codeAt(secret, NOW) })).status).toBe(401);
  });
});

describe("the limits on codes", () => {
  it("allow 10 in one sign-in and minute", async () => {
    await freshTwoFactor();
    const uses: string[] = [];
    const limit = async ({ key }: { key: string }) => ({ success: uses.push(key) <= 10 });
    const browser = await waiting();
    const options = { env: { PASSWORD_ATTEMPTS: { limit } } };
    for (let count = 0; count < 10; count++) {
      expect((await browser.post("/login/code", { code: "000000" }, options)).status).toBe(401);
    }
    expect((await browser.post("/login/code", { code: "000000" }, options)).status).toBe(429);
    expect(new Set(uses).size).toBe(1);
  });

  const HOUR = 3_600_000;
  const wrong = { code: "000000" };
  const wrongRecovery = { code: "abcdef-abcdef-abcdef-abcdef" };
  /** The statuses of wrong codes, one after the other. */
  async function guess(browser: Browser, count: number, fields = wrong, options: Call = {}) {
    const statuses: number[] = [];
    for (let guessed = 0; guessed < count; guessed++)
      statuses.push((await browser.post("/login/code", fields, options)).status);
    return statuses;
  }

  /** As after 20 wrong ones, or as many as given, of each browser. */
  const countWrong = async ({ now }: { now: number }, codes = 20) => {
    const hour = Math.floor(now / HOUR);
    await rows("UPDATE devices SET codes = ?, codes_hour = ? WHERE user_id = 1", codes, hour);
    await rows("UPDATE failed_sign_ins SET codes = ?, hour = ? WHERE user_id = 1", codes, hour);
  };

  it("allow 20 wrong ones an hour from all browsers together that are not known, and do not affect known ones", async () => {
    const { browser: known, secret } = await freshTwoFactor();
    const [thief, other] = [await waiting(), await waiting()];
    expect(await guess(thief, 10)).toEqual(Array(10).fill(401));
    expect(await guess(other, 11, wrongRecovery)).toEqual([...Array(10).fill(401), 429]);
    const code = codeAt(secret, NOW);
    const limited = await thief.post("/login/code", { code });
    expect([limited.status, limited.headers.get("retry-after")]).toEqual([429, "3600"]);
    await waiting({}, known);
    expect(await enter(known, { code })).toBe("/");
    const nextHour = { now: NOW + HOUR };
    expect(await enter(await waiting(nextHour), { code: codeAt(secret, nextHour.now) }, nextHour)).toBe("/");
  });

  it("allow 20 wrong ones an hour from a known browser, and do not affect other browsers", async () => {
    const { browser: known, secret, codes } = await freshTwoFactor();
    const other = await waiting();
    expect(await enter(other, { code: codes[0] ?? "" })).toBe("/");
    await waiting({}, known);
    expect(await guess(known, 10)).toEqual(Array(10).fill(401));
    expect(await guess(known, 11, wrongRecovery)).toEqual([...Array(10).fill(401), 429]);
    const code = codeAt(secret, NOW);
    const limited = await known.post("/login/code", { code });
    expect([limited.status, limited.headers.get("retry-after")]).toEqual([429, "3600"]);
    await waiting({}, other);
    expect(await enter(other, { code })).toBe("/");
    expect(await enter(await waiting(), { code: codes[1] ?? "" })).toBe("/");
    const nextHour = { now: NOW + HOUR };
    await waiting(nextHour, known);
    expect(await enter(known, { code: codeAt(secret, nextHour.now) }, nextHour)).toBe("/");
  });

  it("count clock hours, which end at the full hour for all browsers", async () => {
    const { browser: known } = await freshTwoFactor();
    const lastMoment = { now: NOW + HOUR - 1 };
    for (const browser of [await waiting(lastMoment), await waiting(lastMoment, known)]) {
      expect(await guess(browser, 1, wrong, lastMoment)).toEqual([401]);
      await countWrong(lastMoment);
      const last = await browser.post("/login/code", wrong, lastMoment);
      expect(last.headers.get("retry-after")).toBe("1");
      const next = { now: NOW + HOUR };
      expect(await guess(browser, 1, wrong, next)).toEqual([401]);
      // The request of a machine whose clock is late.
      await countWrong(next, 19);
      expect(await guess(browser, 2, wrong, lastMoment)).toEqual([401, 429]);
    }
  });

  it.each(["a known browser", "a browser that is not known"])(
    "do not judge and do not use up the code of %s beyond them",
    async (kind) => {
      const { browser: known, codes } = await freshTwoFactor();
      const browser = await waiting({}, kind === "a known browser" ? known : new Browser());
      await guess(browser, 1);
      await countWrong({ now: NOW });
      const right = { code: codes[0] ?? "" };
      expect(await guess(browser, 1, right)).toEqual([429]);
      const nextHour = { now: NOW + HOUR };
      expect(await enter(await waiting(nextHour, browser), right, nextHour)).toBe("/");
    },
  );

  it.each(["a known browser", "a browser that is not known"])(
    "get back the count of a right code of %s, and no other count",
    async (kind) => {
      const { browser: known, secret, codes } = await freshTwoFactor();
      const browser = () => (kind === "a known browser" ? known : new Browser());
      const first = await waiting({}, browser());
      expect(await guess(first, 1)).toEqual([401]);
      await countWrong({ now: NOW }, 15);
      expect(await enter(first, { code: codeAt(secret, NOW) })).toBe("/");
      const second = await waiting({}, browser());
      expect(await guess(second, 4)).toEqual(Array(4).fill(401));
      expect(await enter(second, { code: codes[0] ?? "" })).toBe("/");
      expect(await guess(await waiting({}, browser()), 2)).toEqual([401, 429]);
    },
  );

  it.each(["a known browser", "browsers that are not known"])(
    "hold for 30 guesses at the same time from %s: 20 are judged",
    async (kind) => {
      const { browser: known } = await freshTwoFactor();
      const browsers = Array.from({ length: 3 }, () => {
        const browser = new Browser();
        if (kind === "a known browser")
          for (const [name, value] of known.cookies) browser.cookies.set(name, value);
        return browser;
      });
      // A waiting sign-in replaces the session of its own cookie, so each has another one.
      for (const browser of browsers) browser.cookies.delete("__Host-session");
      for (const browser of browsers) await waiting({}, browser);
      const guesses = Array.from({ length: 30 }, (_, index) =>
        browsers[index % 3]?.post("/login/code", index % 2 ? wrong : wrongRecovery),
      );
      const statuses = (await Promise.all(guesses)).map((page) => page?.status);
      expect(statuses.toSorted()).toEqual([...Array(20).fill(401), ...Array(10).fill(429)]);
    },
  );
});

describe("a recovery code", () => {
  it("signs in once, in any notation", async () => {
    const { codes } = await freshTwoFactor();
    const code = codes[3]?.toUpperCase().replaceAll("-", " ") ?? "";
    expect(await enter(await waiting(), { code })).toBe("/");
    expect((await (await waiting()).post("/login/code", { code })).status).toBe(401);
    expect(await rows("SELECT count(*) AS n FROM recovery_codes")).toEqual([{ n: 7 }]);
    expect(await enter(await waiting(), { code: codes[0] ?? "" })).toBe("/");
  });

  it("of another user signs nobody in", async () => {
    await freshTwoFactor();
    const other = await turnOn(
      await signedIn(DEMO.operatorEmail, DEMO.operatorPassword),
      DEMO.operatorPassword,
    );
    expect((await (await waiting()).post("/login/code", { code: other.codes[0] ?? "" })).status).toBe(401);
    expect(await rows("SELECT count(*) AS n FROM recovery_codes")).toEqual([{ n: 16 }]);
  });

  it("is used by exactly one of two simultaneous sign-ins", async () => {
    const { codes } = await freshTwoFactor();
    const browsers = [await waiting(), await waiting()];
    const pages = await Promise.all(
      browsers.map((browser) => browser.post("/login/code", { code: codes[0] ?? "" })),
    );
    expect(pages.map(({ status }) => status).sort()).toEqual([303, 401]);
  });

  it("is replaced with the others after the password is entered", async () => {
    const { browser, codes } = await freshTwoFactor();
    const page = await browser.post(`${PATH}/recovery-codes`, { password: DEMO.password });
    expect(page.text).toContain("The old codes no longer work.");
    const replaced = codesOf(page);
    expect(replaced).toHaveLength(8);
    expect((await (await waiting()).post("/login/code", { code: codes[0] ?? "" })).status).toBe(401);
    expect(await enter(await waiting(), { code: replaced[0] ?? "" })).toBe("/");
  });

  it("is not created without two-factor", async () => {
    await freshDemo();
    const page = await (await signedIn()).post(`${PATH}/recovery-codes`, { password: DEMO.password });
    expect([page.status, await rows("SELECT * FROM recovery_codes")]).toEqual([409, []]);
  });
});

describe("turning it off", () => {
  it("needs the password, renews the session, and deletes the secret and the codes", async () => {
    const { browser } = await freshTwoFactor();
    const old = new Browser();
    old.cookies.set("__Host-session", browser.session ?? "");
    const page = await browser.post(`${PATH}/off`, { password: DEMO.password });
    expect(page.text).toContain("Two-factor authentication is off.");
    expect(await readTwoFactor()).toEqual({ authenticators: [], codes: [] });
    expect((await browser.get("/account")).text).toContain("Set up two-factor");
    expect((await old.get("/account")).status).toBe(303);
    expect((await new Browser().signIn()).headers.get("location")).toBe("/");
    expect((await browser.post(`${PATH}/off`, { password: DEMO.password })).status).toBe(409);
  });

  it.each(["off", "recovery-codes"])(
    "or new codes with a wrong password changes nothing: %s",
    async (path) => {
      const { browser } = await freshTwoFactor();
      const before = [await readTwoFactor(), await accountState()];
      for (const [password, status, sentence] of [
        ["not-the-password", 403, "The password is incorrect."],
        ["", 400, "The password must not be empty."],
      ] as const) {
        const page = await browser.post(`${PATH}/${path}`, { password });
        expect([page.status, page.text.includes(sentence)]).toEqual([status, true]);
      }
      expect([await readTwoFactor(), await accountState()]).toEqual(before);
    },
  );
});

describe("a password", () => {
  const NEW = "a new and long password";

  it("that its user changes keeps two-factor on", async () => {
    const { browser, secret, codes } = await freshTwoFactor();
    const fields = { current_password: DEMO.password, new_password: NEW, repeat_password: NEW };
    expect((await browser.post("/account/password", fields)).status).toBe(200);
    for (const code of [codeAt(secret, NOW), codes[0] ?? ""]) {
      const other = new Browser();
      await other.signIn(DEMO.email, NEW);
      expect(await enter(other, { code })).toBe("/");
    }
  });

  it.each([
    ["resets", "/operator/v1/users/1/password", { json: { your_password } }],
    ["takes away", "/operator/v1/users/1", { method: "PATCH", json: { sign_in: "sso", your_password } }],
  ])("that an operator %s turns two-factor off", async (_, path, options) => {
    await freshTwoFactor();
    await ask(path, { token: DEMO.operatorToken, ...options });
    expect(await readTwoFactor()).toEqual({ authenticators: [], codes: [] });
  });

  it("is not touched by another change of the user, and neither is two-factor", async () => {
    await freshTwoFactor();
    const before = await readTwoFactor();
    await ask("/operator/v1/users/1", {
      token: DEMO.operatorToken,
      method: "PATCH",
      json: { role: "operator", your_password: DEMO.operatorPassword },
    });
    expect(await readTwoFactor()).toEqual(before);
  });
});

describe("a known browser is forgotten", () => {
  beforeEach(freshDemo);

  const NEW = "a new and long password";
  const NEW_PASSWORD = { current_password: DEMO.password, new_password: NEW, repeat_password: NEW };
  const reset = (path: string, options: Call) => async () => {
    expect((await ask(path, { token: DEMO.operatorToken, ...options })).status).toBe(200);
  };
  const devices = async () =>
    (await rows<{ id_hash: string }>("SELECT id_hash FROM devices ORDER BY user_id")).map(
      ({ id_hash }) => id_hash,
    );
  /** What is stored of a browser that is known by its cookie. */
  const idOf = ({ cookies }: Browser) =>
    sha256([...cookies].find(([name]) => name.startsWith("__Host-device-"))?.[1] ?? "");

  it.each<[string, (present: Browser) => Promise<unknown>, boolean]>([
    ["with a new password", (present) => present.post("/account/password", NEW_PASSWORD), true],
    ["when two-factor is turned on", (present) => turnOn(present), true],
    [
      "by “Sign out everywhere”",
      (present) => present.post("/account/sign-out-everywhere", { password: DEMO.password }),
      false,
    ],
    [
      "when an operator resets the password",
      reset("/operator/v1/users/1/password", { json: { your_password } }),
      false,
    ],
    [
      "with the change to single sign-on",
      reset("/operator/v1/users/1", { method: "PATCH", json: { sign_in: "sso", your_password } }),
      false,
    ],
  ])("%s", async (_, change, getsNewId) => {
    const operator = await signedIn(DEMO.operatorEmail, DEMO.operatorPassword);
    const [other, present] = [await signedIn(), await signedIn()];
    const before = await devices();
    expect(before.toSorted()).toEqual([other, present, operator].map(idOf).toSorted());
    await change(present);
    expect(await devices()).toEqual([...(getsNewId ? [idOf(present)] : []), idOf(operator)]);
    expect(before.includes(idOf(present))).toBe(!getsNewId);
  });

  it("when two-factor is turned off", async () => {
    const [present, other] = [await signedIn(), new Browser()];
    const { codes } = await turnOn(present);
    await enter(await waiting({}, other), { code: codes[0] ?? "" });
    const before = await devices();
    expect(before.toSorted()).toEqual([present, other].map(idOf).toSorted());
    await present.post(`${PATH}/off`, { password: DEMO.password });
    expect(await devices()).toEqual([idOf(present)]);
    expect(before).not.toContain(idOf(present));
  });

  it("so an intruder who signed in before has 20 guesses an hour, together with all strangers", async () => {
    const [intruder, owner] = [await signedIn(), await signedIn()];
    await turnOn(owner);
    await waiting({}, intruder);
    const guess = async () => (await intruder.post("/login/code", { code: "000000" })).status;
    expect(await guess()).toBe(401);
    // As after 18 more of strangers.
    await rows("UPDATE failed_sign_ins SET codes = codes + 18 WHERE user_id = 1");
    expect([await guess(), await guess()]).toEqual([401, 429]);
  });

  it("not by a token reset, by new recovery codes, or by the end of a session", async () => {
    const [browser, other] = [await signedIn(), await signedIn()];
    const before = await devices();
    await browser.post("/account/token/reset", { password: DEMO.password });
    await other.post("/logout", {});
    expect([before.length, await devices()]).toEqual([2, before]);
    await turnOn(browser);
    const on = await devices();
    await browser.post(`${PATH}/recovery-codes`, { password: DEMO.password });
    expect(await devices()).toEqual(on);
  });
});

const mfa = (OPERATOR_MFA?: string) => ({ env: { OPERATOR_MFA } as { OPERATOR_MFA: string } });
const operatorSignedIn = async (options: Call) => {
  const browser = new Browser();
  await browser.signIn(DEMO.operatorEmail, DEMO.operatorPassword, options);
  return browser;
};

describe.each([
  ["required", "required"],
  ["not set", undefined],
])("OPERATOR_MFA is %s", (_, OPERATOR_MFA) => {
  const required = mfa(OPERATOR_MFA);
  beforeEach(freshDemo);

  it("lets an operator do nothing else before it is set up", async () => {
    const browser = await operatorSignedIn(required);
    for (const path of ["/account", "/operator", "/operator/users"]) {
      expect((await browser.get(path, required)).headers.get("location")).toBe(
        `${PATH}?${new URLSearchParams({ next: path })}`,
      );
    }
    const before = await accountState();
    const issued = await browser.post("/operator/users/1/token", {}, required);
    expect([issued.status, issued.headers.get("location")]).toEqual([303, PATH]);
    const program = await browser.get("/operator", { ...required, headers: { accept: "application/json" } });
    expect([program.status, JSON.parse(program.text).code]).toEqual([403, "two_factor_required"]);
    expect(await accountState()).toEqual(before);
    expect((await browser.get(PATH, required)).text).toContain("Set it up to continue.");
    await turnOn(browser, DEMO.operatorPassword, required);
    expect((await browser.get("/operator", required)).status).toBe(200);
  });
});

describe("required two-factor authentication of operators", () => {
  const required = mfa("required");
  beforeEach(freshDemo);

  it("cannot be turned off", async () => {
    const browser = await operatorSignedIn(required);
    await turnOn(browser, DEMO.operatorPassword, required);
    expect((await browser.get(PATH, required)).text).not.toContain("Turn off");
    const page = await browser.post(`${PATH}/off`, { password: DEMO.operatorPassword }, required);
    expect([page.status, (await readTwoFactor()).authenticators.length]).toEqual([403, 1]);
  });

  it("comes after a temporary password", async () => {
    await rows("UPDATE users SET password_expires_at = ? WHERE id = 2", NOW + DAY);
    const browser = await operatorSignedIn(required);
    expect((await browser.get("/operator", required)).headers.get("location")).toBe(
      "/account/password?next=%2Foperator",
    );
    const NEW = "a new and long password";
    const fields = {
      current_password: DEMO.operatorPassword,
      new_password: NEW,
      repeat_password: NEW,
      next: "/operator",
    };
    const changed = await browser.post("/account/password", fields, required);
    expect([changed.status, changed.headers.get("location")]).toEqual([303, `${PATH}?next=%2Foperator`]);
  });

  it("does not affect members", async () => {
    const browser = new Browser();
    await browser.signIn(DEMO.email, DEMO.password, required);
    expect((await browser.get("/account", required)).status).toBe(200);
  });
});

it("OPERATOR_MFA = optional asks no operator to set it up", async () => {
  await freshDemo();
  const optional = mfa("optional");
  const browser = await operatorSignedIn(optional);
  expect((await browser.get("/operator", optional)).status).toBe(200);
});
