/** Outdated KV values: they grant no access and change nothing that any operation stores. */

import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { TokenEntry } from "../../src/auth/tokens.ts";
import type { Destination } from "../../src/domain/engagements/click-target.ts";
import { call, DAY, DEMO, env, IPHONE, NOW, rows } from "../harness.ts";
import { isLong } from "../part.ts";
import { kvWith } from "./faulty.ts";
import { type Sampled, sampled } from "./operations.ts";
import { restoreState, settled, startState } from "./state.ts";

beforeAll(startState);
beforeEach(restoreState);

const OPERATOR = 2;
/** An outdated KV in which every token belongs to the operator and was used today. */
const entry: TokenEntry = { user_id: OPERATOR, used_day: Math.floor(NOW / DAY) };
const tokens = () => kvWith({ get: async () => entry }).TOKENS;

/** An outdated KV in which every link belongs to another app, with that app's old destination. */
const old: Destination = {
  defaultUrl: "https://old.example/",
  iosUrl: null,
  androidUrl: null,
  redirectHosts: ["old.example"],
  redirectSchemes: ["https"],
};
const links = () =>
  kvWith({
    get: async (key: string) => (key.startsWith("link:") ? `${DEMO.otherAppToken} 9` : old),
  }).LINKS;

const needing = (...needs: string[]) =>
  sampled.filter(({ need }) => needs.includes(need)).map((one): [string, Sampled] => [one.name, one]);

describe.each(needing("api_token", "operator_token"))("%s", (_, { send }) => {
  it("rejects a reset token that KV still has", async () => {
    await env.DB.prepare("DELETE FROM api_tokens").run();
    const before = await settled();
    expect((await send({ TOKENS: tokens() })).status).toBe(401);
    expect(await settled()).toEqual(before);
  });

  it("rejects a disabled user whose token KV still has", async () => {
    await env.DB.prepare("UPDATE users SET disabled_at = 1").run();
    const before = await settled();
    expect((await send({ TOKENS: tokens() })).status).toBe(401);
    expect(await settled()).toEqual(before);
  });
});

it.each(needing("operator_token"))(
  "%s rejects a member whose token is an operator's in KV",
  async (_, { send }) => {
    const before = await settled();
    expect((await send({ TOKENS: tokens() }, { token: DEMO.apiToken })).status).toBe(403);
    expect(await settled()).toEqual(before);
  },
);

it.each(needing("api_token"))(
  "%s acts as the token's own user when KV has another user",
  async (name, { send }) => {
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

/** `npm test` leaves out those of surfaces without links. */
const ofLinks = sampled.filter(
  ({ pattern }) => isLong || !/^\/(account|docs|log|operator|partner)/.test(pattern),
);

it.each(ofLinks.map((one): [string, Sampled] => [one.name, one]))(
  "%s responds and stores the same when KV has another app and an old destination for the links",
  async (_, { send }) => {
    const { status } = await send();
    const after = await settled();
    await restoreState();
    expect((await send({ LINKS: links() })).status).toBe(status);
    expect(await settled()).toEqual(after);
  },
);

describe("a click on a link with an outdated KV value", () => {
  const open = (query = "") =>
    call(`/demo1nk002?cost_id=stale-click-0001${query}`, {
      headers: { "user-agent": IPHONE },
      env: { LINKS: links() },
    });

  it("redirects to the app's old destination, and to no host that it did not allow", async () => {
    expect((await open()).headers.get("location")).toBe(old.defaultUrl);
    expect((await open("&redirect=https://old.example/x")).headers.get("location")).toBe(
      "https://old.example/x",
    );
    expect((await open("&redirect=https://evil.test/")).headers.get("location")).toBe(old.defaultUrl);
  });

  it("is recorded for the link's app and partner in the database", async () => {
    await open();
    expect(
      await rows("SELECT app_token, link_id, partner_id FROM engagements WHERE cost_id = 'stale-click-0001'"),
    ).toEqual([{ app_token: DEMO.appToken, link_id: 2, partner_id: 1 }]);
  });
});
