/** Reads reports that are too much for one call: a range of days after the other, with time for the ledger between them. */
import type { Batch, NamedRows } from "../../statement.ts";
import { readShards, runNamed } from "../shards.ts";
import { collect, isOver, type Rows } from "./add-up.ts";
import {
  appsOf,
  newestIn,
  type Place,
  type Plan,
  shardsOf,
  sumsIn,
  type View,
  viewOf,
} from "./statements.ts";
import type { LinkChain } from "./totals.ts";

/** The most calls of a report to a database. */
export const MAX_CALLS = 10;
/** How long the ledger has the database between two calls of a report, in milliseconds. */
const PAUSE_MS = 20;

/** What was read of the databases. */
export interface Read<More extends Batch> {
  view: View;
  more: NamedRows<More>;
  /** Those that were read with the totals. */
  links: LinkChain[];
  rows: Rows;
  from: number;
  isPartial: boolean;
}

/** Reads the newest days first, until all are read or there were too many calls. */
export async function readRanges<More extends Batch>(plan: Plan, more: More): Promise<Read<More>> {
  const { ledger, control, days, canBeCut } = plan;
  const begun = await runNamed(ledger, control.db, {
    view: viewOf(plan),
    newest: newestIn(control, days),
    more,
  });
  const { view } = begun;
  const shards = shardsOf(plan, view);
  const read = { view, more: begun.more, links: [], rows: new Map() as Rows, isPartial: false };
  if (appsOf(plan, view.access).length === 0) return { ...read, from: days.from };

  const runOnShards = async <Groups extends Record<string, Batch>>(groupsFor: (place: Place) => Groups) => {
    const run = (shard: Place) => runNamed(ledger, shard.db, groupsFor(shard));
    const { found, isPartial } = await readShards(shards, run, plan.isPartialAllowed);
    read.isPartial ||= isPartial;
    return found;
  };
  const runOnAll = async <Groups extends Record<string, Batch>>(groupsFor: (place: Place) => Groups) => [
    await runNamed(ledger, control.db, groupsFor(control)),
    ...(await runOnShards(groupsFor)),
  ];

  const starts = await runOnShards((shard) => ({ newest: newestIn(shard, days) }));
  /** The first of the newest days that one call reads; undefined: nobody has looked. */
  let start: number | undefined = firstOf([begun, ...starts]);
  /** The last day that is not read yet. */
  let { to } = days;
  for (let calls = 2; calls < MAX_CALLS && to >= days.from; calls++) {
    await scheduler.wait(PAUSE_MS);
    const upTo = { from: days.from, to };
    const first: number = start ?? firstOf(await runOnAll((place) => ({ newest: newestIn(place, upTo) })));
    // A day that is more than a call reads has a call of its own, which does not count the days before it.
    const isLarge = first > to;
    const range = { from: Math.min(Math.max(first, days.from), to), to };
    const rest = range.from > days.from && !isLarge ? { from: days.from, to: range.from - 1 } : undefined;
    const results = await runOnAll((place) => ({
      sums: sumsIn(plan, place, range),
      newest: newestIn(place, rest),
    }));
    const rows = collect(plan, read.rows, results, range, true);
    if (isOver(plan, rows) && canBeCut) {
      // What is read already is enough for a page.
      if (to < days.to) break;
      if (range.from < to) {
        start = to - Math.floor((to - range.from) / 2);
        continue;
      }
    }
    read.rows = rows;
    to = range.from - 1;
    start = isLarge ? undefined : firstOf(results);
    // The count of the days before is a call too.
    if (isLarge) calls++;
  }
  return { ...read, from: to + 1 };
}

/** The first day that fits in every database. */
const firstOf = (results: { newest: { days: { first: number }[] } }[]) =>
  Math.max(...results.map(({ newest }) => newest.days[0]?.first ?? 0));
