/** Request bodies that are too large to be read. */
import { withDeadline } from "../deadline.ts";

const MAX_DISCARDED_BYTES = 16 * 1024 * 1024;
const DEADLINE_MS = 2_000;

/**
 * Takes a body from its connection, if it is at most 16 MiB and arrives within two seconds. Otherwise a proxy that shares
 * connections, such as that of `wrangler dev`, can answer 500 to this request or the next one
 * (github.com/cloudflare/workers-sdk/issues/15203).
 */
export async function discardBody({ body, headers }: Request): Promise<void> {
  if (!body) return;
  if (Number(headers.get("content-length")) > MAX_DISCARDED_BYTES) return body.cancel();
  const reader = body.getReader();
  try {
    await withDeadline(readToEnd(reader), DEADLINE_MS, "the body");
  } catch {
    // Cut off or too slow: the response does not wait for it.
  }
  await reader.cancel();
}

async function readToEnd(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  let size = 0;
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    size += read.value.byteLength;
    if (size > MAX_DISCARDED_BYTES) return;
  }
}
