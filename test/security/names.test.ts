/** Names cannot look like other names: no zero-width characters, and none that change the direction of text. */
import { beforeEach, describe, expect, it } from "vitest";
import { LINKS } from "../campaign/support.ts";
import { ask, call, click, DEMO, freshDemo, rejection, rows } from "../harness.ts";
import { SESSIONS, startSessions } from "./support.ts";

beforeEach(freshDemo);

const INVISIBLE: [string, string][] = [
  ["zero-width space", "\u200b"],
  ["zero-width joiner", "\u200d"],
  ["right-to-left mark", "\u200f"],
  ["left-to-right embedding", "\u202a"],
  ["right-to-left override", "\u202e"],
  ["line separator", "\u2028"],
  ["word joiner", "\u2060"],
  ["first strong isolate", "\u2068"],
  ["byte order mark", "\ufeff"],
  ["soft hyphen", "\u00ad"],
  ["tag character", "\u{e0041}"],
];

describe.each(INVISIBLE)("a name with a %s", (_, character) => {
  const name = `Su${character}mmer`;

  it.each([
    ["a new link", LINKS, "POST", DEMO.apiToken, { name }, "name"],
    ["a link", `${LINKS}/${DEMO.linkToken}`, "PATCH", DEMO.apiToken, { name }, "name"],
    ["a bulk request", `${LINKS}/bulk`, "POST", DEMO.apiToken, { links: [{ name }] }, undefined],
    [
      "a new app",
      "/operator/v1/apps",
      "POST",
      DEMO.operatorToken,
      { name, default_url: "https://a.test" },
      "name",
    ],
    [
      "a partner",
      "/operator/v1/partners/1",
      "PATCH",
      DEMO.operatorToken,
      { display_name: name },
      "display_name",
    ],
    [
      "a new user",
      "/operator/v1/users",
      "POST",
      DEMO.operatorToken,
      { email: `${name}@example.com` },
      "email",
    ],
  ])("is rejected: %s", async (_what, path, method, token, json, param) => {
    if (param === undefined) {
      const { body } = await ask<{ data: { items: { status: number; errors: object[] }[] } }>(path, {
        token,
        json,
      });
      expect(body.data.items[0]).toMatchObject({ status: 400, errors: [{ param: "name" }] });
    } else {
      const { status, params } = await rejection(path, { token, method, json });
      expect([status, ...new Set(params)]).toEqual([400, param]);
    }
    expect(await rows("SELECT 1 FROM links WHERE label LIKE '%mmer'")).toEqual([]);
  });

  it("is dropped from the URL of an engagement, and creates no sub-link", async () => {
    const query = new URLSearchParams({ s2s: "1", campaign: name });
    const { body } = await ask<{ dropped: string[] }>(`/${DEMO.linkToken}?${query}`);
    expect(body.dropped).toContain("campaign");
    expect(await rows("SELECT 1 FROM links WHERE label LIKE '%mmer'")).toEqual([]);
  });

  it("is rejected in the console", async () => {
    await startSessions();
    const headers = {
      cookie: SESSIONS.operator,
      accept: "text/html",
      "content-type": "application/x-www-form-urlencoded",
    };
    const body = new URLSearchParams({ display_name: name }).toString();
    expect((await call("/operator/partners/new", { headers, body })).status).toBe(400);
  });
});

it.each(["Été 2026", "夏のキャンペーン", "حملة الصيف", "Sommer 🌞", "x\u0301"])(
  "a name in any script is accepted: %s",
  async (name) => {
    const { status, body } = await ask<{ data: { items: { label: string }[] } }>(LINKS, {
      token: DEMO.apiToken,
      json: { name },
    });
    expect([status, body.data.items[0]?.label]).toEqual([201, name]);
  },
);

it("two encodings of a name are one link, in the API and in a click", async () => {
  const composed = "\u00c9t\u00e9";
  const decomposed = "E\u0301te\u0301";
  for (const name of [decomposed, composed]) {
    const query = `&campaign=${encodeURIComponent(name)}`;
    expect((await click(`names-${name.length}-0001`, { query })).status).toBe(302);
  }
  const subLinks = "SELECT label FROM links WHERE from_engagement AND label IN (?, ?)";
  expect(await rows(subLinks, composed, decomposed)).toEqual([{ label: composed }]);
  const json = { name: decomposed };
  const { body } = await ask<{ data: { items: { label: string }[] } }>(LINKS, { token: DEMO.apiToken, json });
  expect(body.data.items[0]?.label).toBe(composed);
});
