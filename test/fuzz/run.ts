/** `npm run test:fuzz`: fuzz.ts says what it does. */
import { COUNT, readOnly, runCommand } from "../../src/dev/command.ts";

const USAGE = `Usage: npm run test:fuzz [-- FLAGS]

Sends valid, nearly valid and hostile requests to the built Worker, and checks every response and then the database.

  --requests NUMBER  how many (default: 20000)
  --seed NUMBER      decides which requests, to repeat a run (default: another one each time)`;

await runCommand(USAGE, async (args) => {
  const { values } = readOnly(USAGE, args, { requests: COUNT, seed: COUNT });
  const { fuzz } = await import("./fuzz.ts");
  await fuzz(Number(values.requests ?? 20_000), Number(values.seed ?? Date.now() % 2 ** 31));
});
