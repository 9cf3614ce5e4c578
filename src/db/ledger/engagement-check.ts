/** Reads what recording an engagement would do, with the expressions that record it. Writes nothing. */
import { sql } from "drizzle-orm";
import type { Kind } from "../../domain/cost-types.ts";
import type { OpenedLink } from "../../domain/costs.ts";
import {
  type DropReason,
  LEVEL_PARAMETERS,
  MAX_FROM_ENGAGEMENTS,
  NETWORKS_OF_NEW_SUB_LINKS,
} from "../../domain/engagements/sub-links.ts";
import { expectDefined } from "../../domain/expect-defined.ts";
import { DAY_MS } from "../../domain/time.ts";
import { ancestors, inheritedFields, l1, l2, l3 } from "../links/links.ts";
import { link as l } from "../links/lists.ts";
import { depthOf, resolved, target } from "../links/sub-links/resolve.ts";
import { alias, as, query } from "../query.ts";
import { apps, links } from "../schema.ts";
import { runBatch } from "../statement.ts";
import { recorded } from "./engagements.ts";
import { entry as e, isRemembered } from "./entries.ts";
import { type Ledger, placeOf, shardFor } from "./shards.ts";

const a = alias(apps, "a");
const root = alias(links, "root");
const today = sql`CAST(${sql.placeholder("now")} / ${sql.raw(String(DAY_MS))} AS INTEGER)`;
/** The new links of today, of a network or an app. */
const newToday = ({ newSubLinkDay: day, newSubLinkCount: count }: typeof a | typeof root) =>
  sql`iif(${day} >= ${today}, ${count}, 0)`;

/** By the number of levels that the URL names, as for recording. */
const checkDownTo = [1, 2, 3, 4].map((depth) =>
  query(
    {
      label: l.label,
      level: l.level,
      inheritedName: inheritedFields.inheritedName,
      openedLevel: target.openedLevel,
      partnerId: recorded.partnerId,
      costId: recorded.costId,
      costDataOn: recorded.costDataOn,
      priceCounts: recorded.priceCounts,
      dropped: sql<string>`${recorded.dropped}`,
      named2: target.named2,
      named3: target.named3,
      named4: target.named4,
      // As the trigger that creates links has it.
      isFull: sql<number>`(${root.fromEngagementCount} >= ${sql.raw(String(MAX_FROM_ENGAGEMENTS))}
        OR ${newToday(root)} >= ${a.maxNewSubLinks}
        OR ${newToday(a)} >= ${sql.raw(String(NETWORKS_OF_NEW_SUB_LINKS))} * ${a.maxNewSubLinks})`,
    },
    sql`FROM (${resolved(depth)}) x CROSS JOIN ${as(l)} ON ${l.id} = ${target.linkId} ${ancestors}
      CROSS JOIN ${as(a)} ON ${a.token} = ${l.appToken}
      CROSS JOIN ${as(root)} ON ${root.id} = coalesce(${l3.id}, ${l2.id}, ${l1.id}, ${l.id})`,
  ),
);

const kept = query(
  { click: e.clickAt, impression: e.impressionAt },
  sql`FROM ${as(e)} WHERE ${e.partnerId} = ${sql.placeholder("partnerId")} AND ${e.costId} = ${sql.placeholder("costId")}
    AND ${isRemembered}`,
);

export interface CheckedEngagement {
  /** Of the link that it would be recorded on, the highest first, and of those that it would create below. */
  names: string[];
  created: string[];
  partnerId: number | null;
  /** Null if it would only be counted. */
  costId: string | null;
  hasCostData: boolean;
  priceCounts: boolean;
  dropped: [parameter: string, reason: DropReason][];
  /** The names of levels that are not read, because the template does not have them, or the link is not above them. */
  unread: { notInTemplate: string[]; notBelow: string[] };
  /** When an earlier one of this kind had the ID, in milliseconds since 1970. */
  earlierAt: number | null;
}

/** Says what would be recorded now. Undefined if the link does not exist. */
export async function checkEngagement(
  ledger: Ledger,
  opened: OpenedLink,
  now: number,
): Promise<CheckedEngagement | undefined> {
  const db = ledger.control;
  const check = expectDefined(checkDownTo[depthOf([opened]) - 1]);
  const values = { opened: JSON.stringify([opened]), now, isSharded: 0, ...placeOf(ledger, db) };
  const [[row]] = await runBatch(db, check(db, values));
  if (!row) return undefined;
  const { partnerId, costId } = row;
  return {
    names: [...(row.inheritedName?.split("::") ?? []), row.label],
    ...withCreated(row, opened),
    partnerId,
    costId,
    hasCostData: row.costDataOn === 1,
    priceCounts: row.priceCounts === 1,
    unread: unreadOf(row, opened),
    earlierAt:
      partnerId && costId ? await findEarlier(ledger, { partnerId, costId }, opened.kind, now) : null,
  };
}

async function findEarlier(
  ledger: Ledger,
  key: { partnerId: number; costId: string },
  kind: Kind,
  now: number,
): Promise<number | null> {
  const db = shardFor(ledger, key);
  const [[found]] = await runBatch(db, kept(db, { ...key, now }));
  return found?.[kind] ?? null;
}

/** What is missing only because nothing was created: the first level that was not found, and those below it. */
function withCreated(row: { dropped: string; isFull: number }, { createsNothing, subLinks }: OpenedLink) {
  const all = JSON.parse(row.dropped) as CheckedEngagement["dropped"];
  const created: string[] = [];
  const dropped = all.filter(([parameter, reason]) => {
    const at = (LEVEL_PARAMETERS as readonly string[]).indexOf(parameter);
    const name = subLinks[at]?.name;
    const isBelow = created.length > 0 && subLinks[at - 1]?.name === created.at(-1);
    const isMissing = reason === "too_many_links" || (reason === "missing_level" && isBelow);
    if (!isMissing || !name || row.isFull || createsNothing) return true;
    created.push(name);
    return false;
  });
  return { created, dropped };
}

function unreadOf(
  { openedLevel, ...row }: { openedLevel: number; named2: number; named3: number; named4: number },
  { subLinks }: OpenedLink,
): CheckedEngagement["unread"] {
  const isNamed = [row.named2, row.named3, row.named4];
  const sent = LEVEL_PARAMETERS.filter((_, at) => subLinks[at]?.name ?? subLinks[at]?.reason);
  const levelOf = (parameter: (typeof sent)[number]) => LEVEL_PARAMETERS.indexOf(parameter) + 2;
  const below = sent.filter((parameter) => levelOf(parameter) > openedLevel);
  return {
    notBelow: sent.filter((parameter) => !below.includes(parameter)),
    notInTemplate: below.filter((parameter) => isNamed[levelOf(parameter) - 2] !== 1),
  };
}
