/** A browser for the partner's pages: keeps the cookie, posts forms, and reads tables. */
import { expect } from "vitest";
import { type Call, call, DEMO, freshState, ORIGIN } from "../harness.ts";
import { once } from "../once.ts";

export interface PageAnswer {
  status: number;
  headers: Headers;
  /** The markup. */
  markup: string;
  /** The text that a person reads, without the scripts and with single blanks. */
  text: string;
}

const FORM = { "content-type": "application/x-www-form-urlencoded", origin: ORIGIN };

export class PartnerBrowser {
  cookie = "";

  get(path: string, options: Call = {}): Promise<PageAnswer> {
    return this.send(path, options);
  }

  post(path: string, fields: Record<string, string> = {}, options: Call = {}): Promise<PageAnswer> {
    const body = new URLSearchParams(fields).toString();
    return this.send(path, { method: "POST", body, ...options, headers: { ...FORM, ...options.headers } });
  }

  /** Uploads a file with the form. */
  upload(content: string | Uint8Array<ArrayBuffer>, options: Call = {}): Promise<PageAnswer> {
    const body = new FormData();
    body.set("file", new File([content], "costs.csv", { type: "text/csv" }));
    return this.send("/partner/upload", { method: "POST", body, ...options });
  }

  /** Submits the confirmation of a page with a checked file. */
  confirm(checked: PageAnswer, options: Call = {}): Promise<PageAnswer> {
    const body = new FormData();
    body.set("rows", rowsOf(checked));
    return this.send("/partner/upload/import", { method: "POST", body, ...options });
  }

  async send(path: string, options: Call): Promise<PageAnswer> {
    const headers = { accept: "text/html", ...(this.cookie && { cookie: this.cookie }), ...options.headers };
    const response = await call(path, { ...options, headers });
    const [set] = response.headers.getSetCookie();
    if (set) this.cookie = /^__Host-partner=[\w-]+(?=;)/.exec(set)?.[0] ?? "";
    const markup = await response.text();
    return { status: response.status, headers: response.headers, markup, text: textOf(markup) };
  }
}

/** The rows that a checked file would import, as its form has them. */
export function rowsOf({ markup }: PageAnswer): string {
  return decodeEntities(/name="rows" value="([^"]*)"/.exec(markup)?.[1] ?? "");
}

/** The rows of the first table of a page, as the texts of their cells. */
export function tableOf({ markup }: PageAnswer): string[][] {
  const table = /<tbody>([\s\S]*?)<\/tbody>/.exec(markup)?.[1] ?? "";
  return table
    .split(/<tr[^>]*>/)
    .slice(1)
    .map((row) => [...row.matchAll(/<t[hd][^>]*>([\s\S]*?)<\/t[hd]>/g)].map(([, cell = ""]) => textOf(cell)));
}

/** The file behind the download link of a page, after its byte order mark. */
export function downloadOf({ markup }: PageAnswer): string {
  const [, file = ""] = /href="data:text\/csv;charset=utf-8,%EF%BB%BF([^"]*)"/.exec(markup) ?? [];
  return decodeURIComponent(decodeEntities(file));
}

const ENTITIES: Record<string, string> = { quot: '"', "#39": "'", lt: "<", gt: ">", amp: "&" };
const decodeEntities = (text: string) =>
  text.replace(/&(quot|#39|lt|gt|amp);/g, (_, name: string) => ENTITIES[name] ?? "");
const textOf = (markup: string) =>
  decodeEntities(
    markup
      .replace(/<head>[\s\S]*?<\/head>/, "")
      .replace(/<[^>]*>/g, " ")
      .replace(/\s+/g, " "),
  ).trim();

const cookies = once("partners of states", () => new Map<string, string>());

/** Resets to a state with a partner that is signed in. The sign-in is part of the state, so it happens once in a process. */
export async function freshPartner(
  fresh: () => Promise<void>,
  credential: string = DEMO.costToken,
): Promise<PartnerBrowser> {
  const name = `${fresh.name} of ${credential}`;
  await freshState(name, async () => {
    await fresh();
    cookies.set(name, (await signedIn(credential)).cookie);
  });
  const browser = new PartnerBrowser();
  browser.cookie = cookies.get(name) ?? "";
  return browser;
}

/** A browser that is signed in with a credential. */
export async function signedIn(credential: string = DEMO.costToken, options: Call = {}) {
  const browser = new PartnerBrowser();
  expect((await browser.post("/partner", { credential }, options)).status).toBe(303);
  return browser;
}
