import { expect, test } from "vitest";
import { buildWorker } from "../built-worker.ts";

test("the script takes less than 118 KiB, and holds nothing of Postgres", () => {
  const { script, gzipBytes } = buildWorker();
  expect(gzipBytes).toBeLessThan(118 * 1024);
  expect(script).not.toContain("PgColumn");
});
