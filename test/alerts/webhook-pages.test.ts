/** The pages of webhooks, for members and operators, and what they and the API say where webhooks are not set up. */
import { beforeEach, describe, expect, it } from "vitest";
import { ask, call, DEMO, env, freshDemo, freshState, NOW, rejection, rows } from "../harness.ts";
import { SESSIONS, startSessions } from "../security/support.ts";

const KEY = { WEBHOOK_KEY: "a-key-of-at-least-32-characters-x" };
const PATH = "/operator/v1/webhooks";
const token = DEMO.operatorToken;

beforeEach(() =>
  freshState("no webhooks", async () => {
    await freshDemo();
    await startSessions();
    // Those with which every operation is tried.
    await env.DB.batch(
      ["webhook_deliveries", "webhook_events", "webhooks"].map((table) =>
        env.DB.prepare(`DELETE FROM ${table}`),
      ),
    );
  }),
);

const addWebhook = (app: string | null) =>
  env.DB.batch([
    env.DB.prepare(
      "INSERT INTO webhooks (id, app_token, url, secret, created_at) VALUES (7, ?, 'https://example.com/hooks', 'x', 0)",
    ).bind(app),
    env.DB.prepare(
      "INSERT INTO webhook_events (id, message_id, type, body, happened_at) VALUES (3, 'msg_x', 'partner.stopped', '{}', 1)",
    ),
    env.DB.prepare(
      "INSERT INTO webhook_deliveries (id, webhook_id, event_id, rank, attempts, delivered_at) VALUES (5, 7, 3, 1, 4, 1)",
    ),
  ]);

it("are not set up without WEBHOOK_KEY: the API says so, and stores nothing", async () => {
  const json = { url: "https://example.com/hooks" };
  expect(await rejection(PATH, { json, token })).toMatchObject({ status: 503, code: "not_configured" });
  expect(await rows("SELECT id FROM webhooks")).toEqual([]);
  expect((await ask(PATH, { json, token, env: KEY })).status).toBe(201);
  const [{ id = 0 } = {}] = await rows<{ id: number }>("SELECT id FROM webhooks");
  const before = await rows("SELECT * FROM webhooks");
  expect(await rejection(`${PATH}/${id}/secret`, { method: "POST", token })).toMatchObject({
    code: "not_configured",
  });
  expect(await rows("SELECT * FROM webhooks")).toEqual(before);
});

it("list the newest 100 deliveries, in the API and on the page", async () => {
  await addWebhook(null);
  await env.DB.prepare(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100)
     INSERT INTO webhook_deliveries (webhook_id, event_id, rank) SELECT 7, 3, 1 FROM n`,
  ).run();
  const { body } = await ask<{ data: { items: { id: number }[] } }>(`${PATH}/7/deliveries`, { token });
  expect(body.data.items.map(({ id }) => id)).toEqual(Array.from({ length: 100 }, (_, index) => 105 - index));
  const page = await call("/operator/alerts/webhooks/7", { headers: { cookie: SESSIONS.operator } });
  expect((await page.text()).match(/name="delivery"/g)).toHaveLength(100);
});

it("say how alerts are sent by email, or that this is not set up", async () => {
  const open = async (settings: object) =>
    (await call("/operator/alerts", { headers: { cookie: SESSIONS.operator }, env: settings })).text();
  expect(await open({})).toContain('Not set up. <a href="/docs/alerts#email">');
  const email = { ALERTS: env.TEST_EMAIL, ALERTS_FROM: "a@example.com", ALERTS_TO: "b@example.com" };
  expect(await open(email)).toContain("Alerts are sent to b@example.com.");
});

describe.each([
  ["/operator/alerts", SESSIONS.operator, null],
  [`/apps/${DEMO.appToken}/alerts`, SESSIONS.member, DEMO.appToken],
] as const)("the page %s", (path, cookie, app) => {
  const open = async (below = "", key: object = KEY) => {
    const response = await call(path + below, { headers: { cookie, accept: "text/html" }, env: key });
    return { status: response.status, text: await response.text() };
  };
  const send = async (below: string, fields: Record<string, string>, key: object = KEY) => {
    const response = await call(path + below, {
      method: "POST",
      headers: { cookie, "content-type": "application/x-www-form-urlencoded", accept: "text/html" },
      body: new URLSearchParams(fields).toString(),
      env: key,
    });
    const location = response.headers.get("location");
    return { status: response.status, location, text: await response.text() };
  };

  it("says that they are not set up without WEBHOOK_KEY, and offers none", async () => {
    const { text } = await open("", {});
    expect(text).toContain("Not set up.");
    expect(text).not.toContain("/webhooks/new");
    const page = await open("/webhooks/new", {});
    expect([page.status, page.text.includes("Not set up."), page.text.includes('name="url"')]).toEqual([
      200,
      true,
      false,
    ]);
    const sent = await send("/webhooks/new", { url: "https://example.com/hooks" }, {});
    expect(sent.status).toBe(503);
    expect(sent.text).toContain("Webhooks are not set up");
    expect(await rows("SELECT id FROM webhooks")).toEqual([]);
    expect((await open()).text).toContain(`href="${path}/webhooks/new"`);
  });

  it("creates one, shows its secret once, and shows a rejected URL with what is wrong", async () => {
    const rejected = await send("/webhooks/new", { url: "https://127.0.0.1/" });
    expect(rejected.status).toBe(400);
    expect(rejected.text).toContain("URL of the receiver must name a host, not an IP address.");
    expect(rejected.text).toContain('value="https://127.0.0.1/"');
    const { status, text } = await send("/webhooks/new", { url: "https://example.com/hooks" });
    expect(status).toBe(200);
    expect(text).toMatch(/whsec_[\w+/=]{32}/);
    const [{ id = 0, ...found } = {}] = await rows<{ id: number; app: string | null }>(
      "SELECT id, app_token AS app FROM webhooks",
    );
    expect(found).toEqual({ app });
    expect((await open(`/webhooks/${id}`)).text).not.toContain("whsec_");
  });

  it("sends a delivery again, with an entry in the audit log", async () => {
    await addWebhook(app);
    expect((await open("/webhooks/7")).text).toContain("Delivered");
    const sent = await send("/webhooks/7", { action: "again", delivery: "5" });
    expect(sent).toMatchObject({ status: 303, location: `${path}/webhooks/7?notice=sent-again` });
    expect(await rows("SELECT due_at AS due, attempts, delivered_at AS at FROM webhook_deliveries")).toEqual([
      { due: NOW, attempts: 0, at: null },
    ]);
    const entries = () => rows("SELECT action, subject, detail FROM audit_log WHERE subject = 'webhook 7'");
    const detail = JSON.stringify({ app_token: app, host: "example.com", delivery: 5 });
    expect(await entries()).toEqual([{ action: "send delivery again", subject: "webhook 7", detail }]);
    expect((await send("/webhooks/7", { action: "again", delivery: "6" })).status).toBe(404);
    await env.DB.prepare("UPDATE webhooks SET ended_at = 1, ended_because = 'gone'").run();
    expect((await send("/webhooks/7", { action: "again", delivery: "5" })).status).toBe(404);
    expect(await entries()).toHaveLength(1);
  });

  it("has none of somebody else", async () => {
    await addWebhook(app === null ? DEMO.appToken : null);
    expect((await open("/webhooks/7")).status).toBe(404);
    for (const action of ["test", "rotate", "again", "delete"])
      expect((await send("/webhooks/7", { action, delivery: "5" })).status).toBe(404);
  });
});
