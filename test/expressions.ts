/**
 * `npm run check` runs this: it fails where a regular expression of the sources can take more than linear time, because quantifiers
 * are nested or overlap, and where one is built from text, which nothing can check.
 */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { type CallExpression, type NewExpression, parseSync, Visitor } from "oxc-parser";
import { check } from "recheck";

/** Expressions that look around are tried with texts. Their steps are limited, and not their time, which a busy machine takes too. */
const LIMITS = { timeout: null, attackTimeout: null, incubationTimeout: null };

/** Expressions that can take more than linear time, each with the reason why they never do. */
const EXCEPTIONS = new Map([
  ["/\\.?0+$/", "reads an amount that the code has just written, of at most 24 characters"],
  ["/<pre[\\s\\S]*?<\\/pre>/g", "reads our own pages of documentation"],
  ["/<\\/?(a|code|strong|em)\\b[^>]*>/g", "reads our own pages of documentation"],
  ["/<[^>]*>/g", "reads our own pages of documentation"],
]);

/** The places of each expression, and of what builds one. */
const literals = new Map<string, { source: string; flags: string; places: string[] }>();
const built: string[] = [];

// Not the commands in src/dev, which read our own files.
const files = execFileSync("git", ["ls-files", "src", ":!src/dev"], { encoding: "utf8" }).split("\n");
for (const file of files.filter((name) => /\.(ts|js)$/.test(name))) {
  const text = readFileSync(file, "utf8");
  const placeOf = ({ start }: { start: number }) => `${file}:${text.slice(0, start).split("\n").length}`;
  const noteBuilt = ({ callee }: CallExpression | NewExpression) => {
    if (callee.type === "Identifier" && callee.name === "RegExp") built.push(placeOf(callee));
  };
  new Visitor({
    Literal(node) {
      if (!("regex" in node)) return;
      const { pattern: source, flags } = node.regex;
      const found = literals.get(`/${source}/${flags}`) ?? { source, flags, places: [] };
      literals.set(`/${source}/${flags}`, { ...found, places: [...found.places, placeOf(node)] });
    },
    NewExpression: noteBuilt,
    CallExpression: noteBuilt,
  }).visit(parseSync(file, text).program);
}

const problems = built.map(
  (place) => `${place}: write the expression itself, so that this check can read it`,
);
for (const [expression, { source, flags, places }] of literals) {
  const found = await check(source, flags, LIMITS);
  const isException = EXCEPTIONS.has(expression);
  if (found.status === "safe" && isException)
    problems.push(`${expression} is linear: remove it from the exceptions`);
  if (found.status === "safe" || isException) continue;
  const why = found.status === "vulnerable" ? found.complexity.summary : "not understood by the check";
  problems.push(`${places.join(", ")}: ${expression} is ${why}`);
}
for (const expression of EXCEPTIONS.keys())
  if (!literals.has(expression))
    problems.push(`${expression} is not in the sources: remove it from the exceptions`);

if (problems.length > 0) {
  console.error(problems.sort().join("\n"));
  process.exitCode = 1;
}
