/**
 * What operators decide about many prices on URLs of one partner, app and day: they accept or drop those that are held, and void those
 * that count. A call reads first, and then changes what is still as it was read, with an entry in the audit log in the same transaction.
 * With shards, that entry comes before, and says `requested`. Another one says how many had changed.
 */
import { sql } from "drizzle-orm";
import type { AuditAction } from "../../../domain/audit-actions.ts";
import type { Kind } from "../../../domain/cost-types.ts";
import { generatedIdsOf } from "../../../domain/engagements/generated-ids.ts";
import { formatMoney } from "../../../domain/money.ts";
import { DAY_MS, formatDate } from "../../../domain/time.ts";
import { insertEntry, type Operator } from "../../audit.ts";
import { unitsOf } from "../../cost-types.ts";
import { names, query, type RowOf, returning } from "../../query.ts";
import { dailyUrlPrices, ledgerEntries } from "../../schema.ts";
import { type Bound, runBatch, statement, type Value } from "../../statement.ts";
import { type Ledger, rowDatabasesOf, runGated } from "../shards.ts";

/** How many prices a call changes. */
export const MAX_PRICES = 1_000;
/** How many IDs a call reads to find them. */
const MAX_READ = 5_000;
/** The number of those that are left is counted up to this. */
const MAX_LEFT = 20_000;

const p = (name: string) => sql`${sql.placeholder(name)}`;
const t = ledgerEntries;
const d = dailyUrlPrices;

/** Prices on URLs of one partner, app and day. */
export interface PricesOfDay {
  partnerId: number;
  appToken: string;
  /** Days since 1970 in UTC. */
  day: number;
}

/** `sums` are money by currency, as decimal text. */
type Changed = { count: number; sums: Record<string, string>; left: number };

/** Held prices of one kind of engagement. */
const heldOf = (kind: Kind, index: string) =>
  sql`SELECT ${t.costId} AS costId, ${sql.raw(`'${kind}'`)} AS kind, ${t[`${kind}UrlCurrency`]} AS currency,
    ${unitsOf(sql`${t[`${kind}UrlCostType`]}`, sql`${t[`${kind}UrlAmount`]}`)} AS money, ${t[`${kind}At`]} AS happenedAt
  FROM ${t} INDEXED BY ${sql.raw(index)} WHERE ${t.partnerId} = ${p("partnerId")} AND ${t[`${kind}PriceCounts`]} = 2
    AND ${t[`${kind}AppToken`]} = ${p("appToken")} AND ${t[`${kind}At`]} >= ${p("from")} AND ${t[`${kind}At`]} < ${p("until")}`;
const found = {
  costId: sql<string>`costId`,
  kind: sql<Kind>`kind`,
  currency: sql<string>`currency`,
  money: sql<number>`money`,
};
type Price = RowOf<typeof found>;
const held = query(
  found,
  sql`FROM (${heldOf("click", "held_clicks")} UNION ALL ${heldOf("impression", "held_impressions")})
    ORDER BY happenedAt, costId LIMIT ${sql.raw(String(MAX_PRICES))}`,
);

const ids = sql`(SELECT value ->> 'costId' FROM json_each(${p("prices")}) WHERE value ->> 'kind' = `;
const decided = (kind: Kind) =>
  returning(
    sql`UPDATE ${t} SET ${names(t[`${kind}PriceCounts`])} = ${p("counts")}
      WHERE ${t.partnerId} = ${p("partnerId")} AND ${t[`${kind}PriceCounts`]} = 2 AND ${t.costId} IN ${ids}${sql.raw(`'${kind}'`)})`,
    { costId: t.costId },
  );
const decide = { click: decided("click"), impression: decided("impression") };

/** Moves held prices in the sums of their day, before they are decided in the same transaction. */
const move = statement<unknown>(sql`
  UPDATE ${d} SET ${names(d.held)} = max(0, ${d.held} - s.money), ${names(d.heldCount)} = max(0, ${d.heldCount} - s.count),
    ${names(d.counted)} = CAST(min(${d.counted} + iif(${p("counts")}, s.money, 0), 9e18) AS INTEGER)
  FROM (
    SELECT j.value ->> 'currency' AS currency, sum(j.value ->> 'money') AS money, count(*) AS count FROM json_each(${p("prices")}) j
    CROSS JOIN ${t} ON ${t.partnerId} = ${p("partnerId")} AND ${t.costId} = j.value ->> 'costId'
      AND iif(j.value ->> 'kind' = 'click', ${t.clickPriceCounts}, ${t.impressionPriceCounts}) = 2
    GROUP BY 1
  ) s
  WHERE ${d.partnerId} = ${p("partnerId")} AND ${d.appToken} = ${p("appToken")} AND ${d.day} = ${p("day")} AND ${d.currency} = s.currency`);

const heldLeft = query(
  { left: sql<number>`coalesce(sum(${d.heldCount}), 0)` },
  sql`FROM ${d} WHERE ${d.partnerId} = ${p("partnerId")} AND ${d.appToken} = ${p("appToken")} AND ${d.day} = ${p("day")}`,
);

/** Accepts or drops held prices, the oldest first, at most 1,000. `left` are those that are still held. */
export async function decideHeld(
  ledger: Ledger,
  operator: Operator,
  of: PricesOfDay,
  { accept, reason }: { accept: boolean; reason: string },
): Promise<Changed> {
  const values = { ...valuesOf(of), counts: Number(accept), now: operator.now };
  const parts: Part[] = [];
  let room = MAX_PRICES;
  for (const db of rowDatabasesOf(ledger)) {
    const [prices] = await runGated(ledger, db, [held(db, values)]);
    if (prices.length > 0 && room > 0) parts.push({ db, prices: prices.slice(0, room) });
    room -= Math.min(room, prices.length);
  }
  const action = accept ? "accept held prices" : "drop held prices";
  const changed = await carryOut(ledger, operator, of, { action, reason }, parts, ({ db, prices }) => {
    const sent = { ...values, prices: JSON.stringify(prices) };
    return [move(db, sent), decide.click(db, sent), decide.impression(db, sent)];
  });
  const lefts = await Promise.all(
    rowDatabasesOf(ledger).map((db) => runGated(ledger, db, [heldLeft(db, values)])),
  );
  return { ...changed, left: lefts.reduce((sum, [[row]]) => sum + (row?.left ?? 0), 0) };
}

const ofCounting = (key: "AppToken" | "At" | "UrlCostType" | "UrlCurrency" | "UrlAmount") =>
  sql`iif(${t.countingPrice} = 'click', ${t[`click${key}`]}, ${t[`impression${key}`]})`;
/** A price that counts by itself, of the app and the day. */
const isOfDay = sql`${t.countingPrice} IS NOT NULL AND ${t.costType} IS NULL AND ${ofCounting("AppToken")} = ${p("appToken")}
  AND ${ofCounting("At")} >= ${p("from")} AND ${ofCounting("At")} < ${p("until")} AND ${t.rememberedUntil} >= ${p("now")}`;
/** Generated IDs of the day are a range of keys; others are all keys without that range. */
const isInKeys = sql`${t.partnerId} = ${p("partnerId")} AND ${t.costId} > ${p("after")} AND ${t.costId} < coalesce(${p("untilKey")}, CAST(x'FF' AS TEXT))
  AND NOT (${t.costId} >= ${p("skipFrom")} AND ${t.costId} < ${p("skipUntil")})`;
const read = sql`(SELECT * FROM ${t} WHERE ${isInKeys} ORDER BY ${t.costId} LIMIT ${sql.raw(String(MAX_READ))}) ledger_entries`;
const counting = query(
  {
    costId: t.costId,
    kind: sql<Kind>`${t.countingPrice}`,
    currency: sql<string>`${ofCounting("UrlCurrency")}`,
    money: unitsOf(ofCounting("UrlCostType"), ofCounting("UrlAmount")),
  },
  sql`FROM ${read} WHERE ${isOfDay} ORDER BY ${t.costId} LIMIT ${sql.raw(String(MAX_PRICES))}`,
);
const readThrough = query(
  { count: sql<number>`count(*)`, last: sql<string | null>`max(${t.costId})` },
  sql`FROM ${read}`,
);
const countingLeft = query(
  { left: sql<number>`count(*)` },
  sql`FROM (SELECT 1 FROM ${t} WHERE ${isInKeys} AND ${isOfDay} LIMIT ${sql.raw(String(MAX_LEFT))})`,
);
const voidAll = returning(
  sql`UPDATE ${t} SET ${names(t.voidState)} = 'voided', ${names(t.voidKind)} = ${t.countingPrice},
      ${names(t.costType)} = ${ofCounting("UrlCostType")}, ${names(t.currency)} = ${ofCounting("UrlCurrency")},
      ${names(t.amount)} = ${ofCounting("UrlAmount")}
    WHERE ${t.partnerId} = ${p("partnerId")} AND ${t.costId} IN (SELECT value ->> 'costId' FROM json_each(${p("prices")})) AND ${isOfDay}`,
  { costId: t.costId },
);

/**
 * Voids prices that count, at most 1,000: those with generated IDs, or the others, of which a call reads at most 5,000 IDs. `next`
 * continues; it is null at the end. `left` counts those with generated IDs that follow, up to 20,000 a database.
 */
export async function voidDay(
  ledger: Ledger,
  operator: Operator,
  of: PricesOfDay,
  { generated, next, reason }: { generated: boolean; next: Position | undefined; reason: string },
): Promise<Changed & { next: Position | null }> {
  const databases = rowDatabasesOf(ledger);
  const range = generatedIdsOf(of.day);
  const keys = generated
    ? { after: range.from, untilKey: range.until, skipFrom: "", skipUntil: "" }
    : { after: "", untilKey: null, skipFrom: range.from, skipUntil: range.until };
  const { database = 0, after = keys.after } = next ?? {};
  const db = databases[database];
  const values = { ...valuesOf(of), ...keys, after, now: operator.now };
  if (!db) return { count: 0, sums: {}, left: 0, next: null };
  const [prices, [through]] = await runGated(ledger, db, [counting(db, values), readThrough(db, values)]);
  const parts = prices.length > 0 ? [{ db, prices }] : [];
  const changed = await carryOut(ledger, operator, of, { action: "void prices", reason }, parts, (part) => [
    voidAll(part.db, { ...values, prices: JSON.stringify(part.prices) }),
  ]);
  const isFull = prices.length === MAX_PRICES;
  const last = isFull
    ? prices.at(-1)?.costId
    : (through?.count ?? 0) === MAX_READ
      ? through?.last
      : undefined;
  const position: Position | null =
    last != null
      ? { database, after: last }
      : database + 1 < databases.length
        ? { database: database + 1, after: keys.after }
        : null;
  const following = generated && position ? databases.slice(position.database) : [];
  const lefts = await Promise.all(
    following.map((one, index) =>
      runGated(ledger, one, [
        countingLeft(one, { ...values, after: index === 0 ? (position?.after ?? "") : keys.after }),
      ]),
    ),
  );
  return { ...changed, left: lefts.reduce((sum, [[row]]) => sum + (row?.left ?? 0), 0), next: position };
}

/** Where a walk through the databases of the ledger continues: in this one, after this ID. */
export type Position = { database: number; after: string };

/** The prices that a call changes in a database. */
type Part = { db: D1Database; prices: Price[] };

const valuesOf = ({ partnerId, appToken, day }: PricesOfDay) => ({
  partnerId,
  appToken,
  day,
  from: day * DAY_MS,
  until: (day + 1) * DAY_MS,
});

const entry = statement<unknown>(
  sql`${insertEntry(sql.placeholder("action"), {
    userId: p("userId"),
    subject: sql`'partner ' || CAST(${p("partnerId")} AS INTEGER)`,
    detail: p("detail"),
  })} WHERE true`,
);

/** `changesOf` are statements that return the rows that they change. */
async function carryOut(
  ledger: Ledger,
  { userId, now }: Operator,
  { partnerId, appToken, day }: PricesOfDay,
  { action, reason }: { action: AuditAction; reason: string },
  parts: Part[],
  changesOf: (part: Part) => Bound<unknown>[],
): Promise<Omit<Changed, "left">> {
  const { control } = ledger;
  const prices = parts.flatMap((part) => part.prices);
  if (prices.length === 0) return { count: 0, sums: {} };
  const add = (detail: object): Bound<unknown> => {
    const about = { app_token: appToken, day: formatDate(day), ...detail, reason };
    const values: Record<string, Value> = { userId, now, action, partnerId, detail: JSON.stringify(about) };
    return entry(control, values);
  };
  const sums = sumsOf(prices);
  const about = { count: prices.length, sums, first: prices[0]?.costId, last: prices.at(-1)?.costId };
  const isSharded = ledger.shards.length > 0;
  if (isSharded) await runBatch(control, add({ ...about, outcome: "requested" }));
  const entries = isSharded ? [] : [add(about)];
  const counts = await Promise.all(
    parts.map(async (part) => {
      const rows = await runGated(ledger, part.db, [...entries, ...changesOf(part)]);
      return rows.flat().length;
    }),
  );
  const count = counts.reduce((sum, one) => sum + one, 0);
  if (count < prices.length)
    await runBatch(control, add({ count: prices.length - count, outcome: "not carried out" }));
  return { count, sums };
}

function sumsOf(prices: Price[]): Record<string, string> {
  const byCurrency = Map.groupBy(prices, ({ currency }) => currency);
  return Object.fromEntries(
    [...byCurrency].map(([currency, same]) => [
      currency,
      formatMoney(same.reduce((sum, price) => sum + BigInt(price.money), 0n)),
    ]),
  );
}
