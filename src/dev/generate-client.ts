/**
 * `npm run client:generate`: generates src/client/linkledger.ts, the types of all requests and responses, from the OpenAPI
 * document. With --check, it writes nothing and fails if the file is out of date.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { generateApi } from "swagger-typescript-api";

const ROOT = join(import.meta.dirname, "../..");
const CLIENT = join(ROOT, "src/client/linkledger.ts");

const folder = mkdtempSync(join(tmpdir(), "linkledger-client-"));
const generated = await generate().finally(() => rmSync(folder, { recursive: true, force: true }));
if (!process.argv.includes("--check")) {
  writeFileSync(CLIENT, generated);
} else if (readFileSync(CLIENT, "utf8") !== generated) {
  console.error("src/client/linkledger.ts is out of date. Run npm run client:generate.");
  process.exit(1);
}

async function generate(): Promise<string> {
  const input = join(folder, "openapi.json");
  writeFileSync(input, JSON.stringify(await readDocument()));
  const { files } = await generateApi({
    input,
    output: false,
    fileName: "linkledger.ts",
    silent: true,
    sortRoutes: true,
    sortTypes: true,
    generateClient: false,
    generateRouteTypes: true,
    extractResponseBody: true,
    enumStyle: "union",
  });
  const [file] = files;
  if (!file) throw new Error("The generator did not return a file.");
  return file.fileContent;
}

/** Builds the document with the Worker's own code, bundled as for a deployment. */
async function readDocument(): Promise<unknown> {
  const outfile = join(folder, "document.mjs");
  await build({
    stdin: {
      contents: `
        import { routes } from "./src/index.ts";
        import { buildDocument } from "./src/openapi.ts";
        export const document = buildDocument(routes, "1");
      `,
      resolveDir: ROOT,
      loader: "ts",
    },
    bundle: true,
    format: "esm",
    platform: "node",
    loader: { ".css": "text", ".svg": "text", ".md": "text", ".client.js": "text" },
    outfile,
  });
  const { document } = (await import(pathToFileURL(outfile).href)) as { document: unknown };
  return document;
}
