/**
 * Tests `npm run deploy` and `npm run operator:create` as commands, with the wrangler of the PATH against a stub of Cloudflare's API. Only
 * `wrangler deploy` starts the real program, whose code one process runs for the other commands.
 */
import { spawn } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { CloudflareStub } from "../cloudflare/api.ts";
import { installWrangler } from "../cloudflare/wrangler.ts";
import type { Ended } from "../deploy/deployment.ts";
import { ROOT } from "../run.ts";

test("a clone is deployed and gets its operator, and a failure of the API ends with 1", async () => {
  const stub = new CloudflareStub();
  await stub.start();
  const folder = mkdtempSync(join(tmpdir(), "linkledger-clone-"));
  for (const part of ["src", "migrations", "package.json", "tsconfig.json", "wrangler.toml"])
    cpSync(join(ROOT, part), join(folder, part), { recursive: true });
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  const programs = mkdtempSync(join(tmpdir(), "linkledger-programs-"));
  const server = await installWrangler(programs, "deploy");
  const run = async (script: string, ...flags: string[]): Promise<Ended> => {
    const child = spawn(process.execPath, [stub.redirectFlag, script, ...flags], {
      cwd: folder,
      env: { ...process.env, ...stub.environment, PATH: `${programs}:${process.env.PATH}` },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const exit = new Promise<number | null>((exited) => child.on("exit", exited));
    const [out, error] = await Promise.all([text(child.stdout), text(child.stderr)]);
    return { code: await exit, out, error };
  };
  try {
    const first = await run("src/dev/deploy.ts");
    expect([first.code, first.error]).toEqual([0, ""]);
    expect(first.out).toContain("linkledger is ready at https://linkledger.stub.workers.dev");
    expect(stub.databases.map(({ name }) => name)).toEqual(["linkledger-db"]);
    const created = await run("src/dev/operator.ts", "--remote", "a@example.com");
    expect(created).toMatchObject({ code: 0, out: expect.stringMatching(/Temporary password: \S+/) });
    stub.failing = /^GET \/d1\/database$/;
    const failed = await run("src/dev/deploy.ts");
    expect([failed.code, failed.out]).toEqual([1, ""]);
    expect(failed.error).toContain(stub.failure.message);
    expect(failed.error).toContain("wrangler d1 list --json failed. Run the command again");
    expect(failed.error).not.toContain("    at ");
    expect(existsSync(join(folder, ".wrangler.deploy.json"))).toBe(false);
  } finally {
    stub.stop();
    server.close();
    for (const one of [folder, programs]) rmSync(one, { recursive: true });
  }
});
