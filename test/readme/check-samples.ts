/**
 * Runs every curl, TypeScript and Python sample of the API reference against a server with fresh demo data for each language.
 * A sample must succeed, except those that are listed here.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startBuiltService } from "../live-service.ts";
import { samplesIn } from "./samples.ts";

const ROOT = join(import.meta.dirname, "../..");

/**
 * The demo round has open mismatches, the demo users have passwords, so operators do not issue their tokens, no archive is bound, and
 * no webhook has sent anything.
 */
const REJECTED = new Map([
  ["approveRound", "409"],
  ["issueToken", "409"],
  ["readArchive", "409"],
  ["resendWebhookDelivery", "404"],
]);
/** These end what other samples need. A member is removed before the same user is added. */
const LAST = ["deleteWebhook", "removeMember", "addMember", "closeRound", "revokeCredential", "eraseUser"];
/** The operator of the demo data. */
const PASSWORD = /(["']?your_password["']?: ?)"…"/;
/** Only a test credential has a round. */
const NAMES: Record<string, (names: Record<string, string>) => Record<string, string>> = {
  readRound: (names) => ({ COST_TOKEN: names.TEST_COST_TOKEN ?? "" }),
};

const RUN: Record<string, (code: string, folder: string) => [command: string, args: string[]]> = {
  curl: (code) => ["bash", ["-c", code.replace(/^curl /, "curl -sS --fail-with-body ")]],
  TypeScript(code, folder) {
    writeFileSync(join(folder, "sample.ts"), code);
    return [process.execPath, ["sample.ts"]];
  },
  Python: (code) => ["python3", ["-c", code]],
};

/** Returns the number of samples, and a description of each that failed. `script` is the built Worker. */
export async function checkSamples(script: string): Promise<{ samples: number; failures: string[] }> {
  if (spawnSync("python3", ["-c", "import requests"]).status !== 0) {
    return { samples: 0, failures: ["The Python samples need python3 with the package requests."] };
  }
  const failures: string[] = [];
  let samples = 0;
  for (const language of Object.keys(RUN)) {
    const folder = mkdtempSync(join(tmpdir(), "linkledger-sample-"));
    writeFileSync(join(folder, "package.json"), '{"type": "module"}');
    symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
    const service = await startBuiltService(script);
    for (const [id, path] of await listOperations(service.names.BASE_URL ?? "")) {
      const page = await (await fetch(service.names.BASE_URL + path)).text();
      const sample = samplesIn(page).find((one) => one.language === language);
      samples++;
      const failure = run(language, sample?.code ?? "", folder, id, service.names);
      if (failure) failures.push(`The ${language} sample of ${path} ${failure}`);
    }
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
  }
  return { samples, failures };
}

function run(
  language: string,
  code: string,
  folder: string,
  id: string,
  names: Record<string, string>,
): string | undefined {
  const known = code.replace(PASSWORD, '$1"operator-password"');
  const [command, args] = RUN[language]?.(known, folder) ?? ["false", []];
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd: folder,
    env: { ...process.env, ...names, ...NAMES[id]?.(names) },
    encoding: "utf8",
  });
  const output = `${stdout}${stderr}`.trim();
  const expected = REJECTED.get(id);
  if (expected === undefined) return status === 0 && stdout ? undefined : `failed:\n${code}\n${output}`;
  if (status === 0) return `succeeded, although ${expected} was expected`;
  return language !== "curl" || output.includes(`"status":${expected}`)
    ? undefined
    : `did not return ${expected}: ${output}`;
}

/** Every operation with the path of its page, in the order of the document. */
async function listOperations(baseUrl: string): Promise<[id: string, path: string][]> {
  const document = await (await fetch(`${baseUrl}/openapi.json`)).json();
  const { paths } = document as {
    paths: Record<string, Record<string, { operationId: string; tags: string[] }>>;
  };
  const all = Object.values(paths).flatMap((methods) => Object.values(methods));
  return all
    .map(({ operationId, tags: [tag = ""] }): [string, string] => [
      operationId,
      `/docs/api/${tag === "site" ? "health" : tag}/${operationId}`,
    ])
    .sort(([left], [right]) => LAST.indexOf(left) - LAST.indexOf(right));
}
