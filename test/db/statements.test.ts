/**
 * Compares the finished SQL with test/db/statements.txt, so that a review shows which statements, plans and numbers of rows a change
 * affects. Runs the sample of every operation, other requests and the jobs of the cron, each on the same data.
 */
import { createHash } from "node:crypto";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import * as memory from "../../src/db/isolate-memory.ts";
import { MIN_EXPECTED } from "../../src/domain/figures/rates.ts";
import { Memory } from "../../src/domain/memory.ts";
import { recordQueued } from "../../src/engagement/queue.ts";
import worker from "../../src/index.ts";
import { LINKS } from "../campaign/support.ts";
import { faultyBucket } from "../faults/faulty.ts";
import { sampled } from "../faults/operations.ts";
import { restoreState, startState } from "../faults/state.ts";
import {
  call,
  click,
  DEMO,
  env,
  ledgerOn,
  NOW,
  queueBatch,
  rows,
  UNLIMITED,
  withMethods,
  wrapDatabases,
} from "../harness.ts";
import { explain } from "../plans.ts";
import { DUE } from "../purge/archive-support.ts";
import { openedLink } from "../support.ts";
import { guessCodes, readBackward, signInAtProvider, UNSAMPLED } from "./unsampled.ts";

interface Seen {
  query: string;
  /** The file and the function that run it. */
  name: string;
  /** The most rows of a run, by D1's `meta`. */
  read: number;
  written: number;
}

const seen = new Map<string, Seen>();

/** The first call on the stack that is not of a file that prepares statements for others. */
const CALLER =
  /at (?:async )?(?:(?:\w+\.)*(?<caller>\w+) \()?(?:file:)?\/[^\n]*src\/(?<file>(?!db\/(?:(?:statement|keyset|changes)\.ts|operator\/(?:paged|searched)-list\.ts))[\w/.-]+)/;

function nameOf(stack: string): string {
  const { file = "", caller = "" } = CALLER.exec(stack)?.groups ?? {};
  return [file, caller].filter(Boolean).join(" ");
}

const database = wrapDatabases((real) =>
  withMethods(real, {
    prepare: (query: string) => {
      if (!seen.has(query))
        seen.set(query, { query, name: nameOf(String(new Error().stack)), read: 0, written: 0 });
      return real.prepare(query);
    },
    batch: async (statements: (D1PreparedStatement & { statement: string })[]) => {
      const results = await real.batch(statements);
      for (const [index, { meta }] of results.entries()) {
        const one = seen.get(statements[index]?.statement ?? "");
        if (!one) throw new Error("A statement was not prepared by this database.");
        one.read = Math.max(one.read, meta.rows_read);
        one.written = Math.max(one.written, meta.rows_written);
      }
      return results;
    },
  }),
);

/** Runs the cron with an archive, which fails once, and without one. */
async function runJobs(): Promise<void> {
  const run = (scheduledTime: number, bucket?: R2Bucket) => {
    const controller = { scheduledTime, cron: "", noRetry: () => undefined } as ScheduledController;
    return worker.scheduled(controller, { ...env, DB: database, ...(bucket && { ARCHIVE: bucket }) });
  };
  await restoreState();
  // A discrepancy, which opens an alert and is gone at the next run.
  for (let number = 10; number < 10 + MIN_EXPECTED; number++)
    await click(`missing-click-${number}`, { now: NOW });
  await run(NOW, env.TEST_BUCKET);
  // Supersedes what the ID had.
  await click("demo-spend-00-0", { now: DUE });
  const { bucket } = faultyBucket({ at: () => true, when: "before", message: "full" });
  await expect(run(DUE, bucket)).rejects.toThrow("full");
  await run(DUE, env.TEST_BUCKET);
  await run(DUE);
  await restoreState();
  await run(DUE);
  const minute = { scheduledTime: DUE, cron: "* * * * *", noRetry: () => undefined } as ScheduledController;
  await worker.scheduled(minute, { ...env, DB: database, WEBHOOK_KEY: "a-key-of-at-least-32-characters-x" });
}

const CLAUSES =
  / (?=(?:SELECT|(?<!DISTINCT )FROM|WHERE|(?:CROSS|LEFT) JOIN|UNION ALL|GROUP BY|ORDER BY|LIMIT|VALUES|ON CONFLICT|RETURNING|(?<!BETWEEN \S+ )AND)\b)/;
const WIDE = 120;

/** A line for each clause, indented by the parentheses around it. In a long clause, each item of a list has a line too. */
function layOut(query: string): string {
  let depth = 0;
  const clauses = query.replace(/\s+/g, " ").trim().split(CLAUSES);
  const lines = clauses.flatMap((clause) =>
    clause.length > WIDE ? clause.replaceAll(", ", ",\n  ").split("\n") : [clause],
  );
  const indented = lines.map((line) => {
    const indent = "  ".repeat(depth);
    depth += line.split("(").length - line.split(")").length;
    return indent + line;
  });
  return `${indented.join("\n")};\n`;
}

/** Its name, the table that it writes, the fingerprint of its SQL, its rows, and the steps of its plan, in brackets those of a step. */
async function describeOne({ name, query, read, written }: Seen): Promise<string> {
  const steps = await explain(query);
  const planOf = (within: number): string =>
    steps
      .filter(({ parent }) => parent === within)
      .map(({ id, detail }) => [detail, planOf(id)].filter(Boolean).join(" "))
      .join("; ")
      .replace(/^(?=.)/, within === 0 ? "" : "[")
      .replace(/(?<=.)$/, within === 0 ? "" : "]");
  const text = query.replace(/\s+/g, " ").trim();
  const fingerprint = createHash("sha256").update(text).digest("hex").slice(0, 12);
  const [write = ""] = /^(?:INSERT INTO|UPDATE|DELETE FROM) \w+/.exec(text) ?? [];
  const rows = `read ${read}, written ${written}`;
  return [name, write, fingerprint, rows, planOf(0)].filter(Boolean).join(" | ");
}

/** The SQL of the lines that the file does not have. */
function showNew(lines: string[], queries: Map<string, string>): string {
  const known = new Set(stored.split("\n"));
  const added = lines.filter((line) => !known.has(line));
  return added.map((line) => `${line}\n${layOut(queries.get(line) ?? "")}`).join("\n");
}

const stored = Object.values(
  import.meta.glob("./statements.txt", { query: "?raw", import: "default", eager: true }),
).join();

beforeAll(async () => {
  // As in a new isolate, which asks for everything.
  for (const one of Object.values(memory)) if (one instanceof Memory) one.clear();
  await startState();
  // The isolate knows the catalog of partners of another revision.
  await rows("UPDATE partner_catalog SET revision = 'another'");
  expect((await call(LINKS, { token: DEMO.apiToken })).status).toBe(200);
});
afterAll(() => void vi.restoreAllMocks());

it("equals test/db/statements.txt, which `npm run test:only -- test/db/statements.test.ts -u` rewrites", async () => {
  // If the texts differ, only the difference is shown.
  for (const name of ["log", "error"] as const) vi.spyOn(console, name).mockReturnValue();
  for (const { send } of sampled) {
    await restoreState();
    await send({ DB: database });
  }
  for (const { path, ...options } of UNSAMPLED) {
    await restoreState();
    await call(path, { ...options, env: { ...UNLIMITED, DB: database } });
  }
  await readBackward({ DB: database });
  await guessCodes({ DB: database });
  await restoreState();
  await signInAtProvider(database);
  const old = openedLink("faulty-click-old", { occurredAt: 0 });
  await recordQueued(queueBatch([old]), ledgerOn(database), NOW);
  await runJobs();
  const queries = new Map<string, string>();
  for (const one of seen.values()) queries.set(await describeOne(one), one.query);
  const lines = [...queries.keys()].sort();
  expect(lines).toHaveLength(seen.size);
  await expect(`${lines.join("\n")}\n`)
    .toMatchFileSnapshot("statements.txt")
    .catch((error) => {
      error.message += `\n\n${showNew(lines, queries)}`;
      throw error;
    });
});
