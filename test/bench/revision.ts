/** A checkout to measure: this one, or another revision in a temporary folder. */
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { buildWorker, type Settings } from "../built-worker.ts";
import type { Demo } from "./paths.ts";

const ROOT = join(import.meta.dirname, "../..");

export interface Checkout {
  settings: Settings;
  demo: Demo;
  gzipBytes: number;
}

/** Writes a revision's files into a folder, with the node_modules of this checkout. */
export function checkOut(revision: string, folder: string): string {
  mkdirSync(folder);
  const archive = spawnSync("git", ["archive", revision], { cwd: ROOT, maxBuffer: 2 ** 30 });
  const unpacked = spawnSync("tar", ["-x", "-C", folder], { input: archive.stdout });
  if (archive.status !== 0 || unpacked.status !== 0) {
    throw new Error(`${revision} cannot be checked out\n${archive.stderr}${unpacked.stderr}`);
  }
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  return folder;
}

/** Builds a checkout with its own wrangler.toml, and reads its own demo data. */
export async function buildCheckout(name: string, root = ROOT): Promise<Checkout> {
  const { script, gzipBytes } = buildWorker(root);
  const { DEMO, demoStatements } = await import(pathToFileURL(findDemo(root)).href);
  return { settings: { name, root, script, seed: demoStatements(Date.now()) }, demo: DEMO, gzipBytes };
}

function findDemo(root: string): string {
  const files = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" });
  const demo = files
    .filter((file) => file.endsWith(".ts"))
    .map((file) => join(root, "src", file))
    .find((file) => /export (function|const) demoStatements\b/.test(readFileSync(file, "utf8")));
  if (!demo) throw new Error(`no module under ${root}/src exports demoStatements`);
  return demo;
}
