/** The cron adds the sub-links that engagements created to the audit log. */
import { beforeEach, expect, it } from "vitest";
import { auditSubLinks } from "../../src/db/links/sub-links/audit.ts";
import { call, DAY, DEMO, env, freshDemo, IPHONE, NOW, rows } from "../harness.ts";
import { failingDatabase } from "../support.ts";

const TODAY = Math.floor(NOW / DAY) * DAY;
const PARENT = `link ${DEMO.linkToken}`;

/** Without the sub-links of the demo data. */
beforeEach(async () => {
  await freshDemo();
  await auditSubLinks(env.DB, TODAY);
});

/** The server opens the link, so the sub-link exists after the response. */
const openAt = (now: number, ...campaigns: string[]) =>
  Promise.all(
    campaigns.map((campaign) =>
      call(`/${DEMO.linkToken}?s2s=1&campaign=${campaign}`, { headers: { "user-agent": IPHONE }, now }),
    ),
  );
const entries = async () =>
  (
    await rows<{ happened_at: number; subject: string; detail: string }>(
      "SELECT happened_at, subject, detail FROM audit_log WHERE action = 'create sub-links' AND happened_at > ? ORDER BY id",
      TODAY,
    )
  ).map(({ happened_at, subject, detail }) => [happened_at - TODAY, subject, JSON.parse(detail)]);

it("adds one entry for each parent and day after the day has ended, and no second one", async () => {
  await openAt(TODAY + 1, "first", "second");
  await openAt(TODAY + DAY - 1, "third", "first");
  await auditSubLinks(env.DB, TODAY + DAY - 1);
  expect(await entries()).toEqual([]);
  await auditSubLinks(env.DB, TODAY + DAY);
  await auditSubLinks(env.DB, TODAY + DAY);
  await auditSubLinks(env.DB, TODAY + DAY + 1);
  const date = new Date(TODAY).toISOString().slice(0, 10);
  expect(await entries()).toEqual([[DAY, PARENT, { day: date, count: 3 }]]);
});

it("adds days that the cron missed, each with its own number", async () => {
  await openAt(TODAY + 1, "first");
  await openAt(TODAY + DAY + 1, "second", "third");
  await auditSubLinks(env.DB, TODAY + 5 * DAY);
  expect((await entries()).map(([, , { count }]) => count)).toEqual([1, 2]);
});

it("adds nothing on a day without new sub-links, and does not count links that users created", async () => {
  await call(`/public/v1/apps/${DEMO.appToken}/trackers`, {
    token: DEMO.apiToken,
    json: { name: "By hand", parent_token: DEMO.linkToken },
    now: TODAY + 1,
  });
  await auditSubLinks(env.DB, TODAY + DAY);
  await auditSubLinks(env.DB, TODAY + 2 * DAY);
  expect(await entries()).toEqual([]);
});

it("counts a sub-link of yesterday that has a higher ID than one of today", async () => {
  await openAt(TODAY + DAY, "of today");
  await openAt(TODAY + DAY - 1, "of yesterday");
  await auditSubLinks(env.DB, TODAY + DAY);
  expect(await entries()).toEqual([]);
  await auditSubLinks(env.DB, TODAY + 2 * DAY);
  expect((await entries()).map(([, , { count }]) => count)).toEqual([1, 1]);
});

it("adds everything or nothing when the database fails", async () => {
  await openAt(TODAY + 1, "first");
  const { database } = failingDatabase(() => true);
  await expect(auditSubLinks(database, TODAY + DAY)).rejects.toThrow("injected");
  await auditSubLinks(env.DB, TODAY + DAY);
  expect((await entries()).map(([, , { count }]) => count)).toEqual([1]);
});
