/** How many sub-links clicks can create: in all, on a day, and what frees their places. */
import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import {
  DEFAULT_MAX_NEW_SUB_LINKS,
  MAX_FROM_ENGAGEMENTS,
  NETWORKS_OF_NEW_SUB_LINKS,
} from "../../src/domain/engagements/sub-links.ts";
import { recordQueued } from "../../src/engagement/queue.ts";
import { createLink, patchLink } from "../campaign/support.ts";
import { ask, DAY, DEMO, ledgerOn, NOW, queueBatch, rows } from "../harness.ts";
import { runs } from "../part.ts";
import { freshLedger, openedLink } from "../support.ts";

/** Without the new sub-links of the demo data. */
async function fresh(): Promise<void> {
  await freshLedger();
  await setNew(0);
}
beforeEach(fresh);

const TODAY = NOW / DAY - ((NOW / DAY) % 1);
/** Opens a link as a partner's server does. Returns the parameters that were dropped. */
const open = async (query: string, { link = DEMO.linkToken as string, now = NOW } = {}) =>
  (await ask<{ dropped: string[] }>(`/${link}?s2s=1&${query}`, { now })).body.dropped;
const setNew = (count: number, { id = 1, inApp = count } = {}) =>
  Promise.all([
    rows("UPDATE links SET new_sub_link_count = ?, new_sub_link_day = ? WHERE id = ?", count, TODAY, id),
    rows("UPDATE apps SET new_sub_link_count = ?, new_sub_link_day = ? WHERE id = 1", inApp, TODAY),
  ]);
const places = async (id = 1) =>
  (
    await rows<Record<"inAll" | "ofDay" | "inApp", number>>(
      `SELECT l.from_engagement_count AS inAll, l.new_sub_link_count AS ofDay, a.new_sub_link_count AS inApp
       FROM links l JOIN apps a ON a.token = l.app_token WHERE l.id = ?`,
      id,
    )
  )[0];
const tokenOf = async (label: string) =>
  (await rows<{ token: string }>("SELECT token FROM links WHERE label = ?", label))[0]?.token ?? "";
const archive = async (label: string, archived = true) => patchLink(await tokenOf(label), { archived });
const operate = (json: object) =>
  ask(`/operator/v1/apps/${DEMO.appToken}`, { method: "PATCH", token: DEMO.operatorToken, json });

describe("the new sub-links of a day", () => {
  it("of a network are at most 1,000; those that exist are found, and the next day has places again", async () => {
    await setNew(DEFAULT_MAX_NEW_SUB_LINKS - 1);
    expect(await open("campaign=Last")).toEqual([]);
    expect(await open("campaign=Other")).toEqual(["campaign"]);
    expect(await open("campaign=Last")).toEqual([]);
    expect(await open("campaign=Spring&adgroup=New")).toEqual(["adgroup"]);
    expect(await open("campaign=Other", { now: NOW + DAY })).toEqual([]);
    expect(await places()).toMatchObject({ ofDay: 1, inApp: 1 });
  });

  it("of all networks of an app are at most five times as many", async () => {
    await setNew(0, { inApp: NETWORKS_OF_NEW_SUB_LINKS * DEFAULT_MAX_NEW_SUB_LINKS - 1 });
    expect(await open("campaign=Last")).toEqual([]);
    expect(await open("campaign=Other")).toEqual(["campaign"]);
    const other = await createLink("Other network");
    await patchLink(other.token, { partner_id: 1 });
    expect(await open("campaign=Other", { link: other.token })).toEqual(["campaign"]);
  });

  it.each([
    [2, [[], [], ["campaign"]]],
    [0, [["campaign"], ["campaign"], ["campaign"]]],
  ])("are %i if an operator says so, also in one batch of the queue", async (most, dropped) => {
    expect((await operate({ max_new_sub_links: most })).status).toBe(200);
    const names = ["One", "Two", "Three"];
    expect([await open("campaign=One"), await open("campaign=Two"), await open("campaign=Three")]).toEqual(
      dropped,
    );
    await fresh();
    await operate({ max_new_sub_links: most });
    const messages = names.map((name) =>
      openedLink(`sub-link-place-${name}`, {
        subLinks: [name, null, null].map((one) => ({
          name: one,
          reason: null,
          token: `${name}`.toLowerCase(),
        })),
      }),
    );
    await recordQueued(queueBatch(messages), ledgerOn(), NOW);
    expect(await places()).toMatchObject({ ofDay: most });
  });

  it.each([-1, MAX_FROM_ENGAGEMENTS + 1, 1.5, null])("cannot be %s", async (most) => {
    expect((await operate({ max_new_sub_links: most })).status).toBe(400);
  });

  it("are not those that members create or import", async () => {
    await setNew(DEFAULT_MAX_NEW_SUB_LINKS);
    await createLink("Expected", DEMO.linkToken);
    expect(await open("campaign=Expected")).toEqual([]);
    expect(await places()).toMatchObject({ ofDay: DEFAULT_MAX_NEW_SUB_LINKS });
  });
});

describe("archiving a sub-link", () => {
  it("frees its places of all days and of today, and clicks still find it", async () => {
    await open("campaign=Junk&adgroup=More");
    await open("campaign=Kept");
    await setNew(DEFAULT_MAX_NEW_SUB_LINKS);
    await rows("UPDATE links SET from_engagement_count = ? WHERE id = 1", MAX_FROM_ENGAGEMENTS);
    expect(await open("campaign=Honest")).toEqual(["campaign"]);
    await archive("Junk");
    expect(await places()).toEqual({ inAll: 9_998, ofDay: 998, inApp: 998 });
    expect(await open("campaign=Junk&adgroup=More")).toEqual([]);
    expect(await places()).toMatchObject({ ofDay: 998 });
    expect(await open("campaign=Honest")).toEqual([]);
  });

  it("is taken back above the limits by restoring it", async () => {
    await open("campaign=Junk&adgroup=More");
    await archive("Junk");
    await setNew(DEFAULT_MAX_NEW_SUB_LINKS);
    await rows("UPDATE links SET from_engagement_count = ? WHERE id = 1", MAX_FROM_ENGAGEMENTS);
    await archive("Junk", false);
    expect(await places()).toEqual({ inAll: 10_002, ofDay: 1_002, inApp: 1_002 });
    expect(await open("campaign=Honest")).toEqual(["campaign"]);
  });

  it("that a member created frees the places below it, and new ones below it take places", async () => {
    await createLink("Own", DEMO.linkToken);
    const before = await places();
    await open("campaign=Own&adgroup=One");
    await open("campaign=Own&adgroup=Two");
    await archive("Own");
    expect(await places()).toMatchObject({ inAll: before?.inAll, ofDay: 0, inApp: 0 });
    await open("campaign=Own&adgroup=Three");
    expect(await places()).toMatchObject({ inAll: (before?.inAll ?? 0) + 1, ofDay: 1, inApp: 1 });
    await archive("Own", false);
    expect(await places()).toMatchObject({ inAll: (before?.inAll ?? 0) + 3, ofDay: 3, inApp: 3 });
  });

  it("of another day leaves the count of today", async () => {
    await open("campaign=Yesterday", { now: NOW - DAY });
    await open("campaign=Today");
    const before = await places();
    await archive("Yesterday");
    expect(await places()).toEqual({ ...before, inAll: (before?.inAll ?? 0) - 1 });
  });

  it("of a network changes no count", async () => {
    await open("campaign=Junk");
    const before = await places();
    await patchLink(DEMO.linkToken, { archived: true });
    expect(await places()).toEqual(before);
  });
});

interface Node {
  label: string;
  above: Node | undefined;
  isFromClick: boolean;
  day: number;
  createdAt: number;
  /** The step in which it was archived; undefined while it is not. */
  archivedAt?: number | undefined;
}

const step = fc.oneof(
  fc.record({
    act: fc.constant("click" as const),
    path: fc.array(fc.constantFrom("a", "b"), { minLength: 1, maxLength: 3 }),
  }),
  fc.record({
    act: fc.constant("create" as const),
    path: fc.array(fc.constantFrom("a", "b"), { minLength: 1, maxLength: 3 }),
  }),
  fc.record({ act: fc.constantFrom("archive" as const, "restore" as const), at: fc.nat() }),
  fc.record({ act: fc.constant("next day" as const) }),
);

describe("after any clicks, creations, archivings and restorings", () => {
  it("a link that clicks created has a place unless it, or a link above it that is as old, is archived", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
        await fresh();
        await rows(
          "UPDATE partners SET click_parameters = 'campaign={c}&adgroup={a}&creative={k}' WHERE id = 1",
        );
        const base = (await places())?.inAll ?? 0;
        const nodes = new Map<string, Node>();
        let now = NOW;
        for (const [time, { act, ...one }] of steps.entries()) {
          if (act === "next day") now += DAY;
          else if ("path" in one && one.path) {
            const [campaign, adgroup, creative] = one.path.map((_, depth) =>
              one.path.slice(0, depth + 1).join(""),
            );
            const labels = [campaign, adgroup, creative].filter((label) => label !== undefined);
            const isFromClick = act === "click";
            for (const label of labels) {
              if (nodes.has(label)) continue;
              const above = nodes.get(label.slice(0, -1));
              nodes.set(label, { label, above, isFromClick, day: Math.floor(now / DAY), createdAt: time });
              if (!isFromClick)
                await ask(`/public/v1/apps/${DEMO.appToken}/trackers`, {
                  token: DEMO.apiToken,
                  now,
                  json: { name: label, parent_token: above ? await tokenOf(above.label) : DEMO.linkToken },
                });
            }
            const names = ["campaign", "adgroup", "creative"].slice(0, labels.length);
            if (isFromClick)
              expect(await open(names.map((name, at) => `${name}=${labels[at]}`).join("&"), { now })).toEqual(
                [],
              );
          } else if ("at" in one) {
            const node = [...nodes.values()][Number(one.at) % Math.max(1, nodes.size)];
            if (!node) continue;
            const archived = act === "archive";
            node.archivedAt = archived ? (node.archivedAt ?? time) : undefined;
            await archive(node.label, archived);
          }
        }
        const takes = (node: Node) => {
          if (!node.isFromClick || node.archivedAt !== undefined) return false;
          for (let above = node.above; above; above = above.above)
            if ((above.archivedAt ?? 0) > node.createdAt) return false;
          return true;
        };
        const taking = [...nodes.values()].filter(takes);
        const days = [...nodes.values()].filter(({ isFromClick }) => isFromClick).map(({ day }) => day);
        const last = Math.max(0, ...days);
        const ofDay = taking.filter(({ day }) => day === last).length;
        expect(await places()).toEqual({ inAll: base + taking.length, ofDay, inApp: ofDay });
      }),
      runs(200, 8),
    );
  });
});
