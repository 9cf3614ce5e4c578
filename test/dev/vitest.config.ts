import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { defineConfig, type Plugin } from "vitest/config";
import { limits } from "../vitest.shared.ts";

const root = join(import.meta.dirname, "../..");

/** Imports as text what wrangler.toml imports as text. */
const texts: Plugin = {
  name: "texts",
  enforce: "pre",
  load: (path) =>
    /\.(?:css|svg|md|txt)$/.test(path)
      ? `export default ${JSON.stringify(readFileSync(path, "utf8"))};`
      : undefined,
};

/** One process builds the Worker and imports wrangler once. `npm test` has other work for the other cores. */
const oneProcess = { maxWorkers: 1 };
/** Vitest has no group of projects with different numbers of processes. */
const later = { sequence: { groupOrder: 1 } };

/**
 * The tests that run in Node and not in the Worker's runtime: of the commands in src/dev, of the built Worker, and of the CPU time
 * that the Worker's code takes, which only Node measures.
 */
export default defineConfig({
  test: {
    // The files of a process share what they import, miniflare and wrangler above all.
    isolate: false,
    // One more than the cores, because some tests wait for a command.
    maxWorkers: availableParallelism() + 1,
    projects: [
      {
        root,
        test: {
          name: "commands",
          include: ["test/dev/*.test.ts", "test/dev/deploy/*.test.ts"],
          ...oneProcess,
          ...limits,
        },
      },
      {
        root,
        test: {
          name: "built",
          include: ["test/dev/built/*.test.ts"],
          globalSetup: ["test/dev/built/setup.ts"],
          ...oneProcess,
          ...limits,
        },
      },
      {
        root,
        plugins: [texts],
        test: { name: "linear", include: ["test/linear/*.test.ts"], ...later, ...limits },
      },
      // Not part of `npm test`, because these start real commands: more than a minute of CPU time.
      { root, test: { name: "start", include: ["test/dev/start/*.test.ts"], ...later, ...limits } },
    ],
  },
});
