/** Writes and reads the objects of the archive: gzip-compressed lines of JSON, one object for each slice of a purge. */
import { Buffer } from "node:buffer";
import { DeadlineError, withDeadline } from "../../deadline.ts";
import { sha256 } from "../../domain/hash.ts";
import { toIso } from "../../domain/time.ts";
import type { LedgerKey } from "../ledger/shards.ts";

/** A put of a few hundred kilobytes takes less than a second. */
const DEADLINE_MS = 10_000;

/** Where a slice of a walk is written. A repetition of the slice overwrites the object. */
export interface ObjectPlace {
  /** The binding of the database: `DB` or `LEDGER_3`. */
  shard: string;
  ledgerTable: string;
  /** In milliseconds since 1970. */
  walk: number;
  /** The slice starts after this key. */
  first: LedgerKey;
}

export function nameOfObject({ shard, ledgerTable, walk, first }: ObjectPlace): string {
  const key = sha256(`${first.partnerId} ${first.costId}`);
  return `${shard}/${ledgerTable}/${toIso(walk)}/${key}`;
}

/** The bucket did not accept an object. Nothing was deleted. */
export class ArchiveError extends Error {}

/** Writes an object, or replaces it as a whole. Tries twice, because a second put is harmless. Throws ArchiveError. */
export async function writeObject(bucket: R2Bucket, name: string, lines: string[]): Promise<void> {
  const text = new Blob([lines.map((line) => `${line}\n`).join("")]);
  const chunks: Uint8Array[] = [];
  for await (const chunk of text.stream().pipeThrough(new CompressionStream("gzip"))) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  const put = () =>
    bucket.put(name, body, {
      // No content encoding, because clients would decompress what they store as a compressed file.
      httpMetadata: { contentType: "application/gzip" },
    });
  try {
    await withDeadline(put(), DEADLINE_MS, "The archive").catch((error) => {
      if (error instanceof DeadlineError) throw error;
      return withDeadline(put(), DEADLINE_MS, "The archive");
    });
  } catch (error) {
    throw new ArchiveError(`The bucket ARCHIVE rejected an object: ${String(error)}`);
  }
}

/** Deletes an object that a repetition of its slice no longer needs. Throws ArchiveError. */
export async function deleteObject(bucket: R2Bucket, name: string): Promise<void> {
  try {
    await withDeadline(bucket.delete(name), DEADLINE_MS, "The archive");
  } catch (error) {
    throw new ArchiveError(`The bucket ARCHIVE rejected a deletion: ${String(error)}`);
  }
}

/**
 * Returns the lines of an object that contain a text, without keeping the others in memory; undefined if the object does not
 * exist. `takeBytes` is called with the size of each decompressed chunk and can throw to stop.
 */
export async function findLines(
  bucket: R2Bucket,
  name: string,
  text: string,
  takeBytes: (size: number) => void,
): Promise<string[] | undefined> {
  const object = await withDeadline(bucket.get(name), DEADLINE_MS, "The archive");
  if (!object) return undefined;
  const found: string[] = [];
  let rest = "";
  const decoder = new TextDecoder();
  for await (const chunk of object.body.pipeThrough(new DecompressionStream("gzip"))) {
    takeBytes(chunk.byteLength);
    const lines = `${rest}${decoder.decode(chunk, { stream: true })}`.split("\n");
    rest = lines.pop() ?? "";
    found.push(...lines.filter((line) => line.includes(text)));
  }
  return found;
}
