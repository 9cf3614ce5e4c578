/** What a password must not be, in addition to its length: something that people or programs guess first. */
import list from "./common-passwords.txt";

/** What an attacker knows: the user's email address, and the host name of this site. */
export interface Known {
  email: string;
  host: string;
}

/** Why a password is too easy to guess, as a phrase that follows its name; undefined if it is not. */
export function explainWeakness(password: string, known: Known): string | undefined {
  const text = password.normalize("NFKC").toLowerCase();
  if (isPattern(text)) return "must not be a repeated or consecutive pattern, such as abcabc or 123456";
  if (isKnown(text, known)) return "must not consist of your email address or the name of this site";
  if (isCommon(text)) {
    return "is too easy to guess, because it consists of common passwords; use several unrelated words";
  }
  return undefined;
}

/** The longest part that is a pattern when it is repeated. */
const MAX_REPEATED = 4;

/** A short part that is repeated, or characters that follow each other: `aaaa`, `abcabc`, `abcdef`, `987654`. */
function isPattern(text: string): boolean {
  for (let length = 1; length <= MAX_REPEATED; length++) {
    if (text === text.slice(0, length).repeat(text.length).slice(0, text.length)) return true;
  }
  const steps = new Set(
    [...text].slice(1).map((_, index) => text.charCodeAt(index + 1) - text.charCodeAt(index)),
  );
  // After 9 comes 0, and after z comes a.
  return [1, -1].some((step) =>
    [...steps].every((one) => one === step || one === -9 * step || one === -25 * step),
  );
}

/** What has fewer letters and digits than this is only an addition to a known word. */
const MIN_OTHER = 4;

function isKnown(text: string, { email, host }: Known): boolean {
  const [local = "", domain = ""] = email.split("@");
  // Without the last label, such as com.
  const labels = [domain, host].flatMap((name) => name.split(".").slice(0, -1));
  const words = [email, local, domain, host, ...labels, "linkledger"].filter((word) => word.length >= 3);
  words.sort((left, right) => right.length - left.length);
  const others = words.reduce((rest, word) => rest.replaceAll(word, ""), text);
  return others !== text && others.replace(/[^\p{L}\p{N}]/gu, "").length < MIN_OTHER;
}

const KEYBOARD = [
  "1234567890",
  "abcdefghijklmnopqrstuvwxyz",
  "qwertyuiop",
  "asdfghjkl",
  "zxcvbnm",
  "qwertzuiop",
  "yxcvbnm",
  "azertyuiop",
  "qsdfghjklm",
  "wxcvbn",
  "1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik9ol0p",
  "1q2w3e4r5t6y7u8i9o0p",
  "q1w2e3r4t5y6u7i8o9p0",
  "qazwsxedcrfvtgbyhnujmikolp",
];
const MIN_KEYS = 3;
const MAX_PART = 40;
const MAX_COMMON = 2;

/**
 * Whether a text consists of one or two common passwords or rows of keys, with any digits and symbols around them. Finds the
 * smallest number of them that ends at each character.
 */
function isCommon(text: string): boolean {
  const { words, rows } = readList();
  const isListed = (part: string) =>
    words.has(part) ||
    words.has(decodeSubstitutions(part)) ||
    (part.length >= MIN_KEYS && rows.some((row) => row.includes(part)));
  const counts = [0];
  for (let end = 1; end <= text.length; end++) {
    let least = /\p{L}/u.test(text[end - 1] ?? "") ? Number.POSITIVE_INFINITY : (counts[end - 1] ?? 0);
    for (let start = Math.max(0, end - MAX_PART); start < end; start++) {
      const count = (counts[start] ?? 0) + 1;
      if (count < least && count <= MAX_COMMON && isListed(text.slice(start, end))) least = count;
    }
    counts.push(least);
  }
  const least = counts[text.length] ?? Number.POSITIVE_INFINITY;
  // Digits and symbols without any word are patterns or random.
  return least <= MAX_COMMON && (least > 0 || words.has(text));
}

let lists: { words: ReadonlySet<string>; rows: string[] } | undefined;

/** Read once in an isolate, when somebody chooses a password. */
function readList() {
  const reverse = (row: string) => [...row].reverse().join("");
  lists ??= {
    words: new Set(list.split("\n").filter((line) => line !== "" && !line.startsWith("#"))),
    rows: KEYBOARD.flatMap((row) => [row, reverse(row)]),
  };
  return lists;
}

const SUBSTITUTED: Record<string, string> = {
  "@": "a",
  "4": "a",
  "3": "e",
  "1": "i",
  "!": "i",
  "0": "o",
  $: "s",
  "5": "s",
  "7": "t",
};

/** `p@ssw0rd` becomes `password`. */
function decodeSubstitutions(text: string): string {
  return text.replace(/[@431!0$57]/g, (character) => SUBSTITUTED[character] ?? character);
}
