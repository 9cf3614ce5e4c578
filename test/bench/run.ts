/** `npm run bench`: README.md beside it explains the output. */
import { readOnly, runCommand } from "../../src/dev/command.ts";
import { FLAGS } from "./flags.ts";

const USAGE = `Usage: npm run bench [-- FLAGS]

Measures what a request costs beside a bare Worker. test/bench/README.md explains the output.

  --only NAMES           only these paths, with commas between them; a text that is no name means all names that contain it
  --pairs NUMBER         pairs for each path (default: 7)
  --connections NUMBERS  connections, with commas between them (default: 16)
  --against REVISION     also compares with the Worker of a git revision
  --calls NUMBER         GROUP_CALLS, the calls in flight that requests share, 0 to 99 (default: 2)
  --no-log               also measures our Worker without its log lines
  --growth               also measures bytes per row, the purge and long lists; takes some minutes

One of these measures something else instead:
  --profile              which functions take the time on each path
  --start-up             the start-up of the Worker
  --sign-in              clicks while 200 sign-ins are tried
  --reports              costs while four members read large reports
  --pages                each page with the large app of the demo
  --turns NUMBER         with --pages: the requests of each page (default: 20)`;

await runCommand(USAGE, async (args) => {
  const { values } = readOnly(USAGE, args, FLAGS);
  const { bench } = await import("./bench.ts");
  if (!(await bench(values))) process.exitCode = 1;
});
