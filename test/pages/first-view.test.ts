/** What the first view of a page transfers, with the data of the default demo: the page and the files that it loads, compressed. */
import { gzipSync } from "node:zlib";
import { beforeAll, expect, it } from "vitest";
import { call, freshWholeDemo } from "../harness.ts";
import { needing, sessionFor, startSessions } from "../security/support.ts";

const MOST = 16 * 1024;
/** Its filter has the names of all countries, which are 2.7 kB. */
const MORE: Record<string, number> = { "GET /apps/:app_token/performance": 18.75 * 1024 };

beforeAll(async () => {
  await freshWholeDemo();
  await startSessions();
});

const pages = needing("session", "operator_session", "partner_session").filter(
  ({ method }) => method === "GET",
);
const sizes = new Map<string, Promise<number>>();
const sizeOf = (path: string) => {
  const size =
    sizes.get(path) ??
    call(path).then(async (response) => gzipSync(new Uint8Array(await response.arrayBuffer())).length);
  sizes.set(path, size);
  return size;
};

it.each(pages)("is bounded: $name", async ({ name, path, need }) => {
  const response = await call(path, { headers: { accept: "text/html", cookie: sessionFor(need) } });
  const markup = await response.text();
  if (!response.headers.get("content-type")?.startsWith("text/html")) return;
  const files = [...markup.matchAll(/<(?:link|script)[^>]*(?:href|src)="(\/[^"]+\.(?:css|js|svg)[^"]*)"/g)];
  expect(files.length).toBeGreaterThan(1);
  const loaded = await Promise.all([...new Set(files.map(([, file = ""]) => file))].map(sizeOf));
  const total = gzipSync(markup).length + loaded.reduce((sum, size) => sum + size, 0);
  expect(total).toBeLessThanOrEqual(MORE[name] ?? MOST);
});
