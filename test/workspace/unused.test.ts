/** The form that archives the sub-links that clicks created and that have no cost. */
import { beforeEach, describe, expect, it } from "vitest";
import { DEFAULT_MAX_NEW_SUB_LINKS } from "../../src/domain/engagements/sub-links.ts";
import { type Browser, freshSession } from "../account/support.ts";
import { createLink, patchLink } from "../campaign/support.ts";
import { ask, DAY, DEMO, NOW, rows } from "../harness.ts";
import { isWhole } from "../part.ts";
import { freshLedger } from "../support.ts";
import { APP, decode, mainOf, open, textOf } from "./page-text.ts";

const UNUSED = `${APP}/links/unused`;
const OTHER_LINK = "demo1nk009";

let browser: Browser;
beforeEach(async () => {
  browser = await freshSession(withoutSubLinks);
});

async function withoutSubLinks(): Promise<void> {
  await freshLedger();
  await rows("UPDATE links SET archived = 1, archived_through = 1000000 WHERE from_engagement");
  await rows("UPDATE links SET new_sub_link_count = 0");
  await rows("UPDATE apps SET new_sub_link_count = 0");
}

const click = async (query: string, link: string = DEMO.linkToken) =>
  (await ask<{ dropped: string[] }>(`/${link}?s2s=1&${query}`)).body.dropped;
const labels = async (archived: 0 | 1, app: string = DEMO.appToken) =>
  (
    await rows<{ label: string }>(
      "SELECT label FROM links WHERE app_token = ? AND archived = ? AND created_at >= ? ORDER BY label",
      app,
      archived,
      NOW,
    )
  ).map(({ label }) => label);
const entries = async () =>
  (
    await rows<{ detail: string }>(
      "SELECT user_id, subject, detail FROM audit_log WHERE action = 'archive sub-links' ORDER BY id",
    )
  ).map(({ detail, ...entry }) => ({ ...entry, ...JSON.parse(detail) }));
async function pay(query: string, costId: string) {
  expect(await click(`${query}&cost_id=${costId}`)).toEqual([]);
  const cost = { cost_id: costId, cost_type: "cpc", cost_amount: "0.25", cost_currency: "USD", tag: "t" };
  const { body } = await ask<{ match: string }>(`/cost?${new URLSearchParams(cost)}`, {
    method: "POST",
    token: DEMO.costToken,
  });
  expect(body.match).toBe("matched");
}

/** The fields of the form that posts there; undefined without one. */
function fieldsOf(page: string, action: string): Record<string, string> | undefined {
  const [, form] =
    new RegExp(`<form method="post" action="${action}"[^>]*>([\\s\\S]*?)</form>`).exec(page) ?? [];
  if (form === undefined) return undefined;
  const inputs = form.matchAll(/name="(\w+)" value="([^"]*)"/g);
  return Object.fromEntries([...inputs].map(([, name = "", value = ""]) => [name, decode(value)]));
}

/** Sends the form until it has nothing more to send. Returns the text of each answer. */
async function archiveAll(network = ""): Promise<string[]> {
  let page = await open(browser, `${UNUSED}${network && `?network=${network}`}`);
  const texts: string[] = [];
  for (let fields = fieldsOf(page, UNUSED); fields; fields = fieldsOf(page, UNUSED)) {
    expect(texts.length).toBeLessThan(20);
    const response = await browser.post(UNUSED, fields);
    expect(response.status).toBe(200);
    page = response.text;
    texts.push(textOf(mainOf(page)));
  }
  return texts;
}

/** A stranger's links, without the requests: two levels of so many below a network, with the triggers that count them. */
async function fill(count: number) {
  const insert = (token: string, level: number, from: string) =>
    rows(
      `INSERT INTO links (token, app_token, parent_id, level, label, created_at, from_engagement)
       SELECT ${token}, '${DEMO.appToken}', parent, ${level}, 'Junk ' || ${token}, ${NOW}, 1 FROM (${from})`,
    );
  await insert(
    "printf('jnk%05d', i)",
    2,
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count / 2}) SELECT i, 1 AS parent FROM n`,
  );
  await insert("'a' || token", 3, "SELECT token, id AS parent FROM links WHERE token LIKE 'jnk%'");
}

describe.runIf(isWhole)("a stranger fills the places of a network's day", () => {
  it("and a member archives them in one form, so that the next campaign of the day has its own link", async () => {
    await fill(DEFAULT_MAX_NEW_SUB_LINKS);
    expect(await click("campaign=Honest")).toEqual(["campaign"]);
    const texts = await archiveAll(DEMO.linkToken);
    expect(texts).toEqual([
      expect.stringContaining("500 sub-links archived of"),
      expect.stringContaining("500 sub-links archived of"),
    ]);
    expect(texts.at(-1)).toContain("No unused sub-links are left.");
    expect(await labels(0)).toEqual([]);
    expect(await click("campaign=Honest")).toEqual([]);
    expect(await labels(0)).toEqual(["Honest"]);
  });

  it("on more than one day: 1,000 a request, with an entry each", async () => {
    await rows("UPDATE apps SET max_new_sub_links = 10000");
    await fill(2_400);
    await archiveAll();
    const entry = { user_id: 1, subject: `app ${DEMO.appToken}`, network: null };
    expect(await entries()).toEqual([1_000, 200, 1_000, 200].map((count) => ({ ...entry, count })));
    expect(await labels(0)).toEqual([]);
  });
});

describe("what stays", () => {
  it("is every link with a cost or an adjustment, that a member created, or above one that stays", async () => {
    await click("campaign=Junk&adgroup=Below");
    await pay("campaign=Paid", "unused-cost-0001");
    await pay("campaign=Above&adgroup=PaidGroup", "unused-cost-0002");
    await click("campaign=Above&adgroup=JunkGroup");
    await click("campaign=Parent");
    const [parent] = await rows<{ token: string }>("SELECT token FROM links WHERE label = 'Parent'");
    await createLink("Own below", parent?.token);
    await createLink("Own", DEMO.linkToken);
    await click("campaign=Adjusted");
    await rows(
      `INSERT INTO adjustments (app_token, day, link_id, partner_id, cost_type, currency, amount, reason, user_id, created_at)
       SELECT app_token, ?, id, 1, 'cpc', 'USD', 100, 'Invoice', 2, ? FROM links WHERE label = 'Adjusted'`,
      Math.floor(NOW / DAY),
      NOW,
    );
    await archiveAll();
    expect(await labels(1)).toEqual(["Below", "Junk", "JunkGroup"]);
    expect(await labels(0)).toEqual(["Above", "Adjusted", "Own", "Own below", "Paid", "PaidGroup", "Parent"]);
  });

  it("is not a link whose only cost was voided", async () => {
    await pay("campaign=Voided", "unused-cost-0003");
    const voided = await ask("/cost/unused-cost-0003/void", { method: "POST", token: DEMO.costToken });
    expect(voided.status).toBe(200);
    await archiveAll();
    expect(await labels(1)).toEqual(["Voided"]);
  });

  it("is every other network if one is chosen, and every other app", async () => {
    const network = await createLink("Second");
    await patchLink(network.token, { partner_id: 1 });
    await click("campaign=InFirst");
    await click("campaign=InSecond", network.token);
    await rows(
      `INSERT INTO links (token, app_token, parent_id, level, label, created_at, from_engagement)
       SELECT 'elsewhere1', app_token, id, 2, 'Elsewhere', ?, 1 FROM links WHERE token = ?`,
      NOW,
      OTHER_LINK,
    );
    const texts = await archiveAll(network.token);
    expect(texts[0]).toContain("1 sub-link archived of Second");
    expect(await labels(0)).toEqual(["InFirst", "Second"]);
    expect(await entries()).toMatchObject([{ network: network.token, count: 1 }]);
    await archiveAll();
    expect(await labels(1)).toEqual(["InFirst", "InSecond"]);
    expect(await labels(0, DEMO.otherAppToken)).toEqual(["Elsewhere"]);
  });
});

describe.runIf(isWhole)("the form", () => {
  it("has an Undo that restores the links of its step", async () => {
    await click("campaign=Junk");
    const { text: page } = await browser.post(UNUSED, { network: DEMO.linkToken, level: "2", after: "" });
    expect(await labels(1)).toEqual(["Junk"]);
    await click("campaign=Junk 2");
    await browser.post(`${APP}/links/undo`, fieldsOf(page, `${APP}/links/undo`) ?? {});
    expect([await labels(0), await labels(1)]).toEqual([["Junk", "Junk 2"], []]);
    expect(await rows("SELECT * FROM link_changes")).toEqual([]);
  });

  it("says what is left to do if there is nothing", async () => {
    expect(await archiveAll()).toEqual([expect.stringContaining("No sub-links archived")]);
    expect(await entries()).toEqual([]);
  });

  it("is linked from the page of a network and from Links", async () => {
    await click("campaign=Junk");
    expect(await open(browser, `${APP}/links/${DEMO.linkToken}`)).toContain(
      `href="${UNUSED}?network=${DEMO.linkToken}"`,
    );
    expect(await open(browser, `${APP}/links`)).toContain(`href="${UNUSED}"`);
  });

  it.each([
    [{ network: OTHER_LINK }, 404],
    [{ network: "no such link" }, 400],
    [{ network: "a,b" }, 400],
    [{ level: "1" }, 400],
    [{ after: "-" }, 400],
  ])("rejects %j, and archives nothing", async (fields, status) => {
    await click("campaign=Junk");
    expect((await browser.post(UNUSED, fields as Record<string, string>)).status).toBe(status);
    expect(await labels(0)).toEqual(["Junk"]);
  });
});
