/** Outdated KV values: they grant no access and change nothing that any operation stores. */

import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { call, DEMO, env, forgetMemory, IPHONE, rows } from "../harness.ts";
import { oneOf } from "../part.ts";
import { OLD, oldLinks, oldTokens } from "./faulty.ts";
import { type Sampled, sampled } from "./operations.ts";
import { restoreState, settled, startState } from "./state.ts";

beforeAll(startState);
beforeEach(restoreState);

/** Sends a request with an outdated token in KV. What the isolate remembers would keep it from asking KV. */
function sendOld({ send }: Sampled, token?: string) {
  forgetMemory();
  return send({ TOKENS: oldTokens() }, token === undefined ? {} : { token });
}
const needing = (...needs: string[]) => sampled.filter(({ need }) => needs.includes(need));

it.each([
  ["reset token", "DELETE FROM api_tokens", 0],
  ["token of a disabled user", "UPDATE users SET disabled_at = 1", 1],
])("every operation rejects a %s that KV still has", async (_, change, place) => {
  await env.DB.prepare(change).run();
  const before = await settled();
  for (const one of oneOf(2, needing("api_token", "operator_token"), place))
    expect((await sendOld(one)).status, one.name).toBe(401);
  expect(await settled()).toEqual(before);
});

it("every operation of operators rejects a member whose token is an operator's in KV", async () => {
  const before = await settled();
  for (const one of needing("operator_token"))
    expect((await sendOld(one, DEMO.apiToken)).status, one.name).toBe(403);
  expect(await settled()).toEqual(before);
});

it("no operation lets an operator's token in KV act for a user without an app", async () => {
  await env.DB.prepare("DELETE FROM memberships WHERE user_id = 1").run();
  const before = await settled();
  // Every user can read the partners and list its own apps, also without an app. A tool answers with an error of its own.
  const withoutApp = ["listPartners", "listOwnApps", "callMcp"];
  for (const one of needing("api_token"))
    expect((await sendOld(one)).status, one.name).toBe(withoutApp.includes(one.name) ? 200 : 404);
  expect(await settled()).toEqual(before);
});

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
