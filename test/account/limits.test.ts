/** Limits on passwords: they stop guessing, and no stranger can keep an owner out. */
import { beforeEach, describe, expect, it } from "vitest";
import { sha256 } from "../../src/domain/hash.ts";
import { countingDatabase, DAY, DEMO, freshDemo, NOW, rows } from "../harness.ts";
import { accountState, Browser, checkForLeakedSecrets, signedIn } from "./support.ts";

/** Attempts for an account, and from an address. test/security/rate-limits.test.ts checks the numbers of wrangler.toml. */
const MOST = 20;

/** Counts each key like a limiter of wrangler.toml does in one minute. */
function limiter(limit: number, counts = new Map<string, number>()): RateLimit {
  return {
    limit: async ({ key }) => {
      counts.set(key, (counts.get(key) ?? 0) + 1);
      return { success: Number(counts.get(key)) <= limit };
    },
  };
}

let limiters = {};
let counts: Record<"addresses" | "accounts", Map<string, number>>;
checkForLeakedSecrets();
beforeEach(async () => {
  await freshDemo();
  counts = { addresses: new Map(), accounts: new Map() };
  limiters = {
    PASSWORD_ATTEMPTS: limiter(10),
    ADDRESS_ATTEMPTS: limiter(MOST, counts.addresses),
    ACCOUNT_ATTEMPTS: limiter(MOST, counts.accounts),
  };
});

const WRONG = "not-the-password";
const from = (address: string, headers = {}) => ({
  env: limiters,
  headers: { "cf-connecting-ip": address, ...headers },
});

/** The statuses of sign-ins with wrong passwords, without repeats: `401 × 10, 429 × 2`. */
async function guess(count: number, attempt: (index: number) => [email: string, address: string]) {
  const statuses: number[] = [];
  for (let index = 0; index < count; index++) {
    const [email, address] = attempt(index);
    statuses.push((await new Browser().signIn(email, WRONG, from(address))).status);
  }
  const runs = [...new Set(statuses)].map(
    (status) => `${status} × ${statuses.filter((one) => one === status).length}`,
  );
  return runs.join(", ");
}

/** Wrong passwords from so many addresses that the account's limit is used up. */
const attack = (email: string) =>
  guess(MOST + 10, (index) => [email, `198.51.100.${Math.floor(index / 10)}`]);

/** As after attempts of strangers at an account, and of an address at others. */
const useUpAccount = (email: string) => counts.accounts.set(sha256(email), MOST);
const useUpAddress = (address: string) => counts.addresses.set(address, MOST);

describe("a browser that has not signed in before", () => {
  it("gets 429 with Retry-After after 10 attempts for one account from one address, as a page and as a problem document", async () => {
    expect(await guess(12, () => [DEMO.email, "192.0.2.1"])).toBe("401 × 10, 429 × 2");
    const page = await new Browser().signIn(DEMO.email, DEMO.password, from("192.0.2.1"));
    expect([page.status, page.headers.get("retry-after")]).toEqual([429, "60"]);
    expect(page.text).toContain("Too many requests");
    const program = from("192.0.2.1", { accept: "application/json" });
    const problem = await new Browser().signIn(DEMO.email, DEMO.password, program);
    expect([problem.status, JSON.parse(problem.text).code]).toEqual([429, "rate_limited"]);
    expect(
      (await new Browser().signIn(DEMO.operatorEmail, DEMO.operatorPassword, from("192.0.2.1"))).status,
    ).toBe(303);
  });

  it("gets 429 after the attempts of one address for any accounts", async () => {
    expect(await guess(MOST + 3, (index) => [`user${index}@example.com`, "192.0.2.1"])).toBe(
      "401 × 20, 429 × 3",
    );
    expect((await new Browser().signIn(DEMO.email, DEMO.password, from("192.0.2.2"))).status).toBe(303);
  });

  it.each([DEMO.email, "nobody@example.com"])(
    "gets 429 after the attempts for one account from all addresses: %s",
    async (email) => {
      if (email === DEMO.email) expect(await attack(email)).toBe("401 × 20, 429 × 10");
      else {
        // As after all attempts but one.
        counts.accounts.set(sha256(email), MOST - 1);
        expect(await guess(2, (index) => [email, `198.51.100.${index}`])).toBe("401 × 1, 429 × 1");
      }
      expect((await new Browser().signIn(email, WRONG, from("203.0.113.1"))).status).toBe(429);
      expect(
        (await new Browser().signIn(DEMO.operatorEmail, DEMO.operatorPassword, from("203.0.113.1"))).status,
      ).toBe(303);
    },
  );

  it("can sign in although one other address has tried more passwords than the account's limit", async () => {
    expect(await guess(MOST + 10, () => [DEMO.email, "192.0.2.1"])).toBe("401 × 10, 429 × 20");
    expect((await new Browser().signIn(DEMO.email, DEMO.password, from("192.0.2.2"))).status).toBe(303);
  });

  it("causes no call to the database beyond a limit", async () => {
    await guess(10, () => [DEMO.email, "192.0.2.1"]);
    const { database, counts } = countingDatabase();
    const options = from("192.0.2.1");
    const page = await new Browser().signIn(DEMO.email, WRONG, {
      ...options,
      env: { ...options.env, DB: database },
    });
    expect([page.status, counts.calls]).toEqual([429, 0]);
  });
});

/** The name and value of the cookie by which a browser is recognized. */
function deviceCookie({ cookies }: Browser): [name: string, id: string] {
  const found = [...cookies].filter(([name]) => /^__Host-device-[0-9a-f]{16}$/.test(name));
  expect(found).toHaveLength(1);
  return found[0] ?? ["", ""];
}

describe("a browser that has signed in to the account before", () => {
  it("signs in while strangers have used up every limit, also from its own address", async () => {
    const browser = new Browser();
    expect((await browser.signIn(DEMO.email, DEMO.password, from("192.0.2.1"))).status).toBe(303);
    await browser.post("/logout", {});
    useUpAccount(DEMO.email);
    useUpAddress("192.0.2.1");
    expect((await new Browser().signIn(DEMO.email, DEMO.password, from("192.0.2.1"))).status).toBe(429);
    expect((await browser.signIn(DEMO.email, DEMO.password, from("192.0.2.1"))).status).toBe(303);
  });

  it("is recognized for 180 days after each sign-in", async () => {
    const browser = await signedIn();
    const device = deviceCookie(browser);
    await browser.signIn(DEMO.email, DEMO.password, { now: NOW + 100 * DAY });
    expect(deviceCookie(browser)).toEqual(device);
    useUpAccount(DEMO.email);
    const signIn = (now: number) => browser.signIn(DEMO.email, DEMO.password, { ...from("192.0.2.1"), now });
    expect((await signIn(NOW + 280 * DAY)).status).toBe(429);
    expect((await signIn(NOW + 280 * DAY - 1)).status).toBe(303);
  });

  it("gets 429 after 10 attempts, and other browsers do not", async () => {
    const [browser, other] = [await signedIn(), await signedIn()];
    const statuses: number[] = [];
    for (let count = 0; count < 11; count++) {
      statuses.push((await browser.signIn(DEMO.email, WRONG, from(`192.0.2.${count}`))).status);
    }
    expect(statuses).toEqual([...Array(10).fill(401), 429]);
    expect((await other.signIn(DEMO.email, DEMO.password, from("192.0.2.1"))).status).toBe(303);
  });

  it.each(["an ID that we did not create", "the ID of another account", "no ID"])(
    "is not recognized by %s",
    async (kind) => {
      const browser = await signedIn();
      const [name, id = ""] = deviceCookie(browser);
      browser.cookies.clear();
      const [operatorsName] = deviceCookie(await signedIn(DEMO.operatorEmail, DEMO.operatorPassword));
      if (kind === "an ID that we did not create") browser.cookies.set(name, "p".repeat(43));
      if (kind === "the ID of another account") browser.cookies.set(operatorsName, id);
      for (const [email, password] of [
        [DEMO.operatorEmail, DEMO.operatorPassword],
        [DEMO.email, DEMO.password],
      ] as const) {
        useUpAccount(email);
        expect((await browser.signIn(email, password, from("192.0.2.9"))).status).toBe(429);
      }
    },
  );

  it("gets a new ID if its ID is unknown", async () => {
    const browser = await signedIn();
    const [name] = deviceCookie(browser);
    browser.cookies.set(name, "p".repeat(43));
    await browser.signIn();
    expect(browser.cookies.get(name)).not.toBe("p".repeat(43));
  });

  it("is one of the last 50 of the user", async () => {
    const first = await signedIn();
    await rows(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 49)
       INSERT INTO devices (user_id, id_hash, expires_at) SELECT user_id, 'later ' || i, expires_at + i FROM devices, n WHERE user_id = 1`,
    );
    await new Browser().signIn(DEMO.email, DEMO.password, { now: NOW + 50 });
    expect(await rows("SELECT count(*) AS n FROM devices WHERE user_id = 1")).toEqual([{ n: 50 }]);
    useUpAccount(DEMO.email);
    expect((await first.signIn(DEMO.email, DEMO.password, from("192.0.2.1"))).status).toBe(429);
  });
});

describe("a signed-in user", () => {
  const NEW = "a new and long password";
  const fields = (password: string) => ({
    password,
    current_password: password,
    new_password: NEW,
    repeat_password: NEW,
  });

  it.each(["/account/token/show", "/account/token/reset", "/account/password"])(
    "gets 429 at %s after 10 passwords in a session, even for the correct one, and nothing changes",
    async (path) => {
      const [browser, other] = [await signedIn(), await signedIn()];
      const before = await accountState();
      for (let count = 0; count < 10; count++) {
        expect((await browser.post(path, fields(WRONG), from(`192.0.2.${count}`))).status).toBe(403);
      }
      expect((await browser.post(path, fields(DEMO.password), from("192.0.2.99"))).status).toBe(429);
      expect(await accountState()).toEqual(before);
      expect((await other.post(path, fields(DEMO.password), from("192.0.2.99"))).status).toBe(200);
    },
  );

  it("resets the token while strangers have used up every limit, also from the same address", async () => {
    const owner = await signedIn();
    useUpAccount(DEMO.email);
    useUpAddress("192.0.2.1");
    expect((await owner.post("/account/token/reset", fields(DEMO.password), from("192.0.2.1"))).status).toBe(
      200,
    );
  });
});

it("a limiter that fails allows every attempt", async () => {
  const broken = { limit: () => Promise.reject(new Error("injected: no limiter")) };
  const bindings = { PASSWORD_ATTEMPTS: broken, ACCOUNT_ATTEMPTS: broken, ADDRESS_ATTEMPTS: broken };
  const browser = new Browser();
  for (const _ of ["a stranger", "a known browser"]) {
    expect((await browser.signIn(DEMO.email, DEMO.password, { env: bindings })).status).toBe(303);
  }
});
