/** GET /public/v1/apps. */
import { beforeAll, describe, expect, it } from "vitest";
import { ask, countingDatabase, DEMO, env, freshDemo, NOW, rejection } from "../harness.ts";

interface List {
  data: {
    api_version: string;
    paging: {
      page_size: string;
      collection_size: string;
      total: string;
      next: string | null;
      cursors: { after: string | null };
    };
    items: { token: string; name: string; link_count: number; created_at: string }[];
  };
}
const list = async (query = "", token: string = DEMO.operatorToken) =>
  (await ask<List>(`/public/v1/apps${query}`, { token })).body.data;

beforeAll(freshDemo);

describe("the list of apps", () => {
  it("has the apps that the caller is a member of, with the number of their level-1 links", async () => {
    const levelOne = await env.DB.prepare(
      "SELECT count(*) AS n FROM links WHERE app_token = ? AND parent_id IS NULL",
    )
      .bind(DEMO.appToken)
      .first<number>("n");
    const created_at = new Date(NOW - 30 * 24 * 3600 * 1000).toISOString();
    const demo = { token: DEMO.appToken, name: "Demo App", link_count: levelOne, created_at };
    expect(await list("", DEMO.apiToken)).toMatchObject({
      api_version: "1",
      paging: { page_size: "50", collection_size: "1", total: "1", next: null },
      items: [demo],
    });
    expect((await list()).items).toEqual([
      demo,
      { token: DEMO.otherAppToken, name: "Other App", link_count: 1, created_at },
    ]);
  });

  it("is paged in creation order in both directions", async () => {
    const first = await list("?limit=1");
    expect(first).toMatchObject({
      paging: { page_size: "1", collection_size: "1", total: "2" },
      items: [{ token: DEMO.appToken }],
    });
    const after = first.paging.cursors.after ?? "";
    const second = await list(`?limit=1&after=${after}`);
    expect(second).toMatchObject({
      paging: { next: null, cursors: { after: null } },
      items: [{ token: DEMO.otherAppToken }],
    });
    const before = (second.paging.cursors as unknown as { before: string }).before;
    expect((await list(`?limit=1&before=${before}`)).items).toMatchObject([{ token: DEMO.appToken }]);
  });

  it("rejects a limit of 0 and a cursor of another list", async () => {
    const partners = await ask<List>("/public/v1/partners?limit=1", { token: DEMO.apiToken });
    const query = `?limit=0&after=${partners.body.data.paging.cursors.after}`;
    expect(await rejection(`/public/v1/apps${query}`, { token: DEMO.apiToken })).toEqual({
      status: 400,
      code: "invalid_request",
      params: ["after", "limit"],
    });
  });

  // The total leaves archived apps out, so it reads each app.
  it("takes one call and reads at most 5 rows for each of the caller's apps", async () => {
    const { database, counts } = countingDatabase();
    await ask("/public/v1/apps", { token: DEMO.operatorToken, env: { DB: database } });
    expect(counts).toMatchObject({ calls: 1, written: 0 });
    expect(counts.read).toBeLessThanOrEqual(5 * 2 + 2);
  });

  it("leaves archived apps out, in the total too", async () => {
    await env.DB.prepare("UPDATE apps SET archived_at = 1 WHERE token = ?").bind(DEMO.appToken).run();
    const { body } = await ask<List>("/public/v1/apps", { token: DEMO.operatorToken });
    expect(body.data.items.map(({ token }) => token)).not.toContain(DEMO.appToken);
    expect(body.data.paging.total).toBe("1");
  });
});
