/** Sub-links that clicks and impressions name on their URLs. */
import { beforeEach, describe, expect, it } from "vitest";
import { recordQueued } from "../../src/engagement/queue.ts";
import { createLink, patchLink } from "../campaign/support.ts";
import { faultyQueue } from "../faults/faulty.ts";
import {
  ask,
  call,
  countingDatabase,
  DEMO,
  env,
  IPHONE,
  ledgerOn,
  NOW,
  queueBatch,
  rows,
} from "../harness.ts";
import { isLong } from "../part.ts";
import { freshLedger, openedLink } from "../support.ts";

beforeEach(freshLedger);

const open = (query: string, link: string = DEMO.linkToken) =>
  call(`/${link}?${query}`, { headers: { "user-agent": IPHONE } });
/** Opens a link as a partner's server does. Returns the parameters that were dropped. */
const openNow = async (query: string, link: string = DEMO.linkToken) =>
  (await ask<{ dropped: string[] }>(`/${link}?s2s=1&${query}`)).body.dropped;

/** The counts of all databases: `link name: count/recorded`, in the order of the links. */
async function counts(): Promise<string[]> {
  const labels = new Map(
    (await rows<{ id: number; label: string }>("SELECT id, label FROM links")).map(({ id, label }) => [
      id,
      label,
    ]),
  );
  const found = await rows<{ link_id: number; count: number; recorded: number }>(
    "SELECT link_id, count, recorded FROM daily_engagements ORDER BY link_id",
  );
  return [...Map.groupBy(found, ({ link_id }) => link_id)].map(([id, same]) => {
    const sum = (key: "count" | "recorded") => same.reduce((total, row) => total + row[key], 0);
    return `${labels.get(id) ?? "missing"}: ${sum("count")}/${sum("recorded")}`;
  });
}
const dropped = async () =>
  (
    await rows<{ param: string; reason: string; count: number }>(
      "SELECT param, reason, count FROM dropped_parameters ORDER BY param, reason",
    )
  ).map(({ param, reason, count }) => `${param} ${reason} ${count}`);
/** The links that engagements created, without those of the demo data. */
const created = () =>
  rows<{ id: number; level: number; label: string; parent_id: number }>(
    "SELECT id, level, label, parent_id FROM links WHERE from_engagement = 1 AND id > 14 ORDER BY id",
  );
const setCount = (count: number, id = 1) =>
  rows("UPDATE links SET from_engagement_count = ? WHERE id = ?", count, id);
const countOf = async (id = 1) =>
  (await rows<{ n: number }>("SELECT from_engagement_count AS n FROM links WHERE id = ?", id))[0]?.n ?? 0;
const takeAllLevels = () =>
  rows("UPDATE partners SET click_parameters = 'campaign={c}&adgroup={a}&creative={k}' WHERE id = 1");

describe("an engagement whose URL names sub-links", () => {
  it("creates them once, and is counted under the deepest", async () => {
    await takeAllLevels();
    const before = await countOf();
    await open("campaign=Summer&adgroup=Runners&creative=Video");
    await open("campaign=Summer&adgroup=Runners&creative=Video&cost_id=sub-link-click-01");
    expect(await created()).toMatchObject([
      { level: 2, label: "Summer" },
      { level: 3, label: "Runners" },
      { level: 4, label: "Video" },
    ]);
    expect(await counts()).toEqual(["Video: 2/1"]);
    expect(await countOf()).toBe(before + 3);
  });

  it("answers a server with what was dropped", async () => {
    const { body } = await ask(`/${DEMO.linkToken}?s2s=1&adgroup=Runners&cost_id=sub-link-click-02`);
    expect(body).toMatchObject({ recorded: true, duplicate: false, dropped: ["adgroup"] });
    expect(await rows("SELECT link_id, param, reason, count FROM dropped_parameters")).toEqual([
      { link_id: 1, param: "adgroup", reason: "missing_level", count: 1 },
    ]);
  });

  it("ignores names at or above the level of the opened link, and names that the template lacks", async () => {
    expect(await openNow("campaign=Other&adgroup=Runners", "demo1nk002")).toEqual([]);
    expect(await openNow("campaign=Spring&adgroup=Runners&creative=Video 15s")).toEqual([]);
    expect(await openNow("campaign=Other", "demo1nk006")).toEqual([]);
    expect(await created()).toEqual([]);
    expect(await counts()).toEqual(["Runners: 2/0", "Beacon: 1/0"]);
  });
});

describe("the limit of 10,000 sub-links that engagements create below a network", () => {
  it("lets the 10,000th be created and no other, on any level, and counts what it drops", async () => {
    await takeAllLevels();
    await setCount(9_999);
    await open("campaign=Last&adgroup=Extra&creative=Video&cost_id=sub-link-click-03");
    expect(await created()).toMatchObject([{ level: 2, label: "Last" }]);
    expect(await countOf()).toBe(10_000);
    expect(await counts()).toEqual(["Last: 1/1"]);
    expect(await dropped()).toEqual(["adgroup too_many_links 1", "creative missing_level 1"]);
    // Links that exist are found.
    expect(await openNow("campaign=Spring&adgroup=Runners&creative=Video 30s")).toEqual([]);
    expect(await openNow("campaign=Spring&adgroup=Runners&creative=New")).toEqual(["creative"]);
    expect(await openNow("campaign=Other")).toEqual(["campaign"]);
    expect(await counts()).toEqual(["Acme: 1/0", "Runners: 1/0", "Video 30s: 1/0", "Last: 1/1"]);
    expect(await created()).toHaveLength(1);
  });

  it.each([
    ["demo1nk002", "adgroup=New", "Spring"],
    ["demo1nk003", "creative=New", "Runners"],
  ])("is that of the level-1 link when %s is opened with %s", async (link, query, name) => {
    await takeAllLevels();
    await setCount(9_999);
    expect(await openNow(query, link)).toEqual([]);
    await setCount(10_000);
    expect(await openNow(query.replace("New", "Newer"), link)).toEqual([query.split("=")[0]]);
    expect(await counts()).toEqual([`${name}: 1/0`, "New: 1/0"]);
  });

  it("holds for the new links of a batch together, and for each network separately", async () => {
    const other = await createLink("Other network");
    await patchLink(other.token, { partner_id: 1 });
    const [{ id: otherId } = { id: 0 }] = await rows<{ id: number }>(
      "SELECT id FROM links WHERE token = ?",
      other.token,
    );
    await setCount(9_999);
    await setCount(9_998, otherId);
    const named = (linkToken: string, name: string) => {
      const subLinks = [name, null, null].map((one, level) => ({
        name: one,
        reason: null,
        token: one === null ? "" : `queued${name.toLowerCase()}${level}`,
      }));
      return openedLink(`sub-link-${linkToken}-${name}`, { linkToken, subLinks });
    };
    const messages = ["Aaa", "Bbb", "Ccc"].map((name) => named(DEMO.linkToken, name));
    const others = ["Ddd", "Eee"].map((name) => named(other.token, name));
    await recordQueued(queueBatch([...messages, ...others]), ledgerOn(), NOW);
    expect((await created()).map(({ label }) => label).toSorted()).toEqual([
      expect.stringMatching(/^(Aaa|Bbb|Ccc)$/),
      "Ddd",
      "Eee",
    ]);
    expect(await dropped()).toEqual(["campaign too_many_links 2"]);
    expect([await countOf(), await countOf(otherId)]).toEqual([10_000, 10_000]);
    expect((await counts())[0]).toBe("Acme: 2/2");
  });
});

it("counts the parameters of a URL that was copied from HTML, each as it should be named", async () => {
  const query =
    "?s2s=1&amp;cost_id=sub-link-click-05&amp;campaign=Spring&amp;cost_type=cpc&amp;platform=ios&amp;other=1";
  const { body } = await ask(`/${DEMO.linkToken}${query}&amp;adgroup=`);
  expect(body).toMatchObject({ recorded: false, cost_id: null });
  expect(await dropped()).toEqual(["campaign escaped 1", "cost_id escaped 1", "platform escaped 1"]);
  // The same name without amp; is what counts.
  await open("campaign=Spring&amp;campaign=Summer&cost_id=sub-link-click-06");
  expect(await dropped()).toHaveLength(3);
  expect(await counts()).toEqual(["Acme: 1/0", "Spring: 1/1"]);
});

describe("a sub-link with another partner in effect", () => {
  it("is not used, also if a younger one has the name, and is counted as dropped", async () => {
    await rows("UPDATE links SET partner_id = 2 WHERE id = 2");
    await createLink("Spring", DEMO.linkToken);
    await open("campaign=Spring&adgroup=Runners&cost_id=sub-link-click-04");
    expect(await counts()).toEqual(["Acme: 1/1"]);
    expect(await dropped()).toEqual(["adgroup missing_level 1", "campaign other_partner 1"]);
    expect(await rows("SELECT partner_id, link_id FROM engagements")).toContainEqual({
      partner_id: 1,
      link_id: 1,
    });
    expect(await created()).toEqual([]);
  });

  it("is used with the partner of the opened link as its own, with its own cost switch", async () => {
    await rows("UPDATE links SET partner_id = 1, cost_switch = 0 WHERE id = 2");
    expect(await openNow("campaign=Spring&adgroup=Runners&cost_id=sub-link-click-05")).toEqual([]);
    expect(await counts()).toEqual(["Runners: 1/1"]);
    expect(
      await rows("SELECT partner_id, cost_data_on FROM engagements WHERE cost_id = 'sub-link-click-05'"),
    ).toEqual([{ partner_id: 1, cost_data_on: 0 }]);
  });

  it("is not used by an isolate that remembers it from before", async () => {
    expect(await openNow("campaign=Spring")).toEqual([]);
    await rows("UPDATE links SET partner_id = 2 WHERE id = 2");
    expect(await openNow("campaign=Spring")).toEqual(["campaign"]);
    expect(await openNow("campaign=Spring")).toEqual(["campaign"]);
    expect(await counts()).toEqual(["Acme: 2/0", "Spring: 1/0"]);
  });
});

describe("20 concurrent first clicks of a campaign", () => {
  const QUERY = "campaign=Rush&adgroup=Hour";
  const idOf = (index: number) => `sub-link-rush-${String(index).padStart(3, "0")}`;
  const indexes = Array.from({ length: 20 }, (_, index) => index);

  async function checkOnce(): Promise<void> {
    expect(await created()).toMatchObject([
      { level: 2, label: "Rush", parent_id: 1 },
      { level: 3, label: "Hour" },
    ]);
    expect(await counts()).toEqual(["Hour: 20/20"]);
    expect(await dropped()).toEqual([]);
    const links = await rows("SELECT child_count - 4 AS child_count FROM links WHERE label = 'Acme'");
    expect(links).toEqual([{ child_count: 1 }]);
  }

  it("create it once when each is recorded by itself", async () => {
    const all = await Promise.all(indexes.map((index) => openNow(`${QUERY}&cost_id=${idOf(index)}`)));
    expect(all.flat()).toEqual([]);
    await checkOnce();
  });

  it.each(isLong ? [1, 4, 20] : [1, 20])(
    "create it once when the queue delivers them in %i concurrent batches",
    async (batches) => {
      const { queue, accepted } = faultyQueue();
      const headers = { "user-agent": IPHONE };
      for (const index of indexes) {
        await call(`/${DEMO.linkToken}?${QUERY}&cost_id=${idOf(index)}`, {
          headers,
          env: { ENGAGEMENTS: queue },
        });
      }
      expect(accepted).toHaveLength(20);
      const parts = Array.from({ length: batches }, (_, part) =>
        accepted.filter((_, index) => index % batches === part),
      );
      await Promise.all(parts.map((part) => recordQueued(queueBatch(part), ledgerOn(), NOW)));
      await checkOnce();
    },
  );
});

describe("the budget of a click with a campaign and an ad group", () => {
  const isSharded = ledgerOn().shards.length > 0;
  /** With shards, a second call reads its own gate, the engagement that it gets, and the row of the ID. */
  const more = isSharded ? 7 : 0;
  async function measure(query: string, link: string = DEMO.linkToken) {
    // Puts the destination into KV.
    await openNow("", link);
    const { database, counts: used } = countingDatabase();
    await ask(`/${link}?s2s=1&${query}`, { env: { DB: database } });
    return used;
  }

  it.each([
    [20, "that the isolate remembers", "campaign=Spring&adgroup=Runners", true],
    [35, "that it has not resolved yet", "campaign=Launch week&adgroup=Lookalike 1%25", false],
    [20, "of which one is opened itself", "", true],
  ])("is one call and at most %i rows read for those %s", async (rowsRead, _which, query, isOpened) => {
    const link = query ? DEMO.linkToken : "demo1nk003";
    if (isOpened) await openNow(query, link);
    const used = await measure(`${query}&cost_id=sub-link-click-10`, link);
    expect(used).toEqual({ calls: isSharded ? 2 : 1, read: expect.any(Number), written: 3 });
    expect(used.read).toBeLessThanOrEqual(rowsRead + more);
  });

  it("is one call, with 9 rows written for each new sub-link", async () => {
    const used = await measure("campaign=Brand new&adgroup=Ad group&cost_id=sub-link-click-11");
    expect(used).toMatchObject({ calls: isSharded ? 2 : 1, written: 3 + 2 * 9 });
  });
});

describe("an isolate that remembers a sub-link", () => {
  /** Opens the campaign until the isolate remembers it. Returns its token. */
  async function remember(name: string): Promise<string> {
    await openNow(`campaign=${name}`);
    await openNow(`campaign=${name}`);
    const [link] = await rows<{ token: string }>("SELECT token FROM links WHERE label = ?", name);
    return link?.token ?? "";
  }

  it("finds it by its first name after it is renamed and archived, and creates one with the new name", async () => {
    const token = await remember("Known");
    await patchLink(token, { name: "Renamed" });
    expect(await openNow("campaign=Known")).toEqual([]);
    await patchLink(token, { archived: true });
    expect(await openNow("campaign=Known&cost_id=sub-link-click-06")).toEqual([]);
    expect(await counts()).toEqual(["Renamed: 4/1"]);
    await createLink("Known", DEMO.linkToken);
    expect(await openNow("campaign=Known")).toEqual([]);
    expect(await counts()).toEqual(["Renamed: 5/1"]);
    await open("campaign=Renamed");
    expect((await created()).map(({ label }) => label)).toEqual(["Renamed", "Renamed"]);
    expect(await counts()).toEqual(["Renamed: 5/1", "Renamed: 1/0"]);
  });

  it("records under the archived sub-link when that is opened itself", async () => {
    const token = await remember("Archived");
    await patchLink(token, { archived: true });
    expect((await open("cost_id=sub-link-click-07", token)).status).toBe(302);
    expect(await counts()).toEqual(["Archived: 3/1"]);
  });

  it("creates it again after the database was reset or restored to a time before it", async () => {
    await remember("Restored");
    await freshLedger();
    await setCount(2);
    expect(await openNow("campaign=Restored&cost_id=sub-link-click-08")).toEqual([]);
    expect(await created()).toMatchObject([{ level: 2, label: "Restored", parent_id: 1 }]);
    expect(await counts()).toEqual(["Restored: 1/1"]);
    expect(await dropped()).toEqual([]);
    expect(await countOf()).toBe(3);
  });

  it("records nothing, and creates nothing, after the database lost the opened link too", async () => {
    const { token } = await createLink("Lost network");
    await patchLink(token, { partner_id: 1 });
    await openNow("campaign=Gone", token);
    await openNow("campaign=Gone", token);
    const destination = (await env.LINKS.get(`app:${DEMO.appToken}`)) ?? "";
    await freshLedger();
    await env.LINKS.put(`link:${token}`, DEMO.appToken);
    await env.LINKS.put(`app:${DEMO.appToken}`, destination);
    expect((await open("campaign=Gone&cost_id=sub-link-click-09", token)).status).toBe(302);
    expect([await created(), await counts(), await dropped()]).toEqual([[], [], []]);
    expect((await call(`/${token}?s2s=1&campaign=Gone`)).status).toBe(404);
  });
});
