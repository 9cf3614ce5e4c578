/** Input fields that several surfaces share, as zod types. A contract file: it imports only zod and constants. */
import * as z from "zod/mini";
import { CONTROL, invisible, trimInvisible } from "../../domain/characters.ts";
import { COST_TYPES } from "../../domain/cost-types.ts";
import { COUNTRY_CODES, PLATFORMS } from "../../domain/engagements/audience.ts";
import { CURRENCY_CODES } from "../../domain/money.ts";
import { listOf, PER_MILLE } from "../../domain/texts.ts";
import { DAY_MS } from "../../domain/time.ts";

// workerd forbids eval in production, so zod cannot compile its parsers there. Tests run the same code.
z.config({ jitless: true });

/** Checks for `min` to `max` Unicode code points, without control characters or lone surrogates. */
export const plainText =
  (min: number, max: number): z.core.CheckFn<string> =>
  (context) => {
    const { value, issues } = context;
    if (isTooLong(context, max)) return;
    const reject = (message: string) =>
      issues.push({ code: "custom", message, input: value, continue: true });
    const length = countCharacters(value);
    if (length < min)
      reject(length === 0 ? "must not be empty" : `has ${characters(length)}; it needs at least ${min}`);
    if (value.search(CONTROL) >= 0) reject("must not contain control characters");
    if (!value.isWellFormed()) reject("must be well-formed Unicode");
  };

/** Like `plainText`, for what people read as a name. */
export const nameText =
  (min: number, max: number): z.core.CheckFn<string> =>
  (context) => {
    const { value, issues } = context;
    plainText(min, max)(context);
    if (issues.at(-1)?.continue === false || value.search(invisible()) < 0) return;
    const message = "must not contain invisible characters";
    issues.push({ code: "custom", message, input: value, continue: true });
  };

/** Only checks for at most `max` code points, before a conversion that takes more than linear time. */
export const atMost =
  (max: number): z.core.CheckFn<string> =>
  (context) =>
    void isTooLong(context, max);

/** Whether a text has too many code points. If so, no other check and no conversion reads it. */
function isTooLong({ value, issues }: z.core.ParsePayload<string>, max: number): boolean {
  const length = value.length > max ? countCharacters(value) : 0;
  const message = `has ${characters(length)}; it can have at most ${max}`;
  if (length > max) issues.push({ code: "custom", message, input: value, continue: false });
  return length > max;
}

function countCharacters(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

const characters = (count: number) => (count === 1 ? "1 character" : `${count} characters`);

/** Converts text with `read`. The text is invalid if `read` calls `reject`. */
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

/** The input is text, but the OpenAPI document describes it as an integer. */
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
  .check(z.regex(/^[0-9A-Za-z]{12}$/, "must be exactly 12 letters and digits"))
  .with(z.describe("The token of the app"));

/**
 * 12 to 256 characters (spec §2.5), without what is invisible at its ends. Whether it is a macro or a placeholder is judged where it
 * is used: an ID that is known already stays usable.
 */
export const costId = z
  .string()
  .check(z.overwrite(trimInvisible), nameText(12, 256))
  .with(z.describe("12 to 256 characters, equal to the `cost_id` on the URL of the click or impression"));

/** A cost ID that may be stored already, as it was accepted at that time. */
export const storedCostId = z
  .string()
  .check(
    atMost(256),
    z.minLength(1, "must not be empty"),
    z.refine((id) => id.isWellFormed(), "must be well-formed Unicode"),
  )
  .with(z.describe("The ID as it was sent, of 1 to 256 characters"));

/** 1 to 128 characters (spec §2.5). */
export const costTag = z
  .string()
  .check(plainText(1, 128))
  .with(z.describe("1 to 128 characters, for logs and debugging"));

export const costType = z
  .pipe(z.string().check(z.toLowerCase()), z.enum(COST_TYPES, `must be one of ${COST_TYPES.join(", ")}`))
  .with(z.describe(`${listOf(COST_TYPES, "or")}, in any case`));

/** ISO 4217, in any case; converted to upper case. */
export const currency = readAs(z.string(), (value, reject) => {
  // Beyond ASCII, two letters can have the same upper case: ſ becomes S.
  const code = /^[A-Za-z]{3}$/.test(value) ? value.toUpperCase() : "";
  if (!CURRENCY_CODES.has(code)) reject("must be an ISO 4217 currency code, for example USD");
  return code;
}).with(z.describe("An ISO 4217 code in any case, for example `USD`"));

/** A country of an audience, in any case; converted to upper case. */
export const countryCode = readAs(z.string(), (value, reject) => {
  const code = /^[A-Za-z]{2}$/.test(value) ? value.toUpperCase() : "";
  if (!COUNTRY_CODES.has(code))
    reject("must be a country code of ISO 3166-1 alpha-2, for example US, or XX if it is not known");
  return code;
}).with(
  z.describe(`A code of ISO 3166-1 alpha-2 in any case, for example \`US\`; \`XX\` if it is not known`),
);

/** A platform of an audience, in any case. */
export const platformName = z
  .pipe(z.string().check(z.toLowerCase()), z.enum(PLATFORMS, `must be one of ${PLATFORMS.join(", ")}`))
  .with(z.describe(`${listOf(PLATFORMS, "or")}, in any case`));

/** Programs write a fixed number of places: zeros at the end do not count. */
const AMOUNT = /^(0|[1-9]\d*)(?:\.(\d{1,5})0*)?$/;
const MAX_AMOUNT_UNITS = 1_000_000 * 100_000;

/** A plain decimal from 0 to 1,000,000 with at most 5 decimal places; converted to an integer number of 0.00001. */
export const amount = readAs(z.string(), (value, reject) => {
  const [, whole = "", places = ""] = AMOUNT.exec(value) ?? [];
  const units = whole.length <= 7 ? Number(whole + places.padEnd(5, "0")) : Number.POSITIVE_INFINITY;
  const comma = describeComma(value);
  if (comma !== undefined) {
    reject(comma);
  } else if (whole === "") {
    reject("must be a decimal from 0 to 1,000,000 with at most 5 places, for example 0.25");
  } else if (units > MAX_AMOUNT_UNITS) reject("must be at most 1,000,000");
  return units;
}).with(
  z.describe(
    `A decimal from 0 to 1,000,000 with at most 5 decimal places, for example \`0.25\`. For ${PER_MILLE}, the price of 1,000 impressions`,
  ),
);

/** A sum of such amounts, from 0 to 1,000,000,000; converted in the same way. */
export const sumOfAmounts = readAs(z.string(), (value, reject) => {
  const [, whole = "", places = ""] = AMOUNT.exec(value) ?? [];
  const units = whole.length <= 10 ? Number(whole + places.padEnd(5, "0")) : Number.POSITIVE_INFINITY;
  if (whole === "" || units > 1_000 * MAX_AMOUNT_UNITS)
    reject("must be a decimal from 0 to 1,000,000,000 with at most 5 places, for example 1000");
  return units;
});

const DECIMAL_COMMA = /^\d{1,7},\d{1,5}$/;

/** Why an amount with commas is not clear: "1,234" is 1.234 in one country and 1234 in another. */
function describeComma(value: string): string | undefined {
  if (GROUPED.test(value)) {
    const whole = value.replaceAll(",", "");
    const decimal = /^\d+,\d+$/.test(value) ? value.replace(",", ".") : undefined;
    return decimal
      ? `must be a plain decimal without a comma: ${whole} if the comma separates thousands, ${decimal} if it separates decimals`
      : `must be a plain decimal without thousands separators: ${whole}`;
  }
  return DECIMAL_COMMA.test(value)
    ? "must be a plain decimal; use a point, not a comma, for example 0.25"
    : undefined;
}

/** Groups of three digits: thousands, or one decimal number with three places. */
const GROUPED = /^[1-9]\d{0,2}(?:,\d{3}){1,3}(?:\.\d{1,5})?$/;

const SIGNED_AMOUNT = /^(-?)(0|[1-9]\d*)(?:\.(\d{1,8})0*)?$/;

/** A decimal within 1,000,000,000 of zero with at most 8 places; converted to units of 0.00000001, as text. */
export const signedAmount = readAs(z.string(), (value, reject) => {
  const [, sign = "", whole = "", places = ""] = SIGNED_AMOUNT.exec(value) ?? [];
  const units = BigInt(whole.slice(0, 11) + places.padEnd(8, "0"));
  if (whole === "") {
    reject("must be a plain decimal with at most 8 decimal places, for example -12.5");
  } else if (units === 0n) {
    reject("must not be zero");
  } else if (whole.length > 10 || units > MAX_SIGNED_UNITS)
    reject("must be from -1,000,000,000 to 1,000,000,000");
  return `${sign}${units}`;
});
const MAX_SIGNED_UNITS = 1_000_000_000n * 100_000_000n;

const limit = readAs(z.string().check(z.regex(/^[1-9]\d*$/, "must be a positive integer")), (value) =>
  Math.min(Number(value), 1_000),
).with(AS_INTEGER);

/** The query parameters of every list (spec §4.6). A limit above 1,000 is served as 1,000. */
export const pageQuery = z.object({
  after: z.optional(z.string()).with(z.describe("The page starts after this cursor")),
  before: z.optional(z.string()).with(z.describe("The page ends before this cursor")),
  cursor: z.optional(z.string()).with(z.describe("Another name for after")),
  limit: z._default(limit, 50).with(z.describe("Items per page, 50 by default and at most 1,000")),
});

/** Those of a list that only goes forward. */
export const nextPage = { limit: pageQuery.shape.limit, cursor: pageQuery.shape.after };

/** A calendar date that exists; converted to days since 1970 in UTC. Every day that somebody sends is read by this. */
export const utcDate = readAs(z.string(), (value, reject) => {
  const milliseconds = /^\d{4}-\d\d-\d\d$/.test(value) ? Date.parse(`${value}T00:00:00Z`) : Number.NaN;
  if (Number.isNaN(milliseconds) || new Date(milliseconds).toISOString().slice(0, 10) !== value)
    reject("must be a calendar date, for example 2026-03-14");
  return milliseconds / DAY_MS;
}).with(z.meta({ format: "date" }));

/** In any case; converted to lower case. */
export const email = z.string().check(
  z.trim(),
  z.toLowerCase(),
  nameText(1, 254),
  z.refine((value) => value === "" || /^[^\s@]+@[^\s@]+$/.test(value), "must look like name@example.com"),
);

/** A password as typed. The limit keeps hashing cheap. */
export const password = z.string().check(plainText(1, 256));

/** A password that a user chooses. */
export const newPassword = z.string().check(plainText(12, 256));
