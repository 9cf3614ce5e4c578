import { beforeEach, describe, expect, it } from "vitest";
import { databasesOf, rowDatabasesOf } from "../../src/db/ledger/shards.ts";
import { storeRates } from "../../src/db/operator/stored-rates.ts";
import { type Browser, freshSession } from "../account/support.ts";
import {
  countingDatabase,
  DAY,
  DEMO,
  env,
  freshWholeDemo,
  ledgerOn,
  NOW,
  rows,
  withMethods,
  wrapDatabases,
} from "../harness.ts";
import { isWhole } from "../part.ts";
import { inLedger, SINGLE_SIGN_ON } from "../support.ts";
import { figuresOf, mainOf, tablesOf, textOf } from "../workspace/page-text.ts";

let operator: Browser;
beforeEach(async () => {
  operator = await freshSession(freshWholeDemo, DEMO.operatorEmail, DEMO.operatorPassword);
});

const HOUR = DAY / 24;
const open = async (options = {}) => mainOf((await operator.get("/operator", options)).text);
/** Real D1 that says it has this size, and with shards so do they. */
const sized = (bytes: number) =>
  wrapDatabases((real) =>
    withMethods(real, {
      batch: async (statements: D1PreparedStatement[]) => {
        const results = await real.batch(statements);
        return results.map((result) => ({ ...result, meta: { ...result.meta, size_after: bytes } }));
      },
    }),
  );
/** What waits, its urgency, and the next step. */
const waiting = async (options = {}) => {
  const text = await open(options);
  const section = text.slice(text.indexOf('id="waiting"'), text.indexOf('id="spend"'));
  const [list = []] = tablesOf(section);
  return list.slice(1).map(({ cells, href }) => [cells[0], cells[1], href]);
};
const partnersOf = (text: string) => tablesOf(text.slice(text.indexOf('id="partners"')))[0]?.slice(1) ?? [];
const ROUND = [
  "Corsair Media : round 1 for cpc, cpi, cpe, and cpm has 13 submissions",
  "Soon",
  "/operator/rounds/1",
];
const BEACON = ["Beacon Network : not set up yet", "Later", "/operator/partners/2/setup"];

describe("what waits", () => {
  it.runIf(isWhole)("is ordered by urgency, then by spend, then by age", async () => {
    expect(await waiting()).toEqual([ROUND, BEACON]);
    await rows("UPDATE credentials SET revoked_at = 1 WHERE partner_id = 1");
    await rows("UPDATE partners SET cost_parameters = '' WHERE id = 1");
    await rows("UPDATE users SET password_expires_at = ? WHERE id = 1", NOW);
    await rows("DELETE FROM memberships");
    await rows(
      "INSERT INTO failed_sign_ins (user_id, hour, count, codes) VALUES (1, ?, 10, 0), (2, ?, 9, 0)",
      Math.floor(NOW / HOUR),
      Math.floor(NOW / HOUR),
    );
    expect(await waiting()).toEqual([
      ["Acme Ads : no live credential", "Soon", "/operator/partners/1#credentials"],
      ["Acme Ads : no cost_id in its cost parameters", "Soon", "/operator/partners/1#templates"],
      [`${DEMO.email} : temporary password expired 15 Mar 2026, 12:00 UTC`, "Soon", "/operator/users/1"],
      ROUND,
      [`${DEMO.email} : 10 wrong passwords and codes in an hour`, "Soon", "/operator/audit?object=user%201"],
      BEACON,
      [`${DEMO.email} : no app yet`, "Later", "/operator/users/1#apps"],
    ]);
  });

  it.runIf(isWhole)("names more than three of a kind in one line", async () => {
    await rows(
      "INSERT INTO users (id, email, role, password_hash, created_at) SELECT value, value || '@example.com', 'member', 'x', 7 FROM json_each('[11,12,13,14]')",
    );
    expect(await waiting()).toEqual([
      ROUND,
      [
        "4 members have no app yet: 11@example.com, 12@example.com, 13@example.com, and 1 more",
        "Later",
        "/operator/users?role=member",
      ],
      BEACON,
    ]);
    // Another year is named.
    expect(textOf(await open())).toContain("Later 1 Jan 1970 ");
  });

  it.runIf(isWhole)("names users who can't sign in, because single sign-on isn't set up", async () => {
    const insert = (ids: string, role: string) =>
      rows(
        "INSERT INTO users (id, email, role, created_at) SELECT value, value || '@example.com', ?, 7 FROM json_each(?)",
        role,
        ids,
      );
    await insert("[11]", "operator");
    const LOCKED_OUT = "can't sign in: single sign-on isn't set up";
    expect(await waiting()).toContainEqual([
      `11@example.com : ${LOCKED_OUT}`,
      "Soon",
      "/operator/users/11#sign-in",
    ]);
    await insert("[12,13,14]", "operator");
    const ALL = "/operator/users?sign_in=sso";
    expect(await waiting()).toContainEqual([
      `4 users ${LOCKED_OUT}: 11@example.com, 12@example.com, 13@example.com, and 1 more`,
      "Soon",
      ALL,
    ]);
    const list = textOf((await operator.get(ALL)).text);
    expect(list).toContain("4 users");
    expect(list).not.toContain(DEMO.email);
    expect(textOf(await open({ env: SINGLE_SIGN_ON }))).not.toContain(LOCKED_OUT);
    await rows("UPDATE users SET disabled_at = 1 WHERE id > 10");
    expect(textOf(await open())).not.toContain(LOCKED_OUT);
  });

  it.runIf(isWhole)("says when it was checked if it is nothing", async () => {
    await rows("UPDATE rounds SET state = 'closed'");
    await rows("UPDATE partners SET stopped_at = 1");
    expect(textOf(await open())).toContain(
      "Nothing is waiting for you so far. Not all partners are checked yet.",
    );
    await storeRates(ledgerOn(), NOW);
    expect(textOf(await open())).toContain("Nothing is waiting for you. Checked 15 Mar 2026, 12:00 UTC.");
  });

  it.runIf(isWhole)("has an archive that fails, and a cron that does not run", async () => {
    await rows("UPDATE archive_state SET failing_since = ? WHERE id = 1", NOW - HOUR);
    await rows("UPDATE purge_positions SET walked_at = ?", NOW - 3 * HOUR - 1);
    expect((await waiting()).slice(0, 3)).toEqual([
      ["Archive : the bucket rejects objects, so nothing is purged", "Urgent", "/docs/archive"],
      ROUND,
      ["Hourly job : it hasn't run for more than three hours", "Soon", "/docs/watch#what-to-poll"],
    ]);
    await rows("UPDATE purge_positions SET walked_at = ?", NOW - 3 * HOUR);
    expect((await waiting()).map(([what]) => what)).not.toContain(
      "Hourly job : it hasn't run for more than three hours",
    );
  });

  it("has a database of 7 GB or more", async () => {
    const large = async (bytes: number) =>
      (await waiting({ env: { DB: sized(bytes) } })).filter(([what]) => what?.includes("GB"));
    expect(await large(6_999_999_999)).toEqual([]);
    expect(await large(7_000_000_000)).toHaveLength(1);
    expect(await large(7_210_000_000)).toEqual(
      ledgerOn().shards.length === 0
        ? [["DB : the database has 7.2 GB of 10 GB", "Soon", "/docs/watch#how-full-a-database-is"]]
        : [["5 databases have 7 GB or more: DB, LEDGER_0, LEDGER_1, and 2 more", "Soon", "/readyz"]],
    );
  });
});

/** With the eight that it has, 20 impressions, of which seven have a cost. */
const missCosts = () =>
  rowDatabasesOf(ledgerOn())[0]
    ?.prepare(
      `WITH RECURSIVE n(i) AS (SELECT 10 UNION ALL SELECT i + 1 FROM n WHERE i < 21)
       INSERT INTO ledger_entries (partner_id, cost_id, impression_app_token, impression_link_id, impression_at, impression_cost_data_on, impression_price_counts)
       SELECT 1, 'start-view-00' || i, '${DEMO.appToken}', 1, ${NOW}, 1, 0 FROM n`,
    )
    .run();

describe("the next step of a partner", () => {
  const nextSteps = async () => {
    const [list = []] = tablesOf((await operator.get("/operator/partners?sort=name")).text);
    return list.slice(1).map(({ cells }) => [cells[0], cells.at(-1)]);
  };
  const stepOnPage = async (id: number) =>
    textOf(
      /<dt>Next step<\/dt><dd>([\s\S]*?)<\/dd>/.exec(
        (await operator.get(`/operator/partners/${id}`)).text,
      )?.[1] ?? "",
    );

  it.runIf(isWhole)("says since when no cost came, after 24 hours with clicks", async () => {
    await missCosts();
    await storeRates(ledgerOn(), NOW);
    const setActivity = (lastCostAt: number) =>
      rows("INSERT OR REPLACE INTO partner_activity VALUES (1, 1, 1, 1, 1, ?, ?, 0)", lastCostAt, NOW);
    await setActivity(NOW - DAY + 1);
    expect((await waiting())[0]?.[0]).toBe("Acme Ads : discrepancy of cpm 65.0%");
    await setActivity(NOW - DAY);
    expect((await waiting())[0]?.[0]).toBe("Acme Ads : no cost after 14 Mar, discrepancy of cpm 65.0%");
  });

  it.runIf(isWhole)(
    "is the first of what waits about it, on its page, in the list and on the start page",
    async () => {
      await rows("UPDATE credentials SET revoked_at = 1 WHERE partner_id = 5");
      await missCosts();
      await storeRates(ledgerOn(), NOW);
      expect(await waiting()).toEqual([
        ["Acme Ads : discrepancy of cpm 65.0%", "Soon", "/operator/partners/1#rates"],
        ["Echo Media : no live credential", "Soon", "/operator/partners/5#credentials"],
        ROUND,
        BEACON,
      ]);
      const expected = [
        ["Acme Ads", "Check costs"],
        ["Beacon Network", "Continue setup"],
        ["Corsair Media", "Review round 1"],
        ["Delta Reach", "Resume"],
        ["Echo Media", "Issue a live credential"],
      ];
      expect(await nextSteps()).toEqual(expected);
      expect(partnersOf(await open()).map(({ cells }) => [cells[0], cells.at(-1)])).toEqual(
        expect.arrayContaining(expected),
      );
      expect(await Promise.all([1, 2, 3, 4, 5].map(stepOnPage))).toEqual([
        "Check costs discrepancy of cpm 65.0%",
        "Continue setup not set up yet",
        "Review round 1 round 1 for cpc, cpi, cpe, and cpm has 13 submissions",
        "Resume",
        "Issue a live credential no live credential",
      ]);
    },
  );

  it.runIf(isWhole)(
    "is to turn on cost data if clicks come without, and is not listed where nothing is wrong",
    async () => {
      await rows("UPDATE rounds SET state = 'closed'");
      await storeRates(ledgerOn(), NOW);
      await rows("UPDATE partner_rates SET expected = 0, agreeing = 0 WHERE partner_id = 1");
      await rows("UPDATE partners SET integrated_types = 1 WHERE id = 5");
      const CORSAIR = ["Corsair Media : not set up yet", "Later", "/operator/partners/3/setup"];
      expect(await waiting()).toEqual([
        ["Acme Ads : cost data is off on all links", "Later", "/operator/partners/1#rates"],
        BEACON,
        CORSAIR,
      ]);
      expect(await nextSteps()).toContainEqual(["Acme Ads", "Ask for cost data"]);
      expect(await nextSteps()).toContainEqual(["Echo Media", "Open a round"]);
    },
  );
});

describe("discrepancies", () => {
  it("are those that the cron counted, with their time", async () => {
    const before = await open();
    expect(textOf(before)).toContain("3 partners have no rates yet: the hourly job counts them.");
    expect(partnersOf(before).map(({ cells }) => [cells[0], ...cells.slice(5)])).toEqual(
      expect.arrayContaining([
        ["Acme Ads", "–", "Not calculated"],
        ["Delta Reach", "–", "Resume"],
      ]),
    );
    // Of fewer than 20 clicks or impressions, none waits.
    await storeRates(ledgerOn(), NOW - DAY);
    expect((await waiting())[0]).toEqual(ROUND);
    await missCosts();
    await storeRates(ledgerOn(), NOW - HOUR);
    const text = await open();
    expect(textOf(text)).toContain("Rates as of 15 Mar 2026, 11:00 UTC.");
    expect((await waiting())[0]).toEqual([
      "Acme Ads : discrepancy of cpm 65.0%",
      "Soon",
      "/operator/partners/1#rates",
    ]);
    expect(partnersOf(text)[0]?.cells.slice(-2)).toEqual(["65.0%", "Check costs"]);
  });

  it.runIf(isWhole)("are counted once a day, for integrated partners", async () => {
    const times = async () =>
      (await rows("SELECT DISTINCT partner_id, computed_at FROM partner_rates")).map((row) =>
        Object.values(row),
      );
    await storeRates(ledgerOn(), NOW);
    await storeRates(ledgerOn(), NOW + 23 * HOUR - 1);
    expect(await times()).toEqual([1, 4, 5].map((id) => [id, NOW]));
    await storeRates(ledgerOn(), NOW + 23 * HOUR);
    expect(await times()).toEqual([1, 4, 5].map((id) => [id, NOW + 23 * HOUR]));
    expect(await rows("SELECT count(*) AS n FROM partner_rates")).toEqual([{ n: 12 }]);
  });
});

it("shows the spend of the last seven complete days by currency, with the change and with adjustments", async () => {
  const today = Math.floor(NOW / DAY);
  await inLedger("DELETE FROM daily_totals");
  await rows("DELETE FROM adjustments");
  // With shards, the last one.
  for (const [day, currency, amount] of [
    [today, "USD", 900_000],
    [today - 1, "USD", 200_000],
    [today - 7, "USD", 100_000],
    [today - 8, "USD", 150_000],
    [today - 14, "USD", 50_000],
    [today - 15, "USD", 900_000],
    [today - 3, "EUR", 100_000],
  ] as const)
    await databasesOf(ledgerOn())
      .at(-1)
      ?.prepare("INSERT INTO daily_totals VALUES (?, ?, 1, 1, 'cpc', ?, 'matched', 1, ?)")
      .bind(DEMO.appToken, day, currency, amount)
      .run();
  await rows(
    "INSERT INTO adjustments SELECT 9, ?, ?, min(id), 1, 'cpc', 'USD', -100000000, 'x', 2, 0 FROM links",
    DEMO.appToken,
    today - 1,
  );
  const text = await open();
  expect(figuresOf(text)).toEqual([
    "Spend in USD $2.00 no change vs the 7 days before",
    "Spend in EUR €1.00 no data in the 7 days before",
  ]);
  expect(partnersOf(text)[0]?.cells.slice(0, 5)).toEqual([
    "Acme Ads",
    // The costs of the demo are gone, and its clicks are not.
    "98% no cost",
    "$2.00 €1.00",
    "no change new",
    "2.2%",
  ]);
});

it.runIf(isWhole)("lists what a new deployment still needs, until it is done", async () => {
  const steps = async (options = {}) => {
    const text = await open(options);
    const section = text.slice(text.indexOf('id="setup"'));
    return [...section.matchAll(/<dt><span[^>]*>([^<]*)<\/span><\/dt><dd>([\s\S]*?)<\/dd>/g)]
      .filter(([, mark]) => mark === "To do")
      .map(([, , step = ""]) => textOf(step));
  };
  expect(await steps()).toEqual([
    "Turn on two-factor authentication for an operator",
    "Add a contact for questions (optional)",
    ...(env.ARCHIVE ? [] : ["Bind an archive (optional)"]),
  ]);
  expect(await steps({ env: { OPERATOR_CONTACT: "x" } })).not.toContain(
    "Add a contact for questions (optional)",
  );
  await rows("INSERT INTO authenticators VALUES (2, 'x', 0, 0)");
  expect(await open()).not.toContain('id="setup"');
});

it("shows how full the databases are: DB and the fullest shard", async () => {
  const shown = async (bytes: number) => {
    const text = textOf((await open({ env: { DB: sized(bytes) } })).split('id="health"')[1] ?? "");
    return text.slice(text.indexOf("Database"));
  };
  expect(await shown(4_210_000_000)).toContain("DB: 4.2 GB of 10 GB");
  expect(await shown(1_200_000)).toContain("DB: 1.2 MB of 10 GB");
  expect(await shown(4_210_000_000)).not.toContain("Large");
  expect(await shown(7_000_000_000)).toContain("DB: 7 GB of 10 GB Large");
  const { shards } = ledgerOn();
  if (shards.length > 0)
    expect(await shown(1e9)).toContain(`${shards.length - 1} other databases with less.`);
});

it("takes two calls to D1 and one to each shard, with the session", async () => {
  const counting = countingDatabase();
  await open({ env: { DB: counting.database } });
  expect(counting.counts.calls).toBe(1 + databasesOf(ledgerOn()).length);
});
