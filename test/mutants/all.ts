/** All mutants, and where each of them is. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { accounts } from "./accounts.ts";
import { agents } from "./agents.ts";
import { alerts } from "./alerts.ts";
import { destinations } from "./destinations.ts";
import { details } from "./details.ts";
import { explained } from "./explained.ts";
import { figures } from "./figures.ts";
import { groups } from "./groups.ts";
import { identities } from "./identities.ts";
import { imports } from "./imports.ts";
import { ledger } from "./ledger.ts";
import { limits } from "./limits.ts";
import { links } from "./links.ts";
import { memory } from "./memory.ts";
import type { Mutant } from "./mutant.ts";
import { operators } from "./operators.ts";
import { pages } from "./pages.ts";
import { reports } from "./reports.ts";
import { rules } from "./rules.ts";
import { storage } from "./storage.ts";
import { tokens } from "./tokens.ts";
import { webhooks } from "./webhooks.ts";

export const mutants: Mutant[] = [
  ...ledger,
  ...storage,
  ...groups,
  ...memory,
  ...links,
  ...accounts,
  ...limits,
  ...operators,
  ...pages,
  ...figures,
  ...reports,
  ...tokens,
  ...rules,
  ...destinations,
  ...explained,
  ...alerts,
  ...webhooks,
  ...agents,
  ...identities,
  ...imports,
  ...details,
];

export const ROOT = join(import.meta.dirname, "../..");

/** The file that a mutant changes. */
export function fileOf({ file, search }: Mutant): string {
  if (file !== "migrations") return file;
  const names = readdirSync(join(ROOT, file)).filter((name) => name.endsWith(".sql") && name !== "rules.sql");
  const last = names.sort().findLast((name) => readFileSync(join(ROOT, file, name), "utf8").includes(search));
  return join(file, last ?? "none");
}
