/** The shards that a first deployment adds to wrangler.toml, as text, because wrangler would not keep the comments, and settings that it rejects. */
import { appendFileSync } from "node:fs";
import { CommandError } from "../command.ts";
import { type Checkout, type Configuration, type D1Configuration, settingsFile } from "./checkout.ts";

/** The bindings have no IDs, as in the rest of the file. */
export function addShards(checkout: Checkout, shards: D1Configuration[]): void {
  if (shards.length === 0) return;
  const sections = shards.map(({ binding, database_name, migrations_dir, migrations_pattern }) =>
    [
      "[[d1_databases]]",
      ...Object.entries({ binding, database_name, migrations_dir, migrations_pattern }).map(
        ([name, value]) => `${name} = ${JSON.stringify(value)}`,
      ),
    ].join("\n"),
  );
  const intro = "# The shards of the deployed ledger. Keep all of them, in this order.";
  appendFileSync(settingsFile(checkout), `\n${intro}\n${sections.join("\n\n")}\n`);
  console.log(`wrangler.toml: bindings of ${shards.length} shards added. Commit the file.`);
}

/** Throws for what is only for tests on this machine. */
export function rejectLocalSettings({ vars }: Configuration): void {
  if (vars?.LOCAL_INSECURE !== undefined)
    throw new CommandError(
      "wrangler.toml sets LOCAL_INSECURE, which is only for tests. Nothing was changed.",
    );
  if (vars?.OIDC_CLIENT_SECRET !== undefined)
    throw new CommandError(
      "wrangler.toml sets OIDC_CLIENT_SECRET, which is a secret. Remove it, and run npx wrangler secret put OIDC_CLIENT_SECRET. Nothing was changed.",
    );
  for (const [name, value] of Object.entries({ ORIGIN: vars?.ORIGIN, OIDC_ISSUER: vars?.OIDC_ISSUER }))
    if (value !== undefined && !String(value).startsWith("https://"))
      throw new CommandError(`${name} in wrangler.toml must begin with https://. Nothing was changed.`);
}
