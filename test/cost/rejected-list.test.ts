/** Rejected costs one by one: what is kept of them, how they are listed, and what is said of an ID without an accepted cost. */
import { beforeEach, describe, expect, it } from "vitest";
import { databasesOf, rowDatabasesOf } from "../../src/db/ledger/shards.ts";
import { COST_WINDOW_MS, toIso } from "../../src/domain/time.ts";
import { ERRORS } from "../../src/errors.ts";
import { purge } from "../../src/purge.ts";
import {
  ask,
  call,
  click,
  countingDatabase,
  DAY,
  DEMO,
  ledgerOn,
  NOW,
  rows,
  sendCost,
  view,
} from "../harness.ts";
import { isWhole } from "../part.ts";
import { signedIn } from "../partner/support.ts";
import { SESSIONS, startSessions } from "../security/support.ts";
import { freshLedger } from "../support.ts";

beforeEach(freshLedger);

const COST = { cost_type: "cpc", cost_currency: "USD", tag: "t", cost_amount: "1" };
const ID = "rejected-cost-01";
const HOUR = 3_600_000;

interface Item {
  match: string;
  cost_id: string | null;
  code: string;
  params: string[];
  tag: string | null;
  rejected_at: string;
}
interface Page {
  items: Item[];
  paging: { cursor: string | null; next: string | null };
}

/** Of a click that is too old for a cost that is sent now, and not yet forgotten. */
const LATE = NOW - COST_WINDOW_MS - DAY;
const NONE_KEPT =
  "No rejected cost with this ID is kept. The newest 200 of each reason are kept, for seven days. Check the cost_id.";

const list = (query = "", token = DEMO.costToken, now = NOW) =>
  ask<Page>(`/cost?match=rejected${query}`, { token, now });
const batch = (costs: unknown[], now = NOW) =>
  ask("/cost/batch", { token: DEMO.costToken, json: { costs }, now });
const stop = () => rows("UPDATE partners SET stopped_at = 1 WHERE id = 1");
/** Many costs that are rejected with window_closed or as invalid. */
const late = (from: number, count: number) =>
  Array.from({ length: count }, (_, index) => ({ ...COST, cost_id: `many-costs-${from + index}` }));

describe("GET /cost?match=rejected", () => {
  it("lists what was sent, the newest first, and nothing of it is in the other lists", async () => {
    await click(ID, { now: LATE });
    await sendCost({ ...COST, cost_id: ID, tag: "late" });
    await sendCost({ ...COST, cost_id: "short", tag: "typo" }, { now: NOW + 1 });
    await call("/cost", { method: "POST", token: DEMO.costToken, now: NOW + 2 });
    const { body } = await list();
    expect(body.items).toEqual([
      {
        match: "rejected",
        cost_id: null,
        code: "invalid_request",
        params: ["cost_type", "cost_currency", "cost_id", "tag"],
        tag: null,
        rejected_at: "2026-03-15T12:00:00.002Z",
      },
      {
        match: "rejected",
        cost_id: "short",
        code: "invalid_request",
        params: ["cost_id"],
        tag: "typo",
        rejected_at: "2026-03-15T12:00:00.001Z",
      },
      {
        match: "rejected",
        cost_id: ID,
        code: "window_closed",
        params: [],
        tag: "late",
        rejected_at: "2026-03-15T12:00:00.000Z",
      },
    ]);
    expect((await ask<Page>("/cost", { token: DEMO.costToken })).body.items).toEqual([]);
  });

  it.runIf(isWhole)(
    "names the parameters that were wrong, of each cost of a batch or a file, and no others that were sent",
    async () => {
      await batch([
        { ...COST, cost_id: ID, cost_currency: "ZZZ", cost_amount: "1e3" },
        { ...COST, cost_id: `${ID}-2`, tag: "" },
        "no cost",
      ]);
      const wrong = (await list()).body.items.map(({ cost_id, params }) => [cost_id, params.join()]);
      expect(wrong.toSorted()).toEqual([
        [null, ""],
        [ID, "cost_currency,cost_amount"],
        [`${ID}-2`, "tag"],
      ]);
      await call("/cost", {
        method: "POST",
        token: DEMO.costToken,
        headers: { "content-type": "application/json" },
        body: `{"cost_type":"cpc","secret":1,"secret":2,"tag":3}`,
        now: NOW + 1,
      });
      expect((await list("&limit=1")).body.items[0]?.params).toEqual(["cost_currency", "cost_id", "tag"]);
      await call("/cost/batch", {
        method: "POST",
        token: DEMO.costToken,
        headers: { "content-type": "text/csv" },
        body: `${Object.keys(COST).join()},cost_id\ncpc,USD,t`,
        now: NOW + 2,
      });
      expect((await list("&limit=1")).body.items[0]?.params).toEqual(["row"]);
      await startSessions();
      const page = await (
        await call("/operator/partners/1/rejections", {
          headers: { cookie: SESSIONS.operator, accept: "text/html" },
        })
      ).text();
      expect(page).toContain('<span class="muted">cost_currency, cost_amount</span>');
    },
  );

  it.runIf(isWhole)(
    "keeps an ID and a tag up to their greatest lengths, without control characters",
    async () => {
      await sendCost({ ...COST, cost_id: `${"x".repeat(255)}\u{1f600}y`, tag: `\u0007${"t".repeat(200)}` });
      const [item] = (await list()).body.items;
      expect(item).toMatchObject({ cost_id: `${"x".repeat(255)}\u{1f600}`, tag: `\ufffd${"t".repeat(127)}` });
    },
  );

  it("returns each once, page by page, also those of the same millisecond", async () => {
    await stop();
    await batch([...late(0, 9), { cost_id: "short" }, {}]);
    await batch(late(20, 3), NOW - 1);
    const all = (await list()).body.items;
    expect(all).toHaveLength(14);
    const seen: Item[] = [];
    let cursor: string | null = "";
    do {
      const { body }: { body: Page } = await list(`&limit=4${cursor ? `&cursor=${cursor}` : ""}`);
      seen.push(...body.items);
      cursor = body.paging.cursor;
    } while (cursor !== null);
    expect(seen).toEqual(all);
  });

  it.runIf(isWhole)("rejects a cursor of another list, and one that is made up", async () => {
    await stop();
    await batch(late(0, 3));
    const cursor = (await list("&limit=1")).body.paging.cursor ?? "";
    const other = await ask(`/cost?cursor=${cursor}`, { token: DEMO.costToken });
    const made = btoa("1|/cost match=rejected|x").replaceAll("=", "");
    expect([other.status, (await list(`&cursor=${made}`)).status]).toEqual([400, 400]);
  });

  it.runIf(isWhole)("returns CSV as sent, with the next page in its Link header", async () => {
    await stop();
    await batch([{ ...COST, cost_id: "=HYPERLINK(1234)", tag: "a,b" }, ...late(0, 1)]);
    const file = await call("/cost?match=rejected&limit=1", {
      token: DEMO.costToken,
      headers: { accept: "text/csv" },
    });
    expect(file.headers.get("link")).toMatch(/^<https:.*cursor=.*>; rel="next"$/);
    const whole = await call("/cost?match=rejected", {
      token: DEMO.costToken,
      headers: { accept: "text/csv" },
    });
    expect((await whole.text()).split("\r\n").toSorted()).toContain(
      '=HYPERLINK(1234),rejected,partner_stopped,,"a,b",2026-03-15T12:00:00.000Z',
    );
  });

  it("has the rejected submissions of a round for its test credential, and never those of a live one", async () => {
    await sendCost({ ...COST, cost_id: "short" });
    await sendCost({ ...COST, cost_id: "short-1", tag: "round" }, { token: DEMO.testCostToken });
    await sendCost({ ...COST, cost_id: "short-2", tag: "round" }, { token: DEMO.testCostToken });
    const first = (await list("&limit=1", DEMO.testCostToken)).body;
    expect(first).toMatchObject({
      items: [{ cost_id: "short-2", code: "invalid_request", tag: "round" }],
      test: true,
    });
    const second = await list(`&limit=1&cursor=${first.paging.cursor}`, DEMO.testCostToken);
    expect(second.body.items).toMatchObject([{ cost_id: "short-1" }]);
  });

  it("is for the partner of the credential only", async () => {
    await rows(
      "INSERT INTO recent_rejections VALUES (2, 'window_closed', 1, ?, 'of-another-one', 't', '', NULL)",
      NOW,
    );
    expect((await list()).body.items).toEqual([]);
    // With shards, it is enough that one of the databases knows of a revocation.
    await rowDatabasesOf(ledgerOn())
      .at(-1)
      ?.exec("UPDATE credentials SET revoked_at = 1 WHERE partner_id = 1");
    expect((await list()).status).toBe(403);
  });
});

describe("what is kept", () => {
  it("is at most 200 for each partner, code and database, without a cron, and always the newest", async () => {
    await stop();
    for (let from = 10_000; from < 15_000; from += 1_000) await batch(late(from, 1_000), NOW + from);
    const kept = await Promise.all(
      databasesOf(ledgerOn()).map(async (db) => {
        const { results } = await db.prepare("SELECT cost_id FROM recent_rejections ORDER BY number").all();
        return results.map(({ cost_id }) => Number(String(cost_id).slice("many-costs-".length)));
      }),
    );
    const full = kept.filter(({ length }) => length > 0);
    expect(full.map(({ length }) => length)).toEqual(full.map(() => 200));
    const [one = []] = full;
    // With shards, each has its part of the IDs.
    if (full.length === 1) expect(one).toEqual(Array.from({ length: 200 }, (_, index) => 14_800 + index));
    else expect(full.every((part) => part.every((number) => number >= 13_000))).toBe(true);
  });

  it.runIf(isWhole)("takes two written rows a rejection, also in the place of the oldest", async () => {
    await click(ID, { now: LATE });
    for (let count = 0; count < 201; count += 100)
      await batch(
        Array.from({ length: 100 }, (_, index) => ({ ...COST, cost_id: "short", tag: `${index}` })),
      );
    for (const cost of [
      { ...COST, cost_id: ID },
      { ...COST, cost_id: "short" },
    ]) {
      const { database, counts } = countingDatabase();
      await sendCost(cost, { env: { DB: database } });
      expect(counts.written).toBe(2);
      expect(counts.read).toBeLessThanOrEqual(20);
    }
    const [{ number }] = (await rows<{ number: number }>(
      "SELECT count(*) AS number FROM recent_rejections WHERE code = 'invalid_request'",
    )) as [{ number: number }];
    expect(number).toBe(200);
  });

  it.runIf(isWhole)("keeps those of yesterday when there are as many today", async () => {
    await stop();
    await batch(late(0, 3), NOW - DAY);
    await batch(late(10, 3));
    expect((await list()).body.items).toHaveLength(6);
  });

  it("is listed for 7 days and not a millisecond longer, and then purged", async () => {
    await stop();
    await batch(late(0, 2));
    expect((await list("", DEMO.costToken, NOW + 7 * DAY)).body.items).toHaveLength(2);
    expect((await list("", DEMO.costToken, NOW + 7 * DAY + 1)).body.items).toEqual([]);
    const count = async () => (await rows("SELECT 1 FROM recent_rejections")).length;
    await purge(ledgerOn(), NOW + 7 * DAY);
    expect(await count()).toBe(2);
    await purge(ledgerOn(), NOW + 7 * DAY + 1);
    expect(await count()).toBe(0);
    // The numbers begin again.
    await batch(late(0, 2), NOW + 8 * DAY);
    expect(await count()).toBe(2);
  });
});

describe("an ID without an accepted cost", () => {
  const detailOf = async (id = ID, now = NOW) =>
    (await ask<{ detail: string }>(`/cost/${id}`, { token: DEMO.costToken, now })).body.detail;

  it("that nobody sent says what is not known, and never that it was not sent", async () => {
    expect(await detailOf()).toBe(`You have no accepted cost with this ID. ${NONE_KEPT}`);
  });

  it("that was rejected before 200 others does not say that it was accepted or never rejected", async () => {
    await batch(late(0, 250).map((cost) => ({ ...cost, cost_currency: "EUROS" })));
    expect(await detailOf("many-costs-0")).toContain(NONE_KEPT);
    expect(await detailOf("many-costs-249")).toContain("invalid_request (cost_currency) at");
  });

  it.runIf(isWhole).each(["rejected-cost-01%20", "%E2%80%8Brejected-cost-01", ID])(
    "that was invalid is found, whatever is invisible at its ends: %s",
    async (id) => {
      await sendCost({ ...COST, cost_id: `${ID}\u00a0 `, cost_type: "cpx" });
      expect(await detailOf(id)).toContain("invalid_request (cost_type) at");
      expect((await list()).body.items[0]?.cost_id).toBe(ID);
    },
  );

  it("and a test credential has the rejections of its round", async () => {
    await sendCost({ ...COST, cost_id: ID, cost_currency: "ZZZ" }, { token: DEMO.testCostToken });
    const { body } = await ask<{ detail: string }>(`/cost/${ID}`, { token: DEMO.testCostToken });
    expect(body.detail).toContain("Rejected in the last seven days: invalid_request (cost_currency) at");
  });

  it("that was rejected says when and why, what has the ID, and what a cost would get now", async () => {
    await click(ID, { now: LATE });
    await sendCost({ ...COST, cost_id: ID });
    await sendCost({ ...COST, cost_id: ID }, { now: NOW + HOUR });
    expect(await detailOf(ID, NOW + 2 * HOUR)).toBe(
      `You have no accepted cost with this ID. Rejected in the last seven days: window_closed at 2026-03-15T13:00:00.000Z and window_closed at 2026-03-15T12:00:00.000Z. Recorded with this ID: a click at ${toIso(LATE)}. A cost for it would now get: window_closed (cpc, cpi, cpe) and pending (cpm).`,
    );
    // The first one is seven days ago, and its click is forgotten.
    expect(await detailOf(ID, NOW + 7 * DAY + 1)).toContain(
      "Rejected in the last seven days: window_closed at 2026-03-15T13:00:00.000Z.",
    );
  });

  it.each([
    ["a click", () => click(ID), "matched (cpc, cpi, cpe) and pending (cpm)", "matched"],
    ["an impression", () => view(ID), "pending (cpc) and matched (cpi, cpe, cpm)", "pending"],
    [
      "a click of a stopped partner",
      () => click(ID).then(stop),
      "partner_stopped (cpc, cpi, cpe, cpm)",
      "partner_stopped",
    ],
  ])(
    "with %s says what a cost would get now, and the cost gets it",
    async (_name, prepare, expected, answer) => {
      await prepare();
      expect(await detailOf()).toContain(`A cost for it would now get: ${expected}.`);
      const { body } = await sendCost({ ...COST, cost_id: ID });
      const { match, code } = body as { match?: string; code?: string };
      expect(match ?? code).toBe(answer);
    },
  );
});

describe("operators", () => {
  const recent = (query = "", partner = 1) =>
    ask<{ data: { items: (Item & { app_token: string | null })[] } }>(
      `/operator/v1/partners/${partner}/rejections/recent${query}`,
      { token: DEMO.operatorToken },
    );

  it("list those of a partner, of all apps or of one", async () => {
    await click(ID, { now: LATE });
    await sendCost({ ...COST, cost_id: ID });
    await sendCost({ ...COST, cost_id: "short" });
    expect((await recent()).body.data.items.map(({ cost_id, app_token }) => [cost_id, app_token])).toEqual([
      ["short", null],
      [ID, DEMO.appToken],
    ]);
    const [item, ...others] = (await recent(`?app_token=${DEMO.appToken}`)).body.data.items;
    expect([item?.cost_id, others]).toEqual([ID, []]);
    expect((await recent("", 999)).status).toBe(404);
  });

  it("read why an ID has no cost", async () => {
    await click(ID, { now: LATE });
    await sendCost({ ...COST, cost_id: ID });
    const { status, body } = await ask<{ detail: string }>(`/operator/v1/partners/1/costs/${ID}`, {
      token: DEMO.operatorToken,
    });
    expect([status, body.detail]).toEqual([
      404,
      `This partner has no accepted cost with this ID. Rejected in the last seven days: window_closed at 2026-03-15T12:00:00.000Z. Recorded with this ID: a click at ${toIso(LATE)}. A cost for it would now get: window_closed (cpc, cpi, cpe) and pending (cpm).`,
    ]);
  });
});

describe("pages", () => {
  const reject = async () => {
    await click(ID, { now: LATE });
    await sendCost({ ...COST, cost_id: ID, tag: "late" });
    await sendCost({ ...COST, cost_id: "a\u202eshort" });
  };

  it.runIf(isWhole)("of the partner list them, and say of an ID what a cost would get now", async () => {
    await reject();
    const browser = await signedIn();
    const listed = (await browser.get("/partner/costs?match=rejected")).markup;
    expect(listed).toContain(`<a href="/partner/costs/${ID}"><code>${ID}</code></a>`);
    expect(listed).toContain("<code>a\\u202Eshort</code>");
    expect(listed).toContain(ERRORS.window_closed.title);
    const found = (await browser.get("/partner/costs?match=rejected&cost_id=rejected")).markup;
    expect([found.includes(ID), found.includes("short")]).toEqual([true, false]);
    const file = (await browser.get("/partner/costs.csv?match=rejected")).markup;
    expect(file).toContain(`${ID},rejected,window_closed,,late,2026-03-15T12:00:00.000Z`);
    const page = await browser.get(`/partner/costs/${ID}`);
    expect([page.status, page.markup.includes("You have no accepted cost with this ID.")]).toEqual([
      404,
      true,
    ]);
    expect(page.markup).toContain("<dt>cpc, cpi and cpe</dt><dd>Rejected: <a");
    expect(page.markup).toContain("<dt>cpm</dt><dd>Accepted, and it waits");
  });

  it.runIf(isWhole)("of the console do so too", async () => {
    await reject();
    await startSessions();
    const get = async (path: string) =>
      (
        await call(`/operator/partners/1${path}`, {
          headers: { accept: "text/html", cookie: SESSIONS.operator },
        })
      ).text();
    const listed = await get("/rejections");
    expect(listed).toContain(`<a href="/operator/partners/1/voids?cost_id=${ID}"><code>${ID}</code></a>`);
    const page = await get(`/voids?cost_id=${ID}`);
    expect(page).toContain("This partner has no accepted cost with this ID.");
    expect(page).toContain("<dt>cpc, cpi and cpe</dt><dd>Rejected: <a");
    const invalid = await get(`/voids?cost_id=${"x".repeat(257)}`);
    expect(invalid).toContain("Cost ID must have 1 to 256 characters.");
  });

  it.runIf(isWhole)("of an accepted cost have those with its ID, as the API of operators", async () => {
    await click(ID);
    const cost = { ...COST, cost_id: ID };
    await sendCost(cost);
    await startSessions();
    const browser = await signedIn();
    const pages = async () => [
      (await browser.get(`/partner/costs/${ID}`)).markup,
      await (
        await call(`/operator/partners/1/voids?cost_id=${ID}`, {
          headers: { accept: "text/html", cookie: SESSIONS.operator },
        })
      ).text(),
    ];
    for (const page of await pages()) expect(page).not.toContain("Rejected costs with this ID");
    await sendCost({ ...cost, cost_amount: "2" });
    await sendCost({ ...cost, cost_currency: "ZZZ" }, { now: NOW + 1 });
    for (const page of await pages()) {
      expect(page).toContain("Rejected costs with this ID");
      expect(page).toContain(ERRORS.cost_id_conflict.title);
    }
    const { body } = await ask<{ data: { items: [{ rejections: Item[] }] } }>(
      `/operator/v1/partners/1/costs/${ID}`,
      {
        token: DEMO.operatorToken,
      },
    );
    expect(body.data.items[0].rejections.map(({ code }) => code)).toEqual([
      "invalid_request",
      "cost_id_conflict",
    ]);
  });

  it("of a member list those of the app, with the ends of the IDs only", async () => {
    await reject();
    await startSessions();
    const get = async (app: string) =>
      call(`/apps/${app}/partners/1/rejections`, {
        headers: { accept: "text/html", cookie: SESSIONS.member },
      });
    const text = await (await get(DEMO.appToken)).text();
    expect(text).toContain("<code>…ost-01</code>");
    for (const hidden of [ID, "late", "short"]) expect(text).not.toContain(hidden);
    expect((await get("demoapp00002")).status).toBe(404);
    await rows("UPDATE recent_rejections SET app_token = 'demoapp00002'");
    expect(await (await get(DEMO.appToken)).text()).toContain("No costs were rejected in these days.");
  });
});
