/** Passwords that are guessed first are rejected; passwords that people should use are not. */
import { describe, expect, it } from "vitest";
import { commonPasswords, explainWeakness } from "../../src/auth/password-rules.ts";

const KNOWN = { email: "ana.lopez@shop.example.com", host: "links.acme.io" };
const explain = (password: string) => explainWeakness(password, KNOWN);

const because = (reason: string) => `is too easy to guess, because ${reason}; use several unrelated words`;
const COMMON = because("it consists of common passwords");
const PATTERN = because("most of it repeats or continues itself, as in abcabc or 123456");
const OWN = because("it consists of your email address or the name of this site");

it.each([
  "correct horse battery staple",
  "correcthorsebatterystaple",
  "blue-window-seven-rivers",
  "my dog likes cold pizza",
  "zdwnqccemdtnas68zqrz",
  "82749302847192",
  "dog dog cat cat horse horse",
  "!#%-_:;.,<>+*=",
  "Mein Hund frisst Pizza",
  "мой пёс любит пиццу",
  "пароль совсем не password",
  "犬は冷たいピザが好きです本当に",
  "ana.lopez likes football",
  "linkledger keeps costs",
])("accepts %j", (password) => {
  expect(explain(password)).toBeUndefined();
});

describe("rejects a pattern", () => {
  it.each([
    "aaaaaaaaaaaa",
    "............",
    "абабабабабаб",
    "abababababab",
    "abcabcabcabcab",
    "aab1aab1aab1",
    "123456789012",
    "890123456789",
    "210987654321",
    "abcdefghijkl",
    "xyzabcdefghi",
    "lkjihgfedcba",
    "ABCDEFGHIJKL",
    "aaaaaaaaaaab",
    "baaaaaaaaaaa",
    "aaaaaabaaaaa",
    "111111111112",
    "aaaabbbbcccc",
    "aabbccddeeff",
    "ababababababc",
    "12341234123a",
    "a1a1a1a1a1a2",
    "1234567890ab",
    "123456789qwe",
    "abcdefghijk1",
    "adminadminadmin",
    "admin-admin-admin",
    "adminadminadmin1",
    "passwordpasswordpassword",
    "hunter2hunter2",
    "qwertyqwerty1",
  ])("%j", (password) => {
    expect(explain(password)).toBe(PATTERN);
  });
});

describe("rejects what consists of the email address or the name of this site", () => {
  it.each([
    "ana.lopez@shop.example.com",
    "Ana.Lopez@Shop.Example.com",
    "ana.lopezana.lopez",
    "ana.lopez123",
    "shop.example.com",
    "example-example-1",
    "links.acme.io",
    "linksacmelinks",
    "linkledger12",
    "LinkLedger2026!",
    "Linkledger-2026",
    "linkledger_123456",
    "2026 linkledger!",
    "l1nkl3dger-1034",
    "linkledger.linkledger1",
    "Ana.Lopez-20260101",
  ])("%j", (password) => {
    expect(explain(password)).toBe(OWN);
  });
});

describe("rejects a common password", () => {
  it.each([
    "1qaz2wsx3edc",
    "finalfantasy",
    "FinalFantasy",
    "password1234",
    "p4$$w0rd p455w0rd",
    "Password-2026!",
    "p@ssw0rd1234",
    "michaeljordan23",
    "qwerty123456",
    "1q2w3e4r5t6y",
    "mnbvcxzlkjhg",
    "qwertzuiop12",
    "iloveyou 2019 !!",
    "!!!sunshine!!!",
    "dragon-football",
    "changemechangeme",
    "AdminAdminAdmin2026!",
    "summersummersummer2026",
  ])("%j", (password) => {
    expect(explain(password)).toBe(COMMON);
  });

  it("for every entry of the list, also with digits and symbols around it", () => {
    const words = commonPasswords();
    expect(words).toEqual([...new Set(words)].sort());
    expect(words.filter((word) => word.length >= 12).length).toBe(250);
    expect(words.filter((word) => word.length < 12).length).toBe(1928);
    const accepted = words.filter((word) => !explain(word) || !explain(`${word.toUpperCase()}!2026`));
    expect(accepted).toEqual([]);
  });
});
