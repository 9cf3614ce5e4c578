import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { type BuildResult, build, type OutputFile, type PluginBuild } from "esbuild";
import { beforeAll, describe, expect, test } from "vitest";
import { unstable_readConfig } from "wrangler";
import { MAX_SCRIPT_KIB, TEXT_LOADERS } from "../../built-worker.ts";
import { ROOT } from "../run.ts";
import { gzipBytes, script } from "./worker.ts";

/** Without gzip. More is an accident, such as a library's whole index. */
const MAX_LIBRARY_BYTES: Record<string, number> = {
  "csv-parse": 30_000,
  "drizzle-orm": 19_500,
  hono: 4_000,
  isbot: 2_700,
  "itty-router": 1_400,
  nanoid: 700,
  oauth4webapi: 25_500,
  otpauth: 8_000,
  uqr: 10_500,
  zod: 55_500,
};

/** What wrangler does with `alias`. esbuild itself takes no relative paths there. */
function replaceAliases({ onResolve }: PluginBuild): void {
  const { alias = {} } = unstable_readConfig({ config: join(ROOT, "wrangler.toml") });
  onResolve({ filter: /^\./ }, ({ path }) => (alias[path] ? { path: join(ROOT, alias[path]) } : undefined));
}

test(`the gzipped script is smaller than ${MAX_SCRIPT_KIB} KiB and contains no Postgres code`, () => {
  expect(gzipBytes).toBeLessThan(MAX_SCRIPT_KIB * 1024);
  expect(script).not.toContain("PgColumn");
});

describe("the code that runs before the first request", () => {
  let bundle: BuildResult<{ metafile: true; write: false }>;
  /** The files of the bundle that an isolate starts with. */
  const started = new Set<string>();
  beforeAll(async () => {
    bundle = await build({
      entryPoints: [join(ROOT, "src/index.ts")],
      outdir: "dist",
      bundle: true,
      splitting: true,
      format: "esm",
      minify: true,
      write: false,
      metafile: true,
      external: ["node:*", "cloudflare:*"],
      loader: TEXT_LOADERS,
      plugins: [{ name: "alias of wrangler.toml", setup: replaceAliases }],
    });
    const { outputs } = bundle.metafile;
    const add = (path: string) => {
      if (started.has(path)) return;
      started.add(path);
      for (const { kind, path: imported } of outputs[path]?.imports ?? [])
        if (kind === "import-statement" && imported in outputs) add(imported);
    };
    add("dist/index.js");
    expect(outputs["dist/index.js"]?.entryPoint).toContain("src/index.ts");
  });

  const nameOf = ({ path }: OutputFile) => `dist/${path.split("/dist/")[1]}`;

  test("is smaller than 52 KiB gzip", () => {
    const texts = bundle.outputFiles.filter((file) => started.has(nameOf(file)));
    expect(texts.length).toBe(started.size);
    const bytes = gzipSync(Buffer.concat(texts.map(({ contents }) => contents))).length;
    expect(bytes).toBeLessThan(52 * 1024);
  });

  test("has of each library only what it uses", () => {
    const sizes = new Map<string, number>();
    for (const { inputs } of Object.values(bundle.metafile.outputs)) {
      for (const [path, { bytesInOutput }] of Object.entries(inputs)) {
        const name = /node_modules\/([^/]+)/.exec(path)?.[1];
        if (name && bytesInOutput > 0) sizes.set(name, (sizes.get(name) ?? 0) + bytesInOutput);
      }
    }
    expect([...sizes.keys()].sort()).toEqual(Object.keys(MAX_LIBRARY_BYTES).sort());
    const tooLarge = [...sizes].filter(([name, bytes]) => bytes > (MAX_LIBRARY_BYTES[name] ?? 0));
    expect(tooLarge).toEqual([]);
  });

  test("defines no table and builds no statement, because a click redirects without them", () => {
    const sources = [...started].flatMap((path) => Object.keys(bundle.metafile.outputs[path]?.inputs ?? {}));
    expect(sources.filter((path) => /\/src\/index\.ts$|^src\/index\.ts$/.test(path))).toHaveLength(1);
    expect(sources.filter((path) => /sqlite-core|src\/db\/(?:schema|query)\.ts$/.test(path))).toEqual([]);
  });

  test("formats no number and no list for people, because Intl takes a third of the time of a start", async () => {
    const folder = mkdtempSync(join(tmpdir(), "linkledger-start-"));
    for (const file of bundle.outputFiles)
      writeFileSync(join(folder, nameOf(file).slice("dist/".length)), file.contents);
    const without =
      "delete globalThis.Intl; Number.prototype.toLocaleString = () => { throw new Error('Intl'); };";
    const program = `${without} const { default: worker } = await import("./index.js"); console.log(Object.keys(worker).join());`;
    const { status, stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", program], {
      cwd: folder,
      encoding: "utf8",
    });
    rmSync(folder, { recursive: true });
    expect([status, stdout.trim(), stderr]).toEqual([0, "fetch,scheduled,queue", ""]);
  });
});
