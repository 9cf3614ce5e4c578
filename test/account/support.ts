/** A browser for the account pages: keeps cookies, posts forms, and remembers every secret that it sent or received. */
import { afterEach, beforeEach, expect, vi } from "vitest";
import { type Call, call, DEMO, env, freshState, NOW, ORIGIN, rows, UNLIMITED } from "../harness.ts";
import { once } from "../once.ts";
import { tableReader } from "../restore.ts";
import { changedBefore } from "../support.ts";

export type Fields = Record<string, string> | [string, string][];

const secrets = new Set<string>();
let logged: string[] = [];

export interface PageResponse {
  status: number;
  headers: Headers;
  text: string;
}

export class Browser {
  readonly cookies = new Map<string, string>();

  get(path: string, options: Call = {}): Promise<PageResponse> {
    return this.send(path, options);
  }

  post(path: string, fields: Fields, options: Call = {}): Promise<PageResponse> {
    const body = new URLSearchParams(fields);
    for (const [name, value] of body) {
      const isSecret = /password|secret|code/.test(name) && value.length >= 8;
      // A test may try what everybody knows as a password.
      if (isSecret && ![DEMO.email, "linkledger.test", "123456789012"].includes(value)) secrets.add(value);
    }
    const headers = {
      "content-type": "application/x-www-form-urlencoded",
      origin: ORIGIN,
      ...options.headers,
    };
    return this.send(path, { method: "POST", body: body.toString(), ...options, headers });
  }

  signIn(email: string = DEMO.email, password: string = DEMO.password, options: Call = {}) {
    return this.post("/login", { email, password }, options);
  }

  /** The value of the session cookie. */
  get session(): string | undefined {
    return this.cookies.get("__Host-session");
  }

  private async send(path: string, options: Call): Promise<PageResponse> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const response = await call(path, {
      ...options,
      headers: { accept: "text/html", ...(cookie && { cookie }), ...options.headers },
      env: { ...UNLIMITED, ...options.env },
    });
    for (const line of response.headers.getSetCookie()) {
      const [name = "", value = ""] = (line.split(";", 1)[0] ?? "").split("=");
      if (value === "") this.cookies.delete(name);
      else this.cookies.set(name, value);
      if (value !== "") secrets.add(value);
    }
    const text = await response.text();
    for (const secret of text.match(/ll_api_\w{49}|\b[A-Z2-7]{32}\b|\b\w{6}(-\w{6}){3}\b/g) ?? [])
      secrets.add(secret);
    return { status: response.status, headers: response.headers, text };
  }
}

export async function signedIn(email?: string, password?: string): Promise<Browser> {
  const browser = new Browser();
  const { status } = await browser.signIn(email, password);
  expect(status).toBe(303);
  return browser;
}

const sessions = once("sessions of states", () => new Map<string, [string, string][]>());

/**
 * Resets to a state with a user who is signed in, and has done more in that session. All of it is part of the state, so it happens once
 * in a process. Functions of other states have other names.
 */
export async function freshSession(
  fresh: () => Promise<void>,
  email: string = DEMO.email,
  password: string = DEMO.password,
  act?: (browser: Browser) => Promise<void>,
): Promise<Browser> {
  const name = `${fresh.name} of ${email} ${act?.name ?? ""}`;
  await freshState(name, async () => {
    await fresh();
    const browser = await signedIn(email, password);
    await act?.(browser);
    sessions.set(name, [...browser.cookies]);
  });
  const browser = new Browser();
  for (const [cookie, value] of sessions.get(name) ?? []) browser.cookies.set(cookie, value);
  rememberSecrets(...browser.cookies.values());
  return browser;
}

/** The API token that a page shows in plain text. */
export function shownToken(page: PageResponse): string | undefined {
  return /<code id="token-text"[^>]*>(ll_api_\w{49})<\/code>/.exec(page.text)?.[1];
}

/** The text of a page's status line. */
export function statusLine(page: PageResponse): string {
  const text = /<p class="status[^>]*>([^<]*)<\/p>/.exec(page.text)?.[1] ?? "";
  return text.replaceAll("&#39;", "'").trim();
}

/** The status of the campaign API's response to a token. */
export async function useToken(token: string, options: Call = {}): Promise<number> {
  return (await call("/public/v1/partners", { token, ...options })).status;
}

/** All data that the account pages can change. */
export async function accountState() {
  return {
    users: await rows("SELECT * FROM users ORDER BY id"),
    tokens: await rows(
      "SELECT token_hash, user_id, hint, sealed, created_at FROM api_tokens ORDER BY user_id",
    ),
    sessions: await rows("SELECT * FROM sessions ORDER BY id_hash"),
  };
}

const readAll = tableReader(env.DB);

async function dump(): Promise<string> {
  const parts: unknown[] = [await readAll()];
  for (const kv of [env.TOKENS, env.LINKS]) {
    for (const { name } of (await kv.list()).keys) parts.push(name, await kv.get(name));
  }
  return JSON.stringify(parts);
}

/** The log lines since the test began. */
export const loggedLines = (): readonly string[] => logged;

/** Secrets of a state that was made before the test. */
export const rememberSecrets = (...some: string[]) => {
  for (const secret of some) secrets.add(secret);
};

/** Checks after every test of the file that neither the databases nor the log contain a secret that the browser saw. */
export function checkForLeakedSecrets(): void {
  beforeEach(() => {
    secrets.clear();
    for (const secret of [DEMO.apiToken, DEMO.operatorToken, DEMO.password, DEMO.operatorPassword]) {
      secrets.add(secret);
    }
    logged = [];
    for (const method of ["log", "error", "warn", "info", "debug"] as const) {
      vi.spyOn(console, method).mockImplementation((...parts) => {
        logged.push(parts.map(String).join(" "));
      });
    }
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    const atRest = await dump();
    expect(atRest).toContain('"password_hash"');
    expect(logged.join("\n")).toContain('"request_id"');
    for (const secret of secrets) {
      expect(atRest).not.toContain(secret);
      expect(logged.join("\n")).not.toContain(secret);
    }
  });
}

/** A session of a user without a password, as single sign-on would start it. */
export async function singleSignOnUser(): Promise<Browser> {
  const id = "s".repeat(43);
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(id));
  const idHash = [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  await env.DB.batch([
    env.DB.prepare(
      "INSERT INTO users (id, email, role, created_at) VALUES (77, 'sso@example.com', 'member', 0)",
    ),
    env.DB.prepare(
      "INSERT INTO api_tokens (token_hash, user_id, hint, created_at) VALUES ('not-a-real-hash', 77, 'll_api_…aaaa', 0)",
    ),
    env.DB.prepare(
      "INSERT INTO sessions (id_hash, user_id, created_at, last_seen_at, expires_at) VALUES (?1, 77, ?2, ?2, ?3)",
    ).bind(idHash, NOW, NOW + 1000),
  ]);
  const browser = new Browser();
  browser.cookies.set("__Host-session", id);
  return browser;
}

/** The call that writes the account. The first reads the session, the second the account. */
export const WRITES_ACCOUNT = 3;

/** D1 in which another change is committed after the account is read and before it is written. */
export const racedDatabase = (change: string) => changedBefore(WRITES_ACCOUNT, () => env.DB.exec(change));
