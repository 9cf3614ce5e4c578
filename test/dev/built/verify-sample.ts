/** Runs the samples of the documentation that verify an event. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { ROOT } from "../run.ts";

/** What follows the sample of a language: it reads events, and says of each whether the sample accepts it. */
const EACH = `for (const { secret, body, headers } of JSON.parse(process.argv[2] ?? "")) {
  let result = "accepted";
  try { verify(secret, body, headers); } catch { result = "rejected"; }
  console.log(result);
}`;
const RUNS: Record<string, { file: string; command: string; after: string }> = {
  ts: { file: "sample.ts", command: process.execPath, after: EACH },
  js: { file: "sample.js", command: process.execPath, after: EACH },
  python: {
    ...{ file: "sample.py", command: "python3" },
    after: `import json, sys
for event in json.loads(sys.argv[1]):
    try:
        verify(event["secret"], event["body"], event["headers"])
        print("accepted")
    except ValueError:
        print("rejected")`,
  },
};

/** Verifies all events in one process. */
export function verifyWithSample(language: string, events: object[]): string[] {
  const page = readFileSync(join(ROOT, "src/site/pages/webhooks.md"), "utf8");
  const [, sample] = new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\n\`\`\``).exec(page) ?? [];
  const { file, command, after } = RUNS[language] ?? { file: "", command: "", after: "" };
  const folder = mkdtempSync(join(tmpdir(), "linkledger-webhook-"));
  writeFileSync(join(folder, "package.json"), '{"type": "module"}');
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  writeFileSync(join(folder, file), `${sample}\n${after}\n`);
  const { stdout, stderr } = spawnSync(command, [file, JSON.stringify(events)], {
    cwd: folder,
    encoding: "utf8",
  });
  rmSync(folder, { recursive: true });
  expect(stderr).toBe("");
  return stdout.trim().split(/\r?\n/);
}
