/**
 * The groups of reports. API, CSV, pages and charts read here what the rows of a group are. Two tables beside it have the type of each
 * field (campaign/report.ts) and what pages call a group (workspace/performance/groups.ts). Pure functions.
 */
import { DAY_MS, type DayRange, formatDate } from "../time.ts";

/** What a sum is about. What it is not grouped by is null or absent. */
export interface Grouped {
  day: number | null;
  /** 0: no partner was in effect. */
  partnerId: number | null;
  partnerName?: string | null;
  linkToken?: string | null;
  linkLabel?: string | null;
  linkName?: string | null;
  costSwitch?: number | null;
  costType?: string | null;
  kind?: string | null;
  country?: string | null;
  platform?: string | null;
}

type Value = string | number | null;
type Partners = ReadonlyMap<number, { supportsCostData: number; stoppedAt: number | null }>;

/** No member is optional, so that a new group decides all of them. */
interface Group {
  /** The fields of a row, from a sum and the days of the report. The first one identifies the row; null: what has no such thing. */
  fields: Record<string, (sum: Grouped, days: DayRange) => Value>;
  /** The field with the name of a row. */
  name: string;
  /** What the sums are grouped by. */
  sumsBy: "day" | "link" | "partner" | "cost_type" | "kind" | "country" | "platform";
  /** What shows only one row: a filter with its key, or its days. */
  only: { filter: FilterName } | { daysOf: (key: string) => DayRange };
  /** Why no costs can arrive for a link or a partner; undefined: they can, or rows are about neither. */
  whyNoCosts: ((sum: Grouped, partners: Partners) => WhyNoCosts | undefined) | undefined;
}
/** `off`: cost data of the link. */
export type WhyNoCosts = "off" | "no_partner" | "not_yet" | "stopped";
type FilterName = "link" | "partner_id" | "cost_type" | "kind" | "country" | "platform";

const weekFrom = (from: number): DayRange => ({ from, to: from + 6 });
/** The first day of a day's week. 1 January 1970 was a Thursday. */
const mondayOf = (day: number) => day - ((day + 3) % 7);

const toDay = (date: string) => Date.parse(date) / DAY_MS;
/** Those of the days that the report has. */
export const within = (days: DayRange, { from, to }: DayRange): DayRange => ({
  from: Math.max(days.from, from),
  to: Math.min(days.to, to),
});
export const lengthOf = ({ from, to }: DayRange) => to - from + 1;

function whyNotFrom(partner: ReturnType<Partners["get"]>): WhyNoCosts | undefined {
  if (!partner || (partner.supportsCostData && partner.stoppedAt === null)) return undefined;
  return partner.stoppedAt === null ? "not_yet" : "stopped";
}

export const GROUPS = {
  day: {
    fields: { day: ({ day }) => formatDate(day ?? 0) },
    name: "day",
    sumsBy: "day",
    only: { daysOf: (key) => ({ from: toDay(key), to: toDay(key) }) },
    whyNoCosts: undefined,
  },
  week: {
    fields: {
      week: ({ day }) => formatDate(mondayOf(day ?? 0)),
      days: ({ day }, days) => lengthOf(within(weekFrom(mondayOf(day ?? 0)), days)),
    },
    name: "week",
    sumsBy: "day",
    only: { daysOf: (key) => weekFrom(toDay(key)) },
    whyNoCosts: undefined,
  },
  link: {
    fields: {
      link_token: ({ linkToken }) => linkToken ?? null,
      link_label: ({ linkLabel }) => linkLabel ?? null,
      link_name: ({ linkName }) => linkName ?? null,
    },
    name: "link_name",
    sumsBy: "link",
    only: { filter: "link" },
    whyNoCosts: ({ costSwitch, partnerId }, partners) =>
      costSwitch === undefined || costSwitch === 1
        ? undefined
        : partnerId
          ? (whyNotFrom(partners.get(partnerId)) ?? "off")
          : "no_partner",
  },
  partner: {
    fields: {
      partner_id: ({ partnerId }) => partnerId || null,
      partner_name: ({ partnerName }) => partnerName ?? null,
    },
    name: "partner_name",
    sumsBy: "partner",
    only: { filter: "partner_id" },
    whyNoCosts: ({ partnerId }, partners) => whyNotFrom(partners.get(partnerId ?? 0)),
  },
  cost_type: {
    fields: { cost_type: ({ costType }) => costType ?? null },
    name: "cost_type",
    sumsBy: "cost_type",
    only: { filter: "cost_type" },
    whyNoCosts: undefined,
  },
  kind: {
    fields: { kind: ({ kind }) => kind ?? null },
    name: "kind",
    sumsBy: "kind",
    only: { filter: "kind" },
    whyNoCosts: undefined,
  },
  country: {
    fields: { country: ({ country }) => country ?? null },
    name: "country",
    sumsBy: "country",
    only: { filter: "country" },
    whyNoCosts: undefined,
  },
  platform: {
    fields: { platform: ({ platform }) => platform ?? null },
    name: "platform",
    sumsBy: "platform",
    only: { filter: "platform" },
    whyNoCosts: undefined,
  },
} as const satisfies Record<string, Group>;
type GroupName = keyof typeof GROUPS;

/** The groups of each report, in the order of its columns and choices. */
export const REPORT_GROUPS = {
  spend: ["day", "link", "partner", "cost_type", "country", "platform"],
  engagements: ["day", "link", "partner", "kind", "country", "platform"],
  performance: ["link", "partner", "cost_type", "day", "week", "country", "platform"],
} as const satisfies Record<string, readonly GroupName[]>;
export type PerformanceGroup = (typeof REPORT_GROUPS)["performance"][number];

export type GroupField = { [G in GroupName]: keyof (typeof GROUPS)[G]["fields"] }[GroupName];
/** Those whose values are numbers. */
export const NUMBER_FIELDS: readonly string[] = ["partner_id", "days"] satisfies GroupField[];

/** The names of the fields of groups. */
export const fieldNames = (groups: readonly GroupName[]): GroupField[] =>
  groups.flatMap((group) => Object.keys(GROUPS[group].fields) as GroupField[]);

const TABLE: Record<GroupName, Group> = GROUPS;

/** Whether a report needs the sums by country and platform. */
export const isByAudience = (groups: readonly string[]) =>
  groups.includes("country") || groups.includes("platform");

/** Gives the fields of groups, from a sum. `days` are those of the report. */
export function fieldsOf(
  groups: readonly GroupName[],
  days: DayRange,
): (sum: Grouped) => Record<string, Value> {
  const fields = groups.flatMap((group) => Object.entries(TABLE[group].fields));
  return (sum) => Object.fromEntries(fields.map(([name, read]) => [name, read(sum, days)]));
}

/** Gives what identifies the row of a sum, as text. Empty: the total, and what has no such thing, for example adjustments by country. */
export function keyOf(group: GroupName | undefined, days: DayRange): (sum: Grouped) => string {
  const [first] = group ? Object.values(TABLE[group].fields) : [];
  return (sum) => String(first?.(sum, days) ?? "");
}

/** Whether each row has all engagements, because they have no cost type. */
export const isByCostType = (group: GroupName | undefined): boolean =>
  group !== undefined && TABLE[group].sumsBy === "cost_type";

/** The days of a row that is about days, by its key; undefined for other groups. */
export function daysOf(group: GroupName | undefined): ((key: string) => DayRange) | undefined {
  const only = group && TABLE[group].only;
  return only && "daysOf" in only ? only.daysOf : undefined;
}

/** The filter that shows only one row; undefined for groups of days. */
export function filterOf(group: GroupName): FilterName | undefined {
  const { only } = TABLE[group];
  return "filter" in only ? only.filter : undefined;
}
