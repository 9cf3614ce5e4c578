/** Checks that every file and every test that test/SPEC.md names exists. */
import { expect, it } from "vitest";

const sources = import.meta.glob("./**/*.test.ts", { query: "?raw", import: "default", eager: true });
const pages = import.meta.glob("./SPEC.md", { query: "?raw", import: "default", eager: true });
const trace = String(pages["./SPEC.md"]);

/** Pairs of a test file and a test name; the name is undefined for a reference to the whole file. */
function readReferences(): { file: string; name: string | undefined }[] {
  return [...trace.matchAll(/`test\/([\w/-]+\.test\.ts)`((?:,? "[^"]+")*)/g)].flatMap(
    ([, file = "", names = ""]) => {
      const quoted = [...names.matchAll(/"([^"]+)"/g)].map(([, name]) => name);
      return (quoted.length > 0 ? quoted : [undefined]).map((name) => ({ file, name }));
    },
  );
}

it("names only tests that exist", () => {
  const references = readReferences();
  expect(references.length).toBeGreaterThan(50);
  const missing = references.filter(({ file, name }) => {
    const source = sources[`./${file}`];
    return source === undefined || (name !== undefined && !String(source).includes(name));
  });
  expect(missing).toEqual([]);
});
