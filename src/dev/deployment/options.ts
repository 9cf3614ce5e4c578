/** The options of `npm run deploy`. */
import { parseArgs } from "node:util";
import { CommandError } from "../command.ts";

export const MAX_SHARDS = 256;
const LOCATIONS = ["weur", "eeur", "apac", "oc", "wnam", "enam"];
const JURISDICTIONS = ["eu", "fedramp"];

export const USAGE = `Usage: npm run deploy
       npm run deploy -- OPTIONS

Creates what is missing, migrates the databases, deploys the code and waits until it is ready. You can repeat it with the same options.

  --shards NUMBER        spread the ledger over this number of databases, 0 to ${MAX_SHARDS}; it cannot change later (default: 0)
  --location HINT        where to create the databases: ${LOCATIONS.join(", ")}
  --jurisdiction REGION  where the databases must stay; it cannot change later: ${JURISDICTIONS.join(", ")}
  --env NAME             another deployment beside the first, such as staging, with databases and namespaces of its own`;

export interface DeployOptions {
  shards?: number;
  location?: string;
  jurisdiction?: string;
  env?: string;
}

export const isEnvironment = (name: unknown): name is string =>
  typeof name === "string" && /^[a-z0-9][a-z0-9-]{0,29}$/.test(name);
export const ENVIRONMENT_RULE = "--env must have 1 to 30 small letters, digits and hyphens.";

/** Throws CommandError, which lists every problem, and the options. */
export function readDeployOptions(args: string[]): DeployOptions {
  const option = { type: "string" } as const;
  const options = { shards: option, location: option, jurisdiction: option, env: option };
  const { values, tokens } = parseArgs({
    args,
    options,
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const problems = tokens.flatMap((token) => {
    if (token.kind === "option" && !(token.name in options)) return [`${token.rawName} is not an option.`];
    return token.kind === "positional" ? [`${token.value} is not an option.`] : [];
  });
  const { shards, location, jurisdiction, env } = values;
  if (shards !== undefined && !(/^\d{1,3}$/.test(String(shards)) && Number(shards) <= MAX_SHARDS)) {
    problems.push(`--shards must be a whole number from 0 to ${MAX_SHARDS}.`);
  }
  for (const [name, value, allowed] of [
    ["location", location, LOCATIONS],
    ["jurisdiction", jurisdiction, JURISDICTIONS],
  ] as const) {
    if (value !== undefined && !allowed.includes(String(value))) {
      problems.push(`--${name} must be one of ${allowed.join(", ")}.`);
    }
  }
  if (location !== undefined && jurisdiction !== undefined) {
    problems.push(
      "Use --location or --jurisdiction, not both: within a jurisdiction, D1 ignores the location.",
    );
  }
  if (env !== undefined && !isEnvironment(env)) problems.push(ENVIRONMENT_RULE);
  if (problems.length > 0) throw new CommandError(`${problems.join("\n")}\nNothing was changed.\n\n${USAGE}`);
  return {
    ...(shards !== undefined && { shards: Number(shards) }),
    ...(location !== undefined && { location: String(location) }),
    ...(jurisdiction !== undefined && { jurisdiction: String(jurisdiction) }),
    ...(env !== undefined && { env: String(env) }),
  };
}
