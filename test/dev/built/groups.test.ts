/** Requests whose statements share a call to D1 have the answers that they would have by themselves, whatever fails. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findContradictions, findLost } from "../../live-service.ts";
import {
  type Ask,
  clickOf,
  costOf,
  type FaultyWorker,
  LIST,
  linkOf,
  readOf,
  type Sent,
  send,
  startFaulty,
  until,
  voidOf,
} from "./faulty.ts";

/** With one call in flight, a test decides which requests share the next one. */
let server: FaultyWorker;
beforeAll(async () => {
  server = await startFaulty({ name: "groups", bindings: { GROUP_CALLS: "1" } });
  // The isolate then knows the link, the partners and the token, so that each request has one call.
  for (const ask of [clickOf(), LIST, costOf("group-warm-up-1")]) await send(server.url, ask).answer;
});
afterAll(() => server.stop());

/** The totals of the demo data include costs that were purged. */
const YESTERDAY = Math.floor(Date.now() / (24 * 3600 * 1000)) - 1;

let next = 0;
const newId = () => `group-cost-${String(next++).padStart(4, "0")}`;
const newIds = (count: number) => Array.from({ length: count }, newId);

const answersOf = (all: Sent[]) => Promise.all(all.map(({ answer }) => answer));
const statusesOf = async (all: Sent[]) => (await answersOf(all)).map((answer) => answer?.status);

const ALL = Number.MAX_SAFE_INTEGER;

/** Holds a call of another request, and sends these while they wait for it. Their statements are in the next call. */
async function hold(asks: Ask[], statements = asks.length): Promise<Sent[]> {
  await server.begin({ allowed: 0 });
  const first = send(server.url, readOf("group-warm-up-1"));
  await until(async () => (await server.seen()).calls.length === 1);
  const { bound } = await server.seen();
  const all = asks.map((ask) => send(server.url, ask));
  await until(async () => (await server.seen()).bound === bound + statements);
  return [first, ...all];
}

async function runTogether(asks: Ask[], statements?: number) {
  const all = await hold(asks, statements);
  await server.change({ allowed: ALL });
  const [, ...others] = await answersOf(all);
  return others;
}

const storedOf = async (ids: string[]) => {
  const lost = await findLost(server.rows, 1, ids);
  return ids.filter((id) => !lost.includes(id));
};
const countOf = async () =>
  (await server.rows.prepare("SELECT sum(count) AS n FROM daily_engagements").first<number>("n")) ?? 0;

describe("a group", () => {
  test("is one call with the statements of all requests that waited, and each gets its own answer", async () => {
    const ids = newIds(6);
    const answers = await runTogether(
      [
        ...ids.map((id, index) => costOf(id, `0.${index + 1}`)),
        readOf("group-warm-up-1"),
        readOf("no-such-cost-1"),
      ],
      10,
    );
    expect(answers.map((answer) => answer?.status)).toEqual([...ids.map(() => 200), 200, 404]);
    expect(answers.slice(0, 6).map((answer) => JSON.parse(answer?.text ?? "").amount)).toEqual(
      ids.map((_, index) => `0.${index + 1}`),
    );
    // The last call is what is known of the ID without a cost, which is read only then.
    expect((await server.seen()).calls).toEqual([2, 10, 3]);
    expect(await storedOf(ids)).toEqual(ids);
  });
});

const OVERLOADED = [
  "D1_ERROR: D1 DB is overloaded. Requests queued for too long.",
  "D1_ERROR: D1 DB is overloaded. Too many requests queued.",
];
const LOST = "D1_ERROR: Network connection lost.";

describe("if a client resets its connection", () => {
  test("while its statements are in flight by themselves, they are stored, and who waits is answered", async () => {
    const [first = "", second = ""] = newIds(2);
    await server.begin({ allowed: 0 });
    const cut = send(server.url, costOf(first));
    await until(async () => (await server.seen()).calls.length === 1);
    const other = send(server.url, costOf(second));
    await until(async () => (await server.seen()).bound === 2);
    cut.cut();
    await server.seen();
    await server.change({ allowed: ALL });
    expect((await other.answer)?.status).toBe(200);
    expect(await storedOf([first, second])).toEqual([first, second]);
  });

  test.each([0, 1, 2, 3])(
    "in a group, its statements are stored and the others are answered: all but the one at %i",
    async (kept) => {
      const ids = newIds(4);
      const [, ...sent] = await hold(ids.map((id) => costOf(id)));
      await server.change({ allowed: 1 });
      await until(async () => (await server.seen()).calls.length === 2);
      for (const [index, one] of sent.entries()) if (index !== kept) one.cut();
      await server.seen();
      await server.change({ allowed: ALL });
      expect((await sent[kept]?.answer)?.status).toBe(200);
      expect((await server.seen()).calls).toEqual([2, 4]);
      expect(await storedOf(ids)).toEqual(ids);
    },
  );

  test.each([0, 1, 2, 3])(
    "before its statements are sent, the others are answered: the one at %i",
    async (at) => {
      const ids = newIds(4);
      const [, ...sent] = await hold(ids.map((id) => costOf(id)));
      sent[at]?.cut();
      await server.seen();
      await server.change({ allowed: ALL });
      expect(await statusesOf(sent)).toEqual(ids.map((_, index) => (index === at ? undefined : 200)));
      await until(async () => (await storedOf(ids)).length === 4);
    },
  );
});

describe("if the call of a group", () => {
  test("never returns, all get 503, a request that arrived in the meantime is answered, and the log says how many clicks are lost", async () => {
    const ids = newIds(3);
    // The clicks share a statement.
    const all = await hold([...ids.map((id) => costOf(id)), clickOf(), clickOf()], 4);
    const line = server.lines.length;
    await server.change({ allowed: ALL, fault: { has: ids[0] ?? "", times: 1, when: "never", message: "" } });
    await until(async () => (await server.seen()).calls.length === 2);
    await new Promise((resolve) => setTimeout(resolve, 3000));
    const later = send(server.url, costOf(newId()));
    expect(await statusesOf(all)).toEqual([200, 503, 503, 503, 302, 302]);
    expect((await later.answer)?.status).toBe(200);
    await until(() => server.lines.slice(line).some((one) => "lost_engagements" in one));
    expect(server.lines.slice(line).filter((one) => "lost_engagements" in one)).toMatchObject([
      { message: "D1 did not answer before the deadline", lost_engagements: 2 },
    ]);
  });

  test("has a statement that fails in SQL, only its request fails", async () => {
    const ids = newIds(4);
    const [, wrong = ""] = ids;
    await server.begin();
    const sent = await hold(ids.map((id) => costOf(id)));
    await server.change({ allowed: ALL, poison: wrong });
    expect(await statusesOf(sent)).toEqual([200, 200, 500, 200, 200]);
    expect((await server.seen()).calls).toEqual([2, 4, 1, 1, 1, 1]);
    expect(await storedOf(ids)).toEqual(ids.filter((id) => id !== wrong));
  });

  test.each([
    ["before", 1],
    ["after", 2],
  ] as const)(
    "loses its connection %s the commit, what has an ID is stored once, and a plain click at most once",
    async (when, counted) => {
      const ids = newIds(2);
      const clicked = newId();
      const before = await countOf();
      const sent = await hold([...ids.map((id) => costOf(id)), clickOf(clicked), clickOf()]);
      await server.change({ allowed: ALL, fault: { has: ids[0] ?? "", times: 1, when, message: LOST } });
      expect(await statusesOf(sent)).toEqual([200, 200, 200, 302, 302]);
      await until(async () => (await countOf()) === before + counted);
      expect(await storedOf(ids)).toEqual(ids);
      expect((await server.seen()).calls.slice(0, 2)).toEqual([2, 4]);
      expect(await findContradictions(server.rows, YESTERDAY)).toEqual([]);
    },
  );

  test.each(OVERLOADED)(
    "is answered %s, all get 503 with Retry-After, and can try again",
    async (message) => {
      const ids = newIds(3);
      const sent = await hold(ids.map((id) => costOf(id)));
      await server.change({ allowed: ALL, fault: { has: ids[0] ?? "", times: 1, when: "before", message } });
      const [, ...answers] = await answersOf(sent);
      expect(answers.map((answer) => [answer?.status, answer?.headers["retry-after"]])).toEqual(
        ids.map(() => [503, "5"]),
      );
      expect(await storedOf(ids)).toEqual([]);
      const again = ids.map((id) => send(server.url, costOf(id)));
      expect(await statusesOf(again)).toEqual([200, 200, 200]);
    },
  );

  test("reaches a database of another shard, its requests get 503 not_configured, and others are answered", async () => {
    const setShards = (count: number) =>
      server.db.prepare("UPDATE shard_identity SET shards = ?").bind(count).run();
    await server.begin();
    await send(server.url, LIST).answer;
    const { bound } = await server.seen();
    await setShards(4);
    const ids = newIds(2);
    const [one, list, two] = await runTogether(
      [costOf(ids[0] ?? ""), LIST, costOf(ids[1] ?? "")],
      2 + bound,
    ).finally(() => setShards(0));
    expect([one, two].map((answer) => [answer?.status, JSON.parse(answer?.text ?? "").code])).toEqual([
      [503, "not_configured"],
      [503, "not_configured"],
    ]);
    expect(list?.status).toBe(200);
    expect(await storedOf(ids)).toEqual([]);
  });
});

test("a click, a cost and a void of one ID in one group are as one after the other", async () => {
  for (let round = 0; round < 5; round++) {
    const id = newId();
    const [, cost, voided] = await runTogether([clickOf(id), costOf(id), voidOf(id)], 5);
    expect(cost?.status).toBe(200);
    const read = await send(server.url, readOf(id)).answer;
    expect([voided?.status, JSON.parse(read?.text ?? "").match]).toEqual(
      voided?.status === 200 ? [200, "voided"] : [404, "matched"],
    );
  }
  expect(await findContradictions(server.rows, YESTERDAY)).toEqual([]);
});

test("lists and new links share a call, and each has its own rows", async () => {
  await server.begin();
  await send(server.url, linkOf("Group 0")).answer;
  const { bound } = await server.seen();
  const names = ["Group 1", "Group 2", "Group 3"];
  const answers = await runTogether(names.map(linkOf), bound * names.length);
  const created = answers.map((answer) => JSON.parse(answer?.text ?? "").data.items[0].name);
  expect(created.map((name: string) => name.split("::").at(-1))).toEqual(names);
  expect((await server.seen()).calls).toEqual([2, bound * names.length]);
});

test("a request waits for 5 seconds if it must, and after 8 it has 503 and its statements are not sent", async () => {
  for (const waited of [5_000, 8_000]) {
    const now = Date.now();
    await server.begin({ allowed: 0, now });
    const [first = "", second = ""] = newIds(2);
    const sending = send(server.url, costOf(first));
    await until(async () => (await server.seen()).calls.length === 1);
    const waiting = send(server.url, costOf(second));
    await until(async () => (await server.seen()).bound === 2);
    await server.change({ now: now + waited });
    const isLate = waited === 8_000;
    if (isLate) {
      const answer = await waiting.answer;
      expect([answer?.status, answer?.headers["retry-after"]]).toEqual([503, "5"]);
    }
    await server.change({ allowed: ALL });
    expect((await sending.answer)?.status).toBe(200);
    expect((await waiting.answer)?.status).toBe(isLate ? 503 : 200);
    expect((await server.seen()).calls).toEqual(isLate ? [1] : [1, 1]);
    expect(await findLost(server.rows, 1, [first, second])).toEqual(isLate ? [second] : []);
  }
});

test("the log has the calls, the requests and the longest wait of groups", () => {
  const lines = server.lines.flatMap(({ group }) => (group ? [group as Record<string, number>] : []));
  expect(lines.length).toBeGreaterThan(0);
  for (const { calls = 0, requests = 0, largest = 0, longest_wait = 0 } of lines) {
    expect([requests > calls, largest > 1, longest_wait > 0]).toEqual([true, true, true]);
  }
});
