/** Sends messages of the Model Context Protocol to the Worker, as a client of the present revision does. */
import { type Call, call, DEMO, type ProblemBody } from "../harness.ts";

export const REVISION = "2026-07-28";
const META = "io.modelcontextprotocol/";
export const META_OF = { [`${META}protocolVersion`]: REVISION, [`${META}clientCapabilities`]: {} };

export interface Answer {
  jsonrpc: "2.0";
  id?: string | number;
  result?: Record<string, unknown>;
  error?: { code: number; message: string; data?: object };
}

export const headersFor = (method: string, name?: string) => ({
  ...{ "mcp-protocol-version": REVISION, "mcp-method": method },
  ...(name !== undefined && { "mcp-name": name }),
});

/** Sends a body, and returns the status, the headers and the JSON, if there is any. */
export async function post(json: unknown, { headers, ...options }: Call = {}) {
  const response = await call("/mcp", { token: DEMO.apiToken, json, headers: { ...headers }, ...options });
  const text = await response.text();
  const body = (text === "" ? {} : JSON.parse(text)) as Answer & Partial<ProblemBody>;
  return { status: response.status, headers: response.headers, body };
}

/** Sends a request of the revision. */
export function rpc(method: string, params: Record<string, unknown> = {}, options: Call = {}) {
  const name = typeof params.name === "string" ? params.name : undefined;
  const message = { jsonrpc: "2.0", id: 1, method, params: { ...params, _meta: META_OF } };
  return post(message, { ...options, headers: { ...headersFor(method, name), ...options.headers } });
}

export interface ToolResult {
  isError?: boolean;
  content: { type: string; text: string }[];
  structuredContent: Record<string, unknown>;
}

/** Calls a tool. Checks that the text says the same as the structured content. */
export async function callTool(name: string, args: object, options: Call = {}) {
  const { status, headers, body } = await rpc("tools/call", { name, arguments: args }, options);
  const result = body.result as unknown as ToolResult | undefined;
  if (result && result.content[0]?.text !== JSON.stringify(result.structuredContent))
    throw new Error("The text differs from the structured content.");
  return { status, headers, body, result };
}

export interface ListedTool {
  name: string;
  title: string;
  description: string;
  inputSchema: { type: string; properties: Record<string, object>; required: string[] };
  annotations: object;
}

export async function listTools(options: Call = {}): Promise<ListedTool[]> {
  const { body } = await rpc("tools/list", {}, options);
  return body.result?.tools as ListedTool[];
}
