/** Passwords that are guessed first are rejected; passwords that people should use are not. */
import { describe, expect, it } from "vitest";
import list from "../../src/auth/common-passwords.txt";
import { explainWeakness } from "../../src/auth/password-rules.ts";

const KNOWN = { email: "ana.lopez@shop.example.com", host: "links.acme.io" };
const explain = (password: string) => explainWeakness(password, KNOWN);

const COMMON = "is too easy to guess, because it consists of common passwords; use several unrelated words";
const PATTERN = "must not be a repeated or consecutive pattern, such as abcabc or 123456";
const OWN = "must not consist of your email address or the name of this site";

it.each([
  "correct horse battery staple",
  "correcthorsebatterystaple",
  "blue-window-seven-rivers",
  "my dog likes cold pizza",
  "zdwnqccemdtnas68zqrz",
  "82749302847192",
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
    "LinkLedger2026!".slice(0, 13),
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
    "passwordpassword",
    "michaeljordan23",
    "qwerty123456",
    "123456789qwe",
    "1q2w3e4r5t6y",
    "mnbvcxzlkjhg",
    "qwertzuiop12",
    "iloveyou 2019 !!",
    "!!!sunshine!!!",
    "dragon-football",
  ])("%j", (password) => {
    expect(explain(password)).toBe(COMMON);
  });

  it("for every entry of the list, also with digits and symbols around it", () => {
    const words = list.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
    expect(words.filter((word) => word.length >= 12).length).toBe(278);
    expect(words.filter((word) => word.length < 12).length).toBe(2000);
    const accepted = words.filter((word) => !explain(word) || !explain(`${word.toUpperCase()}!2026`));
    expect(accepted).toEqual([]);
  });
});
