import { beforeEach, expect, it } from "vitest";
import { hashPassword, verifyPassword } from "../../src/auth/passwords.ts";
import { SCRYPT } from "../../src/auth/scrypt.ts";
import { DEMO_PASSWORD_HASHES } from "../../src/dev/demo.ts";
import { signedIn } from "../account/support.ts";
import { DEMO, freshDemo, rows } from "../harness.ts";
import { PRODUCTION_COST } from "../passwords.ts";

beforeEach(freshDemo);

/** OWASP's password storage guidance lists these parameters, and workerd's limit is N·r·p = 2^20. */
it("hashes a password with scrypt, N = 16384, r = 8 and p = 5, in production", async () => {
  expect(PRODUCTION_COST).toEqual({ N: 2 ** 14, r: 8, p: 5 });
  const quick = { ...SCRYPT };
  Object.assign(SCRYPT, PRODUCTION_COST);
  try {
    const { hash, key } = await hashPassword("the demo's own password");
    expect(hash).toMatch(/^scrypt\$16384\$8\$5\$[\w-]{22}\$[\w-]{43}$/);
    expect(await verifyPassword("the demo's own password", hash)).toEqual(key);
  } finally {
    Object.assign(SCRYPT, quick);
  }
});

it("signs in with a hash of another cost than new hashes have", async () => {
  const hash = DEMO_PASSWORD_HASHES[DEMO.email];
  expect(hash).toMatch(/^scrypt\$16384\$8\$5\$/);
  await rows("UPDATE users SET password_hash = ? WHERE email = ?", hash, DEMO.email);
  expect((await (await signedIn()).get("/account")).status).toBe(200);
});
