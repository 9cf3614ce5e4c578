import { expect, test } from "vitest";
import { buildWorker } from "../built-worker.ts";

test("the script takes less than 100 KiB, and holds nothing of Postgres", () => {
  const { script, gzipBytes } = buildWorker();
  expect(gzipBytes).toBeLessThan(100 * 1024);
  expect(script).not.toContain("PgColumn");
});
