import { beforeEach, describe, expect, it } from "vitest";
import {
  ANDROID,
  ask,
  call,
  click,
  DAY,
  DEMO,
  env,
  IPHONE,
  NOW,
  rejection,
  rows,
  sendCost,
  view,
} from "../harness.ts";
import { failingDatabase, freshLedger, LINK, setSwitch } from "../support.ts";

beforeEach(freshLedger);

const ID = "engagement-id-01";
const DESKTOP = "Mozilla/5.0 (X11; Linux x86_64) Firefox/130.0";
const recorded = (costId = ID) =>
  rows(
    "SELECT partner_id, kind, link_id, occurred_at, cost_data_on FROM engagements WHERE cost_id = ?",
    costId,
  );
const everything = () =>
  rows(
    "SELECT (SELECT count(*) FROM engagements) AS n, (SELECT count(*) FROM costs) AS m, (SELECT count(*) FROM dropped_parameters) AS d",
  );

const counted = () =>
  rows(
    "SELECT (SELECT count(*) FROM engagements) AS n, (SELECT sum(count) FROM daily_engagements) AS c, (SELECT count(*) FROM links) AS l",
  );

describe("a click", () => {
  it("redirects with no-store and is recorded", async () => {
    const response = await click(ID);
    expect([response.status, await response.text()]).toEqual([302, ""]);
    expect(response.headers.get("location")).toBe("https://apps.apple.com/app/id1234567890");
    expect(response.headers.get("cache-control")).toBe("no-store");
    expect(response.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
    expect(await recorded()).toEqual([
      { partner_id: 1, kind: "click", link_id: 1, occurred_at: NOW, cost_data_on: 1 },
    ]);
  });

  it.each([
    ["an Android phone", ANDROID, "", "https://play.google.com/store/apps/details?id=com.example.demo"],
    ["a desktop", DESKTOP, "", "https://example.com/"],
    [
      "an allowed target",
      IPHONE,
      "&redirect=https%3A%2F%2Fshop.example.com%2Fsale",
      "https://shop.example.com/sale",
    ],
    [
      "a deep_link before a fallback and a redirect",
      IPHONE,
      "&redirect=https%3A%2F%2Fexample.com%2Fr&fallback=https://example.com/f&deep_link=demoapp%3A%2F%2Fpromo",
      "demoapp://promo",
    ],
    [
      "a target that is not allowed",
      IPHONE,
      "&redirect=//evil.test",
      "https://apps.apple.com/app/id1234567890",
    ],
    [
      "a header in the target",
      IPHONE,
      "&redirect=https://example.com/%0d%0aset-cookie:a=b",
      "https://example.com/set-cookie:a=b",
    ],
  ])("redirects to the expected URL: %s", async (_description, userAgent, query, location) => {
    const response = await click(ID, { query, headers: { "user-agent": userAgent } });
    expect([response.status, response.headers.get("location")]).toEqual([302, location]);
    expect(response.headers.get("set-cookie")).toBeNull();
    expect(await recorded()).toHaveLength(1);
  });

  it("counts the targets that the app does not allow, by their names", async () => {
    const query =
      "&deep_link=otherapp%3A%2F%2Fx&redirect=https://evil.test/&redirect_android=https://evil.test/";
    await click(ID, { query });
    await click("engagement-id-02", { query: "&redirect=https://apps.apple.com/jp/app/id1" });
    await click("engagement-id-03", { query, headers: { "user-agent": "Googlebot/2.1" } });
    await click("engagement-id-04", { query, method: "HEAD" });
    expect(
      await rows(
        "SELECT link_id, param, count FROM dropped_parameters WHERE reason = 'not_allowed' ORDER BY param",
      ),
    ).toEqual([
      { link_id: 1, param: "deep_link", count: 1 },
      { link_id: 1, param: "redirect", count: 2 },
    ]);
    const { body } = await ask(`${LINK}?s2s=1&redirect=https://evil.test/`);
    expect(body).toMatchObject({ dropped: [] });
  });

  it("without a cost ID writes nothing", async () => {
    const before = await everything();
    expect((await call(`${LINK}?campaign=x`, { headers: { "user-agent": IPHONE } })).status).toBe(302);
    expect(await everything()).toEqual(before);
  });

  it("changes nothing if it is repeated: the first of a partner, ID and kind counts", async () => {
    await click(ID);
    await click(ID, { now: NOW + 1, link: "demo1nk002" });
    await view(ID, { now: NOW + 2 });
    expect(await recorded()).toEqual([
      { partner_id: 1, kind: "click", link_id: 1, occurred_at: NOW, cost_data_on: 1 },
      { partner_id: 1, kind: "impression", link_id: 1, occurred_at: NOW + 2, cost_data_on: 1 },
    ]);
  });

  it("is recorded once if it arrives twenty times concurrently", async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => click(ID)));
    expect(answers.map((answer) => answer.status)).toEqual(answers.map(() => 302));
    expect(await recorded()).toHaveLength(1);
  });

  it("on an unknown link or a malformed token returns 404", async () => {
    for (const path of [
      "/nosuch1ink",
      "/UPPERCASE1",
      "/short",
      "/%00%00%00%00%00%00",
      `${LINK}%FF`,
      `${LINK}/more`,
    ]) {
      expect(await rejection(`${path}?cost_id=${ID}`)).toMatchObject({ status: 404, code: "not_found" });
    }
    expect(await recorded()).toEqual([]);
  });

  it("on an archived link redirects and is recorded", async () => {
    await env.DB.prepare("UPDATE links SET archived = 1 WHERE id = 1").run();
    expect((await click(ID)).status).toBe(302);
    expect((await sendCost({ cost_id: ID })).body.match).toBe("matched");
  });

  it("sent with POST returns 405", async () => {
    const response = await call(`${LINK}?cost_id=${ID}`, { method: "POST" });
    expect([response.status, response.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
    expect(await recorded()).toEqual([]);
  });
});

describe("the partner and the cost switch of an engagement", () => {
  it("are those of the nearest ancestor link that has its own", async () => {
    await click(ID, { link: "demo1nk004" });
    expect(await recorded()).toMatchObject([{ partner_id: 1, link_id: 4, cost_data_on: 1 }]);
    await env.DB.prepare("UPDATE links SET partner_id = 2 WHERE id = 3").run();
    await click("engagement-id-02", { link: "demo1nk004" });
    expect(await recorded("engagement-id-02")).toMatchObject([
      { partner_id: 2, link_id: 4, cost_data_on: 0 },
    ]);
    await env.DB.prepare("UPDATE links SET cost_switch = 0 WHERE id = 2").run();
    await click("engagement-id-03", { link: "demo1nk002" });
    expect(await recorded("engagement-id-03")).toMatchObject([
      { partner_id: 1, link_id: 2, cost_data_on: 0 },
    ]);
  });

  it("switch cost data off if the partner does not support it, even with the switch on", async () => {
    await env.DB.prepare("UPDATE links SET cost_switch = 1 WHERE id = 6").run();
    await click(ID, { link: "demo1nk006" });
    expect(await recorded()).toMatchObject([{ partner_id: 2, cost_data_on: 0 }]);
  });

  it("leave an engagement on a link without a partner unrecorded", async () => {
    expect((await click(ID, { link: "demo1nk008" })).status).toBe(302);
    expect(await recorded()).toEqual([]);
  });

  it("apply to the next click after a change, with the link cached in KV", async () => {
    await setSwitch(DEMO.linkToken, false);
    await click("engagement-id-02");
    expect(await env.LINKS.get(`link:${DEMO.linkToken}`)).toBe(`${DEMO.appToken} 1`);
    await setSwitch(DEMO.linkToken, true);
    await click(ID);
    expect([await recorded("engagement-id-02"), await recorded()]).toMatchObject([
      [{ cost_data_on: 0 }],
      [{ cost_data_on: 1 }],
    ]);
  });
});

describe("recording by user agent", () => {
  const person = {
    "an iPhone": IPHONE,
    okhttp: "okhttp/4.12.0",
    "no user agent": "",
  };
  it.each(Object.entries(person))("records %s", async (_client, userAgent) => {
    expect((await click(ID, { headers: { "user-agent": userAgent } })).status).toBe(302);
    expect((await view(ID, { headers: { "user-agent": userAgent } })).status).toBe(200);
    expect(await recorded()).toHaveLength(2);
  });

  const machine = {
    Googlebot: "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
    "Facebook's preview": "facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)",
  };
  it.each(Object.entries(machine))("redirects and only counts %s", async (_client, userAgent) => {
    const before = await counted();
    const invalid = "&cost_type=nonsense";
    expect((await click(ID, { query: invalid, headers: { "user-agent": userAgent } })).status).toBe(302);
    expect((await view(ID, { query: invalid, headers: { "user-agent": userAgent } })).status).toBe(200);
    expect(await counted()).toEqual(before);
    expect(await rows("SELECT link_id, day, param, reason, count FROM dropped_parameters")).toEqual([
      { link_id: 1, day: Math.floor(NOW / DAY), param: "engagement", reason: "bot", count: 2 },
    ]);
  });

  it("redirects and does not record a prefetch or preview", async () => {
    const before = await counted();
    for (const agent of [IPHONE, "Googlebot/2.1"]) {
      const headers = { "user-agent": agent, "sec-purpose": "prefetch" };
      expect((await click(ID, { headers })).status).toBe(302);
    }
    expect(await counted()).toEqual(before);
    expect(await rows("SELECT * FROM dropped_parameters")).toEqual([]);
  });

  it("redirects and does not record HEAD, even with s2s=1", async () => {
    for (const query of ["", "&s2s=1"]) {
      const head = await click(ID, { method: "HEAD", query });
      expect([head.status, head.headers.has("location"), await head.text()]).toEqual([302, true, ""]);
      const pixel = await view(ID, { method: "HEAD", query });
      expect([pixel.status, pixel.headers.get("content-type"), await pixel.text()]).toEqual([
        200,
        "image/gif",
        "",
      ]);
    }
    expect((await click(ID, { method: "HEAD", headers: { "user-agent": "Googlebot/2.1" } })).status).toBe(
      302,
    );
    expect(await recorded()).toEqual([]);
    expect(await rows("SELECT * FROM dropped_parameters")).toEqual([]);
  });
});

describe("a click from a partner's server, s2s=1", () => {
  it.each([true, false])("says whether cost data is on: %s", async (isOn) => {
    await setSwitch(DEMO.linkToken, isOn);
    for (const query of [`cost_id=${ID}&`, ""])
      expect((await ask(`${LINK}?${query}s2s=1`)).body).toMatchObject({ cost_data: isOn });
  });

  it("returns JSON after it is committed", async () => {
    const { status, body, headers } = await ask(`${LINK}?cost_id=${ID}&s2s=1`);
    expect(status).toBe(200);
    expect(headers.get("cache-control")).toBe("no-store");
    expect(body).toEqual({
      status: "ok",
      kind: "click",
      cost_id: ID,
      recorded: true,
      duplicate: false,
      dropped: [],
      cost_data: true,
      request_id: headers.get("x-request-id"),
    });
    expect((await ask(`${LINK}?cost_id=${ID}&s2s=1`, { now: NOW + 1 })).body).toMatchObject({
      recorded: true,
      duplicate: true,
    });
  });

  it("returns recorded: false without an ID", async () => {
    expect((await ask(`${LINK}?s2s=1`)).body).toMatchObject({
      cost_id: null,
      recorded: false,
      duplicate: false,
    });
  });

  it("returns an error if the database fails", async () => {
    await click("engagement-warm-1");
    const { database } = failingDatabase(() => true);
    expect(await rejection(`${LINK}?cost_id=${ID}&s2s=1`, { env: { DB: database } })).toMatchObject({
      status: 500,
    });
    expect(await recorded()).toEqual([]);
  });

  it("is an ordinary click with another value of s2s", async () => {
    expect((await click(ID, { query: "&s2s=0" })).status).toBe(302);
  });

  it.each([
    ["0001-{cost_id}-0002", false],
    ["            ", false],
    ["00000000-0000-0000-0000-000000000000", false],
    ["0001-[abc]-0002", true],
  ])(
    "drops an unfilled macro or a blank cost_id, and nothing that only resembles one: %s",
    async (costId, recorded) => {
      const { body } = await ask(`${LINK}?cost_id=${encodeURIComponent(costId)}&s2s=1`);
      expect(body).toMatchObject({ recorded, dropped: recorded ? [] : ["cost_id"] });
    },
  );

  it("lists a dropped parameter once, also with several errors", async () => {
    const { body } = await ask(`${LINK}?cost_id=%00&cost_amount=x&cost_amount=y&cost_amount=%FF&s2s=1`);
    expect(body).toMatchObject({ recorded: false, dropped: ["cost_id", "cost_amount"] });
  });
});
