/**
 * Reads what happened that explains the figures of an app: what operators changed of partners, links whose cost data was switched, and
 * voids. The audit log has all of it in DB. Never the user, the reason or a value: members of many apps share a partner.
 */
import { sql } from "drizzle-orm";
import { DAY_MS, type DayRange } from "../../../domain/time.ts";
import { membership as m, perViewer, type Viewer } from "../../accounts/viewers.ts";
import { ancestors, inheritedFields, l1, l2, l3 } from "../../links/links.ts";
import { link as l } from "../../links/lists.ts";
import { alias, as, query, type RowOf } from "../../query.ts";
import { auditLog, isCostSwitch, isPartnerEvent, isVoid, links } from "../../schema.ts";
import type { Filters } from "./statements.ts";

/** The newest entries that a statement reads. Those of one request, such as an import, are one event. */
const MOST_ENTRIES = sql.raw("5000");

const log = alias(auditLog, "log");
const p = (name: string) => sql`${sql.placeholder(name)}`;
const timesOf = ({ from, to }: DayRange) => ({ since: from * DAY_MS, until: (to + 1) * DAY_MS - 1 });
const isInTime = sql`${log.happenedAt} BETWEEN ${p("since")} AND ${p("until")}`;
const newest = sql`ORDER BY ${log.happenedAt} DESC, ${log.id} DESC LIMIT ${MOST_ENTRIES}`;
const typeOf = (path: string) => sql`json_type(${log.detail}, ${sql.raw(`'${path}'`)})`;

const partnerId = sql<number>`CAST(coalesce(${log.detail} ->> 'partner_id', substr(${log.subject}, 9)) AS INTEGER)`;
const partnerFields = {
  happenedAt: log.happenedAt,
  partnerId,
  /** 1: the partner was stopped, 0: it was started again. Null: neither. */
  isStopped: sql<
    number | null
  >`iif(${typeOf("$.stopped_at.to")} = 'null', 0, iif(${typeOf("$.stopped_at.from")} = 'null', 1, NULL))`,
  hasParameters: sql<number>`coalesce(${typeOf("$.click_parameters")}, ${typeOf("$.impression_parameters")}, ${typeOf("$.cost_parameters")}) IS NOT NULL`,
  /** The cost types that went live, as a JSON array. */
  liveTypes: sql<
    string | null
  >`iif(${log.action} = 'approve round', coalesce(${log.detail} -> 'approved', ${log.detail} -> 'cost_types'), NULL)`,
};
/** What an operator changed of a partner. */
export type PartnerChange = RowOf<typeof partnerFields>;

const partnerChanges = query(
  partnerFields,
  sql`FROM ${as(log)} INDEXED BY partner_events
    WHERE ${isPartnerEvent(log)} AND ${isInTime} AND ${partnerId} = coalesce(${p("partnerId")}, ${partnerId}) ${newest}`,
);

/** What operators changed of a partner or of all, for all apps. */
export const findPartnerChanges = (db: D1Database, partnerId: number | null, days: DayRange) =>
  partnerChanges(db, { partnerId, ...timesOf(days) });

const switchFields = {
  happenedAt: sql<number>`max(s.happened_at)`,
  /** Of several links, the last one. */
  token: l.token,
  label: l.label,
  /** The partner in effect now. */
  partnerId: sql<number | null>`coalesce(${l.partnerId}, ${inheritedFields.inheritedPartner})`,
  /** Null: it inherits from the link above it. */
  isOn: sql<number | null>`s.is_on`,
  count: sql<number>`count(*)`,
};
/** Cost data was switched on or off, for links of one partner and by one request. */
export type CostSwitch = RowOf<typeof switchFields>;

const [f, f1, f2] = [alias(links, "f"), alias(links, "f1"), alias(links, "f2")];
/** The link of the filter, one below it (unless it is `direct`), or one above it, from which it inherits. */
const concernsLink = sql`(${p("link")} IS NULL OR ${p("link")} = ${l.token}
    OR ${p("direct")} IS NULL AND ${p("link")} IN (${l1.token}, ${l2.token}, ${l3.token}) OR EXISTS (
    SELECT 1 FROM ${as(f)} LEFT JOIN ${as(f1)} ON ${f1.id} = ${f.parentId} LEFT JOIN ${as(f2)} ON ${f2.id} = ${f1.parentId}
    WHERE ${f.token} = ${p("link")} AND ${l.id} IN (${f.parentId}, ${f1.parentId}, ${f2.parentId})))`;

const costSwitches = perViewer(({ from, isMember, isViewer }) =>
  query(
    switchFields,
    sql`FROM (
      SELECT coalesce(${log.requestId}, ${log.id}) AS request, ${log.happenedAt} AS happened_at, substr(${log.subject}, 6) AS token,
        ${log.detail} ->> '$.cost_data_enabled.to' AS is_on
      FROM ${as(log)} INDEXED BY cost_switches WHERE ${isCostSwitch(log)} AND ${isInTime} ${newest}
    ) s
    CROSS JOIN ${as(l)} ON ${l.token} = s.token
      AND ${l.appToken} = (SELECT ${m.appToken} FROM ${from} CROSS JOIN ${as(m)} ON ${isMember} WHERE ${isViewer})
    ${ancestors} WHERE ${concernsLink} AND (${p("partnerId")} IS NULL OR ${switchFields.partnerId} = ${p("partnerId")}) GROUP BY s.request, 4, 5`,
  ),
);

const net = sql`iif(${log.detail} ->> 'outcome' = 'not carried out', -1, 1) * coalesce(${log.detail} ->> 'count', 1)`;
const voidFields = {
  partnerId: sql<number>`CAST(substr(v.subject, 9) AS INTEGER)`,
  count: sql<number>`sum(v.count)`,
  first: sql<number>`min(v.happened_at)`,
  last: sql<number>`max(v.happened_at)`,
};
/** What was voided of a partner in an app, by the partner or an operator. */
export type VoidsInApp = RowOf<typeof voidFields>;

// With a plus: compared with a column, the expression would become text, which the index does not have.
const voids = perViewer(({ from, isMember, isViewer }) =>
  query(
    voidFields,
    sql`FROM (
      SELECT ${log.subject} AS subject, ${log.happenedAt} AS happened_at, ${net} AS count
      FROM ${as(log)} INDEXED BY voids_by_app WHERE ${isVoid(log)} AND ${isInTime}
        AND ${log.detail} ->> 'app_token' = (SELECT +${m.appToken} FROM ${from} CROSS JOIN ${as(m)} ON ${isMember} WHERE ${isViewer})
      ${newest}
    ) v GROUP BY v.subject HAVING sum(v.count) > 0`,
  ),
);

/** For a batch of the viewer. `voided` are the days of voids, and `changed` those of the other events. */
export function findEvents(
  db: D1Database,
  viewer: Viewer,
  appToken: string,
  { changed, voided, link, direct, partnerId }: { changed: DayRange; voided: DayRange } & Filters,
) {
  const values = {
    ...viewer,
    appToken,
    link: link ?? null,
    direct: direct ?? null,
    partnerId: partnerId ?? null,
  };
  return {
    partnerChanges: partnerChanges(db, { ...values, ...timesOf(changed) }),
    costSwitches: costSwitches(viewer)(db, { ...values, ...timesOf(changed) }),
    voids: voids(viewer)(db, { ...values, ...timesOf(voided) }),
  };
}
