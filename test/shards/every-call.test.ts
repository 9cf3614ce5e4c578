/** Fault injection on a sharded ledger: every operation × each of its calls to any database × every fault. */
import { beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { replicateCredentials, shardFor } from "../../src/db/ledger/shards.ts";
import { expectDefined } from "../../src/domain/expect-defined.ts";
import { faultyDatabase, type InjectedFault, withoutPauses } from "../faults/faulty.ts";
import { type Call, call, DEMO, ledgerOn, NOW, rows } from "../harness.ts";
import { isLong, oneOf } from "../part.ts";
import { freshLedger, totals } from "../support.ts";
import { idOn } from "./support.ts";

beforeAll(freshLedger);
beforeEach(() => void vi.spyOn(console, "error").mockImplementation(() => {}));

const LOST = "D1_ERROR: Network connection lost.";
const OVERLOADED = "D1_ERROR: D1 DB is overloaded. Requests queued for too long.";
const FAULTS = [OVERLOADED, LOST, undefined].flatMap((message): Omit<InjectedFault, "at">[] => [
  { when: "before", message },
  { when: "after", message },
]);

let lastId = 0;
const newId = () => `every-call-${String(++lastId).padStart(6, "0")}`;
const cost = { cost_type: "cpc", cost_currency: "USD", cost_amount: "1", tag: "t" };

interface Item {
  status: "ok" | number;
  cost_id?: string;
}

const oneId = () => [newId()];
/** Two IDs on each shard. */
const idsOnAll = () => [0, 1, 2, 3, 0, 1, 2, 3].map((number) => idOn(number, newId()));
const shardOf = (costId = "") => shardFor(ledgerOn(), { partnerId: 1, costId });

/** An operation on new IDs. `send` returns those that the response confirms. */
interface Operation {
  newIds: () => string[];
  /** The requests with a fault that do not confirm all IDs. */
  unconfirmed: number;
  table: "costs" | "engagements";
  send: (ids: string[], options: Call) => Promise<{ response: Response; confirmed: string[] }>;
}

async function sendOne(path: string, id: string, options: Call) {
  const response = await call(path, options);
  return { response, confirmed: response.status === 200 ? [id] : [] };
}

const OPERATIONS: [string, Operation][] = [
  [
    "a cost",
    {
      newIds: oneId,
      unconfirmed: 4,
      table: "costs",
      send: ([id = ""], options) =>
        sendOne(`/cost?${new URLSearchParams({ ...cost, cost_id: id })}`, id, {
          method: "POST",
          token: DEMO.costToken,
          ...options,
        }),
    },
  ],
  [
    "a batch with costs on every shard",
    {
      newIds: idsOnAll,
      unconfirmed: isLong ? 16 : 6,
      table: "costs",
      send: async (ids, options) => {
        const json = { costs: ids.map((cost_id) => ({ ...cost, cost_id })) };
        const response = await call("/cost/batch", { token: DEMO.costToken, json, ...options });
        if (response.status !== 200) return { response, confirmed: [] };
        const { results } = await response.clone().json<{ results: Item[] }>();
        const confirmed = ids.filter((_, index) => results[index]?.status === "ok");
        // A call that fails loses all costs of its shard.
        const lost = new Set(ids.filter((id) => !confirmed.includes(id)).map(shardOf));
        expect(results.map(({ status }) => status)).toEqual(
          ids.map((id) => (lost.has(shardOf(id)) ? 503 : "ok")),
        );
        return { response, confirmed };
      },
    },
  ],
  [
    "a click with s2s=1",
    {
      newIds: oneId,
      unconfirmed: 8,
      table: "engagements",
      send: ([id = ""], options) => sendOne(`/${DEMO.linkToken}?s2s=1&cost_id=${id}`, id, options),
    },
  ],
];

it.each(OPERATIONS)(
  "%s stores everything that it confirms, and everything once after a retry",
  async (_name, { newIds, unconfirmed, table, send }) => {
    const stored = async (ids: string[]) =>
      (await rows<{ cost_id: string }>(`SELECT cost_id FROM ${table} WHERE cost_id LIKE 'every-call-%'`))
        .map((row) => row.cost_id)
        .filter((id) => ids.includes(id))
        .sort();
    const options = (database: D1Database): Call => ({ env: { DB: database }, now: NOW + 1 });
    const normal = faultyDatabase();
    await send(newIds(), options(normal.database));
    let lost = 0;
    // One more than the normal number of calls, because a failed call leads to further ones.
    for (let number = 1; number <= normal.calls() + 1; number++) {
      // The calls to the shards are alike, so in `npm test` each has others of the faults.
      for (const fault of newIds === idsOnAll ? oneOf(3, FAULTS, number) : FAULTS) {
        const label = `call ${number}, ${fault.when}: ${fault.message}`;
        const ids = newIds();
        const { database } = faultyDatabase({ ...fault, at: (at) => at === number });
        const { response, confirmed } = await withoutPauses(() => send(ids, options(database)));
        if (confirmed.length < ids.length) lost++;
        if (response.status !== 200) {
          expect(response.status, label).toBe(503);
          expect(response.headers.get("retry-after"), label).toMatch(/^[1-9]\d*$/);
        }
        const found = await stored(ids);
        expect(found, label).toEqual(expect.arrayContaining(confirmed));
        expect(new Set(found).size, label).toBe(found.length);
        const again = await send(ids, { now: NOW + 2 });
        expect(again.confirmed, label).toEqual(ids);
        expect(await stored(ids), label).toEqual(ids);
      }
    }
    expect(lost).toBe(unconfirmed);
    const [sum] = await totals("count");
    expect(sum?.count ?? 0).toBe((await rows("SELECT 1 FROM costs")).length);
  },
);

describe("a revocation", () => {
  const act = (path: string, options: Call = {}) =>
    call(`/operator/v1${path}`, {
      method: "POST",
      token: DEMO.operatorToken,
      replicates: false,
      ...options,
    });
  const revoke = (id: number, options: Call = {}) => act(`/credentials/${id}/revoke`, options);

  /** Issues a credential, of which every shard gets a copy. */
  async function issue(): Promise<{ id: number; credential: string }> {
    const json = { partner_id: 1, mode: "live", cost_types: ["cpc"] };
    const issued = await act("/credentials", { json });
    const { data } = await issued.json<{ data: { items: { id: number; credential: string }[] } }>();
    const item = expectDefined(data.items[0]);
    await replicateCredentials(ledgerOn());
    return item;
  }

  async function statusesOnEveryShard(token: string): Promise<number[]> {
    const run = newId();
    const responses = [0, 1, 2, 3].map((number) =>
      call(`/cost?${new URLSearchParams({ ...cost, cost_id: idOn(number, run) })}`, {
        method: "POST",
        token,
        replicates: false,
      }),
    );
    return (await Promise.all(responses)).map(({ status }) => status);
  }

  it("makes seven calls and applies to every shard", async () => {
    const { id, credential } = await issue();
    expect(await statusesOnEveryShard(credential)).toEqual([200, 200, 200, 200]);
    const { database, calls } = faultyDatabase();
    expect((await revoke(id, { env: { DB: database } })).status).toBe(200);
    // In DB: the operator's access, the revocation and the credentials to copy. Then one per shard.
    expect(calls()).toBe(7);
    expect(await statusesOnEveryShard(credential)).toEqual([403, 403, 403, 403]);
  });

  describe.each(
    FAULTS.map(
      (fault, place) =>
        [`${fault.message ?? "no response"}, ${fault.when} the commit`, fault, place] as const,
    ),
  )("with a failed call: %s", (_, fault, place) => {
    it.each(oneOf(3, [1, 2, 3, 4, 5, 6, 7], place))(
      "call %i: applies to every shard if it is confirmed, and after a retry if it returns 503",
      async (number) => {
        const { id, credential } = await issue();
        const { database } = faultyDatabase({ ...fault, at: (at) => at === number });
        const { status } = await withoutPauses(() => revoke(id, { env: { DB: database } }));
        // After a lost connection, only the calls to the shards are retried.
        expect(status).toBe(fault.message === LOST && number > 3 ? 200 : 503);
        if (status === 503) expect((await revoke(id)).status).toBe(200);
        expect(await statusesOnEveryShard(credential)).toEqual([403, 403, 403, 403]);
      },
    );
  });
});
