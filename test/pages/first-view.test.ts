/** What the first view of a page loads, with the data of the default demo: few bytes, and the styles of what is on it. */
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

/** Both tests are about the same answers. */
const answers = new Map<string, Promise<{ type: string; text: string }>>();
const answerOf = ({ path, need }: Pick<(typeof pages)[number], "path" | "need">) => {
  const cookie = need === "public" ? "" : sessionFor(need);
  const key = `${path} ${need}`;
  const answer =
    answers.get(key) ??
    call(path, { headers: { accept: "text/html", cookie } }).then(async (response) => ({
      type: response.headers.get("content-type") ?? "",
      text: await response.text(),
    }));
  answers.set(key, answer);
  return answer;
};

it.each(pages)("is bounded: $name", async ({ path, need }) => {
  const cookie = need === "public" ? "" : sessionFor(need);
  const { type, text: markup } = await answerOf({ path, need });
  if (!type.startsWith("text/html")) return;
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

const textOf = async (path: string) => (await answerOf({ path, need: "public" })).text;
const classesIn = (sheets: string[]) =>
  new Set([...sheets.join("\n").matchAll(/\.([a-z][\w-]*)/g)].map(([, name = ""]) => name));

it.each(pages)("loads a rule for each class that has one: $name", async ({ path, need }) => {
  const { text: markup } = await answerOf({ path, need });
  const links = [...markup.matchAll(/<link rel="stylesheet" href="([^"]+)"/g)];
  if (links.length === 0) return;
  const sheets = pages.filter((page) => page.path.endsWith(".css"));
  const styled = classesIn(await Promise.all(sheets.map((sheet) => textOf(sheet.path))));
  const found = classesIn(await Promise.all(links.map(([, href = ""]) => textOf(href))));
  const used = [...markup.matchAll(/ class="([^"]+)"/g)].flatMap(([, names = ""]) =>
    names.trim().split(/\s+/),
  );
  expect([...new Set(used)].filter((name) => styled.has(name) && !found.has(name))).toEqual([]);
});
