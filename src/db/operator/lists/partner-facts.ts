/**
 * What operators see of all partners, and what decides about their next steps: one call to DB and one to each shard, and another one to
 * DB if something needs names.
 */
import { sql } from "drizzle-orm";
import { toMask, toTypes } from "../../../domain/cost-types.ts";
import { sumOf } from "../../../domain/figures/performance.ts";
import { judgeUrlPrices } from "../../../domain/figures/url-prices.ts";
import { dayOf, RETENTION_MS } from "../../../domain/time.ts";
import { type Ledger, runNamed } from "../../ledger/shards.ts";
import { addUrlPriceDays, findUrlPriceDays } from "../../ledger/url-prices/days.ts";
import { pick, query } from "../../query.ts";
import { apps, credentials, dailyUrlPrices, partners, rounds } from "../../schema.ts";
import { type Batch, MAX_COVERED, type NamedRows, runBatch } from "../../statement.ts";
import { findOtherApps, type LinkOwner, linkOwners } from "../other-apps.ts";
import { activityOf } from "../partner-activity.ts";
import { isUnlimited } from "../partners.ts";
import { type StoredRate, storedRates } from "../stored-rates.ts";
import { findAdjusted, findRecorded, findSpend, isAddedUp, type SpendRow } from "./partner-spend.ts";
import { contains } from "./searched.ts";

/** More are not listed. */
export const MOST_PARTNERS = 1_000;

const partnerFields = {
  id: partners.id,
  displayName: partners.displayName,
  supportsCostData: partners.supportsCostData,
  integratedTypes: partners.integratedTypes,
  stoppedAt: partners.stoppedAt,
  clickParameters: partners.clickParameters,
  impressionParameters: partners.impressionParameters,
  costParameters: partners.costParameters,
  maxUrlAmount: partners.maxUrlAmount,
  maxUrlSpend: partners.maxUrlSpend,
  isUnlimited,
  createdAt: partners.createdAt,
  lastCostAt: activityOf.lastCostAt,
  lastClickAt: activityOf.lastClickAt,
};
const q = sql.placeholder("q");
const somePartners = query(
  partnerFields,
  sql`FROM ${partners} WHERE true AND (${q} IS NULL OR ${contains(partners.displayName)})
    ORDER BY ${partners.displayName} COLLATE NOCASE LIMIT ${sql.raw(String(MOST_PARTNERS))}`,
);
const onePartner = query(
  partnerFields,
  sql`FROM ${partners} WHERE ${partners.id} = ${sql.placeholder("id")}`,
);

const roundFields = pick(rounds, "id", "partnerId", "costTypes", "openedAt", "entryCount");
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

interface Asked {
  /** Only this one. */
  id?: number;
  /** Only those whose name has this text. */
  q?: string | null;
}

const ofControl = (db: D1Database, { id, q = null }: Asked) => ({
  partners: id === undefined ? somePartners(db, { q }) : onePartner(db, { id }),
  rounds: openRounds(db, {}),
  approvals: approvals(db, {}),
  live: liveCredentials(db, {}),
  rates: storedRates(db, {}),
});
const ofEach = (db: D1Database, now: number) => ({
  held: held(db, { firstDay: dayOf(now - RETENTION_MS) }),
  priceDays: findUrlPriceDays(db, dayOf(now)),
  otherApps: findOtherApps(db, now),
});
type Found = NamedRows<ReturnType<typeof ofControl>>;
type FoundInEach = NamedRows<ReturnType<typeof ofEach>>;

/** A partner with everything that decides about its next step. */
export type PartnerFacts = Awaited<ReturnType<typeof toFacts>>[number];

interface More<Own extends Batch, Each extends Batch> extends Asked {
  hasSpend?: boolean;
  /** Further statements of DB, and of each database. */
  own?: Own;
  each?: (db: D1Database) => Each;
}

/** Throws if DB does not respond. `spend` and `recorded` are undefined if a shard does not, or if there are too many rows. */
export async function readPartners<Own extends Batch, Each extends Batch>(
  ledger: Ledger,
  now: number,
  { hasSpend = true, own = {} as Own, each = () => ({}) as Each, ...asked }: More<Own, Each> = {},
) {
  const { control, shards } = ledger;
  const inEach = (db: D1Database) => ({
    urls: ofEach(db, now),
    spend: {
      rows: hasSpend ? findSpend(db, now) : undefined,
      recorded: hasSpend ? findRecorded(db, now) : undefined,
    },
    each: each(db),
  });
  const [found, others] = await Promise.all([
    runNamed(ledger, control, {
      ...inEach(control),
      partners: ofControl(control, asked),
      adjusted: { rows: hasSpend ? findAdjusted(control, now) : undefined },
      own,
    }),
    Promise.allSettled(shards.map((db) => runNamed(ledger, db, inEach(db)))),
  ]);
  const answered = others.flatMap((shard) => (shard.status === "fulfilled" ? [shard.value] : []));
  const parts = [found, ...answered];
  const isComplete =
    answered.length === shards.length &&
    parts.every(({ spend }) => isAddedUp(spend.rows) && isAddedUp(spend.recorded));
  const spend: SpendRow[] = [...parts.flatMap(({ spend }) => spend.rows), ...found.adjusted.rows];
  return {
    partners: await toFacts(
      control,
      now,
      found.partners,
      parts.map(({ urls }) => urls),
    ),
    spend: isComplete ? spend : undefined,
    recorded: isComplete ? parts.flatMap((part) => part.spend.recorded) : undefined,
    own: found.own,
    each: parts.map((part) => part.each),
  };
}

async function toFacts(control: D1Database, now: number, found: Found, parts: FoundInEach[]) {
  const limits = new Map(found.partners.map(({ id, maxUrlSpend }) => [id, maxUrlSpend]));
  const warnings = addUrlPriceDays(parts.flatMap(({ priceDays }) => priceDays)).flatMap((days) => {
    const limit = limits.get(days.partnerId);
    return limit === undefined ? [] : judgeUrlPrices(days, limit, dayOf(now));
  });
  const repeated = parts.flatMap(({ otherApps }) => otherApps);
  const { nameOf, ownerOf } = await readNames(
    control,
    warnings.map(({ appToken }) => appToken),
    repeated.map(({ linkId }) => linkId),
  );
  const urlPrices = warnings.map((one) => ({ ...one, appName: nameOf.get(one.appToken) ?? one.appToken }));
  const otherApps = repeated.flatMap(({ linkId, ...one }) => {
    const owner = ownerOf.get(linkId);
    return owner?.partnerId == null ? [] : [{ ...one, partnerId: owner.partnerId, appName: owner.appName }];
  });
  const heldRows = parts.flatMap(({ held }) => held);
  return found.partners.map((partner) => {
    const isOf = ({ partnerId }: { partnerId: number }) => partnerId === partner.id;
    const own = found.rounds.filter(isOf);
    const heldOf = heldRows.filter(isOf);
    return {
      ...partner,
      openRounds: own,
      typesInRound: toMask(own.flatMap(({ costTypes }) => toTypes(costTypes))),
      /** In milliseconds since 1970; null if no round was approved. */
      approvedAt: found.approvals.find(isOf)?.approvedAt ?? null,
      hasLiveCredential: found.live.some(isOf),
      /** Those that the daily job counted. */
      rates: found.rates.filter(isOf) as StoredRate[],
      /** Prices on URLs that wait for a decision, since a day; null if there are none. */
      held:
        heldOf.length === 0
          ? null
          : {
              count: sumOf(heldOf, ({ count }) => count),
              since: Math.min(...heldOf.map(({ since }) => since)),
            },
      /** Days of prices on URLs that need a look. */
      urlPrices: urlPrices.filter(isOf),
      /** Of a link, in one database. */
      otherApps: otherApps.filter(isOf),
    };
  });
}

const appNames = query(
  { token: apps.token, name: apps.name },
  sql`FROM json_each(${sql.placeholder("tokens")}) j CROSS JOIN ${apps} ON ${apps.token} = j.value`,
);

/** The names of apps, and the partners of links. */
async function readNames(control: D1Database, appTokens: string[], linkIds: number[]) {
  if (appTokens.length + linkIds.length === 0)
    return { nameOf: new Map<string, string>(), ownerOf: new Map<number, LinkOwner>() };
  const [named, owned] = await runBatch(
    control,
    appNames(control, { tokens: JSON.stringify([...new Set(appTokens)]) }),
    linkOwners(control, { ids: JSON.stringify([...new Set(linkIds)]) }),
  );
  return {
    nameOf: new Map(named.map(({ token, name }) => [token, name])),
    ownerOf: new Map(owned.map((owner) => [owner.linkId, owner])),
  };
}
