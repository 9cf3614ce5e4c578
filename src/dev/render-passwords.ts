/**
 * `npm run passwords:render`: writes the list of common passwords that nobody can choose. With `--check` it only reports whether
 * the list is up to date with the package that it is taken from.
 */
import { join } from "node:path";
import { dictionary } from "@zxcvbn-ts/language-common";
import { runRenderer } from "./command.ts";

/** Shorter passwords matter because people join two of them, or add digits, to reach the minimum length. */
const SHORT_PASSWORDS = 2_000;
const MIN_LENGTH = 12;

const HEADER = `# The most common passwords of at least ${MIN_LENGTH} characters, and the ${SHORT_PASSWORDS} most common shorter ones, found in breaches. Without
# those that are another one with digits or symbols around it. A capital letter before each says how many characters of the one
# before are left out, from A for none.
# From @zxcvbn-ts/language-common (https://github.com/zxcvbn-ts/zxcvbn), MIT License, Copyright (c) 2012-2016 Dan Wheeler and
# Dropbox, Inc., Copyright (c) 2021 @zxcvbn-ts. Written by \`npm run passwords:render\`. Do not edit.`;

// Sorted by how often a password was found, in lower case. Other rules reject digits, repetitions and sequences.
const common = dictionary["passwords-common"].filter(
  (word) => /^[!-@[-~]{4,}$/.test(word) && /[^\d]/.test(word),
);
const listed = new Set([
  ...common.filter((word) => word.length >= MIN_LENGTH),
  ...common.filter((word) => word.length < MIN_LENGTH).slice(0, SHORT_PASSWORDS),
]);
/** The rules ignore digits and symbols around a listed word. */
const isImplied = (word: string) => {
  const within = word.replace(/^[^a-z]+|[^a-z]+$/g, "");
  return within !== word && listed.has(within);
};
/** A word that shares nothing with the one before it begins a line. */
const shorten = (word: string, before = "") => {
  let shared = 0;
  while (shared < before.length && word[shared] === before[shared]) shared++;
  return `${shared === 0 ? "\n" : ""}${String.fromCharCode(65 + shared)}${word.slice(shared)}`;
};
await runRenderer("passwords:render", join(import.meta.dirname, "../auth/common-passwords.txt"), () => {
  const words = [...listed].filter((word) => !isImplied(word)).sort();
  return `${HEADER}${words.map((word, index) => shorten(word, words[index - 1])).join("")}\n`;
});
