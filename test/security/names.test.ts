/**
 * Names and cost IDs cannot look like others: no zero-width characters, no blank letters, and none that change the direction of text.
 * Tags may have them, and so do cost IDs that were stored before: pages show them as escapes.
 */
import { beforeEach, describe, expect, it } from "vitest";
import { LINKS } from "../campaign/support.ts";
import { ask, call, click, DEMO, freshDemo, ORIGIN, rejection, rows, sendCost } from "../harness.ts";
import { type Need, needing, SESSIONS, startSessions } from "./support.ts";

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
  ["combining grapheme joiner", "\u034f"],
  ["Hangul initial filler", "\u115f"],
  ["Hangul medial filler", "\u1160"],
  ["Braille blank", "\u2800"],
  ["Hangul filler", "\u3164"],
  ["variation selector after a letter", "\ufe0f"],
  ["halfwidth Hangul filler", "\uffa0"],
  ["null notehead", "\u{1d159}"],
];

it.each([
  ["a zero-width joiner after a virama in Hindi", "\u0915\u094d\u200d\u0937"],
  ["a zero-width non-joiner between Persian letters", "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645"],
  ["a joiner between emoji", "\u{1f468}\u200d\u{1f469}"],
  ["a joiner after a skin tone", "\u{1f469}\u{1f3fd}\u200d\u{1f4bb}"],
])("a name can have %s", async (_, name) => {
  const { status } = await call(LINKS, { token: DEMO.apiToken, json: { name } });
  expect(status).toBe(201);
});

it.each([
  ["a joiner between Latin letters", "a\u200db"],
  ["a non-joiner at the end of a Persian word", "\u0645\u06cc\u200c"],
  ["a joiner between an Arabic and a Latin letter", "\u0645\u200da"],
  ["a joiner after an emoji, before a letter", "\u{1f468}\u200da"],
  ["two joiners", "\u0915\u094d\u200d\u200d\u0937"],
])("a name cannot have %s", async (_, name) => {
  const { status, params } = await rejection(LINKS, { token: DEMO.apiToken, json: { name } });
  expect([status, params]).toEqual([400, ["name"]]);
});

const withIn = (character: string) => `Su${character}mmer`;

it.each(INVISIBLE)(
  "a name with a %s is rejected, and dropped from the URL of an engagement",
  async (_, character) => {
    const name = withIn(character);
    const { status, params } = await rejection(LINKS, { token: DEMO.apiToken, json: { name } });
    expect([status, ...new Set(params)]).toEqual([400, "name"]);
    const json = { email: `${name}@example.com` };
    const user = await rejection("/operator/v1/users", { token: DEMO.operatorToken, json });
    expect([user.status, ...new Set(user.params)]).toEqual([400, "email"]);
    const query = new URLSearchParams({ s2s: "1", campaign: name });
    const { body } = await ask<{ dropped: string[] }>(`/${DEMO.linkToken}?${query}`);
    expect(body.dropped).toContain("campaign");
    expect(await rows("SELECT 1 FROM links WHERE label LIKE '%mmer'")).toEqual([]);
  },
);

describe("a name with a zero-width space", () => {
  const name = withIn("\u200b");

  it.each([
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

it.each(["Été 2026", "夏のキャンペーン", "حملة الصيف", "Sommer 🌞", "Love \u2764\ufe0f", "x\u0301"])(
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

describe("a stored cost ID with invisible characters", () => {
  beforeEach(async () => {
    await freshDemo();
    await startSessions();
  });
  const RAW = /[\u202e\u3164\u{e0041}]/u;
  const plain = (name: string) => `plain-${name}-0001`;
  const id = (name: string) => `\u202e${name}-0001\u3164\u{e0041}`;
  const shown = (name: string) => `\\u202E${name}-0001\\u3164\\u{E0041}`;

  /** The pages that show a text, and those with raw characters in what they show, by their paths. */
  async function readPages(cookie: string, paths: string[]) {
    const found: { shows: string[]; raw: string[] } = { shows: [], raw: [] };
    for (const path of paths) {
      const response = await call(path, { headers: { accept: "text/html", cookie } });
      if (!response.headers.get("content-type")?.startsWith("text/html")) continue;
      // The values of fields stay as they are sent.
      const text = (await response.text()).replace(/ value="[^"]*"/g, "");
      if (text.includes("\\u202E")) found.shows.push(path);
      if (RAW.test(text)) found.raw.push(path);
    }
    return found;
  }
  const pagesOf = (...needs: Need[]) =>
    needing(...needs).flatMap(({ method, path }) => (method === "GET" ? path : []));
  const partners = pagesOf("partner_session");

  it("and such a tag are shown as escapes on every page", async () => {
    const sent = { cost_type: "cpc", cost_currency: "USD", cost_amount: "1", tag: id("tag") };
    for (const [name, token] of [
      ["kept", DEMO.costToken],
      ["void", DEMO.costToken],
      ["test", DEMO.testCostToken],
    ] as const) {
      expect((await sendCost({ ...sent, cost_id: plain(name) }, { token })).status).toBe(200);
      for (const table of ["ledger_entries", "round_entries"])
        await rows(`UPDATE ${table} SET cost_id = ? WHERE cost_id = ?`, id(name), plain(name));
    }
    await rows("UPDATE round_entries SET record = replace(record, ?, ?)", plain("test"), id("test"));
    const json = { cost_id: id("void"), reason: "wrong" };
    const voids = "/operator/v1/partners/1/voids";
    expect((await call(voids, { token: DEMO.operatorToken, json })).status).toBe(200);

    const kept = `/partner/costs/${encodeURIComponent(id("kept"))}`;
    const list = `/partner/costs?cost_id=${encodeURIComponent("\u202e")}`;
    expect(await readPages(SESSIONS.partner, [...partners, list, kept])).toEqual({
      shows: ["/partner/costs", list, kept],
      raw: [],
    });
    const test = `/partner/costs/${encodeURIComponent(id("test"))}`;
    expect(await readPages(SESSIONS.partnerInRound, [...partners, test])).toEqual({
      shows: ["/partner/costs", "/partner/round", test],
      raw: [],
    });
    const voided = `/operator/partners/1/voids?cost_id=${encodeURIComponent(id("void"))}`;
    const pending = "/operator/partners/1/costs?match=pending";
    expect(
      await readPages(SESSIONS.operator, [...pagesOf("session", "operator_session"), pending, voided]),
    ).toEqual({
      shows: ["/operator/partners/1/costs", "/operator/rounds/1", "/operator/audit", pending, voided],
      raw: [],
    });
    const cookie = SESSIONS.partner;
    const page = await (await call(kept, { headers: { accept: "text/html", cookie } })).text();
    expect(page).toContain(`<title>Cost ${shown("kept")}`);
    expect(page).toContain(`<h1 class="id">${shown("kept")}</h1>`);
    expect(page).toContain(`<dd>${shown("tag")}</dd>`);
  });

  it("is shown as escapes where a file is checked, with and without a script", async () => {
    const line = `cpc,USD,${id("file")},1,tag`;
    const file = `cost_type,cost_currency,cost_id,cost_amount,tag\n${line}`;
    const form = new FormData();
    form.set("file", new File([file], "costs.csv", { type: "text/csv" }));
    const headers = { cookie: SESSIONS.partner, accept: "text/html", origin: ORIGIN };
    const checked = await (await call("/partner/upload", { method: "POST", headers, body: form })).text();
    expect(checked).toContain(`<code>${shown("file")}</code>`);
    const { body } = await ask<{ rows: { name: string; key: string }[] }>("/partner/upload", {
      method: "POST",
      headers: { ...headers, accept: "application/json", "content-type": "text/csv" },
      body: `row,cost_type,cost_currency,cost_id,cost_amount,tag\n1,${line}`,
    });
    expect(body.rows).toMatchObject([{ name: shown("file"), key: id("file") }]);
  });
});
