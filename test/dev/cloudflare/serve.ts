/** `npm run cloudflare:stub`: an empty account on this machine. */
import { readOnly, runCommand } from "../../../src/dev/command.ts";
import { CloudflareStub } from "./api.ts";

const USAGE = `Usage: npm run cloudflare:stub

Starts an empty account on this machine, with which you can try npm run deploy without an account at Cloudflare. Ctrl+C ends it, and with it what was deployed.`;

await runCommand(USAGE, async (args) => {
  readOnly(USAGE, args, {});
  const stub = new CloudflareStub();
  await stub.start();
  const variables = { ...stub.environment, NODE_OPTIONS: stub.redirectFlag };
  console.log(`The account is empty. Paste these lines into a second terminal, and run npm run deploy there:

${Object.entries(variables)
  .map(([name, value]) => `export ${name}='${value}'`)
  .join("\n")}

The stub runs no Worker: what it deploys only answers whether it is ready, at ${stub.url}/deployed/linkledger/readyz`);
});
