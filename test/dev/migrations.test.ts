/**
 * Tests `npm run migrations:new` with a stub of drizzle-kit, and with drizzle-kit what the migration of a new rule does to a ledger.
 * start/migrations.test.ts runs the same tests of the command with drizzle-kit.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { DAY_MS } from "../../src/domain/time.ts";
import { stubDrizzleKit } from "./drizzle-kit-stub.ts";
import { copySchema, create, edit, removeCopy, SCHEMA, testCommand } from "./migrations-command.ts";
import { ROOT } from "./run.ts";

const MIGRATIONS = readdirSync(join(ROOT, "migrations"))
  .filter((file) => /^\d.*\.sql$/.test(file))
  .sort();

/** A database with the migrations of the repository. */
function migrated(): DatabaseSync {
  const database = new DatabaseSync(":memory:");
  for (const file of MIGRATIONS) database.exec(readFileSync(join(ROOT, "migrations", file), "utf8"));
  return database;
}

describe("the command, with a stub of drizzle-kit", () => {
  testCommand(stubDrizzleKit);
});

/** When the database is migrated, and a day later the window changes, so no engagement that exists then has the new one. */
const MIGRATED = Date.UTC(2026, 5, 1, 9);
const FROM = MIGRATED + DAY_MS;

/** The cost window of an engagement: ten days from FROM on, seven before. As migrations/README.md says. */
function changeWindow(): void {
  const window = `iif($\{instant} >= ${FROM}, ${10 * DAY_MS}, ${7 * DAY_MS})`;
  edit(SCHEMA, /^const WINDOW = .*$/m, `const windowOf = (instant: string) => sql.raw(\`${window}\`);`);
  for (const instant of ["click_at", "impression_at"])
    edit(
      SCHEMA,
      new RegExp(`(?<=abs\\(received_at - ${instant}\\) <= )\\$\\{WINDOW\\}`),
      `$\{windowOf("${instant}")}`,
    );
  edit(SCHEMA, /(?<=impression_at \+ )\$\{WINDOW\}/, `$\{windowOf("impression_at")}`);
}

/** What partners and people send to a database, each at a time. Amounts are in units of 0.00001. */
function serviceOf(database: DatabaseSync) {
  const record = (kind: "click" | "impression") => {
    const statement = database.prepare(`
      INSERT INTO recordings (app_token, link_id, partner_id, kind, occurred_at, cost_id, cost_data_on, url_cost_type, url_currency,
        url_amount, price_counts, dropped, recorded_at, is_elsewhere, country, platform)
      VALUES ('demoapp00001', 1, 1, '${kind}', :at, :id, 1, :type, 'USD', :amount, :type IS NOT NULL, '[]', :at, 0, 'XX', 'other')`);
    return (at: number, id: string, type: string | null = null, amount: number | null = null) =>
      statement.run({ at: BigInt(at), id, type, amount });
  };
  const call = database.prepare(`
    INSERT INTO ledger_entries (partner_id, cost_id, cost_type, currency, amount, tag, received_at, void_state)
    VALUES (1, :id, :type, 'USD', :amount, '', :at, :voidState)
    ON CONFLICT DO UPDATE SET cost_type = excluded.cost_type, currency = excluded.currency, amount = excluded.amount,
      received_at = excluded.received_at, void_state = excluded.void_state`);
  const remove = database.prepare(
    "UPDATE ledger_entries SET void_state = 'voided' WHERE partner_id = 1 AND cost_id = ?",
  );
  return {
    click: record("click"),
    view: record("impression"),
    call: (at: number, id: string, type: string, amount: number | null, voidState: string | null = null) =>
      call.run({ at: BigInt(at), id, type, amount, voidState }),
    remove: (id: string) => remove.run(id),
  };
}

/** The work for one ID, which lasts up to nine days. */
function workOf({ click, view, call, remove }: ReturnType<typeof serviceOf>, number: number, start: number) {
  const id = `rule-change-${number}`;
  const later = start + ((number % 19) * DAY_MS) / 2;
  const last = later + DAY_MS / 24;
  const works: { at: number; run: () => void }[][] = [
    [
      { at: start, run: () => click(start, id) },
      { at: later, run: () => call(later, id, "cpc", 100) },
    ],
    [{ at: start, run: () => click(start, id, "cpc", 200) }],
    [
      { at: start, run: () => call(start, id, "cpi", 300) },
      { at: later, run: () => click(later, id) },
    ],
    [
      { at: start, run: () => view(start, id, "cpi", 400) },
      { at: later, run: () => click(later, id) },
      { at: last, run: () => call(last, id, "cpi", null) },
    ],
    [
      { at: start, run: () => click(start, id) },
      { at: start, run: () => call(start, id, "cpe", 500) },
      { at: later, run: () => remove(id) },
      { at: last, run: () => call(last, id, "cpe", 501, "lifted") },
    ],
    [
      { at: start, run: () => view(start, id, "cpm", 600) },
      { at: later, run: () => call(later, id, "cpm", 601) },
    ],
    [
      { at: start, run: () => call(start, id, "cpe", null) },
      { at: start, run: () => view(start, id) },
      { at: later, run: () => call(later, id, "cpe", 700) },
    ],
  ];
  return works[number % works.length] ?? [];
}

/** 50,000 live rows take longer than other tests: `LONG=1`. */
const ROWS = process.env.LONG ? 50_000 : 1_000;

interface Work {
  at: number;
  run: () => void;
}

/** Work before and after the migration: ROWS rows exist then, and a tenth more are added. */
function worksOf(database: DatabaseSync): { before: Work[]; after: Work[] } {
  const service = serviceOf(database);
  const starts = [
    ...Array.from({ length: ROWS }, (_, index) => MIGRATED - Math.floor(((index + 1) * 12 * DAY_MS) / ROWS)),
    ...Array.from({ length: ROWS / 10 }, (_, index) => MIGRATED + Math.floor((index * 20 * DAY_MS) / ROWS)),
  ];
  const work = starts
    .flatMap((start, number) => workOf(service, number, start))
    .sort((one, other) => one.at - other.at);
  return { before: work.filter(({ at }) => at < MIGRATED), after: work.filter(({ at }) => at >= MIGRATED) };
}

function runAll(database: DatabaseSync, work: Work[]): void {
  database.exec("BEGIN");
  for (const { run } of work) run();
  database.exec("COMMIT");
}

/** The totals as the database keeps them, or as its rows have them now. */
const totalsOf = (database: DatabaseSync, rows: string) =>
  database
    .prepare(
      `SELECT day, cost_type, state, sum(count) AS count, sum(amount) AS amount FROM ${rows}
        GROUP BY 1, 2, 3 HAVING sum(count) <> 0 OR sum(amount) <> 0 ORDER BY 1, 2, 3`,
    )
    .all();
const COUNTING = "(SELECT day, cost_type, state, 1 AS count, coalesce(amount, 0) AS amount FROM cost_states)";

describe("a window of ten days for clicks and impressions from a date on", () => {
  let database: DatabaseSync;
  let migration: string;

  beforeAll(() => {
    copySchema();
    changeWindow();
    [migration = ""] = create(["--name", "ten_days", "--rules"]).added;
    removeCopy();
  });
  const migrate = () => database.exec(`BEGIN; ${migration}; COMMIT`);
  test(`changes none of ${ROWS} live rows, and the totals are those of cost_states after work before and after it`, () => {
    database = migrated();
    const { before, after } = worksOf(database);
    runAll(database, before);
    database.exec("CREATE TEMP TABLE kept AS SELECT * FROM ledger_entries");
    expect(database.prepare("SELECT count(*) AS rows FROM kept").get()).toEqual({ rows: ROWS });
    const columns = database
      .prepare("SELECT group_concat(name) AS names FROM pragma_table_info('kept')")
      .get();
    migrate();
    const changed = `SELECT ${columns?.names} FROM ledger_entries EXCEPT SELECT * FROM kept`;
    expect(database.prepare(changed).all()).toEqual([]);
    runAll(database, after);
    expect(totalsOf(database, "daily_totals")).toEqual(totalsOf(database, COUNTING));
    const found = totalsOf(database, "daily_totals").map(({ cost_type, state }) => `${cost_type} ${state}`);
    expect([...new Set(found)].sort()).toEqual([
      "cpc matched",
      "cpc pending",
      "cpe matched",
      "cpe pending",
      "cpi matched",
      "cpi pending",
      "cpi unpriced",
      "cpm matched",
      "cpm pending",
    ]);
    database.close();
  });

  describe("a cost", () => {
    beforeAll(() => {
      database = migrated();
      migrate();
    });
    afterAll(() => database.close());

    test.each([
      ["seven days after a click before the date", FROM - 1, 7 * DAY_MS, "matched"],
      ["seven days and a millisecond after it", FROM - 1, 7 * DAY_MS + 1, "pending"],
      ["ten days after a click on the date", FROM, 10 * DAY_MS, "matched"],
      ["ten days and a millisecond after it", FROM, 10 * DAY_MS + 1, "pending"],
    ])("%s", (id, at, age, state) => {
      const { click, call } = serviceOf(database);
      click(at, id);
      call(at + age, id, "cpc", 100);
      const found = database.prepare("SELECT state FROM ledger_entries WHERE cost_id = ?").all(id);
      expect(found).toEqual([{ state }]);
    });
  });
});
