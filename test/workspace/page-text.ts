/** Reads pages of the workspace as text: links, tables and figures. */
import { expect } from "vitest";
import type { Browser } from "../account/support.ts";
import { type Call, DEMO } from "../harness.ts";

export const APP = `/apps/${DEMO.appToken}`;

export const decode = (text: string) =>
  text
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&nbsp;", " ")
    .replaceAll("&amp;", "&");

/** The text that a person reads, with single spaces. */
export const textOf = (markup: string) =>
  decode(markup.replace(/<[^>]+>/g, " "))
    .replace(/\s+/g, " ")
    .trim();

export const mainOf = (page: string) => /<main[^>]*>([\s\S]*)<\/main>/.exec(page)?.[1] ?? "";

interface Link {
  text: string;
  href: string;
}

export function linksOf(markup: string): Link[] {
  return [...markup.matchAll(/<a\s[^>]*?href="([^"]*)"[^>]*>([\s\S]*?)<\/a>/g)].map(
    ([, href = "", text = ""]) => ({
      text: textOf(text),
      href: decode(href),
    }),
  );
}

/** The link with this text. */
export function hrefOf(markup: string, text: string): string {
  const found = linksOf(markup).find((link) => link.text === text);
  if (!found) throw new Error(`no link has the text ${text}`);
  return found.href;
}

export interface TableRow {
  cells: string[];
  href: string | undefined;
}

/** The rows of each table, with the heading row and the total row. */
export function tablesOf(page: string): TableRow[][] {
  return [...page.matchAll(/<table>([\s\S]*?)<\/table>/g)].map(([, table = ""]) =>
    [...table.matchAll(/<tr[^>]*>([\s\S]*?)<\/tr>/g)].map(([, row = ""]) => ({
      cells: [...row.matchAll(/<t[hd][^>]*>([\s\S]*?)<\/t[hd]>/g)].map(([, cell = ""]) => textOf(cell)),
      href: linksOf(row)[0]?.href,
    })),
  );
}

/** The text of each figure, for example `Clicks 12 +20%`. */
export function figuresOf(page: string): string[] {
  const list = /<ul class="figures"[^>]*>([\s\S]*?)<\/ul>/.exec(page)?.[1] ?? "";
  return [...list.matchAll(/<li>([\s\S]*?)<\/li>/g)].map(([, item = ""]) => textOf(item));
}

/** The page at a path, which must exist. */
export async function open(browser: Browser, path: string, options: Call = {}): Promise<string> {
  const page = await browser.get(path, options);
  expect([path, page.status]).toEqual([path, 200]);
  return page.text;
}
