/**
 * Runs commands of the real wrangler, one after the other, in a process that has loaded it once: to load its 15 MB takes longer than
 * most commands. A message has a command, and the answer what it printed. `main` is the function that wrangler's program calls.
 */
import { readFileSync } from "node:fs";
import { createRequire, Module } from "node:module";

interface Command {
  args: string[];
  folder: string;
  environment: Record<string, string>;
}

const file = createRequire(import.meta.url).resolve("wrangler");
const loaded = new Module(file) as Module & {
  _compile: (source: string, file: string) => void;
  paths: string[];
  exports: { run: (args: string[]) => Promise<void> };
};
loaded.filename = file;
loaded.paths = (Module as unknown as { _nodeModulePaths: (folder: string) => string[] })._nodeModulePaths(
  file,
);
// It keeps the file of its report for the life of its process.
const more = "\nexports.run = (args) => { outputFilePath = undefined; return main(args); };";
loaded._compile(readFileSync(file, "utf8") + more, file);

// A command ends with the connection to the program that started it, which is here the one that sends the next command.
process.disconnect = () => undefined;
process.on("disconnect", () => process.exit());
const own = { ...process.env };
const output = { stdout: "", stderr: "" };
for (const name of ["stdout", "stderr"] as const)
  process[name].write = (chunk: string | Uint8Array) => {
    output[name] += typeof chunk === "string" ? chunk : Buffer.from(chunk).toString("utf8");
    return true;
  };

process.on("message", async ({ args, folder, environment }: Command) => {
  for (const name of Object.keys(process.env)) if (!(name in own)) delete process.env[name];
  Object.assign(process.env, own, environment);
  process.chdir(folder);
  Object.assign(output, { stdout: "", stderr: "" });
  const status = await loaded.exports.run(args).then(
    () => Number(process.exitCode ?? 0),
    () => 1,
  );
  process.exitCode = undefined;
  process.send?.({ status, ...output });
});
process.send?.("ready");
