/** The limiters of new names on URLs: above them, clicks find the sub-links that exist and create none. */
import { beforeEach, describe, expect, it } from "vitest";
import { allowedPaths, foundPaths, partnersOfLinks } from "../../src/db/isolate-memory.ts";
import { createLink, patchLink } from "../campaign/support.ts";
import { faultyQueue } from "../faults/faulty.ts";
import { ask, call, DEMO, IPHONE, rows } from "../harness.ts";
import { freshLedger } from "../support.ts";

beforeEach(async () => {
  await freshLedger();
  for (const memory of [allowedPaths, foundPaths, partnersOfLinks]) memory.clear();
});

/** Allows so many of each key. */
function limiter(most: number): RateLimit & { keys: string[] } {
  const keys: string[] = [];
  const limit = async ({ key }: { key: string }) => {
    keys.push(key);
    return { success: keys.filter((one) => one === key).length <= most };
  };
  return { limit, keys };
}
const created = async () =>
  (
    await rows<{ label: string }>("SELECT label FROM links WHERE from_engagement = 1 AND id > 14 ORDER BY id")
  ).map(({ label }) => label);
const browse = (campaign: string, NEW_SUB_LINKS: RateLimit, address = "198.51.100.1") =>
  call(`/${DEMO.linkToken}?campaign=${campaign}`, {
    headers: { "cf-connecting-ip": address, "user-agent": IPHONE },
    env: { NEW_SUB_LINKS },
  });
const serve = async (
  campaign: string,
  SERVER_SUB_LINKS: RateLimit,
  address = "198.51.100.1",
  link: string = DEMO.linkToken,
) =>
  (
    await ask<{ dropped: string[] }>(`/${link}?s2s=1&campaign=${campaign}`, {
      headers: { "cf-connecting-ip": address },
      env: { SERVER_SUB_LINKS },
    })
  ).body.dropped;

describe("a browser that names new sub-links", () => {
  it("creates them up to the limit of its address; every click redirects and is counted", async () => {
    const NEW_SUB_LINKS = limiter(2);
    for (const name of ["One", "Two", "Three"]) expect((await browse(name, NEW_SUB_LINKS)).status).toBe(302);
    expect(await created()).toEqual(["One", "Two"]);
    expect(await rows("SELECT param, reason, count FROM dropped_parameters")).toEqual([
      { param: "campaign", reason: "too_many_links", count: 1 },
    ]);
    expect(await rows("SELECT sum(count) AS n FROM daily_engagements")).toEqual([{ n: 3 }]);
    await browse("Three", NEW_SUB_LINKS, "198.51.100.2");
    expect(await created()).toEqual(["One", "Two", "Three"]);
  });

  it("finds those that exist above the limit, and a name counts once in an isolate", async () => {
    const NEW_SUB_LINKS = limiter(1);
    for (const name of ["One", "One", "Two", "Spring", "Spring"]) await browse(name, NEW_SUB_LINKS);
    expect(NEW_SUB_LINKS.keys).toHaveLength(3);
    expect(
      await rows(
        "SELECT l.label, e.count FROM daily_engagements e JOIN links l ON l.id = e.link_id ORDER BY l.id",
      ),
    ).toEqual([
      { label: "Acme", count: 1 },
      { label: "Spring", count: 2 },
      { label: "One", count: 2 },
    ]);
  });

  it("without a name is not counted", async () => {
    const NEW_SUB_LINKS = limiter(0);
    await call(`/${DEMO.linkToken}?other=1`, {
      headers: { "cf-connecting-ip": "198.51.100.1", "user-agent": IPHONE },
      env: { NEW_SUB_LINKS },
    });
    expect(NEW_SUB_LINKS.keys).toEqual([]);
  });

  it("shares the limit with the other half of its IPv6 address", async () => {
    const NEW_SUB_LINKS = limiter(1);
    await browse("One", NEW_SUB_LINKS, "2001:db8::1");
    await browse("Two", NEW_SUB_LINKS, "2001:db8::ffff:2");
    expect([await created(), new Set(NEW_SUB_LINKS.keys)]).toEqual([
      ["One"],
      new Set(["2001:0db8:0:0".replace("0db8", "db8")]),
    ]);
  });

  it("is limited before the queue, which knows no address", async () => {
    const { queue, accepted } = faultyQueue();
    const NEW_SUB_LINKS = limiter(1);
    for (const name of ["One", "Two"])
      await call(`/${DEMO.linkToken}?campaign=${name}`, {
        headers: { "cf-connecting-ip": "198.51.100.1", "user-agent": IPHONE },
        env: { NEW_SUB_LINKS, ENGAGEMENTS: queue },
      });
    expect(accepted.map(({ createsNothing = false }) => createsNothing)).toEqual([false, true]);
  });

  it("creates them if the limiter does not answer", async () => {
    const failing: RateLimit = { limit: () => Promise.reject(new Error("injected")) };
    await browse("One", failing);
    expect(await created()).toEqual(["One"]);
  });
});

describe("a server that names new sub-links", () => {
  it("has a limit for each partner and address, which strangers elsewhere cannot use up", async () => {
    const other = await createLink("Other network");
    await patchLink(other.token, { partner_id: 2 });
    await rows("UPDATE partners SET click_parameters = 'campaign={c}' WHERE id = 2");
    const SERVER_SUB_LINKS = limiter(2);
    // The partner of a link is known after its first click.
    await serve("", SERVER_SUB_LINKS);
    await serve("", SERVER_SUB_LINKS, "198.51.100.1", other.token);
    expect(await serve("One", SERVER_SUB_LINKS)).toEqual([]);
    expect(await serve("Two", SERVER_SUB_LINKS)).toEqual([]);
    expect(await serve("Three", SERVER_SUB_LINKS)).toEqual(["campaign"]);
    expect(await serve("Two", SERVER_SUB_LINKS)).toEqual([]);
    expect(await serve("Three", SERVER_SUB_LINKS, "198.51.100.1", other.token)).toEqual([]);
    expect(await serve("Four", SERVER_SUB_LINKS, "198.51.100.2")).toEqual([]);
    expect(new Set(SERVER_SUB_LINKS.keys)).toEqual(
      new Set(["1 198.51.100.1", "2 198.51.100.1", "1 198.51.100.2"]),
    );
  });
});
