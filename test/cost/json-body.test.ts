/** `POST /cost` with JSON, what a GET with the parameters of a cost says, and bodies that are compressed. */
import { gzipSync } from "node:zlib";
import { beforeEach, describe, expect, it } from "vitest";
import { parseJson } from "../../src/http/input/json.ts";
import { ask, call, DEMO, freshDemo, type ProblemBody } from "../harness.ts";

beforeEach(freshDemo);

const cost = { cost_type: "cpc", cost_currency: "USD", cost_id: "json-cost-00001", tag: "t" };
const send = (body: string, headers: Record<string, string> = {}, query = "") =>
  ask<ProblemBody & { amount: string | null }>(`/cost${query}`, {
    method: "POST",
    token: DEMO.costToken,
    body,
    headers: { "content-type": "application/json", ...headers },
  });
const withAmount = (amount: string) => JSON.stringify(cost).replace("}", `,"cost_amount":${amount}}`);

describe("a cost as JSON", () => {
  it.each([
    ['"0.25"', "0.25"],
    ["0.250000", "0.25"],
    ["1", "1"],
    ["1000000.00", "1000000"],
    ["null", null],
    ['""', null],
  ])("takes the amount %s", async (amount, stored) => {
    expect((await send(withAmount(amount))).body).toMatchObject({ status: "ok", amount: stored });
  });

  it.each(["1e2", "1E-5", "-0.1", "0.0000011", "true", "[1]", "12345678901234567890"])(
    "rejects the amount %s",
    async (amount) => {
      const { status, body } = await send(withAmount(amount));
      expect([status, body.errors?.map(({ param }) => param)]).toEqual([400, ["cost_amount"]]);
    },
  );

  it("names every error, one for each parameter, and a name that is given twice", async () => {
    const { body } = await send('{"tag":"a","t\\u0061g":"b","cost_type":1,"cost_id":"json-cost-00001"}');
    expect(body.errors).toEqual([
      { param: "tag", message: "is given twice; send it once" },
      { param: "cost_type", message: "must be a string" },
      { param: "cost_currency", message: "is required" },
    ]);
    const number = JSON.stringify({ ...cost, cost_id: 123 });
    expect((await send(number)).body.detail).toBe("cost_id must be a string.");
  });

  it("must agree with the query", async () => {
    expect((await send(withAmount("0.25"), {}, "?cost_amount=0.250&cost_type=CPC")).status).toBe(200);
    expect((await send(withAmount("0.25"), {}, "?cost_amount=0.26")).body.errors).toEqual([
      { param: "cost_amount", message: "is given twice with different values; send it once" },
    ]);
  });

  it.each(["", "[]", "1", "null", '"x"', "{", "{'a':1}"])("that is %j is rejected", async (body) => {
    expect((await send(body)).status).toBe(400);
  });

  it("must be in UTF-8", async () => {
    const headers = { "content-type": "application/json; charset=iso-8859-1" };
    expect((await send(JSON.stringify(cost), headers)).status).toBe(415);
  });

  it("is read in a batch in the same way", async () => {
    const items = [withAmount("0.250000"), withAmount("1e2").replace("00001", "00002")];
    const { body } = await ask<{ results: { status: unknown; amount?: string }[] }>("/cost/batch", {
      method: "POST",
      token: DEMO.costToken,
      body: `{"costs":[${items.join()}]}`,
      headers: { "content-type": "application/json" },
    });
    expect(body.results).toMatchObject([{ status: "ok", amount: "0.25" }, { status: 400 }]);
  });
});

describe("a number with a name", () => {
  it.each([
    ['{"n" : -1.50e+2 ,"m":1.50}', { n: "-1.50e+2", m: 1.5 }],
    ['[{"n":0.10},{"n":"0.10"}]', [{ n: "0.10" }, { n: "0.10" }]],
    ['{"n":[1.50,{"m":2.0}],"o":{"n":3.0}}', { n: [1.5, { m: 2 }], o: { n: "3.0" } }],
    ['{"\\u006e":1.0,"o":"n","p":[2.0]}', { n: "1.0", o: "n", p: [2] }],
  ])("is its text: %s", (text, value) => {
    expect(parseJson(text, "n")?.value).toEqual(value);
  });
});

describe("an object with a name twice", () => {
  it.each([
    ['{"a":1,"a":1}', ["a"]],
    ['{"a":{"b":1},"b":{"b":1}}', []],
    ['{"a":[{"b":1},{"b":1,"c":2,"b":3}]}', ["a.1.b"]],
    ['{"a":"\\"a\\":1,\\"a\\"","b":1}', []],
    ['{"a\\\\":1,"a\\\\":2}', ["a\\"]],
    ['{"a":"\\\\","b":"\\\\\\"","a":1}', ["a"]],
    ['[{"x":{}},{"x":[]}]', []],
  ])("%s has %j", (text, repeated) => {
    expect(parseJson(text)?.repeated).toEqual(repeated);
  });

  it("is rejected by the campaign API", async () => {
    const { status, body } = await ask<ProblemBody>(`/public/v1/apps/${DEMO.appToken}/trackers`, {
      method: "POST",
      token: DEMO.apiToken,
      body: '{"name":"one","name":"two"}',
      headers: { "content-type": "application/json" },
    });
    expect([status, body.errors]).toEqual([
      400,
      [{ param: "name", message: "is given twice; send it once" }],
    ]);
  });
});

describe("a compressed body", () => {
  const compressed = (
    text: string | Uint8Array,
    type: string,
    { path = "/cost", coding = "gzip", chunked = false } = {},
  ) => {
    const body = typeof text === "string" ? gzipSync(text) : text;
    const token = path.startsWith("/public") ? DEMO.apiToken : DEMO.costToken;
    return call(path, {
      method: "POST",
      token,
      headers: { "content-type": type, "content-encoding": coding },
      body: chunked ? new Blob([body]).stream() : body,
    });
  };
  const form = new URLSearchParams(cost).toString();
  const FORM = "application/x-www-form-urlencoded";

  it("is decoded: forms, JSON and CSV, of the cost API and of the campaign API", async () => {
    expect((await compressed(form, FORM)).status).toBe(200);
    expect((await compressed(JSON.stringify(cost), "application/json", { coding: "x-gzip" })).status).toBe(
      200,
    );
    expect((await compressed(form, FORM, { chunked: true })).status).toBe(200);
    const csv = `cost_type,cost_currency,cost_id,tag\ncpc,USD,csv-gzip-00001,t`;
    expect((await compressed(csv, "text/csv", { path: "/cost/batch" })).status).toBe(200);
    const links = `/public/v1/apps/${DEMO.appToken}/trackers`;
    expect((await compressed('{"name":"Gzip"}', "application/json", { path: links })).status).toBe(201);
  });

  it("is limited by what it decodes to, and by what is sent", async () => {
    expect((await compressed("x".repeat(64 * 1024 + 1), FORM)).status).toBe(413);
    expect((await compressed(new Uint8Array(64 * 1024 + 1), FORM)).status).toBe(413);
  });

  it("that is not one complete member is rejected", async () => {
    const whole = gzipSync(form);
    for (const broken of [
      whole.subarray(0, -4),
      Buffer.concat([whole, Buffer.from("x")]),
      Buffer.concat([whole, whole]),
      Buffer.from(form),
    ])
      expect((await compressed(broken, FORM)).status).toBe(400);
  });

  it.each(["br", "deflate", "zstd", "gzip, gzip"])(
    "with the coding %s is 415, which names it",
    async (coding) => {
      const response = await compressed(form, FORM, { coding });
      expect([response.status, response.headers.get("accept-encoding")]).toEqual([415, "gzip"]);
      expect((await response.json<ProblemBody>()).detail).toContain(coding);
    },
  );
});

it("tells who sends a cost with GET to use POST", async () => {
  const query = new URLSearchParams({ ...cost, cost_amount: "1" });
  const { status, body } = await ask<ProblemBody>(`/cost?${query}&x=1`, { token: DEMO.costToken });
  expect(status).toBe(400);
  expect(body.errors?.filter(({ message }) => message.includes("send it with POST"))).toHaveLength(5);
  expect(body.errors).toContainEqual({ param: "x", message: "is not a known parameter; remove it" });
});

it.each([
  ["GET", "/public/v2/partners", 404, "Use GET /public/v1/partners."],
  [
    "POST",
    `/public/v2/apps/${DEMO.appToken}/trackers`,
    405,
    "Use POST /public/v1/apps/{app_token}/trackers.",
  ],
  [
    "PATCH",
    `/public/v2/apps/${DEMO.appToken}/trackers/${DEMO.linkToken}/`,
    404,
    "Use PATCH /public/v1/apps/",
  ],
  ["GET", "/public/v2/nothing", 404, "The paths are at `/docs`."],
])("%s %s is %i, which says: %s", async (method, path, expected, text) => {
  const { status, body } = await ask<ProblemBody>(path, { method, token: DEMO.apiToken });
  expect([status, body.detail]).toEqual([expected, expect.stringContaining(text)]);
});
