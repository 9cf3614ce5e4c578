/** Tests how commands start wrangler, with a program of that name. The tests in start/ use the real one. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { wrangler } from "../../src/dev/wrangler.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "linkledger-wrangler-"));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

test("the wrangler of the PATH gets arguments, a folder and variables, and its status and output are returned", async () => {
  const program = '#!/bin/sh\necho "$(basename "$PWD") $# $2 $ADDED $KEPT"\necho problem >&2\nexit 3\n';
  writeFileSync(join(folder, "wrangler"), program, { mode: 0o755 });
  vi.stubEnv("PATH", `${folder}:${process.env.PATH}`);
  vi.stubEnv("KEPT", "kept");
  const { status, stdout, stderr } = await wrangler(["d1", "two words"], {
    folder,
    environment: { ADDED: "added" },
  });
  const name = folder.split("/").at(-1);
  expect([status, stdout, stderr]).toEqual([3, `${name} 2 two words added kept\n`, "problem\n"]);
});

test("without a wrangler on the PATH, the error says so", async () => {
  vi.stubEnv("PATH", folder);
  const { status, error } = await wrangler(["d1"]);
  expect([status, (error as NodeJS.ErrnoException).code]).toEqual([null, "ENOENT"]);
});
