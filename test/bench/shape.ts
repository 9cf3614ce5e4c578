/** Compares the responses of two servers: a bare Worker that leaves out fields would do a different job. */
import type { Path } from "./paths.ts";
import type { Server } from "./servers.ts";

/** Numbers that no measured request has. */
let next = 2 ** 40;

/** The difference of the second response, or undefined. Values may differ, names and types may not. */
export async function findDifference(one: Server, other: Server, path: Path): Promise<string | undefined> {
  const n = next++;
  const [expected, found] = [await readShape(one, path, n), await readShape(other, path, n)];
  return expected === found ? undefined : `${one.name}: ${expected}\n${other.name}: ${found}`;
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
