/**
 * What tables are made of. A column has the name of its key, in snake_case; one that is unique has it too, because the name of its
 * index follows from it. Not from drizzle-orm/sqlite-core, which brings the query builders too: 10 KiB gzip.
 */
import type { AnySQLiteColumn } from "drizzle-orm/sqlite-core/columns/common";
import { integer } from "drizzle-orm/sqlite-core/columns/integer";

export { check } from "drizzle-orm/sqlite-core/checks";
export { text } from "drizzle-orm/sqlite-core/columns/text";
export { foreignKey } from "drizzle-orm/sqlite-core/foreign-keys";
export { index, uniqueIndex } from "drizzle-orm/sqlite-core/indexes";
export { primaryKey } from "drizzle-orm/sqlite-core/primary-keys";
export { sqliteTable } from "drizzle-orm/sqlite-core/table";
export { sqliteView } from "drizzle-orm/sqlite-core/view";
export { integer };

/** SQLite computes the column from the others of its row, and stores nothing. */
export const VIRTUAL = { mode: "virtual" } as const;

export const flag = () => integer({ mode: "boolean" });
/** The ID of a row of another table. */
export const reference = (column: () => AnySQLiteColumn) => integer().notNull().references(column);
