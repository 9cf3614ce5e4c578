/** `npm run deploy`, with the options in deployment/options.ts. */
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { runCommand } from "./command.ts";
import { deploy } from "./deployment/deploy.ts";
import { wrangler } from "./wrangler.ts";

const folder = join(import.meta.dirname, "../..");
await runCommand(() => deploy(process.argv.slice(2), { folder, wrangler }, () => sleep(1_000)));
