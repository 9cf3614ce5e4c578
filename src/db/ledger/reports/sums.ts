/**
 * Reads reports: sums of the daily totals, added up over DB and every shard. One call to each database; above MAX_COVERED rows one for
 * each range of days.
 */
import type { AppAccess } from "../../accounts/viewers.ts";
import type { Partners } from "../../links/partner-catalog.ts";
import { type Batch, type NamedRows, runBatch, TooLargeError } from "../../statement.ts";
import { type Ledger, readShards, runNamed } from "../shards.ts";
import { addUp, collect, type DaySeries, isOver, targetsAt } from "./add-up.ts";
import { type Read, readRanges } from "./ranges.ts";
import type { ReportRow } from "./sources.ts";
import {
  judgementIn,
  linksIn,
  type Parts,
  type Place,
  type Plan,
  type SumsRequest,
  shardsOf,
  sumsIn,
  toPlan,
  viewOf,
} from "./statements.ts";
import { findChains, type LinkChain, unlessTooLarge } from "./totals.ts";

/** The link of the filter. */
export type FilterLink = { level: number; label: string };

export interface Sums<P extends Parts, More extends Batch> {
  /** Undefined for an unknown token, without an app for a user who is not a member: there are no rows then. */
  access: AppAccess | undefined;
  /** Undefined if the app does not have the link that the reports are filtered by: there are no rows then. */
  link: FilterLink | undefined;
  partners: Partners;
  /** The first day that was read. */
  from: number;
  /** A shard did not answer, so its costs and clicks are missing. */
  isPartial: boolean;
  /** Whether a part has more than MAX_ROWS rows, so that not all of them were read. */
  isTooMany: (name: keyof P) => boolean;
  /** The rows of a part, ordered by their keys. By link, each is added to the one of this level above it. */
  rowsOf: <Name extends keyof P>(name: Name, level?: number) => ReportRow<P[Name]["report"]>[];
  /** The rows of a part before they are added up, with their days if they were asked for, and with the names of their links. */
  seriesOf: (name: keyof P, level?: number) => DaySeries[];
  /** The links of the rows, with those above them. */
  links: LinkChain[];
  more: NamedRows<More>;
}

/** Reads sums, and what other statements of the viewer read. Throws TooLargeError. */
export async function readSums<const P extends Parts, More extends Batch = Record<never, never>>(
  ledger: Ledger,
  request: SumsRequest<P>,
  more: More = {} as More,
): Promise<Sums<P, More>> {
  const plan = toPlan(ledger, request);
  const read = (await readAllDays(plan, more)) ?? (await readRanges(plan, more));
  const { days } = plan;
  if (read.from > days.from && !request.canBeCut) throw new TooLargeError(days.to - read.from + 1);
  return toSums(request.parts, plan, { ...read, links: await withMissing(ledger.control, read) });
}

/** Reads all days in one call to each database. Returns undefined if that is too much. */
async function readAllDays<More extends Batch>(plan: Plan, more: More): Promise<Read<More> | undefined> {
  const { ledger, control, days, isByLink, canBeCut } = plan;
  const inControl = await unlessTooLarge(
    runNamed(ledger, control.db, {
      view: viewOf(plan),
      judged: {
        links: isByLink ? linksIn(control, plan) : undefined,
        judgement: isByLink ? undefined : judgementIn(control, plan),
      },
      sums: sumsIn(plan, control, days),
      more,
    }),
  );
  if (!inControl) return undefined;
  const { view, judged } = inControl;
  const readShard = (shard: Place) =>
    runNamed(ledger, shard.db, {
      judged: { judgement: judgementIn(shard, plan) },
      sums: sumsIn(plan, shard, days),
    });
  const inShards = await unlessTooLarge(readShards(shardsOf(plan, view), readShard, plan.isPartialAllowed));
  if (!inShards) return undefined;
  const { found, isPartial } = inShards;
  const rows = collect(plan, new Map(), [inControl, ...found], days);
  if (isOver(plan, rows) && canBeCut && days.from < days.to) return undefined;
  return { view, more: inControl.more, links: judged.links, rows, from: days.from, isPartial };
}

/** The links of the rows with those that only a shard or a range of days has. */
async function withMissing(db: D1Database, { links, rows }: Pick<Read<Batch>, "links" | "rows">) {
  const known = new Set(links.map(({ linkId }) => linkId));
  const missing = new Set(
    [...rows.values()]
      .flatMap((found = []) => found)
      .flatMap(({ linkId }) => (linkId === null || known.has(linkId) ? [] : [linkId])),
  );
  if (missing.size === 0) return links;
  const [others] = await runBatch(db, findChains(db, { ids: JSON.stringify([...missing]) }));
  return [...links, ...others];
}

function toSums<P extends Parts, More extends Batch>(
  parts: P,
  { catalog }: Plan,
  { view, more, links, rows, from, isPartial }: Read<More>,
): Sums<P, More> {
  const partners: Partners = catalog?.read(view.partners) ?? new Map();
  const [viewed] = view.access;
  return {
    access: viewed,
    link: viewed?.level == null ? undefined : { level: viewed.level, label: viewed.label ?? "" },
    partners,
    from,
    isPartial,
    links,
    more,
    isTooMany: (name) => rows.has(String(name)) && rows.get(String(name)) === undefined,
    rowsOf: (name, level = 4) => {
      const { report } = parts[name] as P[typeof name];
      const sums = addUp(report, rows.get(String(name)) ?? [], targetsAt(level, links));
      for (const row of sums) row.partnerName = partners.get(row.partnerId ?? 0)?.displayName ?? null;
      return sums as unknown as ReportRow<P[typeof name]["report"]>[];
    },
    seriesOf: (name, level = 4) => {
      const targetOf = new Map(targetsAt(level, links).map((target) => [target.linkId, target]));
      return (rows.get(String(name)) ?? []).map(
        (sum) => ({ ...sum, ...targetOf.get(sum.linkId ?? 0) }) as DaySeries,
      );
    },
  };
}
