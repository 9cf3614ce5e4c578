/**
 * Databases from before 0100_tables.sql and 0101_rules.sql, which replaced the 23 migrations 0000 to 0022 with the same result:
 * one that has all of them continues with 0102, and one that has some of them cannot continue.
 */

const REPLACED = 23;

/** Notes the two migrations for a database that has all that they replaced, and does nothing for another one. */
export const NOTE_REPLACEMENT = `INSERT OR IGNORE INTO d1_migrations (name)
  SELECT column1 FROM (VALUES ('0100_tables.sql'), ('0101_rules.sql'))
  WHERE (SELECT count(*) FROM d1_migrations WHERE name < '0100') = ${REPLACED}`;

/** What is wrong with a database that has these migrations; undefined if 0102 can follow, or if it has none of them. */
export function describeReplaced(database: string, applied: string[]): string | undefined {
  const replaced = applied.filter((name) => name < "0100").length;
  if (replaced === 0 || applied.includes("0101_rules.sql")) return undefined;
  return replaced < REPLACED
    ? `${database} has ${replaced} of the ${REPLACED} migrations before 0100_tables.sql, which replaced them: apply the others with the version that has them, or use an empty database.`
    : `${database} has the ${REPLACED} migrations before 0100_tables.sql, which replaced them: run the command for this in migrations/README.md.`;
}
