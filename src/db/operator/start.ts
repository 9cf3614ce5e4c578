/** What the start page of operators reads: one call to DB and one to each shard, and another to DB if something needs names. */
import { sql } from "drizzle-orm";
import { HOUR_MS } from "../../domain/time.ts";
import { findOpenAlerts } from "../alerts/alerts.ts";
import type { Ledger } from "../ledger/shards.ts";
import { pick, query } from "../query.ts";
import { apps, authenticators, failedSignIns, memberships, partners, rounds, users } from "../schema.ts";
import { archive, lastPurge } from "../upkeep/health.ts";
import { sizesOf } from "../upkeep/sizes.ts";
import { readPartners } from "./lists/partner-facts.ts";
import { spendDays } from "./lists/partner-spend.ts";
import { pending } from "./pending.ts";
import { isErased } from "./users/users.ts";

const hasApp = sql<number>`EXISTS (SELECT 1 FROM ${memberships} WHERE ${memberships.userId} = ${users.id})`;
/** Users with a temporary password, members without an app, and without single sign-on those who have no password. */
const waitingUsers = query(
  {
    ...pick(users, "id", "email", "role", "createdAt", "passwordExpiresAt"),
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

/** Everything that the page shows. Throws if DB does not respond. */
export async function readStart(ledger: Ledger, now: number, hasSingleSignOn: boolean) {
  const { control } = ledger;
  const { own, each, ...found } = await readPartners(ledger, now, {
    own: {
      users: waitingUsers(control, { hasSingleSignOn: Number(hasSingleSignOn) }),
      failures: failures(control, { firstHour: Math.floor(now / HOUR_MS) - 23 }),
      setup: setup(control, {}),
      archive: archive(control, {}),
      openAlerts: findOpenAlerts(control, null),
    },
    each: (db) => ({ purges: lastPurge(db, {}), pending: pending(db, { now }) }),
  });
  const purges = each.map(({ purges: [last] }) => last?.purgedAt || null);
  return {
    days: spendDays(now),
    ...found,
    users: own.users,
    failures: own.failures,
    setup: own.setup[0],
    archiveFailingSince: own.archive[0]?.failingSince ?? null,
    /** The oldest of all databases; null if one has never run. */
    purgedAt:
      purges.reduce((oldest, at) => (oldest === null || at === null ? null : Math.min(oldest, at))) ?? null,
    sizes: sizesOf(ledger),
    /** Of the rules of operators, the newest first. */
    openAlerts: own.openAlerts,
    pending: each.flatMap((part) => part.pending),
  };
}

export type Start = Awaited<ReturnType<typeof readStart>>;
