/** The figures of links, each with everything below it, from one read of the totals. */
import { sql } from "drizzle-orm";
import { silentSince } from "../../../domain/partner-state.ts";
import type { DayRange } from "../../../domain/time.ts";
import type { Viewer } from "../../accounts/viewers.ts";
import { lastActivity } from "../../operator/partner-activity.ts";
import { query } from "../../query.ts";
import { links } from "../../schema.ts";
import type { Ledger } from "../shards.ts";
import { addTo } from "./add-up.ts";
import type { AnyRow, ReportRow } from "./sources.ts";
import { readSums } from "./sums.ts";
import type { LinkChain } from "./totals.ts";

/** Spend of one cost type in one currency. */
export type SpendSum = Omit<ReportRow<"spend">, "day" | "linkId" | "partnerId">;

/** By the ID of each silent partner, the hour of its last cost. */
export type Silent = ReadonlyMap<number, number>;

/** A link that has a figure, by itself or below it. */
export interface LinkFigures {
  id: number;
  parentId: number | null;
  clicks: number;
  impressions: number;
  spend: SpendSum[];
}

const opened = query(
  { id: links.id, token: links.token },
  sql`FROM json_each(${sql.placeholder("open")}) j CROSS JOIN ${links}
    ON ${links.token} = j.value AND ${links.appToken} = ${sql.placeholder("appToken")}`,
);

export interface FigureScope extends DayRange {
  appToken: string;
  /** Only this link and everything below it. */
  link?: string;
  /** Tokens of links whose IDs are needed. */
  open?: string[];
}

/**
 * Reads the figures of all links with clicks, impressions or costs. `figures` is undefined if there are more than MAX_ROWS sums. `from`
 * is the first day that was read, and `ids` has the IDs of `open` by token. `silent` is what the hourly job found in all apps.
 */
export async function findLinkFigures(
  ledger: Ledger,
  viewer: Viewer,
  { appToken, link, open = [], from, to }: FigureScope,
): Promise<{
  figures: Map<number, LinkFigures> | undefined;
  ids: Map<string, number>;
  from: number;
  silent: Silent;
}> {
  const found = await readSums(
    ledger,
    {
      whose: { viewer, appToken },
      filters: { link },
      parts: {
        spend: { report: "spend", from, to, groups: ["link", "cost_type"], isOptional: true },
        engagements: { report: "engagements", from, to, groups: ["link", "kind"], isOptional: true },
      },
      canBeCut: true,
    },
    {
      opened: opened(ledger.control, { open: JSON.stringify(open), appToken }),
      activity: lastActivity(ledger.control, {}),
    },
  );
  const isTooMany = found.isTooMany("spend") || found.isTooMany("engagements");
  return {
    figures: isTooMany ? undefined : addUp(found.links, found.rowsOf("spend"), found.rowsOf("engagements")),
    ids: new Map(found.more.opened.map(({ token, id }) => [token, id])),
    from: found.from,
    silent: new Map(
      found.more.activity.flatMap((active): [number, number][] => {
        const partner = found.partners.get(active.partnerId);
        const since = partner && silentSince({ ...partner, typesInRound: 0 }, active);
        return since == null ? [] : [[active.partnerId, since]];
      }),
    ),
  };
}

/** Adds the sums of each link to itself and to the links above it. */
function addUp(chains: LinkChain[], spend: ReportRow<"spend">[], engagements: ReportRow<"engagements">[]) {
  const idsOf = new Map(
    chains.map(({ linkId, id1, id2, id3 }) => [linkId, [linkId, id1, id2, id3].filter((id) => id !== null)]),
  );
  const figures = new Map<number, LinkFigures>();
  const forEach = <Row extends { linkId: number | null }>(
    rows: Row[],
    add: (link: LinkFigures, row: Row) => void,
  ) => {
    for (const row of rows) {
      const path = idsOf.get(row.linkId ?? 0) ?? [];
      for (const [index, id] of path.entries()) {
        const none = { id, parentId: path[index + 1] ?? null, clicks: 0, impressions: 0, spend: [] };
        const link = figures.get(id) ?? none;
        figures.set(id, link);
        add(link, row);
      }
    }
  };
  forEach(engagements, (link, { kind, count }) => {
    link[kind === "click" ? "clicks" : "impressions"] += count;
  });
  forEach(spend, (link, row) => {
    const same = link.spend.find(
      ({ currency, costType }) => currency === row.currency && costType === row.costType,
    );
    if (same) addTo(same as unknown as AnyRow, row as unknown as AnyRow, "spend");
    else link.spend.push({ ...row });
  });
  return figures;
}
