import { beforeEach, describe, expect, test } from "vitest";
import { ask, click, DAY, DEMO, env, freshDemo, NOW, rejection, rows, sendCost, view } from "../harness.ts";

const token = DEMO.operatorToken;
const rounds = "/operator/v1/rounds";
const link = "demo1nk007";

interface Finding {
  finding: string;
  kind: string;
  state: string;
  cost_id: string | null;
}
interface Round {
  id: number;
  state: string;
  entries: number;
  test_credential: string;
  report: {
    passed: boolean;
    complete: boolean;
    types: {
      cost_type: string;
      passed: boolean;
      matched: number;
      open_mismatches: number;
      findings: Finding[];
    }[];
    other_findings: Finding[];
  };
}
async function askRound(path: string, options: object = {}) {
  const { status, body } = await ask<{ data: { items: Round[] } }>(path, { token, ...options });
  const [round] = body.data.items;
  if (!round) throw new Error("no round");
  return { status, round };
}
const open = (partner_id: number, cost_types: string[]) =>
  askRound(rounds, { json: { partner_id, cost_types } });

beforeEach(freshDemo);

test("the demo round has matches and at least one mismatch of every kind", async () => {
  const { round } = await askRound(`${rounds}/1`);
  const matched = Object.fromEntries(round.report.types.map((type) => [type.cost_type, type.matched]));
  expect(matched).toEqual({ cpc: 3, cpi: 1, cpe: 0, cpm: 1 });
  const findings = round.report.types.flatMap((type) => type.findings);
  const states = findings.map(({ kind, state }) => `${kind} ${state}`).sort();
  expect(states).toEqual([
    "conflict open",
    "cost_without_engagement open",
    "differs_from_url open",
    "duplicate note",
    "engagement_without_cost note",
    "engagement_without_cost open",
    "engagement_without_cost open",
    "late open",
    "malformed open",
    "malformed resolved",
    "wrong_engagement open",
  ]);
});

test("a click without a cost is reported even if its ID begins with the last Unicode character", async () => {
  const costId = "\u{10ffff} round click";
  await click(costId, { link });
  const { round } = await askRound(`${rounds}/1`);
  const found = round.report.types.flatMap((type) => type.findings).find(({ cost_id }) => cost_id === costId);
  expect(found).toMatchObject({ kind: "engagement_without_cost", state: "open" });
});

describe("opening a round", () => {
  test("returns a test credential once and creates an empty round", async () => {
    const { status, round } = await open(2, ["cpm", "cpc"]);
    expect(status).toBe(201);
    expect(round).toMatchObject({ id: 2, state: "open", cost_types: ["cpc", "cpm"], entries: 0 });
    expect(
      (await sendCost({ cost_id: "opened-cost-01" }, { token: round.test_credential })).body,
    ).toMatchObject({
      round: 2,
    });
    expect((await askRound(`${rounds}/2`)).round).not.toHaveProperty("test_credential");
    expect(JSON.stringify(await rows("SELECT * FROM audit_log"))).not.toContain(round.test_credential);
  });

  test("rejects a second round for a cost type of an open round and changes nothing", async () => {
    const before = await rows("SELECT * FROM credentials");
    const json = { partner_id: 3, cost_types: ["cpi"] };
    expect(await rejection(rounds, { token, json })).toMatchObject({ status: 409, code: "round_open" });
    expect(await rows("SELECT * FROM rounds WHERE id > 1")).toEqual([]);
    expect(await rows("SELECT * FROM credentials")).toEqual(before);
    expect(await rows("SELECT * FROM audit_log")).toEqual([]);
  });

  test("creates one round for two simultaneous requests", async () => {
    const json = { partner_id: 2, cost_types: ["cpc"] };
    const both = await Promise.all([ask(rounds, { token, json }), ask(rounds, { token, json })]);
    expect(both.map(({ status }) => status).sort()).toEqual([201, 409]);
    expect(await rows("SELECT count(*) AS n FROM rounds WHERE partner_id = 2")).toEqual([{ n: 1 }]);
  });

  test("accepts another cost type, and the same one after its round is closed", async () => {
    await open(2, ["cpc"]);
    expect((await open(2, ["cpi"])).round.id).toBe(3);
    await askRound(`${rounds}/2/close`, { method: "POST" });
    expect((await open(2, ["cpc"])).round.id).toBe(4);
  });

  test.each([
    ["an unknown cost type", { partner_id: 2, cost_types: ["cpx"] }, "cost_types.0"],
    ["no cost type", { partner_id: 2, cost_types: [] }, "cost_types"],
    ["an unknown partner", { partner_id: 99, cost_types: ["cpc"] }, "partner_id"],
  ])("rejects %s", async (_, json, param) => {
    expect(await rejection(rounds, { token, json })).toMatchObject({ status: 400, params: [param] });
  });
});

describe("an incomplete report blocks approval until an operator dismisses it", () => {
  const costType = "cpc";
  async function goodRound(): Promise<string> {
    const { round } = await open(2, [costType]);
    const path = `${rounds}/${round.id}`;
    await env.DB.prepare("UPDATE links SET partner_id = 2 WHERE token = ?").bind(link).run();
    await click("good-click-0001", { link });
    const sent = { cost_type: costType, cost_id: "good-click-0001" };
    const response = await sendCost(sent, { token: round.test_credential });
    expect(response.body).toMatchObject({ mismatch: null });
    expect((await askRound(path)).round.report.passed).toBe(true);
    return path;
  }
  async function expectBlocked(path: string, options: object = {}): Promise<void> {
    const { round } = await askRound(path, options);
    expect(round.report).toMatchObject({
      passed: false,
      complete: false,
      types: [{ passed: true }],
      other_findings: [{ finding: "report", kind: "incomplete", state: "open" }],
    });
    const approve = { token, method: "POST", ...options };
    expect(await rejection(`${path}/approve`, approve)).toMatchObject({
      code: "mismatch_open",
      params: ["other_findings"],
    });
    await askRound(`${path}/dismissals`, { json: { finding: "report" }, ...options });
    expect((await askRound(`${path}/approve`, { method: "POST", ...options })).round.state).toBe("approved");
  }

  test("with more engagements than a report can cover", async () => {
    const path = await goodRound();
    await rows("UPDATE partners SET cost_parameters = 'cost_amount={price}' WHERE id = 2");
    await rows(
      `INSERT INTO ledger_entries (partner_id, cost_id, click_app_token, click_link_id, click_at, click_cost_data_on, click_url_cost_type, click_url_currency, click_url_amount)
       WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2001)
       SELECT 2, 'filling-' || printf('%06d', i), ?, 7, ?, 0, 'cpc', 'USD', 1 FROM n`,
      DEMO.appToken,
      NOW + 1,
    );
    await expectBlocked(path);
  });

  test("with engagements deleted, one millisecond after 14 days", async () => {
    const path = await goodRound();
    expect((await askRound(path, { now: NOW + 14 * DAY })).round.report.passed).toBe(true);
    await expectBlocked(path, { now: NOW + 14 * DAY + 1 });
  });
});

describe("approving a round", () => {
  test("is rejected with every open mismatch and changes nothing", async () => {
    const before = await rows("SELECT * FROM partners");
    const rejected = await rejection(`${rounds}/1/approve`, { token, method: "POST" });
    expect(rejected).toMatchObject({ status: 409, code: "mismatch_open" });
    expect(new Set(rejected.params)).toEqual(new Set(["cpc", "cpi", "cpe", "cpm"]));
    expect(await rows("SELECT * FROM partners")).toEqual(before);
    expect((await askRound(`${rounds}/1`)).round.state).toBe("open");
  });

  test("integrates partner 3 after its round is fixed with real clicks and costs", async () => {
    const test = { token: DEMO.testCostToken };
    const cost = { cost_currency: "EUR", tag: "trial" };
    await sendCost({ ...cost, cost_type: "cpc", cost_id: "corsair-click-0002", cost_amount: "0.12" }, test);
    await sendCost({ ...cost, cost_type: "cpc", cost_id: "corsair-click-0003", cost_amount: "0.12" }, test);
    await sendCost({ ...cost, cost_type: "cpi", cost_id: "corsair-install-02", cost_amount: "1.5" }, test);
    await click("corsair-event-0001", { link });
    await click("corsair-event-0002", { link });
    await sendCost({ ...cost, cost_type: "cpe", cost_id: "corsair-event-0002", cost_amount: "0.8" }, test);
    await sendCost({ ...cost, cost_type: "cpm", cost_id: "corsair-view-0002", cost_amount: "2.4" }, test);
    await view("corsair-click-0005", { link });
    await sendCost({ ...cost, cost_type: "cpm", cost_id: "corsair-click-0005", cost_amount: "2.4" }, test);
    const failing = await rejection(`${rounds}/1/approve`, { token, method: "POST" });
    expect(failing.params).toEqual(["cpi"]);
    const { round } = await askRound(`${rounds}/1`);
    const late = round.report.types.flatMap((type) => type.findings).find(({ state }) => state === "open");
    expect(late?.kind).toBe("late");
    const json = { finding: late?.finding };
    expect((await askRound(`${rounds}/1/dismissals`, { json })).round.report.passed).toBe(true);

    const approved = await askRound(`${rounds}/1/approve`, { method: "POST" });
    expect(approved.round).toMatchObject({ state: "approved", report: { passed: true } });
    const listed = await ask<{ data: { items: object[] } }>("/public/v1/partners", { token: DEMO.apiToken });
    expect(listed.body.data.items[2]).toMatchObject({ id: 3, supports_cost_data: true });
    expect((await sendCost({ cost_id: "after-approval-1" }, test)).body.code).toBe("test_credential");
    const audit = await rows<{ action: string }>("SELECT action FROM audit_log ORDER BY id");
    expect(audit.map(({ action }) => action)).toEqual(["dismiss mismatch", "approve round"]);

    const live = await ask<{ data: { items: { credential: string }[] } }>("/operator/v1/credentials", {
      token,
      json: { partner_id: 3, mode: "live", cost_types: ["cpi"] },
    });
    const paths = `/public/v1/apps/${DEMO.appToken}/trackers/${link}`;
    await ask(paths, { token: DEMO.apiToken, method: "PATCH", json: { cost_data_enabled: true } });
    await click("live-install-01", { link });
    const sent = await sendCost(
      { cost_type: "cpi", cost_id: "live-install-01", cost_amount: "1" },
      { token: live.body.data.items[0]?.credential },
    );
    expect(sent.body).toMatchObject({ match: "matched" });
    expect(sent.body).not.toHaveProperty("round");
  });

  test("adds the round's cost types to the partner's live credentials, but not to revoked ones", async () => {
    await env.DB.prepare(
      "UPDATE partners SET supports_cost_data = 1, integrated_types = 8 WHERE id = 2",
    ).run();
    const json = { partner_id: 2, mode: "live", cost_types: ["cpm"] };
    for (let index = 0; index < 2; index++) await ask("/operator/v1/credentials", { token, json });
    await ask("/operator/v1/credentials/5/revoke", { token, method: "POST" });
    const { round } = await open(2, ["cpc"]);
    await click("beacon-click-01", { link: "demo1nk006" });
    await sendCost({ cost_id: "beacon-click-01" }, { token: round.test_credential });
    await askRound(`${rounds}/2/approve`, { method: "POST" });
    expect(
      await rows("SELECT id, cost_types FROM credentials WHERE partner_id = 2 AND mode = 'live'"),
    ).toEqual([
      { id: 5, cost_types: 8 },
      { id: 6, cost_types: 9 },
    ]);
    expect(await rows("SELECT integrated_types FROM partners WHERE id = 2")).toEqual([
      { integrated_types: 9 },
    ]);
  });

  test("does not resume a partner that an operator stopped", async () => {
    await rows("UPDATE partners SET stopped_at = 1 WHERE id = 2");
    const { round } = await open(2, ["cpc"]);
    await click("beacon-click-01", { link: "demo1nk006" });
    const sent = await sendCost({ cost_id: "beacon-click-01" }, { token: round.test_credential });
    expect(sent.body).toMatchObject({ match: "matched", mismatch: null });
    expect((await askRound(`${rounds}/2/approve`, { method: "POST" })).round.state).toBe("approved");
    expect(await rows("SELECT supports_cost_data, stopped_at FROM partners WHERE id = 2")).toEqual([
      { supports_cost_data: 1, stopped_at: 1 },
    ]);
  });

  test("requires a match for each cost type", async () => {
    await open(2, ["cpc"]);
    expect(await rejection(`${rounds}/2/approve`, { token, method: "POST" })).toMatchObject({
      code: "mismatch_open",
      params: ["cpc"],
    });
  });
});

describe("an ended round", () => {
  test("keeps its report after its engagements are deleted", async () => {
    const { round } = await askRound(`${rounds}/1/close`, { method: "POST" });
    expect(round.state).toBe("closed");
    await env.DB.prepare("DELETE FROM ledger_entries").run();
    expect((await askRound(`${rounds}/1`)).round).toEqual(round);
    expect((await ask("/cost/round", { token: DEMO.testCostToken })).body).toMatchObject({ state: "closed" });
  });

  test.each(["close", "approve"])("rejects another %s", async (action) => {
    await askRound(`${rounds}/1/close`, { method: "POST" });
    expect((await rejection(`${rounds}/1/${action}`, { token, method: "POST" })).code).toBe("round_ended");
    const json = { finding: "entry 1" };
    expect((await rejection(`${rounds}/1/dismissals`, { token, json })).code).toBe("round_ended");
  });
});

test("a matched test cost stays matched when its click is deleted before the round ends", async () => {
  await click("remembered-0001", { link });
  await sendCost({ cost_id: "remembered-0001" }, { token: DEMO.testCostToken });
  const matched = async () => (await askRound(`${rounds}/1`)).round.report.types[0]?.matched;
  expect(await matched()).toBe(4);
  await env.DB.prepare("DELETE FROM ledger_entries WHERE cost_id = 'remembered-0001'").run();
  expect(await matched()).toBe(4);
});

test.each([
  ["exactly fourteen days old is late", 14 * DAY, { code: "window_closed" }],
  ["one millisecond older is pending, because the click is forgotten", 14 * DAY + 1, { match: "pending" }],
])("a test cost whose click is %s", async (_, age, result) => {
  await click("remembered-0002", { link, now: NOW - age });
  const sent = await sendCost({ cost_id: "remembered-0002" }, { token: DEMO.testCostToken });
  expect(sent.body).toMatchObject(result);
});

test.each([
  ["an unknown finding", "entry 99"],
  ["a resolved mismatch", "entry 5"],
  ["a note", "entry 2"],
])("rejects dismissing %s", async (_, finding) => {
  expect(await rejection(`${rounds}/1/dismissals`, { token, json: { finding } })).toMatchObject({
    status: 400,
    params: ["finding"],
  });
});

test("the audit log lists who changed what and when, the newest first", async () => {
  await open(2, ["cpc"]);
  await askRound(`${rounds}/2/close`, { method: "POST" });
  const { body } = await ask<{ data: { items: object[] } }>("/operator/v1/audit", { token });
  expect(body.data.items).toMatchObject([
    {
      action: "close round",
      subject: "round 2",
      detail: { partner_id: 2, cost_types: ["cpc"], entries: 0 },
    },
    {
      user: { id: 2, email: "operator@example.com" },
      action: "open round",
      subject: "round 2",
      happened_at: "2026-03-15T12:00:00.000Z",
      detail: { partner_id: 2, cost_types: ["cpc"] },
    },
  ]);
});
