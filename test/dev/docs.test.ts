import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";

test("the HTML of the pages under /docs is up to date with their Markdown", () => {
  const { status, stderr } = spawnSync(process.execPath, ["src/dev/render-docs.ts", "--check"], {
    encoding: "utf8",
  });
  expect([status, stderr]).toEqual([0, ""]);
});
