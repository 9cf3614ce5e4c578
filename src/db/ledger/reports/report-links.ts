/** The links of reports: those of the totals, with the links that they are added to, and those below the link of a filter. */
import { type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core/alias";
import { ancestors, l1, l2, l3 } from "../../links/links.ts";
import { link as l } from "../../links/lists.ts";
import { as, optional, query, type RowOf } from "../../query.ts";
import { links } from "../../schema.ts";
import { statement } from "../../statement.ts";
import type { ReportName } from "./sources.ts";
import { idsOf, type Selection } from "./totals.ts";

const fromLinks = (ids: SQL) => sql`FROM (${ids}) ids CROSS JOIN ${as(l)} ON ${l.id} = ids.id ${ancestors}`;

/** A link with the links above it, the nearest first. */
const chainFields = {
  linkId: l.id,
  level: l.level,
  token: l.token,
  label: l.label,
  costSwitch: l.costSwitch,
  ...optional({ id1: l1.id, token1: l1.token, label1: l1.label, switch1: l1.costSwitch }),
  ...optional({ id2: l2.id, token2: l2.token, label2: l2.label, switch2: l2.costSwitch }),
  ...optional({ id3: l3.id, token3: l3.token, label3: l3.label, switch3: l3.costSwitch }),
};
export type LinkChain = RowOf<typeof chainFields>;
const chainsOf = (ids: SQL) => query(chainFields, fromLinks(ids));

/** A link of the totals, and the link that it is added to, with the names of that link. */
export interface Target {
  linkId: number;
  targetId: number;
  linkToken: string;
  /** The link's own name. */
  linkLabel: string;
  /** With the names of the links above it. */
  linkName: string;
  level: number;
  /** Of the link above it. */
  parentToken: string | null;
  /** Whether cost data is on, by the nearest setting; null: nothing sets it. */
  costSwitch: number | null;
}

/** Each link is added to the link of this level above it, or to itself. */
export function targetsAt(level: number, links: LinkChain[]): Target[] {
  return links.map((link) => {
    const chain = [
      { id: link.linkId, token: link.token, label: link.label, costSwitch: link.costSwitch },
      { id: link.id1, token: link.token1, label: link.label1, costSwitch: link.switch1 },
      { id: link.id2, token: link.token2, label: link.label2, costSwitch: link.switch2 },
      { id: link.id3, token: link.token3, label: link.label3, costSwitch: link.switch3 },
    ].slice(Math.max(link.level - level, 0), link.level);
    const [target] = chain;
    return {
      linkId: link.linkId,
      targetId: target?.id ?? link.linkId,
      linkToken: target?.token ?? link.token,
      linkLabel: target?.label ?? link.label,
      linkName: chain
        .map(({ label }) => label)
        .toReversed()
        .join("::"),
      level: Math.min(level, link.level),
      parentToken: chain[1]?.token ?? null,
      costSwitch: chain.find(({ costSwitch }) => costSwitch !== null)?.costSwitch ?? null,
    };
  });
}

/** The links of the totals of reports, with those above them; aborts the batch if the reports cover too many rows. */
export const linkChainsOf = (reports: readonly ReportName[], selection: Selection) =>
  chainsOf(idsOf(reports, selection));

export const IDS = sql`SELECT value AS id FROM json_each(${sql.placeholder("ids")})`;
/** The links with these IDs. */
export const findChains = chainsOf(IDS);

const c = alias(links, "c");
/** A CTE with the link of the filter and everything below it. */
export const BELOW = sql`WITH RECURSIVE below(id) AS (
    SELECT ${c.id} FROM ${as(c)} WHERE ${c.token} = ${sql.placeholder("link")} AND ${c.appToken} = ${sql.placeholder("appToken")}
    UNION ALL SELECT ${c.id} FROM below CROSS JOIN ${as(c)} INDEXED BY links_by_parent
      ON ${c.appToken} = ${sql.placeholder("appToken")} AND ${c.parentId} = below.id
  )`;
export const IDS_BELOW = sql`SELECT id FROM below`;
export const findSubtree = statement<{ id: number }>(sql`${BELOW} ${IDS_BELOW}`);
