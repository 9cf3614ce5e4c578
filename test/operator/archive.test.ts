/** Reading the archive back: the operator API and the console's page. */
import { beforeEach, describe, expect, it } from "vitest";
import { MAX_OBJECTS } from "../../src/db/archive/find.ts";
import type { ArchivedCost } from "../../src/db/archive/record.ts";
import { RETENTION_MS } from "../../src/domain/time.ts";
import { purge } from "../../src/purge.ts";
import { ask, call, click, DAY, DEMO, env, NOW, rejection, rows, sendCost, withMethods } from "../harness.ts";
import { isWhole } from "../part.ts";
import { archiving, bindArchive, DUE } from "../purge/archive-support.ts";
import { sessionFor, startSessions } from "../security/support.ts";
import { freshEmptyLedger, inLedger } from "../support.ts";

beforeEach(freshEmptyLedger);

const ID = "proved-cost-0001";
const bound = { ARCHIVE: env.TEST_BUCKET };
const path = (params: Record<string, string> = {}) =>
  `/operator/v1/archive?${new URLSearchParams({ partner_id: "1", cost_id: ID, ...params })}`;
const options = { token: DEMO.operatorToken, env: bound };
type Found = { data: { items: (ArchivedCost & { object: string })[] } };
const find = async (params?: Record<string, string>) => {
  const { status, body } = await ask<Found>(path(params), options);
  return status === 200 ? body.data.items : status;
};

/** A matched cost of NOW that was purged. */
async function purged(id = ID, tag = "july") {
  await click(ID);
  await sendCost({ cost_id: ID, cost_amount: "0.25", tag });
  await rows("UPDATE ledger_entries SET cost_id = ? WHERE cost_id = ?", id, ID);
  await purge(archiving(), DUE);
}

describe("GET /operator/v1/archive", () => {
  it.runIf(isWhole)(
    "finds a purged cost by partner and cost ID, on its day and without a day, and nowhere else",
    async () => {
      await purged();
      const cost = { partner_id: 1, cost_id: ID, call: { amount: "0.25" }, counts: [{ amount: "0.25" }] };
      expect(await find()).toMatchObject([cost]);
      const [found] = (await find({ day: "2026-03-15" })) as Found["data"]["items"];
      expect(found).toMatchObject(cost);
      expect(await env.TEST_BUCKET.head(found?.object ?? "")).not.toBeNull();
      expect(await find({ day: "2026-03-14" })).toBe(404);
      expect(await find({ day: "2026-03-16" })).toBe(404);
      expect(await find({ partner_id: "2" })).toBe(404);
      expect(await find({ cost_id: "proved-cost-" })).toBe(404);
      expect(await find({ cost_id: `${ID}0` })).toBe(404);
    },
  );

  it.runIf(isWhole)("finds it on the day of its click and on that of its call", async () => {
    await click(ID);
    await sendCost({ cost_id: ID, cost_amount: "0.25" }, { now: NOW + 2 * DAY });
    await purge(archiving(), DUE);
    for (const day of ["2026-03-15", "2026-03-17"]) expect(await find({ day })).toHaveLength(1);
    for (const day of ["2026-03-14", "2026-03-18"]) expect(await find({ day })).toBe(404);
  });

  it.runIf(isWhole)("finds for each of two partners with the same ID only its own", async () => {
    await click(ID);
    await click(ID, { link: "demo1nk006" });
    await purge(archiving(), DUE);
    for (const id of [1, 2])
      expect(await find({ partner_id: String(id) })).toMatchObject([{ partner_id: id, cost_id: ID }]);
  });

  it.runIf(isWhole)("finds once what is in two objects", async () => {
    await purged();
    const [object] = (await env.TEST_BUCKET.list()).objects;
    const again = object?.key.replace(".000Z", ".001Z") ?? "";
    await env.TEST_BUCKET.put(again, (await env.TEST_BUCKET.get(object?.key ?? ""))?.body ?? null);
    await inLedger(`INSERT INTO archive_objects
      SELECT ledger_table, walk + 1, first_partner_id, first_cost_id, last_partner_id, last_cost_id, first_day, last_day, row_count
      FROM archive_objects`);
    expect(await find()).toHaveLength(1);
  });

  it("returns every life of an ID, and every replaced call, oldest first", async () => {
    await bindArchive();
    await click(ID);
    await sendCost({ cost_id: ID, cost_amount: "25" });
    await call(`/cost/${ID}/void`, { method: "POST", token: DEMO.costToken });
    await sendCost({ cost_id: ID, cost_amount: "0.25" }, { now: NOW + 1 });
    const later = NOW + RETENTION_MS + 1;
    await sendCost({ cost_id: ID, cost_amount: "3" }, { now: later });
    await purge(archiving(), later + RETENTION_MS + DAY);
    const found = (await find()) as Found["data"]["items"];
    expect(found.map(({ call: sent, counts }) => [sent?.amount, counts.length])).toEqual([
      ["25", 0],
      ["0.25", 1],
      ["3", 1],
    ]);
    expect(await find({ day: "2026-03-15" })).toHaveLength(2);
  });

  it("finds each of many costs, over slices of different keys and several walks", async () => {
    const ids = Array.from({ length: 9 }, (_, index) => `proved-many-000${index}`);
    for (const [index, id] of ids.entries()) await click(id, { now: NOW + (index % 3) * 2 * DAY });
    for (let day = 0; day < 8; day += 2) await purge(archiving(), DUE + day * DAY, 2);
    for (const id of ids) expect(await find({ cost_id: id })).toMatchObject([{ cost_id: id }]);
    expect(await find({ cost_id: "proved-many-0009" })).toBe(404);
    expect(await find({ cost_id: "aaaaaaaaaaaaa" })).toBe(404);
  });

  it.runIf(isWhole)("names every invalid parameter", async () => {
    expect(await rejection("/operator/v1/archive?cost_id=&day=today&x=1", options)).toEqual({
      status: 400,
      code: "invalid_request",
      params: ["partner_id", "cost_id", "day", "x"],
    });
  });

  it.runIf(isWhole)("says that no archive is bound", async () => {
    const { status, code } = await rejection(path(), { token: DEMO.operatorToken });
    expect({ status, code }).toEqual({ status: 409, code: "archive_not_bound" });
  });

  it("asks for a day if too many objects can have the ID, and reads none of them", async () => {
    await inLedger(
      `INSERT INTO archive_objects SELECT 'ledger_entries', value * ${DAY}, -1, '', 9, '', value, value, 1
       FROM json_each('${JSON.stringify(Array.from({ length: MAX_OBJECTS + 1 }, (_, index) => index + 1))}')`,
    );
    expect(await rejection(path(), options)).toEqual({
      status: 400,
      code: "invalid_request",
      params: ["day"],
    });
    const { body } = await ask<{ detail: string }>(path({ day: "1970-01-09" }), options);
    expect(body.detail).toContain("The bucket no longer has 1 of the objects");
  });

  it.runIf(isWhole)(
    "returns 503 if the bucket fails, or returns something that is not compressed",
    async () => {
      await purged();
      for (const get of [
        () => Promise.reject(new Error("secret detail")),
        async () => ({ body: new Response("plain").body }),
      ]) {
        const bucket = withMethods(env.TEST_BUCKET, { get });
        const response = await call(path(), { ...options, env: { ARCHIVE: bucket } });
        expect(response.status).toBe(503);
        expect(response.headers.get("retry-after")).toBe("5");
        expect(await response.text()).not.toContain("secret");
      }
    },
  );
});

describe.runIf(isWhole)("the page of the console without a bucket", () => {
  it.each(["", "?partner_id=1&cost_id=proved-cost-0001"])("says how to bind one: %j", async (query) => {
    const headers = { cookie: sessionFor("operator_session"), accept: "text/html" };
    await startSessions();
    const text = await (await call(`/operator/archive${query}`, { headers })).text();
    expect(text).toMatch(
      /No archive is bound\.<\/strong>[^`]*<a href="\/docs\/archive">How to bind a bucket<\/a>/,
    );
    expect(text).not.toContain("`");
  });
});

describe.runIf(isWhole)("the page of the console", () => {
  const open = async (params: Record<string, string>, more = bound as Partial<typeof env>) => {
    const cookie = sessionFor("operator_session");
    const response = await call(`/operator/archive?${new URLSearchParams(params)}`, {
      headers: { cookie, accept: "text/html" },
      env: more,
    });
    return {
      status: response.status,
      text: (await response.text()).replace(/<[^>]+>/g, " ").replace(/\s+/g, " "),
    };
  };

  it("shows what counted, in words", async () => {
    await purged();
    // The purge deleted the sessions of that time.
    await startSessions();
    const { status, text } = await open({ partner_id: "1", cost_id: ` ${ID} `, day: "" });
    expect(status).toBe(200);
    expect(text).toContain(
      `$0.25, cpc, 15 Mar 2026, app ${DEMO.appToken} , link ${DEMO.linkToken} , matched with the click`,
    );
  });

  it("shows invisible characters of an ID and a tag as escapes", async () => {
    const id = "\u202e1000-tsoc\u3164\u{e0041}";
    await purged(id, "\u202eyluj");
    await startSessions();
    const { status, text } = await open({ partner_id: "1", cost_id: id });
    expect(status).toBe(200);
    expect(text).toContain("Cost \\u202E1000-tsoc\\u3164\\u{E0041} ");
    expect(text).toContain("tag \\u202Eyluj ");
    expect(text).not.toMatch(/[\u202e\u3164\u{e0041}]/u);
  });

  it("shows an empty form first, the errors of its fields, an unknown cost, and that no archive is bound", async () => {
    await startSessions();
    expect((await open({})).text).not.toMatch(/no cost with this ID|Fix the fields/);
    const wrong = await open({ partner_id: "x", cost_id: "x".repeat(257), day: "2026-02-30" });
    expect(wrong.status).toBe(400);
    expect(wrong.text).toMatch(
      /must be a positive integer.*can have at most 256.*must be a calendar date.*Find an archived cost/,
    );
    expect((await open({ partner_id: "1", cost_id: ID })).text).toContain("no cost with this ID");
    expect((await open({ partner_id: "1", cost_id: ID }, {})).text).toContain(
      "Nothing that the purge deletes",
    );
  });
});
