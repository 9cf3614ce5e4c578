/** Prints the lines of the bench. */
import { type Middle, middleOf, type Pair, ratioOf } from "./compare.ts";
import { AIMS, BATCH_SIZE, type Path } from "./paths.ts";

/**
 * The results of our Worker, the bare Worker and, if requested, the other revision and our Worker without log lines, in this order.
 */
export interface Measured {
  path: Path;
  connections: number;
  pairs: Pair[];
  /** Calls to D1 a request, of our Worker. */
  calls: number;
}

const OURS = 0;
const BARE = 1;
const AGAINST = 2;

const WIDTHS = [25, 5, 9, 9, 13, 5, 9, 13, 7, 9, 8, 13, 18, 7, 18, 7, 18];

export function printHeader(revision: string | undefined, withQuiet: boolean): void {
  const titles = [
    "path",
    "conn",
    "CPU µs",
    "bare µs",
    "CPU",
    `≤${AIMS.cpu}`,
    "req/s",
    "req/s ratio",
    `≥${AIMS.throughput}`,
    "D1 calls",
    "p99 ms",
    "p99 ratio",
  ];
  const toRevision = [
    `CPU to ${revision}`,
    `≤${AIMS.against}`,
    `req/s to ${revision}`,
    `≥${AIMS.throughputAgainst}`,
    `p99 to ${revision}`,
  ];
  const quiet = ["CPU without log", "req/s without log"];
  printRow([...titles, ...(revision ? toRevision : []), ...(withQuiet ? quiet : [])]);
}

export function printLine(
  { path, connections, pairs, calls }: Measured,
  revision: string | undefined,
  withQuiet: boolean,
): void {
  const cpu = ratioOf(pairs, "cpu", OURS, BARE);
  const throughput = ratioOf(pairs, "throughput", OURS, BARE);
  const cells = [
    path.name,
    String(connections),
    toWhole(pairs, "cpu", OURS),
    toWhole(pairs, "cpu", BARE),
    toRatio(cpu),
    toVerdict(cpu.median <= AIMS.cpu),
    toWhole(pairs, "throughput", OURS),
    toRatio(throughput),
    toVerdict(throughput.median >= AIMS.throughput),
    calls.toFixed(2),
    middleOf(pairs, (pair) => pair[OURS]?.p99 ?? Number.NaN).median.toFixed(1),
    toRatio(ratioOf(pairs, "p99", OURS, BARE)),
  ];
  if (revision) {
    const against = ratioOf(pairs, "cpu", OURS, AGAINST);
    const throughputAgainst = ratioOf(pairs, "throughput", OURS, AGAINST);
    cells.push(
      toRatio(against),
      toVerdict(against.median <= AIMS.against),
      toRatio(throughputAgainst),
      toVerdict(throughputAgainst.median >= AIMS.throughputAgainst),
      toRatio(ratioOf(pairs, "p99", OURS, AGAINST)),
    );
  }
  if (withQuiet) {
    const quiet = revision ? AGAINST + 1 : AGAINST;
    cells.push(
      toRatio(ratioOf(pairs, "cpu", quiet, BARE)),
      toRatio(ratioOf(pairs, "throughput", quiet, BARE)),
    );
  }
  printRow(cells);
}

/** The ratio of the costs per second in batches to those in single calls. */
export function printBatch(measured: Measured[]): void {
  for (const { connections, pairs } of measured.filter(({ path }) => path.name === "cost")) {
    const batch = measured.find((one) => one.path.name === "batch" && one.connections === connections);
    if (!batch) continue;
    const rateOf = (some: Pair[]) => middleOf(some, (pair) => pair[OURS]?.throughput ?? Number.NaN).median;
    const costs = rateOf(batch.pairs) * BATCH_SIZE;
    const times = (costs / rateOf(pairs)).toFixed(1);
    console.log(
      `\nBatches, ${connections} connections: ${costs.toFixed(0)} costs/s, ${times} times single calls`,
    );
  }
}

function toWhole(pairs: Pair[], figure: "cpu" | "throughput", server: number): string {
  return middleOf(pairs, (pair) => pair[server]?.[figure] ?? Number.NaN).median.toFixed(0);
}

function toRatio({ median, spread }: Middle): string {
  return `${median.toFixed(2)} ±${spread.toFixed(2)}`;
}

function toVerdict(isMet: boolean): string {
  return isMet ? "yes" : "no";
}

function printRow(cells: string[]): void {
  console.log(
    cells
      .map((cell, column) => cell.padEnd(WIDTHS[column] ?? 18))
      .join(" ")
      .trimEnd(),
  );
}
