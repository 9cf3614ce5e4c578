import { beforeEach, describe, expect, it } from "vitest";
import {
  ask,
  type CostResult,
  call,
  click,
  DEMO,
  type ProblemBody,
  rejection,
  rows,
  sendCost,
} from "../harness.ts";
import { freshLedger, totals } from "../support.ts";

beforeEach(freshLedger);

const PARAMS = {
  cost_type: "cpc",
  cost_currency: "USD",
  cost_id: "demo-click-recent-0001",
  tag: "spring",
  cost_amount: "0.25",
};
const { tag: _tag, cost_amount: _amount, ...REST } = PARAMS;
const stored = (costId: string) =>
  rows("SELECT cost_type, currency, amount, tag FROM costs WHERE partner_id = 1 AND cost_id = ?", costId);

const post = (query: Record<string, string>, form?: Record<string, string> | string) =>
  ask<CostResult>(`/cost?${new URLSearchParams(query)}`, {
    method: "POST",
    token: DEMO.costToken,
    ...(form && {
      body: String(new URLSearchParams(form)),
      headers: { "content-type": "application/x-www-form-urlencoded" },
    }),
  });

describe("the parameters of a cost", () => {
  it.each([
    ["all in the query string", PARAMS, undefined],
    ["all in a form body", {}, PARAMS],
    ["some in each", REST, { tag: "spring", cost_amount: "0.25" }],
    ["all in both, with the same values", PARAMS, PARAMS],
  ])("are read: %s", async (_place, query, form) => {
    const { status, body, headers } = await post(query, form);
    expect(status).toBe(200);
    expect(headers.get("content-type")).toBe("application/json");
    expect(body).toEqual({
      status: "ok",
      cost_id: PARAMS.cost_id,
      match: "matched",
      duplicate: false,
      amount: "0.25",
      request_id: headers.get("x-request-id"),
    });
    expect(await stored(PARAMS.cost_id)).toEqual([
      { cost_type: "cpc", currency: "USD", amount: 25_000, tag: "spring" },
    ]);
  });

  it.each([
    ["the same text", "tag=spring"],
    ["the same amount with more zeros", "cost_amount=0.25000"],
    ["the same currency in lower case", "cost_currency=usd"],
    ["the same type in upper case", "cost_type=CPC"],
    ["every parameter", "cost_amount=0.250&cost_currency=Usd&cost_type=Cpc&tag=spring"],
  ])("may be repeated if they mean the same: %s", async (_what, again) => {
    const twice = `/cost?${new URLSearchParams(PARAMS)}&${again}`;
    expect((await call(twice, { method: "POST", token: DEMO.costToken })).status).toBe(200);
    const across = await ask<CostResult>(`/cost?${new URLSearchParams(PARAMS)}`, {
      token: DEMO.costToken,
      body: again,
      headers: { "content-type": "application/x-www-form-urlencoded" },
    });
    expect([across.status, across.body.duplicate]).toEqual([200, true]);
    expect(await stored(PARAMS.cost_id)).toMatchObject([
      { cost_type: "cpc", currency: "USD", amount: 25_000 },
    ]);
  });

  it("are rejected if repeated with another value, in the query string or across query string and form", async () => {
    const twice = `/cost?${new URLSearchParams(PARAMS)}&tag=SPRING&cost_amount=0.251&cost_id=demo-click-recent-0002&cost_amount=x`;
    const { status, body } = await ask<ProblemBody>(twice, { method: "POST", token: DEMO.costToken });
    expect([status, body.code]).toEqual([400, "invalid_request"]);
    expect(body.errors).toEqual(
      ["tag", "cost_amount", "cost_id"].map((param) => ({
        param,
        message: "is given twice with different values; send it once",
      })),
    );
    const across = await rejection(`/cost?${new URLSearchParams(PARAMS)}`, {
      token: DEMO.costToken,
      body: "cost_amount=0.26",
      headers: { "content-type": "application/x-www-form-urlencoded" },
    });
    expect(across).toEqual({ status: 400, code: "invalid_request", params: ["cost_amount"] });
    expect(await stored(PARAMS.cost_id)).toEqual([]);
  });

  it("have lowercase names: an uppercase name is an unknown parameter", async () => {
    const { cost_type, ...rest } = PARAMS;
    const query = new URLSearchParams({ ...rest, COST_TYPE: cost_type });
    expect(await rejection(`/cost?${query}`, { method: "POST", token: DEMO.costToken })).toEqual({
      status: 400,
      code: "invalid_request",
      params: ["cost_type"],
    });
    expect((await post({ ...PARAMS, TAG: "other", Cost_Amount: "9" })).body.amount).toBe("0.25");
  });

  it("may come with unknown parameters of any content", async () => {
    const query = `${new URLSearchParams(PARAMS)}&campaign=x&campaign=y&broken=%ED%A0%80&%FF=1&constructor=1`;
    const { status } = await ask(`/cost?${query}`, { method: "POST", token: DEMO.costToken });
    expect(status).toBe(200);
  });

  it("are accepted in any case for type and currency, and stored in one case", async () => {
    expect((await post({ ...PARAMS, cost_type: "CpC", cost_currency: "usd" })).status).toBe(200);
    expect(await stored(PARAMS.cost_id)).toMatchObject([{ cost_type: "cpc", currency: "USD" }]);
    const again = await post(PARAMS);
    expect(again.body.duplicate).toBe(true);
  });

  it("keep every character of an ID: escaped characters, plus signs, spaces and case", async () => {
    const costId = "Acme/ü+ 100%&=#😀";
    await click(costId);
    expect((await post({ ...PARAMS, cost_id: costId })).body).toMatchObject({
      cost_id: costId,
      match: "matched",
    });
    expect((await post({ ...PARAMS, cost_id: costId.toLowerCase() })).body.match).toBe("pending");
  });
});

describe("the body of a cost", () => {
  const query = `/cost?${new URLSearchParams(PARAMS)}`;

  it("may have a charset in its content type, and may be missing or empty", async () => {
    const form = await ask<CostResult>("/cost", {
      token: DEMO.costToken,
      body: String(new URLSearchParams(PARAMS)),
      headers: { "content-type": "application/x-www-form-urlencoded; charset=UTF-8" },
    });
    expect(form.status).toBe(200);
    const empty = await ask<CostResult>(query, {
      token: DEMO.costToken,
      body: "",
      headers: { "content-type": "application/json" },
    });
    expect(empty.body.duplicate).toBe(true);
  });

  it("is rejected with any other content type", async () => {
    const multipart = new FormData();
    multipart.set("tag", "spring");
    expect(await rejection("/cost", { token: DEMO.costToken, body: multipart })).toMatchObject({
      status: 415,
      code: "unsupported_media_type",
    });
  });

  it("is accepted at 64 KiB, and rejected one byte above", async () => {
    const send = (bytes: number) => {
      const form = `${new URLSearchParams(PARAMS)}&padding=`;
      return call("/cost", {
        token: DEMO.costToken,
        body: form.padEnd(bytes, "x"),
        headers: { "content-type": "application/x-www-form-urlencoded" },
      });
    };
    expect((await send(64 * 1024)).status).toBe(200);
    expect((await send(64 * 1024 + 1)).status).toBe(413);
  });

  it("is rejected if it is not UTF-8", async () => {
    const body = Uint8Array.from([0x74, 0x61, 0x67, 0x3d, 0xff]);
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    expect(await rejection(query, { token: DEMO.costToken, body, headers })).toMatchObject({
      status: 400,
      params: ["body"],
    });
  });
});

describe("other methods", () => {
  it.each(["PUT", "PATCH", "DELETE"])("%s returns 405 with the methods in Allow", async (method) => {
    const response = await call("/cost", { method, token: DEMO.costToken });
    expect([response.status, response.headers.get("allow")]).toEqual([405, "POST, GET, HEAD"]);
  });
});

describe("a cost that was sent before", () => {
  it("is a duplicate with the same values, and writes nothing", async () => {
    await sendCost(PARAMS);
    const before = await rows("SELECT * FROM costs JOIN daily_totals");
    const again = await sendCost({ ...PARAMS, tag: "another tag", cost_amount: "0.25000" });
    expect(again.body).toMatchObject({ status: "ok", match: "matched", duplicate: true, amount: "0.25" });
    expect(await rows("SELECT * FROM costs JOIN daily_totals")).toEqual(before);
  });

  it.each([
    [
      "amount",
      { cost_amount: "0.26" },
      ["cost_amount is 0.26, but an earlier call with this cost ID has 0.25."],
    ],
    [
      "currency",
      { cost_currency: "EUR" },
      ["cost_currency is EUR, but an earlier call with this cost ID has USD."],
    ],
    ["type", { cost_type: "cpi" }, ["cost_type is cpi, but an earlier call with this cost ID has cpc."]],
    [
      "type, currency and amount",
      { cost_type: "cpm", cost_currency: "JPY", cost_amount: "25" },
      [
        "cost_type is cpm, but an earlier call with this cost ID has cpc.",
        "cost_currency is JPY, but an earlier call with this cost ID has USD.",
        "cost_amount is 25, but an earlier call with this cost ID has 0.25.",
      ],
    ],
    [
      "currency and no amount",
      { cost_currency: "EUR", cost_amount: "" },
      ["cost_currency is EUR, but an earlier call with this cost ID has USD."],
    ],
  ])(
    "is a conflict with another %s, which the error names, and the stored cost does not change",
    async (_what, change, said) => {
      await sendCost(PARAMS);
      const before = await stored(PARAMS.cost_id);
      const sent = Object.entries({ ...PARAMS, ...change }).filter(([, value]) => value !== "");
      const { body } = await sendCost(Object.fromEntries(sent));
      expect(body).toMatchObject({ status: 400, code: "cost_id_conflict" });
      expect(body.errors?.map(({ param, message }) => `${param} ${message}.`)).toEqual(said);
      expect(body.detail).toBe(
        `${said.join(" ")} To correct the earlier cost, void it on its page at \`/partner/costs\` or with \`POST /cost/{cost_id}/void\`, then send the right values. For another click or impression, use another cost ID.`,
      );
      expect(await stored(PARAMS.cost_id)).toEqual(before);
    },
  );

  it("is a duplicate if it omits the stored amount", async () => {
    await sendCost(PARAMS);
    expect((await sendCost({ cost_id: PARAMS.cost_id })).body).toMatchObject({
      duplicate: true,
      amount: "0.25",
    });
  });

  it.each([20, 50])("is stored and counted once if it is sent %i times concurrently", async (times) => {
    const answers = await Promise.all(Array.from({ length: times }, () => sendCost(PARAMS)));
    expect(answers.map((answer) => answer.status)).toEqual(answers.map(() => 200));
    expect(answers.filter((answer) => !answer.body.duplicate)).toHaveLength(1);
    expect(await stored(PARAMS.cost_id)).toHaveLength(1);
    expect(await totals()).toEqual([{ state: "matched", count: 1, amount: 25_000 }]);
  });

  it("is accepted only once if two conflicting costs are sent concurrently", async () => {
    const answers = await Promise.all(["1", "2"].map((cost_amount) => sendCost({ ...PARAMS, cost_amount })));
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, 400]);
    const won = answers.find((answer) => answer.status === 200)?.body.amount;
    expect(await stored(PARAMS.cost_id)).toMatchObject([{ amount: Number(won) * 100_000 }]);
  });
});

describe("a cost without an amount", () => {
  it("is accepted as unpriced, counts in no spend, and is completed by one later call", async () => {
    const { cost_amount, ...unpriced } = PARAMS;
    expect((await sendCost(unpriced)).body).toMatchObject({
      match: "matched",
      duplicate: false,
      amount: null,
    });
    expect(await totals()).toEqual([{ state: "unpriced", count: 1, amount: 0 }]);
    expect((await sendCost(unpriced)).body).toMatchObject({ duplicate: true, amount: null });
    expect((await sendCost({ ...PARAMS, cost_currency: "EUR" })).body.code).toBe("cost_id_conflict");
    expect((await sendCost(PARAMS)).body).toMatchObject({
      match: "matched",
      duplicate: false,
      amount: cost_amount,
    });
    expect(await totals()).toEqual([{ state: "matched", count: 1, amount: 25_000 }]);
    expect((await sendCost({ ...PARAMS, cost_amount: "0.3" })).body.code).toBe("cost_id_conflict");
  });

  const url = (price: Record<string, string> = {}) =>
    `&${new URLSearchParams({ cost_type: "cpc", cost_currency: "USD", cost_amount: "0.4", ...price })}`;

  it("takes the price on the URL of its engagement, and stays open to one other amount", async () => {
    const cost_id = "url-amount-0001";
    await click(cost_id, { query: url() });
    expect((await sendCost({ cost_id })).body).toMatchObject({ match: "matched", amount: "0.4" });
    expect((await sendCost({ cost_id })).body).toMatchObject({ duplicate: true, amount: "0.4" });
    expect((await sendCost({ cost_id, cost_amount: "0.5" })).body).toMatchObject({
      duplicate: false,
      amount: "0.5",
    });
    expect((await sendCost({ cost_id, cost_amount: "0.4" })).body).toMatchObject({
      code: "cost_id_conflict",
      errors: [{ param: "cost_amount", message: "is 0.4, but an earlier call with this cost ID has 0.5" }],
    });
    expect(await totals()).toEqual([{ state: "matched", count: 1, amount: 50_000 }]);
  });

  it.each([
    ["in another currency", url({ cost_currency: "EUR" })],
    ["of another type", url({ cost_type: "cpi" })],
    ["without a currency", "&cost_type=cpc&cost_amount=0.4"],
    ["above the limit of the partner", url({ cost_amount: "10000.00001" })],
  ])("takes no price %s", async (_what, query) => {
    const cost_id = "url-amount-0002";
    await click(cost_id, { query });
    expect((await sendCost({ cost_id })).body).toMatchObject({ match: "matched", amount: null });
    expect(await totals()).toEqual([{ state: "unpriced", count: 1, amount: 0 }]);
  });

  it("takes no price when the call has an amount", async () => {
    await click("url-amount-0004", { query: url() });
    expect((await sendCost({ cost_id: "url-amount-0004", cost_amount: "0.9" })).body.amount).toBe("0.9");
  });
});
