/**
 * The TypeScript client as its page describes it: types from /openapi.json, and programs that compile with them. The
 * programs are those on the pages.
 */
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { DEMO } from "../../src/dev/demo.ts";
import type { ApiDocument } from "../../src/site/reference/document.ts";
import { type BuiltWorker, buildWorker, startBuilt } from "../built-worker.ts";
import { samplesIn } from "../readme/samples.ts";
import { run } from "./run.ts";

const ROOT = join(import.meta.dirname, "../..");
const folder = mkdtempSync(join(tmpdir(), "linkledger-client-"));
let server: BuiltWorker;

beforeAll(async () => {
  server = await startBuilt({ name: "client", script: buildWorker().script });
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  const compilerOptions = {
    strict: true,
    exactOptionalPropertyTypes: true,
    module: "preserve",
    target: "es2024",
    types: ["node"],
    noEmit: true,
  };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions }));
  writeFileSync(join(folder, "package.json"), '{"type": "module"}');
  const [command = ""] = (await sampleOn("/docs/typescript", "sh")).split("\n");
  const [, ...args] = command.replace(/^npx openapi-typescript@7/, "").split(" ");
  expect(args).toEqual([`${server.url}/openapi.json`, "-o", "linkledger.d.ts"]);
  const generator = join(ROOT, "test/client/node_modules/openapi-typescript/bin/cli.js");
  expect(runScript(generator, ...args)).toMatchObject({ status: 0 });
});
afterAll(async () => {
  await server.miniflare.dispose();
  rmSync(folder, { recursive: true });
});

const read = async (path: string) => (await fetch(server.url + path)).text();

function runScript(...args: string[]) {
  const env = {
    ...process.env,
    BASE_URL: server.url,
    APP_TOKEN: DEMO.appToken,
    API_TOKEN: DEMO.apiToken,
    COST_TOKEN: DEMO.costToken,
  };
  const { status, stdout, stderr } = run(process.execPath, args, { cwd: folder, env });
  return { status, output: stdout + stderr };
}

const compile = () => runScript(join(ROOT, "node_modules/typescript/bin/tsc"), "-p", folder);
const write = (name: string, text: string) => writeFileSync(join(folder, name), text);

const sampleOn = async (path: string, language: string) =>
  samplesIn(await read(path)).find((sample) => sample.language === language)?.code ?? "";

test("the program on the page compiles, creates a link and a sub-link, and gets a cost matched", async () => {
  write("main.ts", await sampleOn("/docs/typescript", "ts"));
  expect(compile()).toEqual({ status: 0, output: "" });
  expect(runScript("main.ts")).toEqual({ status: 0, output: "Acme::Summer matched 0.25\n" });
});

test("every TypeScript sample of the reference compiles", async () => {
  const { paths }: ApiDocument = JSON.parse(await read("/openapi.json"));
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  const index = await read("/llms.txt");
  const areas = [...index.matchAll(/\(http[^)]*(\/docs\/api\/\w+)\)/g)].map(([, path = ""]) => path);
  const links = await Promise.all(
    areas.map(async (area) => [...(await read(area)).matchAll(/href="(\/docs\/api\/\w+\/\w+)"/g)]),
  );
  const pages = [...new Set(links.flat().map(([, path = ""]) => path))];
  expect(pages.map((path) => path.split("/").at(-1)).sort()).toEqual(
    operations.map(({ operationId }) => operationId).sort(),
  );
  for (const path of pages) {
    const code = await sampleOn(path, "TypeScript");
    expect(code, path).toContain("await client.");
    write(`${path.split("/").at(-1)}.ts`, code);
  }
  expect(compile()).toEqual({ status: 0, output: "" });
});

const MISTAKES = [
  ["an unknown parameter", '{ name: "Acme" }', '{ nam: "Acme" }'],
  ["a header of another type", '"Idempotency-Key": crypto.randomUUID()', '"Idempotency-Key": 1'],
  ["an unknown path", '"/public/v1/partners"', '"/public/v1/partner"'],
  ["an unknown property of a response", "cost.amount", "cost.amout"],
] as const;

test("a program with a mistake does not compile", async () => {
  const program = await sampleOn("/docs/typescript", "ts");
  for (const [index, [mistake, correct, wrong]] of MISTAKES.entries()) {
    expect(program, mistake).toContain(correct);
    write(`mistake-${index}.ts`, program.replace(correct, wrong));
  }
  const { output } = compile();
  for (const [index, [mistake]] of MISTAKES.entries()) {
    expect(output, mistake).toMatch(new RegExp(`^mistake-${index}\\.ts\\(\\d+,\\d+\\): error TS`, "m"));
    rmSync(join(folder, `mistake-${index}.ts`));
  }
});
