/** A change of one place in the code that some test must notice. */
export interface Mutant {
  /** What the change does wrong. */
  name: string;
  /** `migrations` is the last migration that has the text. */
  file: string;
  /** Is in the file once. */
  search: string;
  replace: string;
  /** A project of test/vitest.config.ts, or one of test/dev/vitest.config.ts. Default: one database. */
  project?: "four shards" | "built" | "commands" | undefined;
  /** The narrowest files with a test that fails. */
  tests: string[];
}
