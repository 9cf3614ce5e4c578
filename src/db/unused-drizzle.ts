/**
 * Replaces modules of Drizzle that D1 never uses (the aliases in wrangler.toml). Postgres enums would add 6 KB, the query builder
 * 7 KB, other types of columns 1 KB.
 */
export const isPgEnum = () => false;
export class QueryBuilder {}
export const getSQLiteColumnBuilders = () => ({});
export const getPgColumnBuilders = () => ({});
