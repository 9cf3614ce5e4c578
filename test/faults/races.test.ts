/** Concurrent requests must have the same result as sequential ones. */
import { beforeEach, expect, it } from "vitest";
import { hashToken } from "../../src/auth/secrets.ts";
import { purge } from "../../src/purge.ts";
import { type Envelope, LINKS, type Link, type PagingV1 } from "../campaign/support.ts";
import { ask, call, click, DAY, DEMO, env, ledgerOn, NOW, rows, sendCost, view } from "../harness.ts";
import { freshLedger, totals } from "../support.ts";
import { openRoundToApprove, ROUND_TEST } from "./state.ts";

beforeEach(freshLedger);

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);
const idOf = (index: number) => `racing-cost-${String(index).padStart(4, "0")}`;

it("matches a cost once when it arrives concurrently with its click and its impression, in any order", async () => {
  await Promise.all(
    numbers(30).flatMap((index) => {
      const cost_id = idOf(index);
      const requests = [
        () => sendCost({ cost_id, cost_type: "cpi", cost_amount: "0.5" }),
        () => click(cost_id),
        () => view(cost_id),
      ];
      // Rotates the order of the three.
      return [...requests.slice(index % 3), ...requests.slice(0, index % 3)].map((send) => send());
    }),
  );
  const states = await rows("SELECT kind, state, count(*) AS n FROM cost_states GROUP BY kind, state");
  expect(states).toEqual([{ kind: "click", state: "matched", n: 30 }]);
  expect(await totals()).toEqual([{ state: "matched", count: 30, amount: 30 * 50_000 }]);
});

it("stores one cost for 50 concurrent calls, 50 URLs and a batch with the same cost", async () => {
  const cost = { cost_id: idOf(0), cost_type: "cpc", cost_currency: "USD", cost_amount: "0.5", tag: "test" };
  const query = "&cost_type=cpc&cost_currency=USD&cost_amount=0.5";
  const statuses = await Promise.all([
    ...numbers(50).map(async () => (await sendCost(cost)).status),
    ...numbers(50).map(async () => (await click(cost.cost_id, { query })).status),
    ask("/cost/batch", { token: DEMO.costToken, json: { costs: numbers(50).map(() => cost) } }).then(
      ({ status }) => status,
    ),
  ]);
  expect(new Set(statuses)).toEqual(new Set([200, 302]));
  expect(await rows("SELECT source, amount FROM cost_states")).toEqual([{ source: "call", amount: 50_000 }]);
  expect(await totals()).toEqual([{ state: "matched", count: 1, amount: 50_000 }]);
});

it("stores exactly the links that got a 201 when the token is reset between concurrent requests", async () => {
  const hash = hashToken(DEMO.apiToken, ["api"]);
  const work = numbers(40).map(async (index) => {
    await scheduler.wait(index);
    if (index === 20) await env.DB.prepare("DELETE FROM api_tokens WHERE token_hash = ?").bind(hash).run();
    const name = `racing ${index}`;
    return { name, status: (await call(LINKS, { token: DEMO.apiToken, json: { name } })).status };
  });
  const responses = await Promise.all(work);
  expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([201, 401]));
  const stored = await rows<{ label: string }>("SELECT label FROM links WHERE label LIKE 'racing %'");
  const confirmed = responses.filter(({ status }) => status === 201).map(({ name }) => name);
  expect(stored.map(({ label }) => label).sort()).toEqual(confirmed.sort());
  expect((await call(LINKS, { token: DEMO.apiToken })).status).toBe(401);
});

it("stores no write after the membership is removed between concurrent requests", async () => {
  const statuses = await Promise.all(
    numbers(30).map(async (index) => {
      await scheduler.wait(index);
      if (index === 15) await env.DB.prepare("DELETE FROM memberships WHERE user_id = 1").run();
      const json = { name: `moved ${index}` };
      return (await call(`${LINKS}/${DEMO.linkToken}`, { method: "PATCH", token: DEMO.apiToken, json }))
        .status;
    }),
  );
  expect(new Set(statuses)).toEqual(new Set([200, 404]));
  const [link] = await rows<{ label: string }>("SELECT label FROM links WHERE id = 1");
  expect(statuses[Number(link?.label.split(" ")[1])]).toBe(200);
});

it("lists sub-links in order while others are created, and lists all of them afterwards", async () => {
  const children = `${LINKS}/${DEMO.linkToken}/children?limit=3`;
  const list = async (): Promise<string[]> => {
    const names: string[] = [];
    for (let path: string | null = children; path !== null; ) {
      const page: { body: Envelope<Link, PagingV1> } = await ask(path.replace(/^https:\/\/[^/]+/, ""), {
        token: DEMO.apiToken,
      });
      names.push(...page.body.data.items.map(({ token }) => token));
      path = page.body.data.paging.next;
    }
    return names;
  };
  const create = (index: number) =>
    ask<Envelope<Link, PagingV1>>(LINKS, {
      token: DEMO.apiToken,
      json: { name: `child ${index}`, parent_token: DEMO.linkToken },
    });
  const [during, created] = await Promise.all([
    Promise.all(numbers(4).map(list)),
    Promise.all(numbers(20).map(create)),
  ]);
  const all = await list();
  expect(all).toHaveLength(24);
  for (const names of during) expect(all.slice(0, names.length)).toEqual(names);
  expect(created.every(({ body }) => all.includes(body.data.items[0]?.token ?? ""))).toBe(true);
  const [parent] = await rows("SELECT child_count FROM links WHERE id = 1");
  expect(parent).toEqual({ child_count: 24 });
});

it("deletes no open cost and changes no total when two purges and new costs are concurrent", async () => {
  for (const index of numbers(20)) {
    await click(idOf(index), { now: NOW - (index % 2 === 0 ? 20 : 1) * DAY });
    await sendCost(
      { cost_id: idOf(index), cost_amount: "1" },
      { now: NOW - (index % 2 === 0 ? 20 : 1) * DAY },
    );
  }
  const before = await totals();
  await Promise.all([
    purge(ledgerOn(), NOW, 3),
    purge(ledgerOn(), NOW, 4),
    ...numbers(20).map((index) => sendCost({ cost_id: idOf(100 + index), cost_amount: "1" })),
  ]);
  await purge(ledgerOn(), NOW);
  const left = await rows<{ cost_id: string }>("SELECT cost_id FROM costs ORDER BY cost_id");
  const open = [
    ...numbers(20).filter((index) => index % 2 === 1),
    ...numbers(20).map((index) => 100 + index),
  ];
  expect(left.map(({ cost_id }) => cost_id)).toEqual(open.map(idOf).sort());
  expect((await totals()).filter(({ state }) => state === "matched")).toEqual(before);
});

it("includes a concurrent mismatch in the approval of a round, or rejects it after the approval", async () => {
  await openRoundToApprove();
  const send = (index: number) =>
    call(`/cost?cost_type=cpc&cost_currency=USD&cost_id=racing-mismatch-${index}&cost_amount=1&tag=t`, {
      token: ROUND_TEST,
      method: "POST",
    });
  const approve = () =>
    ask<{ code?: string }>("/operator/v1/rounds/50/approve", { token: DEMO.operatorToken, method: "POST" });
  const [first, approved] = await Promise.all([send(0), approve(), send(1), send(2)]);
  const [round] = await rows<{ state: string; entry_count: number }>(
    "SELECT state, entry_count FROM rounds WHERE id = 50",
  );
  const kept = await rows("SELECT number FROM round_entries WHERE round_id = 50");
  expect(round?.entry_count).toBe(kept.length);
  if (approved.status === 200) {
    expect(round?.state).toBe("approved");
    expect(kept).toHaveLength(1);
    expect(first.status).toBe(403);
  } else {
    expect(["round_moved", "mismatch_open"]).toContain(approved.body.code);
    expect(round?.state).toBe("open");
    expect(await rows("SELECT supports_cost_data FROM partners WHERE id = 2")).toEqual([
      { supports_cost_data: 0 },
    ]);
  }
});

it("keeps the totals equal to what counts when voids are concurrent with submissions, clicks and a purge", async () => {
  const old = (index: number) => `racing-old-${String(index).padStart(5, "0")}`;
  const before = NOW - 20 * DAY;
  for (const index of numbers(10)) {
    await click(old(index), { now: before });
    await sendCost({ cost_id: old(index), cost_amount: "1" }, { now: before });
  }
  const forgotten = await totals();
  for (const index of numbers(30)) {
    if (index % 3 > 0) await sendCost({ cost_id: idOf(index), ...(index % 3 > 1 && { cost_amount: "0.5" }) });
  }
  const voidOwn = (id: string) => ask(`/cost/${id}/void`, { method: "POST", token: DEMO.costToken });
  const voidAsOperator = (cost_id: string) =>
    ask("/operator/v1/partners/1/voids", { token: DEMO.operatorToken, json: { cost_id, reason: "race" } });
  const statuses = await Promise.all([
    ...numbers(30).flatMap((index) => {
      const requests = [
        () => voidOwn(idOf(index)),
        () => sendCost({ cost_id: idOf(index), cost_amount: index % 2 ? "0.5" : "0.4" }),
        () => click(idOf(index), { query: "&cost_type=cpc&cost_currency=USD&cost_amount=0.3" }),
        () => voidAsOperator(idOf(index)),
      ];
      return [...requests.slice(index % 4), ...requests.slice(0, index % 4)].map(
        async (send) => (await send()).status,
      );
    }),
    ...numbers(10).map(async (index) => (await voidAsOperator(old(index))).status),
    purge(ledgerOn(), NOW, 3).then(() => 200),
  ]);
  await purge(ledgerOn(), NOW);
  // A conflict with the earlier call is 400, and an ID without a cost cannot be void.
  expect(statuses.filter((status) => ![200, 302, 400, 404].includes(status))).toEqual([]);
  expect(await rows("SELECT cost_id FROM ledger_entries WHERE cost_id LIKE 'racing-old-%'")).toEqual([]);
  const counting = await rows<{ state: string; count: number; amount: number }>(
    "SELECT state, count(*) AS count, sum(coalesce(amount, 0)) AS amount FROM cost_states WHERE cost_id LIKE 'racing-cost-%' GROUP BY state",
  );
  const summed = await rows<{ state: string; count: number; amount: number }>(
    `SELECT state, sum(count) AS count, sum(amount) AS amount FROM daily_totals WHERE day > ${Math.floor(before / DAY)} GROUP BY state HAVING sum(count) <> 0`,
  );
  expect(summed).toEqual(counting);
  expect((await totals()).filter((one) => JSON.stringify(one) === JSON.stringify(forgotten[0]))).toEqual(
    forgotten,
  );
  // What is void counts nowhere.
  const both = await rows(
    "SELECT e.cost_id FROM ledger_entries e JOIN cost_states s ON s.partner_id = e.partner_id AND s.cost_id = e.cost_id WHERE e.void_state = 'voided'",
  );
  expect(both).toEqual([]);
  const audited = await rows("SELECT 1 FROM audit_log WHERE action = 'void cost'");
  expect(audited.length).toBeGreaterThan(0);
});
