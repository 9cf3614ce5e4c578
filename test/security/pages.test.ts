/** Text of callers stays text on pages, in CSV files and in the log. */
import { beforeAll, describe, expect, it, vi } from "vitest";
import { call, click, DEMO, env, freshDemo, NOW, rows, withMethods } from "../harness.ts";
import { oneOf } from "../part.ts";
import { everyOperation, type Need, needing, SESSIONS, startSessions } from "./support.ts";

const MARK = "xss0mark";
const hostile = (name: string) =>
  `"'><img src=x onerror=${MARK}(1)><script>${MARK}</script>{{${MARK}}}\${${MARK}}${name}`;
const HOSTILE = hostile("");

const ESCAPED = "&quot;&#39;&gt;&lt;";

/** Columns with text of callers. Some page shows each of them. */
const WRITTEN: Record<string, string[]> = {
  users: ["email"],
  apps: ["name", "default_url", "ios_url", "android_url"],
  links: ["label"],
  partners: ["display_name", "click_parameters", "impression_parameters", "cost_parameters"],
  audit_log: ["subject", "action"],
  sessions: ["browser"],
  adjustments: ["reason"],
};
/** Columns with text of callers inside JSON. */
const WRITTEN_JSON: [table: string, column: string, value: string, names: string[]][] = [
  ["apps", "redirect_hosts", "json_array(?1)", ["hosts"]],
  ["apps", "redirect_schemes", "json_array(?1)", ["schemes"]],
  ["audit_log", "detail", "json_object('name', ?1, ?2, 'x')", ["detail", "detail-name"]],
  [
    "round_entries",
    "record",
    "json_set(record, '$.sent.tag', ?1, '$.sent.cost_id', ?2, '$.sent.cost_type', ?3, '$.sent.cost_currency', ?4)",
    ["sent-tag", "sent-id", "sent-type", "sent-currency"],
  ],
];

beforeAll(async () => {
  await freshDemo();
  await startSessions();
  // The test fills every entry with markup.
  await env.DB.exec("DROP TRIGGER audit_log_changed");
  await env.DB.exec(
    "INSERT INTO audit_log (happened_at, user_id, action, subject, detail) VALUES (0, 1, '', '', '{}')",
  );
  await env.DB.prepare("INSERT INTO adjustments VALUES (1, ?, 20000, 1, 1, 'cpc', 'USD', -100, '', 2, 0)")
    .bind(DEMO.appToken)
    .run();
  await click(`${HOSTILE.slice(0, 60)}-0001`, { query: `&cost_type=${encodeURIComponent(HOSTILE)}` });
  for (const [table, columns] of Object.entries(WRITTEN)) {
    for (const column of columns) {
      const value = table === "users" ? `${column} || ?` : "?";
      await env.DB.prepare(`UPDATE ${table} SET ${column} = ${value}`)
        .bind(hostile(`${table}.${column};`))
        .run();
    }
  }
  for (const [table, column, value, names] of WRITTEN_JSON) {
    await env.DB.prepare(`UPDATE ${table} SET ${column} = ${value}`)
      .bind(...names.map((name) => hostile(`${name};`)))
      .run();
  }
});

const pages = everyOperation.filter(({ method }) => method === "GET");
const QUERIES = [
  "",
  `?next=${encodeURIComponent(HOSTILE)}&notice=${encodeURIComponent(HOSTILE)}&email=${encodeURIComponent(HOSTILE)}&from=${encodeURIComponent(HOSTILE)}`,
];

/** Who sees a page. */
const SENDERS: Partial<Record<Need, Record<string, string>[]>> = {
  public: [{}, { cookie: SESSIONS.operator }, { cookie: SESSIONS.partner }],
  session: [{ cookie: SESSIONS.member }, { cookie: SESSIONS.operator }],
  operator_session: [{ cookie: SESSIONS.operator }, { cookie: SESSIONS.member }],
  partner_session: [{ cookie: SESSIONS.partner }, { cookie: SESSIONS.partnerInRound }, {}],
};
/** With each query; in `npm test` with the one in turn, and the first one with both. */
const sendersOf = (need: Need, query: string, place: number) => {
  const [first = {}, ...others] = SENDERS[need] ?? [];
  return [first, ...oneOf(QUERIES.length, others, place + QUERIES.indexOf(query))];
};

describe("a page", () => {
  /** All pages without a query, as each of those who are signed in sees them. */
  let shown = "";

  it.each(pages.map((page) => [page.name, page] as const))(
    "shows text of callers as text: %s",
    async (_, { path, need }) => {
      for (const query of QUERIES) {
        for (const headers of sendersOf(need, query, path.length)) {
          const response = await call(path + query, { headers: { accept: "text/html", ...headers } });
          const type = response.headers.get("content-type") ?? "";
          const text = await response.text();
          if (query === "" && "cookie" in headers) shown += text;
          if (!type.startsWith("text/html")) continue;
          const before = text.split("img src=x").slice(0, -1);
          expect(before.filter((one) => !one.endsWith(ESCAPED)).map((one) => one.slice(-80))).toEqual([]);
          expect(response.headers.get("content-security-policy")).toMatch(
            /default-src 'none'|script-src 'self'/,
          );
        }
      }
    },
  );

  it("shows each of these columns on some page", () => {
    const written = [
      ...Object.entries(WRITTEN).flatMap(([table, columns]) => columns.map((column) => `${table}.${column}`)),
      ...WRITTEN_JSON.flatMap(([, , , names]) => names),
    ];
    expect(written.filter((name) => !shown.includes(`}${name};`))).toEqual([]);
  });
});

describe("an error response for a path or a parameter", () => {
  it.each(needing("api_token", "operator_token", "cost_credential").map((one) => [one.name, one]))(
    "is not a page that runs what it quotes: %s",
    async (_, { path, method }) => {
      const hostilePath = path.replace(/\/[^/]+$/, `/${encodeURIComponent(HOSTILE)}`);
      for (const accept of oneOf(2, ["text/html", "*/*"], path.length)) {
        const response = await call(`${hostilePath}?limit=${encodeURIComponent(HOSTILE)}`, {
          method,
          headers: { accept },
          token: DEMO.operatorToken,
        });
        const text = await response.text();
        const isPage = response.headers.get("content-type")?.startsWith("text/html");
        if (isPage) expect(text).not.toContain("<img src=x");
        else expect(response.headers.get("content-type")).toMatch(/json/);
      }
    },
  );
});

describe("a redirect", () => {
  const SPLIT = [
    "%0d%0aset-cookie:a=b",
    "%0aset-cookie:a=b",
    "%0d",
    "%E5%98%8A%E5%98%8Dset-cookie:a=b",
    "%00",
    "%e2%80%a8",
  ];

  it.each(SPLIT)("does not let input start a new header: %s", async (split) => {
    for (const path of [
      `/${DEMO.linkToken}?redirect=https://example.com/${split}`,
      `/${DEMO.linkToken}?deep_link=demoapp://item${split}`,
      `/login?next=/account${split}`,
      `/account?x=${split}`,
    ]) {
      const headers = { cookie: path.startsWith("/login") ? SESSIONS.member : "" };
      const response = await call(path, { headers });
      expect(response.status).toBe(path.startsWith(`/${DEMO.linkToken}`) ? 302 : 303);
      expect(response.headers.get("set-cookie")).toBeNull();
      expect(response.headers.get("location")).toMatch(/^[\x20-\x7e]+$/);
      expect(response.headers.get("location")).toMatch(
        /^(\/|https:\/\/(apps\.apple|example)\.com\/|demoapp:)/,
      );
    }
  });

  const AWAY = [
    "https://evil.test",
    "//evil.test",
    "///evil.test",
    "////evil.test/account",
    "/\\evil.test",
    "\\\\evil.test",
    "/%09/evil.test",
    "/\t/evil.test",
    "/account/../../evil.test",
    "/account/..//evil.test",
    "/account/..\\..\\/evil.test",
    "https:evil.test",
    "https:/evil.test/account",
    "http://linkledger.test/account",
    "https://linkledger.test@evil.test/account",
    "https://linkledger.test:444/account",
    "https://linkledger.test.evil.test/account",
    "javascript:alert(1)//account",
    "data:text/html,/account",
    "?next=//evil.test",
    "@evil.test/account",
    ".evil.test/account",
    "/accountevil.test",
    "/account%2f..%2f..%2fevil.test",
  ];

  it.each(AWAY)("after a sign-in never leaves this origin: next=%j", async (next) => {
    const query = new URLSearchParams({ next });
    const response = await call(`/login?${query}`, { headers: { cookie: SESSIONS.member } });
    const location = response.headers.get("location") ?? "";
    const target = new URL(location, "https://linkledger.test/login");
    expect(target.origin).toBe("https://linkledger.test");
    expect(target.pathname).toMatch(/^\/(account(\/|%2f|$)|$)/i);
    expect(location).not.toMatch(/^\/\/|\\/);
  });

  it.each(AWAY)("from a page that needs a session never leaves this origin: %j", async (away) => {
    const response = await call(`/account?next=${encodeURIComponent(away)}`, {
      headers: { accept: "text/html" },
    });
    expect(response.headers.get("location")).toMatch(/^\/login\?next=%2Faccount/);
  });
});

it("a CSV file has no formulas, whatever names it contains", async () => {
  const formulas = [
    "=1+1",
    "+1",
    "-1",
    "@SUM(A1)",
    "\t=1",
    "\r=1",
    " =1",
    "＝1",
    '"=1',
    "=1,=2",
    "=1\n=2",
    "a;=1",
    'a;"=1',
  ];
  for (const formula of formulas) {
    await env.DB.prepare("UPDATE partners SET display_name = ?").bind(formula).run();
    await env.DB.prepare("UPDATE links SET label = ?").bind(formula).run();
    const days = "?from=2026-03-01&to=2026-03-16";
    const token = { authorization: `Bearer ${DEMO.apiToken}` };
    const session = { cookie: SESSIONS.member };
    for (const [path, headers, lines, filled] of [
      [`/public/v1/apps/${DEMO.appToken}/spend${days}&group_by=link,partner`, token, 9, 90],
      [`/apps/${DEMO.appToken}/performance.csv${days}&level=4`, session, 17, 269],
    ] as const) {
      const response = await call(path, { headers: { accept: "text/csv", ...headers } });
      expect(response.headers.get("content-type")).toContain("text/csv");
      const table = await response.text();
      expect(table.trim().split("\r\n")).toHaveLength(lines);
      const cells = table.match(/"(?:[^"]|"")*"|[^,\r\n]+/g) ?? [];
      expect(cells).toHaveLength(filled);
      for (const cell of cells) expect(cell).not.toMatch(/^"?\s*[=+@\-＝]/);
      // A spreadsheet that separates cells with semicolons takes a quote in the middle of a cell for a character.
      for (const cell of table.split(/[;\r\n]+/)) expect(cell).not.toMatch(/^"*\s*[=+@\-＝]/);
    }
  }
  expect(await rows("SELECT 1 FROM daily_totals WHERE app_token = ?", DEMO.appToken)).not.toEqual([]);
});

it("a log line is one line of JSON and quotes no input", async () => {
  const lines: string[] = [];
  for (const level of ["log", "error", "warn", "info"] as const) {
    vi.spyOn(console, level).mockImplementation((line) => {
      // The line about shared calls can be about requests of other tests.
      if (!String(line).includes('"group":')) lines.push(String(line));
    });
  }
  const inject = `inject3d\n{"level":"info","status":200}\r\n\u001b[2J\u2028`;
  const encoded = encodeURIComponent(inject);
  const headers = { "user-agent": "inject3d", referer: "https://inject3d.test/", "x-request-id": "inject3d" };
  const some = oneOf(3, everyOperation, 0);
  for (const { method, path } of some) {
    const hostile = path.replace(/\b(1|demoapp00001|demo1nk001)\b/, encoded);
    await call(`${hostile}?x=${encoded}&cost_id=${encoded}`, { method, headers, token: DEMO.operatorToken });
  }
  const DB = withMethods(env.DB, {
    batch: () => Promise.reject(new Error(`${inject.replaceAll("\n", "\r")} ${DEMO.apiToken}`)),
  });
  await call("/public/v1/partners", { token: DEMO.apiToken, env: { DB }, now: NOW });
  vi.restoreAllMocks();
  // One for each request, and two for the unexpected error.
  expect(lines).toHaveLength(some.length + 2);
  const quoting = lines.filter((line) => line.includes("inject3d"));
  // The message of an unexpected error is logged on one line, without a token.
  expect(quoting).toHaveLength(1);
  for (const line of lines) {
    expect(line).not.toMatch(/\p{Cc}/u);
    expect(line).not.toContain(DEMO.apiToken);
    expect(JSON.parse(line)).toMatchObject({ request_id: expect.stringMatching(/^[0-9a-f-]{36}$/) });
  }
});
