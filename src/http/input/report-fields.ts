/** The query parameters of reports, as zod types. A contract file. Unknown parameters are errors: a misspelt filter would not filter. */
import * as z from "zod/mini";
import { COST_TYPES, KINDS } from "../../domain/cost-types.ts";
import { costType, currency, idText, readAs, utcDate } from "./fields.ts";

/** The most days that a report covers. */
export const MAX_DAYS = 366;

/** Names separated by commas; converted to the order of `groups`. */
const groupBy = <G extends string>(groups: readonly G[]) =>
  z
    ._default(
      readAs(z.string(), (value, reject): readonly G[] => {
        const names = value.split(",");
        const unknown = names.filter((name) => !groups.some((group) => group === name));
        if (unknown.length > 0) {
          reject(`must be one or more of ${groups.join(", ")}, separated by commas`);
        } else if (new Set(names).size < names.length) {
          reject("must name each group only once");
        }
        return groups.filter((group) => names.includes(group));
      }),
      groups.slice(0, 1),
    )
    .with(z.describe(`One or more of ${groups.join(", ")}, separated by commas; day by default`));

/** The parameters that all reports share, with the groups in the order of the report's columns. */
const sharedFields = {
  from: z.optional(utcDate).with(z.describe("The first day, in UTC; by default 29 days before the last day")),
  to: z
    .optional(utcDate)
    .with(z.describe(`The last day, in UTC; today by default. The report covers at most ${MAX_DAYS} days`)),
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
};

/** Runs a check whenever both days are valid, even if another parameter is not. */
const IF_DAYS_ARE_VALID = {
  path: ["to"],
  when: ({ issues }: z.core.ParsePayload) =>
    !issues.some(({ path }) => path?.[0] === "from" || path?.[0] === "to"),
};

/** The days of a query; each is optional. */
interface Days {
  from?: number | undefined;
  to?: number | undefined;
}
const checkDays = (isValid: (from: number, to: number) => boolean, error: string) =>
  z.refine<Days>(({ from, to }) => from === undefined || to === undefined || isValid(from, to), {
    ...IF_DAYS_ARE_VALID,
    error,
  });
/** What `from` and `to` must be together. */
export const dayChecks = [
  checkDays((from, to) => from <= to, "must not be before from"),
  checkDays(
    (from, to) => to - from < MAX_DAYS,
    `is too late: the report covers at most ${MAX_DAYS} days, including from and to`,
  ),
] as const;

export const spendQuery = z
  .strictObject({
    ...sharedFields,
    group_by: groupBy(["day", "link", "partner", "cost_type"]),
    cost_type: z.optional(costType).with(z.describe(`One of ${COST_TYPES.join(", ")}: only this cost type`)),
    currency: z.optional(currency).with(z.describe("Only this currency")),
  })
  .check(...dayChecks);

export const engagementsQuery = z
  .strictObject({
    ...sharedFields,
    group_by: groupBy(["day", "link", "partner", "kind"]),
    kind: z
      .optional(z.enum(KINDS, `must be one of ${KINDS.join(", ")}`))
      .with(z.describe("Only clicks, or only impressions")),
  })
  .check(...dayChecks);
