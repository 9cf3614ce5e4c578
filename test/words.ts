/** `npm run check` runs this: it fails where the sources, the tests or a README use a word that our plain English avoids. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

/** Each word with what to write instead. */
const AVOIDED: [RegExp, string][] = [
  [/\bmend(s|ed|ing)?\b/i, "fix"],
  [/\btold\b/i, "reported, shown or confirmed"],
  [/\bstands\b/i, "is, exists or matches"],
  [/\bdead\b(?!-letter)/i, "revoked, expired or broken"],
  [/\banew\b/i, "again"],
  [/\balone\b/i, "only"],
  [/\bwhoever\b/i, "the person or program that"],
  [/\bamiss\b/i, "wrong"],
  [/\bas it is\b/i, "unchanged"],
  [/\bat once\b/i, "immediately, or in one request"],
  [/\bof the service\b/i, "nothing"],
  [/\bheal(s|ed|ing)?\b/i, "resolve"],
  [/\brefus(e|es|ed|al|als|ing)\b/i, "reject"],
  [/\be-mail\b/i, "email"],
  [/\b(colour|catalogue)s?\b/i, "color, catalog"],
];

const files = execFileSync("git", ["ls-files", "src", "test", ".github", "*README.md"], { encoding: "utf8" })
  .split("\n")
  .filter((file) => /\.(ts|js|css|md)$/.test(file) && file !== "test/words.ts");

const found = files.flatMap((file) =>
  readFileSync(file, "utf8")
    .split("\n")
    .flatMap((line, index) =>
      AVOIDED.filter(([word]) => word.test(line)).map(
        ([word, instead]) => `${file}:${index + 1}: ${word.exec(line)?.[0]} (write: ${instead})`,
      ),
    ),
);
if (found.length > 0) {
  console.error(found.join("\n"));
  process.exitCode = 1;
}
