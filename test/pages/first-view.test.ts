/** What the first view of a page transfers, with the data of the default demo: the page and what it loads, compressed. */
import { gzipSync } from "node:zlib";
import { beforeAll, expect, it } from "vitest";
import { call, freshWholeDemo } from "../harness.ts";
import { needing, sessionFor, startSessions } from "../security/support.ts";

const MOST = 19 * 1024;

beforeAll(async () => {
  await freshWholeDemo();
  await startSessions();
});

const pages = needing("session", "operator_session", "partner_session", "public").filter(
  ({ method }) => method === "GET",
);
/** The same file for many pages. An image of a page needs its session. */
const sizes = new Map<string, Promise<number>>();
const sizeOf = (path: string, cookie: string) => {
  const size =
    sizes.get(path) ??
    call(path, { headers: { cookie } }).then(async (response) => {
      expect([path, response.status]).toEqual([path, 200]);
      return gzipSync(new Uint8Array(await response.arrayBuffer())).length;
    });
  sizes.set(path, size);
  return size;
};

it.each(pages)("is bounded: $name", async ({ path, need }) => {
  const cookie = need === "public" ? "" : sessionFor(need);
  const response = await call(path, { headers: { accept: "text/html", cookie } });
  const markup = await response.text();
  if (!response.headers.get("content-type")?.startsWith("text/html")) return;
  // Not the image of a menu, which is loaded with it.
  const files = [
    ...markup.matchAll(/<(?:link|script|img(?![^>]*loading="lazy"))[^>]*? (?:href|src)="(\/[^"]+)"/g),
  ];
  expect(files.length).toBeGreaterThan(1);
  const loaded = await Promise.all(
    [...new Set(files.map(([, file = ""]) => file))].map((file) => sizeOf(file, cookie)),
  );
  const total = gzipSync(markup).length + loaded.reduce((sum, size) => sum + size, 0);
  expect(total).toBeLessThanOrEqual(MOST);
});
