/** The tables that reports sum, with their keys and sums, and what the rows of a report are. */
import { type AnyColumn, type SQL, sql, type Table } from "drizzle-orm";
import type { REPORT_GROUPS } from "../../../domain/figures/groups.ts";
import { moneyOf } from "../../cost-types.ts";
import type { Fields, RowOf } from "../../query.ts";
import { alias, pick } from "../../query.ts";
import {
  adjustments,
  dailyAudience,
  dailyAudienceSpend,
  dailyEngagements,
  dailyTotals,
} from "../../schema.ts";

const d = alias(dailyTotals, "d");
const a = alias(adjustments, "a");
const e = alias(dailyEngagements, "e");
const s = alias(dailyAudienceSpend, "s");
const g = alias(dailyAudience, "g");

export const equals = (column: AnyColumn, value: string) =>
  sql`(${sql.placeholder(value)} IS NULL OR ${column} = ${sql.placeholder(value)})`;

/** A table that a report sums. */
export interface Part {
  table: Table;
  /** The keys of a row, in the order in which rows are sorted. */
  keys: Fields & Record<"appToken" | "day" | "linkId" | "partnerId", AnyColumn>;
  /** The filters in addition to the app, the days, the partner and the link. */
  filter: SQL;
  /** Those of the report's sums that the table has. The others are 0. */
  money: Fields;
  counts: Fields;
  /** The sums that a report shows. */
  having: SQL;
  /** The table whose rows it has by country and platform. Its own keys begin with app and link. */
  of?: Part;
}

/** The totals of a report. */
export interface Source extends Part {
  /** The key of each group. A report has NULL for those it does not group by. */
  groups: Record<string, string>;
  /** Sums that may exceed 2^53, so a row has them as text. Those that only `added` has are 0 here. */
  money: Fields;
  /** A table with the same keys whose rows the report adds to the totals. */
  added?: Part;
  /** The same totals by country and platform. Adjustments have neither. */
  audience: Omit<Part, "of">;
}

/** The sums of costs, of all or by country and platform. */
function sumsOfCosts({
  state,
  count,
  costType,
  amount,
}: Record<"state" | "count" | "costType" | "amount", AnyColumn>) {
  const isMatched = sql`${state} = 'matched'`;
  const spent = moneyOf(costType, amount);
  return {
    // In two parts, because the sum of many large amounts in one would not fit into an integer of SQLite.
    money: {
      costsWhole: sql<number>`sum(iif(${isMatched}, ${spent.whole}, 0))`,
      costsRest: sql<number>`sum(iif(${isMatched}, ${spent.rest}, 0))`,
      adjustedWhole: sql<number>`0`,
      adjustedRest: sql<number>`0`,
    },
    // Numbers of costs with an engagement: those with an amount, and those without.
    counts: {
      matched: sql<number>`sum(iif(${isMatched}, ${count}, 0))`,
      unpriced: sql<number>`sum(iif(${state} = 'unpriced', ${count}, 0))`,
    },
    having: sql`matched > 0 OR unpriced > 0`,
  };
}
const sumsOfEngagements = ({ count, recorded }: Record<"count" | "recorded", AnyColumn>) => ({
  money: {},
  counts: { count: sql<number>`sum(${count})`, recorded: sql<number>`sum(${recorded})` },
  having: sql`true`,
});

const audienceGroups = { country: "country", platform: "platform" } as const;
const isAudience = (table: Record<"country" | "platform", AnyColumn>) =>
  sql`${equals(table.country, "country")} AND ${equals(table.platform, "platform")}`;

/** The reports that tables have the sums of. Performance adds up both. */
export type ReportName = Exclude<keyof typeof REPORT_GROUPS, "performance">;
export type Group<R extends ReportName> = (typeof REPORT_GROUPS)[R][number];

export const SOURCES = {
  spend: {
    table: d,
    keys: {
      appToken: d.appToken,
      /** Days since 1970 in UTC. */
      ...pick(d, "day", "linkId", "partnerId", "costType", "currency"),
    },
    groups: {
      day: "day",
      link: "linkId",
      partner: "partnerId",
      cost_type: "costType",
      ...audienceGroups,
    } as const satisfies Record<Group<"spend">, string>,
    filter: sql`${equals(d.costType, "costType")} AND ${equals(d.currency, "currency")}`,
    ...sumsOfCosts(d),
    added: {
      table: a,
      keys: pick(a, "appToken", "day", "linkId", "partnerId", "costType", "currency"),
      filter: sql`${equals(a.costType, "costType")} AND ${equals(a.currency, "currency")}`,
      money: {
        adjustedWhole: sql<number>`sum(${a.amount} / 100000000)`,
        adjustedRest: sql<number>`sum(${a.amount} % 100000000)`,
      },
      counts: {},
      having: sql`true`,
    },
    audience: {
      table: s,
      keys: pick(s, "appToken", "linkId", "day", "partnerId", "costType", "currency", "country", "platform"),
      filter: sql`${equals(s.costType, "costType")} AND ${equals(s.currency, "currency")} AND ${isAudience(s)}`,
      ...sumsOfCosts(s),
    },
  },
  engagements: {
    table: e,
    keys: { appToken: e.appToken, day: e.day, linkId: e.linkId, partnerId: e.partnerId, kind: e.kind },
    groups: {
      day: "day",
      link: "linkId",
      partner: "partnerId",
      kind: "kind",
      ...audienceGroups,
    } as const satisfies Record<Group<"engagements">, string>,
    filter: equals(e.kind, "kind"),
    ...sumsOfEngagements(e),
    audience: {
      table: g,
      keys: pick(g, "appToken", "linkId", "day", "partnerId", "kind", "country", "platform"),
      filter: sql`${equals(g.kind, "kind")} AND ${isAudience(g)}`,
      ...sumsOfEngagements(g),
    },
  },
} satisfies Record<ReportName, Source>;

type Keys<R extends ReportName> = RowOf<(typeof SOURCES)[R]["keys"]>;
type Grouped<R extends ReportName> = (typeof SOURCES)[R]["groups"][keyof (typeof SOURCES)[R]["groups"]] &
  keyof Keys<R>;

/** A row of a report. The keys that it does not group by are null, and so are the names that belong to them. */
export type ReportRow<R extends ReportName> = Omit<Keys<R>, Grouped<R>> & {
  [K in Grouped<R>]: Keys<R>[K] | null;
} & Record<keyof (typeof SOURCES)[R]["money"], string> &
  Record<keyof (typeof SOURCES)[R]["counts"], number> &
  Names;

/** What else a row can have. */
interface Names {
  /** Of a report by country. Null: adjustments. */
  country?: string | null;
  /** Of a report by platform. Null: adjustments. */
  platform?: string | null;
  linkToken?: string | null;
  /** The link's own name. */
  linkLabel?: string | null;
  /** With the names of the links above it. */
  linkName?: string | null;
  partnerName?: string | null;
  level?: number;
  /** The token of the link above it. */
  parentToken?: string | null;
  /** Whether cost data is on for the link, by the nearest setting; null: nothing sets it. */
  costSwitch?: number | null;
  /** The round that the link, or one above it, was created for. */
  roundId?: number | null;
}

/** What the rows of all reports have, and a row's other keys and sums by name. */
export interface AnyRow extends Names {
  appToken: string;
  day: number | null;
  linkId: number | null;
  partnerId: number | null;
  costType?: string | null;
  kind?: string | null;
  [name: string]: string | number | null | undefined;
}
