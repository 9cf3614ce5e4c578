/** A spread ledger × every call that an operation makes to any of its databases × what may go wrong there. */
import { beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { faultyDatabase, type InputError, withoutPauses } from "../faults/faulty.ts";
import { type Call, call, DEMO, NOW, rows } from "../harness.ts";
import { freshLedger, totals } from "../support.ts";
import { CHANGE } from "./support.ts";

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
    call(`/operator/v1${path}`, { method: "POST", token: DEMO.operatorToken, ...options });

  it("that is told as done holds on every shard, whatever failed, and one that is not is done by the same again", async () => {
    let isCovered = false;
    for (let number = 1; !isCovered; number++) {
      for (const fault of FAULTS) {
        const json = { partner_id: 1, mode: "live", cost_types: ["cpc"] };
        const made = await act("/credentials", { json });
        const { data } = await made.json<{ data: { items: { id: number; credential: string }[] } }>();
        const [item] = data.items;
        const { database, calls } = faultyDatabase({ ...fault, at: (at) => at === number });
        const told = await withoutPauses(() =>
          act(`/credentials/${item?.id}/revoke`, { env: { DB: database } }),
        );
        isCovered = calls() < number;
        expect([200, 503]).toContain(told.status);
        if (told.status === 503) expect((await act(`/credentials/${item?.id}/revoke`)).status).toBe(200);
        const json8 = { costs: Array.from({ length: 8 }, () => ({ ...cost, cost_id: newId() })) };
        const rejected = await call("/cost/batch", { token: item?.credential, json: json8 });
        expect(rejected.status, `call ${number}, ${fault.when}: ${fault.message}`).toBe(403);
      }
    }
  });
});
