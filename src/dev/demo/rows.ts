/** Rows of demo data, and the SQL that inserts them. */
import { type Ledger, shardFor } from "../../db/ledger/shards.ts";

export type Values = Record<string, string | number | null>;

export interface DemoRow {
  table: string;
  values: Values;
}

/** Numbers that are added up by a key, as the tables of totals have them. */
export class Sums {
  readonly #sums = new Map<string, Values>();

  add(key: Values, numbers: Record<string, number>): void {
    const name = Object.values(key).join("\n");
    const sum = this.#sums.get(name);
    if (!sum) this.#sums.set(name, { ...key, ...numbers });
    else for (const [column, value] of Object.entries(numbers)) sum[column] = Number(sum[column]) + value;
  }

  rows(table: string): DemoRow[] {
    return [...this.#sums.values()].map((values) => ({ table, values }));
  }
}

/** Less than the 100 KB that a statement can have in D1, with up to 3 bytes a character. */
const MAX_LENGTH = 25_000;

const literal = (value: string | number | null) =>
  typeof value === "string" ? `'${value.replaceAll("'", "''")}'` : String(value ?? "NULL");

/** Statements that insert the rows in their order. Rows with the same columns that follow each other share one. */
export function toStatements(rows: DemoRow[]): string[] {
  const statements: string[] = [];
  let head = "";
  for (const { table, values } of rows) {
    const needed = `INSERT INTO ${table} (${Object.keys(values).join(", ")}) VALUES `;
    const cells = `(${Object.values(values).map(literal).join(", ")})`;
    const last = statements.at(-1) ?? "";
    if (needed === head && last.length + cells.length < MAX_LENGTH) {
      statements[statements.length - 1] = `${last},\n${cells}`;
    } else {
      head = needed;
      statements.push(head + cells);
    }
  }
  return statements;
}

/** The statements for each database: a row of the ledger belongs into the shard of its ID. */
export function byDatabase(rows: DemoRow[], ledger: Ledger): Map<D1Database, string[]> {
  const grouped = Map.groupBy(rows, ({ table, values }) =>
    table === "ledger_entries"
      ? shardFor(ledger, { partnerId: Number(values.partner_id), costId: String(values.cost_id) })
      : ledger.control,
  );
  return new Map([...grouped].map(([db, some]) => [db, toStatements(some)]));
}
