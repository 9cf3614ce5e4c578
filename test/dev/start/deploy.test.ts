/** Tests `npm run deploy` from end to end, with a stub of wrangler. */
import { spawn } from "node:child_process";
import { cpSync, existsSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import {
  account,
  accountFile,
  commands,
  type Ended,
  folder,
  giveAccounts,
  HEALTH,
  NEW_SETTINGS,
  namesOf,
  placesOf,
  requests,
  save,
  stored,
  toml,
  url,
} from "../deployment.ts";
import { ROOT } from "../run.ts";

giveAccounts();

test("creates everything, then nothing twice, and ends with 1 when wrangler fails", async () => {
  const node = `"${process.execPath}" --disable-warning=ExperimentalWarning`;
  const stub = `#!/bin/sh\nexec ${node} "${join(ROOT, "test/dev/wrangler-stub.ts")}" "$@"\n`;
  writeFileSync(join(folder, "wrangler"), stub, { mode: 0o755 });
  // The command changes wrangler.toml of its own checkout.
  for (const part of ["src/dev", "package.json"]) {
    cpSync(join(ROOT, part), join(folder, part), { recursive: true });
  }
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  const run = async (...flags: string[]): Promise<Ended> => {
    const child = spawn(process.execPath, [join(folder, "src/dev/deploy.ts"), ...flags], {
      env: { ...process.env, PATH: `${folder}:${process.env.PATH}`, STUB_ACCOUNT: accountFile() },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const exit = new Promise<number | null>((exited) => child.on("exit", exited));
    const [out, error] = await Promise.all([text(child.stdout), text(child.stderr)]);
    return { code: await exit, out, error };
  };

  const first = await run("--shards", "1");
  expect(first).toMatchObject({ code: 0, error: "" });
  expect(first.out).toContain(`linkledger is ready at ${url}`);
  const created = ["d1 create linkledger", "d1 create linkledger-ledger-0"];
  const titles = ["linkledger-tokens", "linkledger-links"].map((title) => `kv namespace create ${title}`);
  expect(commands().filter((command) => command.includes("create"))).toEqual([...created, ...titles]);
  expect(namesOf(1).map(stored)).toEqual(placesOf(1));
  const written = toml();
  expect(written.startsWith(NEW_SETTINGS)).toBe(true);

  expect(await run()).toMatchObject({ code: 0, error: "" });
  expect(commands().filter((command) => /create|store/.test(command))).toEqual([]);
  expect(toml()).toBe(written);
  expect(requests).toEqual([HEALTH, "/readyz", HEALTH, "/readyz"]);

  save({ ...account(), failing: "d1 migrations apply" });
  const { code, error } = await run();
  expect(code).toBe(1);
  expect(error).toContain("A request to the Cloudflare API failed.");
  expect(error).toContain("\n\nwrangler d1 migrations apply DB --remote failed.");
  expect(error).not.toContain("    at ");
  expect(commands().at(-1)).toBe("d1 migrations apply DB --remote");
  expect(existsSync(join(folder, ".wrangler.deploy.json"))).toBe(false);
});
