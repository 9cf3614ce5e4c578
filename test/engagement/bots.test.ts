/** Bots are redirected and counted on the opened link, so that a partner sees why its clicks are missing. Nothing else is kept of them. */
import { beforeEach, describe, expect, it } from "vitest";
import { TooManyWaitingError } from "../../src/db/group-commit.ts";
import { countBot } from "../../src/db/ledger/record-engagements.ts";
import { ask, call, click, countingDatabase, DAY, DEMO, ledgerOn, NOW, rows, view } from "../harness.ts";
import { freshLedger, LINK } from "../support.ts";

beforeEach(freshLedger);

const BOT = {
  headers: { "user-agent": "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)" },
};
const dropped = () =>
  rows(
    "SELECT l.token, d.day, d.param, d.reason, d.count FROM dropped_parameters d JOIN links l ON l.id = d.link_id ORDER BY l.token, d.day",
  );
const one = (count: number, token: string = DEMO.linkToken, now = NOW) => ({
  token,
  day: Math.floor(now / DAY),
  param: "engagement",
  reason: "bot",
  count,
});

describe("a bot", () => {
  it("is counted on the opened link and the day, for clicks and impressions together", async () => {
    await click("bot-id-00000001", BOT);
    await view("bot-id-00000002", BOT);
    await call(`/demo1nk004?campaign=Bots&adgroup=Bots`, BOT);
    await call(LINK, { ...BOT, now: NOW + DAY });
    expect(await dropped()).toEqual([one(2), one(1, DEMO.linkToken, NOW + DAY), one(1, "demo1nk004")]);
  });

  it("keeps no ID, creates no sub-link and counts in no report", async () => {
    const query = "&campaign=Bot%20campaign&cost_type=cpc&cost_currency=USD&cost_amount=1";
    await click("bot-id-00000001", { ...BOT, query });
    expect(await rows("SELECT * FROM ledger_entries WHERE cost_id LIKE 'bot%'")).toEqual([]);
    expect(await rows("SELECT * FROM links WHERE label LIKE 'Bot%'")).toEqual([]);
    expect(await rows("SELECT * FROM daily_engagements")).toEqual([]);
    expect(await rows("SELECT * FROM daily_audience")).toEqual([]);
  });

  it("is in the list of dropped parameters", async () => {
    await click("bot-id-00000001", BOT);
    const { body } = await ask<{ data: { items: object[] } }>(
      `/public/v1/apps/${DEMO.appToken}/trackers/${DEMO.linkToken}/dropped`,
      { token: DEMO.apiToken },
    );
    expect(body.data.items).toMatchObject([{ param: "engagement", reason: "bot", count: 1 }]);
  });

  it("on a server-to-server URL is what the server reports, and is recorded", async () => {
    expect((await ask(`${LINK}?s2s=1&cost_id=bot-id-00000001`, BOT)).body).toMatchObject({ recorded: true });
    expect(await dropped()).toEqual([]);
  });
});

describe("64 bots at the same time", () => {
  it("write few rows, one for each of the calls that carry them", async () => {
    const { database, counts } = countingDatabase();
    await click("bot-warm-000001");
    const before = counts.written;
    await Promise.all(
      Array.from({ length: 64 }, () => click("bot-id-00000001", { ...BOT, env: { DB: database } })),
    );
    expect(await dropped()).toEqual([one(64)]);
    expect(counts.written - before).toBeLessThanOrEqual(4);
    expect(counts.calls).toBeLessThanOrEqual(4);
  });

  it("are left out when 500 statements wait, and nothing else is", async () => {
    const { database } = countingDatabase();
    const tokens = Array.from({ length: 550 }, (_, index) => `unknown${index}`);
    await click("bot-warm-000001", { env: { DB: database } });
    const done = await Promise.allSettled(tokens.map((token) => countBot(ledgerOn(database), token, NOW)));
    const left = done.flatMap((result) => (result.status === "rejected" ? [result.reason] : []));
    expect(left.every((reason) => reason instanceof TooManyWaitingError)).toBe(true);
    expect(left.length).toBeGreaterThan(0);
    expect(left.length).toBeLessThanOrEqual(50);
  });
});
