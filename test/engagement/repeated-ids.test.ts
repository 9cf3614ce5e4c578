/** Cost IDs that more than one click or impression has, which shows a macro that nobody fills and whose form is not known. */
import { beforeEach, expect, it } from "vitest";
import { databasesOf } from "../../src/db/ledger/shards.ts";
import { deleteExpired } from "../../src/db/upkeep/expired.ts";
import { HOUR_MS } from "../../src/domain/time.ts";
import { recordQueued } from "../../src/engagement/queue.ts";
import { purge } from "../../src/purge.ts";
import { asUser, LINKS } from "../campaign/support.ts";
import { ask, click, DAY, DEMO, ledgerOn, NOW, queueBatch, rows, view } from "../harness.ts";
import { freshLedger, openedLink } from "../support.ts";

beforeEach(freshLedger);

const ID = "repeated-id-001";
/** The dropped parameters of a link, as the API returns them. */
const dropped = async (link: string = DEMO.linkToken, now = NOW) =>
  (await asUser<{ data: { items: object[] } }>(`${LINKS}/${link}/dropped`, { now })).body.data.items;
const TODAY = { day: "2026-03-15", param: "cost_id" };

it("counts each click after the first with its ID, and not the first of the other kind", async () => {
  await click(ID, { now: NOW - 2 });
  await view(ID, { now: NOW - 1 });
  expect(await dropped()).toEqual([]);
  await click(ID);
  await click(ID, { now: NOW + 1 });
  await click("repeated-id-002");
  expect(await dropped()).toEqual([{ ...TODAY, reason: "repeated_id", count: 2 }]);
});

it("counts a repeat on the link that it opened, on its day", async () => {
  await click(ID, { now: NOW - DAY });
  await click(ID, { link: "demo1nk002" });
  expect(await dropped()).toEqual([]);
  expect(await dropped("demo1nk002")).toEqual([{ ...TODAY, reason: "repeated_id", count: 1 }]);
});

it("names it to a partner's server", async () => {
  const open = async (now: number) =>
    (await ask<{ dropped: string[] }>(`/${DEMO.linkToken}?s2s=1&cost_id=${ID}`, { now })).body;
  expect(await open(NOW)).toMatchObject({ duplicate: false, dropped: [] });
  expect(await open(NOW + 1)).toMatchObject({ duplicate: true, dropped: ["cost_id"] });
});

it("counts each of 20 clicks of one millisecond, of which one is no duplicate", async () => {
  const path = `/${DEMO.linkToken}?s2s=1&cost_id=${ID}`;
  const opened = await Promise.all(Array.from({ length: 20 }, () => ask<{ duplicate: boolean }>(path)));
  expect(opened.filter(({ body }) => !body.duplicate)).toHaveLength(1);
  expect(await rows("SELECT count, recorded FROM daily_engagements")).toEqual([{ count: 20, recorded: 1 }]);
  expect(await dropped()).toEqual([{ ...TODAY, reason: "repeated_id", count: 19 }]);
});

it("does not count a message of the queue that is delivered again", async () => {
  const first = openedLink(ID);
  const deliver = () => recordQueued(queueBatch([first]), ledgerOn(), NOW);
  await deliver();
  await deliver();
  expect(await dropped()).toEqual([]);
  await recordQueued(queueBatch([openedLink(ID, { occurredAt: NOW + 5 })]), ledgerOn(), NOW + 5);
  expect(await dropped()).toEqual([{ ...TODAY, reason: "repeated_id", count: 1 }]);
});

it("says of an ID whose first click was in another app that it was there", async () => {
  await click(ID, { now: NOW - 1 });
  const [other] = await rows<{ token: string }>(
    "UPDATE links SET partner_id = 1 WHERE app_token <> ? AND level = 1 RETURNING token",
    DEMO.appToken,
  );
  const { body } = await ask(`/${other?.token}?s2s=1&cost_id=${ID}`);
  expect(body).toMatchObject({ duplicate: true, dropped: ["cost_id"] });
  expect(await rows("SELECT reason, count FROM dropped_parameters")).toEqual([
    { reason: "other_app", count: 1 },
  ]);
});

/** Of one database, see test/purge/expired.test.ts. */
it.runIf(ledgerOn().shards.length > 0)("keeps the counts for 400 days, in every database", async () => {
  await click(ID, { now: NOW - 1 });
  await click(ID);
  const left = async () => (await rows("SELECT 1 FROM dropped_parameters")).length;
  // Each hour looks at a part of the links.
  const hours = Array.from({ length: 23 }, (_, hour) => hour * HOUR_MS);
  for (const hour of hours) {
    for (const db of databasesOf(ledgerOn()))
      await deleteExpired(db, "dropped_parameters", NOW + 399 * DAY + hour, 100);
  }
  expect(await left()).toBe(1);
  // The only link with counts is in the last part.
  const first = Math.ceil((NOW + 402 * DAY) / HOUR_MS / hours.length) * hours.length - 1;
  for (const hour of hours) if ((await left()) > 0) await purge(ledgerOn(), first * HOUR_MS + hour);
  expect(await left()).toBe(0);
});
