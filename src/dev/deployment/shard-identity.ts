/**
 * SQL that gives a database its place in a ledger with `shards` shards; `index` is null for DB. Returns a row if the database has
 * this place afterwards, and changes nothing in a database that has another place or, without a place yet, rows of the ledger.
 */
export function setIdentity(shards: number, index: number | null): string {
  const isEmpty = ["ledger_entries", "daily_totals"].map((table) => `NOT EXISTS (SELECT 1 FROM ${table})`);
  return `UPDATE shard_identity SET shards = ${shards}, shard_index = ${index} WHERE id = 1 AND (
    (shards = ${shards} AND shard_index IS ${index})
    OR (shards = 0 AND shard_index IS NULL AND ${isEmpty.join(" AND ")})
  ) RETURNING shards`;
}
