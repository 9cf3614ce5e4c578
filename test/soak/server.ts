/** The server of the soak test: the built Worker with its state on disk. Runs the cron every few seconds and prints its outcome. */
import { readFileSync } from "node:fs";
import { type Settings, startBuilt } from "../built-worker.ts";
import { SharedCalls } from "../live-service.ts";

const CRON_EVERY_MS = 5_000;

const { script, ...settings } = JSON.parse(process.argv[2] ?? "") as Settings;
const shared = new SharedCalls();
const { miniflare } = await startBuilt({
  ...settings,
  script: readFileSync(script, "utf8"),
  onLog: (line) => shared.add(line),
});
const worker = await miniflare.getWorker();
console.log("ready");
while (true) {
  await new Promise((resolve) => setTimeout(resolve, CRON_EVERY_MS));
  const { outcome } = await worker.scheduled({ cron: "* * * * *" });
  console.log(`cron ${outcome}`);
  console.log(`shared: ${shared}`);
}
