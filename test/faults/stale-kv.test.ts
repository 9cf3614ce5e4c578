/** KV that still tells what was true before: on every operation it grants nothing, and changes no record. */

import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { TokenEntry } from "../../src/auth/tokens.ts";
import type { Destination } from "../../src/domain/click-target.ts";
import { call, DAY, DEMO, env, IPHONE, NOW, rows } from "../harness.ts";
import { kvWith } from "./faulty.ts";
import { type Sampled, sampled } from "./operations.ts";
import { restoreState, settled, startState } from "./state.ts";

beforeAll(startState);
beforeEach(restoreState);

const OPERATOR = 2;
/** KV in which every token is one of the operator, in use today. */
const alive: TokenEntry = { user_id: OPERATOR, used_day: Math.floor(NOW / DAY) };
const tokens = () => kvWith({ get: async () => alive }).TOKENS;

/** KV in which every link is one of another app, which leads where it led before. */
const old: Destination = {
  defaultUrl: "https://old.example/",
  iosUrl: null,
  androidUrl: null,
  redirectHosts: ["old.example"],
  redirectSchemes: ["https"],
};
const links = () =>
  kvWith({
    get: async (key: string) => (key.startsWith("link:") ? DEMO.otherAppToken : old),
  }).LINKS;

const needing = (...needs: string[]) =>
  sampled.filter(({ need }) => needs.includes(need)).map((one): [string, Sampled] => [one.name, one]);

describe.each(needing("api_token", "operator_token"))("%s", (_, { send }) => {
  it("is not for a token that was reset, whatever KV says", async () => {
    await env.DB.prepare("DELETE FROM api_tokens").run();
    const before = await settled();
    expect((await send({ TOKENS: tokens() })).status).toBe(401);
    expect(await settled()).toEqual(before);
  });

  it("is not for a user who was disabled, whatever KV says", async () => {
    await env.DB.prepare("UPDATE users SET disabled_at = 1").run();
    const before = await settled();
    expect((await send({ TOKENS: tokens() })).status).toBe(401);
    expect(await settled()).toEqual(before);
  });
});

it.each(needing("operator_token"))(
  "%s is not for a member whom KV takes for an operator",
  async (_, { send }) => {
    const before = await settled();
    expect((await send({ TOKENS: tokens() }, { token: DEMO.apiToken })).status).toBe(403);
    expect(await settled()).toEqual(before);
  },
);

it.each(needing("api_token"))(
  "%s is that of the token's own user, whoever KV says it is",
  async (name, { send }) => {
    const { status } = await send();
    const after = await settled();
    await restoreState();
    expect((await send({ TOKENS: tokens() })).status).toBe(status);
    expect(await settled()).toEqual(after);
    await restoreState();
    await env.DB.prepare("DELETE FROM memberships WHERE user_id = 1").run();
    const before = await settled();
    // Partners are for every user.
    const { status: without } = await send({ TOKENS: tokens() });
    expect(without).toBe(name === "listPartners" ? 200 : 404);
    expect(await settled()).toEqual(before);
  },
);

it.each(sampled.map((one): [string, Sampled] => [one.name, one]))(
  "%s is answered and recorded as ever where KV holds another app for a link and where that led before",
  async (_, { send }) => {
    const { status } = await send();
    const after = await settled();
    await restoreState();
    expect((await send({ LINKS: links() })).status).toBe(status);
    expect(await settled()).toEqual(after);
  },
);

describe("a click on a link of which KV tells what was true before", () => {
  const open = (query = "") =>
    call(`/demo1nk002?cost_id=stale-click-0001${query}`, {
      headers: { "user-agent": IPHONE },
      env: { LINKS: links() },
    });

  it("leads where the app led, and nowhere that it never allowed", async () => {
    expect((await open()).headers.get("location")).toBe(old.defaultUrl);
    expect((await open("&redirect=https://old.example/x")).headers.get("location")).toBe(
      "https://old.example/x",
    );
    expect((await open("&redirect=https://evil.test/")).headers.get("location")).toBe(old.defaultUrl);
  });

  it("is recorded for the link's own app and partner", async () => {
    await open();
    expect(
      await rows("SELECT app_token, link_id, partner_id FROM engagements WHERE cost_id = 'stale-click-0001'"),
    ).toEqual([{ app_token: DEMO.appToken, link_id: 2, partner_id: 1 }]);
  });
});
