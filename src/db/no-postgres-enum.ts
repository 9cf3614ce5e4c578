/** Replaces Drizzle's module for Postgres enums (the alias in wrangler.toml), which would add 6 KB that D1 never uses. */
export const isPgEnum = () => false;
