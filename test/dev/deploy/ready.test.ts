/** What `npm run deploy` waits for after it deployed the code. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { waitUntilReady } from "../../../src/dev/deployment/ready.ts";

const HEALTH = "/healthz?deployment=version-2";
const READY = { status: "ready", checks: {} };
const deployment = { version: "version-2", url: "https://links.example.com" };

let requests: string[];
let answer: (path: string) => object;
beforeEach(() => {
  requests = [];
  vi.stubGlobal("fetch", async (url: string) => {
    const path = url.replace(deployment.url, "");
    requests.push(path);
    return Response.json(answer(path));
  });
});
afterEach(() => {
  vi.unstubAllGlobals();
});

const wait = (one: { version: string; url: string | undefined } = deployment) =>
  waitUntilReady(one, async () => undefined);

test("waits for the new version and ignores responses of the old one", async () => {
  let healthChecks = 0;
  answer = (path) => (path === HEALTH ? { runs_deployment: ++healthChecks > 1 } : READY);
  expect(await wait()).toBe("linkledger is ready at https://links.example.com");
  expect(requests).toEqual([HEALTH, HEALTH, "/readyz"]);
});

test("fails when only an old version responds for a minute, also one that names itself", async () => {
  answer = (path) => (path === HEALTH ? { deployment: "version-1" } : READY);
  await expect(wait()).rejects.toThrow("version version-2 did not respond");
  expect(requests).toEqual(Array.from({ length: 60 }, () => HEALTH));
});

test("fails with the reason when the new version is not ready", async () => {
  const checks = { database: { ok: true }, cron: { ok: false, reason: "The hourly run is overdue." } };
  answer = (path) => (path === HEALTH ? { runs_deployment: true } : { status: "not ready", checks });
  await expect(wait()).rejects.toThrow(
    "Deployed at https://links.example.com, but not ready:\n  cron: The hourly run is overdue.",
  );
});

test("asks to check /readyz when the Worker has only routes", async () => {
  const said = await wait({ version: "version-2", url: undefined });
  expect([said, requests]).toEqual([expect.stringContaining("Check /readyz"), []]);
});
