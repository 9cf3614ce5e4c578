import { buildWorker } from "../built-worker.ts";
import { openInspector } from "../inspector.ts";
import { freePort } from "../live-service.ts";
import { drive } from "./load.ts";
import type { Path } from "./paths.ts";
import { type Prepared, start } from "./servers.ts";

/** In microseconds. */
const INTERVAL = 200;
const WARM_UP = 2_000;
const SHOWN = 25;

interface Node {
  id: number;
  callFrame: { functionName: string; url: string };
  children?: number[];
}
interface Profile {
  nodes: Node[];
  samples: number[];
  /** In microseconds. */
  timeDeltas: number[];
}

/** Prints the functions that take the most time, as a share of the time in which the isolate was busy. */
export async function printProfile(
  prepared: Prepared,
  path: Path,
  connections: number,
  count: number,
): Promise<void> {
  const { script } = buildWorker(undefined, "--no-minify");
  const inspectorPort = await freePort();
  const server = await start({ ...prepared, settings: { ...prepared.settings, script, inspectorPort } });
  let next = 1_000_000;
  const send = (requests: number) => {
    const asks = Array.from({ length: requests }, () => path.ask(server.data, next++));
    return drive(server, asks, path.status, connections);
  };
  const inspector = await openInspector(inspectorPort, server.name);
  try {
    await send(WARM_UP);
    // An isolate handles a command only with its next request.
    const call = async <Result>(method: string, params?: object) => {
      const result = inspector.own.send<Result>(method, params);
      await send(connections);
      return result;
    };
    await call("Profiler.enable");
    await call("Profiler.setSamplingInterval", { interval: INTERVAL });
    await call("Profiler.start");
    await send(count);
    const { profile } = await call<{ profile: Profile }>("Profiler.stop");
    print(path.name, profile);
  } finally {
    inspector.close();
    await server.stop();
  }
}

function print(name: string, { nodes, samples, timeDeltas }: Profile): void {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])));
  const self = new Map<string, number>();
  const total = new Map<string, number>();
  const add = (times: Map<string, number>, node: string, time: number) =>
    times.set(node, (times.get(node) ?? 0) + time);
  let busy = 0;
  for (const [index, id] of samples.entries()) {
    const time = timeDeltas[index] ?? 0;
    const stack: string[] = [];
    for (let at: number | undefined = id; at !== undefined; at = parents.get(at)) {
      const node = byId.get(at);
      if (node) stack.push(nameOf(node));
    }
    const [top] = stack;
    if (!top || top === "(idle)") continue;
    busy += time;
    add(self, top, time);
    for (const one of new Set(stack)) add(total, one, time);
  }
  console.log(`\nProfile of ${name}, in percent of the time in which the isolate was busy`);
  for (const [title, times] of Object.entries({ self, total })) {
    console.log(title);
    const ordered = [...times].sort(([, one], [, other]) => other - one).slice(0, SHOWN);
    for (const [node, time] of ordered)
      console.log(`${((time / busy) * 100).toFixed(1).padStart(6)}  ${node}`);
  }
}

function nameOf({ callFrame: { functionName, url } }: Node): string {
  const name = functionName || "(anonymous)";
  return !url.includes(":") ? name : `${name} of the runtime`;
}
