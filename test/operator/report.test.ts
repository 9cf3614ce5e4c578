import { describe, expect, test } from "vitest";
import type { CostType, Kind } from "../../src/domain/cost-types.ts";
import type { Cost } from "../../src/domain/costs.ts";
import type { RoundEngagement, RoundEntry } from "../../src/domain/round-findings.ts";
import { judgeRound } from "../../src/domain/round-report.ts";

const DAY = 24 * 3600 * 1000;
const START = 1_000 * DAY;
const ID = "report-cost-0001";

const cost = (costType: CostType, more: Partial<Cost> = {}): Cost => ({
  costId: ID,
  costType,
  currency: "USD",
  amount: 100_000,
  tag: "t",
  ...more,
});

/** What was sent, a minute apart, from the second hour on. `null` is a malformed cost with the ID. */
function entries(...sent: (Cost | null)[]): RoundEntry[] {
  return sent.map((one, index) => ({
    number: index + 1,
    receivedAt: START + 3600_000 + index * 60_000,
    costId: one?.costId ?? ID,
    sent: { cost_id: one?.costId ?? ID, cost_type: one?.costType ?? "cpc" },
    errors: one ? [] : [{ param: "cost_amount", message: "is bad" }],
    cost: one,
    engagements: {},
    answer: "ok",
  }));
}

const engagement = (kind: Kind, more: Partial<RoundEngagement> = {}): RoundEngagement => ({
  costId: ID,
  kind,
  occurredAt: START,
  eligible: false,
  urlCostType: null,
  urlCurrency: null,
  urlAmount: null,
  ...more,
});
const click = (more: Partial<RoundEngagement> = {}) => engagement("click", more);
const view = (more: Partial<RoundEngagement> = {}) => engagement("impression", more);

function judge(
  sent: RoundEntry[],
  engagements: RoundEngagement[],
  costTypes: CostType[] = ["cpc"],
  dismissed: string[] = [],
) {
  const report = judgeRound({
    costTypes,
    liveTypes: [],
    entries: sent,
    engagements,
    dismissed: new Set(dismissed),
    openedAt: START,
    complete: true,
  });
  const findings = [...report.types.flatMap((type) => type.findings), ...report.others];
  return {
    passed: report.passed,
    matched: report.types.map((type) => type.matched),
    found: findings.map((finding) => `${finding.kind} ${finding.state}`),
    report,
  };
}

const ALL: CostType[] = ["cpc", "cpi", "cpe", "cpm"];

describe("a cost type passes with a match and nothing open", () => {
  test.each<[string, RoundEntry[], RoundEngagement[], CostType[], boolean, string[]]>([
    ["nothing at all", [], [], ["cpc"], false, []],
    ["a cpc cost and its click", entries(cost("cpc")), [click()], ["cpc"], true, []],
    ["a cpm cost and its impression", entries(cost("cpm")), [view()], ["cpm"], true, []],
    ["a cpi cost and an impression", entries(cost("cpi")), [view()], ["cpi"], true, []],
    ["a cost alone", entries(cost("cpc")), [], ["cpc"], false, ["cost_without_engagement open"]],
    ["a click alone at cpc", [], [click()], ["cpc"], false, ["engagement_without_cost open"]],
    ["an impression alone at cpm", [], [view()], ["cpm"], false, ["engagement_without_cost open"]],
    ["a click alone at cpi", [], [click()], ["cpi"], false, ["engagement_without_cost note"]],
    ["an impression alone at cpe", [], [view()], ["cpe"], false, ["engagement_without_cost note"]],
    ["an impression alone at cpc", [], [view()], ["cpc"], false, []],
    ["a click of another cost type", [], [click({ urlCostType: "cpi" })], ["cpc"], false, []],
    [
      "a click whose URL carries a whole cost",
      [],
      [click({ urlCostType: "cpc", urlCurrency: "USD", urlAmount: 1 })],
      ["cpc"],
      true,
      [],
    ],
    ["a cpm cost for a click", entries(cost("cpm")), [click()], ["cpm"], false, ["wrong_engagement open"]],
    [
      "a cpc cost for an impression",
      entries(cost("cpc")),
      [view()],
      ["cpc"],
      false,
      ["wrong_engagement open"],
    ],
    ["a malformed one", entries(null), [click()], ["cpc"], false, ["malformed open"]],
    [
      "a type that is not in the round",
      entries(cost("cpi")),
      [click()],
      ["cpc"],
      false,
      ["not_in_round open"],
    ],
    ["the same twice", entries(cost("cpc"), cost("cpc")), [click()], ["cpc"], true, ["duplicate note"]],
    [
      "another amount the second time",
      entries(cost("cpc"), cost("cpc", { amount: 1 })),
      [click()],
      ["cpc"],
      false,
      ["conflict open"],
    ],
    [
      "another currency than on the URL",
      entries(cost("cpc")),
      [click({ urlCurrency: "EUR" })],
      ["cpc"],
      false,
      ["differs_from_url open"],
    ],
    [
      "another amount than on the URL",
      entries(cost("cpc")),
      [click({ urlAmount: 1 })],
      ["cpc"],
      false,
      ["differs_from_url open"],
    ],
    [
      "another type than on the URL",
      entries(cost("cpi")),
      [click({ urlCostType: "cpc" })],
      ["cpi"],
      false,
      ["differs_from_url open"],
    ],
    ["what the URL says", entries(cost("cpc")), [click({ urlAmount: 100_000 })], ["cpc"], true, []],
    [
      "no amount where the URL has one",
      entries(cost("cpc", { amount: null })),
      [click({ urlAmount: 5 })],
      ["cpc"],
      true,
      [],
    ],
  ])("%s", (_, sent, engagements, costTypes, passed, found) => {
    const judged = judge(sent, engagements, costTypes);
    expect([judged.passed, judged.found]).toEqual([passed, found]);
  });

  test.each([
    ["exactly seven days", 0, true, []],
    ["one millisecond more", 1, false, ["late open"]],
  ])("a cost %s after its click", (_, more, passed, found) => {
    const [entry] = entries(cost("cpc"));
    const at = (entry?.receivedAt ?? 0) - 7 * DAY - more;
    const judged = judge(entries(cost("cpc")), [click({ occurredAt: at })]);
    expect([judged.passed, judged.found]).toEqual([passed, found]);
  });

  test("one type that fails fails the round, and the other still passes", () => {
    const { report } = judge(entries(cost("cpc")), [click()], ["cpc", "cpm"]);
    expect(report.types.map((type) => type.passed)).toEqual([true, false]);
    expect(report.passed).toBe(false);
  });

  test("what names no type of the round holds up the whole round", () => {
    const other = { ...entries(null)[0], number: 9, costId: null, sent: { cost_type: "cpa" } } as RoundEntry;
    const { report } = judge([...entries(cost("cpc")), other], [click()]);
    expect(report.types[0]?.passed).toBe(true);
    expect(report.passed).toBe(false);
    expect(report.others.map((finding) => finding.kind)).toEqual(["malformed"]);
  });
});

describe("a mismatch is healed", () => {
  test.each<[string, RoundEntry[], RoundEngagement[], string[]]>([
    [
      "malformed, by a good one with the same ID",
      entries(null, cost("cpc")),
      [click()],
      ["malformed healed"],
    ],
    [
      "a difference from the URL, by one that agrees",
      entries(cost("cpc", { amount: 1 }), cost("cpc")),
      [click({ urlAmount: 100_000 })],
      ["differs_from_url healed"],
    ],
    [
      "a conflict, by the first values again",
      entries(cost("cpc"), cost("cpc", { amount: 1 }), cost("cpc")),
      [click()],
      ["conflict healed", "duplicate note"],
    ],
    [
      "the wrong kind, by another type",
      entries(cost("cpm"), cost("cpc")),
      [click()],
      ["wrong_engagement healed"],
    ],
  ])("%s", (_, sent, engagements, found) => {
    const judged = judge(sent, engagements, ALL);
    expect(judged.found.sort()).toEqual(found);
    expect(judged.report.types.map((type) => type.open)).toEqual([0, 0, 0, 0]);
  });

  test("not by a good one that came before it", () => {
    const judged = judge(entries(cost("cpc"), null), [click()]);
    expect(judged.found).toEqual(["malformed open"]);
  });

  test("not by a cost that still waits for its engagement", () => {
    const judged = judge(entries(null, cost("cpc")), []);
    expect(judged.found).toEqual(["malformed open", "cost_without_engagement open"]);
  });

  test("not by a good one with another ID", () => {
    const judged = judge(entries(null, cost("cpc", { costId: "another-cost-id" })), [
      click({ costId: "another-cost-id" }),
    ]);
    expect(judged.found).toEqual(["malformed open"]);
  });
});

describe("dismissing", () => {
  test("lets an open mismatch pass, by its key", () => {
    const sent = entries(cost("cpc"), cost("cpc", { amount: 1 }));
    const judged = judge(sent, [click()], ["cpc"], ["entry 2", "entry 77"]);
    expect([judged.passed, judged.found]).toEqual([true, ["conflict dismissed"]]);
  });

  test("of an engagement names its kind and ID", () => {
    const other = click({ costId: "another-cost-id" });
    const judged = judge(entries(cost("cpc")), [click(), other], ["cpc"], ["click another-cost-id"]);
    expect([judged.passed, judged.found]).toEqual([true, ["engagement_without_cost dismissed"]]);
  });
});

test("a match without any amount is counted as unpriced, until a call says it", () => {
  const unpriced = judge(entries(cost("cpc", { amount: null })), [click()]);
  expect([unpriced.passed, unpriced.report.types[0]?.unpriced]).toEqual([true, 1]);
  const priced = judge(entries(cost("cpc", { amount: null }), cost("cpc")), [click()]);
  expect(priced.report.types[0]).toMatchObject({ matched: 1, unpriced: 0, findings: [] });
});

test("a match stands on what the entry saw, when the engagement is forgotten", () => {
  const [entry] = entries(cost("cpc"));
  const { costId: _, kind, ...seen } = click();
  const judged = judge([{ ...entry, engagements: { [kind]: seen } } as RoundEntry], []);
  expect(judged.matched).toEqual([1]);
});

test("every finding says what was expected and what to change", () => {
  const sent = [
    ...entries(null, cost("cpc"), cost("cpm")),
    ...entries(cost("cpi", { costId: "another-cost-id" })).map((entry) => ({ ...entry, number: 9 })),
  ];
  const { report } = judge(sent, [click({ urlAmount: 1 })], ["cpc", "cpm"]);
  const findings = [...report.types.flatMap((type) => type.findings), ...report.others];
  expect(findings).toHaveLength(4);
  const explained = Object.fromEntries(findings.map(({ kind, ...finding }) => [kind, finding]));
  // What it expected names the values, and what to change names the parameter to change.
  expect(explained.malformed?.expected).toBe("cost_amount is bad");
  expect(explained.malformed?.remedy).toContain("cost_id");
  expect(explained.differs_from_url?.remedy).toContain("cost_id");
  expect(explained.wrong_engagement?.expected).toMatch(/^An impression .* cpm\.$/);
  expect(explained.wrong_engagement?.remedy).toMatch(/cpm.* impressions .*cost_type/);
  expect(explained.not_in_round?.expected).toMatch(/: cpc, cpm\.$/);
  expect(explained.not_in_round?.remedy).toContain("cost_type");
  expect(new Set(findings.map(({ expected }) => expected)).size).toBe(4);
  expect(new Set(findings.map(({ remedy }) => remedy)).size).toBe(4);
  expect(findings.find(({ kind }) => kind === "differs_from_url")?.expected).toBe(
    "cost_amount 0.00001 as on the URL, not 1",
  );
});

test("live traffic of a cost type that is tried again is none of the round's", () => {
  const round = {
    costTypes: ALL,
    entries: [],
    engagements: [click({ eligible: true })],
    dismissed: new Set<string>(),
    openedAt: START,
    complete: true,
  };
  const count = (liveTypes: CostType[]) => judgeRound({ ...round, liveTypes }).types[0]?.findings.length;
  expect([count(["cpc"]), count(["cpi"]), count(["cpm"]), count([])]).toEqual([0, 0, 1, 1]);
});

describe("an engagement without a cost, of a partner that is live for cpc", () => {
  const OTHER = "another-cost-id";
  test.each<[string, RoundEngagement[], string[]]>([
    ["is skipped where cost data is on for its link", [click({ eligible: true })], []],
    ["is a finding where cost data is off for its link", [click({ eligible: false })], [ID]],
    [
      "is a finding where only a click with another cost ID came through a link with cost data on",
      [click({ eligible: false }), click({ costId: OTHER, eligible: true })],
      [ID],
    ],
    [
      "is a finding where only the impression came through a link with cost data on",
      [click({ eligible: false }), view({ eligible: true })],
      [ID],
    ],
  ])("%s", (_, engagements, found) => {
    const { types } = judgeRound({
      costTypes: ["cpc"],
      liveTypes: ["cpc"],
      entries: [],
      engagements,
      dismissed: new Set(),
      openedAt: START,
      complete: true,
    });
    expect(
      types.map(({ findings }) => findings.map(({ kind, state, costId }) => [kind, state, costId])),
    ).toEqual([found.map((costId) => ["engagement_without_cost", "open", costId])]);
  });
});

test("a report that is not whole does not pass, unless an operator lets it", () => {
  const round = {
    costTypes: ["cpc" as const],
    liveTypes: [],
    entries: entries(cost("cpc")),
    engagements: [click()],
    openedAt: START,
    complete: false,
  };
  const judged = (...dismissed: string[]) => judgeRound({ ...round, dismissed: new Set(dismissed) });
  expect([judged().passed, judged().types[0]?.passed, judged().others]).toMatchObject([
    false,
    true,
    [{ key: "report", kind: "incomplete", state: "open", at: START }],
  ]);
  expect([judged("report").passed, judged("report").complete]).toEqual([true, false]);
});

test("a cost that came more than seven days before its engagement is told to be sent again", () => {
  const early = entries(cost("cpc"));
  const { report } = judge(early, [click({ occurredAt: START + 8 * DAY })]);
  expect(report.types[0]?.findings[0]).toMatchObject({
    kind: "late",
    expected: "At most 7 days before the engagement of 1972-10-05.",
    remedy: expect.stringContaining("Send the cost again"),
  });
  const again = { ...early[0], number: 2, receivedAt: START + 8 * DAY } as RoundEntry;
  expect(judge([...early, again], [click({ occurredAt: START + 8 * DAY })]).found).toEqual(["late healed"]);
});

test("a refusal of the whole body stands as the sentence that it is, beside faults of parameters", () => {
  const [entry] = entries(null);
  const errors = [
    { param: "body", message: "The body is too large." },
    { param: "cost_id", message: "is required" },
  ];
  const { report } = judge([{ ...entry, errors } as RoundEntry], []);
  const findings = [...report.types.flatMap((type) => type.findings), ...report.others];
  expect(findings.map(({ expected }) => expected)).toEqual(["The body is too large.; cost_id is required"]);
});
