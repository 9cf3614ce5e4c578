import { describe, expect, test } from "vitest";
import type { CostType, Kind } from "../../src/domain/cost-types.ts";
import type { Cost } from "../../src/domain/costs.ts";
import { judgeEntry } from "../../src/domain/rounds/entries.ts";
import type { RoundEngagement, RoundEntry } from "../../src/domain/rounds/findings.ts";
import { judgeRound } from "../../src/domain/rounds/report.ts";

const DAY = 24 * 3600 * 1000;
const START = 1_000 * DAY;
const ID = "report-cost-0001";
/** The highest amount on a URL that counts, in units of 0.00001. */
const HIGHEST = 1_000;

const cost = (costType: CostType, more: Partial<Cost> = {}): Cost => ({
  costId: ID,
  costType,
  currency: "USD",
  amount: 100_000,
  tag: "t",
  ...more,
});

/** Entries sent one minute apart, starting one hour after START. `null` is a malformed cost with the ID. */
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
  costDataOn: false,
  priceCounts: false,
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
    highestUrlAmount: HIGHEST,
    urlCurrency: "USD",
    entries: sent,
    engagements,
    dismissed: new Map(dismissed.map((key) => [key, null])),
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

describe("a cost type passes with a match and no open mismatches", () => {
  test.each<[string, RoundEntry[], RoundEngagement[], CostType[], boolean, string[]]>([
    ["no submissions", [], [], ["cpc"], false, []],
    ["a cpc cost and its click", entries(cost("cpc")), [click()], ["cpc"], true, []],
    ["a cpm cost and its impression", entries(cost("cpm")), [view()], ["cpm"], true, []],
    ["a cpi cost and an impression", entries(cost("cpi")), [view()], ["cpi"], true, []],
    [
      "a cost without an engagement",
      entries(cost("cpc")),
      [],
      ["cpc"],
      false,
      ["cost_without_engagement open"],
    ],
    ["a click without a cost at cpc", [], [click()], ["cpc"], false, ["engagement_without_cost open"]],
    ["an impression without a cost at cpm", [], [view()], ["cpm"], false, ["engagement_without_cost open"]],
    ["a click without a cost at cpi", [], [click()], ["cpi"], false, ["engagement_without_cost note"]],
    ["an impression without a cost at cpe", [], [view()], ["cpe"], false, ["engagement_without_cost note"]],
    ["an impression without a cost at cpc", [], [view()], ["cpc"], false, []],
    ["a click of another cost type", [], [click({ urlCostType: "cpi" })], ["cpc"], false, []],
    [
      "a click whose URL has a complete cost",
      [],
      [click({ urlCostType: "cpc", urlCurrency: "USD", urlAmount: 1 })],
      ["cpc"],
      true,
      [],
    ],
    [
      "a click whose URL has the highest amount that counts",
      [],
      [click({ urlCostType: "cpc", urlCurrency: "USD", urlAmount: HIGHEST })],
      ["cpc"],
      true,
      [],
    ],
    [
      "a click whose URL has another currency than the partner's cost parameters",
      [],
      [click({ urlCostType: "cpc", urlCurrency: "EUR", urlAmount: HIGHEST })],
      ["cpc"],
      false,
      ["engagement_without_cost open"],
    ],
    [
      "a click whose URL has a higher amount",
      [],
      [click({ urlCostType: "cpc", urlCurrency: "USD", urlAmount: HIGHEST + 1 })],
      ["cpc"],
      false,
      ["engagement_without_cost open"],
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
    [
      "a cpm cost for a click, after which the impression came",
      entries(cost("cpm")),
      [click(), view()],
      ["cpm"],
      true,
      [],
    ],
    [
      "a cpi cost and its impression, and a click seven days later",
      entries(cost("cpi")),
      [view(), click({ occurredAt: START + 7 * DAY })],
      ["cpi"],
      true,
      [],
    ],
    ["a malformed cost", entries(null), [click()], ["cpc"], false, ["malformed open"]],
    [
      "a cost type that is not in the round",
      entries(cost("cpi")),
      [click()],
      ["cpc"],
      false,
      ["not_in_round open"],
    ],
    ["the same cost twice", entries(cost("cpc"), cost("cpc")), [click()], ["cpc"], true, ["duplicate note"]],
    [
      "a second cost with another amount",
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
    [
      "the same values as on the URL",
      entries(cost("cpc")),
      [click({ urlAmount: 100_000 })],
      ["cpc"],
      true,
      [],
    ],
    [
      "no amount if the URL has one",
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

  test("one failing type fails the round, and the other type still passes", () => {
    const { report } = judge(entries(cost("cpc")), [click()], ["cpc", "cpm"]);
    expect(report.types.map((type) => type.passed)).toEqual([true, false]);
    expect(report.passed).toBe(false);
  });

  test("a submission without a cost type of the round blocks the whole round", () => {
    const other = { ...entries(null)[0], number: 9, costId: null, sent: { cost_type: "cpa" } } as RoundEntry;
    const { report } = judge([...entries(cost("cpc")), other], [click()]);
    expect(report.types[0]?.passed).toBe(true);
    expect(report.passed).toBe(false);
    expect(report.others.map((finding) => finding.kind)).toEqual(["malformed"]);
  });
});

describe("a mismatch is resolved", () => {
  test.each<[string, RoundEntry[], RoundEngagement[], string[]]>([
    [
      "a malformed cost, by a valid one with the same ID",
      entries(null, cost("cpc")),
      [click()],
      ["malformed resolved"],
    ],
    [
      "a difference from the URL, by a cost with the same values",
      entries(cost("cpc", { amount: 1 }), cost("cpc")),
      [click({ urlAmount: 100_000 })],
      ["differs_from_url resolved"],
    ],
    [
      "a conflict, by the first values sent again",
      entries(cost("cpc"), cost("cpc", { amount: 1 }), cost("cpc")),
      [click()],
      ["conflict resolved", "duplicate note"],
    ],
    [
      "the wrong kind, by another type",
      entries(cost("cpm"), cost("cpc")),
      [click()],
      ["wrong_engagement resolved"],
    ],
  ])("%s", (_, sent, engagements, found) => {
    const judged = judge(sent, engagements, ALL);
    expect(judged.found.sort()).toEqual(found);
    expect(judged.report.types.map((type) => type.open)).toEqual([0, 0, 0, 0]);
  });

  test("a conflict names each value that differs, and what to do", () => {
    const other = cost("cpi", { currency: "JPY", amount: 1 });
    const { report } = judge(entries(cost("cpc"), other), [click()], ALL);
    expect(report.types.flatMap(({ findings }) => findings)).toMatchObject([
      {
        kind: "conflict",
        expected:
          "cost_type cpc as sent before with this cost ID, not cpi. cost_currency USD as sent before with this cost ID, not JPY. cost_amount 1 as sent before with this cost ID, not 0.00001.",
        remedy: expect.stringContaining("Resend the earlier values with this cost_id"),
      },
    ]);
  });

  test("not by an earlier valid cost", () => {
    const judged = judge(entries(cost("cpc"), null), [click()]);
    expect(judged.found).toEqual(["malformed open"]);
  });

  test("not by a pending cost", () => {
    const judged = judge(entries(null, cost("cpc")), []);
    expect(judged.found).toEqual(["malformed open", "cost_without_engagement open"]);
  });

  test("not by a valid cost with another ID", () => {
    const judged = judge(entries(null, cost("cpc", { costId: "another-cost-id" })), [
      click({ costId: "another-cost-id" }),
    ]);
    expect(judged.found).toEqual(["malformed open"]);
  });
});

describe("dismissing", () => {
  test("dismisses an open mismatch by its key", () => {
    const sent = entries(cost("cpc"), cost("cpc", { amount: 1 }));
    const judged = judge(sent, [click()], ["cpc"], ["entry 2", "entry 77"]);
    expect([judged.passed, judged.found]).toEqual([true, ["conflict dismissed"]]);
  });

  test("identifies an engagement by its kind and ID", () => {
    const other = click({ costId: "another-cost-id" });
    const judged = judge(entries(cost("cpc")), [click(), other], ["cpc"], ["click another-cost-id"]);
    expect([judged.passed, judged.found]).toEqual([true, ["engagement_without_cost dismissed"]]);
  });
});

test("a match without an amount is unpriced until a call sends the amount", () => {
  const unpriced = judge(entries(cost("cpc", { amount: null })), [click()]);
  expect([unpriced.passed, unpriced.report.types[0]?.unpriced]).toEqual([true, 1]);
  const priced = judge(entries(cost("cpc", { amount: null }), cost("cpc")), [click()]);
  expect(priced.report.types[0]).toMatchObject({ matched: 1, unpriced: 0, findings: [] });
});

test("a match is kept when the engagement is deleted", () => {
  const [entry] = entries(cost("cpc"));
  const { costId: _, kind, ...seen } = click();
  const judged = judge([{ ...entry, engagements: { [kind]: seen } } as RoundEntry], []);
  expect(judged.matched).toEqual([1]);
});

test("an engagement takes precedence over the copy that an earlier entry kept of its ID", () => {
  const [entry] = entries(cost("cpc"));
  const { costId: _, kind, ...copy } = click({ urlAmount: 1 });
  const kept = [{ ...entry, engagements: { [kind]: copy } } as RoundEntry];
  expect(judge(kept, []).found).toEqual(["differs_from_url open"]);
  expect(judge(kept, [click()]).found).toEqual([]);
});

test("every finding has an expectation and a remedy", () => {
  const sent = [
    ...entries(null, cost("cpc"), cost("cpm")),
    ...entries(cost("cpi", { costId: "another-cost-id" })).map((entry) => ({ ...entry, number: 9 })),
  ];
  const { report } = judge(sent, [click({ urlAmount: 1 })], ["cpc", "cpm"]);
  const findings = [...report.types.flatMap((type) => type.findings), ...report.others];
  expect(findings).toHaveLength(4);
  const explained = findings.map(({ kind, expected, remedy }) => [kind, { expected, remedy }]);
  expect(Object.fromEntries(explained)).toEqual({
    malformed: {
      expected: "cost_amount is bad.",
      remedy:
        "Fix the parameters, then resend the cost with the same cost_id. This resolves it, provided that the cost_id itself is valid.",
    },
    differs_from_url: {
      expected: "cost_amount 0.00001 as on the URL, not 1.",
      remedy:
        "Use the same values in the URL and in the API call, then resend the cost with the same cost_id. This resolves it.",
    },
    wrong_engagement: {
      expected: "An impression with this cost ID, because cost_type is cpm.",
      remedy:
        "Send cpm costs only for impressions, or resend this cost with another cost_type and the same cost_id.",
    },
    not_in_round: {
      expected: "One of the cost types of this round: cpc, cpm.",
      remedy: "Send one of these cost types, or ask the operator to open a round that includes this one.",
    },
  });
});

test("a cost that waits for its click beside an impression with cost data off is an open mismatch", () => {
  const off = { impression: view() };
  for (const costType of ["cpi", "cpm"] as const) {
    const [entry] = entries(cost(costType));
    expect(judgeEntry(entry as RoundEntry, undefined, off, ALL)).toMatchObject({
      kind: "not_in_round",
      isGood: false,
    });
  }
  const [waiting] = entries(cost("cpi"));
  const { verdict } = judgeEntry(waiting as RoundEntry, undefined, off, ALL);
  expect(verdict).toMatchObject({ outcome: "store", match: null, mismatch: "cost_data_disabled" });
});

test("live engagements of an integrated cost type are not part of the round", () => {
  const round = {
    costTypes: ALL,
    highestUrlAmount: HIGHEST,
    urlCurrency: null,
    entries: [],
    engagements: [click({ costDataOn: true })],
    dismissed: new Map(),
    openedAt: START,
    complete: true,
  };
  const count = (liveTypes: CostType[]) => judgeRound({ ...round, liveTypes }).types[0]?.findings.length;
  expect([count(["cpc"]), count(["cpi"]), count(["cpm"]), count([])]).toEqual([0, 0, 1, 1]);
});

describe("an engagement without a cost, from a partner that is live for cpc,", () => {
  const OTHER = "another-cost-id";
  test.each<[string, RoundEngagement[], string[]]>([
    ["is skipped if cost data is on for its link", [click({ costDataOn: true })], []],
    ["is a finding if cost data is off for its link", [click({ costDataOn: false })], [ID]],
    [
      "is a finding if cost data is on only for the link of a click with another cost ID",
      [click({ costDataOn: false }), click({ costId: OTHER, costDataOn: true })],
      [ID],
    ],
    [
      "is a finding if cost data is on only for the link of the impression",
      [click({ costDataOn: false }), view({ costDataOn: true })],
      [ID],
    ],
  ])("%s", (_, engagements, expected) => {
    const { types } = judgeRound({
      costTypes: ["cpc"],
      liveTypes: ["cpc"],
      highestUrlAmount: HIGHEST,
      urlCurrency: null,
      entries: [],
      engagements,
      dismissed: new Map(),
      openedAt: START,
      complete: true,
    });
    expect(
      types.map(({ findings }) => findings.map(({ kind, state, costId }) => [kind, state, costId])),
    ).toEqual([expected.map((costId) => ["engagement_without_cost", "open", costId])]);
  });
});

test("an incomplete report passes only after an operator dismisses it", () => {
  const round = {
    costTypes: ["cpc" as const],
    liveTypes: [],
    highestUrlAmount: HIGHEST,
    urlCurrency: null,
    entries: entries(cost("cpc")),
    engagements: [click()],
    openedAt: START,
    complete: false,
  };
  const judged = (...dismissed: string[]) =>
    judgeRound({ ...round, dismissed: new Map(dismissed.map((key) => [key, null])) });
  expect([judged().passed, judged().types[0]?.passed, judged().others]).toMatchObject([
    false,
    true,
    [{ key: "report", kind: "incomplete", state: "open", at: START }],
  ]);
  expect([judged("report").passed, judged("report").complete]).toEqual([true, false]);
});

test("a cost more than seven days before its engagement is late, and the remedy is to resend it", () => {
  const early = entries(cost("cpc"));
  const { report } = judge(early, [click({ occurredAt: START + 8 * DAY })]);
  expect(report.types[0]?.findings[0]).toMatchObject({
    kind: "late",
    expected: "A cost sent at most seven days before the click or impression of 1972-10-05.",
    remedy: expect.stringContaining("Resend the cost"),
  });
  const again = { ...early[0], number: 2, receivedAt: START + 8 * DAY } as RoundEntry;
  expect(judge([...early, again], [click({ occurredAt: START + 8 * DAY })]).found).toEqual(["late resolved"]);
});

test("an error of the whole body is a sentence next to the errors of parameters", () => {
  const [entry] = entries(null);
  const errors = [
    { param: "body", message: "The body is too large." },
    { param: "cost_id", message: "is required" },
  ];
  const { report } = judge([{ ...entry, errors } as RoundEntry], []);
  const findings = [...report.types.flatMap((type) => type.findings), ...report.others];
  expect(findings.map(({ expected }) => expected)).toEqual(["The body is too large. cost_id is required."]);
});
