import { expect, test } from "vitest";
import { run } from "./run.ts";

test("the HTML of the pages under /docs is up to date with their Markdown", () => {
  const { status, stderr } = run(process.execPath, ["src/dev/render-docs.ts", "--check"]);
  expect([status, stderr]).toEqual([0, ""]);
});
