/** Checks that every test file and every test title in test/SPEC.md and in the tables of test/README.md exists. */
import { expect, it } from "vitest";

const sources = import.meta.glob("./**/*.test.ts", { query: "?raw", import: "default", eager: true });
const pages = import.meta.glob("./*.md", { query: "?raw", import: "default", eager: true });

/** The pairs of a test file and a test title; the title is undefined if the page names the whole file. */
function readReferences(page: string): { file: string; title: string | undefined }[] {
  return [...String(pages[page]).matchAll(/`test\/([\w/-]+\.test\.ts)`((?:,? "[^"]+")*)/g)].flatMap(
    ([, file = "", quoted = ""]) => {
      const titles = [...quoted.matchAll(/"([^"]+)"/g)].map(([, title]) => title);
      return (titles.length > 0 ? titles : [undefined]).map((title) => ({ file, title }));
    },
  );
}

it.each([
  ["SPEC.md", 50],
  ["README.md", 30],
])("%s names only tests that exist", (page, least) => {
  const references = readReferences(`./${page}`);
  expect(references.length).toBeGreaterThan(least);
  const missing = references.filter(({ file, title }) => {
    const source = sources[`./${file}`];
    return source === undefined || (title !== undefined && !String(source).includes(title));
  });
  expect(missing).toEqual([]);
});
