/** Checks that every test file and every test title in test/SPEC.md and in the tables of test/README.md exists. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { ROOT } from "./run.ts";

const read = (path: string) => readFileSync(join(ROOT, "test", path), "utf8");

/** The pairs of a test file and a test title; the title is undefined if the page names the whole file. */
function readReferences(text: string): { file: string; title: string | undefined }[] {
  return [...text.matchAll(/`test\/([\w/-]+\.test\.ts)`((?:,? "[^"]+")*)/g)].flatMap(
    ([, file = "", quoted = ""]) => {
      const titles = [...quoted.matchAll(/"([^"]+)"/g)].map(([, title]) => title);
      return (titles.length > 0 ? titles : [undefined]).map((title) => ({ file, title }));
    },
  );
}

/** The rows of the tables whose last column is "verified by". */
const rowsOf = (text: string) =>
  text
    .split(/\n(?!\|)/)
    .map((block) => block.trim().split("\n"))
    .filter(([header = ""]) => /\| verified by \|$/i.test(header))
    .flatMap(([, , ...rows]) => rows);

it.each(["SPEC.md", "README.md"])("each row of %s names tests, and all of them exist", (page) => {
  const text = read(page);
  const unverified = rowsOf(text).filter((row) => readReferences(row).length === 0);
  expect(unverified).toEqual([]);
  const missing = readReferences(text).filter(({ file, title }) => {
    if (!existsSync(join(ROOT, "test", file))) return true;
    return title !== undefined && !read(file).includes(title);
  });
  expect(missing).toEqual([]);
});
