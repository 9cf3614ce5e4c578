/** A spread ledger × every call that an operation makes to any of its databases × what may go wrong there. */
import { beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { expectDefined } from "../../src/domain/expect-defined.ts";
import { faultyDatabase, type InputError, withoutPauses } from "../faults/faulty.ts";
import { type Call, call, DEMO, NOW, rows } from "../harness.ts";
import { freshLedger, totals } from "../support.ts";
import { CHANGE, idOn } from "./support.ts";

beforeAll(freshLedger);
beforeEach(() => void vi.spyOn(console, "error").mockImplementation(() => {}));

const LOST = "D1_ERROR: Network connection lost.";
const OVERLOADED = "D1_ERROR: D1 DB is overloaded. Requests queued for too long.";
const FAULTS = [OVERLOADED, LOST, undefined].flatMap((message): Omit<InputError, "at">[] => [
  { when: "before", message },
  { when: "after", message },
]);

let drawn = 0;
const newId = () => `every-call-${String(++drawn).padStart(6, "0")}`;
const cost = { cost_type: "cpc", cost_currency: "USD", cost_amount: "1", tag: "t" };

interface Item {
  status: "ok" | number;
  cost_id?: string;
}

/** Each acts on ids of its own, and says which of them it told as done. */
interface Operation {
  ids: number;
  table: "costs" | "engagements";
  send: (ids: string[], options: Call) => Promise<{ response: Response; done: string[] }>;
}

async function sendOne(path: string, id: string, options: Call) {
  const response = await call(path, options);
  return { response, done: response.status === 200 ? [id] : [] };
}

const OPERATIONS: [string, Operation][] = [
  [
    "a cost",
    {
      ids: 1,
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
    "a batch over every shard",
    {
      ids: 8,
      table: "costs",
      send: async (ids, options) => {
        const json = { costs: ids.map((cost_id) => ({ ...cost, cost_id })) };
        const response = await call("/cost/batch", { token: DEMO.costToken, json, ...options });
        if (response.status !== 200) return { response, done: [] };
        const { results } = await response.clone().json<{ results: Item[] }>();
        expect(results).toHaveLength(ids.length);
        for (const { status } of results) expect(["ok", 503]).toContain(status);
        return { response, done: ids.filter((_, index) => results[index]?.status === "ok") };
      },
    },
  ],
  [
    "a committed click",
    {
      ids: 1,
      table: "engagements",
      send: ([id = ""], options) => sendOne(`/${DEMO.linkToken}?s2s=1&cost_id=${id}`, id, options),
    },
  ],
];

describe.each([
  ["spread over four databases", "4"],
  ["while it is spread anew", CHANGE],
])("%s", (_, LEDGER_MAP) => {
  it.each(OPERATIONS)(
    "%s is told right or 503, and is there once after the same again",
    { timeout: 60_000 },
    async (_name, { ids: count, table, send }) => {
      const draw = () => Array.from({ length: count }, newId);
      const stored = async (ids: string[]) =>
        (await rows<{ cost_id: string }>(`SELECT cost_id FROM ${table} WHERE cost_id LIKE 'every-call-%'`))
          .map((row) => row.cost_id)
          .filter((id) => ids.includes(id))
          .sort();
      const options = (database: D1Database): Call => ({ env: { DB: database, LEDGER_MAP }, now: NOW + 1 });
      const clean = faultyDatabase();
      await send(draw(), options(clean.database));
      expect(clean.calls()).toBeGreaterThan(0);
      let unanswered = 0;
      // One more than it makes: some of them are made at once, and what fails makes others.
      for (let number = 1; number <= clean.calls() + 1; number++) {
        for (const fault of FAULTS) {
          const label = `call ${number}, ${fault.when}: ${fault.message}`;
          const ids = draw();
          const { database } = faultyDatabase({ ...fault, at: (at) => at === number });
          const { response, done } = await withoutPauses(() => send(ids, options(database)));
          if (done.length < count) unanswered++;
          if (response.status !== 200) {
            expect(response.status, label).toBe(503);
            expect(response.headers.get("retry-after"), label).toMatch(/^[1-9]\d*$/);
          }
          const there = await stored(ids);
          expect(there, label).toEqual(expect.arrayContaining(done));
          expect(new Set(there).size, label).toBe(there.length);
          const again = await send(ids, { env: { LEDGER_MAP }, now: NOW + 2 });
          expect(again.done, label).toEqual(ids);
          expect(await stored(ids), label).toEqual(ids);
        }
      }
      expect(unanswered).toBeGreaterThan(0);
      const [sum] = await totals("count");
      expect(sum?.count ?? 0).toBe((await rows("SELECT 1 FROM costs")).length);
    },
  );
});

describe("a revocation", () => {
  const act = (path: string, options: Call = {}) =>
    call(`/operator/v1${path}`, {
      method: "POST",
      token: DEMO.operatorToken,
      replicates: false,
      ...options,
    });
  const revoke = (id: number, options: Call = {}) => act(`/credentials/${id}/revoke`, options);

  /** A new credential of which every shard has a copy. */
  async function issue(): Promise<{ id: number; credential: string }> {
    const json = { partner_id: 1, mode: "live", cost_types: ["cpc"] };
    const issued = await act("/credentials", { json });
    const { data } = await issued.json<{ data: { items: { id: number; credential: string }[] } }>();
    const item = expectDefined(data.items[0]);
    expect(await statusesOnEveryShard(item.credential)).toEqual([200, 200, 200, 200]);
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

  /** One to DB that revokes, one that reads what the copies hold, and one to each shard. */
  const CALLS = 6;

  it("makes six calls where none fails, and holds on every shard", async () => {
    const { id, credential } = await issue();
    const { database, calls } = faultyDatabase();
    expect((await revoke(id, { env: { DB: database } })).status).toBe(200);
    expect(calls()).toBe(CALLS);
    expect(await statusesOnEveryShard(credential)).toEqual([403, 403, 403, 403]);
  });

  describe.each(
    FAULTS.map(
      (fault) => [`${fault.message ?? "no answer at all"}, ${fault.when} the commit`, fault] as const,
    ),
  )("whose call fails: %s", (_, fault) => {
    const isRetried = fault.message === LOST;

    it.each([1, 2, 3, 4, 5, 6])(
      "call %i: holds on every shard where it is confirmed, and else after the same again",
      async (number) => {
        const { id, credential } = await issue();
        const { database } = faultyDatabase({ ...fault, at: (at) => at === number });
        const { status } = await withoutPauses(() => revoke(id, { env: { DB: database } }));
        expect(status).toBe(isRetried && number > 2 ? 200 : 503);
        if (status === 503) expect((await revoke(id)).status).toBe(200);
        expect(await statusesOnEveryShard(credential)).toEqual([403, 403, 403, 403]);
      },
    );
  });
});
