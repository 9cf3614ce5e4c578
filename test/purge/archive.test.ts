/** The purge with an archive: what is written, and when rows are deleted. */
import { beforeEach, describe, expect, it } from "vitest";
import { databasesOf, shardFor } from "../../src/db/ledger/shards.ts";
import { HOUR_MS, RETENTION_MS } from "../../src/domain/time.ts";
import { purge } from "../../src/purge.ts";
import { faultyBucket } from "../faults/faulty.ts";
import { call, click, DAY, DEMO, env, ledgerOn, NOW, rows, sendCost, view } from "../harness.ts";
import { isLong, isWhole } from "../part.ts";
import { freshEmptyLedger, totals } from "../support.ts";
import { archiving, bindArchive, DUE, listedRows, readArchive } from "./archive-support.ts";

beforeEach(freshEmptyLedger);

const ID = "archived-cost-01";
const send = (amount: string | null, now = NOW, more: Record<string, string> = {}) =>
  sendCost({ cost_id: ID, ...(amount !== null && { cost_amount: amount }), ...more }, { now });
const left = () => rows("SELECT cost_id FROM ledger_entries ORDER BY cost_id");
const withoutObject = async () => (await readArchive()).map(({ object: _, ...row }) => row);
const at = (milliseconds: number) => new Date(milliseconds).toISOString();

describe("an archived row has all that proves a cost", () => {
  it("a matched call with its click and impression, each with its own price", async () => {
    await click(ID, { query: "&cost_type=cpc&cost_currency=USD&cost_amount=0.5", cf: { country: "DE" } });
    const tooHigh = "&cost_type=cpm&cost_currency=USD&cost_amount=1000000";
    await view(ID, { now: NOW + DAY, query: tooHigh });
    await send("0.25", NOW + 1);
    await purge(archiving(), DUE + DAY);
    expect(await withoutObject()).toEqual([
      {
        partner_id: 1,
        cost_id: ID,
        call: { cost_type: "cpc", currency: "USD", amount: "0.25", tag: "test", received_at: at(NOW + 1) },
        void_state: null,
        click: {
          app_token: DEMO.appToken,
          link_token: DEMO.linkToken,
          occurred_at: at(NOW),
          cost_data_enabled: true,
          url_price: { cost_type: "cpc", currency: "USD", amount: "0.5", counts: true },
          country: "DE",
          platform: "ios",
        },
        impression: {
          app_token: DEMO.appToken,
          link_token: DEMO.linkToken,
          occurred_at: at(NOW + DAY),
          cost_data_enabled: true,
          url_price: { cost_type: "cpm", currency: "USD", amount: "1000000", counts: false },
          country: "XX",
          platform: "ios",
        },
        counts: [
          {
            source: "call",
            state: "matched",
            kind: "click",
            app_token: DEMO.appToken,
            link_token: DEMO.linkToken,
            day: "2026-03-15",
            cost_type: "cpc",
            currency: "USD",
            amount: "0.25",
          },
        ],
        expired_at: at(NOW + DAY + RETENTION_MS),
        replaced_at: null,
      },
    ]);
    expect(await left()).toEqual([]);
  });

  it("a price on a URL, a call that never matched, a voided call with what the void removed, and a link of its click", async () => {
    await click(ID, { query: "&cost_type=cpc&cost_currency=USD&cost_amount=0.5" });
    await sendCost({ cost_id: "archived-cost-02", cost_amount: "3" });
    await click("archived-cost-03");
    await sendCost({ cost_id: "archived-cost-03", cost_amount: "0.25" });
    await call("/cost/archived-cost-03/void", { method: "POST", token: DEMO.costToken });
    await click("archived-cost-04", { query: "&campaign=Autumn" });
    await purge(archiving(), DUE);
    const found = (await readArchive()).sort((one, other) => (one.cost_id < other.cost_id ? -1 : 1));
    const [{ token } = { token: "" }] = await rows<{ token: string }>(
      "SELECT token FROM links WHERE label = 'Autumn'",
    );
    expect(found).toMatchObject([
      { cost_id: ID, call: null, counts: [{ source: "url", state: "matched", amount: "0.5" }] },
      {
        cost_id: "archived-cost-02",
        click: null,
        counts: [
          { source: "call", state: "pending", kind: null, app_token: null, link_token: null, amount: "3" },
        ],
      },
      { cost_id: "archived-cost-03", void_state: "voided", call: { amount: "0.25" }, counts: [] },
      { cost_id: "archived-cost-04", click: { link_token: token } },
    ]);
  });
});

describe.runIf(isWhole)("a row that leaves the ledger before the purge is archived too", () => {
  beforeEach(() => bindArchive());

  it.each([5, 0])("a voided call that a call with other values replaced %i ms later", async (later) => {
    await click(ID);
    await send("25");
    await call(`/cost/${ID}/void`, { method: "POST", token: DEMO.costToken });
    await send("0.25", NOW + later);
    await purge(archiving(), DUE);
    expect(await readArchive()).toMatchObject([
      { call: { amount: "0.25" }, void_state: "lifted", replaced_at: null, counts: [{ amount: "0.25" }] },
      { call: { amount: "25" }, void_state: "voided", replaced_at: at(NOW + later), counts: [] },
    ]);
    expect(await totals()).toEqual([{ state: "matched", count: 1, amount: 25_000 }]);
  });

  it("each of several voided calls of an ID", async () => {
    await click(ID);
    for (const [number, amount] of ["3", "2"].entries()) {
      await send(amount, NOW + number);
      await call(`/cost/${ID}/void`, { method: "POST", token: DEMO.costToken });
    }
    await send("1", NOW + 2);
    await purge(archiving(), DUE);
    expect(await readArchive()).toMatchObject([
      { call: { amount: "1" }, replaced_at: null },
      { call: { amount: "3" }, replaced_at: at(NOW + 1) },
      { call: { amount: "2" }, replaced_at: at(NOW + 2) },
    ]);
  });

  it("a lapsed call that was sent again", async () => {
    await send("1");
    await send("2", NOW + 8 * DAY);
    await purge(archiving(), DUE + 8 * DAY);
    expect(await readArchive()).toMatchObject([
      { call: { amount: "2" }, counts: [{ state: "pending" }] },
      { call: { amount: "1" }, counts: [], replaced_at: at(NOW + 8 * DAY) },
    ]);
  });

  it.each([
    ["call", (now: number) => send("2", now)],
    ["click", (now: number) => click(ID, { now })],
  ] as [string, (now: number) => Promise<unknown>][])(
    "a forgotten row whose ID a %s uses again",
    async (_what, reuse) => {
      await click(ID);
      await send("1");
      const now = NOW + RETENTION_MS + 1;
      await reuse(now);
      await purge(archiving(), now + RETENTION_MS + DAY);
      expect(await readArchive()).toMatchObject([
        { expired_at: at(now + RETENTION_MS) },
        { expired_at: at(NOW + RETENTION_MS), call: { amount: "1" }, counts: [{ state: "matched" }] },
      ]);
      expect(await rows("SELECT * FROM superseded")).toEqual([]);
    },
  );

  it("not a call that only got its amount, and not an engagement", async () => {
    await send(null);
    await send("1", NOW + 1);
    await click(ID, { now: NOW + 2 });
    await view(ID, { now: NOW + 3 });
    expect(await rows("SELECT * FROM superseded")).toEqual([]);
  });

  it("not while no archive is bound", async () => {
    await purge({ ...archiving(), archive: undefined }, NOW - DAY);
    await click(ID);
    await click(ID, { now: NOW + RETENTION_MS + 1 });
    expect(await rows("SELECT * FROM superseded")).toEqual([]);
  });
});

describe("the objects", () => {
  it("have names of the shard, the table, the walk and the first key, and equal content when they are written again", async () => {
    await click(ID);
    await purge(archiving(), DUE);
    const [object, ...others] = (await env.TEST_BUCKET.list()).objects;
    expect(others).toEqual([]);
    expect(object?.key).toMatch(/^(DB|LEDGER_\d)\/ledger_entries\/2026-03-30T11:00:00\.000Z\/[0-9a-f]{64}$/);
    expect(await listedRows()).toBe(1);
  });

  // Other cases have the slice of the cron, which is larger than their rows.
  it.each(isLong ? [1, 5, 5_000] : isWhole ? [1] : [5])(
    "have each row once with slices of %i keys",
    async (slice) => {
      const ids = Array.from({ length: 7 }, (_, index) => `archived-many-${index}`);
      for (const [index, id] of ids.entries()) await click(id, { now: index === 3 ? NOW + 9 * DAY : NOW });
      await purge(archiving(), DUE, slice);
      const archived = (await readArchive()).map(({ cost_id }) => cost_id);
      expect(archived.sort()).toEqual(ids.filter((_, index) => index !== 3));
      expect(await left()).toEqual([{ cost_id: ids[3] }]);
      expect(await listedRows()).toBe(6);
      await purge(archiving(), DUE, slice);
      await purge(archiving(), DUE + DAY, slice);
      expect(await readArchive()).toHaveLength(6);
    },
  );

  it.runIf(isWhole)(
    "have other names when the archive is bound again than those of the walk that was interrupted",
    async () => {
      const candidates = Array.from({ length: 20 }, (_, index) => `archived-again-${10 + index}`);
      const shardOf = (costId: string) => shardFor(ledgerOn(), { partnerId: 1, costId });
      const [live = "", one = "", other = ""] = candidates.filter((id) => shardOf(id) === shardOf(ID));
      await click(live, { now: NOW + 9 * DAY });
      for (const id of [one, other]) await click(id);
      // The walk stops in the slice of the last key, after it archived the one before.
      const { bucket } = faultyBucket({ at: (call) => call > 1, when: "before", message: "injected" });
      await expect(purge(archiving(bucket), DUE, 1)).rejects.toThrow("injected");
      const unbound = { ...archiving(), archive: undefined };
      await purge(unbound, DUE + 1, 1);
      await purge(unbound, DUE + 2, 1, () => databasesOf(ledgerOn()).length);
      await purge(archiving(), DUE + 3, 1);
      expect((await readArchive()).map(({ cost_id }) => cost_id).sort()).toEqual([one, other]);
      expect(await listedRows()).toBe(2);
      expect(await left()).toEqual([{ cost_id: live }]);
    },
  );

  it.runIf(isWhole)("are of walks that begin at least 23 hours after each other", async () => {
    await click(ID, { now: NOW + DAY });
    await purge(archiving(), DUE);
    const next = DUE + 23 * HOUR_MS;
    await purge(archiving(), next - 1);
    expect(await readArchive()).toEqual([]);
    await purge(archiving(), next);
    expect(await readArchive()).toMatchObject([{ cost_id: ID }]);
  });

  it.runIf(isWhole)("are written in several runs if one makes too few calls", async () => {
    for (let index = 0; index < 6; index++) await click(`archived-runs-${index}`);
    for (let hour = 0; hour < 8; hour++)
      await purge(archiving(), DUE + hour * 3_600_000, 1, () => 16 * databasesOf(ledgerOn()).length);
    expect(await left()).toEqual([]);
    expect(await readArchive()).toHaveLength(6);
  });
});
