/** The flags of `npm run deploy`. */
import { type Flag, oneOf, readOnly } from "../command.ts";

const MAX_SHARDS = 256;
const LOCATIONS = ["weur", "eeur", "apac", "oc", "wnam", "enam"];
const JURISDICTIONS = ["eu", "fedramp"];

export const USAGE = `Usage: npm run deploy
       npm run deploy -- FLAGS

Creates what is missing, migrates the databases, deploys the code and waits until it is ready. You can repeat it with the same flags.

  --shards NUMBER        spread the ledger over this number of databases, 0 to ${MAX_SHARDS}; it cannot change later (default: 0)
  --location HINT        where to create the databases: ${LOCATIONS.join(", ")}
  --jurisdiction REGION  where the databases must stay; it cannot change later: ${JURISDICTIONS.join(", ")}
  --env NAME             another deployment beside the first, such as staging, with databases and namespaces of its own`;

export const ENVIRONMENT: Flag = {
  is: (value) => /^[a-z0-9][a-z0-9-]{0,29}$/.test(value),
  must: "have 1 to 30 lowercase letters, digits and hyphens",
};

const FLAGS = {
  shards: {
    is: (value: string) => /^\d{1,3}$/.test(value) && Number(value) <= MAX_SHARDS,
    must: `be a whole number from 0 to ${MAX_SHARDS}`,
  },
  location: oneOf(...LOCATIONS),
  jurisdiction: oneOf(...JURISDICTIONS),
  env: ENVIRONMENT,
};

export type DeployOptions = ReturnType<typeof readDeployOptions>;

/** Throws CommandError, which lists every problem, and the flags. */
export function readDeployOptions(args: string[]) {
  const { values } = readOnly(USAGE, args, FLAGS, (words, { location, jurisdiction }) => [
    ...words.map((word) => `${word} is not a flag.`),
    ...(location !== undefined && jurisdiction !== undefined
      ? ["Use --location or --jurisdiction, not both: within a jurisdiction, D1 ignores the location."]
      : []),
  ]);
  const { shards, ...others } = values;
  return { ...others, ...(shards !== undefined && { shards: Number(shards) }) };
}
