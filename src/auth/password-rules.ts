/** What a password must not be, in addition to its length: something that people or programs guess first. */
import list from "./common-passwords.txt";

/** What an attacker knows: the user's email address, and the host name of this site. */
export type Known = { email: string; host: string };

/** Why a password is too easy to guess, as a phrase that follows its name; undefined if it is not. */
export function explainWeakness(password: string, known: Known): string | undefined {
  const text = password.normalize("NFKC").toLowerCase();
  const once = withoutRepetition(text);
  const reason =
    (withoutSequences(once).length < MIN_NEW &&
      "most of it repeats or continues itself, as in abcabc or 123456") ||
    (isKnown(text, known) && "it consists of your email address or the name of this site") ||
    ((isCommon(text) || isCommon(once)) && "it consists of common passwords");
  return reason ? `is too easy to guess, because ${reason}; use several unrelated words` : undefined;
}

/** So many characters must neither repeat nor continue what is before them. */
const MIN_NEW = 8;
/** Fewer characters are in a text twice by chance. */
const MIN_REPEATED = 3;

/** Leaves out what is earlier in the text: `admin2026` of `adminadminadmin2026`, `ab` of `aaaaaaaaaaab`. */
function withoutRepetition(text: string): string {
  let once = "";
  for (let at = 0, end = 0; at < text.length; at = end) {
    while (end < text.length && text.slice(0, end).includes(text.slice(at, end + 1))) end++;
    if (end - at >= MIN_REPEATED) continue;
    end = at + 1;
    once += text[at];
  }
  return once;
}

/** Leaves out what continues a sequence: `ax` of `aaax`, `12a` of `123456a`, `987` of `9876543217`. */
function withoutSequences(text: string): string {
  const isContinued = (at: number) => {
    const step = stepTo(text, at);
    return step === 0 || (Math.abs(step) === 1 && step === stepTo(text, at - 1));
  };
  return Array.from({ length: text.length }, (_, at) => (isContinued(at) ? "" : text[at])).join("");
}

/** From a character to the next in the alphabet. After 9 comes 0, and after z comes a. */
function stepTo(text: string, at: number): number {
  const step = text.charCodeAt(at) - text.charCodeAt(at - 1);
  return step === -9 || step === -25 ? 1 : step === 9 || step === 25 ? -1 : step;
}

/** What has fewer letters than this is only an addition to a known word. */
const MIN_OTHER = 4;

/** Whether a text consists of what everybody knows, with any digits and symbols around it. */
function isKnown(text: string, { email, host }: Known): boolean {
  const [local = "", domain = ""] = email.split("@");
  // Without the last label, such as com.
  const labels = [domain, host].flatMap((name) => name.split(".").slice(0, -1));
  const words = [email, local, domain, host, ...labels, "linkledger"].filter((word) => word.length >= 3);
  words.sort((left, right) => right.length - left.length);
  const others = words.reduce(without, text);
  return others !== text && others.replace(/[^\p{L}]/gu, "").length < MIN_OTHER;
}

/** Removes a word wherever it is, also `l1nkl3dger` for `linkledger`. */
function without(text: string, word: string): string {
  const at = [text, decodeSubstitutions(text)].map((one) => one.indexOf(word)).find((found) => found >= 0);
  return at === undefined ? text : without(text.slice(0, at) + text.slice(at + word.length), word);
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
  // Digits and symbols without any word repeat themselves or are random.
  return least <= MAX_COMMON && (least > 0 || words.has(text));
}

let lists: { words: ReadonlySet<string>; rows: string[] } | undefined;

/** Read once in an isolate, when somebody chooses a password. */
function readList() {
  const reverse = (row: string) => [...row].reverse().join("");
  lists ??= {
    words: new Set(commonPasswords()),
    rows: KEYBOARD.flatMap((row) => [row, reverse(row)]),
  };
  return lists;
}

/**
 * The list in its order. In the file, a word begins with a capital letter: how many characters it shares with the word before it,
 * which are left out, from A for none.
 */
export function commonPasswords(): string[] {
  let word = "";
  const entries = list.replaceAll(/^#.*/gm, "").matchAll(/([A-Z])([^A-Z\n]+)/g);
  return Array.from(entries, ([, shared = "", rest]) => {
    word = word.slice(0, shared.charCodeAt(0) - 65) + rest;
    return word;
  });
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
