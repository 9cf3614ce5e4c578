/** `npm run soak`: soak.ts says what it does. */
import { COUNT, readOnly, runCommand } from "../../src/dev/command.ts";

const USAGE = `Usage: npm run soak [-- FLAGS]

Puts load on the built Worker, kills it halfway, and checks that every confirmed cost is stored once, that no event of a webhook is lost,
and that memory does not grow.

  --minutes NUMBER  how long (default: 10); in less than 2, alerts may not open and close
  --clients NUMBER  how many clients send requests (default: 16)`;

const MINUTES = { is: (value: string) => Number(value) > 0, must: "be a number above 0" };

await runCommand(USAGE, async (args) => {
  const { minutes = 10, clients = 16 } = readOnly(USAGE, args, { minutes: MINUTES, clients: COUNT }).values;
  const { soak } = await import("./soak.ts");
  await soak(Number(minutes), Number(clients));
});
