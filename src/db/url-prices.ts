/**
 * What the templates of a partner decide: which values on URLs are its macros, and which prices on URLs count for it. Anyone can
 * write to a public URL, so the partner's cost parameters and the limit that operators set decide it. A round judges with the
 * same values, in domain/rounds/report.ts.
 */
import { type AnyColumn, type SQL, sql } from "drizzle-orm";
import type { partners } from "./schema.ts";

type Partner = Record<keyof Pick<typeof partners, "costParameters" | "maxUrlAmount">, AnyColumn>;

/**
 * The highest amount that counts, in units of 0.00001 of the currency; -1 if none does, because the cost parameters do not name
 * `cost_amount`.
 */
export const highestUrlAmount = ({ costParameters, maxUrlAmount }: Partner) =>
  sql<number>`iif(instr('&' || ${costParameters}, '&cost_amount='), ${maxUrlAmount}, -1)`;

/**
 * To how much the prices of one app, currency and day can add up in a database before they are held, in units of 0.00001: the limit of
 * the partner, with shards the part of each, but at least one highest price, if the limit allows one. NULL: without limit. Takes `shards`.
 */
export const maxUrlSpendOf = ({
  maxUrlSpend,
  maxUrlAmount,
}: Record<"maxUrlSpend" | "maxUrlAmount", AnyColumn>) => {
  const shards = sql`max(1, CAST(${sql.placeholder("shards")} AS INTEGER))`;
  return sql<
    number | null
  >`iif(${shards} = 1, ${maxUrlSpend}, max(min(${maxUrlAmount}, ${maxUrlSpend}), ${maxUrlSpend} / ${shards}))`;
};

const NAME = sql.raw("'&cost_currency='");
const LENGTH = sql.raw(String("&cost_currency=".length));

/** The only currency that counts: the literal value of `cost_currency` in the cost parameters. NULL if a macro or nothing is there. */
export const agreedCurrency = ({ costParameters }: Pick<Partner, "costParameters">) => {
  const template = sql`'&' || ${costParameters} || '&'`;
  const at = sql`instr(${template}, ${NAME})`;
  return sql<
    string | null
  >`iif(${at} AND substr(${template}, ${at} + ${LENGTH}, 4) GLOB '[A-Za-z][A-Za-z][A-Za-z]&',
    upper(substr(${template}, ${at} + ${LENGTH}, 3)), NULL)`;
};

/** Whether a comparable value, or NULL, is one of the macros of a partner, which can be NULL too. */
export const isMacroOf = (macros: AnyColumn | SQL, value: SQL) =>
  sql`iif(coalesce(${macros}, '') = '', 0, coalesce(instr(${macros}, char(10) || ${value} || char(10)), 0) > 0)`;
