/**
 * Runs every curl, TypeScript and Python sample of the API reference against a server with fresh demo data for each language.
 * A sample must succeed, except those that are listed here.
 */
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
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

interface Ended {
  isDone: boolean;
  stdout: string;
  stderr: string;
}
/** Runs one sample after the other. */
interface Runner {
  run: (code: string, names: Record<string, string>) => Promise<Ended>;
  stop?: () => void;
}

/** Runs each line of its input, and prints how that ended. */
const PYTHON = `
import contextlib, io, json, os, sys, traceback
for line in sys.stdin:
    sample = json.loads(line)
    os.environ.update(sample["names"])
    out, error, done = io.StringIO(), io.StringIO(), True
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(error):
        try:
            exec(sample["code"], {"__name__": "__main__"})
        except BaseException:
            done = False
            traceback.print_exc()
    print(json.dumps({"isDone": done, "stdout": out.getvalue(), "stderr": error.getvalue()}), flush=True)
`;

/** The same with each line as a module in the folder. */
const TYPESCRIPT = `
import { writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { format } from "node:util";
let count = 0;
for await (const line of createInterface({ input: process.stdin })) {
  const { code, names } = JSON.parse(line);
  Object.assign(process.env, names);
  const texts = { log: "", error: "" };
  for (const name of Object.keys(texts)) console[name] = (...values) => { texts[name] += format(...values) + "\\n"; };
  const file = "sample-" + ++count + ".ts";
  writeFileSync(file, code);
  const isDone = await import("./" + file).then(() => true, (error) => console.error(error.stack));
  process.stdout.write(JSON.stringify({ isDone: isDone ?? false, stdout: texts.log, stderr: texts.error }) + "\\n");
}
`;

/** One interpreter for all samples, because to start it and to import a package take longer than to run one. */
function interpreter(command: string, args: string[], cwd: string): Runner {
  const child = spawn(command, args, { cwd, stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async run(code, names) {
      child.stdin.write(`${JSON.stringify({ code, names })}\n`);
      const { value } = await lines.next();
      return JSON.parse(String(value)) as Ended;
    },
    stop: () => child.stdin.end(),
  };
}

const RUNNERS: Record<string, (folder: string) => Runner> = {
  curl: (cwd) => ({
    async run(code, names) {
      const script = code.replace(/^curl /, "curl -sS --fail-with-body ");
      const env = { ...process.env, ...names };
      const { status, stdout, stderr } = spawnSync("bash", ["-c", script], { cwd, env, encoding: "utf8" });
      return { isDone: status === 0, stdout, stderr };
    },
  }),
  TypeScript(folder) {
    writeFileSync(join(folder, "run.ts"), TYPESCRIPT);
    return interpreter(process.execPath, ["run.ts"], folder);
  },
  Python: (folder) => interpreter("python3", ["-c", PYTHON], folder),
};

/** Returns the number of samples, and a description of each that failed. `script` is the built Worker. */
export async function checkSamples(script: string): Promise<{ samples: number; failures: string[] }> {
  if (spawnSync("python3", ["-c", "import requests"]).status !== 0) {
    return { samples: 0, failures: ["The Python samples need python3 with the package requests."] };
  }
  const failures: string[] = [];
  let samples = 0;
  for (const [language, start] of Object.entries(RUNNERS)) {
    const folder = mkdtempSync(join(tmpdir(), "linkledger-sample-"));
    writeFileSync(join(folder, "package.json"), '{"type": "module"}');
    symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
    const service = await startBuiltService(script);
    const runner = start(folder);
    for (const [id, path] of await listOperations(service.names.BASE_URL ?? "")) {
      const page = await (await fetch(service.names.BASE_URL + path)).text();
      const sample = samplesIn(page).find((one) => one.language === language);
      samples++;
      const failure = await run(runner, language, sample?.code ?? "", id, service.names);
      if (failure) failures.push(`The ${language} sample of ${path} ${failure}`);
    }
    runner.stop?.();
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
  }
  return { samples, failures };
}

async function run(
  runner: Runner,
  language: string,
  code: string,
  id: string,
  names: Record<string, string>,
): Promise<string | undefined> {
  const known = code.replace(PASSWORD, '$1"operator-password"');
  const { isDone, stdout, stderr } = await runner.run(known, { ...names, ...NAMES[id]?.(names) });
  const output = `${stdout}${stderr}`.trim();
  const expected = REJECTED.get(id);
  if (expected === undefined) return isDone && stdout ? undefined : `failed:\n${code}\n${output}`;
  if (isDone) return `succeeded, although ${expected} was expected`;
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
