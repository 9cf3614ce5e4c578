/** What requests without credentials store, as the table of /docs/limits says. Tests of the other rows are beside what they test. */
import { beforeEach, describe, expect, it } from "vitest";
import { insertAttempt, MAX_ATTEMPTS } from "../../src/db/accounts/identities.ts";
import { DROP_REASONS } from "../../src/domain/engagements/sub-links.ts";
import { CURRENCY_CODES } from "../../src/domain/money.ts";
import { recordQueued } from "../../src/engagement/queue.ts";
import { DROPPED_NAMES } from "../../src/site/facts.ts";
import {
  call,
  countingDatabase,
  DAY,
  DEMO,
  env,
  IPHONE,
  ledgerOn,
  NOW,
  ORIGIN,
  queueBatch,
  rows,
  sendCost,
} from "../harness.ts";
import { oneOf } from "../part.ts";
import { freshLedger, inLedger, openedLink } from "../support.ts";

beforeEach(async () => {
  await freshLedger();
  await inLedger("DELETE FROM dropped_parameters", "DELETE FROM daily_url_prices");
});

const BOT = { "user-agent": "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)" };
const open = (query: string, headers: Record<string, string> = IPHONE_HEADERS) =>
  Promise.all(["", "impression/"].map((kind) => call(`/${kind}${DEMO.linkToken}?${query}`, { headers })));
const IPHONE_HEADERS = { "user-agent": IPHONE };

describe("the dropped parameters of a link", () => {
  it("are known names and reasons, whatever a URL has", async () => {
    await rows("UPDATE partners SET click_parameters = 'campaign={c}&adgroup={a}&creative={k}'");
    const names = DROPPED_NAMES.filter((name) => name !== "engagement");
    const unknown = ["gclid", "utm_source", "a", "engagement", "cost_id2", "%00"];
    const values = ["%FF", "{macro}", "null", "x%00", "1"];
    const queries = [...names, ...unknown].flatMap((name, index) =>
      oneOf(values.length, values, index).flatMap((value) => [
        `s2s=1&${name}=${value}`,
        `${name}=${value}&${name}=2`,
      ]),
    );
    await Promise.all(queries.map((query) => open(query)));
    for (const agent of [
      "Windows NT 10.0",
      "Macintosh; Intel Mac OS X 14_0",
      "Linux; Android 14",
      "X11; Linux x86_64",
    ])
      await open(names.map((name) => `${name}=x:`).join("&"), { "user-agent": `Mozilla/5.0 (${agent})` });
    await open("campaign=Known&creative=Known");
    await open("", BOT);
    await recordQueued(
      queueBatch([openedLink("too-late-000001", { occurredAt: NOW - 15 * DAY })]),
      ledgerOn(),
      NOW,
    );
    const found = await rows<{ param: string; reason: string }>(
      "SELECT DISTINCT param, reason FROM dropped_parameters",
    );
    expect(new Set(found.map(({ param }) => param))).toEqual(new Set(DROPPED_NAMES));
    for (const { reason } of found) expect(Object.keys(DROP_REASONS)).toContain(reason);
  });
});

describe("clicks and impressions", () => {
  it("without an ID are one row of counts for each kind, however many there are", async () => {
    const entries = async () => (await rows("SELECT 1 FROM ledger_entries")).length;
    const before = await entries();
    for (let count = 0; count < 5; count++) await open("");
    expect(await rows("SELECT kind, count FROM daily_engagements ORDER BY kind")).toEqual([
      { kind: "click", count: 5 },
      { kind: "impression", count: 5 },
    ]);
    expect(await entries()).toBe(before);
  });

  it("with prices are one row of sums for each known currency", async () => {
    await rows(
      "UPDATE partners SET max_url_spend = NULL, cost_parameters = 'cost_id={id}&cost_type=cpc&cost_amount={a}&cost_currency={c}'",
    );
    const known = oneOf(16, [...CURRENCY_CODES], 0);
    for (const currency of [...known, "ZZZ", "QQQ"])
      for (let count = 0; count < 2; count++)
        await call(`/${DEMO.linkToken}?cost_type=cpc&cost_amount=1&cost_currency=${currency}`, {
          headers: IPHONE_HEADERS,
        });
    const [sums] = await rows<{ n: number; counted: number }>(
      "SELECT count(DISTINCT currency) AS n, CAST(sum(counted) / 100000000 AS INTEGER) AS counted FROM daily_url_prices",
    );
    expect(sums).toEqual({ n: known.length, counted: 2 * known.length });
  });
});

it("attempts of single sign-on are five with a verified address and five others for a user", async () => {
  await rows("UPDATE users SET password_hash = NULL WHERE id = 1");
  for (const isVerified of [0, 1])
    for (let count = 0; count < MAX_ATTEMPTS + 3; count++)
      await insertAttempt(env.DB, {
        ...{ issuer: "https://provider.test", subject: `${isVerified}-${count}`, email: DEMO.email },
        ...{ isVerified, code: "CODE22", now: NOW + count },
      });
  expect(
    await rows(
      "SELECT is_verified, count(*) AS n, min(attempted_at) AS oldest FROM sign_in_attempts GROUP BY 1",
    ),
  ).toEqual([0, 1].map((is_verified) => ({ is_verified, n: 5, oldest: NOW + 3 })));
});

it("unknown links, rejected credentials, invalid requests and unknown addresses store nothing", async () => {
  const { database, counts } = countingDatabase();
  const on = { env: { DB: database } };
  const cost = { cost_id: "stranger-id-0001", cost_type: "cpc", cost_amount: "1", cost_currency: "USD" };
  const form = (fields: Record<string, string>) => ({
    ...{ method: "POST", body: new URLSearchParams(fields).toString() },
    headers: { "content-type": "application/x-www-form-urlencoded", origin: ORIGIN },
  });
  const responses = [
    await call("/unknown000001", { ...on, headers: IPHONE_HEADERS }),
    await call("/impression/unknown000001", { ...on, headers: IPHONE_HEADERS }),
    await sendCost(cost, { ...on, token: "not-a-credential" }),
    await sendCost({ cost_id: "x" }, { ...on, token: "not-a-credential" }),
    await call("/operator/v1/apps", { ...on, token: "not-a-token" }),
    await call("/login", { ...on, ...form({ email: "nobody@example.com", password: "not-the-password" }) }),
    await call("/login", { ...on, ...form({}) }),
  ];
  for (const { status } of responses) expect(status).toBeGreaterThanOrEqual(400);
  expect(counts.written).toBe(0);
});
