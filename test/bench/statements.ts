/** The SQL that the Worker sends to D1, taken from its own queries, for the bare Worker to prepare by hand. */
import { submitCosts } from "../../src/db/ledger/costs.ts";
import { insertEngagement } from "../../src/db/ledger/engagements.ts";
import { ledgerOf } from "../../src/db/ledger/shards.ts";
import { insertLinks } from "../../src/db/links/creation.ts";
import { findRecording, listLevelOne } from "../../src/db/links/links.ts";

/** A parameter is a value, or the name of one that a request brings. */
export interface CapturedStatement {
  sql: string;
  parameters: (string | number | null | { name: string })[];
}

export type Statements = Record<"cost" | "list" | "create" | "recording" | "engagement", CapturedStatement[]>;

/** Values that stand for the names of parameters. */
const NOW = 8_000_000_000_001;
const COST = { costId: "$costId", costType: "cpc" as const, currency: "USD", amount: null, tag: "t" };
const ENGAGEMENT = {
  partnerId: 0,
  costId: "$costId",
  kind: "click" as const,
  appToken: "",
  linkId: 0,
  occurredAt: 0,
  eligible: true,
  urlCostType: null,
  urlCurrency: null,
  urlAmount: null,
};
const NAMES = new Map<unknown, string>([
  ["$tokenHash", "tokenHash"],
  ["$appToken", "appToken"],
  ["$linkToken", "linkToken"],
  ['["links"]', "links"],
  [JSON.stringify([[COST.costId, COST.costType, COST.currency, COST.amount, COST.tag]]), "costs"],
  [JSON.stringify([ENGAGEMENT]), "engagements"],
  [NOW, "now"],
  // What a warm isolate has: the revision of the partners that it keeps.
  ["", "revision"],
]);

export async function captureStatements(): Promise<Statements> {
  const scope = { tokenHash: "$tokenHash", appToken: "$appToken" };
  const range = { after: null, before: null, limit: 50 };
  return {
    cost: await capture((db) =>
      submitCosts(ledgerOf({ DB: db }, NOW), {
        tokenHash: "$tokenHash",
        costs: [COST],
        now: NOW,
        windowMs: 604_800_000,
      }),
    ),
    list: await capture((db) => listLevelOne(db, scope, {}, range)),
    create: await capture((db) => insertLinks(db, scope, standIn("links"), NOW)),
    recording: await capture((db) => findRecording(db, "$linkToken")),
    engagement: await capture((db) => insertEngagement(ledgerOf({ DB: db }, NOW), ENGAGEMENT)),
  };
}

/** A list that is written as `["name"]`, whatever a query makes of its items. */
function standIn(name: string): never[] {
  const list = { map: () => [name], flatMap: () => [], length: 1 };
  return list as unknown as never[];
}

/** Runs a query on a D1 that notes what it is asked, and answers nothing. */
async function capture(query: (db: D1Database) => Promise<unknown>): Promise<CapturedStatement[]> {
  const captured: CapturedStatement[] = [];
  const database = {
    prepare: (sql: string) => ({
      bind: (...values: unknown[]) => ({ sql, parameters: values.map(toParameter) }),
    }),
    batch: async (statements: CapturedStatement[]) => {
      captured.push(...statements);
      return statements.map(() => ({ results: [] }));
    },
  };
  await query(database as unknown as D1Database);
  return captured;
}

function toParameter(value: unknown): CapturedStatement["parameters"][number] {
  const name = NAMES.get(value);
  return name === undefined ? (value as string | number | null) : { name };
}
