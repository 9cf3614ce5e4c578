/** A call covers at most 200,000 rows of totals for a report. One that covers more is read in ranges of days instead. */
import { beforeAll, describe, expect, it } from "vitest";
import { databasesOf } from "../../src/db/ledger/shards.ts";
import { MAX_COVERED } from "../../src/db/statement.ts";
import { ask, DAY, DEMO, ledgerOn, NOW, type ProblemBody, withMethods, wrapDatabases } from "../harness.ts";
import { isLong, oneOf } from "../part.ts";
import { freshLedger } from "../support.ts";

/** The most rows that a call covers, in `npm test` fewer in the place of the real number. */
const MOST = isLong ? MAX_COVERED : 5_000;
const withMost = (value: unknown) => (value === MAX_COVERED ? MOST : value);
const DAYS = 100;
const today = Math.floor(NOW / DAY);
const PATH = `/public/v1/apps/${DEMO.appToken}`;
const from = new Date(NOW - (DAYS - 1) * DAY).toISOString().slice(0, 10);
const ALL = `from=${from}&to=2026-03-15`;

/** The database with the totals: the last shard, or DB. */
const database = () => databasesOf(ledgerOn()).at(-1) as D1Database;

/** Adds a row to both tables: the first `count` rows of as many days. */
const add = (count: number, first = 0) => {
  const numbers = `WITH RECURSIVE n(i) AS (SELECT ${first} UNION ALL SELECT i + 1 FROM n WHERE i < ${first + count - 1})`;
  const keys = `'${DEMO.appToken}', ${today} - i % ${DAYS}, 1 + i / ${DAYS}`;
  return database().batch([
    database().prepare(
      `${numbers} INSERT INTO daily_totals SELECT ${keys}, 1, 'cpc', 'USD', 'matched', 1, 100000 FROM n`,
    ),
    database().prepare(`${numbers} INSERT INTO daily_engagements SELECT ${keys}, 1, 'click', 1, 1 FROM n`),
  ]);
};

const read = (report: string, query: string, db?: D1Database) =>
  ask<ProblemBody & { data: { items: object[] } }>(`${PATH}/${report}?${query}`, {
    token: DEMO.apiToken,
    ...(db && { env: { DB: db } }),
  });

/** Runs the statements of each batch one by one, and counts the rows that each batch reads in the database with the totals until it is aborted. */
function steppingDatabase() {
  const counts: { batches: number[] } = { batches: [] };
  const stepping = wrapDatabases((real) =>
    withMethods(real, {
      prepare: (text: string) => {
        const statement = real.prepare(text);
        return withMethods(statement, {
          bind: (...values: unknown[]) => statement.bind(...values.map(withMost)),
        });
      },
      batch: async (statements: D1PreparedStatement[]) => {
        const results: D1Result[] = [];
        const at = real === database() ? counts.batches.push(0) - 1 : -1;
        for (const statement of statements) {
          const result = await statement.all();
          if (at >= 0) counts.batches[at] = (counts.batches[at] ?? 0) + result.meta.rows_read;
          results.push(result);
        }
        return results;
      },
    }),
  );
  return { stepping, counts };
}

/** What the judgement reads to find the app. */
const APP_READS = 2;

const REPORTS: [report: string, group: string][] = [
  ["spend", "group_by=day"],
  ["engagements", "group_by=kind"],
];

beforeAll(async () => {
  expect(MAX_COVERED).toBe(200_000);
  await freshLedger();
  await add(MOST);
});

describe("a report of exactly 200,000 rows", () => {
  it.each(oneOf(2, REPORTS, 0))("is read in one call: %s, %s", async (report, group) => {
    const { stepping, counts } = steppingDatabase();
    const { status, body } = await read(report, `${ALL}&${group}`, stepping);
    expect([status, body.data.items.length > 0]).toEqual([200, true]);
    expect(counts.batches[0]).toBeGreaterThan(MOST);
  });
});

describe("a report of one row more", () => {
  beforeAll(async () => {
    await add(1, MOST);
  });

  it.each(oneOf(2, REPORTS, 1))(
    "is judged before it is read in ranges of days: %s, %s",
    async (report, group) => {
      const { stepping, counts } = steppingDatabase();
      const { status, body } = await read(report, `${ALL}&${group}`, stepping);
      expect([status, body.data.items.length > 0]).toEqual([200, true]);
      // Of the first call, only what finds the app.
      expect(counts.batches[0]).toBeLessThanOrEqual(20);
    },
  );

  it("is judged by a statement that reads at most 200,001 rows, however many more there are", async () => {
    await add(MOST / 40, MOST + 1);
    const judged: D1Result[] = [];
    const unlimited = wrapDatabases((real) =>
      withMethods(real, {
        // The judgement does not abort the batch.
        prepare: (text: string) => {
          const statement = real.prepare(text.replaceAll("'report_too_large'", () => "'$'"));
          return withMethods(statement, {
            bind: (...values: unknown[]) =>
              withMethods(statement.bind(...values.map(withMost)), {
                isJudgement: text.includes("report_too_large"),
              }),
          });
        },
        batch: async (statements: (D1PreparedStatement & { isJudgement: boolean })[]) => {
          const results: D1Result[] = [];
          for (const statement of statements) {
            const result = await statement.all();
            if (statement.isJudgement) judged.push(result);
            results.push(result);
          }
          return results;
        },
      }),
    );
    expect((await read("engagements", `${ALL}&group_by=kind`, unlimited)).status).toBe(200);
    expect(Math.max(...judged.map(({ meta }) => meta.rows_read))).toBe(MOST + 1 + APP_READS);
  });

  it("is not judged for a caller without access to the app", async () => {
    const other = await ask<ProblemBody>(
      `${PATH.replace(DEMO.appToken, DEMO.otherAppToken)}/spend?${ALL}&group_by=day`,
      {
        token: DEMO.apiToken,
      },
    );
    expect(other.status).toBe(404);
  });
});
