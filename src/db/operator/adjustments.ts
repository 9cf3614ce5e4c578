/** Adjustments: corrections of spend by operators. Each is added once for its idempotency key, with its audit entry. */
import { sql } from "drizzle-orm";
import type { CostType } from "../../domain/cost-types.ts";
import { formatMoney } from "../../domain/money.ts";
import { formatDate } from "../../domain/time.ts";
import { auditChange, type Operator } from "../audit.ts";
import { type KeyedRequest, keyStatements, type StoredResponse } from "../idempotency.ts";
import { alias, as, names, pick, query, type RowOf, returning } from "../query.ts";
import { adjustments, apps, idempotencyKeys, links, partners, users } from "../schema.ts";
import { runBatch, statement } from "../statement.ts";
import { pagedList } from "./lists/paged.ts";
import { contains, searchedList } from "./lists/searched.ts";

const a = alias(adjustments, "a");
const fields = {
  id: a.id,
  appToken: a.appToken,
  linkToken: sql<string>`(SELECT ${links.token} FROM ${links} WHERE ${links.id} = ${a.linkId})`,
  ...pick(a, "day", "partnerId", "costType", "currency"),
  /** In units of 0.00000001. As text, because it may exceed 2^53. */
  amount: sql<string>`CAST(${a.amount} AS TEXT)`,
  reason: a.reason,
  userId: a.userId,
  email: sql<string>`(SELECT ${users.email} FROM ${users} WHERE ${users.id} = ${a.userId})`,
  createdAt: a.createdAt,
};

export type AdjustmentRow = RowOf<typeof fields>;

export const listAdjustments = pagedList(fields, { from: a });

const ap = alias(apps, "ap");
const pa = alias(partners, "pa");
const namedFields = { ...fields, app: ap.name, partner: pa.displayName };
/** Takes `q`, `app` and `partner`. */
export const searchAdjustments = searchedList(namedFields, {
  from: a,
  join: sql`CROSS JOIN ${as(ap)} ON ${ap.token} = ${a.appToken} CROSS JOIN ${as(pa)} ON ${pa.id} = ${a.partnerId}`,
  sorts: { "-created": sql`${a.id} DESC`, "-day": sql`${a.day} DESC`, day: sql`${a.day}` },
  filters: {
    q: contains(a.reason),
    app: sql`${a.appToken} = ${sql.placeholder("app")}`,
    partner: sql`${a.partnerId} = CAST(${sql.placeholder("partner")} AS INTEGER)`,
  },
});
/** Takes `appToken`. */
export const listAdjustmentsOfApp = pagedList(fields, {
  from: a,
  where: sql`${a.appToken} = ${sql.placeholder("appToken")}`,
});

const byId = query(fields, sql`FROM ${adjustments} a WHERE ${a.id} = ${sql.placeholder("id")}`);

export async function findAdjustment(db: D1Database, id: number): Promise<AdjustmentRow | undefined> {
  const [[row]] = await runBatch(db, byId(db, { id }));
  return row;
}

export interface NewAdjustment {
  appToken: string;
  linkToken: string;
  day: number;
  partnerId: number;
  costType: CostType;
  currency: string;
  /** In units of 0.00000001, as text. */
  amount: string;
  reason: string;
}

const appToken = sql.placeholder("appToken");
const user = sql.placeholder("userId");
/** What the adjustment refers to; null for what does not exist. */
const context = query(
  {
    app: sql<string | null>`(SELECT ${apps.token} FROM ${apps} WHERE ${apps.token} = ${appToken})`,
    linkId: sql<number | null>`(
      SELECT ${links.id} FROM ${links} WHERE ${links.token} = ${sql.placeholder("linkToken")} AND ${links.appToken} = ${appToken}
    )`,
    partner: sql<number | null>`(
      SELECT ${partners.id} FROM ${partners} WHERE ${partners.id} = ${sql.placeholder("partnerId")}
    )`,
    email: sql<string>`(SELECT ${users.email} FROM ${users} WHERE ${users.id} = ${user})`,
  },
  sql``,
);

// The guard has checked that the user is an operator. A key of an operator is for all apps.
const keys = keyStatements({
  from: sql`(SELECT ${user} AS user_id) u`,
  where: sql`true`,
  user: sql`u.user_id`,
  app: sql`''`,
});

/** Reads what a new adjustment refers to. A value that is missing refers to nothing. */
export async function findSubjects(
  db: D1Database,
  { userId }: Operator,
  {
    appToken = "",
    linkToken = "",
    partnerId = 0,
  }: { [K in "appToken" | "linkToken" | "partnerId"]?: NewAdjustment[K] | undefined },
) {
  const [[found]] = await runBatch(db, context(db, { userId, appToken, linkToken, partnerId }));
  return found;
}

/** Reads what a new adjustment refers to, and the response stored for an earlier use of its key. */
export async function prepareAdjustment(
  db: D1Database,
  { userId }: Operator,
  { appToken, linkToken, partnerId }: NewAdjustment,
  request: KeyedRequest,
) {
  const values = { ...request, userId, appToken, linkToken, partnerId };
  const [[earlier], [found]] = await runBatch(db, keys.find(db, values), context(db, values));
  return { earlier, found };
}

const { day, linkId, partnerId, costType, currency, amount, reason, userId, createdAt } = adjustments;
const insert = returning(
  sql`INSERT INTO ${adjustments}
      (${names(adjustments.appToken, day, linkId, partnerId, costType, currency, amount, reason, userId, createdAt)})
    SELECT ${appToken}, ${sql.placeholder("day")}, ${sql.placeholder("linkId")}, ${sql.placeholder("partnerId")},
      ${sql.placeholder("costType")}, ${sql.placeholder("currency")}, CAST(${sql.placeholder("amount")} AS INTEGER),
      ${sql.placeholder("reason")}, u.user_id, ${sql.placeholder("now")}
    FROM (SELECT ${user} AS user_id) u WHERE ${keys.isStored}`,
  { id: adjustments.id },
);
const { location, answer } = idempotencyKeys;
/** Runs after the insertion, which assigns the ID that the stored response still lacks. */
const completeResponse = statement(sql`
  UPDATE ${idempotencyKeys} SET ${names(location)} = ${location} || last_insert_rowid(),
    ${names(answer)} = json_set(${answer}, '$.items[0].id', last_insert_rowid())
  WHERE changes() > 0 AND ${idempotencyKeys.userId} = ${user} AND ${idempotencyKeys.appToken} = ''
    AND ${idempotencyKeys.operation} = ${sql.placeholder("operation")} AND ${idempotencyKeys.key} = ${sql.placeholder("key")}
`);

/**
 * Adds an adjustment and stores the response, whose item and location have no ID yet. Returns the ID; writes nothing and returns
 * undefined if the key is in use.
 */
export async function insertAdjustment(
  db: D1Database,
  operator: Operator,
  adjustment: NewAdjustment & { linkId: number },
  request: KeyedRequest,
  response: StoredResponse,
): Promise<number | undefined> {
  const { linkId: _, ...described } = adjustment;
  const detail = { ...described, day: formatDate(adjustment.day), amount: formatMoney(adjustment.amount) };
  const values = { ...adjustment, ...request, ...response, userId: operator.userId };
  const [, , [inserted]] = await runBatch(
    db,
    keys.deleteExpired(db, values),
    keys.store(db, values),
    insert(db, values),
    completeResponse(db, values),
    auditChange(db, operator, "create adjustment", "adjustment", null, detail),
  );
  return inserted?.id;
}
