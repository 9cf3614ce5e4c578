/**
 * Compares the finished SQL with test/db/statements.sql, so that a review shows which statements, plans and numbers of rows a change
 * affects. Runs the sample of every operation, other requests and the jobs of the cron, each on the same data.
 */
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { recordQueued } from "../../src/engagement/queue.ts";
import worker from "../../src/index.ts";
import { faultyBucket } from "../faults/faulty.ts";
import { sampled } from "../faults/operations.ts";
import { restoreState, startState } from "../faults/state.ts";
import {
  call,
  click,
  env,
  ledgerOn,
  NOW,
  queueBatch,
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
  /** The file that runs it. */
  from: string;
  /** The most rows of a run, by D1's `meta`. */
  read: number;
  written: number;
}

const seen = new Map<string, Seen>();

/** The first file on the stack that is not one of those that prepare statements for others. */
const FROM =
  /src\/(?!db\/(?:(?:statement|keyset|changes)\.ts|operator\/(?:paged|searched)-list\.ts))[\w/.-]+/;

const database = wrapDatabases((real) =>
  withMethods(real, {
    prepare: (query: string) => {
      const [from = ""] = FROM.exec(String(new Error().stack)) ?? [];
      if (!seen.has(query)) seen.set(query, { query, from, read: 0, written: 0 });
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
  await run(NOW, env.TEST_BUCKET);
  // Supersedes what the ID had.
  await click("demo-spend-00-0", { now: DUE });
  const { bucket } = faultyBucket({ at: () => true, when: "before", message: "full" });
  await expect(run(DUE, bucket)).rejects.toThrow("full");
  await run(DUE, env.TEST_BUCKET);
  await run(DUE);
  await restoreState();
  await run(DUE);
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

const byFileAndText = (left: Seen, right: Seen) =>
  `${left.from} ${left.query}` < `${right.from} ${right.query}` ? -1 : 1;

async function describeOne({ query, from, read, written }: Seen): Promise<string> {
  const depths = new Map([[0, 0]]);
  const steps = (await explain(query)).map(({ id, parent, detail }) => {
    const depth = depths.get(parent) ?? 0;
    depths.set(id, depth + 1);
    return `-- ${"  ".repeat(depth)}${detail}\n`;
  });
  return `-- ${from}: rows read ${read}, written ${written}\n${steps.join("")}${layOut(query)}`;
}

beforeAll(startState);
afterAll(() => void vi.restoreAllMocks());

it("equals test/db/statements.sql, which `npm run test:only -- test/db/statements.test.ts -u` rewrites", async () => {
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
  const sorted = [...seen.values()].sort(byFileAndText);
  const described = await Promise.all(sorted.map(describeOne));
  await expect(described.join("\n")).toMatchFileSnapshot("statements.sql");
});
