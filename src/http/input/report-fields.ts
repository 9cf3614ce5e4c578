/** The query parameters of reports, as zod types. A contract file. Unknown parameters are errors: a misspelt filter would not filter. */
import * as z from "zod/mini";
import { COST_TYPES, KINDS } from "../../domain/cost-types.ts";
import { PLATFORMS } from "../../domain/engagements/audience.ts";
import { fieldNames, isByAudience, REPORT_GROUPS } from "../../domain/figures/groups.ts";
import { FIGURE_NAMES } from "../../domain/figures/names.ts";
import {
  costType,
  countryCode,
  currency,
  idText,
  nextPage,
  platformName,
  readAs,
  utcDate,
} from "./fields.ts";

/** The most days that a report covers. */
export const MAX_DAYS = 366;
/** The most days by country and platform, of an app and of one link with everything below it. */
export const MAX_AUDIENCE_DAYS = { app: 31, link: 93 };
const AUDIENCE_DAYS = `By country and platform, it covers at most ${MAX_AUDIENCE_DAYS.app} days, and ${MAX_AUDIENCE_DAYS.link} of one link`;

interface AudienceQuery {
  group_by?: string | readonly string[] | undefined;
  link?: string | undefined;
  country?: string | undefined;
  platform?: string | undefined;
}
/** The most days that the report of a query covers. */
export function maxDaysOf({ group_by = [], link, country, platform }: AudienceQuery): number {
  if (!isByAudience([group_by].flat()) && (country ?? platform) === undefined) return MAX_DAYS;
  return link === undefined ? MAX_AUDIENCE_DAYS.app : MAX_AUDIENCE_DAYS.link;
}
/** What to say about more days than `maxDaysOf`. */
export const tooManyDays = (what: string, most: number) =>
  most === MAX_DAYS
    ? `${what}: a report covers at most ${MAX_DAYS} days, including from and to`
    : `${what}: by country and platform, a report covers at most ${MAX_AUDIENCE_DAYS.app} days, and ${MAX_AUDIENCE_DAYS.link} days of one link, including from and to`;

/** Names separated by commas; converted to the order of `groups`. */
export const groupBy = <G extends string>(groups: readonly G[]) =>
  z
    ._default(
      readAs(z.string(), (value, reject): readonly G[] => {
        const names = value.split(",");
        const unknown = names.filter((name) => !groups.some((group) => group === name));
        if (unknown.length > 0) {
          reject(`must be one or more of ${groups.join(", ")}, separated by commas`);
        } else if (new Set(names).size < names.length) reject("must name each group only once");
        return groups.filter((group) => names.includes(group));
      }),
      groups.slice(0, 1),
    )
    .with(z.describe(`One or more of ${groups.join(", ")}, separated by commas; day by default`));

const onlyCostType = z
  .optional(costType)
  .with(z.describe(`One of ${COST_TYPES.join(", ")}: only this cost type`));

/** The days of a report. */
export const reportDays = {
  from: z.optional(utcDate).with(z.describe("The first day, in UTC; by default 29 days before the last day")),
  to: z
    .optional(utcDate)
    .with(z.describe(`The last day, in UTC; today by default. The report covers at most ${MAX_DAYS} days`)),
};

/** The parameters that all reports share, with the groups in the order of the report's columns. */
const sharedFields = {
  ...reportDays,
  to: reportDays.to.with(
    z.describe(
      `The last day, in UTC; today by default. The report covers at most ${MAX_DAYS} days. ${AUDIENCE_DAYS}`,
    ),
  ),
  link: z
    .optional(z.string())
    .with(z.describe("The token of a link: only this link and everything below it")),
  level: z
    .optional(readAs(z.string().check(z.regex(/^[1-4]$/, "must be 1, 2, 3 or 4")), Number))
    .with(
      z.meta({ type: "integer", minimum: 1, maximum: 4, pattern: undefined }),
      z.describe(
        "Adds each link to the link of this level above it. Links of higher levels keep their own rows",
      ),
    ),
  partner_id: z.optional(idText).with(z.describe("Only this partner")),
  country: z
    .optional(countryCode)
    .with(z.describe("ISO 3166-1 alpha-2, or `XX` if it is not known: only this country")),
  platform: z.optional(platformName).with(z.describe(`One of ${PLATFORMS.join(", ")}: only this platform`)),
};

/** Runs a check whenever both days are valid, even if another parameter is not. */
const IF_DAYS_ARE_VALID = {
  path: ["to"],
  when: ({ issues }: z.core.ParsePayload) =>
    !issues.some(({ path }) => path?.[0] === "from" || path?.[0] === "to"),
};

/** The days of a query; each is optional. */
interface Days extends AudienceQuery {
  from?: number | undefined;
  to?: number | undefined;
}
const checkDays = (isValid: (from: number, to: number, query: Days) => boolean, error: string) =>
  z.refine<Days>(
    (query) => query.from === undefined || query.to === undefined || isValid(query.from, query.to, query),
    { ...IF_DAYS_ARE_VALID, error },
  );
/** Whether these are the first and the last day of a report. */
export const isWithinLimits = (from: number, to: number) => from <= to && to - from < MAX_DAYS;

export const daysInOrder = checkDays((from, to) => from <= to, "must be on or after the from date");
/** What `from` and `to` must be together. */
export const dayChecks = [
  daysInOrder,
  checkDays((from, to) => to - from < MAX_DAYS, tooManyDays("is too late", MAX_DAYS)),
] as const;
/** The same for a report that can be by country and platform. */
const audienceDayChecks = [
  ...dayChecks,
  checkDays(
    (from, to, query) => to - from >= MAX_DAYS || to - from < maxDaysOf(query),
    tooManyDays("is too late", MAX_AUDIENCE_DAYS.app),
  ),
] as const;

export const spendQuery = z
  .strictObject({
    ...sharedFields,
    group_by: groupBy(REPORT_GROUPS.spend),
    cost_type: onlyCostType,
    currency: z.optional(currency).with(z.describe("Only this currency")),
  })
  .check(...audienceDayChecks);

export const engagementsQuery = z
  .strictObject({
    ...sharedFields,
    group_by: groupBy(REPORT_GROUPS.engagements),
    kind: z
      .optional(z.enum(KINDS, `must be one of ${KINDS.join(", ")}`))
      .with(z.describe("Only clicks, or only impressions")),
  })
  .check(...audienceDayChecks);

const groupFields = fieldNames(REPORT_GROUPS.performance);

/** What a performance report can be sorted by. */
export const SORT_FIELDS = [...groupFields, ...FIGURE_NAMES] as const;
export type SortField = (typeof SORT_FIELDS)[number];
export type Sort = { field: SortField; isDescending: boolean };

/** The name of a field, with `-` before it for descending order. */
export const sortText = readAs(z.string(), (value, reject): Sort => {
  const name = value.replace(/^-/, "");
  const field = SORT_FIELDS.find((each) => each === name) ?? "spend";
  if (field !== name)
    reject(`must be one of ${SORT_FIELDS.join(", ")}, with - before it for descending order`);
  return { field, isDescending: value.startsWith("-") };
});

/** Only a field of the rows can sort them. */
export const isSortable = ({ group_by, sort }: { group_by?: string | undefined; sort: Sort }) =>
  !groupFields.some((field) => field === sort.field) ||
  fieldNames(REPORT_GROUPS.performance.filter((group) => group === group_by)).some(
    (field) => field === sort.field,
  );

export const DEFAULT_SORT: Sort = { field: "spend", isDescending: true };

/** The days of a report that ends yesterday by default. */
export const performanceDays = {
  from: reportDays.from.with(z.describe("The first day, in UTC; by default 6 days before the last day")),
  to: reportDays.to.with(
    z.describe(`The last day, in UTC; yesterday by default. The report covers at most ${MAX_DAYS} days`),
  ),
};

/** The parameters of the performance report and of what changed. */
const performanceFields = {
  ...performanceDays,
  to: performanceDays.to.with(
    z.describe(
      `The last day, in UTC; yesterday by default. The report covers at most ${MAX_DAYS} days. ${AUDIENCE_DAYS}`,
    ),
  ),
  currency: z
    .optional(currency)
    .with(z.describe("The currency of all amounts; by default the one with the most matched costs")),
  link: sharedFields.link,
  partner_id: sharedFields.partner_id,
  country: sharedFields.country,
  platform: sharedFields.platform,
  cost_type: onlyCostType,
};

export const changesQuery = z.strictObject(performanceFields).check(...audienceDayChecks);

export const performanceQuery = z
  .strictObject({
    ...performanceFields,
    group_by: z
      .optional(z.enum(REPORT_GROUPS.performance, `must be one of ${REPORT_GROUPS.performance.join(", ")}`))
      .with(z.describe("Without it, there is one row, the total")),
    level: sharedFields.level.with(
      z.describe(
        "With `group_by=link`: adds each link to the link of this level above it, 2 by default. Links of higher levels keep their own rows",
      ),
    ),
    sort: z
      ._default(sortText, DEFAULT_SORT)
      .with(
        z.meta({ type: "string", default: "-spend", pattern: undefined }),
        z.describe(
          "A field of the rows, with `-` before it for descending order; `-spend` by default. Rows without a value are last",
        ),
      ),
    ...nextPage,
  })
  .check(
    ...audienceDayChecks,
    z.refine<{ group_by?: string | undefined; sort: Sort }>(isSortable, {
      path: ["sort"],
      error: "is not a field of the rows with this group_by",
      when: ({ issues }) => !issues.some(({ path }) => path?.[0] === "sort" || path?.[0] === "group_by"),
    }),
  );
