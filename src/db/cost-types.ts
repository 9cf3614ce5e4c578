/** Conditions on cost types in SQL, made from their rows. */
import { type AnyColumn, type SQL, sql } from "drizzle-orm";
import { COST_TYPE, COST_TYPES, type Kind, TYPES_PER_MILLE } from "../domain/cost-types.ts";

const quote = (text: string) => `'${text}'`;

/** The cost type that an expression has fits the kind of engagement. */
export function fits(kind: Kind, costType: string): SQL {
  const others = COST_TYPES.filter((type) => !COST_TYPE[type].fits.includes(kind));
  return sql.raw(others.map((type) => `${costType} <> ${quote(type)}`).join(" AND "));
}

/** The amount is the price of 1,000 impressions. */
const isPerMille = (costType: AnyColumn | SQL): SQL =>
  sql`${costType} IN (${sql.raw(TYPES_PER_MILLE.map(quote).join(", "))})`;

/** What amounts in units of 0.00001 come to: whole numbers of the currency, and rests in units of 0.00000001. */
export const moneyOf = (costType: AnyColumn, amount: AnyColumn) => ({
  whole: sql`${amount} / iif(${isPerMille(costType)}, 100000000, 100000)`,
  rest: sql`iif(${isPerMille(costType)}, ${amount} % 100000000, ${amount} % 100000 * 1000)`,
});

/** What an amount of one price in units of 0.00001 comes to, in units of 0.00000001. */
export const unitsOf = (costType: SQL, amount: SQL) =>
  sql<number>`${amount} * iif(${isPerMille(costType)}, 1, 1000)`;

/** The bit of the cost type that an expression has; NULL for another text. */
export function bitOf(costType: string): SQL {
  const cases = COST_TYPES.map((type) => `WHEN ${quote(type)} THEN ${COST_TYPE[type].bit}`);
  return sql.raw(`CASE ${costType} ${cases.join(" ")} END`);
}
