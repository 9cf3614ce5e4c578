/** Compares what two servers answer and store: a bare Worker that leaves something out would do a different job. */
import { settleAll } from "./compare.ts";
import type { Path } from "./paths.ts";
import type { Server } from "./servers.ts";

/** Numbers that no measured request has. */
let next = 2 ** 40;

/** The difference of the second server, or undefined. Values may differ; names, types and the number of stored rows may not. */
export async function findDifference(one: Server, other: Server, path: Path): Promise<string | undefined> {
  const n = next++;
  const [expected, found] = [await readResult(one, path, n), await readResult(other, path, n)];
  return expected === found ? undefined : `${one.name}: ${expected}\n${other.name}: ${found}`;
}

async function readResult(server: Server, path: Path, n: number): Promise<string> {
  const before = await countRows(server.db);
  const shape = await readShape(server, path, n);
  await settleAll([server], path);
  const after = await countRows(server.db);
  return `${shape}, stored ${JSON.stringify(after.map((count, index) => count - (before[index] ?? 0)))}`;
}

/** Engagements, those that went to the ledger, IDs in the ledger, links, and entries of the audit log. */
async function countRows(db: D1Database): Promise<number[]> {
  const rows = await db
    .prepare(
      `SELECT total(count), total(recorded), (SELECT count(*) FROM ledger_entries), (SELECT count(*) FROM links),
         (SELECT count(*) FROM audit_log)
       FROM daily_engagements`,
    )
    .raw<number[]>();
  return rows[0] ?? [];
}

async function readShape({ url, data }: Server, path: Path, n: number): Promise<string> {
  const { path: target, ...init } = path.ask(data, n);
  const answer = await fetch(url + target, { ...init, redirect: "manual" });
  const type = answer.headers.get("content-type");
  const body = type === "application/json" ? toShape(await answer.json()) : (await answer.bytes()).length;
  return `${answer.status} ${type} ${JSON.stringify(body)}`;
}

function toShape(value: unknown): unknown {
  if (Array.isArray(value)) return [value.length, toShape(value[0])];
  if (value === null || typeof value !== "object") return value === null ? null : typeof value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([name, inner]) => [name, toShape(inner)] as const)
      .sort(([one], [other]) => one.localeCompare(other)),
  );
}
