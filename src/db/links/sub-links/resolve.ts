/**
 * Finds the link that an engagement belongs to: the opened link, or the sub-link that its URL names, which is created if it is
 * missing. Also decides under which partner the engagement is recorded, whether cost data is on, and whether its price counts.
 */
import { type SQL, sql } from "drizzle-orm";
import type { OpenedLink } from "../../../domain/costs.ts";
import { LEVEL_PARAMETERS } from "../../../domain/engagements/sub-links.ts";
import { bitOf } from "../../cost-types.ts";
import { alias, as, columnsOf, jsonRows, list, names } from "../../query.ts";
import { links, partners } from "../../schema.ts";
import { type Bound, statement } from "../../statement.ts";
import { agreedCurrency, highestUrlAmount, isMacroOf, maxUrlSpendOf } from "../../url-prices.ts";

const o = alias(links, "o");
const [l1, l2, l3] = [alias(links, "l1"), alias(links, "l2"), alias(links, "l3")];
const p = alias(partners, "p");
const c = alias(links, "c");
const s = alias(links, "s");
const now = sql.placeholder("now");

/** A value of the message in the row `x`. */
export const message = (path: string) => sql.raw(`(x.message ->> '${path}')`);
const opened = (path: string) => sql.raw(`(j.value ->> '${path}')`);

const template = sql`iif(${opened("kind")} = 'click', ${p.clickParameters}, ${p.impressionParameters})`;
/** Whether the partner's template for this kind of engagement has the parameter. */
const isInTemplate = (parameter: string) =>
  sql<number>`coalesce(instr('&' || ${template}, ${sql.raw(`'&${parameter}='`)}), 0) > 0`;

const isPriced = sql.raw(
  `(${["urlCostType", "urlCurrency", "urlAmount"].map((name) => `j.value ->> '${name}' IS NOT NULL`).join(" AND ")})`,
);
/** Whether a price is in another currency than the partner's cost parameters say. */
const isNotAgreed = sql`coalesce(${opened("urlCurrency")} <> ${agreedCurrency(p)}, 0)`;

/** Whether the value of a parameter is a macro of the partner's templates. */
const isMacro = (parameter: string, value: string) =>
  sql<number>`${isMacroOf(p.macros, sql`coalesce(${opened(`$.otherForms.${parameter}`)}, ${opened(value)})`)}`;
const isMacroId = isMacro("cost_id", "costId");
/** Why a parameter of a price is dropped: it can be a macro, or `reason` if the price is usable and does not count. */
const priceReason = (parameter: string, isWrong: SQL, reason: string) => {
  const macro = opened(`$.otherForms.${parameter}`);
  return sql<string | null>`iif(${macro} IS NULL, iif(${isPriced} AND ${isWrong}, '${sql.raw(reason)}', NULL),
    iif(${isMacroOf(p.macros, macro)}, 'unfilled_macro', 'invalid'))`;
};
const isIntegrated = sql`${p.integratedTypes} & ${bitOf("j.value ->> 'urlCostType'")}`;
const highest = highestUrlAmount(p);

/** The opened link, with the partner and the switch in effect. */
const openedFields = {
  message: sql<string>`j.value`,
  linkId: sql<number>`${o.id}`,
  level: sql<number>`${o.level}`,
  openedLevel: sql<number>`${o.level}`,
  appToken: sql<string>`${o.appToken}`,
  partnerId: sql<number | null>`${p.id}`,
  costSwitch: sql<
    number | null
  >`coalesce(${o.costSwitch}, ${l1.costSwitch}, ${l2.costSwitch}, ${l3.costSwitch}, 0)`,
  takesCosts: sql<number | null>`${p.supportsCostData} AND ${p.stoppedAt} IS NULL`,
  takesPrice: sql<
    number | null
  >`${isIntegrated} AND ${opened("urlAmount")} <= ${highest} AND ${isPriced} AND NOT ${isNotAgreed}
    AND NOT ${isMacroId}`,
  hasMacroId: isMacroId,
  isPriced: sql<number>`${isPriced}`,
  maxUrlSpend: maxUrlSpendOf(p),
  // Without `cost_amount` in the cost parameters, no price counts.
  typeReason: priceReason("cost_type", sql`${highest} >= 0 AND NOT (${isIntegrated})`, "not_integrated"),
  currencyReason: priceReason("cost_currency", isNotAgreed, "not_agreed"),
  amountReason: priceReason(
    "cost_amount",
    sql`${highest} BETWEEN 0 AND ${opened("urlAmount")} - 1`,
    "too_high",
  ),
  named2: isInTemplate(LEVEL_PARAMETERS[0]),
  named3: isInTemplate(LEVEL_PARAMETERS[1]),
  named4: isInTemplate(LEVEL_PARAMETERS[2]),
  isMacro2: isMacro(LEVEL_PARAMETERS[0], "$.subLinks[0].name"),
  isMacro3: isMacro(LEVEL_PARAMETERS[1], "$.subLinks[1].name"),
  isMacro4: isMacro(LEVEL_PARAMETERS[2], "$.subLinks[2].name"),
  reason2: sql<string | null>`NULL`,
  reason3: sql<string | null>`NULL`,
  reason4: sql<string | null>`NULL`,
};
const x = columnsOf("x", openedFields);
/** The link so far, after the levels up to the last one that the URL names. */
export const target = x;

const openedLinks = sql`
  SELECT ${list(openedFields)}
  FROM j CROSS JOIN ${as(o)} ON ${o.token} = ${opened("linkToken")}
  LEFT JOIN ${as(l1)} ON ${l1.id} = ${o.parentId}
  LEFT JOIN ${as(l2)} ON ${l2.id} = ${l1.parentId}
  LEFT JOIN ${as(l3)} ON ${l3.id} = ${l2.parentId}
  LEFT JOIN ${as(p)} ON ${p.id} = coalesce(${o.partnerId}, ${l1.partnerId}, ${l2.partnerId}, ${l3.partnerId})
`;

const LEVELS = [2, 3, 4] as const;
type Level = (typeof LEVELS)[number];

/** The name of a level on the URL, if the template has its parameter. */
const nameOf = (level: Level) =>
  sql`iif(${x[`named${level}`]} AND NOT ${x[`isMacro${level}`]}, ${message(`$.subLinks[${level - 2}].name`)}, NULL)`;
/** The oldest sub-link of `x` that has the name of a level. */
const childOf = (level: Level) => sql`(
  SELECT min(${s.id}) FROM ${as(s)} INDEXED BY links_by_match_name
  WHERE ${s.appToken} = ${x.appToken} AND ${s.parentId} = ${x.linkId} AND ${s.matchName} = ${nameOf(level)}
)`;

/** The CTE of a level: the links of the level above, or the sub-links of theirs that the URLs name. */
function cteOf(level: Level): SQL {
  const above = sql.raw(String(level - 1));
  const isUsed = sql`(${c.id} IS NOT NULL AND ${c.partnerId} IS NULL OR ${c.partnerId} = ${x.partnerId})`;
  const dropReason = message(`$.subLinks[${level - 2}].reason`);
  const reason = sql`CASE
    WHEN ${x.openedLevel} > ${above} OR NOT ${x[`named${level}`]} THEN NULL
    WHEN ${dropReason} IS NOT NULL THEN ${dropReason}
    WHEN ${x[`isMacro${level}`]} THEN 'unfilled_macro'
    WHEN ${nameOf(level)} IS NULL THEN NULL
    WHEN ${x.level} < ${above} THEN 'missing_level'
    WHEN ${c.id} IS NULL THEN 'too_many_links'
    WHEN NOT ${isUsed} THEN 'other_partner'
  END`;
  const fields = {
    ...x,
    linkId: sql`iif(${isUsed}, ${c.id}, ${x.linkId})`,
    level: sql`iif(${isUsed}, ${c.level}, ${x.level})`,
    costSwitch: sql`iif(${isUsed}, coalesce(${c.costSwitch}, ${x.costSwitch}), ${x.costSwitch})`,
    reason2: level === 2 ? reason : x.reason2,
    reason3: level === 3 ? reason : x.reason3,
    reason4: level === 4 ? reason : x.reason4,
  };
  return sql`level${sql.raw(String(level))} AS (
    SELECT ${list(fields)} FROM level${above} x
    LEFT JOIN ${as(c)} ON ${c.id} = ${childOf(level)} AND ${x.level} = ${above}
  )`;
}
const CTES = [sql`${jsonRows("opened")}, level1 AS (${openedLinks})`, cteOf(2), cteOf(3), cteOf(4)];

/** The opened links, each with the sub-link that its URL names, down to a level. 1: the opened links only. */
export function resolved(depth: number): SQL {
  return sql`WITH ${sql.join(CTES.slice(0, depth), sql`, `)} SELECT * FROM level${sql.raw(String(depth))}`;
}

/**
 * Creates the sub-links of a level that the URLs name and that are missing. The levels above it must exist already. A trigger ignores
 * those for which there is no place.
 */
function creationOf(level: Level) {
  const above = sql.raw(String(level - 1));
  const { token, appToken, parentId, label, createdAt, fromEngagement } = links;
  return statement(sql`
    INSERT INTO ${links} (${names(token, appToken, parentId, links.level, label, createdAt, fromEngagement)})
    SELECT min(${message(`$.subLinks[${level - 2}].token`)}), ${x.appToken}, ${x.linkId}, ${sql.raw(String(level))}, ${nameOf(level)},
      ${now}, 1
    FROM (${resolved(level - 1)}) x
    WHERE ${nameOf(level)} IS NOT NULL AND ${x.level} = ${above} AND ${childOf(level)} IS NULL
      AND ${message("createsNothing")} IS NULL
    GROUP BY ${x.linkId}, ${nameOf(level)}
  `);
}
const creations = LEVELS.map(creationOf);

/** The deepest level that a URL names; 1 if it names none. */
export function depthOf(opened: OpenedLink[]): number {
  const depths = opened.map(
    ({ subLinks }) => subLinks.findLastIndex(({ name, reason }) => name ?? reason) + 2,
  );
  return Math.max(1, ...depths);
}

/** The statements that create missing sub-links, for a batch that then uses them. */
export function creationStatements(
  db: D1Database,
  depth: number,
  values: { opened: string; now: number },
): Bound<unknown>[] {
  return creations.slice(0, depth - 1).map((create) => create(db, values));
}
