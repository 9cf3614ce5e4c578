/** What the built Worker remembers between requests ends when it must, in the same isolate. */
import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { DEMO } from "../../../src/dev/demo.ts";
import { Browser } from "./browser.ts";
import { type Ask, clickOf, costOf, type FaultyWorker, LIST, send, startFaulty } from "./faulty.ts";

let server: FaultyWorker;
let browser: Browser;
beforeAll(async () => {
  server = await startFaulty({ name: "caches" });
  browser = new Browser(server.url);
  expect(await browser.signIn()).toBe("/");
});
afterAll(() => server.stop());

const asOperator = async (method: string, path: string, json?: unknown) => {
  const answer = await send(server.url, {
    method,
    path: `/operator/v1${path}`,
    token: DEMO.operatorToken,
    json,
  }).answer;
  expect(answer?.status).toBeLessThan(300);
  return JSON.parse(answer?.text || "null");
};
const errorOf = async (ask: Ask, token: string) => {
  const answer = await send(server.url, { ...ask, token }).answer;
  return `${answer?.status} ${JSON.parse(answer?.text ?? "{}").code ?? "ok"}`;
};

describe("where a link leads", () => {
  const targetOf = async () => (await send(server.url, clickOf()).answer)?.headers.location;
  const APP = `/apps/${DEMO.appToken}`;

  test("changes with the next click in the isolate that changed it", async () => {
    expect(await targetOf()).toBe("https://apps.apple.com/app/id1234567890");
    for (const url of ["https://demo.example/one", "https://demo.example/two"]) {
      await asOperator("PATCH", APP, { ios_url: url });
      expect(await targetOf()).toBe(url);
    }
  });

  test("changes in another isolate five seconds after KV shows it", async () => {
    const url = "https://demo.example/three";
    const before = await targetOf();
    const LINKS = await server.miniflare.getKVNamespace("LINKS");
    const stored = (await LINKS.get(`app:${DEMO.appToken}`, "json")) as object | null;
    await server.begin({ now: Date.now() + 60_000 });
    expect(await targetOf()).toBe(before);
    await LINKS.put(`app:${DEMO.appToken}`, JSON.stringify({ ...stored, iosUrl: url }));
    expect(await targetOf()).toBe(before);
    await server.begin({ now: Date.now() + 66_000 });
    expect(await targetOf()).toBe(url);
    await server.begin();
  });
});

describe("on an isolate that knows it, the first request after the answer rejects", () => {
  const createToken = async (app = "") => {
    const fields = { name: "Warm", scope: "write", app_token: app, days: "90", password: DEMO.password };
    const { text } = await browser.send("/account/tokens", fields);
    return /ll_write_\w{49}/.exec(text)?.[0] ?? "";
  };
  const OK = "200 ok";

  test("an access token that was ended, and one for another app", async () => {
    const [token, oneApp] = [await createToken(), await createToken(DEMO.appToken)];
    expect([await errorOf(LIST, token), await errorOf(LIST, oneApp)]).toEqual([OK, OK]);
    const other = { path: LIST.path.replace(DEMO.appToken, DEMO.otherAppToken) };
    expect(await errorOf(other, oneApp)).toBe("404 not_found");
    const reference = createHash("sha256").update(token).digest("hex").slice(0, 16);
    expect((await browser.send("/account/tokens/end", { token: reference })).status).toBeLessThan(400);
    expect(await errorOf(LIST, token)).toBe("401 unauthorized");
    expect(await errorOf(LIST, oneApp)).toBe(OK);
  });

  test("an access token that has expired", async () => {
    const token = await createToken();
    const end = Date.now() + 91 * 86_400_000;
    await server.begin({ now: end - 2 * 86_400_000 });
    expect(await errorOf(LIST, token)).toBe(OK);
    await server.begin({ now: end });
    expect(await errorOf(LIST, token)).toBe("401 unauthorized");
    await server.begin();
  });

  test("a credential that was revoked, and costs of a partner that was stopped", async () => {
    const fields = { partner_id: 1, mode: "live", cost_types: ["cpc"] };
    const { data } = await asOperator("POST", "/credentials", fields);
    const { id, credential } = data.items[0];
    expect(await errorOf(costOf("warm-cost-00001"), credential)).toBe(OK);
    await asOperator("POST", `/credentials/${id}/revoke`);
    expect(await errorOf(costOf("warm-cost-00002"), credential)).toBe("403 credential_revoked");
    expect(await errorOf(costOf("warm-cost-00003"), DEMO.costToken)).toBe(OK);
    await asOperator("PATCH", "/partners/1", { stopped: true });
    expect(await errorOf(costOf("warm-cost-00004"), DEMO.costToken)).toBe("403 partner_stopped");
  });

  test("the token of a member who was removed, and one that was reset", async () => {
    const token = await createToken();
    expect([await errorOf(LIST, token), await errorOf(LIST, DEMO.apiToken)]).toEqual([OK, OK]);
    await asOperator("DELETE", `/apps/${DEMO.appToken}/members/1`);
    expect([await errorOf(LIST, token), await errorOf(LIST, DEMO.apiToken)]).toEqual([
      "404 not_found",
      "404 not_found",
    ]);
    const APPS = { path: "/public/v1/apps" };
    expect(await errorOf(APPS, DEMO.apiToken)).toBe(OK);
    expect((await browser.send("/account/token/reset", { password: DEMO.password })).status).toBe(200);
    expect(await errorOf(APPS, DEMO.apiToken)).toBe("401 unauthorized");
    expect(await errorOf(APPS, token)).toBe(OK);
  });
});
