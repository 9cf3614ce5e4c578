/**
 * All rows of an ID are forgotten together, 14 days after its newest engagement and after a cost that matches none. From then on
 * every request behaves as if they were never there, whether the purge has run or not.
 */
import { beforeEach, describe, expect, it } from "vitest";
import { COST_WINDOW_MS, RETENTION_MS } from "../../src/domain/time.ts";
import { recordQueued } from "../../src/engagement/queue.ts";
import { purge } from "../../src/purge.ts";
import {
  ask,
  click,
  countingDatabase,
  DAY,
  DEMO,
  ledgerOn,
  NOW,
  queueBatch,
  rows,
  sendCost,
  view,
} from "../harness.ts";
import { freshLedger, LINK, openedLink, totals } from "../support.ts";

beforeEach(freshLedger);

const ID = "forgotten-id-001";
const PRICE = "&cost_type=cpc&cost_currency=USD&cost_amount=0.3";
const send = (now: number, more: Record<string, string> = {}) =>
  sendCost({ cost_id: ID, cost_amount: "1", ...more }, { now });
const read = async (now: number) => {
  const { status, body } = await ask(`/cost/${ID}`, { token: DEMO.costToken, now });
  return status === 200 ? body : status;
};
const engage = async (now: number, kind = "click") =>
  (await ask(`${kind === "click" ? "" : "/impression"}${LINK}?s2s=1&cost_id=${ID}`, { now })).body;
/** The stored values of the ID, without computed columns and empty ones. */
const stored = async () => {
  const found = await rows(
    "SELECT received_at, click_at, impression_at FROM ledger_entries WHERE cost_id = ?",
    ID,
  );
  return found.map((row) => Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)));
};
const matched = (count: number) => ({ state: "matched", count, amount: count * 100_000 });

/** The last millisecond at which the rows since NOW are remembered. */
const LAST = NOW + RETENTION_MS;
const HOUR = 3_600_000;

describe("up to and including fourteen days", () => {
  it("a matched cost is read and remains a duplicate, and a repeated click counts once", async () => {
    await click(ID);
    await send(NOW);
    await purge(ledgerOn(), LAST);
    expect(await read(LAST)).toMatchObject({ match: "matched", amount: "1" });
    expect(await engage(LAST)).toMatchObject({ recorded: true, duplicate: true });
    expect((await send(LAST)).body).toMatchObject({ match: "matched", duplicate: true });
    expect((await send(LAST, { cost_amount: "2" })).body.code).toBe("cost_id_conflict");
    expect(await totals()).toEqual([matched(1)]);
  });

  it("a click without a cost rejects a cost as late", async () => {
    await click(ID);
    await purge(ledgerOn(), LAST);
    expect((await send(LAST)).body.code).toBe("window_closed");
    expect(await engage(LAST)).toMatchObject({ duplicate: true });
  });

  it("a lapsed cost is read, and is replaced when it is sent again", async () => {
    await send(NOW);
    await purge(ledgerOn(), LAST);
    expect(await read(LAST)).toMatchObject({ match: "lapsed", amount: "1" });
    expect((await send(LAST)).body).toMatchObject({ match: "pending", duplicate: false });
    expect(await totals()).toEqual([{ state: "pending", count: 1, amount: 100_000 }]);
  });
});

describe.each([
  ["one millisecond after fourteen days, before the purge", LAST + 1, false],
  ["one hour and one millisecond after fourteen days, after the purge", LAST + HOUR + 1, true],
])("%s", (_when, now, purges) => {
  const pass = () => (purges ? purge(ledgerOn(), now) : undefined);

  it.each([
    ["matched", () => click(ID).then(() => send(NOW))],
    ["pending", () => send(NOW)],
    ["unpriced", () => click(ID).then(() => sendCost({ cost_id: ID }))],
    ["price on a URL", () => click(ID, { query: PRICE })],
  ] as [string, () => Promise<unknown>][])(
    "a cost is not found and its totals remain: %s",
    async (_state, create) => {
      await create();
      const before = await totals("day, state, count, amount");
      expect(before).toHaveLength(1);
      await pass();
      expect(await read(now)).toBe(404);
      expect(await totals("day, state, count, amount")).toEqual(before);
    },
  );

  it("the same cost is new and waits for a new click, with which it counts again", async () => {
    await click(ID);
    await send(NOW);
    await pass();
    expect((await send(now)).body).toMatchObject({ match: "pending", duplicate: false });
    expect(await stored()).toEqual([{ received_at: now }]);
    expect(await engage(now)).toMatchObject({ recorded: true, duplicate: false });
    expect(await read(now)).toMatchObject({ match: "matched" });
    expect(await totals()).toEqual([matched(1), matched(1)]);
  });

  it("other values are no conflict, and a completed amount is a new cost", async () => {
    await click(ID);
    await sendCost({ cost_id: ID });
    await pass();
    const other = await send(now, { cost_type: "cpm", cost_currency: "EUR", cost_amount: "7" });
    expect(other.body).toMatchObject({ match: "pending", duplicate: false, amount: "7" });
    expect(other.body).not.toHaveProperty("mismatch");
    expect(await stored()).toEqual([{ received_at: now }]);
  });

  it.each(["click", "impression"])(
    "a new %s is recorded, its cost is accepted, and nothing old remains",
    async (kind) => {
      await click(ID);
      await view(ID);
      await send(NOW, { cost_type: "cpi" });
      await pass();
      expect(await engage(now, kind)).toMatchObject({ recorded: true, duplicate: false });
      expect(await stored()).toEqual([{ [`${kind}_at`]: now }]);
      expect(await read(now)).toBe(404);
      expect((await send(now + COST_WINDOW_MS, { cost_type: "cpi", cost_amount: "1" })).body).toMatchObject({
        match: "matched",
        duplicate: false,
      });
      expect(await totals()).toEqual([matched(1), matched(1)]);
    },
  );

  it("a price on a new URL counts beside the old one", async () => {
    await click(ID, { query: PRICE });
    await pass();
    await click(ID, { query: PRICE, now });
    const counted = { state: "matched", count: 1, amount: 30_000 };
    expect(await totals()).toEqual([counted, counted]);
  });

  it("a batch treats each ID by itself, and repeated IDs in order", async () => {
    await click(ID);
    await send(NOW);
    await click("forgotten-id-002", { now: NOW + DAY });
    await pass();
    const cost = { cost_type: "cpc", cost_currency: "USD", cost_amount: "1", tag: "t" };
    const costs = [ID, "forgotten-id-002", ID].map((cost_id) => ({ ...cost, cost_id }));
    const { body } = await ask<{ results: object[] }>("/cost/batch", {
      token: DEMO.costToken,
      json: { costs },
      now,
    });
    expect(body.results).toMatchObject([
      { match: "pending", duplicate: false },
      { code: "window_closed" },
      { match: "pending", duplicate: true },
    ]);
  });

  it("another partner's rows with the same ID are not touched", async () => {
    await click(ID);
    await rows("UPDATE links SET partner_id = 2 WHERE token = 'demo1nk002'");
    await click(ID, { link: "demo1nk002", now: NOW - 1 });
    await pass();
    await click(ID, { now });
    const left = await rows(
      "SELECT partner_id, click_at FROM ledger_entries WHERE cost_id = ? ORDER BY 1",
      ID,
    );
    expect(left).toEqual([
      { partner_id: 1, click_at: now },
      ...(purges ? [] : [{ partner_id: 2, click_at: NOW - 1 }]),
    ]);
  });
});

describe("an ID with a later engagement", () => {
  it.each([
    ["without purges", false],
    ["with a purge every three days", true],
  ])("is remembered as a whole until fourteen days after that, %s", async (_what, purges) => {
    const viewedAt = NOW + 13 * DAY;
    const pass = async (from: number, to: number) => {
      for (let now = from; purges && now <= to; now += 3 * DAY) await purge(ledgerOn(), now);
    };
    await click(ID);
    await send(NOW, { cost_type: "cpi" });
    await pass(NOW, viewedAt);
    await view(ID, { now: viewedAt });
    const later = NOW + 18 * DAY;
    await pass(viewedAt, later);
    expect(await engage(later)).toMatchObject({ duplicate: true });
    expect((await send(later, { cost_type: "cpi" })).body).toMatchObject({
      match: "matched",
      duplicate: true,
    });
    expect((await send(later, { cost_type: "cpi", cost_amount: "2" })).body.code).toBe("cost_id_conflict");
    const last = viewedAt + RETENTION_MS;
    await pass(later, last);
    expect(await read(last)).toMatchObject({ match: "matched", engagement: { kind: "click" } });
    expect(await read(last + 1)).toBe(404);
    expect(await engage(last + 1)).toMatchObject({ duplicate: false });
    expect(await stored()).toEqual([{ click_at: last + 1 }]);
    expect(await totals()).toEqual([matched(1)]);
  });

  it("is forgotten fourteen days after its engagement, however late its cost came", async () => {
    await click(ID);
    await send(NOW + COST_WINDOW_MS);
    expect(await read(LAST)).toMatchObject({ match: "matched" });
    expect(await read(LAST + 1)).toBe(404);
    expect((await send(LAST + 1)).body).toMatchObject({ match: "pending", duplicate: false });
  });
});

it("a click that happened before its ID was forgotten, and is recorded after it, starts a row of its own", async () => {
  await click(ID);
  await recordQueued(queueBatch([openedLink(ID, { occurredAt: LAST })]), ledgerOn(), LAST + 1);
  expect(await stored()).toEqual([{ click_at: LAST }]);
});

describe("a cost that an older engagement of another kind does not match", () => {
  const sentAt = NOW + 13 * DAY;
  const last = sentAt + RETENTION_MS;
  const waiting = { match: "pending", mismatch: "wrong_engagement" };

  it.each([
    ["without a purge", false],
    ["with a purge before", true],
  ])("still matches after the engagement would be forgotten, %s", async (_what, purges) => {
    await view(ID);
    expect((await send(sentAt)).body).toMatchObject(waiting);
    if (purges) await purge(ledgerOn(), LAST + 1);
    expect(await read(LAST + 1)).toMatchObject(waiting);
    await click(ID, { now: LAST + 1 });
    expect(await read(LAST + 1)).toMatchObject({ match: "matched", amount: "1" });
    expect(await totals()).toEqual([matched(1)]);
  });

  it("is remembered until fourteen days after it, voided too", async () => {
    await view(ID);
    await send(sentAt);
    const options = { method: "POST", token: DEMO.costToken, now: LAST + 1 };
    expect((await ask(`/cost/${ID}/void`, options)).status).toBe(200);
    await purge(ledgerOn(), last);
    expect(await read(last)).toMatchObject({ match: "voided" });
    expect(await read(last + 1)).toBe(404);
    await purge(ledgerOn(), last + HOUR + 1);
    expect(await stored()).toEqual([]);
  });
});

it("one more row is written for each forgotten row that a request deletes", async () => {
  await click(ID);
  await send(NOW);
  await click("forgotten-warm-1", { now: LAST + 1 });
  const written = async (request: (env: { DB: D1Database }) => Promise<unknown>) => {
    const { database, counts } = countingDatabase();
    await request({ DB: database });
    return counts.written;
  };
  const now = LAST + 1;
  expect(await written((env) => sendCost({ cost_id: ID, cost_amount: "1" }, { now, env }))).toBe(3);
  expect(
    await written((env) => sendCost({ cost_id: "forgotten-new-01", cost_amount: "1" }, { now, env })),
  ).toBe(2);
});
