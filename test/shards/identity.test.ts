/** Selects the shard of an ID, and rejects bindings that do not fit what the databases store. */
import { beforeEach, describe, expect, it, type MockInstance, test, vi } from "vitest";
import { ledgerOf, nameOf, shardFor } from "../../src/db/ledger/shards.ts";
import { setIdentity } from "../../src/dev/deployment/shard-identity.ts";
import type { OpenedLink } from "../../src/domain/costs.ts";
import { expectDefined } from "../../src/domain/expect-defined.ts";
import { recordQueued } from "../../src/engagement/queue.ts";
import type { Env } from "../../src/env.ts";
import worker from "../../src/index.ts";
import { Browser } from "../account/support.ts";
import {
  ask,
  type Call,
  call,
  click,
  DAY,
  DEMO,
  env,
  ledgerOn,
  NOW,
  queueBatch,
  rejection,
  sendCost,
  withMethods,
} from "../harness.ts";
import { freshLedger, openedLink } from "../support.ts";
import { databasesWith, idOn, shard } from "./support.ts";

let log: MockInstance<typeof console.error>;

beforeEach(async () => {
  log = vi.spyOn(console, "error").mockImplementation(() => {});
  await freshLedger();
});

describe("the shard of an ID", () => {
  // Rows of deployed ledgers are found with these numbers, so they must never change.
  it.each<[partnerId: number, costId: string, of3: number, of4: number, of16: number, of32: number]>([
    [1, "acme-click-20260701", 1, 2, 10, 26],
    [1, "0b6f5b0e-6f0c-4a4e", 1, 2, 2, 2],
    [1, "ключ-клика-0001", 2, 0, 8, 8],
    [1, "url-9f8c2a44-5b1e-4d27-8a63-0c7d1e2f3a4b", 0, 3, 7, 23],
    [1, "sequence-1000000", 1, 3, 3, 3],
    [1, "sequence-1000001", 2, 1, 1, 1],
    [2, "sequence-1000000", 2, 1, 5, 21],
    [2, "click 😀 0001", 2, 2, 6, 22],
    [37, "0000000000000000", 1, 0, 4, 20],
    [37, "zzzzzzzzzzzz", 1, 2, 10, 26],
    [1_000_000, "a".repeat(256), 0, 0, 12, 12],
  ])("is always the same with 1, 3, 4, 16 and 32 shards: partner %i, %s", (partnerId, costId, ...of) => {
    const found = [1, 3, 4, 16, 32].map((count) => {
      const shards = Array.from({ length: count }, () => again(env.DB));
      return shards.indexOf(shardFor({ control: env.DB, shards }, { partnerId, costId }));
    });
    expect(found).toEqual([0, ...of]);
  });

  it("is any with the same probability, also for sequential IDs", () => {
    for (const idOf of [
      (index: number) => `sequence-${1e6 + index}`,
      (index: number) => `${index}-suffix-0001`,
    ]) {
      const counts = new Map<D1Database, number>();
      for (let index = 0; index < 4_000; index++) {
        const database = shardFor(ledgerOn(), { partnerId: 1, costId: idOf(index) });
        counts.set(database, (counts.get(database) ?? 0) + 1);
      }
      expect([...counts.keys()].every((db) => ledgerOn().shards.includes(db))).toBe(true);
      expect(counts.size).toBe(4);
      for (const count of counts.values()) expect(Math.abs(count - 1_000)).toBeLessThan(150);
    }
  });

  it("is DB without LEDGER_ bindings", () => {
    const ledger = ledgerOf({ DB: env.DB });
    expect(shardFor(ledger, { partnerId: 1, costId: "any-cost-id-1" })).toBe(env.DB);
  });
});

test.each([0, 1, 2, 3])("stores a cost and its click only on shard %i", async (number) => {
  const costId = idOn(number);
  await click(costId);
  expect((await sendCost({ cost_id: costId, cost_amount: "1" })).body.match).toBe("matched");
  const name = `LEDGER_${number}`;
  expect([await databasesWith("engagements", costId), await databasesWith("costs", costId)]).toEqual([
    [name],
    [name],
  ]);
});

/** A second binding of the same database. */
const again = (db: D1Database) => withMethods(db, {});

/** What a database stores about its place. */
const store = (db: D1Database, shards: number, index: number | null) =>
  db.prepare("UPDATE shard_identity SET shards = ?, shard_index = ?").bind(shards, index).run();

type Shards = Partial<Record<`LEDGER_${number}`, D1Database | undefined>>;

/** The names of the shards from `LEDGER_0`, bound to these databases. */
const bind = (...shards: (D1Database | undefined)[]): Shards =>
  Object.fromEntries([0, 1, 2, 3, 4].map((index) => [`LEDGER_${index}`, shards[index]]));

const shards = () => [0, 1, 2, 3].map(shard);
const everyDatabase = () => [env.DB, ...shards()];

interface Wrong {
  bindings: () => Shards | Promise<Shards>;
  /** What /readyz reports. */
  reason: string;
  /** The databases that fit. Default: none. */
  fitting?: string[];
}

const WRONG: [string, Wrong][] = [
  [
    "three of four shards are bound",
    {
      bindings: () => bind(...shards().slice(0, 3)),
      reason: "DB stores 4 shards, but 3 LEDGER_ bindings are bound.",
    },
  ],
  [
    "one of four shards is bound",
    { bindings: () => bind(shard(0)), reason: "DB stores 4 shards, but 1 LEDGER_ binding is bound." },
  ],
  [
    "none of four shards is bound",
    { bindings: () => bind(), reason: "DB stores 4 shards, but 0 LEDGER_ bindings are bound." },
  ],
  [
    "the numbers of the bindings have a gap",
    {
      bindings: () => bind(shard(0), shard(1), undefined, shard(3)),
      reason: "DB stores 4 shards, but 2 LEDGER_ bindings are bound.",
    },
  ],
  [
    "a fifth shard is bound, to the database of another one",
    {
      bindings: () => bind(...shards(), again(shard(2))),
      reason: "DB stores 4 shards, but 5 LEDGER_ bindings are bound. LEDGER_4 is shard 2 of 4.",
    },
  ],
  [
    "no database stores the number",
    {
      bindings: async () => {
        for (const db of everyDatabase()) await store(db, 0, null);
        return {};
      },
      reason: "DB stores 0 shards, but 4 LEDGER_ bindings are bound.",
    },
  ],
  [
    "the databases are those of a ledger with eight shards",
    {
      bindings: async () => {
        await store(env.DB, 8, null);
        for (const [index, db] of shards().entries()) await store(db, 8, index);
        return {};
      },
      reason: "DB stores 8 shards, but 4 LEDGER_ bindings are bound.",
    },
  ],
  [
    "the shards are bound in reverse order",
    {
      bindings: () => bind(...shards().reverse()),
      reason:
        "LEDGER_0 is shard 3 of 4. LEDGER_1 is shard 2 of 4. LEDGER_2 is shard 1 of 4. LEDGER_3 is shard 0 of 4.",
      fitting: ["DB"],
    },
  ],
  [
    "two shards are swapped",
    {
      bindings: () => bind(shard(0), shard(2), shard(1), shard(3)),
      reason: "LEDGER_1 is shard 2 of 4. LEDGER_2 is shard 1 of 4.",
      fitting: ["DB", "LEDGER_0", "LEDGER_3"],
    },
  ],
  [
    "one shard does not store the number",
    {
      bindings: async () => {
        await store(shard(3), 0, null);
        return {};
      },
      reason: "LEDGER_3 stores 0 shards, but 4 LEDGER_ bindings are bound.",
      fitting: ["DB", "LEDGER_0", "LEDGER_1", "LEDGER_2"],
    },
  ],
  [
    "the database of DB is also bound as a shard",
    {
      bindings: () => bind(shard(0), again(env.DB), shard(2), shard(3)),
      reason: "LEDGER_1 is the DB of 4 shards.",
      fitting: ["DB", "LEDGER_0", "LEDGER_2", "LEDGER_3"],
    },
  ],
];

const NOT_CONFIGURED = { status: 503, code: "not_configured", params: [] };

/** Whether the log names a binding. */
const isLogged = () => log.mock.calls.some(([line]) => /(DB|LEDGER_\d) (stores|is) /.test(String(line)));

/** By name, every row of the ledger in a database, with the copies of the credentials. */
async function everything(): Promise<Map<string, object>> {
  const tables = [
    "ledger_entries",
    "daily_totals",
    "daily_engagements",
    "purge_positions",
    "credentials",
    "partners",
  ];
  const found = everyDatabase().map(async (db) => {
    const statements = [...tables, "shard_identity"].map((table) => db.prepare(`SELECT * FROM ${table}`));
    const rows = (await db.batch(statements)).map(({ results }) => results);
    return [nameOf(ledgerOn(), db), rows] as const;
  });
  return new Map(await Promise.all(found));
}

const cost = (cost_id: string) => ({
  cost_id,
  cost_type: "cpc",
  cost_currency: "USD",
  cost_amount: "1",
  tag: "t",
});

/** Sends every request that reads or writes the ledger. Returns the errors. */
function sendAll(costId: string, options: Call) {
  const query = new URLSearchParams(cost(costId));
  const partner = { token: DEMO.costToken, ...options };
  const user = { token: DEMO.apiToken, ...options };
  const spend = `/public/v1/apps/${DEMO.appToken}/spend?from=2026-03-01&to=2026-03-15`;
  return Promise.all([
    rejection(`/cost?${query}`, { method: "POST", ...partner }),
    rejection("/cost/batch", { json: { costs: [cost(costId)] }, ...partner }),
    rejection(`/cost/${costId}`, partner),
    rejection(`/cost?${query}`, { method: "POST", ...partner, token: DEMO.testCostToken }),
    rejection("/cost/round", { ...partner, token: DEMO.testCostToken }),
    rejection(`/${DEMO.linkToken}?s2s=1&cost_id=${costId}`, options),
    rejection(`/impression/${DEMO.linkToken}?s2s=1&cost_id=${costId}`, options),
    rejection(spend, user),
  ]);
}

async function runCron(bindings: Shards): Promise<void> {
  const controller = { scheduledTime: NOW + 40 * DAY, cron: "", noRetry: () => undefined };
  await worker.scheduled(controller as ScheduledController, { ...env, ...bindings });
}

/** Delivers a click from the queue. Returns whether it is acknowledged or retried. */
async function deliver(costId: string, bindings: Shards): Promise<string[]> {
  const outcomes: string[] = [];
  const messages = queueBatch([openedLink(costId)]).messages.map(({ id, timestamp, attempts, body }) => ({
    id,
    timestamp,
    attempts,
    body,
    ack: () => void outcomes.push("ack"),
    retry: () => void outcomes.push("retry"),
  }));
  const batch = { queue: "engagements", messages } as unknown as MessageBatch<OpenedLink>;
  await recordQueued(batch, ledgerOf({ ...env, ...bindings }), NOW);
  return outcomes;
}

interface Readiness {
  checks: Record<string, { ok: boolean; reason?: string }>;
}

it.each(WRONG)(
  "if %s, /readyz names what is wrong and nothing else, requests that use a wrong shard return 503, write nothing, and log it, and the hourly run fails, and changes only databases that fit",
  async (_, { bindings, reason, fitting = [] }) => {
    const wrong = await bindings();
    // The harness copies credentials to the shards, which must not happen here.
    const options: Call = { env: wrong, replicates: false };
    const number = [0, 1, 2, 3].find((one) => !fitting.includes(`LEDGER_${one}`));
    /** Of a cost that belongs to a shard that does not fit. */
    const costId = idOn(expectDefined(number));
    const atFirst = await everything();
    const { status, body } = await ask<Readiness>("/readyz", options);
    expect(status).toBe(503);
    expect(body.checks.shards).toEqual({
      ok: false,
      reason: `${reason} Correct the LEDGER_ bindings in wrangler.toml.`,
    });
    expect(Object.keys(body.checks).filter((name) => !body.checks[name]?.ok)).toEqual(["shards"]);
    log.mockClear();
    const errors = await sendAll(costId, options);
    expect(errors).toEqual(errors.map(() => NOT_CONFIGURED));
    expect(isLogged()).toBe(true);
    // A click redirects and is not recorded, without or with a queue, which retries it.
    log.mockClear();
    expect((await click(costId, options)).status).toBe(302);
    expect(isLogged()).toBe(true);
    const direct = { ...options, env: { ...wrong, ENGAGEMENTS: undefined } as unknown as Partial<Env> };
    expect((await click(costId, direct)).status).toBe(302);
    expect(await deliver(costId, wrong)).toEqual(["retry"]);
    expect(await everything()).toEqual(atFirst);
    for (const number of [0, 1, 2, 3]) {
      const { status } = await sendCost(cost(idOn(number)), options);
      const name = `LEDGER_${number}`;
      const stored = fitting.includes(name) ? [name] : [];
      expect([status, await databasesWith("costs", idOn(number))]).toEqual([
        stored.length ? 200 : 503,
        stored,
      ]);
    }
    log.mockClear();
    const before = await everything();
    await expect(runCron(wrong)).rejects.toThrow(/LEDGER_/);
    expect(isLogged()).toBe(true);
    const after = await everything();
    const changed = [...after.keys()].filter(
      (name) => JSON.stringify(after.get(name)) !== JSON.stringify(before.get(name)),
    );
    expect(changed).toEqual(fitting);
  },
);

it.each([
  ["no shard is bound", () => bind()],
  ["two shards are swapped", () => bind(shard(0), shard(2), shard(1), shard(3))],
])("the pages that show spend return 503 when %s, and work with the right bindings", async (_, bindings) => {
  const [operator, member] = [new Browser(), new Browser()];
  await operator.signIn(DEMO.operatorEmail, DEMO.operatorPassword);
  await member.signIn();
  const wrong = { env: bindings(), replicates: false } as const;
  for (const [browser, page] of [
    [operator, "/operator/spend"],
    [member, `/apps/${DEMO.appToken}`],
    [member, `/apps/${DEMO.appToken}/performance`],
  ] as const) {
    expect((await browser.get(page, wrong)).status).toBe(503);
    expect((await browser.get(page)).status).toBe(200);
  }
});

describe("a batch on several shards, of which one does not fit,", () => {
  it("returns 503 for the costs of that shard and stores the others", async () => {
    await store(shard(1), 0, null);
    const { body } = await ask<{ results: { status: "ok" | number }[] }>("/cost/batch", {
      token: DEMO.costToken,
      json: { costs: [0, 1, 2, 3].map((number) => cost(idOn(number))) },
      replicates: false,
    });
    expect(body.results.map(({ status }) => status)).toEqual(["ok", 503, "ok", "ok"]);
    expect(await databasesWith("costs", idOn(1))).toEqual([]);
  });
});

describe("a revocation", () => {
  it("is not confirmed while a shard does not fit, and reaches that shard when it fits again", async () => {
    const revoke = (bindings: Shards) =>
      call("/operator/v1/credentials/1/revoke", {
        method: "POST",
        token: DEMO.operatorToken,
        env: bindings,
        replicates: false,
      });
    expect((await sendCost(cost(idOn(1)))).status).toBe(200);
    expect((await revoke(bind(shard(0), shard(2), shard(1), shard(3)))).status).toBe(503);
    expect((await revoke({})).status).toBe(200);
    const late = await sendCost(cost(idOn(1, "late-cost-id")), { replicates: false });
    expect(late.body.code).toBe("credential_revoked");
  });
});

describe("the place of a database", () => {
  const set = async (shards: number, index: number | null) =>
    (await shard(1).prepare(setIdentity(shards, index)).all()).results;
  const stored = () => shard(1).prepare("SELECT shards, shard_index FROM shard_identity").first();

  it("can be stored again, and not changed", async () => {
    expect(await set(4, 1)).toEqual([{ shards: 4 }]);
    for (const [shards, index] of [
      [4, 2],
      [8, 1],
      [4, null],
      [0, null],
    ] as const) {
      expect(await set(shards, index)).toEqual([]);
    }
    expect(await stored()).toEqual({ shards: 4, shard_index: 1 });
  });

  it.each(["ledger_entries", "daily_totals"])(
    "is not stored in a database that has %s without a place",
    async (table) => {
      await click(idOn(1));
      await sendCost(cost(idOn(1)));
      await store(shard(1), 0, null);
      for (const other of ["ledger_entries", "daily_totals"]) {
        if (other !== table) await shard(1).exec(`DELETE FROM ${other}`);
      }
      expect(await set(4, 1)).toEqual([]);
      await shard(1).exec(`DELETE FROM ${table}`);
      expect(await set(4, 1)).toEqual([{ shards: 4 }]);
    },
  );
});
