/** `npm run operator:create`. */
import { runCommand } from "./command.ts";
import { createOperator } from "./create-operator.ts";
import { wrangler } from "./wrangler.ts";

await runCommand(async () => console.log(await createOperator(process.argv.slice(2), wrangler)));
