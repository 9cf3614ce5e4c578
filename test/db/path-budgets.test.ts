/** Limits the rows that links created by path read and write, which do not grow with the links of the app. */
import { beforeAll, describe, expect, it } from "vitest";
import { type Browser, signedIn } from "../account/support.ts";
import { type Call, countingDatabase, DEMO, env, freshDemo, rows } from "../harness.ts";
import { isLong } from "../part.ts";
import { confirm, paste, toFile, upload } from "../workspace/files.ts";
import { APP } from "../workspace/page-text.ts";

const NEW = `${APP}/links/new`;
/** The session with the apps of its user. */
const SESSION = 8;
/** For each new link, with its entry of the audit log. */
const MOST_READ = 30;
const MOST_WRITTEN = 10;
/** What can be undone: rows more that are read for each link, and that are written for each form or 100 rows of a file. */
const UNDOABLE = 2;
const RECORD = 4;

/** More than what may be read for the most links that a case creates. */
const links = isLong ? 100_000 : 8_000;
/** In the file that is imported. */
const CREATIVES = isLong ? 400 : 200;

describe(`in an app of ${links} links at each of two places`, () => {
  let browser: Browser;
  beforeAll(async () => {
    await freshDemo();
    await rows("UPDATE apps SET max_links = 1000000");
    for (const parentId of [null, 2])
      await env.DB.prepare(
        `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
         INSERT INTO links (token, app_token, parent_id, level, label, created_at)
         SELECT ?3 || i, '${DEMO.appToken}', ?2, iif(?2 IS NULL, 1, 3), 'Link ' || i, 0 FROM n`,
      )
        .bind(links, parentId, parentId === null ? "t" : "c")
        .run();
    browser = await signedIn();
    // Fills the isolate's memory of partners.
    await browser.get(NEW);
  });

  async function measure(act: (options: Call) => Promise<{ status: number }>) {
    const before = await countLinks();
    const { database, counts } = countingDatabase();
    expect((await act({ env: { DB: database } })).status).toBeLessThan(400);
    return { ...counts, created: (await countLinks()) - before };
  }
  const countLinks = async () =>
    (await rows<{ count: number }>("SELECT count(*) AS count FROM links"))[0]?.count ?? 0;

  it.each<[string, Record<string, string>, number]>([
    ["a network", { network: "New" }, 1],
    ["a path of four levels", { network: "New 1", campaign: "2", ad_group: "3", creative: "4" }, 4],
    [
      "a creative below three levels",
      { network: "Acme", campaign: "Spring", ad_group: "Link 7", creative: "New" },
      1,
    ],
    ["a link that exists", { network: "Acme", campaign: "Spring", ad_group: "Link 7" }, 0],
  ])("creates %s", async (_, fields, created) => {
    const counts = await measure((options) => browser.post(NEW, fields, options));
    expect(counts.created).toBe(created);
    // The access to the app is read three times: for the form, the check and the change.
    expect(counts.read).toBeLessThanOrEqual(SESSION + 24 + Math.max(created, 1) * (MOST_READ + UNDOABLE));
    expect(counts.written).toBeLessThanOrEqual(created && created * MOST_WRITTEN + RECORD);
  });

  it("creates 100 pasted paths of two new levels below two that exist", async () => {
    const paths = Array.from({ length: 100 }, (_, index) => `Acme > Spring > Pasted ${index} > Video`);
    const checked = await paste(browser, paths.join("\n"));
    const counts = await measure((options) => confirm(browser, checked, options));
    expect(counts.created).toBe(200);
    expect(counts.read).toBeLessThanOrEqual(200 * (MOST_READ + UNDOABLE));
    expect(counts.written).toBeLessThanOrEqual(200 * MOST_WRITTEN + RECORD);
  });

  it(`imports ${CREATIVES} creatives of 20 ad groups in two calls and one for each 100`, async () => {
    const lines = Array.from(
      { length: CREATIVES },
      (_, index) => `Acme,Spring,Link ${(index % 20) + 1},Imported ${index}`,
    );
    const checked = await upload(browser, toFile("network,campaign,ad_group,creative", ...lines));
    const counts = await measure((options) => confirm(browser, checked, options));
    expect([counts.created, counts.calls]).toEqual([CREATIVES, 2 + CREATIVES / 100]);
    expect(counts.read).toBeLessThanOrEqual(CREATIVES * (MOST_READ + UNDOABLE));
    expect(counts.written).toBeLessThanOrEqual(CREATIVES * MOST_WRITTEN + (CREATIVES / 100) * RECORD);
  });
});
