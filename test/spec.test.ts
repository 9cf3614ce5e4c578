/** Checks that every test file and every test title in test/SPEC.md exists. */
import { expect, it } from "vitest";

const sources = import.meta.glob("./**/*.test.ts", { query: "?raw", import: "default", eager: true });
const pages = import.meta.glob("./SPEC.md", { query: "?raw", import: "default", eager: true });
const coverage = String(pages["./SPEC.md"]);

/** The pairs of a test file and a test title; the title is undefined if the page names the whole file. */
function readReferences(): { file: string; title: string | undefined }[] {
  return [...coverage.matchAll(/`test\/([\w/-]+\.test\.ts)`((?:,? "[^"]+")*)/g)].flatMap(
    ([, file = "", quoted = ""]) => {
      const titles = [...quoted.matchAll(/"([^"]+)"/g)].map(([, title]) => title);
      return (titles.length > 0 ? titles : [undefined]).map((title) => ({ file, title }));
    },
  );
}

it("SPEC.md names only tests that exist", () => {
  const references = readReferences();
  expect(references.length).toBeGreaterThan(50);
  const missing = references.filter(({ file, title }) => {
    const source = sources[`./${file}`];
    return source === undefined || (title !== undefined && !String(source).includes(title));
  });
  expect(missing).toEqual([]);
});
