import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { build, type PluginBuild } from "esbuild";
import { expect, test } from "vitest";
import { unstable_readConfig } from "wrangler";
import { MAX_SCRIPT_KIB, TEXT_LOADERS } from "../../built-worker.ts";
import { ROOT } from "../run.ts";
import { gzipBytes, script } from "./worker.ts";

/** What wrangler does with `alias`. esbuild itself takes no relative paths there. */
function replaceAliases({ onResolve }: PluginBuild): void {
  const { alias = {} } = unstable_readConfig({ config: join(ROOT, "wrangler.toml") });
  onResolve({ filter: /^\./ }, ({ path }) => (alias[path] ? { path: join(ROOT, alias[path]) } : undefined));
}

test(`the gzipped script is smaller than ${MAX_SCRIPT_KIB} KiB and contains no Postgres code`, () => {
  expect(gzipBytes).toBeLessThan(MAX_SCRIPT_KIB * 1024);
  expect(script).not.toContain("PgColumn");
});

test("the code that runs before the first request is smaller than 75 KiB gzip", async () => {
  const { metafile, outputFiles } = await build({
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
  const { outputs } = metafile;
  const started = new Set<string>();
  const add = (path: string) => {
    if (started.has(path)) return;
    started.add(path);
    for (const { kind, path: imported } of outputs[path]?.imports ?? []) {
      if (kind === "import-statement" && imported in outputs) add(imported);
    }
  };
  add("dist/index.js");
  const texts = outputFiles.filter(({ path }) => started.has(`dist/${path.split("/dist/")[1]}`));
  expect(texts.length).toBe(started.size);
  expect(outputs["dist/index.js"]?.entryPoint).toContain("src/index.ts");
  const bytes = gzipSync(Buffer.concat(texts.map(({ contents }) => contents))).length;
  expect(bytes).toBeLessThan(75 * 1024);
});
