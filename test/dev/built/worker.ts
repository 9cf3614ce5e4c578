/** The Worker as `wrangler deploy` uploads it. It is built once, for all files of the process. */
import { buildWorker } from "../../built-worker.ts";

export const { script, gzipBytes } = buildWorker();
