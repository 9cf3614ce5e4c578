/** Sealed secrets open only with the same key, for the same user and purpose, unchanged. */
import { Buffer } from "node:buffer";
import { expect, it } from "vitest";
import { hashPassword, verifyPassword } from "../../src/auth/passwords.ts";
import { open, type Purpose, seal } from "../../src/auth/sealed.ts";

const KEY = new Uint8Array(32).fill(7);
const PURPOSE: Purpose = { userId: 12, secret: "API token" };
const sealed = seal("the secret", KEY, PURPOSE);

it("opens with the same key and purpose", () => {
  expect(open(sealed, KEY, PURPOSE)).toBe("the secret");
});

it("is sealed differently each time", () => {
  expect(seal("the secret", KEY, PURPOSE)).not.toBe(sealed);
});

it("does not open with another key", () => {
  expect(open(sealed, new Uint8Array(32).fill(8), PURPOSE)).toBeUndefined();
});

it.each<[string, object]>([
  ["another user", { userId: 1 }],
  ["another secret", { secret: "another secret" }],
])("does not open for %s", (_, other) => {
  expect(open(sealed, KEY, { ...PURPOSE, ...other } as Purpose)).toBeUndefined();
});

it.each([
  ["another version", sealed.replace("2.", "1.")],
  ["an unknown version", sealed.replace("2.", "9.")],
  ["no version", sealed.slice(2)],
  ["nothing", ""],
  ["only a version", "2."],
  ["no text and half of the tag", sealed.slice(0, 2 + 24)],
])("does not open with %s", (_, changed) => {
  expect(open(changed, KEY, PURPOSE)).toBeUndefined();
});

it("does not open if any byte was changed", () => {
  const bytes = Buffer.from(sealed.slice(2), "base64url");
  for (let at = 0; at < bytes.byteLength; at++) {
    const changed = Buffer.from(bytes);
    changed[at] = (changed[at] ?? 0) ^ 1;
    expect(open(`2.${changed.toString("base64url")}`, KEY, PURPOSE), `byte ${at}`).toBeUndefined();
  }
});

it("uses a key that the password yields and its stored hash does not contain", async () => {
  const { hash, key } = await hashPassword("a password");
  expect(await verifyPassword("a password", hash)).toEqual(key);
  expect(await verifyPassword("another password", hash)).toBeUndefined();
  expect(key).toHaveLength(32);
  expect(hash).not.toContain(Buffer.from(key).toString("base64url"));
});
