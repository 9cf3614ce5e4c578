/** Engagements that the queue delivers late: one that is too old to be remembered is dropped. */
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { OpenedLink } from "../../src/domain/costs.ts";
import { RETENTION_MS } from "../../src/domain/time.ts";
import { recordQueued } from "../../src/engagement/queue.ts";
import { purge } from "../../src/purge.ts";
import { DAY, ledgerOn, NOW, queueBatch, rows, sendCost } from "../harness.ts";
import { freshLedger, openedLink, totals } from "../support.ts";

beforeEach(freshLedger);
afterEach(() => vi.restoreAllMocks());

const ID = "queued-click-001";
const PRICED = { urlCostType: "cpc", urlCurrency: "USD", urlAmount: 30_000 } as const;
const message = ({ costId = ID, ...more }: Partial<OpenedLink> = {}) => openedLink(costId ?? ID, more);

/** Delivers the messages and returns what the queue is to do with them. */
async function deliver(now: number, ...messages: OpenedLink[]): Promise<string[]> {
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
  await recordQueued(delivered, ledgerOn(), now);
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
  expect(await rows("SELECT * FROM dropped_parameters ORDER BY day, link_id")).toEqual([
    { ...counted, link_id: 1, day: today, count: 1 },
    { ...counted, link_id: 2, day: today, count: 1 },
    { ...counted, link_id: 1, day: today + 1, count: 2 },
  ]);
  expect(await rows("SELECT 1 FROM links WHERE token = 'oldcampaign1'")).toEqual([]);
  expect(log.mock.calls.map(([line]) => JSON.parse(line))).toMatchObject([
    { request_id: "queue engagements", message: "3 of 4 messages are older than 14 days and were dropped." },
    { request_id: "queue engagements", message: "2 of 2 messages are older than 14 days and were dropped." },
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
