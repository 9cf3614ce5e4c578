/** The server of the soak test: the built Worker with its state on disk. Runs the crons every few seconds and prints their outcome. */
import { readFileSync } from "node:fs";
import { HOUR_MS } from "../../src/domain/time.ts";
import { type Settings, startBuilt } from "../built-worker.ts";
import { SharedCalls } from "../live-service.ts";

const CRON_EVERY_MS = 5_000;

/** For the crons, each `hour` milliseconds since the start are an hour. */
export type ServerSettings = Settings & { startedAt: number; hour: number };

const { script, startedAt, hour, ...settings } = JSON.parse(process.argv[2] ?? "") as ServerSettings;
const shared = new SharedCalls();
const { miniflare } = await startBuilt({
  ...settings,
  script: readFileSync(script, "utf8"),
  onLog: (line) => shared.add(line),
});
const worker = await miniflare.getWorker();
console.log("ready");

async function repeat(cron: string, pause: number): Promise<void> {
  while (true) {
    await new Promise((resolve) => setTimeout(resolve, pause));
    const passed = ((Date.now() - startedAt) / hour) * HOUR_MS;
    const { outcome } = await worker.scheduled({ cron, scheduledTime: new Date(startedAt + passed) });
    console.log(`cron ${outcome}`);
    console.log(`shared: ${shared}`);
  }
}
// Each cron twice, because Cloudflare can start one again while it runs.
await Promise.all([1, 2].flatMap(() => [repeat("* * * * *", CRON_EVERY_MS), repeat("17 * * * *", hour)]));
