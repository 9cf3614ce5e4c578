/** Fault injection in calls that an operation shares with others: each has its own outcome, as in a call of its own. */
import { beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { call, DEMO, withMethods, wrapDatabases } from "../harness.ts";
import { isLong, oneOf } from "../part.ts";
import { type Sampled, sampled } from "./operations.ts";
import { restoreState, settled, startState } from "./state.ts";

/** The frequent operations, which `npm test` tries. */
const FREQUENT = [
  "createLink",
  "createLinks",
  "updateLink",
  "listLinksV1",
  "submitCost",
  "submitBatch",
  "readCost",
  "listCosts",
  "voidCost",
  "openLink",
  "openImpression",
];
const chosen = sampled.filter(({ name }) => isLong || FREQUENT.includes(name));

const OTHER = "faulty-other-0001";
const sendOther = (env: object) =>
  call(`/cost?cost_type=cpc&cost_currency=USD&cost_id=${OTHER}&cost_amount=0.5&tag=t`, {
    method: "POST",
    token: DEMO.costToken,
    env,
  });
const read = (env: object) => call("/cost/demo-spend-00-0", { token: DEMO.costToken, env });

const SQL_ERROR = { when: "before", message: "D1_ERROR: integer overflow: SQLITE_ERROR" } as const;
const FAULTS = [
  SQL_ERROR,
  { when: "after", message: "D1_ERROR: Network connection lost." },
  ...(isLong
    ? ([
        { when: "before", message: "D1_ERROR: Network connection lost." },
        { when: "before", message: "D1_ERROR: D1 DB is overloaded. Requests queued for too long." },
        { when: "after", message: "D1_ERROR: D1 DB is overloaded. Requests queued for too long." },
      ] as const)
    : []),
] as const;
type Fault = (typeof FAULTS)[number];

/** What workerd keeps in a bound statement. */
type Bound = D1PreparedStatement & { params: unknown[] };

/** A database whose first call waits until `release`. The call in which a request is together with the other cost has the fault. */
function open(fault?: Fault) {
  const seen = { calls: 0, bound: 0, shared: 0 };
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const DB = wrapDatabases((real) =>
    withMethods(real, {
      prepare: (sql: string) => {
        seen.bound++;
        return real.prepare(sql);
      },
      batch: async (statements: Bound[]) => {
        if (seen.calls++ === 0) await released;
        const isShared =
          statements.length > 1 && statements.some(({ params }) => String(params).includes(OTHER));
        if (isShared) seen.shared++;
        const failing = isShared && seen.shared === 1 ? fault : undefined;
        if (failing?.when === "before") throw new Error(failing.message);
        const results = await real.batch(statements);
        if (failing) throw new Error(failing.message);
        return results;
      },
    }),
  );
  return { env: { DB, GROUP_CALLS: "1" }, seen, release };
}

const turn = () => new Promise((resolve) => setTimeout(resolve, 0));

/** Sends the operation while a call is in flight and the other cost waits for it. */
async function sendTogether(operation: Sampled | undefined, fault?: Fault) {
  const { env, seen, release } = open(fault);
  const first = read(env);
  while (seen.calls === 0) await turn();
  let before = seen.bound;
  const other = sendOther(env);
  while (seen.bound === before) await turn();
  before = seen.bound;
  let isOver = false;
  const own = operation?.send(env).finally(() => {
    isOver = true;
  });
  while (own && seen.bound === before && !isOver) await turn();
  await turn();
  release();
  const [, { status: cost }, answer] = await Promise.all([first, other, own]);
  return { own: answer?.status, cost, wasShared: seen.shared > 0, state: await settled() };
}

beforeAll(startState);
beforeEach(async () => {
  vi.spyOn(console, "error").mockImplementation(() => {});
  vi.spyOn(console, "log").mockImplementation(() => {});
  vi.spyOn(scheduler, "wait").mockResolvedValue(undefined);
  await restoreState();
});

describe.each(chosen.map((one, place) => [one.name, one, place] as const))("%s", (name, operation, place) => {
  it("and a cost in the same call are each stored if they are confirmed, whatever fails, and not in part", async () => {
    const before = await settled();
    const { status: normal } = await operation.send();
    const ownOnly = await settled();
    // What the cost gets after the operation: 403 if that revoked its credential.
    const { status: late } = await sendOther({});
    const inOrder = await settled();
    await restoreState();
    await sendOther({});
    const costOnly = await settled();
    await restoreState();
    const both = await sendTogether(operation);
    // Others have no statement of their own that shares a call.
    if (!FREQUENT.includes(name) && !both.wasShared) return;
    expect([both.own, both.cost, both.wasShared]).toEqual([normal, 200, true]);
    // Beside a read, only the cost is stored: one of the faults in turn.
    for (const fault of operation.isWrite ? FAULTS : oneOf(FAULTS.length, [...FAULTS], place)) {
      await restoreState();
      const { own, cost, wasShared, state } = await sendTogether(operation, fault);
      const label = `${fault.when}: ${fault.message}`;
      expect(wasShared, label).toBe(true);
      // Nothing is committed after an SQL error, so each is sent again by itself, in any order.
      if (fault === SQL_ERROR)
        expect([`${normal} 200`, `${normal} ${late}`], label).toContain(`${own} ${cost}`);
      expect([normal, 503], label).toContain(own);
      expect([200, late, 503], label).toContain(cost);
      const isRejected = cost !== 200 && cost === late;
      const possible = isRejected ? [inOrder] : [both.state];
      if (cost === 503) possible.push(ownOnly, inOrder);
      if (own !== normal && !isRejected) possible.push(costOnly);
      if (cost === 503 && own !== normal) possible.push(before);
      expect(possible, label).toContainEqual(state);
    }
  });
});
