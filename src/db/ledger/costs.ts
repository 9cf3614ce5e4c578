/** Reads credentials, and a partner's own costs. */
import { sql } from "drizzle-orm";
import { type Kind, toTypes } from "../../domain/cost-types.ts";
import type { Credential, Engagements } from "../../domain/costs.ts";
import { alias, as, optional, query, type RowOf } from "../query.ts";
import { links } from "../schema.ts";
import { runBatch, runGrouped, runGroupedIdempotent } from "../statement.ts";
import {
  COLUMNS,
  credential as c,
  entry as e,
  engagementFields,
  isCredential,
  isRemembered,
  toEngagements,
} from "./entries.ts";
import {
  MOST_OF_ID,
  ownRejectionsOfId,
  type RecentRejection,
  rejectionsOfId,
  withInvalid,
} from "./rejections-of-id.ts";
import {
  findPartnerId,
  isInPlace,
  type Ledger,
  type LedgerKey,
  placeOf,
  runForCredential,
  runInPlace,
  shardFor,
} from "./shards.ts";

export const costLink = alias(links, "l");

export const credentialFields = {
  credentialId: c.id,
  partnerId: c.partnerId,
  mode: c.mode,
  costTypes: c.costTypes,
  revokedAt: c.revokedAt,
};
export const credential = query(credentialFields, sql`FROM ${as(c)} WHERE ${isCredential}`);
/** Like `credential`, in a batch of a database of the ledger. */
export const credentialInPlace = query(
  credentialFields,
  sql`FROM ${as(c)} WHERE ${isCredential} AND ${isInPlace}`,
);

/** Returns undefined for an unknown credential. */
export async function findCredential({ control }: Ledger, hash: string): Promise<Credential | undefined> {
  const [[row]] = await runGrouped()(control, credential(control, { tokenHash: hash }));
  return row && toCredential(row);
}

export function toCredential(row: RowOf<typeof credentialFields>): Credential {
  return {
    credentialId: row.credentialId,
    partnerId: row.partnerId,
    mode: row.mode,
    costTypes: toTypes(row.costTypes),
    revoked: row.revokedAt !== null,
  };
}

const { click, impression } = COLUMNS;
/** The engagement of a cost: the matched one, or without a call the one whose price counts, or counted until it was voided. */
const kind = sql<Kind | null>`iif(${e.receivedAt} IS NOT NULL, ${e.matchedKind}, coalesce(${e.countingPrice}, ${e.voidKind}))`;

/** What a partner sees of a row. */
export const costFields = {
  costType: e.costType,
  currency: e.currency,
  amount: e.amountInEffect,
  tag: e.tag,
  receivedAt: e.receivedAt,
  state: e.state,
  countingPrice: e.countingPrice,
  kind,
  linkId: sql<
    number | null
  >`CASE ${kind} WHEN 'click' THEN ${click.linkId} WHEN 'impression' THEN ${impression.linkId} END`,
  ...engagementFields,
};
export const linkFields = optional({ linkToken: costLink.token });
const isCost = sql`${e.costId} = ${sql.placeholder("costId")} AND ${isRemembered}
  AND (${e.state} IS NOT NULL OR ${e.countingPrice} IS NOT NULL) AND ${isInPlace}`;
const costRecord = query(
  { ...costFields, ...linkFields },
  sql`FROM ${as(c)} CROSS JOIN ${as(e)}
    LEFT JOIN ${as(costLink)} ON ${costLink.id} = ${costFields.linkId}
    WHERE ${isCredential} AND ${c.revokedAt} IS NULL AND ${c.mode} = 'live'
      AND ${e.partnerId} = ${c.partnerId} AND ${isCost}`,
);

/** Of the engagement of a cost, else of the price that counts, else of any that has the ID. */
const ofEngagement = (key: "appToken" | "linkId") =>
  sql`CASE coalesce(${kind}, ${e.countingPrice}) WHEN 'click' THEN ${click[key]} WHEN 'impression' THEN ${impression[key]}
    ELSE coalesce(${click[key]}, ${impression[key]}) END`;
const ofPartner = query(
  {
    ...costFields,
    linkToken: sql<string | null>`NULL`,
    appToken: sql<string | null>`${ofEngagement("appToken")}`,
    engagedLinkId: sql<number | null>`${ofEngagement("linkId")}`,
  },
  sql`FROM ${as(e)} WHERE ${e.partnerId} = ${sql.placeholder("partnerId")} AND ${isCost}`,
);
const linkOf = query(
  { token: costLink.token, label: costLink.label },
  sql`FROM ${as(costLink)} WHERE ${costLink.id} = ${sql.placeholder("id")}`,
);

/**
 * A call, or a price on a URL that counts without one, or both: then the call is pending. `state` and the values of the call are
 * null without a call; `amount` is the amount in effect, null for an unpriced call.
 */
export type CostRecord = Omit<CostRow, "click" | "impression"> & { engagements: Engagements } & RowOf<
    typeof linkFields
  >;
export type CostRow = RowOf<typeof costFields>;

/**
 * Finds a partner's own cost with a live credential. `now` in milliseconds since 1970. `rejections` are those with its ID, if they are
 * asked for.
 */
export async function findCost(
  ledger: Ledger,
  hash: string,
  costId: string,
  now: number,
  withRejections = false,
): Promise<{
  credential: Credential | undefined;
  cost: CostRecord | undefined;
  rejections: RecentRejection[];
}> {
  const partnerId = await findPartnerId(ledger, hash);
  if (partnerId === undefined) return { credential: undefined, cost: undefined, rejections: [] };
  const key = { partnerId, costId, now };
  const db = shardFor(ledger, key);
  const values = { tokenHash: hash, ...key, ...placeOf(ledger, db) };
  const statements = [credential(db, values), costRecord(db, values)] as const;
  const [[known], [row], judged] = withRejections
    ? await runForCredential(ledger, db, [...statements, ownRejectionsOfId(db, values)], MOST_OF_ID)
    : await runForCredential(ledger, db, [...statements]);
  const [cost] = row ? await toRecords(ledger, [row]) : [];
  const rejections = judged ? await withInvalid(ledger, db, key, judged) : [];
  return { credential: known && toCredential(known), cost, rejections };
}

/** Finds a cost of a partner, with the app and the link of its click or impression, and the rejected ones with its ID. For operators. */
export async function findCostOfPartner(ledger: Ledger, key: LedgerKey, now: number) {
  const db = shardFor(ledger, key);
  const values = { ...key, now };
  const found = ofPartner(db, { ...values, ...placeOf(ledger, db) });
  const run = runGroupedIdempotent(MOST_OF_ID);
  const [[row], judged] = await runInPlace(ledger, db, [found, rejectionsOfId(db, values)], run);
  if (!row) return undefined;
  const rejections = await withInvalid(ledger, db, values, judged);
  const { control } = ledger;
  const [[link]] =
    row.engagedLinkId === null ? [[]] : await runBatch(control, linkOf(control, { id: row.engagedLinkId }));
  const linkToken = row.linkId === null ? null : (link?.token ?? null);
  return { ...row, engagements: toEngagements(row), linkToken, link, rejections };
}

const linkTokens = query(
  { id: links.id, token: links.token },
  sql`FROM json_each(${sql.placeholder("ids")}) j CROSS JOIN ${links} ON ${links.id} = j.value`,
);

/** Adds the engagements, and the tokens of the links. */
export async function toRecords<R extends CostRow & RowOf<typeof linkFields>>(ledger: Ledger, rows: R[]) {
  const found = await withLinkTokens(ledger, rows);
  return found.map((row) => ({ ...row, engagements: toEngagements(row) }));
}

/** Adds the tokens of the links. A shard stores no links, so they are read from DB for rows that lack them. */
export async function withLinkTokens<R extends Pick<CostRow, "linkId"> & RowOf<typeof linkFields>>(
  { control }: Ledger,
  rows: R[],
): Promise<R[]> {
  const lacking = rows.flatMap(({ linkToken, linkId }) =>
    linkToken === null && linkId !== null ? [linkId] : [],
  );
  const ids = JSON.stringify([...new Set(lacking)]);
  const [found] =
    lacking.length > 0 ? await runGrouped(lacking.length)(control, linkTokens(control, { ids })) : [[]];
  const tokens = new Map(found.map(({ id, token }) => [id, token]));
  return rows.map((row) => ({ ...row, linkToken: row.linkToken ?? tokens.get(row.linkId ?? 0) ?? null }));
}
