/** Rows of demo data, and the SQL that inserts them. */
import { type Ledger, shardFor } from "../../db/ledger/shards.ts";
import type { AuditAction } from "../../domain/audit-actions.ts";

export type Values = Record<string, string | number | null>;

export type DemoRow = { table: string; values: Values };

/** An entry of the operator. Entries are in the order of time. */
export function auditEntry(
  happened_at: number,
  action: AuditAction,
  subject: string,
  detail: object,
): DemoRow {
  const values = { happened_at, user_id: 2, action, subject, detail: JSON.stringify(detail) };
  return { table: "audit_log", values };
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

/** Statements in a call. */
const IN_CALL = 40;

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

/**
 * Inserts rows into their databases: a row of the ledger belongs into the shard of its ID. `whenMade` runs after all statements were
 * made, which takes seconds for many rows, and before the first call.
 */
export async function insertRows(
  rows: DemoRow[],
  ledger: Ledger,
  whenMade: () => Promise<unknown> = async () => {},
): Promise<void> {
  const grouped = Map.groupBy(rows, ({ table, values }) =>
    table === "ledger_entries"
      ? shardFor(ledger, { partnerId: Number(values.partner_id), costId: String(values.cost_id) })
      : ledger.control,
  );
  const made = [...grouped].map(([db, own]) => [db, toStatements(own)] as const);
  await whenMade();
  for (const [db, statements] of made) await runStatements(db, statements);
}

/** In calls of about a megabyte, because workerd ends at the large app in one. */
export async function runStatements(db: D1Database, statements: string[]): Promise<void> {
  for (let from = 0; from < statements.length; from += IN_CALL)
    await db.batch(statements.slice(from, from + IN_CALL).map((sql) => db.prepare(sql)));
}
