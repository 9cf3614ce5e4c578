/** Clicks, impressions and their costs by country and platform: where they come from, and that they add up. */
import * as fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import { recordAll } from "../../src/db/ledger/record-engagements.ts";
import type { OpenedLink } from "../../src/domain/costs.ts";
import { COUNTRY_CODES, MAX_AUDIENCE_KEYS, PLATFORMS } from "../../src/domain/engagements/audience.ts";
import { recordQueued } from "../../src/engagement/queue.ts";
import {
  ANDROID,
  ask,
  type Call,
  call,
  click,
  countingDatabase,
  DAY,
  DEMO,
  env,
  IPHONE,
  ledgerOn,
  NOW,
  queueBatch,
  rows,
  sendCost,
  view,
} from "../harness.ts";
import { isLong, isWhole, runs } from "../part.ts";
import { freshLedger, inLedger, LINK, openedLink, totals } from "../support.ts";

beforeEach(freshLedger);

const counted = () =>
  rows(
    "SELECT kind, country, platform, count, recorded FROM daily_audience ORDER BY kind, country, platform",
  );
const spent = () => totals("cost_type, state, country, platform, count, amount", "daily_audience_spend");

const PRICE = "&cost_type=cpc&cost_amount=1&cost_currency=USD";
const one = (country: string, platform: string, recorded = 0) => ({
  kind: "click",
  country,
  platform,
  count: 1,
  recorded,
});

describe("the country and the platform of a person", () => {
  it.runIf(isWhole).each([
    ["DE", "DE"],
    ["XX", "XX"],
    ["T1", "XX"],
    ["UK", "XX"],
    ["de", "XX"],
    [undefined, "XX"],
  ])("is the country that Cloudflare names, if it is one: %s", async (country, expected) => {
    await call(LINK, { headers: { "user-agent": IPHONE }, ...(country && { cf: { country } }) });
    expect(await counted()).toEqual([one(expected, "ios")]);
  });

  it.runIf(isWhole)("is not what the URL says", async () => {
    const response = await call(`${LINK}?country=US&platform=windows`, {
      headers: { "user-agent": ANDROID },
      cf: { country: "FR" },
    });
    expect(response.status).toBe(302);
    expect(await counted()).toEqual([one("FR", "android")]);
    expect(await rows("SELECT * FROM dropped_parameters")).toEqual([]);
  });

  it("is kept with the ID, and counts with the cost that matches it", async () => {
    await view("audience-id-0001", { cf: { country: "US" }, headers: { "user-agent": ANDROID } });
    await click("audience-id-0001", { cf: { country: "DE" } });
    await sendCost({ cost_id: "audience-id-0001", cost_amount: "1" });
    await sendCost({ cost_id: "audience-id-0001", cost_type: "cpm", cost_amount: "1" });
    expect(await counted()).toEqual([
      one("DE", "ios", 1),
      { ...one("US", "android", 1), kind: "impression" },
    ]);
    expect(await spent()).toEqual([
      { cost_type: "cpc", state: "matched", country: "DE", platform: "ios", count: 1, amount: 100_000 },
    ]);
  });

  it("is that of the request if a queue delivers it later", async () => {
    const { country, platform } = { country: "JP", platform: "linux" } as const;
    const batch = queueBatch([openedLink("audience-id-0003", { country, platform })]);
    await recordQueued(batch, ledgerOn(), NOW + DAY);
    expect(await counted()).toEqual([one(country, platform, 1)]);
  });
});

describe.runIf(isWhole)("an engagement that a server reports", () => {
  const report = async (query: string, options: Call = {}) =>
    (await ask<{ dropped: string[] }>(`${LINK}?s2s=1&${query}`, options)).body.dropped;

  it.each([
    ["country=de&platform=iOS", "DE", "ios", []],
    ["country=XX&platform=other", "XX", "other", []],
    ["country=&platform=", "XX", "other", []],
    ["", "XX", "other", []],
    ["country=UK&platform=tvos", "XX", "other", ["country", "platform"]],
    ["country=DE&country=FR&platform=ios&platform=IOS", "XX", "ios", ["country"]],
    ["country={country}&platform=%25%25OS%25%25", "XX", "other", ["country", "platform"]],
    ["country=DEU&platform=%00", "XX", "other", ["country", "platform"]],
    ["os_name=Android", "XX", "android", []],
    ["os_name=ios&platform=IOS", "XX", "ios", []],
    ["os_name=ios&platform=android", "XX", "other", ["platform"]],
    ["os_name=tvos", "XX", "other", ["os_name"]],
    ["platform=Android+14", "XX", "android", []],
    ["os_name=iPadOS&platform=ios", "XX", "ios", []],
    ["os_name=constructor", "XX", "other", ["os_name"]],
    ["os_name=17", "XX", "other", ["os_name"]],
    ["platform=&os_name=windows", "XX", "windows", []],
    [`user_agent=${encodeURIComponent(IPHONE)}`, "XX", "ios", []],
    [`user_agent=${encodeURIComponent(IPHONE)}&platform=android`, "XX", "android", []],
    [`user_agent=${encodeURIComponent(IPHONE)}&platform=tvos`, "XX", "other", ["platform"]],
    ["user_agent=okhttp/4.12.0", "XX", "other", []],
    ["user_agent={user_agent}", "XX", "other", ["user_agent"]],
    [
      `user_agent=${encodeURIComponent(IPHONE)}&user_agent=${encodeURIComponent(ANDROID)}`,
      "XX",
      "other",
      ["user_agent"],
    ],
  ])("has those of its URL: %s", async (query, country, platform, dropped) => {
    const options = { cf: { country: "US" }, headers: { "user-agent": IPHONE } };
    expect(await report(query, options)).toEqual(dropped);
    expect(await counted()).toEqual([one(country, platform)]);
  });

  it("has the platform of each name that networks send", async () => {
    const NAMES = {
      ios: ["iPadOS", "iPhone OS", "iPad", "iOS 17.2.1", "IPHONE"],
      macos: ["mac os x", "OS X", "macOS", "Mac OS X 10.15.7", "Macintosh"],
      windows: ["Win32", "Win64", "Windows NT 10.0", "windows 11"],
    };
    for (const [platform, names] of Object.entries(NAMES)) {
      for (const name of names)
        expect(await report(`${platform === "windows" ? "platform" : "os_name"}=${name}`), name).toEqual([]);
      expect((await counted()).filter((row) => row.platform === platform)).toEqual([
        { ...one("XX", platform), count: names.length },
      ]);
    }
  });

  it("counts each wrong value with its reason", async () => {
    await report("country=UK&platform={os}");
    expect(await rows("SELECT param, reason, count FROM dropped_parameters ORDER BY param")).toEqual([
      { param: "country", reason: "invalid", count: 1 },
      { param: "platform", reason: "unfilled_macro", count: 1 },
    ]);
  });
});

it("writes a row for each engagement, one more for a country that is new on the day, and one for each cost that matches", async () => {
  const measure = async (request: (env: { DB: D1Database }) => Promise<unknown>) => {
    const { database, counts } = countingDatabase();
    await request({ DB: database });
    return counts.written;
  };
  const german = { cf: { country: "DE" }, headers: { "user-agent": IPHONE } };
  const unknown = { headers: { "user-agent": "Mozilla/5.0 (X11; CrOS) unknown" } };
  const day = Math.floor(NOW / DAY);
  await inLedger(
    `INSERT INTO daily_audience VALUES ('${DEMO.appToken}', 1, ${day}, 1, 'click', 'XX', 'ios', 1, 1)`,
  );
  await click("audience-warm-1", { query: PRICE });
  await sendCost({ cost_id: "audience-warm-1" });
  await sendCost({ cost_id: "audience-wait-1", cost_amount: "1" });
  expect({
    unknown: await measure((env) => call(LINK, { ...unknown, env })),
    first: await measure((env) => call(LINK, { ...german, env })),
    second: await measure((env) => call(LINK, { ...german, env })),
    withId: await measure((env) => click("audience-id-0001", { env })),
    priced: await measure((env) => click("audience-id-0002", { query: PRICE, env })),
    waiting: await measure((env) => click("audience-wait-1", { env })),
    cost: await measure((env) => sendCost({ cost_id: "audience-id-0001", cost_amount: "1" }, { env })),
    pending: await measure((env) => sendCost({ cost_id: "audience-id-0003" }, { env })),
  }).toEqual({ unknown: 2, first: 3, second: 2, withId: 3, priced: 6, waiting: 6, cost: 3, pending: 2 });
});

describe("the rows of an app and a day", () => {
  const codes = [...COUNTRY_CODES].filter((country) => country !== "XX");
  /** Clicks and impressions that need as many new rows, of links that no other test has. */
  const many = (count: number) =>
    Array.from({ length: count }, (_, index) => ({
      ...openedLink("", {
        kind: index % 2 ? "click" : "impression",
        country: codes[(index >> 1) % codes.length] ?? "DE",
        platform: PLATFORMS[Math.floor(index / (2 * codes.length)) % PLATFORMS.length] ?? "ios",
        linkToken: LINKS[Math.floor(index / (2 * codes.length * PLATFORMS.length))] ?? "",
      }),
      costId: null,
    }));
  const LINKS = Array.from({ length: 7 }, (_, index) => `demo1nk00${index + 1}`);
  const [SIZE, COUNT] = ["count(*) AS size, sum(count) AS count", "daily_audience"];

  it("are at most 20,000 new ones: beyond them an engagement is unknown, with its cost, and rows that are there go on", async () => {
    // Without LONG, all rows but the last ones are only counted.
    const written = isLong ? MAX_AUDIENCE_KEYS : 10;
    const day = Math.floor(NOW / DAY);
    if (!isLong)
      await inLedger(
        `INSERT INTO audience_keys VALUES ('${DEMO.appToken}', ${day}, ${MAX_AUDIENCE_KEYS - written})`,
      );
    const all = many(written);
    for (let at = 0; at < all.length; at += 1_000)
      await recordAll(ledgerOn(), all.slice(at, at + 1_000), NOW);
    expect(await env.DB.prepare(`SELECT ${SIZE} FROM ${COUNT}`).first()).toEqual({
      size: written,
      count: written,
    });
    const next = { country: "AQ", platform: "linux" } as const;
    const [known] = all;
    await recordAll(
      ledgerOn(),
      [{ ...openedLink("", next), costId: null, linkToken: "demo1nk008" }, ...(known ? [known] : [])],
      NOW,
    );
    expect(
      await env.DB.prepare(`SELECT country, platform, count FROM ${COUNT} ORDER BY link_id DESC`).first(),
    ).toEqual({
      country: "XX",
      platform: "other",
      count: 1,
    });
    expect(await env.DB.prepare(`SELECT ${SIZE} FROM ${COUNT}`).first()).toEqual({
      size: written + 1,
      count: written + 2,
    });
    // The next day has rows of its own.
    await recordAll(
      ledgerOn(),
      [{ ...openedLink("", { ...next, occurredAt: NOW + DAY }), costId: null }],
      NOW + DAY,
    );
    expect(await env.DB.prepare(`SELECT country FROM ${COUNT} ORDER BY day DESC`).first()).toEqual({
      country: "AQ",
    });
    // Only what is unknown altogether is not one of them.
    await recordAll(
      ledgerOn(),
      (
        [
          ["AQ", "other"],
          ["XX", "ios"],
          ["XX", "other"],
        ] as const
      ).map(([country, platform]) => ({
        ...openedLink("", { country, platform, occurredAt: NOW + DAY }),
        costId: null,
      })),
      NOW + DAY,
    );
    expect(await rows("SELECT count FROM audience_keys WHERE day = ?", day + 1)).toEqual([{ count: 3 }]);
  });

  it("have what counts of a cost where its click counted", async () => {
    await inLedger(
      `INSERT INTO audience_keys VALUES ('${DEMO.appToken}', ${Math.floor(NOW / DAY)}, ${MAX_AUDIENCE_KEYS})`,
    );
    await click("audience-late-1", { cf: { country: "DE" } });
    await sendCost({ cost_id: "audience-late-1", cost_amount: "1" });
    expect(await counted()).toEqual([one("XX", "other", 1)]);
    expect(await spent()).toEqual([
      { cost_type: "cpc", state: "matched", country: "XX", platform: "other", count: 1, amount: 100_000 },
    ]);
    await call("/cost/audience-late-1/void", { method: "POST", token: DEMO.costToken });
    expect(await rows("SELECT count, amount FROM daily_audience_spend")).toEqual([{ count: 0, amount: 0 }]);
  });
});

it.runIf(isWhole)(
  "has at most 250 countries, 6 platforms and 2 kinds, so 3,000 rows a link, day and partner",
  async () => {
    expect([COUNTRY_CODES.size, PLATFORMS.length]).toEqual([250, 6]);
    const all = [...COUNTRY_CODES].flatMap((country) =>
      PLATFORMS.flatMap((platform) =>
        (["click", "impression"] as const).map((kind) => ({
          ...openedLink("", { kind, country, platform }),
          costId: null,
        })),
      ),
    );
    await recordAll(ledgerOn(), all, NOW);
    await recordAll(ledgerOn(), all.slice(-300), NOW);
    // Whatever a URL or a request says, it is one of these.
    for (const country of ["T1", "ZZ", "EU", "us ", "Ｕ", "XK"]) {
      await call(`${LINK}?s2s=1&country=${encodeURIComponent(country)}&platform=${country}`);
      await call(LINK, { headers: { "user-agent": IPHONE }, cf: { country } });
    }
    const [found] = await rows(
      "SELECT count(*) AS rows, sum(count) AS count FROM daily_audience WHERE link_id = 1",
    );
    expect(found).toEqual({ rows: 3_000, count: 3_312 });
  },
);

describe("random work", () => {
  const ids = fc.constantFrom(..."abcdef".split("").map((letter) => `audience-random-${letter}`));
  const country = fc.constantFrom("US", "DE", "T1", undefined);
  const kind = fc.constantFrom("click" as const, "impression" as const);
  const priced = fc.boolean();
  const types = fc.constantFrom("cpc", "cpi", "cpm");
  const amounts = fc.constantFrom("1", "2", undefined);
  const step = fc.oneof(
    // Requests at the same time, which share calls to the database.
    fc.record({
      step: fc.constant("open" as const),
      all: fc.array(fc.record({ kind, id: fc.option(ids), country, priced }), { minLength: 1, maxLength: 6 }),
    }),
    // Messages of the queue, some of them twice.
    fc.record({
      step: fc.constant("deliver" as const),
      all: fc.array(fc.record({ kind, id: ids, country, priced, times: fc.constantFrom(1, 2) }), {
        minLength: 1,
        maxLength: 4,
      }),
    }),
    fc.record({ step: fc.constant("cost" as const), id: ids, cost_type: types, cost_amount: amounts }),
    fc.record({ step: fc.constant("void" as const), id: ids }),
  );
  type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

  const messageOf = (
    {
      kind,
      id,
      country,
      priced,
    }: { kind: OpenedLink["kind"]; id: string; country: string | undefined; priced: boolean },
    occurredAt: number,
  ): OpenedLink =>
    openedLink(id, {
      kind,
      occurredAt,
      ...(country && { country, platform: "linux" }),
      ...(priced && { urlCostType: kind === "click" ? "cpc" : "cpm", urlCurrency: "USD", urlAmount: 50_000 }),
    });

  async function take(step: Step, now: number, delivered: OpenedLink[]): Promise<void> {
    if (step.step === "open") {
      await Promise.all(
        step.all.map(({ kind, id, country, priced }) => {
          const price = priced
            ? `&cost_type=${kind === "click" ? "cpc" : "cpm"}&cost_amount=0.5&cost_currency=USD`
            : "";
          const path = `${kind === "click" ? "" : "/impression"}${LINK}?${id ? `cost_id=${id}` : ""}${price}`;
          return call(path, { headers: { "user-agent": IPHONE }, now, ...(country && { cf: { country } }) });
        }),
      );
    } else if (step.step === "deliver") {
      const messages = step.all.flatMap(({ times, ...one }, index) =>
        Array<OpenedLink>(times).fill(messageOf(one, now + index)),
      );
      // Messages of earlier steps too, as a queue delivers them again.
      await recordQueued(queueBatch([...messages, ...delivered.slice(0, 2)]), ledgerOn(), now + 10);
      delivered.unshift(...messages);
    } else if (step.step === "cost") {
      const { id, cost_type, cost_amount } = step;
      await sendCost({ cost_id: id, cost_type, ...(cost_amount && { cost_amount }) }, { now });
    } else if (step.step === "void") {
      await call(`/cost/${step.id}/void`, { method: "POST", token: DEMO.costToken, now });
    }
  }

  const KEYS = "app_token, link_id, day, partner_id";
  const sums = (table: string) =>
    rows(
      `SELECT ${KEYS}, kind, sum(count) AS count, sum(recorded) AS recorded FROM ${table} GROUP BY ${KEYS}, kind ORDER BY ${KEYS}, kind`,
    );
  /** What counts of the costs. */
  const COST_KEYS = `${KEYS}, cost_type, currency, state`;
  const costs = (table: string) =>
    rows(`SELECT ${COST_KEYS}, sum(count) AS count, sum(amount) AS amount FROM ${table} WHERE state <> 'pending'
      GROUP BY ${COST_KEYS} HAVING sum(count) <> 0 OR sum(amount) <> 0 ORDER BY ${COST_KEYS}`);

  /** A matched cost and one without an amount, which reach every state. */
  const both: Step[] = ["a", "b"].flatMap((letter): Step[] => [
    {
      step: "open",
      all: [{ kind: "click", id: `audience-random-${letter}`, country: "DE", priced: false }],
    },
    {
      step: "cost",
      id: `audience-random-${letter}`,
      cost_type: "cpc",
      cost_amount: letter === "a" ? "1" : undefined,
    },
  ]);
  const examples: [Step[], boolean][] = [false, true].map((isFull) => [both, isFull]);

  it("has the sums of the counts and of the costs of each link and day, with few new rows a day too", async () => {
    const reached = new Set<string>();
    await fc.assert(
      fc
        .asyncProperty(
          fc.array(step, { minLength: 4, maxLength: 14 }),
          fc.boolean(),
          async (work, isFull) => {
            const delivered: OpenedLink[] = [];
            if (isFull)
              await inLedger(
                `INSERT INTO audience_keys VALUES ('${DEMO.appToken}', ${Math.floor(NOW / DAY)}, ${MAX_AUDIENCE_KEYS - 1})`,
              );
            for (const [index, next] of work.entries()) {
              await take(next, NOW + 100 * index, delivered);
              expect(await sums("daily_audience"), `step ${index}`).toEqual(await sums("daily_engagements"));
              const total = await costs("daily_totals");
              expect(await costs("daily_audience_spend"), `step ${index}`).toEqual(total);
              for (const { state } of total) reached.add(`${state}${isFull ? " full" : ""}`);
            }
          },
        )
        .afterEach(() =>
          inLedger(
            ...[
              "ledger_entries",
              "daily_totals",
              "daily_engagements",
              "daily_audience",
              "daily_audience_spend",
              "audience_keys",
            ].map((table) => `DELETE FROM ${table}`),
          ),
        ),
      { ...runs(100, isWhole ? 6 : 2), examples },
    );
    expect([...reached].sort()).toEqual(["matched", "matched full", "unpriced", "unpriced full"]);
  });
});
