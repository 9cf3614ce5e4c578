/** A link's own target: what clicks on it and below it follow, from the API to the redirect. */
import { beforeEach, describe, expect, it } from "vitest";
import { clickedLinks, destinations, unknownLinks } from "../../src/db/isolate-memory.ts";
import { MAX_TARGETS } from "../../src/domain/engagements/click-target.ts";
import { ask, call, countingDatabase, DEMO, env, freshDemo, IPHONE, rows, withMethods } from "../harness.ts";
import { failingDatabase } from "../support.ts";

beforeEach(freshDemo);

const LINKS = `/public/v1/apps/${DEMO.appToken}/trackers`;
const STORE = "https://apps.apple.com/app/id1234567890";
/** That the demo has. */
const DEMO_TARGETS = 2;
const OF_NETWORK = "https://example.com/network";
const [NETWORK, CAMPAIGN, AD_GROUP, CREATIVE] = [
  "demo1nk001",
  "demo1nk002",
  "demo1nk003",
  "demo1nk004",
] as const;

type Own = { data: { items: { own: { target: string | null } }[] } };
const patch = (link: string, json: Record<string, unknown>, token: string = DEMO.apiToken) =>
  ask<Own>(`${LINKS}/${link}`, { method: "PATCH", token, json });
const set = async (link: string, target: string | null) => {
  const { status, body } = await patch(link, { target });
  expect([status, body.data.items[0]?.own.target]).toEqual([200, target]);
};
const open = async (link: string, query = "", more: Parameters<typeof call>[1] = {}) =>
  (await call(`/${link}${query}`, { headers: { "user-agent": IPHONE }, ...more })).headers.get("location");
const forget = () => {
  for (const memory of [clickedLinks, destinations, unknownLinks]) memory.clear();
};

describe("the target of a link", () => {
  it("is followed by clicks on it and on all links below it, and no other", async () => {
    await set(NETWORK, OF_NETWORK);
    for (const link of [NETWORK, CAMPAIGN, AD_GROUP, CREATIVE]) expect(await open(link)).toBe(OF_NETWORK);
    expect(await open("demo1nk006")).toBe(STORE);
    await set(AD_GROUP, "https://example.com/group");
    expect(await open(CAMPAIGN)).toBe(OF_NETWORK);
    for (const link of [AD_GROUP, CREATIVE]) expect(await open(link)).toBe("https://example.com/group");
    await set(AD_GROUP, "");
    for (const link of [AD_GROUP, CREATIVE]) expect(await open(link)).toBe(STORE);
    await set(AD_GROUP, null);
    expect(await open(CREATIVE)).toBe(OF_NETWORK);
    await set(NETWORK, null);
    expect(await open(CREATIVE)).toBe(STORE);
  });

  it("comes after those of the URL, and before the URLs of the app", async () => {
    await set(NETWORK, OF_NETWORK);
    expect(await open(NETWORK, "?redirect=https://example.com/r")).toBe("https://example.com/r");
    expect(await open(NETWORK, "?redirect=https://evil.test/")).toBe(OF_NETWORK);
    expect(await open(NETWORK, "?fallback=https://example.com/f", { headers: {} })).toBe(OF_NETWORK);
    expect(await open(NETWORK, "?deep_link=demoapp%3A%2F%2Fx")).toBe("demoapp://x");
  });

  it("is that of the opened link, also if the URL names a sub-link that has another one", async () => {
    await set(CAMPAIGN, "https://example.com/campaign");
    expect(await open(NETWORK, "?campaign=Spring")).toBe(STORE);
  });

  it("passes parameters on, and can have a scheme of the app", async () => {
    await set(NETWORK, "demoapp://item/{campaign}?t={link_token}");
    expect(await open(CAMPAIGN, "?campaign=a%20b")).toBe(`demoapp://item/a%20b?t=${CAMPAIGN}`);
  });

  it("is inherited from an archived link too", async () => {
    await set(NETWORK, OF_NETWORK);
    await patch(NETWORK, { archived: true });
    expect(await open(CREATIVE)).toBe(OF_NETWORK);
  });

  it("is skipped and counted when the app no longer allows it", async () => {
    await set(NETWORK, OF_NETWORK);
    const json = { redirect_hosts: [] };
    await ask(`/operator/v1/apps/${DEMO.appToken}`, { method: "PATCH", token: DEMO.operatorToken, json });
    expect(await open(CREATIVE)).toBe(STORE);
    expect(
      await rows("SELECT l.token, param, reason FROM dropped_parameters d JOIN links l ON l.id = d.link_id"),
    ).toEqual([{ token: CREATIVE, param: "target", reason: "not_allowed" }]);
  });

  it("is rejected with its host, scheme or placeholder", async () => {
    for (const [target, named] of [
      ["https://evil.test/x", "host, not evil.test"],
      ["https://example.com:8443/", "host, not example.com:8443"],
      ["https://{campaign}.example.com/", "{campaign} in its scheme, host or port"],
      ["https://example.com/{a b}", "{a b}"],
      ["http://example.com/", "scheme, not http"],
      ["otherapp://x", "scheme, not otherapp"],
      ["javascript:alert(1)", "scheme, not javascript"],
      ["https://user@example.com/", "user name"],
      ["/path", "absolute URL"],
      ["example.com", "absolute URL"],
      [`https://example.com/${"x".repeat(1_000)}`, "at most 1000"],
      ["https://example.com/\u0000", "control characters"],
      ["https://example.com/a\u202eb", "invisible characters"],
    ] as const) {
      const errors = [{ param: "target", message: expect.stringContaining(named) }];
      expect(await patch(NETWORK, { target }), target).toMatchObject({ status: 400, body: { errors } });
      const created = await ask(LINKS, { token: DEMO.apiToken, json: { name: "New", target } });
      expect(created, target).toMatchObject({ status: 400, body: { errors } });
    }
    expect(
      await rows("SELECT 1 FROM links WHERE label = 'New' OR (token = ? AND target IS NOT NULL)", NETWORK),
    ).toEqual([]);
    expect(await open(NETWORK)).toBe(STORE);
  });

  it("has nothing that copying added at its ends", async () => {
    const { body } = await patch(NETWORK, { target: `\u200b ${OF_NETWORK}\u00a0\u200b` });
    expect(body.data.items[0]?.own.target).toBe(OF_NETWORK);
    expect(await open(NETWORK)).toBe(OF_NETWORK);
  });

  it("is judged only with access to the app", async () => {
    const path = `/public/v1/apps/${DEMO.otherAppToken}/trackers`;
    const json = { name: "New", target: "https://evil.test/" };
    expect(await ask(path, { token: DEMO.apiToken, json })).toMatchObject({ status: 404 });
  });

  it("is in the audit log", async () => {
    await set(NETWORK, OF_NETWORK);
    await set(NETWORK, "");
    expect(
      await rows(
        "SELECT detail ->> 'target' AS target FROM audit_log WHERE subject = ? ORDER BY id DESC LIMIT 2",
        `link ${NETWORK}`,
      ),
    ).toEqual([
      { target: JSON.stringify({ from: OF_NETWORK, to: "" }) },
      { target: JSON.stringify({ from: null, to: OF_NETWORK }) },
    ]);
  });
});

describe("a new link with a target", () => {
  it("is followed by the first click, and each of several gets its own result", async () => {
    const links = [
      { name: "One", target: OF_NETWORK },
      { name: "Two", target: "https://evil.test/" },
      { name: "Three", parent_token: NETWORK, target: "" },
      { name: "Four", parent_token: NETWORK },
    ];
    await set(NETWORK, "https://example.com/n");
    const { body } = await ask<{
      data: { items: { status: number; link?: { token: string }; errors?: unknown }[] };
    }>(`${LINKS}/bulk`, {
      token: DEMO.apiToken,
      json: { links },
    });
    const { items } = body.data;
    expect(items.map(({ status }) => status)).toEqual([201, 400, 201, 201]);
    expect(items[1]?.errors).toMatchObject([{ param: "links.1.target" }]);
    const followed = await Promise.all([0, 2, 3].map((at) => open(items[at]?.link?.token ?? "")));
    expect(followed).toEqual([OF_NETWORK, STORE, "https://example.com/n"]);
  });

  it("opens without D1, by an isolate that knows nothing", async () => {
    const json = { name: "New", parent_token: AD_GROUP, target: OF_NETWORK };
    const { body } = await ask<{ data: { items: { token: string }[] } }>(LINKS, {
      token: DEMO.apiToken,
      json,
    });
    forget();
    const { database } = failingDatabase(() => true);
    expect(await open(body.data.items[0]?.token ?? "", "", { env: { DB: database } })).toBe(OF_NETWORK);
  });
});

describe("a click by an isolate that knows nothing", () => {
  /** The keys that are read from KV, those that are read together in one text. */
  function watchedKv() {
    const rounds: string[] = [];
    const writes: string[] = [];
    const LINKS = withMethods(env.LINKS, {
      get: async (key: string, ...rest: [never]) => {
        rounds.push(key);
        return env.LINKS.get(key, ...rest);
      },
      put: async (key: string, ...rest: [never]) => {
        writes.push(key);
        return env.LINKS.put(key, ...rest);
      },
    } as never);
    return { LINKS, rounds, writes };
  }

  it("reads two keys of KV and asks D1 for nothing but the record, at every level", async () => {
    await set(NETWORK, OF_NETWORK);
    await open(CREATIVE);
    forget();
    const { LINKS, rounds } = watchedKv();
    const { database } = failingDatabase(() => true);
    expect(await open(CREATIVE, "", { env: { LINKS, DB: database } })).toBe(OF_NETWORK);
    expect(rounds).toEqual([`link:${CREATIVE}`, `app:${DEMO.appToken}`]);
  });

  it("asks D1 once if KV knows nothing, and then KV knows", async () => {
    await env.DB.prepare("UPDATE links SET target = ? WHERE id = 1").bind(OF_NETWORK).run();
    const { keys } = await env.LINKS.list();
    for (const { name } of keys) await env.LINKS.delete(name);
    forget();
    const { database, counts } = countingDatabase();
    expect(await open(CREATIVE, "", { method: "HEAD", env: { DB: database } })).toBe(OF_NETWORK);
    expect(counts).toMatchObject({ calls: 1, written: 0 });
    expect(counts.read).toBeLessThanOrEqual(10);
    expect(await env.LINKS.get(`link:${CREATIVE}`)).toBe(`${DEMO.appToken} 4.3.2.1`);
  });

  it("follows the target of a link that an earlier version put into KV, and the app's URLs while D1 is down", async () => {
    await set(NETWORK, OF_NETWORK);
    await env.LINKS.put(`link:${CREATIVE}`, DEMO.appToken);
    forget();
    const { database } = failingDatabase(() => true);
    expect(await open(CREATIVE, "", { env: { DB: database } })).toBe(STORE);
    expect(await open(CREATIVE)).toBe(OF_NETWORK);
  });

  it("follows a changed target five seconds after KV shows it, which takes one write whatever is below", async () => {
    const insert = env.DB.prepare(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)
       INSERT INTO links (token, app_token, parent_id, level, label, created_at) SELECT 'many' || printf('%06d', i), ?, 1, 2, 'Many ' || i, 0 FROM n`,
    );
    await insert.bind(DEMO.appToken).run();
    await open("many009999");
    const { LINKS, writes } = watchedKv();
    const changed = await call(`${`/public/v1/apps/${DEMO.appToken}/trackers`}/${NETWORK}`, {
      method: "PATCH",
      token: DEMO.apiToken,
      json: { target: OF_NETWORK },
      env: { LINKS },
    });
    expect(changed.status).toBe(200);
    expect(writes).toEqual([`app:${DEMO.appToken}`]);
    expect(await open("many009999")).toBe(OF_NETWORK);
  });
});

it(`an app has at most ${MAX_TARGETS} links with a target of their own`, async () => {
  const insert = env.DB.prepare(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
     INSERT INTO links (token, app_token, level, label, target, created_at) SELECT 'many' || printf('%06d', i), ?, 1, 'Many ' || i, '', 0 FROM n`,
  );
  await insert.bind(MAX_TARGETS - DEMO_TARGETS - 1, DEMO.appToken).run();
  await set(NETWORK, OF_NETWORK);
  await set(NETWORK, "https://example.com/other");
  expect(await patch(CAMPAIGN, { target: OF_NETWORK })).toMatchObject({
    status: 400,
    body: { code: "limit_reached", errors: [{ param: "target" }] },
  });
  const json = { name: "New", target: OF_NETWORK };
  expect(await ask(LINKS, { token: DEMO.apiToken, json })).toMatchObject({
    status: 400,
    body: { code: "limit_reached" },
  });
  await set(NETWORK, null);
  await set(CAMPAIGN, OF_NETWORK);
});
