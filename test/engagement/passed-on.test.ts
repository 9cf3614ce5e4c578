/** What a click passes on to the app's URLs, from the setting to the Location of the redirect. */
import { beforeEach, describe, expect, it } from "vitest";
import { ANDROID, ask, call, countingDatabase, DEMO, env, freshDemo, IPHONE } from "../harness.ts";
import { failingDatabase, LINK } from "../support.ts";

beforeEach(freshDemo);

const DESKTOP = "Mozilla/5.0 (X11; Linux x86_64) Firefox/130.0";
const PLAY = "https://play.google.com/store/apps/details?id=com.example.demo";
const APP = `/operator/v1/apps/${DEMO.appToken}`;

const change = (json: Record<string, unknown>) =>
  ask(APP, { method: "PATCH", token: DEMO.operatorToken, json });
const save = async (json: Record<string, string>) => {
  const { status, body } = await change(json);
  expect([status, body]).toMatchObject([200, { data: { items: [json] } }]);
};
const open = async (query: string, userAgent = DESKTOP, more: Parameters<typeof call>[1] = {}) =>
  (await call(`${LINK}?${query}`, { headers: { "user-agent": userAgent }, ...more })).headers.get("location");

describe("a click passes on", () => {
  it("what its URL has, to the URL of its device", async () => {
    await save({
      android_url: `${PLAY}&referrer=cost_id%3D{{cost_id}}%26utm_campaign%3D{{campaign}}`,
      ios_url: "https://apps.apple.com/app/id1?ct={campaign}&pt={gclid}",
      default_url:
        "https://example.com/{campaign}/{adgroup}?c={creative}&t={link_token}&p={platform}&l={country}#{gclid}",
    });
    const query = new URLSearchParams({
      cost_id: "click & 000001",
      campaign: "Spring Sale",
      adgroup: "a/b",
      creative: "1%",
      gclid: "é",
    });
    const play = new URL((await open(`${query}`, ANDROID)) ?? "");
    expect(play.searchParams.get("id")).toBe("com.example.demo");
    const referrer = new URLSearchParams(play.searchParams.get("referrer") ?? "");
    expect([...referrer]).toEqual([
      ["cost_id", "click & 000001"],
      ["utm_campaign", "Spring Sale"],
    ]);
    expect(await open(`${query}`, IPHONE)).toBe("https://apps.apple.com/app/id1?ct=Spring%20Sale&pt=%C3%A9");
    expect(await open(`${query}`, DESKTOP, { cf: { country: "DE" } })).toBe(
      `https://example.com/Spring%20Sale/a%2Fb?c=1%25&t=${DEMO.linkToken}&p=linux&l=DE#%C3%A9`,
    );
  });

  it.each([
    ["a parameter that is missing", ""],
    ["one that is empty", "campaign="],
    ["one that is blank", "campaign=%20%20"],
    ["one that is not UTF-8", "campaign=%ff"],
    ["one of which a part is not UTF-8", "campaign=caf%e9"],
    ["one that is there twice, once not in UTF-8", "campaign=a&campaign=%ff"],
    ["one that is there twice with different values", "campaign=a&campaign=b"],
    ["a macro that was not filled in", "campaign={campaign_name}"],
    ["one of another form", "campaign=__CAMPAIGN__"],
    ["one that was encoded twice", "campaign=%257Bcampaign%257D"],
    ["one in signs of per cent", "campaign=%25%25CAMPAIGN%25%25"],
    ["a country that is not known, whatever the URL says", "country=US"],
    ["a segment that leads up", "campaign=.."],
    ["5,000 characters", `campaign=${"x".repeat(5_000)}`],
  ])("nothing for %s", async (_name, query) => {
    await save({ default_url: "https://example.com/a/{campaign}/b?l={country}" });
    expect(await open(query, DESKTOP, { cf: { country: "XX" } })).toBe("https://example.com/a//b?l=");
  });

  it.each([
    ["campaign=%20a%20", "a"],
    ["campaign=a&campaign=a&campaign=", "a"],
    ["campaign=%26x%3D1%23", "%26x%3D1%23"],
    ["campaign=javascript:alert(1)", "javascript%3Aalert(1)"],
    ["campaign=%0d%0aset-cookie:a", "set-cookie%3Aa"],
    ["campaign=a%0d%0aset-cookie:a", "a%0D%0Aset-cookie%3Aa"],
    ["campaign=%F0%9F%98%80", "%F0%9F%98%80"],
  ])("%s as %s", async (query, sent) => {
    await save({ default_url: "https://example.com/?a={campaign}&b=2" });
    expect(await open(query)).toBe(`https://example.com/?a=${sent}&b=2`);
  });

  it("nothing in a target of its own URL", async () => {
    expect(await open("campaign=a&redirect=https%3A%2F%2Fexample.com%2F%3Fa%3D%7Bcampaign%7D")).toBe(
      "https://example.com/?a={campaign}",
    );
  });

  it("also while the database is down, from KV", async () => {
    await save({ default_url: "https://example.com/?a={campaign}" });
    await open("campaign=a");
    const { database } = failingDatabase(() => true);
    expect(await open("campaign=b", DESKTOP, { env: { DB: database } })).toBe("https://example.com/?a=b");
  });

  it("without more calls or rows", async () => {
    const counted = async () => {
      await open("campaign=a");
      const { database, counts } = countingDatabase();
      await open("campaign=a", DESKTOP, { env: { DB: database } });
      return counts;
    };
    const before = await counted();
    await save({ default_url: "https://example.com/?a={campaign}&b={{adgroup}}" });
    expect(await counted()).toEqual(before);
  });
});

describe("a URL of an app", () => {
  it.each([
    ["default_url", "https://example.com/?a={a b}", "{a b}"],
    ["ios_url", "https://{host}/", "{host}"],
    ["android_url", "https://example.com:{port}/", "{port}"],
    ["default_url", "{scheme}://example.com/", "{scheme}"],
    ["default_url", "javascript:{a}", "must be an absolute http or https URL"],
    ["default_url", "/{a}", "must be an absolute http or https URL"],
  ])("is rejected by the API with the placeholder: %s %s", async (param, url, named) => {
    expect(await change({ [param]: url })).toMatchObject({
      status: 400,
      body: { errors: [{ param, message: expect.stringContaining(named) }] },
    });
    expect(
      await env.DB.prepare("SELECT default_url FROM apps WHERE token = ?").bind(DEMO.appToken).first(),
    ).toEqual({
      default_url: "https://example.com/",
    });
  });

  it("is normalized without placeholders, and stays unchanged with them", async () => {
    expect((await change({ default_url: "https://EXAMPLE.com/ü" })).body).toMatchObject({
      data: { items: [{ default_url: "https://example.com/%C3%BC" }] },
    });
    await save({ default_url: "https://EXAMPLE.com/ü?{a}" });
    expect(await open("a=1")).toBe("https://example.com/%C3%BC?1");
  });
});
