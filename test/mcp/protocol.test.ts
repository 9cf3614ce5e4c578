/** The messages of the protocol: what discovery says, and what a malformed message gets. */
import { beforeAll, describe, expect, it } from "vitest";
import { call, DEMO, freshDemo, ORIGIN } from "../harness.ts";
import { headersFor, META_OF, post, REVISION, rpc } from "./support.ts";

beforeAll(freshDemo);

const request = (method: string, more: Record<string, unknown> = {}) => ({
  ...{ jsonrpc: "2.0", id: "a", method },
  params: { _meta: META_OF, ...more },
});
const PROTOCOL = "io.modelcontextprotocol/protocolVersion";

it("says its versions, capabilities and name, and how long clients may keep that", async () => {
  const { status, headers, body } = await rpc("server/discover");
  expect(status).toBe(200);
  expect(headers.get("content-type")).toBe("application/json");
  expect(headers.get("cache-control")).toBe("no-store");
  expect(body).toMatchObject({ jsonrpc: "2.0", id: 1 });
  expect(body.result).toMatchObject({
    resultType: "complete",
    supportedVersions: [REVISION, "2025-11-25", "2025-06-18", "2025-03-26"],
    capabilities: { tools: {} },
    ttlMs: 300_000,
    cacheScope: "private",
    _meta: { "io.modelcontextprotocol/serverInfo": { name: "linkledger" } },
  });
  expect((await rpc("tools/list")).body.result).toMatchObject({ ttlMs: 300_000, cacheScope: "private" });
});

describe("a message", () => {
  const list = headersFor("tools/list");
  const callOf = (name: unknown) => request("tools/call", { name, arguments: {} });
  const cases: [string, unknown, Record<string, string>, number, number][] = [
    [
      "with another version in the header",
      request("tools/list"),
      { ...list, "mcp-protocol-version": "2025-11-25" },
      400,
      -32020,
    ],
    ["without the header of the version", request("tools/list"), { "mcp-method": "tools/list" }, 400, -32020],
    [
      "without the header of the method",
      request("tools/list"),
      { "mcp-protocol-version": REVISION },
      400,
      -32020,
    ],
    ["with another method in the header", request("tools/list"), headersFor("tools/call"), 400, -32020],
    ["with the method in capitals", request("tools/list"), headersFor("TOOLS/LIST"), 400, -32020],
    ["without the header of the name", callOf("list_apps"), headersFor("tools/call"), 400, -32020],
    [
      "with another name in the header",
      callOf("list_apps"),
      headersFor("tools/call", "performance"),
      400,
      -32020,
    ],
    [
      "with a name that is no Base64",
      callOf("list_apps"),
      headersFor("tools/call", "=?base64?%?="),
      400,
      -32020,
    ],
    ["without a name", callOf(undefined), headersFor("tools/call", "x"), 400, -32020],
    [
      "of an unknown version",
      { ...request("tools/list"), params: { _meta: { ...META_OF, [PROTOCOL]: "1" } } },
      { ...list, "mcp-protocol-version": "1" },
      400,
      -32022,
    ],
    ["without _meta", { ...request("tools/list"), params: {} }, list, 400, -32602],
    [
      "without capabilities",
      { ...request("tools/list"), params: { _meta: { [PROTOCOL]: REVISION } } },
      list,
      400,
      -32602,
    ],
    ["with a cursor of no list", request("tools/list", { cursor: "x" }), list, 400, -32602],
    ["for an unknown tool", callOf("drop_links"), headersFor("tools/call", "drop_links"), 400, -32602],
    ["for a tool of Object", callOf("constructor"), headersFor("tools/call", "constructor"), 400, -32602],
    [
      "with arguments as a list",
      request("tools/call", { name: "list_apps", arguments: [] }),
      headersFor("tools/call", "list_apps"),
      400,
      -32602,
    ],
    ["with an unknown method", request("resources/list"), headersFor("resources/list"), 404, -32601],
    ["with a removed method", request("initialize"), headersFor("initialize"), 404, -32601],
    ["as a list", [request("tools/list")], list, 400, -32600],
    ["without a version of JSON-RPC", { ...request("tools/list"), jsonrpc: "1.0" }, list, 400, -32600],
    ["with null as its ID", { ...request("tools/list"), id: null }, list, 400, -32600],
    ["that is a response", { jsonrpc: "2.0", id: 1, result: {} }, list, 400, -32600],
    ["with params as a list", { ...request("tools/list"), params: [] }, list, 400, -32602],
  ];
  it.each(cases)("%s is rejected", async (_, json, headers, status, code) => {
    const { body, ...sent } = await post(json, { headers });
    expect({ status: sent.status, code: body.error?.code }).toEqual({ status, code });
    const id = (json as { id?: unknown }).id;
    expect(body.id).toBe(typeof id === "string" || typeof id === "number" ? id : undefined);
  });

  it("of an unknown version gets the versions that are known", async () => {
    const params = { _meta: { ...META_OF, [PROTOCOL]: "1900-01-01" } };
    const { body } = await post(
      { ...request("tools/list"), params },
      { headers: { ...list, "mcp-protocol-version": "1900-01-01" } },
    );
    expect(body.error?.data).toEqual({
      supported: [REVISION, "2025-11-25", "2025-06-18", "2025-03-26"],
      requested: "1900-01-01",
    });
  });

  it("can have the name of the tool in Base64", async () => {
    const headers = headersFor("tools/call", `=?base64?${btoa("list_apps")}?=`);
    expect((await post(callOf("list_apps"), { headers })).status).toBe(200);
  });

  it.each([
    ["no JSON", "{", -32700],
    ["nothing", "", -32700],
    ["a name twice", '{"jsonrpc":"2.0","id":1,"method":"tools/list","method":"tools/call"}', -32600],
  ])("that is %s is rejected", async (_, body, code) => {
    const headers = { ...list, "content-type": "application/json" };
    const response = await call("/mcp", { token: DEMO.apiToken, method: "POST", body, headers });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ jsonrpc: "2.0", error: { code } });
  });

  it("can have at most 64 KiB, as JSON", async () => {
    const large = await post({ ...request("tools/list"), padding: "x".repeat(64 * 1024) }, { headers: list });
    expect({ status: large.status, code: large.body.code }).toEqual({
      status: 413,
      code: "payload_too_large",
    });
    const headers = { ...list, "content-type": "text/plain" };
    const response = await call("/mcp", { token: DEMO.apiToken, method: "POST", body: "{}", headers });
    expect(response.status).toBe(415);
  });

  it("from another site is rejected", async () => {
    for (const origin of ["https://evil.example.com", "null", "http://linkledger.test"]) {
      const { status, body } = await rpc("tools/list", {}, { headers: { origin } });
      expect({ status, code: body.code }, origin).toEqual({ status: 403, code: "cross_site" });
    }
    expect((await rpc("tools/list", {}, { headers: { origin: ORIGIN } })).status).toBe(200);
  });

  it("without an ID is accepted and gets no answer", async () => {
    for (const headers of [{}, headersFor("notifications/cancelled")]) {
      const { status, body } = await post(
        { jsonrpc: "2.0", method: "notifications/initialized" },
        { headers },
      );
      expect({ status, body }).toEqual({ status: 202, body: {} });
    }
  });
});

it("has no GET and no DELETE", async () => {
  for (const method of ["GET", "DELETE"]) {
    const response = await call("/mcp", { method, token: DEMO.apiToken });
    expect({ status: response.status, allow: response.headers.get("allow") }).toEqual({
      status: 405,
      allow: "POST",
    });
  }
});

describe("an older client", () => {
  const older = (method: string, params: object = {}) => ({ jsonrpc: "2.0", id: 7, method, params });
  const headers = { "mcp-protocol-version": "2025-06-18" };

  it.each([
    ["2025-03-26", "2025-03-26"],
    ["2025-06-18", "2025-06-18"],
    ["2025-11-25", "2025-11-25"],
    ["2024-11-05", "2025-11-25"],
  ])("that offers %s gets %s, and no session", async (protocolVersion, agreed) => {
    const { status, headers, body } = await post(older("initialize", { protocolVersion, capabilities: {} }));
    expect(status).toBe(200);
    expect(headers.has("mcp-session-id")).toBe(false);
    expect(body).toMatchObject({
      id: 7,
      result: { protocolVersion: agreed, capabilities: { tools: {} }, serverInfo: { name: "linkledger" } },
    });
  });

  it("lists and calls tools", async () => {
    expect((await post(older("ping"), { headers })).body).toMatchObject({ id: 7, result: {} });
    const listed = await post(older("tools/list"), { headers });
    expect(listed.body.result?.tools).toHaveLength(5);
    const called = await post(older("tools/call", { name: "list_apps" }), { headers });
    expect(called.body.result).toMatchObject({
      structuredContent: { data: { items: [{ token: DEMO.appToken }] } },
    });
  });

  it("gets errors with the status 200", async () => {
    for (const method of ["resources/list", "server/discover"]) {
      const { status, body } = await post(older(method), { headers });
      expect({ status, code: body.error?.code }).toEqual({ status: 200, code: -32601 });
    }
  });
});
