/** The figures of links, each with everything below it, from one read of the totals. */
import { sql } from "drizzle-orm";
import type { Viewer } from "../../accounts/viewers.ts";
import { query } from "../../query.ts";
import { links } from "../../schema.ts";
import { runBatch } from "../../statement.ts";
import { type Ledger, runGated } from "../shards.ts";
import { findPaths, findSubtree, type LinkPath, linkPathsOf } from "./report-links.ts";
import { addTo, findInShards, type ReportRow } from "./reports.ts";
import type { AnyRow, ReportName } from "./sources.ts";
import {
  access,
  type DayRange,
  judgementsOf,
  LINKS,
  MAX_ROWS,
  nothing,
  once,
  oneApp,
  sumsFor,
  toValues,
} from "./statements.ts";
import { ifNotTooLarge, unlessTooLarge } from "./too-large.ts";

/** Spend of one cost type in one currency. */
export type SpendSum = Omit<ReportRow<"spend">, "day" | "linkId" | "partnerId">;

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

const pathsFor = (viewer: Viewer, of: "below" | "all") => {
  const apps = oneApp(viewer);
  return once(["paths", apps.name, of].join(), () => linkPathsOf({ apps: apps.sql, ...LINKS[of] }));
};

export interface FigureScope extends DayRange {
  appToken: string;
  /** Only this link and everything below it. */
  link?: string;
  /** Tokens of links whose IDs are needed. */
  open?: string[];
}

/**
 * Reads the figures of all links with clicks, impressions or costs. One call; with shards, one to each and another to DB.
 * `figures` is undefined if there are more than MAX_ROWS sums, or too many totals to sum. `ids` has the IDs of `open` by token.
 */
export async function findLinkFigures(
  ledger: Ledger,
  viewer: Viewer,
  scope: FigureScope,
): Promise<{ figures: Map<number, LinkFigures> | undefined; ids: Map<string, number> }> {
  const read = await ifNotTooLarge(readFigures(ledger, viewer, scope));
  if (read) return read;
  const [tokens] = await runBatch(ledger.control, openedFor(ledger.control, scope));
  return { figures: undefined, ids: toIds(tokens) };
}

const openedFor = (db: D1Database, { appToken, open = [] }: FigureScope) =>
  opened(db, { open: JSON.stringify(open), appToken });
const toIds = (rows: { token: string; id: number }[]) => new Map(rows.map(({ token, id }) => [token, id]));

async function readFigures(
  ledger: Ledger,
  viewer: Viewer,
  { appToken, open = [], ...scope }: FigureScope,
): ReturnType<typeof findLinkFigures> {
  const { control, shards } = ledger;
  const isSharded = shards.length > 0;
  const filter = scope.link === undefined ? "all" : "below";
  const values = { ...toValues({ ...scope, groups: [] }), ...viewer, appToken };
  const parts = PARTS.map(({ report, groups }) => ({
    report,
    scope: { ...scope, groups },
    isJudged: !isSharded,
  }));
  const batch = runGated(ledger, control, [
    access(viewer)(control, values),
    isSharded ? nothing(control, {}) : pathsFor(viewer, filter)(control, values),
    filter === "below" && isSharded ? findSubtree(control, values) : nothing(control, {}),
    openedFor(control, { appToken, open, ...scope }),
    ...judgementsOf(control, oneApp(viewer), parts, values),
    ...PARTS.map(({ report, groups }) =>
      sumsFor(report, { groups }, oneApp(viewer), filter)(control, values),
    ),
  ]);
  const [[found], paths, below, tokens, ...rest] = await unlessTooLarge(batch);
  const own: AnyRow[][] = rest.slice(-PARTS.length);
  const inShards = await findInShards(
    ledger,
    parts.map(({ report, scope }) => ({ report, scope })),
    found?.appToken ? [found.appToken] : [],
    filter === "below" ? below.map(({ id }) => id) : undefined,
  );
  const ids = toIds(tokens);
  const sums = [own, ...inShards];
  if (sums.some((parts) => parts.some((rows) => rows.length > MAX_ROWS))) return { figures: undefined, ids };
  const [spend = [], engagements = []] = PARTS.map((_, index) => sums.flatMap((parts) => parts[index] ?? []));
  const above = isSharded ? await findPathsOf(control, [...spend, ...engagements]) : paths;
  return { figures: addUp(above, { spend, engagements }), ids };
}

const PARTS = [
  { report: "spend", groups: ["link", "cost_type"] },
  { report: "engagements", groups: ["link", "kind"] },
] as const;

async function findPathsOf(db: D1Database, rows: AnyRow[]): Promise<LinkPath[]> {
  const ids = JSON.stringify([...new Set(rows.map(({ linkId }) => linkId))]);
  const [paths] = await runBatch(db, findPaths(db, { ids }));
  return paths;
}

/** Adds the sums of each link to itself and to the links above it. */
function addUp(
  paths: LinkPath[],
  { spend, engagements }: Record<ReportName, AnyRow[]>,
): Map<number, LinkFigures> {
  const idsOf = new Map(
    paths.map(({ id, id1, id2, id3 }) => [id, [id, id1, id2, id3].filter((above) => above !== null)]),
  );
  const figures = new Map<number, LinkFigures>();
  const forEach = (rows: AnyRow[], add: (link: LinkFigures, row: AnyRow) => void) => {
    for (const row of rows) {
      const path = idsOf.get(row.linkId ?? 0) ?? [];
      for (const [index, id] of path.entries()) {
        const link = figures.get(id) ?? {
          id,
          parentId: path[index + 1] ?? null,
          clicks: 0,
          impressions: 0,
          spend: [],
        };
        figures.set(id, link);
        add(link, row);
      }
    }
  };
  forEach(engagements, (link, { kind, count }) => {
    link[kind === "click" ? "clicks" : "impressions"] += Number(count);
  });
  forEach(spend, (link, row) => {
    const same = link.spend.find(
      ({ currency, costType }) => currency === row.currency && costType === row.costType,
    );
    if (same) addTo(same as unknown as AnyRow, row, "spend");
    else link.spend.push({ ...row } as unknown as SpendSum);
  });
  return figures;
}
