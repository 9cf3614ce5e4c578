/** The table in which wrangler notes the migrations that it applied, for tests that apply all of them in one call. */
export const MIGRATIONS_TABLE = `CREATE TABLE d1_migrations (
  id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE, applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL
)`;
