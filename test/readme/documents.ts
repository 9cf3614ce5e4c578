/** The documents whose commands run. */
import { readdirSync } from "node:fs";
import { join } from "node:path";

export const ROOT = join(import.meta.dirname, "../..");
export const PAGES = "src/site/pages";
export const DOCUMENTS = [
  "README.md",
  "src/README.md",
  "migrations/README.md",
  "test/README.md",
  ...readdirSync(join(ROOT, PAGES)).map((file) => `${PAGES}/${file}`),
];
