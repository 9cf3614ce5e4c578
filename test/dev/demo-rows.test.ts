import { setImmediate } from "node:timers/promises";
import { expect, it } from "vitest";
import type { Ledger } from "../../src/db/ledger/shards.ts";
import { type DemoRow, insertRows } from "../../src/dev/demo/rows.ts";

it("rows of every database are made into statements before the first call, so that nothing keeps Node from the connection", async () => {
  const order: string[] = [];
  const databaseOf = (name: string) =>
    ({
      prepare: (sql: string) => sql,
      batch: async (statements: string[]) => order.push(`${name}: ${statements.length}`),
    }) as unknown as D1Database;
  const rowOf = (table: string, values: DemoRow["values"]): DemoRow => ({
    table,
    get values() {
      order.push("made");
      return values;
    },
  });
  const ledger = { control: databaseOf("DB"), shards: [databaseOf("LEDGER_0")] } as unknown as Ledger;
  const rows = [rowOf("apps", { token: "a" }), rowOf("ledger_entries", { partner_id: 1, cost_id: "c" })];
  await insertRows(rows, ledger, async () => {
    order.push("pause");
    await setImmediate();
    order.push("noticed");
  });
  expect(order.filter((one, index) => one !== order[index - 1])).toEqual([
    "made",
    "pause",
    "noticed",
    "DB: 1",
    "LEDGER_0: 1",
  ]);
});
