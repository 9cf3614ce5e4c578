/**
 * Replaces `wrangler` on the PATH: stores a minimal Cloudflare account in a file for src/dev/deploy.ts and records every call. Its
 * output is that of wrangler 4.155.
 */
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";

export interface Account {
  databases: { name: string; uuid: string }[];
  namespaces: { title: string; id: string }[];
  /** The targets that a deployment reports. */
  targets: string[];
  version: string;
  /** The beginning of the command that fails. */
  failing?: string;
  calls: { command: string; configuration?: Record<string, unknown> }[];
}

const file = process.env.STUB_ACCOUNT ?? "";
const args = process.argv.slice(2);

if (file) {
  const account: Account = JSON.parse(readFileSync(file, "utf8"));
  execute(account);
  writeFileSync(file, JSON.stringify(account));
}

function execute(account: Account): void {
  const at = args.indexOf("--config");
  const words = at < 0 ? args : args.toSpliced(at, 2);
  const command = words.join(" ");
  const path = args[at + 1];
  account.calls.push({
    command,
    ...(at >= 0 && path && { configuration: JSON.parse(readFileSync(path, "utf8")) }),
  });
  if (account.failing && command.startsWith(account.failing)) {
    console.error("✘ [ERROR] A request to the Cloudflare API failed.");
    process.exitCode = 1;
    return;
  }
  const [name = ""] = words.slice(-1);
  const id = `id-of-${name}`;
  if (command === "d1 list --json") console.log(JSON.stringify(account.databases));
  else if (command === "kv namespace list") console.log(JSON.stringify(account.namespaces, null, "  "));
  else if (command.startsWith("d1 create")) account.databases.push({ name, uuid: id });
  else if (command.startsWith("kv namespace create")) account.namespaces.push({ title: name, id });
  else if (command === "deploy") report(account);
  else if (!command.startsWith("d1 migrations apply"))
    throw new Error(`The stub does not support ${command}.`);
}

function report({ targets, version }: Account): void {
  const lines = [{ type: "wrangler-session" }, { type: "deploy", version_id: version, targets }];
  for (const line of lines) {
    appendFileSync(process.env.WRANGLER_OUTPUT_FILE_PATH ?? "", `${JSON.stringify(line)}\n`);
  }
}
