/** What the start page of operators reads: one call to DB and one to each shard, and another to DB if something needs names. */
import { sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core/alias";
import { judgeUrlPrices, type UrlPriceWarning } from "../../domain/figures/url-prices.ts";
import type { CostSums } from "../../domain/money.ts";
import { dayOf, HOUR_MS, RETENTION_MS } from "../../domain/time.ts";
import { findOpenAlerts } from "../alerts/alerts.ts";
import { moneyOf } from "../cost-types.ts";
import { type Ledger, runGated } from "../ledger/shards.ts";
import { addUrlPriceDays, findUrlPriceDays } from "../ledger/url-prices/days.ts";
import { as, query, type RowOf } from "../query.ts";
import {
  adjustments,
  apps,
  authenticators,
  credentials,
  dailyTotals,
  dailyUrlPrices,
  failedSignIns,
  memberships,
  partners,
  rounds,
  users,
} from "../schema.ts";
import { MAX_COVERED, runBatch } from "../statement.ts";
import { archive, lastPurge } from "../upkeep/health.ts";
import { sizesOf } from "../upkeep/sizes.ts";
import { findOtherApps, linkOwners, type OtherApp } from "./other-apps.ts";
import { pending } from "./pending.ts";
import { type StoredRate, storedRates } from "./stored-rates.ts";
import { isErased } from "./users.ts";

/** The page compares so many complete days with as many before. */
export const SPEND_DAYS = 7;

const partnerFields = {
  id: partners.id,
  displayName: partners.displayName,
  supportsCostData: partners.supportsCostData,
  integratedTypes: partners.integratedTypes,
  stoppedAt: partners.stoppedAt,
  clickParameters: partners.clickParameters,
  impressionParameters: partners.impressionParameters,
  costParameters: partners.costParameters,
  maxUrlSpend: partners.maxUrlSpend,
  createdAt: partners.createdAt,
};
const allPartners = query(
  partnerFields,
  sql`FROM ${partners} ORDER BY ${partners.displayName} COLLATE NOCASE LIMIT 1000`,
);

const roundFields = {
  id: rounds.id,
  partnerId: rounds.partnerId,
  costTypes: rounds.costTypes,
  openedAt: rounds.openedAt,
  entryCount: rounds.entryCount,
};
const openRounds = query(
  roundFields,
  sql`FROM ${rounds} WHERE ${rounds.state} = 'open' ORDER BY ${rounds.openedAt} LIMIT 1000`,
);
const approvals = query(
  { partnerId: rounds.partnerId, approvedAt: sql<number>`max(${rounds.endedAt})` },
  sql`FROM ${rounds} WHERE ${rounds.state} = 'approved' GROUP BY ${rounds.partnerId}`,
);
const liveCredentials = query(
  { partnerId: credentials.partnerId },
  sql`FROM ${credentials} WHERE ${credentials.mode} = 'live' AND ${credentials.revokedAt} IS NULL GROUP BY ${credentials.partnerId}`,
);

const hasApp = sql<number>`EXISTS (SELECT 1 FROM ${memberships} WHERE ${memberships.userId} = ${users.id})`;
/** Users with a temporary password, members without an app, and without single sign-on those who have no password. */
const waitingUsers = query(
  {
    id: users.id,
    email: users.email,
    role: users.role,
    createdAt: users.createdAt,
    passwordExpiresAt: users.passwordExpiresAt,
    hasPassword: sql<number>`${users.passwordHash} IS NOT NULL`,
    hasApp,
  },
  sql`FROM ${users} WHERE ${users.disabledAt} IS NULL AND NOT ${isErased}
    AND (${users.passwordExpiresAt} IS NOT NULL OR (${users.role} = 'member' AND NOT ${hasApp})
      OR (${users.passwordHash} IS NULL AND NOT ${sql.placeholder("hasSingleSignOn")}))
    ORDER BY ${users.createdAt} LIMIT 200`,
);
const failures = query(
  {
    userId: failedSignIns.userId,
    email: users.email,
    hour: failedSignIns.hour,
    count: sql<number>`${failedSignIns.count} + ${failedSignIns.wrongCodes} + ${failedSignIns.wrongConfirmations}`,
  },
  sql`FROM ${failedSignIns} CROSS JOIN ${users} ON ${users.id} = ${failedSignIns.userId}
    WHERE ${failedSignIns.hour} >= ${sql.placeholder("firstHour")} LIMIT 200`,
);
/** What a deployment has. Each is 0 or 1. */
const setup = query(
  {
    hasTwoFactor: sql<number>`EXISTS (SELECT 1 FROM ${authenticators} CROSS JOIN ${users} ON ${users.id} = ${authenticators.userId} WHERE ${users.role} = 'operator')`,
    hasApp: sql<number>`EXISTS (SELECT 1 FROM ${apps})`,
    hasMember: sql<number>`EXISTS (SELECT 1 FROM ${memberships})`,
    hasPartner: sql<number>`EXISTS (SELECT 1 FROM ${partners})`,
    hasRound: sql<number>`EXISTS (SELECT 1 FROM ${rounds})`,
  },
  sql`WHERE true`,
);

const d = alias(dailyTotals, "d");
const { whole, rest } = moneyOf(d.costType, d.amount);
const first = (after: string) =>
  sql`(SELECT min(${dailyTotals.appToken}) FROM ${dailyTotals} WHERE ${dailyTotals.appToken} > ${sql.raw(after)})`;
const [from, middle, to] = [sql.placeholder("from"), sql.placeholder("middle"), sql.placeholder("to")];
/** The spend of the days and of those before. The key of the totals begins with the app, so the apps are found one after the other. */
const spend = query(
  {
    partnerId: sql<number>`s.partnerId`,
    currency: sql<string>`s.currency`,
    isBefore: sql<number>`s.isBefore`,
    count: sql<number>`sum(s.count)`,
    costsWhole: sql<string>`cast(sum(s.whole) AS TEXT)`,
    costsRest: sql<string>`cast(sum(s.rest) AS TEXT)`,
    scanned: sql<number>`count(*)`,
  },
  sql`FROM (
    WITH RECURSIVE found(app) AS (
      SELECT ${first("''")} UNION ALL SELECT ${first("found.app")} FROM found WHERE found.app IS NOT NULL
    )
    SELECT ${d.partnerId} AS partnerId, ${d.currency} AS currency, ${d.day} < ${middle} AS isBefore,
      ${d.count} AS count, ${whole} AS whole, ${rest} AS rest
    FROM found CROSS JOIN ${as(d)} ON ${d.appToken} = found.app AND ${d.day} BETWEEN ${from} AND ${to}
    WHERE ${d.state} = 'matched' LIMIT ${sql.raw(String(MAX_COVERED))} + 1
  ) s GROUP BY 1, 2, 3`,
);
const a = alias(adjustments, "a");
const adjusted = query(
  {
    partnerId: a.partnerId,
    currency: a.currency,
    isBefore: sql<number>`${a.day} < ${middle}`,
    adjustedWhole: sql<string>`cast(sum(${a.amount} / 100000000) AS TEXT)`,
    adjustedRest: sql<string>`cast(sum(${a.amount} % 100000000) AS TEXT)`,
  },
  sql`FROM ${as(a)} WHERE ${a.day} BETWEEN ${from} AND ${to} GROUP BY 1, 2, 3`,
);

const u = dailyUrlPrices;
const nextPartner = (after: string) =>
  sql`(SELECT min(${u.partnerId}) FROM ${u} WHERE ${u.partnerId} > ${sql.raw(after)})`;
/** The held prices on URLs that can still be decided. The key of their sums begins with the partner. */
export const held = query(
  {
    partnerId: sql<number>`s.partnerId`,
    count: sql<number>`sum(s.heldCount)`,
    since: sql<number>`min(s.day)`,
  },
  sql`FROM (
    WITH RECURSIVE found(partner) AS (
      SELECT ${nextPartner("0")} UNION ALL SELECT ${nextPartner("found.partner")} FROM found WHERE found.partner IS NOT NULL
    )
    SELECT ${u.partnerId} AS partnerId, ${u.heldCount} AS heldCount, ${u.day} AS day
    FROM found CROSS JOIN ${u} ON ${u.partnerId} = found.partner LIMIT ${sql.raw(String(MAX_COVERED))}
  ) s WHERE s.heldCount > 0 AND s.day >= ${sql.placeholder("firstDay")} GROUP BY 1`,
);

const appNames = query(
  { token: apps.token, name: apps.name },
  sql`FROM json_each(${sql.placeholder("tokens")}) j CROSS JOIN ${apps} ON ${apps.token} = j.value`,
);

export type StartPartner = RowOf<typeof partnerFields>;

/** Sums of a partner in a currency: of the days, or of those before. */
export interface SpendRow extends Partial<CostSums> {
  partnerId: number;
  currency: string;
  isBefore: number;
  /** Matched costs. */
  count?: number;
  adjustedWhole?: string;
  adjustedRest?: string;
}

/** Everything that the page shows. Throws if DB does not respond. */
export async function readStart(ledger: Ledger, now: number, hasSingleSignOn: boolean) {
  const { control, shards } = ledger;
  const last = dayOf(now) - 1;
  const firstDay = dayOf(now - RETENTION_MS);
  const days = { from: last - 2 * SPEND_DAYS + 1, middle: last - SPEND_DAYS + 1, to: last };
  const own = runGated(ledger, control, [
    allPartners(control, {}),
    openRounds(control, {}),
    approvals(control, {}),
    liveCredentials(control, {}),
    waitingUsers(control, { hasSingleSignOn: Number(hasSingleSignOn) }),
    failures(control, { firstHour: Math.floor(now / HOUR_MS) - 23 }),
    setup(control, {}),
    storedRates(control, {}),
    archive(control, {}),
    adjusted(control, days),
    findOpenAlerts(control, null),
    lastPurge(control, {}),
    pending(control, { now }),
    spend(control, days),
    held(control, { firstDay }),
    findUrlPriceDays(control, dayOf(now)),
    findOtherApps(control, now),
  ]);
  const others = Promise.allSettled(
    shards.map((db) =>
      runGated(ledger, db, [
        lastPurge(db, {}),
        pending(db, { now }),
        spend(db, days),
        held(db, { firstDay }),
        findUrlPriceDays(db, dayOf(now)),
        findOtherApps(db, now),
      ]),
    ),
  );
  const [found, sharded] = await Promise.all([own, others]);
  const [partnerRows, open, approved, live, people, failed, [has], rates, [archived], corrections] = found;
  const [, , , , , , , , , , openAlerts, ...ledgerRows] = found;
  const answered = sharded.flatMap((shard) => (shard.status === "fulfilled" ? [shard.value] : []));
  const parts = [ledgerRows, ...answered];
  const isComplete =
    answered.length === shards.length &&
    parts.every(([, , sums]) => sums.reduce((sum, { scanned }) => sum + scanned, 0) <= MAX_COVERED);
  const limits = new Map(partnerRows.map(({ id, maxUrlSpend }) => [id, maxUrlSpend]));
  const urlPrices = addUrlPriceDays(parts.flatMap(([, , , , sums]) => sums)).flatMap((days) =>
    judgeUrlPrices(days, limits.get(days.partnerId) ?? null, dayOf(now)),
  );
  const otherApps = parts.flatMap(([, , , , , rows]) => rows);
  const purges = parts.map(([[last]]) => last?.purgedAt || null);
  return {
    days: { from: days.middle, to: days.to },
    partners: partnerRows,
    openRounds: open,
    approvedAt: new Map(approved.map(({ partnerId, approvedAt }) => [partnerId, approvedAt])),
    live: new Set(live.map(({ partnerId }) => partnerId)),
    users: people,
    failures: failed,
    setup: has,
    rates: rates as StoredRate[],
    archiveFailingSince: archived?.failingSince ?? null,
    /** The oldest of all databases; null if one has never run. */
    purgedAt:
      purges.reduce((oldest, at) => (oldest === null || at === null ? null : Math.min(oldest, at))) ?? null,
    sizes: sizesOf(ledger),
    /** Of the rules of operators, the newest first. */
    openAlerts,
    pending: parts.flatMap(([, rows]) => rows),
    /** Of a partner, in one database. */
    held: parts.flatMap(([, , , rows]) => rows),
    ...(await nameApps(control, urlPrices, otherApps)),
    /** Undefined if a shard does not respond, or if there are too many rows. */
    spend: isComplete ? ([...parts.flatMap(([, , rows]) => rows), ...corrections] as SpendRow[]) : undefined,
  };
}

/** Adds the names of apps, and to what comes from links their partner. */
async function nameApps(control: D1Database, urlPrices: UrlPriceWarning[], otherApps: OtherApp[]) {
  if (urlPrices.length + otherApps.length === 0) return { urlPrices: [], otherApps: [] };
  const tokens = JSON.stringify([...new Set(urlPrices.map(({ appToken }) => appToken))]);
  const ids = JSON.stringify([...new Set(otherApps.map(({ linkId }) => linkId))]);
  const [named, owned] = await runBatch(control, appNames(control, { tokens }), linkOwners(control, { ids }));
  const names = new Map(named.map(({ token, name }) => [token, name]));
  const owners = new Map(owned.map((owner) => [owner.linkId, owner]));
  return {
    /** Days of prices on URLs that need a look. */
    urlPrices: urlPrices.map((one) => ({ ...one, appName: names.get(one.appToken) ?? one.appToken })),
    /** Of a link, in one database. */
    otherApps: otherApps.flatMap(({ linkId, ...one }) => {
      const { partnerId, appName } = owners.get(linkId) ?? {};
      return partnerId == null || appName === undefined ? [] : [{ ...one, partnerId, appName }];
    }),
  };
}

export type Start = Awaited<ReturnType<typeof readStart>>;
