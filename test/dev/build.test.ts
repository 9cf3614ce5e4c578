import { expect, test } from "vitest";
import { buildWorker } from "../built-worker.ts";

test("the gzipped script is smaller than 160 KiB and contains no Postgres code", () => {
  const { script, gzipBytes } = buildWorker();
  expect(gzipBytes).toBeLessThan(160 * 1024);
  expect(script).not.toContain("PgColumn");
});
