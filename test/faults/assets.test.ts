/** The files of the API reference when the assets binding fails. */
import { beforeEach, expect, test, vi } from "vitest";
import { call, env, withMethods } from "../harness.ts";
import { silence, withoutPauses } from "./faulty.ts";

const SCRIPT = "/docs/script/standalone.esm.js";

beforeEach(() => {
  vi.spyOn(console, "error").mockImplementation(() => {});
});

test.each<[string, () => Promise<Response>]>([
  ["fail", () => Promise.reject(new Error("Network connection lost."))],
  ["return 500", async () => new Response("internal details", { status: 500 })],
  ["hang", silence],
])("returns 503 with Retry-After when the assets %s", async (_, fetch) => {
  const ASSETS = withMethods(env.ASSETS, { fetch });
  const response = await withoutPauses(() => call(SCRIPT, { env: { ASSETS } }));
  expect([response.status, response.headers.get("retry-after")]).toEqual([503, "5"]);
  expect(await response.json()).toMatchObject({ code: "unavailable" });
});
