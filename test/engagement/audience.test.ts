/** Clicks, impressions and their costs by country and platform: where they come from, and that they add up. */
import * as fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import { recordAll } from "../../src/db/ledger/engagements.ts";
import type { OpenedLink } from "../../src/domain/costs.ts";
import { COUNTRY_CODES, PLATFORMS } from "../../src/domain/engagements/audience.ts";
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
  IPHONE,
  ledgerOn,
  NOW,
  queueBatch,
  rows,
  sendCost,
  view,
} from "../harness.ts";
import { runs } from "../part.ts";
import { freshLedger, inLedger, LINK, openedLink, totals } from "../support.ts";

beforeEach(freshLedger);

const setAudience = (isOn: boolean) => rows("UPDATE apps SET audience = ?", Number(isOn));
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
  it.each([
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

  it("is not what the URL says", async () => {
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

  it("is unknown in messages of the queue from before, and otherwise that of the request", async () => {
    await recordQueued(
      queueBatch([
        openedLink("audience-id-0002"),
        openedLink("audience-id-0003", { country: "JP", platform: "linux" }),
      ]),
      ledgerOn(),
      NOW + DAY,
    );
    expect(await counted()).toEqual([one("JP", "linux", 1), one("XX", "other", 1)]);
  });
});

describe("an engagement that a server reports", () => {
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

  it("counts each wrong value with its reason", async () => {
    await report("country=UK&platform={os}");
    expect(await rows("SELECT param, reason, count FROM dropped_parameters ORDER BY param")).toEqual([
      { param: "country", reason: "invalid", count: 1 },
      { param: "platform", reason: "unfilled_macro", count: 1 },
    ]);
  });
});

describe("an app that does not count its audience", () => {
  beforeEach(() => setAudience(false));
  const measure = async (request: (env: { DB: D1Database }) => Promise<unknown>) => {
    const { database, counts } = countingDatabase();
    await request({ DB: database });
    return counts.written;
  };
  const budgets = async () => {
    await click("audience-warm-1", { query: PRICE });
    await sendCost({ cost_id: "audience-warm-1" });
    await sendCost({ cost_id: "audience-wait-1", cost_amount: "1" });
    return {
      plain: await measure((env) => call(LINK, { headers: { "user-agent": IPHONE }, env })),
      withId: await measure((env) => click("audience-id-0001", { env })),
      priced: await measure((env) => click("audience-id-0002", { query: PRICE, env })),
      waiting: await measure((env) => click("audience-wait-1", { env })),
      cost: await measure((env) => sendCost({ cost_id: "audience-id-0001", cost_amount: "1" }, { env })),
      pending: await measure((env) => sendCost({ cost_id: "audience-id-0003" }, { env })),
    };
  };

  it("writes one row less for each engagement, and none for the audience of costs", async () => {
    expect(await budgets()).toEqual({ plain: 1, withId: 2, priced: 3, waiting: 4, cost: 2, pending: 2 });
    expect([await counted(), await spent()]).toEqual([[], []]);
  });

  it("writes them again as soon as it counts its audience", async () => {
    await setAudience(true);
    expect(await budgets()).toEqual({ plain: 2, withId: 3, priced: 5, waiting: 6, cost: 3, pending: 2 });
  });

  it("keeps neither for good: a cost of that time never has an audience", async () => {
    await click("audience-id-0001", { cf: { country: "DE" } });
    await setAudience(true);
    await sendCost({ cost_id: "audience-id-0001", cost_amount: "1" });
    expect(await totals()).toEqual([{ state: "matched", count: 1, amount: 100_000 }]);
    expect(await spent()).toEqual([]);
  });
});

it("has at most 250 countries, 6 platforms and 2 kinds, so 3,000 rows a link, day and partner", async () => {
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
  await recordAll(ledgerOn(), all, NOW);
  // Whatever a URL or a request says, it is one of these.
  for (const country of ["T1", "ZZ", "EU", "us ", "Ｕ", "XK"]) {
    await call(`${LINK}?s2s=1&country=${encodeURIComponent(country)}&platform=${country}`);
    await call(LINK, { headers: { "user-agent": IPHONE }, cf: { country } });
  }
  const [found] = await rows(
    "SELECT count(*) AS rows, sum(count) AS count FROM daily_audience WHERE link_id = 1",
  );
  expect(found).toEqual({ rows: 3_000, count: 6_012 });
});

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
    fc.record({ step: fc.constant("switch" as const) }),
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
  /** What counts of the costs, from the totals, or from the audience and the costs that have none. */
  const COST_KEYS = `${KEYS}, cost_type, currency, state`;
  const costs = (table: string) =>
    rows(`SELECT ${COST_KEYS}, sum(count) AS count, sum(amount) AS amount FROM ${table} WHERE state <> 'pending'
      GROUP BY ${COST_KEYS} HAVING sum(count) <> 0 OR sum(amount) <> 0 ORDER BY ${COST_KEYS}`);
  const NOT_RECORDED = `SELECT ${COST_KEYS}, 1 AS count, coalesce(amount, 0) AS amount FROM cost_states WHERE country IS NULL`;

  it("has the sums of the counts of each link and day on which it was on, and with what is not recorded those of the costs", async () => {
    const reached = new Set<string>();
    await fc.assert(
      fc
        .asyncProperty(fc.array(step, { minLength: 4, maxLength: 14 }), async (work) => {
          const delivered: OpenedLink[] = [];
          let [now, isOn, offDays] = [NOW, true, new Set<number>()];
          await setAudience(true);
          for (const [index, next] of work.entries()) {
            now = now + 100;
            // It changes with the day, so that a day is either on or off.
            if (next.step === "switch") {
              isOn = !isOn;
              now += DAY;
              delivered.length = 0;
              await setAudience(isOn);
              if (!isOn) offDays.add(Math.floor(now / DAY));
              continue;
            }
            await take(next, now, delivered);
            const all = await sums("daily_engagements");
            expect(await sums("daily_audience"), `step ${index}`).toEqual(
              all.filter(({ day }) => !offDays.has(Number(day))),
            );
            const known = `(SELECT ${COST_KEYS}, count, amount FROM daily_audience_spend UNION ALL ${NOT_RECORDED})`;
            const total = await costs("daily_totals");
            expect(await costs(known), `step ${index}`).toEqual(total);
            for (const { state, day } of total)
              reached.add(`${state} ${offDays.has(Number(day)) ? "off" : "on"}`);
          }
        })
        .afterEach(() =>
          inLedger(
            ...[
              "ledger_entries",
              "daily_totals",
              "daily_engagements",
              "daily_audience",
              "daily_audience_spend",
            ].map((table) => `DELETE FROM ${table}`),
          ),
        ),
      runs(100, 20),
    );
    expect([...reached].sort()).toEqual(["matched off", "matched on", "unpriced off", "unpriced on"]);
  });
});
