/** Reads integration rounds: their credentials, and what their reports are made of. */
import { type SQL, sql } from "drizzle-orm";
import { type CostType, toTypes } from "../../../domain/cost-types.ts";
import type { Credential } from "../../../domain/costs.ts";
import type { RoundRecord } from "../../../domain/rounds/findings.ts";
import { RETENTION_MS } from "../../../domain/time.ts";
import { type Ledger, runGated } from "../../ledger/shards.ts";
import { alias, as, optional, pick, query, type RowOf } from "../../query.ts";
import { credentials, partners, roundDismissals, rounds } from "../../schema.ts";
import type { Value } from "../../statement.ts";
import { agreedCurrency, highestUrlAmount } from "../../url-prices.ts";
import { newestTestLink } from "../test-links.ts";
import {
  type EngagementRow,
  MAX_INCLUDED,
  readOnShards,
  roundReading,
  roundStatements,
  toRoundEngagements,
} from "./engagements.ts";
import {
  type EntryRow,
  entryFields,
  roundEntry as n,
  type RoundRow,
  roundFields,
  toEntry,
  round as x,
} from "./lists.ts";

const c = alias(credentials, "c");
const p = alias(partners, "p");
const d = alias(roundDismissals, "d");

const urlPrices = { highestUrlAmount: highestUrlAmount(p), urlCurrency: agreedCurrency(p) };

const hasToken = sql`${c.tokenHash} = ${sql.placeholder("tokenHash")}`;

/** A FROM clause with a round `x`: the round of a test credential, or the round with an ID. */
export const ofCredential = sql`${as(c)} CROSS JOIN ${as(x)} ON ${x.id} = ${c.roundId} AND ${hasToken}`;
const withId = sql`(SELECT * FROM ${rounds} WHERE ${rounds.id} = ${sql.placeholder("id")}) x`;

/** A credential, and its round; null for a credential without a round. */
export interface TestCredential extends Credential {
  round: (Pick<RoundRow, "id" | "partnerId" | "state" | "entryCount"> & { costTypes: CostType[] }) | null;
}

const credentialFields = {
  ...urlPrices,
  macros: p.macros,
  credentialId: c.id,
  ...pick(c, "partnerId", "mode", "costTypes", "revokedAt"),
  ...optional({ roundId: x.id, state: x.state, roundTypes: x.costTypes, entryCount: x.entryCount }),
};
export const testCredential = query(
  credentialFields,
  sql`FROM ${as(c)} CROSS JOIN ${as(p)} ON ${p.id} = ${c.partnerId}
    LEFT JOIN ${as(x)} ON ${x.id} = ${c.roundId} WHERE ${hasToken}`,
);

export function toCredential(row: RowOf<typeof credentialFields>): TestCredential {
  const { credentialId, partnerId, mode, roundId, state, roundTypes, entryCount } = row;
  const hasRound = roundId !== null && state !== null && roundTypes !== null && entryCount !== null;
  return {
    credentialId,
    partnerId,
    mode,
    costTypes: toTypes(row.costTypes),
    revoked: row.revokedAt !== null,
    round: hasRound ? { id: roundId, partnerId, state, costTypes: toTypes(roundTypes), entryCount } : null,
  };
}

/** The data of a report. `final` is the report stored at the end of the round. */
export type FoundRound = { row: RoundRow; final: string | null; record: RoundRecord };

const entryNames = sql`${as(n)} ON ${n.roundId} = ${x.id}`;
const foundFields = {
  ...roundFields,
  finalReport: x.finalReport,
  liveTypes: p.integratedTypes,
  ...urlPrices,
};

/** The statements that read the round `x` of a FROM clause. An ended round has its final report, so they read nothing else. */
function reading(from: SQL) {
  const isOpen = sql`${x.state} = 'open'`;
  const ofEntries = sql`FROM ${from} CROSS JOIN ${entryNames} WHERE ${isOpen} ORDER BY ${n.number}`;
  const ofDismissals = sql`FROM ${from} CROSS JOIN ${as(d)} ON ${d.roundId} = ${x.id} WHERE ${isOpen}`;
  const round = query(foundFields, sql`FROM ${from} CROSS JOIN ${as(p)} ON ${p.id} = ${x.partnerId}`);
  const entries = query(entryFields, ofEntries);
  const dismissals = query({ finding: d.finding, reason: d.reason }, ofDismissals);
  const engagements = roundReading(from, entryNames);
  return (db: D1Database, values: Record<string, Value>) =>
    [
      round(db, values),
      entries(db, values),
      dismissals(db, values),
      ...roundStatements(engagements, db, values),
    ] as const;
}

async function toFound(
  ledger: Ledger,
  now: number,
  [row]: RowOf<typeof foundFields>[],
  entries: EntryRow[],
  dismissals: { finding: string; reason: string | null }[],
  [scan]: { overrun: number }[],
  named: EngagementRow[],
  recent: EngagementRow[],
): Promise<FoundRound | undefined> {
  if (!row) return undefined;
  const { finalReport, liveTypes, highestUrlAmount, urlCurrency, ...round } = row;
  const costIds = [...new Set(entries.flatMap(({ costId }) => costId ?? []))];
  const { partnerId, openedAt } = round;
  const more =
    round.state === "open"
      ? await readOnShards(ledger, { partnerId, openedAt, costIds, now })
      : { named: [], recent: [], overrun: false };
  const included = [...recent, ...more.recent];
  const overrun = included.length > MAX_INCLUDED || scan?.overrun === 1 || more.overrun;
  return {
    row: round,
    final: finalReport,
    record: {
      costTypes: toTypes(round.costTypes),
      liveTypes: toTypes(liveTypes),
      highestUrlAmount,
      urlCurrency,
      entries: entries.map(toEntry),
      engagements: [
        ...[...named, ...more.named].flatMap(toRoundEngagements),
        ...included
          .slice(0, MAX_INCLUDED)
          .flatMap(toRoundEngagements)
          .filter((engagement) => engagement.occurredAt >= openedAt),
      ],
      dismissed: new Map(dismissals.map(({ finding, reason }) => [finding, reason])),
      openedAt,
      complete: !overrun && now - openedAt <= RETENTION_MS,
    },
  };
}

const forPartner = reading(ofCredential);
const forOperator = reading(withId);

/** Finds the round of a credential. `credential` is undefined if it is unknown, `found` if it has no round. */
export async function findRoundOfCredential(ledger: Ledger, hash: string, now: number) {
  const db = ledger.control;
  const values = { tokenHash: hash, now };
  const [[credential], ...read] = await runGated(ledger, db, [
    testCredential(db, values),
    ...forPartner(db, values),
  ]);
  return { credential: credential && toCredential(credential), found: await toFound(ledger, now, ...read) };
}

/** What a partner begins with: its round, and the newest link that it can test with. */
export async function findStart(ledger: Ledger, hash: string, partnerId: number, now: number) {
  const db = ledger.control;
  const values = { tokenHash: hash, now };
  const [[credential], [link], ...read] = await runGated(ledger, db, [
    testCredential(db, values),
    newestTestLink(db, { partnerId }),
    ...forPartner(db, values),
  ]);
  return {
    credential: credential && toCredential(credential),
    urlCurrency: credential?.urlCurrency ?? null,
    link: link?.token,
    found: await toFound(ledger, now, ...read),
  };
}

/** Finds a round for an operator. */
export async function findRound(ledger: Ledger, id: number, now: number): Promise<FoundRound | undefined> {
  const read = await runGated(ledger, ledger.control, [...forOperator(ledger.control, { id, now })]);
  return toFound(ledger, now, ...read);
}
