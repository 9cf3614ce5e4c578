/** The files of the API reference, when what serves them does not. */
import { beforeEach, expect, test, vi } from "vitest";
import { call, env, withMethods } from "../harness.ts";
import { silence, withoutPauses } from "./faulty.ts";

const SCRIPT = "/docs/script/standalone.esm.js";

beforeEach(() => {
  vi.spyOn(console, "error").mockImplementation(() => {});
});

test.each<[string, () => Promise<Response>]>([
  ["fail", () => Promise.reject(new Error("Network connection lost."))],
  ["answer 500", async () => new Response("internal details", { status: 500 })],
  ["never answer", silence],
])("says 503 and when to come again where the assets %s", async (_, fetch) => {
  const ASSETS = withMethods(env.ASSETS, { fetch });
  const response = await withoutPauses(() => call(SCRIPT, { env: { ASSETS } }));
  expect([response.status, response.headers.get("retry-after")]).toEqual([503, "5"]);
  expect(await response.json()).toMatchObject({ code: "unavailable" });
});
