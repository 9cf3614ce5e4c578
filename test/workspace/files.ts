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
  return post(browser, path, fields, options);
}

/** The rows of the result: number, path, state and details. */
export function outcomesOf({ text }: PageResponse): string[][] {
  return (tablesOf(text)[0] ?? []).slice(1).map(({ cells }) => cells);
}

export const readText = ({ text }: PageResponse) => textOf(mainOf(text));

/** A file with its columns. */
export const toFile = (header: string, ...lines: string[]) => [header, ...lines].join("\n");
