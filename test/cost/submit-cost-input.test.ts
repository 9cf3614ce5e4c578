import { beforeAll, describe, expect, it } from "vitest";
import { ask, DEMO, freshDemo, type ProblemBody, rejection, rows, sendCost } from "../harness.ts";

beforeAll(freshDemo);

let sent = 0;
/** Each accepted cost needs a new ID. */
const newId = () => `fresh-cost-${String(++sent).padStart(4, "0")}`;

const submit = async (params: Record<string, string>) => {
  const { status, body } = await sendCost({ cost_id: newId(), cost_amount: "1", ...params });
  return status === 200
    ? body.amount
    : { status, code: body.code, params: body.errors?.map(({ param }) => param) };
};
const rejected = (...params: string[]) => ({ status: 400, code: "invalid_request", params });

describe("cost_id", () => {
  it.each([
    ["12 characters", "twelve-chars"],
    ["256 characters", "x".repeat(256)],
    ["12 emoji, which are 24 UTF-16 units", "😀".repeat(12)],
    ["256 emoji, which are 512 UTF-16 units", "😀".repeat(256)],
    ["a part in brackets", "click-[1]-0001"],
    ["brackets that do not match", "[cost-id-0001}"],
    ["one percent sign at each end", "%COST_ID_0001%"],
    ["a closing brace before an opening one", "}cost-id-0001{"],
    ["spaces around characters", "  cost id 1  "],
  ])("is accepted: %s", async (_description, cost_id) => {
    expect(await submit({ cost_id })).toBe("1");
  });

  it.each([
    ["empty", ""],
    ["11 characters", "eleven-char"],
    ["257 characters", "x".repeat(257)],
    ["11 emoji, which are 22 UTF-16 units", "😀".repeat(11)],
    ["257 emoji", "😀".repeat(257)],
    ["a NUL", "twelve-chars\0"],
    ["a newline", "twelve\nchars"],
    ["a C1 control character", "twelve-chars\u0085"],
  ])("is rejected: %s", async (_description, cost_id) => {
    expect(await submit({ cost_id })).toEqual(rejected("cost_id"));
  });

  const messages = async (cost_id: string) => {
    const { status, body } = await sendCost({ cost_id });
    return [status, body.errors];
  };

  it.each([
    "{cost_id_here}",
    "click-{cost_id}",
    "click-{cost_id}-0001",
    "click-{}-000001",
    "{{click_id}}-0001",
    "{0b6f5b0e-6f0c-4a4e-9c0e-2f2f3f0a7c11}",
    "%%COST_ID_HERE%%",
    "click-%%ID%%-0001",
    "[cost_id_here]",
  ])("is rejected as an unfilled macro, and the message says so: %s", async (cost_id) => {
    const message = "is an unfilled macro: send the value that the network puts in its place";
    expect(await messages(cost_id)).toEqual([400, [{ param: "cost_id", message }]]);
  });

  it.each([
    ["12 spaces", " ".repeat(12)],
    ["12 no-break spaces", "\u00a0".repeat(12)],
  ])("is rejected as blank, and the message says so: %s", async (_description, cost_id) => {
    expect(await messages(cost_id)).toEqual([400, [{ param: "cost_id", message: "must not be blank" }]]);
  });

  it("is rejected in a batch for the same reasons", async () => {
    const item = { cost_type: "cpc", cost_currency: "USD", tag: "t" };
    const costs = ["{cost_id_here}", " ".repeat(12)].map((cost_id) => ({ ...item, cost_id }));
    const { body } = await ask<{ results: ProblemBody[] }>("/cost/batch", {
      token: DEMO.costToken,
      json: { costs },
    });
    expect(body.results.map(({ status, errors }) => [status, errors?.map(({ message }) => message)])).toEqual(
      [
        [400, [expect.stringContaining("macro")]],
        [400, ["must not be blank"]],
      ],
    );
  });

  it.each([
    ["a lone surrogate", "%ED%A0%80"],
    ["a byte that is not UTF-8", "%FF"],
    ["a cut-off sequence", "%E2%82"],
    ["an overlong sequence", "%C0%AF"],
  ])("is rejected: %s, percent-encoded, in the query string and in a form", async (_description, bytes) => {
    const pairs = `cost_type=cpc&cost_currency=USD&tag=t&cost_id=twelve-chars${bytes}`;
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    for (const request of [
      rejection(`/cost?${pairs}`, { method: "POST", token: DEMO.costToken }),
      rejection("/cost", { token: DEMO.costToken, body: pairs, headers }),
    ]) {
      expect(await request).toEqual(rejected("cost_id"));
    }
  });
});

describe("tag", () => {
  it.each([1, 128])("is accepted with %i characters", async (length) => {
    expect(await submit({ tag: "😀".repeat(length) })).toBe("1");
  });
  it.each([0, 129])("is rejected with %i characters", async (length) => {
    expect(await submit({ tag: "😀".repeat(length) })).toEqual(rejected("tag"));
  });
});

describe("cost_amount", () => {
  it.each([
    ["0", "0"],
    ["0.0", "0"],
    ["0.00001", "0.00001"],
    ["0.10000", "0.1"],
    ["12.34567", "12.34567"],
    ["999999.99999", "999999.99999"],
    ["1000000", "1000000"],
    ["1000000.00000", "1000000"],
  ])("%s is accepted and returned as %s", async (cost_amount, exact) => {
    expect(await submit({ cost_amount })).toBe(exact);
  });

  it.each([
    ...[
      "",
      " ",
      "-1",
      "+1",
      "-0",
      "1e3",
      "1E3",
      "1,5",
      "NaN",
      "Infinity",
      "0x10",
      "007",
      "00",
      "00.5",
      ".5",
      "1.",
      "1 ",
    ],
    ...["0.000001", "1.0000000", "1000000.00001", "1000001", "10000000", "9".repeat(400), "١", "1_000"],
  ])("%j is rejected", async (cost_amount) => {
    expect(await submit({ cost_amount })).toEqual(rejected("cost_amount"));
  });
});

describe("cost_type and cost_currency", () => {
  it.each(["cpc", "cpi", "cpe", "cpm", "CPC"])("type %s is accepted", async (cost_type) => {
    expect(await submit({ cost_type })).toBe("1");
  });
  it.each(["", "cpa", "cpc ", "click", "ＣＰＣ"])("type %j is rejected", async (cost_type) => {
    expect(await submit({ cost_type })).toEqual(rejected("cost_type"));
  });
  it.each(["USD", "usd", "Eur", "JPY", "KWD", "SLE", "XCG"])(
    "currency %s is accepted",
    async (cost_currency) => {
      expect(await submit({ cost_currency })).toBe("1");
    },
  );
  it.each(["", "ZZZ", "US", "USDT", "U$D", "uſd", "USD "])(
    "currency %j is rejected",
    async (cost_currency) => {
      expect(await submit({ cost_currency })).toEqual(rejected("cost_currency"));
    },
  );
});

describe("a rejected cost", () => {
  it("gets an error for every missing required parameter, and none for a missing amount", async () => {
    const { status, code, params } = await rejection("/cost", { method: "POST", token: DEMO.costToken });
    expect({ status, code, params: params.sort() }).toEqual(
      rejected("cost_currency", "cost_id", "cost_type", "tag"),
    );
  });

  it("gets one response with every invalid parameter, including repeats and bad encoding", async () => {
    const query =
      "cost_type=cpa&cost_currency=ZZZ&cost_id=short&tag=&cost_amount=-1&cost_amount=1e3&cost_currency=%FF";
    const { body } = await ask<ProblemBody>(`/cost?${query}`, { method: "POST", token: DEMO.costToken });
    const found = new Set(body.errors?.map((error) => error.param));
    expect([...found].sort()).toEqual(["cost_amount", "cost_currency", "cost_id", "cost_type", "tag"]);
    for (const { message } of body.errors ?? []) expect(message).not.toBe("");
    for (const param of found) expect(body.detail).toContain(param);
  });

  it("is not stored", async () => {
    const before = await rows("SELECT count(*) AS n FROM costs");
    await sendCost({ cost_id: newId(), cost_amount: "-1" });
    expect(await rows("SELECT count(*) AS n FROM costs")).toEqual(before);
  });
});
