/** Uploads files of links, and reads what the pages of an import show. */
import type { Browser, PageResponse } from "../account/support.ts";
import type { Call } from "../harness.ts";
import { APP, decode, mainOf, tablesOf, textOf } from "./page-text.ts";

export const IMPORT = `${APP}/links/import`;

function post(browser: Browser, path: string, fields: FormData, options: Call): Promise<PageResponse> {
  return browser.get(path, { method: "POST", body: fields, ...options });
}

/** Sends a file to be checked. */
export function upload(
  browser: Browser,
  content: string | Uint8Array<ArrayBuffer>,
  options: Call = {},
  path = IMPORT,
) {
  const fields = new FormData();
  fields.set("file", new File([content], "links.csv", { type: "text/csv" }));
  return post(browser, path, fields, options);
}

/** Pastes cells or paths, with other fields of the form, to be checked. */
export function paste(
  browser: Browser,
  cells: string,
  more: Record<string, string> = {},
  path = IMPORT,
  options: Call = {},
) {
  const fields = new FormData();
  for (const [name, value] of Object.entries({ cells, ...more })) fields.set(name, value);
  fields.set("file", new File([], "", { type: "application/octet-stream" }));
  return post(browser, path, fields, options);
}

/** The fields of the form that reads the rows again with other columns. */
export function columnFields({ text }: PageResponse): Record<string, string> {
  const [, form = ""] = /<section[^>]*aria-labelledby="columns"[^>]*>([\s\S]*?)<\/form>/.exec(text) ?? [];
  const hidden = [...form.matchAll(/type="hidden" name="(\w+)" value="([^"]*)"/g)];
  const selects = [...form.matchAll(/<select name="(\w+)"[^>]*>[\s\S]*?<\/select>/g)].map(
    ([all, name = ""]) => [name, /value="(\w*)" selected/.exec(all)?.[1] ?? ""],
  );
  const texts = [...form.matchAll(/<textarea[^>]* name="(\w+)"[^>]*>([^<]*)</g)];
  const boxes = [...form.matchAll(/type="checkbox" name="(\w+)" value="([^"]*)" checked/g)];
  return Object.fromEntries([
    ...[...hidden, ...texts, ...boxes].map(([, name = "", value = ""]) => [name, decode(value)]),
    ...selects,
  ]);
}

/** The rows that the confirmation carries. */
export function carriedRows(page: string): string {
  const [, rows = ""] = /name="rows" value="([^"]*)"/.exec(page) ?? [];
  return decode(rows);
}

/** Confirms what a check found. */
export function confirm(
  browser: Browser,
  checked: PageResponse,
  options: Call = {},
  path = `${IMPORT}/rows`,
) {
  const fields = new FormData();
  fields.set("rows", carriedRows(checked.text));
  fields.set("left_out", /name="left_out" value="(\d+)"/.exec(checked.text)?.[1] ?? "");
  return post(browser, path, fields, options);
}

/** The rows of the result: number, path, state and details. */
export function outcomesOf({ text }: PageResponse): string[][] {
  const results = tablesOf(text).find(([head]) => head?.cells[0] === "Row") ?? [];
  return results.slice(1).map(({ cells }) => cells);
}

export const readText = ({ text }: PageResponse) => textOf(mainOf(text));

/** A file with its columns. */
export const toFile = (header: string, ...lines: string[]) => [header, ...lines].join("\n");
