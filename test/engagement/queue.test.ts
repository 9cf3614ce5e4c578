/** Engagements that the queue delivers late: one that is too old to be remembered is dropped. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Ledger } from "../../src/db/ledger/shards.ts";
import type { OpenedLink } from "../../src/domain/costs.ts";
import { RETENTION_MS } from "../../src/domain/time.ts";
import { recordQueued } from "../../src/engagement/queue.ts";
import { purge } from "../../src/purge.ts";
import { countingDatabase, DAY, DEMO, ledgerOn, NOW, queueBatch, rows, sendCost } from "../harness.ts";
import { failingDatabase, freshLedger, openedLink, totals } from "../support.ts";

beforeEach(freshLedger);
afterEach(() => vi.restoreAllMocks());

const ID = "queued-click-001";
const PRICED = { urlCostType: "cpc", urlCurrency: "USD", urlAmount: 30_000 } as const;
const message = ({ costId = ID, ...more }: Partial<OpenedLink> = {}) => openedLink(costId ?? ID, more);

/** Delivers the messages and returns what the queue is to do with them. */
const deliver = (now: number, ...messages: OpenedLink[]) => deliverTo(ledgerOn(), now, ...messages);

async function deliverTo(ledger: Ledger, now: number, ...messages: OpenedLink[]): Promise<string[]> {
  const batch = queueBatch(messages);
  const outcomes: string[] = [];
  const watched = batch.messages.map(({ id, timestamp, attempts, body }) => ({
    id,
    timestamp,
    attempts,
    body,
    ack: () => void outcomes.push("ack"),
    retry: () => void outcomes.push("retry"),
  }));
  const delivered = { queue: batch.queue, messages: watched } as unknown as MessageBatch<OpenedLink>;
  await recordQueued(delivered, ledger, now);
  return outcomes;
}
const recorded = (costId = ID) =>
  rows("SELECT kind, occurred_at FROM engagements WHERE cost_id = ? ORDER BY kind", costId);

it.each(["click", "impression"] as const)(
  "drops a message for a %s older than 14 days, and records one of exactly 14 days",
  async (kind) => {
    const occurredAt = NOW - RETENTION_MS;
    const old = message({ kind, costId: "queued-click-old", occurredAt: occurredAt - 1, ...PRICED });
    expect(await deliver(NOW, old, message({ kind, occurredAt }))).toEqual(["ack", "ack"]);
    expect(await recorded("queued-click-old")).toEqual([]);
    expect(await recorded()).toEqual([{ kind, occurred_at: occurredAt }]);
    expect(await totals()).toEqual([]);
  },
);

it("counts a dropped message on its opened link and the day of the drop, once a delivery, and logs one line a batch", async () => {
  const log = vi.spyOn(console, "error").mockImplementation(() => {});
  const old = message({ occurredAt: NOW - RETENTION_MS - 1, ...PRICED });
  const subLinks = ["campaign", null, null].map((name) => ({ name, reason: null, token: "oldcampaign1" }));
  await deliver(NOW, old, { ...old, linkToken: "demo1nk002", subLinks }, message(), {
    ...old,
    linkToken: "none",
  });
  await deliver(NOW + DAY, old, old);
  const today = Math.floor(NOW / DAY);
  const counted = { param: "engagement", reason: "too_old" };
  expect(
    await rows("SELECT day, link_id, param, reason, count FROM dropped_parameters ORDER BY day, link_id"),
  ).toEqual([
    { ...counted, link_id: 1, day: today, count: 1 },
    { ...counted, link_id: 2, day: today, count: 1 },
    { ...counted, link_id: 1, day: today + 1, count: 2 },
  ]);
  expect(await rows("SELECT 1 FROM links WHERE token = 'oldcampaign1'")).toEqual([]);
  expect(log.mock.calls.map(([line]) => JSON.parse(line))).toMatchObject([
    {
      request_id: "queue engagements",
      message: "3 of 4 messages are older than 14 days and were dropped.",
      lost_engagements: 3,
    },
    {
      request_id: "queue engagements",
      message: "2 of 2 messages are older than 14 days and were dropped.",
      lost_engagements: 2,
    },
  ]);
});

it("drops it also where its ID has a newer engagement or a pending cost", async () => {
  await sendCost({ cost_id: "queued-click-002", cost_amount: "1" });
  await deliver(NOW, message({ kind: "impression" }));
  const occurredAt = NOW - RETENTION_MS - 1;
  await deliver(NOW, message({ occurredAt, ...PRICED }), message({ costId: "queued-click-002", occurredAt }));
  expect(await recorded()).toEqual([{ kind: "impression", occurred_at: NOW }]);
  expect(await recorded("queued-click-002")).toEqual([]);
  expect(await totals()).toEqual([{ state: "pending", count: 1, amount: 100_000 }]);
});

it.each([
  ["with", true],
  ["without", false],
])("counts a redelivered message once, however late it comes, %s a purge before", async (_, purges) => {
  const priced = message(PRICED);
  await deliver(NOW, priced);
  for (const age of [0, DAY, RETENTION_MS, RETENTION_MS + 1, RETENTION_MS + DAY, 3 * RETENTION_MS]) {
    if (purges) await purge(ledgerOn(), NOW + age);
    expect(await deliver(NOW + age, priced, priced)).toEqual(["ack", "ack"]);
    expect(await totals()).toEqual([{ state: "matched", count: 1, amount: 30_000 }]);
  }
});

it("matches a waiting cost with an engagement that happened within seven days and is delivered later", async () => {
  await sendCost({ cost_id: ID, cost_amount: "1" });
  await deliver(NOW + 10 * DAY, message({ occurredAt: NOW + 7 * DAY }));
  expect(await totals()).toEqual([{ state: "matched", count: 1, amount: 100_000 }]);
});

it.each(["click", "impression"] as const)(
  "counts an engagement on the day on which it happened, also when it is delivered after midnight: %s",
  async (kind) => {
    const midnight = Math.ceil(NOW / DAY) * DAY;
    const late = message({ kind, costId: "queued-click-late", occurredAt: midnight - 1 });
    await deliver(midnight, late, message({ kind, occurredAt: midnight }));
    expect(await rows("SELECT day, kind, count, recorded FROM daily_engagements ORDER BY day")).toEqual([
      { day: midnight / DAY - 1, kind, count: 1, recorded: 1 },
      { day: midnight / DAY, kind, count: 1, recorded: 1 },
    ]);
  },
);

it("keeps the first of two clicks with one ID, also when a batch has them in another order", async () => {
  await deliver(NOW, message({ occurredAt: NOW }), message({ occurredAt: NOW - 1 }));
  expect(await recorded()).toEqual([{ kind: "click", occurred_at: NOW - 1 }]);
});

describe("of alike messages without an ID, a batch", () => {
  const plain = (more: Partial<OpenedLink> = {}) => ({
    ...message(),
    costId: null,
    isGenerated: true,
    ...more,
  });
  const named = (name: string, token: string) =>
    plain({
      subLinks: [name, null, null].map((one) => ({ name: one, reason: null, token: one ? token : "" })),
    });
  /** What was counted on each link, over all databases. */
  const counts = async () => {
    const links = await rows<{ id: number; token: string; label: string }>(
      "SELECT id, token, label FROM links",
    );
    const counted = await rows<{
      link_id: number;
      day: number;
      kind: string;
      count: number;
      recorded: number;
    }>("SELECT link_id, day, kind, count, recorded FROM daily_engagements");
    const keyOf = ({ link_id, day, kind }: (typeof counted)[number]) => {
      const link = links.find(({ id }) => id === link_id);
      return `${link?.label.startsWith("Alike") ? link.label : link?.token} ${day - Math.floor(NOW / DAY)} ${kind}`;
    };
    const sum = (some: typeof counted, what: "count" | "recorded") =>
      some.reduce((total, row) => total + row[what], 0);
    return [...Map.groupBy(counted, keyOf)]
      .map(([key, some]) => `${key} ${sum(some, "count")} ${sum(some, "recorded")}`)
      .toSorted();
  };

  it("counts each, with its audience and what was dropped, in one row of each", async () => {
    const seen = {
      country: "DE",
      platform: "ios",
      dropped: [["cost_id", "invalid"]],
    } satisfies Partial<OpenedLink>;
    const { database, counts: used } = countingDatabase();
    await recordQueued(queueBatch(Array.from({ length: 100 }, () => plain(seen))), ledgerOn(database), NOW);
    // The count, its audience, the parameter, and that the day has another key of the audience.
    expect(used).toMatchObject({ calls: 1, written: 4 });
    expect(await counts()).toEqual([`${DEMO.linkToken} 0 click 100 0`]);
    expect(await rows("SELECT country, platform, count FROM daily_audience")).toEqual([
      { country: "DE", platform: "ios", count: 100 },
    ]);
    expect(await rows("SELECT param, reason, count FROM dropped_parameters")).toEqual([
      { param: "cost_id", reason: "invalid", count: 100 },
    ]);
  });

  it("counts those apart that differ in anything that is stored, and each with an ID", async () => {
    const midnight = Math.ceil(NOW / DAY) * DAY;
    await deliver(
      midnight,
      ...[
        plain(),
        plain({ occurredAt: NOW + 1 }),
        plain({ kind: "impression" }),
        plain({ linkToken: "demo1nk002" }),
      ],
      ...[plain({ occurredAt: midnight - 1 }), plain({ occurredAt: midnight }), plain({ country: "DE" })],
      ...[plain({ country: "DE", platform: "ios" }), plain({ dropped: [["cost_id", "invalid"]] })],
      ...[
        message({ occurredAt: NOW }),
        message({ occurredAt: NOW + 1 }),
        message({ costId: "queued-click-004" }),
      ],
    );
    expect(await counts()).toEqual(
      [
        `${DEMO.linkToken} 0 click 9 2`,
        `${DEMO.linkToken} 0 impression 1 0`,
        "demo1nk002 0 click 1 0",
        `${DEMO.linkToken} 1 click 1 0`,
      ].toSorted(),
    );
    const audience = await rows<{ key: string; count: number }>(
      "SELECT country || ' ' || platform AS key, sum(count) AS count FROM daily_audience WHERE kind = 'click' GROUP BY key",
    );
    const byKey = new Map<string, number>();
    for (const { key, count } of audience) byKey.set(key, (byKey.get(key) ?? 0) + count);
    expect(Object.fromEntries(byKey)).toEqual({ "XX other": 9, "DE other": 1, "DE ios": 1 });
    expect(await rows("SELECT reason, count FROM dropped_parameters ORDER BY reason")).toEqual([
      { reason: "invalid", count: 1 },
      { reason: "repeated_id", count: 1 },
    ]);
  });

  it("creates a sub-link that they name once, and counts all of them on it", async () => {
    const tokens = ["alike0000001", "alike0000002", "alike0000003"];
    await deliver(
      NOW,
      ...tokens.map((token) => named("Alike One", token)),
      named("Alike Two", "alike0000004"),
    );
    await deliver(NOW, ...tokens.map((token) => named("Alike One", token)));
    expect(await rows("SELECT token FROM links WHERE label LIKE 'Alike%' ORDER BY token")).toEqual([
      { token: "alike0000001" },
      { token: "alike0000004" },
    ]);
    expect(await counts()).toEqual(["Alike One 0 click 6 0", "Alike Two 0 click 1 0"]);
  });

  it("counts those that may create their sub-link apart from those that may not", async () => {
    await deliver(NOW, named("Alike One", ""), named("Alike One", "alike0000005"));
    expect(await counts()).toContain("Alike One 0 click 2 0");
  });

  it("gives all of them back if the database fails, and counts nothing", async () => {
    const { database } = failingDatabase(() => true);
    const outcomes = await deliver(NOW, plain(), plain(), message()).catch(() => []);
    expect(outcomes).toEqual(["ack", "ack", "ack"]);
    vi.spyOn(console, "error").mockImplementation(() => {});
    expect(await deliverTo(ledgerOn(database), NOW, plain(), plain())).toEqual(["retry", "retry"]);
    expect(await counts()).toEqual([`${DEMO.linkToken} 0 click 3 1`]);
  });
});
