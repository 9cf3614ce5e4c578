import { beforeAll, describe, expect, it } from "vitest";
import { ask, click, DEMO, freshDemo, type ProblemBody, rejection, rows, sendCost } from "../harness.ts";

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
    ["a closing brace before an opening one", "}cost-id-0001{"],
    ["spaces within", "a cost id 01"],
    ["two letters in brackets within", "[abc]-123456-[x]"],
    ["zeros with an app", "00000000-0000-0000-0000-000000000000-com.app"],
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
    "acme_[CLICK_ID]",
    "__CALLBACK_PARAM__",
    "%257Bclick_id%257D",
    "%CLICK_ID_HERE%",
    "#CLICK_ID_HERE#",
  ])("is rejected as an unfilled macro, and the message says so: %s", async (cost_id) => {
    const message = "is an unfilled macro: send the value that the network puts in its place";
    expect(await messages(cost_id)).toEqual([400, [{ param: "cost_id", message }]]);
  });

  it.each([
    "00000000-0000-0000-0000-000000000000",
    "0".repeat(32),
    "undefined-undefined",
    "NULL_null_(none)",
    "null_00000000-0000-0000-0000-000000000000",
    "[object Object]",
  ])("is rejected as a placeholder, and the message says so: %s", async (cost_id) => {
    const message = expect.stringContaining("means no click or impression");
    expect(await messages(cost_id)).toEqual([400, [{ param: "cost_id", message }]]);
  });

  it("is named as a macro beside every other error", async () => {
    const { body } = await sendCost({ cost_id: "__CALLBACK_PARAM__", cost_currency: "x" });
    expect(body.errors?.map(({ param }) => param)).toEqual(["cost_currency", "cost_id"]);
  });

  it("that has a row from before is judged by that row, also if it is a macro now", async () => {
    await rows(
      "INSERT INTO ledger_entries (partner_id, cost_id, cost_type, currency, amount, tag, received_at) VALUES (1, '__CALLBACK_PARAM__', 'cpc', 'USD', 25000, 't', 1773576000000)",
    );
    const sent = { cost_id: "__CALLBACK_PARAM__", cost_amount: "0.25" };
    expect((await sendCost(sent)).body).toMatchObject({ status: "ok", duplicate: true });
    expect((await sendCost({ ...sent, cost_amount: "0.3" })).body.code).toBe("cost_id_conflict");
    const path = `/cost/${sent.cost_id}`;
    expect((await ask(path, { token: DEMO.costToken })).body).toMatchObject({ match: "pending" });
    expect((await ask(`${path}/void`, { token: DEMO.costToken, method: "POST" })).body).toMatchObject({
      match: "voided",
    });
  });

  it.each([
    ["12 spaces", " ".repeat(12)],
    ["12 no-break spaces", "\u00a0".repeat(12)],
    ["12 zero-width spaces", "\u200b".repeat(12)],
  ])("is rejected as empty, and the message says so: %s", async (_description, cost_id) => {
    expect(await messages(cost_id)).toEqual([400, [{ param: "cost_id", message: "must not be empty" }]]);
  });

  it.each([
    ["spaces", "  pad-00000001  "],
    ["a no-break space", "pad-00000001\u00a0"],
    ["a byte order mark and a line end", "\ufeffpad-00000001\r\n"],
    ["a zero-width space", "pad-00000001\u200b"],
  ])("is without what is invisible at its ends: %s", async (_description, cost_id) => {
    const { body } = await sendCost({ cost_id });
    expect(body).toMatchObject({ status: "ok", cost_id: "pad-00000001" });
    const path = `/cost/${encodeURIComponent(cost_id)}`;
    expect((await ask(path, { token: DEMO.costToken })).body).toMatchObject({ cost_id: "pad-00000001" });
    const voided = await ask(`${path}/void`, { token: DEMO.costToken, method: "POST" });
    expect(voided.body).toMatchObject({ cost_id: "pad-00000001", match: "voided" });
  });

  it("that is stored with a space is found as it was sent", async () => {
    await rows(
      "INSERT INTO ledger_entries (partner_id, cost_id, cost_type, currency, amount, tag, received_at) VALUES (1, 'pad-00000002 ', 'cpc', 'USD', 25000, 't', 1773576000000)",
    );
    const { body } = await ask(`/cost/${encodeURIComponent("pad-00000002 ")}`, { token: DEMO.costToken });
    expect(body).toMatchObject({ cost_id: "pad-00000002 ", match: "pending" });
    expect((await ask("/cost/pad-00000002", { token: DEMO.costToken })).status).toBe(404);
  });

  it("is rejected with an invisible character within", async () => {
    const message = "must not contain invisible characters";
    expect(await messages("pad-0000\u200b0001")).toEqual([400, [{ param: "cost_id", message }]]);
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
        [400, ["must not be empty"]],
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
    ["0.250000", "0.25"],
    ["1.0000000000", "1"],
    ["0.0000000", "0"],
    ["", null],
  ])("%s is accepted and returned as %s", async (cost_amount, exact) => {
    expect(await submit({ cost_amount })).toBe(exact);
  });

  it.each([
    ["1,234", "1234 if the comma separates thousands, 1.234 if it separates decimals"],
    ["12,500", "12500 if the comma separates thousands, 12.500 if it separates decimals"],
    ["1,234.50", "without thousands separators: 1234.50"],
    ["1,234,567", "without thousands separators: 1234567"],
    ["0,250", "use a point, not a comma"],
    ["1,5", "use a point, not a comma"],
  ])("%s is rejected with what it can mean", async (cost_amount, message) => {
    const { body } = await sendCost({ cost_id: newId(), cost_amount });
    expect(body.errors).toEqual([{ param: "cost_amount", message: expect.stringContaining(message) }]);
  });

  it.each<[string, (id: string) => Parameters<typeof ask>[1], string?]>([
    ["the query", () => ({}), "&cost_amount="],
    ["a form", () => ({ body: new URLSearchParams({ cost_amount: "" }) })],
    ["JSON", () => ({ json: { cost_amount: "" } })],
  ])(
    "that is empty is like none in %s: the price on the URL counts, or the cost is unpriced",
    async (_, how, more = "") => {
      const send = (id: string) =>
        ask<{ amount: string | null; match: string }>(
          `/cost?cost_type=cpc&cost_currency=USD&tag=t&cost_id=${id}${more}`,
          { method: "POST", token: DEMO.costToken, ...how(id) },
        );
      const [plain, priced] = [newId(), newId()];
      await click(priced, { query: "&cost_type=cpc&cost_currency=USD&cost_amount=0.3" });
      expect(await send(plain)).toMatchObject({ status: 200, body: { amount: null, match: "pending" } });
      expect(await send(priced)).toMatchObject({ status: 200, body: { amount: "0.3", match: "matched" } });
    },
  );

  it("can be given twice with the same meaning, and empty beside another one", async () => {
    const query = (amounts: string) =>
      `/cost?cost_type=cpc&cost_currency=USD&tag=t&cost_id=${newId()}&${amounts}`;
    const send = (amounts: string) =>
      ask<{ amount: string }>(query(amounts), { method: "POST", token: DEMO.costToken });
    expect((await send("cost_amount=&cost_amount=0.25&cost_amount=0.250000")).body.amount).toBe("0.25");
    expect((await send("cost_amount=0.25&cost_amount=")).body.amount).toBe("0.25");
    expect((await send("cost_amount=0.25&cost_amount=0.26")).status).toBe(400);
  });

  it.each([
    ...[
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
    ...["0.000001", "1.0000010", "1000000.00001", "1000001", "10000000", "9".repeat(400), "١", "1_000"],
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
