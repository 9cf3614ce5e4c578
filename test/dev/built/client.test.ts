/**
 * The TypeScript client as its page describes it: types from /openapi.json, and programs that compile with them. The
 * programs are those on the pages.
 */
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { DEMO } from "../../../src/dev/demo.ts";
import type { ApiDocument } from "../../../src/site/reference/document.ts";
import { samplesIn } from "../../readme/samples.ts";
import { ROOT, run } from "../run.ts";
import { type FaultyWorker, startFaulty } from "./faulty.ts";

const folder = mkdtempSync(join(tmpdir(), "linkledger-client-"));
let server: FaultyWorker;
/** The program on the page. */
let program: string;
/** The operations with a TypeScript sample, by the path of their page. */
let pages: string[];
/** The lines that the compiler prints. */
let errors: string[];

const MISTAKES = [
  ["an unknown parameter", '{ name: "Acme" }', '{ nam: "Acme" }'],
  ["a header of another type", '"Idempotency-Key": crypto.randomUUID()', '"Idempotency-Key": 1'],
  ["an unknown path", '"/public/v1/partners"', '"/public/v1/partner"'],
  ["a value of another type", "cost_data_enabled: true", 'cost_data_enabled: "on"'],
  ["an unknown property of a response", "cost.amount", "cost.amout"],
] as const;

beforeAll(async () => {
  server = await startFaulty({ name: "client" });
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  const compilerOptions = {
    strict: true,
    exactOptionalPropertyTypes: true,
    module: "preserve",
    target: "es2024",
    types: ["node"],
    noEmit: true,
    skipDefaultLibCheck: true,
  };
  write("tsconfig.json", JSON.stringify({ compilerOptions }));
  write("package.json", '{"type": "module"}');
  const [command = ""] = (await sampleOn("/docs/typescript", "sh")).split("\n");
  const [, ...args] = command.replace(/^npx openapi-typescript@7/, "").split(" ");
  expect(args).toEqual([`${server.url}/openapi.json`, "-o", "linkledger.d.ts"]);
  const generator = join(ROOT, "test/client/node_modules/openapi-typescript/bin/cli.js");
  expect(runScript(generator, ...args)).toMatchObject({ status: 0 });

  // The compiler runs once, for all programs, and in one thread: each of its threads would check the same types again.
  program = await sampleOn("/docs/typescript", "ts");
  write("main.ts", program);
  for (const [index, [, correct, wrong]] of MISTAKES.entries()) {
    write(`mistake-${index}.ts`, program.replace(correct, wrong));
  }
  write("inherit.ts", program.replace("cost_data_enabled: true", "cost_data_enabled: null"));
  const index = await read("/llms.txt");
  const areas = [...index.matchAll(/\(http[^)]*(\/docs\/api\/\w+)\)/g)].map(([, path = ""]) => path);
  const links = await Promise.all(
    areas.map(async (area) => [...(await read(area)).matchAll(/href="(\/docs\/api\/\w+\/\w+)"/g)]),
  );
  pages = [...new Set(links.flat().map(([, path = ""]) => path))];
  for (const path of pages) write(nameOf(path), await sampleOn(path, "TypeScript"));
  const { output } = runScript(
    join(ROOT, "node_modules/typescript/bin/tsc"),
    "--singleThreaded",
    "-p",
    folder,
  );
  errors = output.split("\n").filter((line) => line.includes("error TS"));
});
afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true });
});

/** On a new connection, because the server closes one that is idle while a command runs. */
const read = async (path: string) =>
  (await fetch(server.url + path, { headers: { connection: "close" } })).text();

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

const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
const nameOf = (page: string) => `${page.split("/").at(-1)}.ts`;

const sampleOn = async (path: string, language: string) =>
  samplesIn(await read(path)).find((sample) => sample.language === language)?.code ?? "";

/** The files that do not compile. */
const broken = () => [...new Set(errors.map((line) => line.split("(")[0]))].sort();

test("the program on the page compiles, creates a link and a sub-link, and gets a cost matched", () => {
  expect(broken()).not.toContain("main.ts");
  expect(runScript("main.ts")).toEqual({ status: 0, output: "Acme::Summer matched 0.25\n" });
});

test("every TypeScript sample of the reference compiles", async () => {
  const { paths }: ApiDocument = JSON.parse(await read("/openapi.json"));
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  expect(pages.map(nameOf).sort()).toEqual(operations.map(({ operationId }) => `${operationId}.ts`).sort());
  for (const page of pages) {
    expect(readFileSync(join(folder, nameOf(page)), "utf8"), page).toContain("await client.");
  }
  expect(errors.filter((line) => !line.startsWith("mistake-"))).toEqual([]);
});

test("a program with a mistake does not compile", () => {
  for (const [mistake, correct] of MISTAKES) expect(program, mistake).toContain(correct);
  expect(broken()).toEqual(MISTAKES.map((_, index) => `mistake-${index}.ts`));
});
