import { beforeEach, describe, expect, it } from "vitest";
import { ask, call, DEMO, env, IPHONE, NOW, rows } from "../harness.ts";
import { freshLedger } from "../support.ts";

beforeEach(freshLedger);

const open = (query: string, link = DEMO.linkToken, now = NOW) =>
  call(`/${link}?${query}`, { headers: { "user-agent": IPHONE }, now });
/** The counts of all databases, by link and kind. */
async function counts() {
  const found = await rows<{ link_id: number; kind: string; count: number; recorded: number }>(
    "SELECT link_id, partner_id, kind, count, recorded FROM daily_engagements ORDER BY link_id, kind",
  );
  return [...Map.groupBy(found, ({ link_id, kind }) => `${link_id} ${kind}`).values()].map((same) => ({
    ...same[0],
    count: same.reduce((sum, { count }) => sum + count, 0),
    recorded: same.reduce((sum, { recorded }) => sum + recorded, 0),
  }));
}

describe("an engagement whose URL names sub-links", () => {
  it("creates them once, and is counted under the deepest", async () => {
    await env.DB.prepare(
      "UPDATE partners SET click_parameters = 'campaign={c}&adgroup={a}&creative={k}' WHERE id = 1",
    ).run();
    const [root] = await rows<{ count: number }>(
      "SELECT from_engagement_count AS count FROM links WHERE id = 1",
    );
    const before = root?.count ?? 0;
    await open("campaign=Summer&adgroup=Runners&creative=Video");
    await open("campaign=Summer&adgroup=Runners&creative=Video&cost_id=sub-link-click-01");
    const created = await rows<{ id: number }>(
      "SELECT id, level, label FROM links WHERE from_engagement = 1 AND id > 14 ORDER BY id",
    );
    expect(created).toMatchObject([
      { level: 2, label: "Summer" },
      { level: 3, label: "Runners" },
      { level: 4, label: "Video" },
    ]);
    expect(await counts()).toEqual([
      { link_id: created[2]?.id, partner_id: 1, kind: "click", count: 2, recorded: 1 },
    ]);
    expect(await rows("SELECT from_engagement_count - ? AS added FROM links WHERE id = 1", before)).toEqual([
      { added: 3 },
    ]);
  });

  it("answers a server with what was dropped", async () => {
    const { body } = await ask(`/${DEMO.linkToken}?s2s=1&adgroup=Runners&cost_id=sub-link-click-02`);
    expect(body).toMatchObject({ recorded: true, duplicate: false, dropped: ["adgroup"] });
    expect(await rows("SELECT link_id, param, reason, count FROM dropped_parameters")).toEqual([
      { link_id: 1, param: "adgroup", reason: "missing_level", count: 1 },
    ]);
  });
});
