/** Helpers for the tests of the archive, over a real bucket. */
import type { ArchivedCost } from "../../src/db/archive/record.ts";
import type { Ledger } from "../../src/db/ledger/shards.ts";
import { RETENTION_MS } from "../../src/domain/time.ts";
import { purge } from "../../src/purge.ts";
import { DAY, env, ledgerOn, NOW, rows } from "../harness.ts";

/** The ledger with the bucket of the tests, or another one, bound as its archive. */
export function archiving(bucket: R2Bucket = env.TEST_BUCKET, database?: D1Database): Ledger {
  return { ...ledgerOn(database), archive: bucket };
}

/** When everything of NOW is due in the purge. */
export const DUE = NOW + RETENTION_MS + DAY;

/** A run of the cron that only tells the databases that an archive is bound. Its walk finds nothing that is due. */
export const bindArchive = (at = NOW - 2 * DAY) => purge(archiving(), at);

/** The rows of every object, with the name of the object. Checks that `archive_objects` has the same objects and numbers of rows. */
export async function readArchive(): Promise<(ArchivedCost & { object: string })[]> {
  const { objects } = await env.TEST_BUCKET.list({ limit: 1_000 });
  const found = await Promise.all(
    objects.map(async ({ key }) => {
      const object = await env.TEST_BUCKET.get(key);
      if (!object) throw new Error("The object is gone.");
      const text = await new Response(object.body.pipeThrough(new DecompressionStream("gzip"))).text();
      const lines = text.trimEnd().split("\n");
      return lines.map((line) => ({ ...(JSON.parse(line) as ArchivedCost), object: key }));
    }),
  );
  return found.flat();
}

/** The numbers of rows of the objects, by the databases' own list. */
export async function listedRows(): Promise<number> {
  const listed = await rows<{ row_count: number }>("SELECT row_count FROM archive_objects");
  return listed.reduce((sum, { row_count }) => sum + row_count, 0);
}
