import { beforeEach, expect, test } from "vitest";
import { signedIn } from "../account/support.ts";
import {
  ask,
  click,
  countingDatabase,
  DEMO,
  env,
  freshDemo,
  NOW,
  type ProblemBody,
  rejection,
  rows,
} from "../harness.ts";

const token = DEMO.operatorToken;
const apps = "/operator/v1/apps";

interface Items<T> {
  data: { items: T[]; paging: { total: string; next: string | null } };
}
interface App {
  token: string;
  default_url: string;
  redirect_hosts: string[];
}

beforeEach(freshDemo);

test("lists all apps in pages, in creation order", async () => {
  const first = await ask<Items<App>>(`${apps}?limit=1`, { token });
  expect(first.body.data.items.map((app) => app.token)).toEqual([DEMO.appToken]);
  expect(first.body.data.paging.total).toBe("2");
  const next = first.body.data.paging.next ?? "";
  const second = await ask<Items<App>>(next.replace("https://linkledger.test", ""), { token });
  expect(second.body.data.items.map((app) => app.token)).toEqual([DEMO.otherAppToken]);
});

test("creates an app with a token of 12 letters and digits", async () => {
  const json = { name: "New", default_url: "https://new.example" };
  const { status, body, headers } = await ask<Items<App>>(apps, { token, json });
  expect(status).toBe(201);
  const [app] = body.data.items;
  expect(app).toMatchObject({ default_url: "https://new.example/", redirect_hosts: [] });
  expect(app?.token).toMatch(/^[0-9a-z]{12}$/);
  expect(headers.get("location")).toBe(`${apps}/${app?.token}`);
  const read = await ask<Items<App>>(`${apps}/${app?.token}`, { token });
  expect(read.body.data.items).toEqual([app]);
  const slashed = await ask<Items<App>>(`${apps}/`, { token, json });
  expect(slashed.headers.get("location")).toBe(`${apps}/${slashed.body.data.items[0]?.token}`);
});

test("a changed default URL applies to the next click, even if the old one is cached", async () => {
  const before = await click("operator-click-01", { link: "demo1nk008" });
  expect(before.headers.get("location")).toBe("https://apps.apple.com/app/id1234567890");
  await ask(`${apps}/${DEMO.appToken}`, {
    token,
    method: "PATCH",
    json: { ios_url: null, default_url: "https://example.com/new" },
  });
  const after = await click("operator-click-02", { link: "demo1nk008" });
  expect(after.headers.get("location")).toBe("https://example.com/new");
  expect(await env.LINKS.get(`app:${DEMO.appToken}`, "json")).toMatchObject({ iosUrl: null });
});

test.each([
  ["javascript:alert(1)"],
  ["data:text/html,x"],
  ["/relative"],
  ["//example.com/"],
  ["https:example.com"],
  ["ftp://example.com/"],
  [""],
  ["https://example.com/\n"],
  ["https://example.com/\u200b"],
])("rejects %j as a URL of an app", async (url) => {
  const json = { default_url: url, ios_url: url, android_url: url };
  expect(await rejection(`${apps}/${DEMO.appToken}`, { token, method: "PATCH", json })).toMatchObject({
    status: 400,
    params: expect.arrayContaining(["default_url", "ios_url", "android_url"]),
  });
});

/** Those of the second security review, all of which an operator could allow. */
const OTHER_PAGES = [
  ...[
    "x-safari-https",
    "duckduckgo",
    "ucbrowser",
    "samsunginternet",
    "dolphin",
    "aloha",
    "arc",
    "orion",
    "kiwi",
  ],
  ...["wtai", "prefs", "app-settings", "shortcuts", "workflow", "java", "afp", "nfs", "sftp", "vnc", "rdp"],
  ...["mms", "rtsp", "help"],
];
test.each(OTHER_PAGES)("rejects the scheme %j, also if it is confirmed", async (scheme) => {
  const json = { redirect_schemes: [scheme], confirms_schemes: true };
  expect(await rejection(`${apps}/${DEMO.appToken}`, { token, method: "PATCH", json })).toMatchObject({
    status: 400,
    params: ["redirect_schemes.0"],
  });
});

test("a scheme other than https, http and intent needs a confirmation, unless an app has it already", async () => {
  const path = `${apps}/${DEMO.appToken}`;
  const patch = (json: object) => ask(path, { token, method: "PATCH", json });
  const schemes = async () =>
    (
      await rows<{ schemes: string }>(
        "SELECT redirect_schemes AS schemes FROM apps WHERE token = ?",
        DEMO.appToken,
      )
    )[0]?.schemes;
  const before = await schemes();
  const sent = { redirect_schemes: ["https", "otherapp", "demoapp", "another.app"] };
  for (const more of [{}, { confirms_schemes: false }])
    expect(await rejection(path, { token, method: "PATCH", json: { ...sent, ...more } })).toEqual({
      status: 400,
      code: "invalid_request",
      params: ["redirect_schemes.1", "redirect_schemes.3"],
    });
  expect(await schemes()).toBe(before);
  expect((await patch({ ...sent, confirms_schemes: true })).status).toBe(200);
  expect(await schemes()).toBe(JSON.stringify(sent.redirect_schemes));
  expect((await patch({ redirect_schemes: ["otherapp", "http", "intent"] })).status).toBe(200);
  expect((await patch({ confirms_schemes: true })).status).toBe(400);
  const created = { name: "New", default_url: "https://example.com/", redirect_schemes: ["newapp"] };
  expect((await rejection(apps, { token, json: created })).params).toEqual(["redirect_schemes.0"]);
  expect((await ask(apps, { token, json: { ...created, confirms_schemes: true } })).status).toBe(201);
  expect((await ask(apps, { token, json: created })).status).toBe(201);
});

test("the console asks for the confirmation with a box", async () => {
  const operator = await signedIn(DEMO.operatorEmail, DEMO.operatorPassword);
  const path = `/operator/apps/${DEMO.appToken}`;
  expect((await operator.get(path)).text).toMatch(/type="checkbox" name="confirms_schemes" value="yes" >/);
  const fields = { redirect_schemes: "https\r\notherapp" };
  const rejected = await operator.post(path, fields);
  expect([rejected.status, rejected.text]).toEqual([
    400,
    expect.stringContaining("has otherapp, which may open other pages"),
  ]);
  expect((await operator.post(path, { ...fields, confirms_schemes: "yes" })).status).toBe(303);
});

test.each(["javascript", "DATA", "vbscript", "file", "blob", "about", "no scheme", "https:"])(
  "rejects %j as an allowed redirect scheme",
  async (scheme) => {
    const json = { redirect_schemes: ["https", scheme] };
    expect(await rejection(`${apps}/${DEMO.appToken}`, { token, method: "PATCH", json })).toEqual({
      status: 400,
      code: "invalid_request",
      params: ["redirect_schemes.1"],
    });
  },
);

test.each([
  "https://example.com",
  "example.com/path",
  "a b",
  "user@example.com",
  "",
  "*.example.com",
  "%2A.example.com",
  "*",
  ".example.com",
  "shop..example.com",
  "*.example.com:8443",
  "example.com,example.org",
])("rejects %j as a host", async (host) => {
  const json = { redirect_hosts: [host] };
  const { status, body } = await ask<ProblemBody>(`${apps}/${DEMO.appToken}`, {
    token,
    method: "PATCH",
    json,
  });
  const [error] = body.errors ?? [];
  expect([status, error?.param]).toEqual([400, "redirect_hosts.0"]);
  if (host.includes("*")) expect(error?.message).toContain("hosts are matched exactly");
});

test("accepts hosts with and without a port and normalizes them", async () => {
  const json = {
    redirect_hosts: [
      "Shop.Example.com:8443",
      "example.com:443",
      "bücher.example",
      "my_shop.example",
      "[::1]:80",
    ],
  };
  const { body } = await ask<Items<App>>(`${apps}/${DEMO.appToken}`, { token, method: "PATCH", json });
  expect(body.data.items[0]?.redirect_hosts).toEqual([
    "shop.example.com:8443",
    "example.com",
    "xn--bcher-kva.example",
    "my_shop.example",
    "[::1]:80",
  ]);
});

test("lists every error of a body, including unknown keys", async () => {
  const json = { name: " ", default_url: "nowhere", link_count: 3 };
  const { params } = await rejection(apps, { token, json });
  expect(params).toEqual(["name", "default_url", "link_count"]);
});

test("rejects an empty change with 400 and an unknown app with 404", async () => {
  expect(await rejection(`${apps}/${DEMO.appToken}`, { token, method: "PATCH", json: {} })).toMatchObject({
    status: 400,
  });
  const json = { name: "x" };
  expect((await rejection(`${apps}/nosuchapp000`, { token, method: "PATCH", json })).status).toBe(404);
  expect((await rejection(`${apps}/nosuchapp000`, { token })).status).toBe(404);
});

test("the members of an unknown app are not found, and an app without members has an empty list, in two database calls each", async () => {
  await rows("DELETE FROM memberships");
  const list = async (app: string, as = token) => {
    const { database, counts } = countingDatabase();
    const { status, body } = await ask<Items<object>>(`${apps}/${app}/members`, {
      token: as,
      env: { DB: database },
    });
    return { status, calls: counts.calls, total: body.data?.paging.total };
  };
  // The first use of a token in a day is recorded, in a database call after the response.
  await list(DEMO.appToken);
  expect(await list("nosuchapp000")).toEqual({ status: 404, calls: 2 });
  expect(await list(DEMO.appToken)).toEqual({ status: 200, calls: 2, total: "0" });
  expect(await list("nosuchapp000", DEMO.apiToken)).toMatchObject({ status: 403 });
});

test("an added member can see the app, and a removed member cannot", async () => {
  const list = `/public/v1/apps/${DEMO.otherAppToken}/trackers`;
  const members = `${apps}/${DEMO.otherAppToken}/members`;
  expect((await ask(list, { token: DEMO.apiToken })).status).toBe(404);
  expect((await ask(members, { token, json: { user_id: 1 } })).status).toBe(201);
  expect((await ask(list, { token: DEMO.apiToken })).status).toBe(200);
  const listed = await ask<Items<{ user_id: number }>>(members, { token });
  expect(listed.body.data.items.map((member) => member.user_id)).toEqual([1, 2]);
  expect(await rejection(members, { token, json: { user_id: 1 } })).toMatchObject({
    status: 409,
    code: "already_member",
  });
  expect((await ask(`${members}/1`, { token, method: "DELETE" })).status).toBe(200);
  expect((await ask(list, { token: DEMO.apiToken })).status).toBe(404);
  expect((await rejection(`${members}/1`, { token, method: "DELETE" })).status).toBe(404);
  expect(await rejection(members, { token, json: { user_id: 99 } })).toMatchObject({
    status: 400,
    params: ["user_id"],
  });
});

test.each([
  [undefined, "is required"],
  ["1", "must be a positive integer"],
  [1.5, "must be a positive integer"],
  [0, "must be a positive integer"],
  [2 ** 53, "must be a positive integer"],
  [-(2 ** 53), "must be a positive integer"],
])("explains what is wrong with the user_id %j", async (user_id, message) => {
  const { status, body } = await ask<{ errors: { param: string; message: string }[] }>(
    `${apps}/${DEMO.appToken}/members`,
    { token, json: { user_id } },
  );
  expect(status).toBe(400);
  expect(body.errors).toEqual([{ param: "user_id", message }]);
});

test("archiving an archived app changes nothing", async () => {
  const archive = (now: number) =>
    ask<Items<{ archived_at: string | null }>>(`${apps}/${DEMO.appToken}`, {
      token,
      method: "PATCH",
      json: { archived: true },
      now,
    });
  const times = [await archive(NOW), await archive(NOW + 1_000)].map(
    ({ body }) => body.data.items[0]?.archived_at,
  );
  expect(times).toEqual(["2026-03-15T12:00:00.000Z", "2026-03-15T12:00:00.000Z"]);
  expect(await rows("SELECT detail FROM audit_log")).toEqual([
    { detail: JSON.stringify({ archived_at: { from: null, to: NOW } }) },
  ]);
});
