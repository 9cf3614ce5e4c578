/** Concurrent requests must have the same result as sequential ones. */
import { beforeEach, expect, it } from "vitest";
import { hashToken } from "../../src/auth/secrets.ts";
import { purge } from "../../src/purge.ts";
import { type Envelope, LINKS, type Link, type PagingV1 } from "../campaign/support.ts";
import {
  ask,
  type Call,
  call,
  click,
  DAY,
  DEMO,
  env,
  ledgerOn,
  NOW,
  rows,
  sendCost,
  view,
} from "../harness.ts";
import { changedBefore, freshLedger, totals } from "../support.ts";
import { openRoundToApprove, ROUND_TEST } from "./state.ts";

beforeEach(freshLedger);

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);
const idOf = (index: number) => `racing-cost-${String(index).padStart(4, "0")}`;

it("matches a cost once when it arrives concurrently with its click and its impression, in any order", async () => {
  await Promise.all(
    numbers(6).flatMap((index) => {
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
  expect(states).toEqual([{ kind: "click", state: "matched", n: 6 }]);
  expect(await totals()).toEqual([{ state: "matched", count: 6, amount: 6 * 50_000 }]);
});

it("stores one cost for 20 concurrent calls, 20 URLs and a batch with the same cost", async () => {
  const cost = { cost_id: idOf(0), cost_type: "cpc", cost_currency: "USD", cost_amount: "0.5", tag: "test" };
  const query = "&cost_type=cpc&cost_currency=USD&cost_amount=0.5";
  const statuses = await Promise.all([
    ...numbers(20).map(async () => (await sendCost(cost)).status),
    ...numbers(20).map(async () => (await click(cost.cost_id, { query })).status),
    ask("/cost/batch", { token: DEMO.costToken, json: { costs: numbers(20).map(() => cost) } }).then(
      ({ status }) => status,
    ),
  ]);
  expect(statuses.toSorted()).toEqual([...Array(21).fill(200), ...Array(20).fill(302)]);
  expect(await rows("SELECT source, amount FROM cost_states")).toEqual([{ source: "call", amount: 50_000 }]);
  expect(await totals()).toEqual([{ state: "matched", count: 1, amount: 50_000 }]);
});

/** Starts requests together. Before the call of this number, `change` is committed. Without groups, each has a call of its own. */
function raceWith(
  count: number,
  number: number,
  change: string,
  request: (index: number, more: Call) => Promise<Response>,
  GROUP_CALLS = "0",
) {
  const DB = changedBefore(number, () => env.DB.exec(change));
  const more = { env: { DB, GROUP_CALLS } };
  return Promise.all(numbers(count).map(async (index) => (await request(index, more)).status));
}

it.each([
  { calls: "0", before: 21, created: 20 },
  // The first has a call of its own. Each of the others has ten requests with four statements.
  { calls: "1", before: 4, created: 21 },
])(
  "stores exactly the links that got a 201 when the token is reset between concurrent requests: GROUP_CALLS $calls",
  async ({ calls, before, created }) => {
    const hash = hashToken(DEMO.apiToken, ["api"]);
    const statuses = await raceWith(
      40,
      before,
      `DELETE FROM api_tokens WHERE token_hash = '${hash}'`,
      (index, more) => call(LINKS, { token: DEMO.apiToken, json: { name: `racing ${index}` }, ...more }),
      calls,
    );
    expect(statuses.toSorted()).toEqual([...Array(created).fill(201), ...Array(40 - created).fill(401)]);
    const stored = await rows<{ label: string }>("SELECT label FROM links WHERE label LIKE 'racing %'");
    const confirmed = numbers(40).filter((index) => statuses[index] === 201);
    expect(stored.map(({ label }) => label).sort()).toEqual(
      confirmed.map((index) => `racing ${index}`).sort(),
    );
    expect((await call(LINKS, { token: DEMO.apiToken })).status).toBe(401);
  },
);

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
  for (const index of numbers(12)) {
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
    ...numbers(12).map((index) => sendCost({ cost_id: idOf(100 + index), cost_amount: "1" })),
  ]);
  await purge(ledgerOn(), NOW);
  const left = await rows<{ cost_id: string }>("SELECT cost_id FROM costs ORDER BY cost_id");
  const open = [
    ...numbers(12).filter((index) => index % 2 === 1),
    ...numbers(12).map((index) => 100 + index),
  ];
  expect(left.map(({ cost_id }) => cost_id)).toEqual(open.map(idOf).sort());
  expect((await totals()).filter(({ state }) => state === "matched")).toEqual(before);
});

it.each([
  ["the report of the round is read", 2, [409, "mismatch_open", 200]],
  ["the report was read and the round ends", 3, [409, "round_moved", 200]],
  ["anything after the approval", Number.POSITIVE_INFINITY, [200, undefined, 403]],
])("a mismatch that arrives before %s is in the approval, or is rejected", async (_, number, expected) => {
  await openRoundToApprove();
  let sent: Promise<Response> | undefined;
  const send = () => {
    const path = "/cost?cost_type=cpc&cost_currency=USD&cost_id=racing-mismatch-1&cost_amount=1&tag=t";
    sent ??= call(path, { token: ROUND_TEST, method: "POST" });
    return sent;
  };
  const approved = await ask<{ code?: string }>("/operator/v1/rounds/50/approve", {
    token: DEMO.operatorToken,
    method: "POST",
    // The first call checks the operator, the second reads the report, the third ends the round.
    env: { DB: changedBefore(number, send) },
  });
  expect([approved.status, approved.body.code, (await send()).status]).toEqual(expected);
  const isApproved = approved.status === 200;
  expect(await rows("SELECT state, entry_count FROM rounds WHERE id = 50")).toEqual([
    isApproved ? { state: "approved", entry_count: 1 } : { state: "open", entry_count: 2 },
  ]);
  expect(await rows("SELECT number FROM round_entries WHERE round_id = 50")).toHaveLength(isApproved ? 1 : 2);
  expect(await rows("SELECT supports_cost_data FROM partners WHERE id = 2")).toEqual([
    { supports_cost_data: Number(isApproved) },
  ]);
});

it("keeps the totals equal to what counts when voids are concurrent with submissions, clicks and a purge", async () => {
  const old = (index: number) => `racing-old-${String(index).padStart(5, "0")}`;
  const before = NOW - 20 * DAY;
  for (const index of numbers(4)) {
    await click(old(index), { now: before });
    await sendCost({ cost_id: old(index), cost_amount: "1" }, { now: before });
  }
  const forgotten = await totals();
  for (const index of numbers(12)) {
    if (index % 3 > 0) await sendCost({ cost_id: idOf(index), ...(index % 3 > 1 && { cost_amount: "0.5" }) });
  }
  // An ID without a cost cannot be void, and a call can conflict with the earlier one.
  const voidOwn = async (id: string) => {
    const { status } = await ask(`/cost/${id}/void`, { method: "POST", token: DEMO.costToken });
    if (status !== 404) expect(status).toBe(200);
  };
  let voidsByOperator = 0;
  const voidAsOperator = async (cost_id: string) => {
    const { status, body } = await ask<{ duplicate?: boolean }>("/operator/v1/partners/1/voids", {
      token: DEMO.operatorToken,
      json: { cost_id, reason: "race" },
    });
    if (status !== 404) expect(status).toBe(200);
    if (body.duplicate === false) voidsByOperator++;
  };
  const submit = async (cost_id: string, cost_amount: string) => {
    const { status, body } = await sendCost({ cost_id, cost_amount });
    if (status !== 200) expect([status, body.code]).toEqual([400, "cost_id_conflict"]);
  };
  const open = async (id: string) => {
    const { status } = await click(id, { query: "&cost_type=cpc&cost_currency=USD&cost_amount=0.3" });
    expect(status).toBe(302);
  };
  await Promise.all([
    ...numbers(12).flatMap((index) => {
      const requests = [
        () => voidOwn(idOf(index)),
        () => submit(idOf(index), index % 2 ? "0.5" : "0.4"),
        () => open(idOf(index)),
        () => voidAsOperator(idOf(index)),
      ];
      return [...requests.slice(index % 4), ...requests.slice(0, index % 4)].map((send) => send());
    }),
    ...numbers(4).map((index) => voidAsOperator(old(index))),
    purge(ledgerOn(), NOW, 3),
  ]);
  await purge(ledgerOn(), NOW);
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
  expect(
    await rows("SELECT 1 FROM audit_log WHERE action = 'void cost' AND user_id IS NOT NULL"),
  ).toHaveLength(voidsByOperator);
});
