/** The fields that more than one surface reads, as zod types. A contract file: imports zod and lists of words alone. */

import * as z from "zod/mini";
import { COST_TYPES, SPEND_GROUPS, type SpendGroup } from "../domain/cost-types.ts";
import { CURRENCY_CODES } from "../domain/currencies.ts";
import { DAY_MS } from "../domain/time.ts";

// Production forbids eval, which zod would use to compile its parsers: tests shall run what production runs.
z.config({ jitless: true });

const CONTROL = /\p{Cc}/u;

/** Checks for `min` to `max` Unicode code points, without control characters or lone surrogates. */
export const plainText =
  (min: number, max: number): z.core.CheckFn<string> =>
  (context) => {
    const reject = (message: string) =>
      context.issues.push({ code: "custom", message, input: context.value, continue: true });
    const length = [...context.value].length;
    if (length < min)
      reject(min === 1 ? "must not be empty" : `is ${length} characters long; at least ${min}`);
    if (length > max) reject(`is ${length} characters long; at most ${max}`);
    if (CONTROL.test(context.value)) reject("must not contain control characters");
    if (!context.value.isWellFormed()) reject("must be well-formed Unicode");
  };

/** Text given on as what `read` makes of it, unless that calls `refuse`. */
export const readAs = <T>(
  text: z.ZodMiniType<string, string>,
  read: (value: string, reject: (message: string) => void) => T,
) =>
  z.pipe(
    text,
    z.transform((value: string, context) =>
      read(value, (message) => context.issues.push({ code: "custom", message, input: value })),
    ),
  );

/** Text on the wire, and a number to whoever reads the description of it. */
const AS_INTEGER = z.meta({ type: "integer", minimum: 1, pattern: undefined });

const NO_ID = "must be a positive integer";

/** A positive integer in a path or a query. */
export const idText = readAs(z.string().check(z.regex(/^[1-9]\d{0,14}$/, NO_ID)), Number).with(AS_INTEGER);

/** A positive integer in a JSON body. */
export const idNumber = z
  .int({ abort: true, error: ({ input }) => (input === undefined ? undefined : NO_ID) })
  .check(z.positive(NO_ID));

export const appToken = z
  .string()
  .check(z.regex(/^[0-9A-Za-z]{12}$/, "must be exactly 12 letters and digits"));

/** 12 to 256 characters (spec §2.5). */
export const costId = z.string().check(plainText(12, 256));

/** 1 to 128 characters (spec §2.5). */
export const costTag = z.string().check(plainText(1, 128));

export const costType = z.pipe(
  z.string().check(z.toLowerCase()),
  z.enum(COST_TYPES, `must be one of ${COST_TYPES.join(", ")}`),
);

/** ISO 4217, any case, given on in upper case. */
export const currency = readAs(z.string(), (value, reject) => {
  // Beyond ASCII, upper case makes one letter of two: ſ becomes S.
  const code = /^[A-Za-z]{3}$/.test(value) ? value.toUpperCase() : "";
  if (!CURRENCY_CODES.has(code)) reject("must be an ISO 4217 currency code");
  return code;
});

const AMOUNT = /^(0|[1-9]\d*)(?:\.(\d{1,5}))?$/;
const MAX_AMOUNT_UNITS = 1_000_000 * 100_000;

/** A plain decimal from 0 to 1,000,000 with at most 5 places, given on as an integer count of 0.00001. */
export const amount = readAs(z.string(), (value, reject) => {
  const [, whole = "", places = ""] = AMOUNT.exec(value) ?? [];
  const units = whole.length <= 7 ? Number(whole + places.padEnd(5, "0")) : Number.POSITIVE_INFINITY;
  if (whole === "") {
    reject("must be a plain decimal with at most 5 decimal places, for instance 0.25");
  } else if (units > MAX_AMOUNT_UNITS) {
    reject("must be at most 1000000");
  }
  return units;
});

/** How many items of a list are asked for. */
const limit = readAs(z.string().check(z.regex(/^[1-9]\d*$/, "must be a positive integer")), (value) =>
  Math.min(Number(value), 1_000),
).with(AS_INTEGER);

/** The query parameters of every list (spec §4.6). A limit above 1,000 is served as 1,000. */
export const pageQuery = z.object({
  after: z.optional(z.string()).with(z.describe("Cursor after which the page starts")),
  before: z.optional(z.string()).with(z.describe("Cursor before which the page ends")),
  cursor: z.optional(z.string()).with(z.describe("The same as after")),
  limit: z._default(limit, 50).with(z.describe("Items of a page: 50 unless given, 1000 at most")),
});

/** Any case, given on in lower case, as it is stored. */
export const email = z.string().check(
  z.trim(),
  z.toLowerCase(),
  plainText(1, 254),
  z.refine((value) => /^[^\s@]+@[^\s@]+$/.test(value), "must look like name@example.com"),
);

/** A password as typed. The bound keeps a request from being made expensive. */
export const password = z.string().check(plainText(1, 256));

/** A password to be: long is what counts. */
export const newPassword = z.string().check(plainText(12, 256));

/** A spend report covers at most so many days. */
const MAX_DAYS = 366;
/** A day of the calendar, given on as days since 1970 in UTC. */
const utcDate = readAs(z.string(), (value, reject) => {
  const milliseconds = /^\d{4}-\d\d-\d\d$/.test(value) ? Date.parse(`${value}T00:00:00Z`) : Number.NaN;
  if (Number.isNaN(milliseconds) || new Date(milliseconds).toISOString().slice(0, 10) !== value) {
    reject("must be a day of the calendar, for instance 2026-03-14");
  }
  return milliseconds / DAY_MS;
});

/** Given on in the order of `SPEND_GROUPS`, however they were named. */
const groupBy = readAs(z.string(), (value, reject): SpendGroup[] => {
  const names = value.split(",");
  const unknown = names.filter((name) => !SPEND_GROUPS.some((group) => group === name));
  if (unknown.length > 0) {
    reject(`must be one or more of ${SPEND_GROUPS.join(", ")}, with commas between`);
  } else if (new Set(names).size < names.length) {
    reject("must name each group once");
  }
  return SPEND_GROUPS.filter((group) => names.includes(group));
});

/** Checked whatever else is wrong, once both days were read. */
const DAYS_ALONE = {
  path: ["to"],
  when: ({ issues }: z.core.ParsePayload) =>
    !issues.some(({ path }) => path?.[0] === "from" || path?.[0] === "to"),
};

/** Which days a spend report covers, and by what it adds up. */
export const spendQuery = z
  .object({
    from: utcDate.with(z.describe("The first day, in UTC")),
    to: utcDate.with(z.describe(`The last day, in UTC; at most ${MAX_DAYS} days in all`)),
    group_by: z
      ._default(groupBy, ["day"])
      .with(z.describe(`One or more of ${SPEND_GROUPS.join(", ")}, with commas between; day by default`)),
  })
  .check(
    z.refine(({ from, to }) => to >= from, { ...DAYS_ALONE, error: "must not be before from" }),
    z.refine(({ from, to }) => to - from < MAX_DAYS, {
      ...DAYS_ALONE,
      error: `must be at most ${MAX_DAYS} days from from, both counted`,
    }),
  );
