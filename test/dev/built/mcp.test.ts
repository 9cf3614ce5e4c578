/**
 * `/mcp` of the built Worker with the official client, and with the official conformance suite. The suite sends no credentials, so a
 * proxy adds a token to its requests.
 */
import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createServer, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, expect, test } from "vitest";
import { DEMO } from "../../../src/dev/demo.ts";
import { ROOT } from "../run.ts";
import { type FaultyWorker, startFaulty } from "./faulty.ts";

const REVISION = "2026-07-28";
let server: FaultyWorker;
let proxy: Server;

beforeAll(async () => {
  server = await startFaulty({ name: "mcp" });
  proxy = createServer((incoming, outgoing) => {
    const { method, url, headers } = incoming;
    const sent = request(`${server.url}${url}`, {
      ...(method && { method }),
      // The Worker sees the host that the suite asked for, which the suite compares with the Origin.
      headers: { ...headers, authorization: `Bearer ${DEMO.apiToken}` },
    });
    sent.on("response", (response) => {
      outgoing.writeHead(response.statusCode ?? 500, response.headers);
      response.pipe(outgoing);
    });
    sent.on("error", () => outgoing.destroy());
    incoming.pipe(sent);
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
});
afterAll(async () => {
  proxy.close();
  await server.stop();
});

const same = (body: unknown) =>
  JSON.parse(JSON.stringify(body, (name, value) => (/^(request_id|timestamp)$/.test(name) ? "" : value)));
const authorization = { authorization: `Bearer ${DEMO.apiToken}` };
const api = async (path: string) =>
  same(await (await fetch(`${server.url}/public/v1/apps/${path}`, { headers: authorization })).json());

async function connect(pinned?: string) {
  const client = new Client(
    { name: "test", version: "1" },
    pinned ? { versionNegotiation: { mode: { pin: pinned } } } : {},
  );
  const requestInit = { headers: authorization };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), { requestInit }));
  return client;
}

test.each([
  ["the revision", REVISION],
  ["a revision with a handshake", undefined],
])(
  "the official client of %s finds the campaign with the highest cost per click, whether it rises, and why",
  async (_, pinned) => {
    const client = await connect(pinned);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      ...["list_apps", "search_links", "performance", "what_changed", "partner_status"],
    ]);
    const read = async (name: string, args: Record<string, unknown>) => {
      const { isError, structuredContent } = await client.callTool({ name, arguments: args });
      expect(isError ?? false, JSON.stringify(structuredContent)).toBe(false);
      return same(structuredContent);
    };
    const apps = await read("list_apps", {});
    const app_token: string = apps.data.items[0].token;
    expect(app_token).toBe(DEMO.appToken);
    const byLink = { app_token, group_by: "link", level: 2, sort: "-cost_per_click" };
    const performance = await read("performance", byLink);
    const { items } = performance.data;
    expect(performance).toEqual(
      await api(`${app_token}/performance?group_by=link&level=2&sort=-cost_per_click`),
    );
    expect(Number(items[0].cost_per_click)).toBeGreaterThan(0);
    expect(Number(items[0].cost_per_click)).toBeGreaterThanOrEqual(Number(items[1].cost_per_click));
    expect(items[0].previous).toHaveProperty("cost_per_click");
    const changed = await read("what_changed", { app_token });
    expect(changed).toEqual(await api(`${app_token}/performance/changes`));
    expect(changed.data.items[0]).toMatchObject({ change: expect.any(String), volume: expect.any(String) });

    const rejected = await client.callTool({ name: "find_cost", arguments: { id: 1, cost_id: "x" } });
    expect(rejected).toMatchObject({ isError: true, structuredContent: { code: "operator_required" } });
    await expect(client.callTool({ name: "drop_links", arguments: {} })).rejects.toThrow("Unknown tool");
    await client.close();
  },
);

/** Scenarios that do not apply, because they are about what this server does not have. Each fails or warns; none is about `/mcp`. */
const NOT_APPLICABLE: Record<string, string[]> = {
  "it has no completion": ["completion-complete"],
  "it has no resources": [
    ...["resources-list", "resources-read-binary", "resources-read-text", "resources-templates-read"],
    "sep-2164-resource-not-found",
  ],
  "it has no prompts": [
    ...["prompts-get-embedded-resource", "prompts-get-simple", "prompts-get-with-args"],
    ...["prompts-get-with-image", "prompts-list", "input-required-result-non-tool-request"],
  ],
  "it has no tool that mirrors arguments in headers": ["http-custom-header-server-validation"],
  "it has not the tools of a test server": [
    ...["tools-call-audio", "tools-call-embedded-resource", "tools-call-error", "tools-call-image"],
    ...[
      "tools-call-mixed-content",
      "tools-call-simple-text",
      "tools-call-with-progress",
      "json-schema-2020-12",
    ],
  ],
  "no tool asks for input": [
    ...["basic-elicitation", "basic-list-roots", "basic-sampling", "capability-check", "ignore-extra-params"],
    ...["missing-input-response", "multi-round", "multiple-input-requests", "request-state", "result-type"],
    "tampered-state",
  ].map((name) => `input-required-result-${name}`),
};
/** Checks of the other scenarios that do not apply, for the same reasons. */
const UNTESTABLE: Record<string, string[]> = {
  caching: ["prompts-list", "resources-list", "resources-templates-list"].map(
    (name) => `sep-2549-${name}-caching-hints`,
  ),
  "server-stateless": [
    ...["server-rejects-undeclared-capability", "missing-capability-http-400"],
    ...["http-server-no-independent-requests-on-stream", "server-no-log-without-loglevel"],
  ].map((name) => `sep-2575-${name}`),
};
const PASSED = [
  ...["caching", "dns-rebinding-protection", "http-header-validation"],
  ...["input-required-result-unsupported-methods", "input-required-result-validate-input"],
  ...["server-sse-multiple-streams", "server-stateless", "tools-list"],
];

interface Check {
  id: string;
  status: string;
}

/** What the suite finds: the checks of each scenario. */
async function conform(): Promise<Map<string, Check[]>> {
  const { port } = proxy.address() as AddressInfo;
  const cli = join(ROOT, "node_modules/@modelcontextprotocol/conformance/dist/index.js");
  const results = mkdtempSync(join(tmpdir(), "linkledger-conformance-"));
  const args = [
    "server",
    "--url",
    `http://localhost:${port}/mcp`,
    "--suite",
    "all",
    "--spec-version",
    REVISION,
  ];
  const child = spawn(process.execPath, [cli, ...args, "--output-dir", results], {
    cwd: ROOT,
    stdio: "ignore",
  });
  await new Promise((resolve) => child.on("close", resolve));
  const found = readdirSync(results).map((folder): [string, Check[]] => [
    folder.replace(/^server-|-\d{4}-\d\d-\d\dT[\d-]+Z$/g, ""),
    JSON.parse(readFileSync(join(results, folder, "checks.json"), "utf8")),
  ]);
  rmSync(results, { recursive: true });
  return new Map(found);
}

test("the conformance suite passes, apart from what is about things that this server does not have", async () => {
  const found = await conform();
  const expected = [...PASSED, ...Object.values(NOT_APPLICABLE).flat()];
  expect([...found.keys()].toSorted()).toEqual(expected.toSorted());
  for (const scenario of PASSED) {
    const checks = found.get(scenario) ?? [];
    const failed = checks.filter(({ status }) => status === "FAILURE" || status === "WARNING");
    expect(failed.map(({ id }) => id).toSorted(), scenario).toEqual((UNTESTABLE[scenario] ?? []).toSorted());
    expect(checks.filter(({ status }) => status === "SUCCESS").length, scenario).toBeGreaterThan(0);
  }
  // A scenario that begins to pass is one that applies.
  for (const scenario of Object.values(NOT_APPLICABLE).flat()) {
    const checks = found.get(scenario) ?? [];
    expect(
      checks.some(({ status }) => status === "FAILURE" || status === "WARNING"),
      scenario,
    ).toBe(true);
    // Whatever it sent, the answer was a message of the revision.
    expect(checks.filter(({ id, status }) => id === "wire-schema-valid" && status === "FAILURE")).toEqual([]);
  }
});
