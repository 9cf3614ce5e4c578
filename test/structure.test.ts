/** Checks the layout: which file may import which, and rules that hold for every source file. */
import { describe, expect, it } from "vitest";
import { MAX_CALL, MAX_PENDING, SPACING_MS } from "../src/db/group-commit.ts";
import { COST_TYPES } from "../src/domain/cost-types.ts";
import { FINDING_KINDS } from "../src/domain/rounds/findings.ts";
import { COST_WINDOW, RETENTION } from "../src/domain/texts.ts";
import { COST_WINDOW_MS, RETENTION_MS } from "../src/domain/time.ts";
import { env } from "./harness.ts";
import { routes } from "./routes.ts";

declare global {
  interface ImportMeta {
    glob(
      pattern: string | string[],
      options: { query: "?raw"; import: "default"; eager: true },
    ): Record<string, string>;
  }
}

interface Import {
  from: string;
  typeOnly: boolean;
}

/** Every source file under src/ by its path there. */
const sources = new Map(
  Object.entries(
    import.meta.glob(["../src/**/*.ts", "!../src/**/*.d.ts"], {
      query: "?raw",
      import: "default",
      eager: true,
    }),
  ).map(([path, text]) => [path.replace("../src/", ""), text]),
);
/** The styles that pages load. */
const styles = import.meta.glob("../src/**/*.css", {
  query: "?raw",
  import: "default",
  eager: true,
});
const migrations = import.meta.glob("../migrations/*.sql", { query: "?raw", import: "default", eager: true });

const SURFACES = ["campaign", "cost", "engagement", "account", "workspace", "partner", "operator", "site"];
const folderOf = (path: string) => path.split("/", 1)[0] ?? "";

/** The imports and re-exports of a file; relative ones as paths under src/. */
function importsOf(path: string, text: string): Import[] {
  const found: Import[] = [];
  for (const [, what = "", from = ""] of text.matchAll(
    /^(?:import|export)\s([^;'"]*?)\bfrom\s+["']([^"']+)["']/gm,
  )) {
    const names = /^\s*\{([^}]*)\}\s*$/
      .exec(what)?.[1]
      ?.split(",")
      .filter((name) => name.trim());
    const typeOnly =
      what.startsWith("type ") || (names?.every((name) => name.trim().startsWith("type ")) ?? false);
    found.push({ from: resolve(path, from), typeOnly });
  }
  for (const [, from = ""] of text.matchAll(/(?:^import\s*|\bimport\s*\(\s*)["']([^"']+)["']/gm)) {
    found.push({ from: resolve(path, from), typeOnly: false });
  }
  return found;
}

const resolve = (path: string, from: string) =>
  from.startsWith(".") ? new URL(from, `file:///src/${path}`).pathname.replace("/src/", "") : from;

/** `file imports file` for every import that violates a rule. */
function violations(
  of: (path: string) => boolean,
  forbids: (what: Import, path: string) => boolean,
): string[] {
  const files = [...sources].filter(([path]) => of(path));
  expect(files).not.toEqual([]);
  return files.flatMap(([path, text]) =>
    importsOf(path, text)
      .filter((what) => forbids(what, path))
      .map(({ from }) => `${path} imports ${from}`),
  );
}

const anyFile = () => true;
const isSurface = (path: string) => SURFACES.includes(folderOf(path));
const isWorker = (path: string) => !path.startsWith("dev/");

describe("the sources", () => {
  it("are read, with their imports", () => {
    const imported = [...sources].flatMap(([path, text]) => importsOf(path, text).map(({ from }) => from));
    expect(imported.filter((from) => /(?<!\.d)\.ts$/.test(from) && !sources.has(from))).toEqual([]);
    const router = importsOf("http/router.ts", sources.get("http/router.ts") ?? "");
    expect(router).toContainEqual({ from: "itty-router", typeOnly: false });
    expect(router).toContainEqual({ from: "env.ts", typeOnly: true });
    const lines =
      'import {\n  type A,\n  type B,\n} from "./b.ts";\nexport { c } from "../c.ts";\nawait import("./d.ts");';
    expect(importsOf("x/a.ts", lines)).toEqual([
      { from: "x/b.ts", typeOnly: true },
      { from: "c.ts", typeOnly: false },
      { from: "x/d.ts", typeOnly: false },
    ]);
  });
});

/** Every folder and root file of src/, lowest first. What shares a line shares a level. */
const LEVELS = [
  ["domain", "errors.ts", "log.ts", "deadline.ts"],
  ["db"],
  ["env.ts"],
  ["http"],
  ["auth"],
  ["usecases"],
  ["pages"],
  ["campaign", "cost", "engagement", "account", "workspace", "partner", "operator", "site"],
  ["alerts.ts", "emails.ts", "openapi.ts", "purge.ts", "webhooks.ts"],
  ["mcp", "cron.ts"],
  ["surfaces.ts"],
  ["index.ts"],
  ["dev"],
];
const levelOf = (path: string) => LEVELS.findIndex((names) => names.includes(folderOf(path)));
const isOurs = (path: string) => sources.has(path);

describe("imports", () => {
  it("are known for every folder and root file", () => {
    expect([...sources.keys()].filter((path) => levelOf(path) === -1)).toEqual([]);
    const folders = new Set([...sources.keys()].map(folderOf));
    expect(LEVELS.flat().filter((name) => !folders.has(name))).toEqual([]);
  });

  it("never go up", () => {
    expect(violations(anyFile, ({ from }, path) => isOurs(from) && levelOf(from) > levelOf(path))).toEqual(
      [],
    );
  });

  it("never lead back to the file that they came from, imports of types included", () => {
    const circles: string[] = [];
    const done = new Set<string>();
    const walk = (path: string, trail: string[]) => {
      if (trail.includes(path)) circles.push([...trail.slice(trail.indexOf(path)), path].join(" → "));
      if (trail.includes(path) || done.has(path)) return;
      for (const { from } of importsOf(path, sources.get(path) ?? "")) {
        if (isOurs(from)) walk(from, [...trail, path]);
      }
      done.add(path);
    };
    for (const path of sources.keys()) walk(path, []);
    expect(circles).toEqual([]);
  });

  it("never go from one surface to another", () => {
    expect(
      violations(isSurface, ({ from }, path) => isSurface(from) && folderOf(from) !== folderOf(path)),
    ).toEqual([]);
  });

  it("of domain are its own files, node:crypto, and types of errors.ts", () => {
    const isDomain = (path: string) => folderOf(path) === "domain";
    const forbids = ({ from, typeOnly }: Import) =>
      !isDomain(from) && from !== "node:crypto" && !(from === "errors.ts" && typeOnly);
    expect(violations(isDomain, forbids)).toEqual([]);
  });

  it("of a surface's contract are only zod, the shared fields and response schemas, and domain constants", () => {
    const shared = [
      "zod/mini",
      "http/input/fields.ts",
      "http/input/report-fields.ts",
      "http/response-schemas.ts",
      "domain/engagements/audience.ts",
      "domain/characters.ts",
      "domain/cost-types.ts",
      "domain/figures/groups.ts",
      "domain/figures/names.ts",
      "domain/money.ts",
      "domain/texts.ts",
      "domain/time.ts",
      "domain/engagements/click-target.ts",
      "domain/engagements/placeholders.ts",
    ];
    const isContract = (path: string) => isSurface(path) && path.endsWith("/contract.ts");
    expect(violations(isContract, ({ from }) => !shared.includes(from))).toEqual([]);
    expect(
      violations(
        (path) => shared.includes(path),
        ({ from }) => !shared.includes(from),
      ),
    ).toEqual([]);
  });

  it("of drizzle are only in db", () => {
    expect(
      violations(
        (path) => folderOf(path) !== "db",
        ({ from }) => from.startsWith("drizzle-orm"),
      ),
    ).toEqual([]);
    expect(
      importsOf("db/links/links.ts", sources.get("db/links/links.ts") ?? "").map(({ from }) => from),
    ).toContain("drizzle-orm");
  });

  it("of the library for markup are only in pages and surfaces", () => {
    const hasMarkup = (path: string) => isSurface(path) || folderOf(path) === "pages";
    expect(
      violations(
        (path) => !hasMarkup(path),
        ({ from }) => from === "hono/html",
      ),
    ).toEqual([]);
  });

  it("of the router library are only in http/router.ts", () => {
    expect(
      violations(
        (path) => path !== "http/router.ts",
        ({ from }) => from.startsWith("itty-router"),
      ),
    ).toEqual([]);
  });

  it("of the demo data and its secrets stay in dev", () => {
    expect(violations(isWorker, ({ from }) => folderOf(from) === "dev")).toEqual([]);
  });

  it("of our own files include the file extension", () => {
    const forbids = ({ from }: Import, path: string) =>
      !/\.(ts|json|css|svg|md|txt|js)$/.test(from) && (sources.get(path) ?? "").includes(`"./${from}"`);
    expect(violations(anyFile, forbids)).toEqual([]);
    for (const [path, text] of sources)
      expect(text, path).not.toMatch(/from "\.[^"]*(?<!\.(?:ts|json|css|svg|md|txt|js))"/);
  });
});

describe("the code", () => {
  const mentions = (of: (path: string) => boolean, pattern: RegExp) =>
    [...sources].filter(([path, text]) => of(path) && pattern.test(text)).map(([path]) => path);

  it("of db uses neither AppError nor Response", () => {
    const isDb = (path: string) => folderOf(path) === "db";
    expect(mentions(isDb, /\b(AppError|Response)\b/)).toEqual([]);
  });

  it("has tables, forms and badges only in pages, in the texts of the documentation, and in what renders them", () => {
    const isOutside = (path: string) => isWorker(path) && folderOf(path) !== "pages";
    expect(mentions(isOutside, /<table|<form|class="badge/)).toEqual(["site/facts.ts", "site/rendered.ts"]);
  });

  it("reads the clock only in env.ts", () => {
    const clock = /\bDate\.now\b|\bnew Date\(\s*\)|(?<!new )\bDate\(\)|\bperformance\.now\b|\bhrtime\b/;
    // rendered.ts: the receiver of /docs/webhooks.
    expect(mentions(isWorker, clock)).toEqual(["env.ts", "site/rendered.ts"]);
  });

  it("reads days only in http/input/fields.ts, which knows those that exist", () => {
    const date = /\\d\{4\}-\\d(?:\\d|\{2\})-/;
    // rounds.ts finds the days in a sentence.
    expect(mentions(isWorker, date)).toEqual(["http/input/fields.ts", "pages/costs/rounds.ts"]);
  });

  it("never reads the time in SQL, in a query or in a migration", () => {
    const clock = /CURRENT_(TIMESTAMP|DATE|TIME)|unixepoch\s*\(|julianday\s*\(|'now'/i;
    expect(mentions((path) => folderOf(path) === "db", clock)).toEqual([]);
    const files = [...env.TEST_MIGRATIONS.map(({ name }) => name), "rules.sql"];
    expect(Object.keys(migrations)).toEqual(files.map((name) => `../migrations/${name}`));
    for (const [path, text] of Object.entries(migrations)) expect(text, path).not.toMatch(clock);
  });

  it("names the days of a rule only through its constant", () => {
    const days = new RegExp(`(${COST_WINDOW}|${RETENTION}|${COST_WINDOW_MS}|${RETENTION_MS})`);
    expect(mentions(anyFile, days)).toEqual([]);
  });

  it("has a README of at most 1,500 words, with every setting of wrangler.toml", () => {
    const [readme = "", settings = ""] = ["../README.md", "../wrangler.toml"].map((path) => documents[path]);
    expect(readme.split(/\s+/).length).toBeLessThanOrEqual(1_501);
    const names = [...settings.matchAll(/^(?:# )?([A-Z][A-Z_]+) = /gm)].map(([, name = ""]) => name);
    expect(names).toContain("OPERATOR_MFA");
    expect(names.filter((name) => !readme.includes(`\`${name}\``))).toEqual([]);
  });

  it("names in migrations/README.md every file that has the cost window", () => {
    const readme = documents["../migrations/README.md"] ?? "";
    const files = mentions(isWorker, /\bCOST_WINDOW_MS\b/).filter((path) => path !== "site/rendered.ts");
    expect(files.filter((path) => !readme.includes(`\`src/${path}\``))).toEqual([]);
    expect(files).toContain("db/ledger/submission.ts");
  });

  it("names a cost type only in its row and in the demo data", () => {
    const quoted = new RegExp(`["'\`](${COST_TYPES.join("|")})["'\`]`);
    // rendered.ts: the SQL of /docs/archive, see docs.test.ts.
    expect(mentions(anyFile, quoted)).toEqual([
      "dev/demo/activity.ts",
      "dev/demo/large/activity.ts",
      "dev/demo/large/corrections.ts",
      "dev/demo/large/partners.ts",
      "dev/demo/round.ts",
      "site/rendered.ts",
    ]);
  });

  it("writes numbers and dates for people only in pages/locale.ts, for programs in English", () => {
    const formats = /\bIntl\.|\.toLocale\w*String\(/;
    expect(mentions(anyFile, formats)).toEqual(["http/input/parse.ts", "pages/locale.ts"]);
  });

  it("never ends a command with process.exit, which can hang", () => {
    expect(mentions(anyFile, /\bprocess\.exit\(/)).toEqual([]);
  });

  it("has no default exports except the Worker", () => {
    expect(mentions(anyFile, /^export default\b/m)).toEqual(["index.ts"]);
  });
});

it("has styles whose comments served-file.ts can leave out without reading the code", () => {
  const commented = Object.values(styles).flatMap((text) =>
    text.split("\n").filter((line) => line.includes("/*")),
  );
  expect(Object.entries(styles).flatMap(([path, text]) => (text === "" ? [path] : []))).toEqual([]);
  expect(commented).not.toEqual([]);
  expect(commented.filter((line) => !line.trim().startsWith("/*"))).toEqual([]);
});

it("has no route whose first segment could be a link token", () => {
  const words = routes
    .map(({ path }) => path.split("/")[1] ?? "")
    .filter((word) => word && !word.startsWith(":"));
  expect(words).toContain("cost");
  const looksLikeToken = /^[0-9b-df-hj-np-tv-z]{10}$/;
  expect(words.filter((word) => looksLikeToken.test(word))).toEqual([]);
});

const documents = import.meta.glob(
  ["../README.md", "../wrangler.toml", "../src/README.md", "../migrations/README.md"],
  {
    query: "?raw",
    import: "default",
    eager: true,
  },
);

describe("the READMEs", () => {
  const allOf = (pattern: RegExp) =>
    Object.values(documents).flatMap((text) => [...text.matchAll(pattern)].map(([, figure]) => figure));

  it("name the number of kinds of mismatch, which are the findings and an incomplete report", () => {
    expect(allOf(/\[(\d+) kinds of mismatch\]/g)).toEqual([String(FINDING_KINDS.length + 1)]);
  });

  it("walk functions that exist, each called by the one before its arrow, or made with it", () => {
    const namesIn = (text = "") => [...text.matchAll(/`(#?\w+)(?:\.handle)?`/g)].map(([, name = ""]) => name);
    const lines = documents["../src/README.md"]?.split("\n").filter((line) => line.includes("` → ")) ?? [];
    const bodiesOf = new Map(
      [...new Set(namesIn(lines.join()))].map((name) => {
        const start = `(?:(?:function|const) ${name}\\b|${name}\\([^=\\n]*\\{$)`;
        const body = new RegExp(`^( *)(?:export )?(?:async )?${start}[^]*?(?:\\n\\1\\}[);]*$|(?![^]))`, "gm");
        return [name, [...sources.values()].flatMap((text) => text.match(body) ?? []).join()];
      }),
    );
    const calls = (one: string, other: string) => bodiesOf.get(one)?.includes(`${other}(`);
    const wrong = lines.flatMap((line) => {
      const parts = line.split(" → ").map((part) => part.split(";"));
      return parts.flatMap(([first = ""], index) => {
        const callers = namesIn(parts[index - 1]?.at(-1));
        const called = first.startsWith("the ") || callers.length === 0 ? [] : namesIn(first);
        return called.filter((name) => !callers.some((one) => calls(one, name) || calls(name, one)));
      });
    });
    const missing = [...bodiesOf].flatMap(([name, bodies]) => (bodies === "" ? [name] : []));
    expect([...missing, ...wrong]).toEqual([]);
    expect(bodiesOf.has("#lead")).toBe(true);
  });

  it("name the spacing of two calls, and what a call and an isolate hold", () => {
    const spacing = String(SPACING_MS);
    expect(allOf(/second call starts (?:beside one that takes|immediately and not after) (\d+) ms/g)).toEqual(
      [spacing, spacing, spacing],
    );
    expect(allOf(/at most (\d+) go into the next call/g)).toEqual([String(MAX_CALL)]);
    expect(allOf(/If ([\d,]+) statements of an isolate/g)).toEqual([MAX_PENDING.toLocaleString("en")]);
  });
});

/** Where a text says whom to ask, and the page adds the contact when it shows the text. */
const SHOWN_WITH_CONTACT: Record<string, number> = {
  "account/entry-pages.ts": 1,
  "account/single-sign-on/pages.ts": 2,
  "pages/alerts/webhooks.ts": 1,
  "partner/sign-in.ts": 1,
  "workspace/bulk/outcomes.ts": 1,
  "workspace/reports/attention.ts": 1,
  "workspace/start.ts": 1,
};

it("names the contact of the deployment in every sentence of a page that says whom to ask", () => {
  const found = [...sources].flatMap(([file, text]) => {
    // What an API answers is the same on every deployment. An operator needs no contact.
    if (!/^(account|operator|pages|partner|site|workspace)\//.test(file) || file === "site/rendered.ts")
      return [];
    const code = text.replace(/^\s*(\/\*\*|\*|\/\/).*$/gm, "");
    const count = code.match(/\b(ask|contact) (your|the|an) operator\b/gi)?.length ?? 0;
    return count > 0 ? [[file, count]] : [];
  });
  expect(Object.fromEntries(found)).toEqual(SHOWN_WITH_CONTACT);
});
