/** Outdated KV values: they grant no access and change nothing that any operation stores. */

import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { TokenEntry } from "../../src/auth/tokens.ts";
import { call, DAY, DEMO, env, IPHONE, NOW, rows } from "../harness.ts";
import { kvWith, OLD, oldLinks } from "./faulty.ts";
import { sampled } from "./operations.ts";
import { restoreState, settled, startState } from "./state.ts";

beforeAll(startState);
beforeEach(restoreState);

const OPERATOR = 2;
/** An outdated KV in which every token belongs to the operator and was used today. */
const entry: TokenEntry = { user_id: OPERATOR, used_day: Math.floor(NOW / DAY) };
const tokens = () => kvWith({ get: async () => entry }).TOKENS;

const needing = (...needs: string[]) => sampled.filter(({ need }) => needs.includes(need));

it.each([
  ["reset token", "DELETE FROM api_tokens"],
  ["token of a disabled user", "UPDATE users SET disabled_at = 1"],
])("every operation rejects a %s that KV still has", async (_, change) => {
  await env.DB.prepare(change).run();
  const before = await settled();
  for (const { name, send } of needing("api_token", "operator_token"))
    expect((await send({ TOKENS: tokens() })).status, name).toBe(401);
  expect(await settled()).toEqual(before);
});

it("every operation of operators rejects a member whose token is an operator's in KV", async () => {
  const before = await settled();
  for (const { name, send } of needing("operator_token"))
    expect((await send({ TOKENS: tokens() }, { token: DEMO.apiToken })).status, name).toBe(403);
  expect(await settled()).toEqual(before);
});

it.each(needing("api_token"))(
  "$name acts as the token's own user when KV has another user",
  async ({ name, send }) => {
    const { status } = await send();
    const after = await settled();
    await restoreState();
    expect((await send({ TOKENS: tokens() })).status).toBe(status);
    expect(await settled()).toEqual(after);
    await restoreState();
    await env.DB.prepare("DELETE FROM memberships WHERE user_id = 1").run();
    const before = await settled();
    // Every user can read the partners and list its own apps, also without an app. A tool answers with an error of its own.
    const { status: without } = await send({ TOKENS: tokens() });
    expect(without).toBe(["listPartners", "listOwnApps", "callMcp"].includes(name) ? 200 : 404);
    expect(await settled()).toEqual(before);
  },
);

describe("a click on a link with an outdated KV value", () => {
  const open = (query = "") =>
    call(`/demo1nk002?cost_id=stale-click-0001${query}`, {
      headers: { "user-agent": IPHONE },
      env: { LINKS: oldLinks() },
    });

  it("redirects to the app's old destination, and to no host that it did not allow", async () => {
    expect((await open()).headers.get("location")).toBe(OLD.defaultUrl);
    expect((await open("&redirect=https://old.example/x")).headers.get("location")).toBe(
      "https://old.example/x",
    );
    expect((await open("&redirect=https://evil.test/")).headers.get("location")).toBe(OLD.defaultUrl);
  });

  it("is recorded for the link's app and partner in the database", async () => {
    await open();
    expect(
      await rows("SELECT app_token, link_id, partner_id FROM engagements WHERE cost_id = 'stale-click-0001'"),
    ).toEqual([{ app_token: DEMO.appToken, link_id: 2, partner_id: 1 }]);
  });
});
