/** Replaces modules of Drizzle that D1 never uses (the aliases in wrangler.toml). Postgres enums would add 6 KB, the query builder 7 KB. */
export const isPgEnum = () => false;
export class QueryBuilder {}
