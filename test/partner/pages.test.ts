/** What the partner's pages show, and that they show only what is the partner's own. */
import { beforeEach, describe, expect, it } from "vitest";
import { createToken, hashToken } from "../../src/auth/secrets.ts";
import {
  ask,
  call,
  click,
  countingDatabase,
  DAY,
  DEMO,
  env,
  freshWholeDemo,
  ledgerOn,
  NOW,
  rows,
  sendCost,
} from "../harness.ts";
import { freshPartner, type PartnerBrowser, signedIn, tableOf } from "./support.ts";

let browser: PartnerBrowser;
beforeEach(async () => {
  browser = await freshPartner(freshWholeDemo);
});

const RIVAL = createToken("live", "Rival".padEnd(43, "0"));

/** A credential of partner 3 that can send every cost type. */
async function addRival(): Promise<void> {
  await env.DB.batch([
    env.DB.prepare("UPDATE partners SET supports_cost_data = 1, integrated_types = 15 WHERE id = 3"),
    env.DB.prepare(
      "INSERT INTO credentials (token_hash, partner_id, mode, cost_types, hint, created_at) VALUES (?, 3, 'live', 15, 'll_live_…rivl', 0)",
    ).bind(hashToken(RIVAL, ["live"])),
  ]);
}

async function callsOf(browser: PartnerBrowser, path: string): Promise<number> {
  const { database, counts } = countingDatabase();
  await browser.get(path, { env: { DB: database } });
  return counts.calls;
}

const setPartner = (change: string) => env.DB.prepare(`UPDATE partners SET ${change} WHERE id = 1`).run();

describe("the overview", () => {
  it("shows the credential, what it can send, and the coverage and discrepancy of seven days", async () => {
    const { text, status } = await browser.get("/partner");
    expect(status).toBe(200);
    expect(text).toContain("Live");
    expect(text).toContain("ll_live_…");
    expect(text).toContain("Can send cpc cpi cpe cpm");
    expect(text).toContain("Coverage and discrepancy Last 7 days with today: 9 – 15 Mar 2026, UTC");
    expect(text).toContain("Below 5% is usual.");
  });

  it("names the discrepancy that is above the threshold, and how many engagements it is", async () => {
    for (let number = 0; number < 5; number++) await click(`overview-click-00${number}`);
    const { text } = await browser.get("/partner");
    expect(text).toMatch(
      /The discrepancy of cpc is above the usual 5%: \d+ of \d+ clicks have no matching cost/,
    );
    expect(text).toContain("Show what has no cost");
    expect(text).not.toContain("Show pending costs");
    await sendCost({ cost_id: "overview-wrong-001" });
    const again = await browser.get("/partner");
    expect(again.text).toContain("Costs that wait for a click or impression may have a wrong ID.");
    expect(again.markup).toContain('href="/partner/costs?match=pending">Show pending costs');
  });

  it("judges the cost types with 20 expected, and names those with fewer", async () => {
    const overview = async () => (await browser.get("/partner")).text;
    expect(await overview()).toContain(
      "Your costs match, and the discrepancy of cpc is below the usual 5%. There are too few clicks or impressions to judge that of cpm.",
    );
    await setPartner("integrated_types = 8");
    expect(await overview()).toContain("too few clicks or impressions to judge the discrepancy.");
    await setPartner("integrated_types = 1");
    expect(await overview()).toContain("no discrepancy is above the usual 5%. Nothing to do.");
  });

  it("says that an operator stopped the partner, and since when", async () => {
    await setPartner(`stopped_at = ${NOW - DAY}`);
    const { text } = await browser.get("/partner");
    expect(text).toContain("Stopped");
    expect(text).toContain("An operator stopped Acme Ads on 14 Mar 2026, 12:00 UTC");
    expect(text).toContain("Ask your operator why costs are stopped.");
  });

  it.each(["supports_cost_data = 0", "integrated_types = 0"])(
    "sends a partner that can send nothing to a round: %s",
    async (change) => {
      await setPartner(change);
      const { text } = await browser.get("/partner");
      expect(text).toContain("No cost data yet");
      expect(text).toContain("Can send No cost types");
      expect(text).toContain("Ask your operator for an integration round");
    },
  );

  it("shows how to begin while no cost matched", async () => {
    await addRival();
    const { text } = await (await signedIn(RIVAL)).get("/partner");
    expect(text).toContain("None of your costs matched in the last 7 days.");
    expect(text).toContain("Set up costs Upload costs");
  });
});

describe("the list of costs", () => {
  /** The IDs on all pages from a path on. */
  async function idsFrom(browser: PartnerBrowser, path: string) {
    const ids: (string | undefined)[] = [];
    for (let next: string | undefined = path; next; ) {
      const page = await browser.get(next);
      expect(page.status).toBe(200);
      ids.push(...tableOf(page).map(([id]) => id));
      next = /href="([^"]+)">Next page/.exec(page.markup)?.[1]?.replaceAll("&amp;", "&");
    }
    return ids;
  }
  const STORED = "SELECT cost_id FROM ledger_entries WHERE partner_id = 1 AND state IS NOT NULL ORDER BY";
  const VALUE = "iif(cost_type = 'cpm', 1, 1000) * amount";

  it("shows the newest costs first with their state and exact amount, fifty a page", async () => {
    const first = await browser.get("/partner/costs");
    expect(tableOf(first)[0]).toEqual([
      "demo-spend-00-0",
      "Matched",
      expect.stringMatching(/^\$\d+\.\d{2,}$/),
      "cpc",
      "15 Mar 2026",
      expect.stringMatching(/^15 Mar 2026, \d\d:\d\d UTC$/),
    ]);
    const types = new Set(tableOf(first).map(([, , , type]) => type));
    expect([types.has("per 1,000, cpm"), types.has("cpm")]).toEqual([true, false]);
    expect(tableOf(first)).toHaveLength(50);
    expect(first.text).toContain("1 to 50 of 272 costs");
    const last = await browser.get("/partner/costs?page=6");
    expect([last.text.includes("251 to 272 of 272 costs"), tableOf(last).length]).toEqual([true, 22]);
    expect((await browser.get("/partner/costs?page=7")).text).toContain("There is no page 7.");
  });

  it.each([
    ["", "received_at DESC, cost_id"],
    ["sort=highest", `currency, ${VALUE} DESC, cost_id`],
    ["sort=cost_id", "cost_id"],
  ])("is in one order on all pages and in its file: %s", async (query, order) => {
    const stored = (await rows<{ cost_id: string }>(`${STORED} ${order}`)).map(({ cost_id }) => cost_id);
    expect(stored).toHaveLength(272);
    expect(await idsFrom(browser, `/partner/costs?${query}`)).toEqual(stored);
    const file = await browser.get(`/partner/costs.csv?page=2&${query}`);
    const ids = file.markup.split("\r\n").map((line) => line.split(",")[0]);
    expect(ids.slice(1, -1)).toEqual(stored.slice(50));
  });

  it("adds up what was found, by state and currency", async () => {
    await sendCost({ cost_id: "listed-pending-01", cost_amount: "1.5" });
    await sendCost({ cost_id: "listed-unpriced-1" });
    const sums = await rows<{ currency: string; sum: number }>(
      `SELECT currency, round(sum(${VALUE}) / 1e8, 2) AS sum FROM ledger_entries
       WHERE partner_id = 1 AND state = 'matched' GROUP BY 1 ORDER BY 1`,
    );
    const [eur, usd] = sums.map(({ sum }) => sum.toFixed(2));
    expect((await browser.get("/partner/costs")).text).toContain(
      `1 to 50 of 274 costs, 272 matched €${eur} + $${usd} , 2 pending $1.50`,
    );
    const filtered = await browser.get("/partner/costs?cost_id=listed-p");
    expect(filtered.text).toContain("1 cost, 1 pending $1.50");
  });

  it("filters by state, and by the beginning of the ID", async () => {
    await sendCost({ cost_id: "listed-pending-01", cost_amount: "1" });
    await sendCost({ cost_id: "listed-unpriced-1" });
    const idsAt = async (query: string) =>
      tableOf(await browser.get(`/partner/costs?${query}`)).map(([id]) => id);
    expect(await idsAt("match=pending&cost_id=")).toEqual(["listed-pending-01", "listed-unpriced-1"]);
    expect(await idsAt("match=&cost_id=listed-p")).toEqual(["listed-pending-01"]);
    expect(await idsAt("cost_id=listed-pending-01")).toEqual(["listed-pending-01"]);
    expect(await idsAt("cost_id=listed&match=matched")).toEqual([]);
    expect((await idsAt("cost_id=demo-spend-00")).every((id) => id?.startsWith("demo-spend-00"))).toBe(true);
    const none = await browser.get("/partner/costs?cost_id=zzz");
    expect(none.text).toContain("No costs match these filters.");
    expect(none.markup).toContain('href="/partner/costs">Clear filters');
    const wrong = await browser.get("/partner/costs?match=open");
    expect([wrong.status, wrong.text.includes("The state must be one of")]).toEqual([400, true]);
    expect(tableOf(wrong)).toEqual(tableOf(await browser.get("/partner/costs")));
    // A file with other costs than were asked for would be taken for them.
    const file = await browser.get("/partner/costs.csv?match=open");
    expect([file.status, file.text.includes("cost_id")]).toEqual([400, false]);
  });

  it("filters by the day in reports, with one call, also in its file", async () => {
    await click("listed-earlier-01", { now: NOW - 2 * DAY });
    await sendCost({ cost_id: "listed-earlier-01", cost_amount: "1" });
    await sendCost({ cost_id: "listed-pending-01", cost_amount: "1" });
    const stored = await rows<{ cost_id: string }>(
      `SELECT cost_id FROM cost_states JOIN ledger_entries USING (partner_id, cost_id)
       WHERE partner_id = 1 AND day = ? ORDER BY received_at DESC, cost_id`,
      Math.floor(NOW / DAY) - 2,
    );
    const ids = stored.map(({ cost_id }) => cost_id);
    expect(ids).toContain("listed-earlier-01");
    const { database, counts } = countingDatabase();
    const page = await browser.get("/partner/costs?match=&cost_id=&day=2026-03-13", {
      env: { DB: database },
    });
    expect(tableOf(page).map(([id, , , , day]) => [id, day])).toEqual(ids.map((id) => [id, "13 Mar 2026"]));
    expect(counts.calls).toBe(await callsOf(browser, "/partner/costs"));
    expect(page.markup).toContain('name="day" value="2026-03-13"');
    const file = await browser.get("/partner/costs.csv?day=2026-03-13");
    expect(file.markup.split("\r\n").map((line) => line.split(",")[0])).toEqual(["cost_id", ...ids, ""]);
    const waiting = await browser.get("/partner/costs?match=pending&day=2026-03-15");
    expect(tableOf(waiting).map(([id]) => id)).toEqual(["listed-pending-01"]);
    expect((await browser.get("/partner/costs?match=pending&day=2026-03-14")).text).toContain(
      "No costs match these filters.",
    );
    expect((await browser.get("/partner/costs?day=2026-02-30")).status).toBe(400);
  });

  it("filters rejected costs, and those of a round, by day", async () => {
    await sendCost({ cost_id: "short" });
    const test = await signedIn(DEMO.testCostToken);
    for (const browser of [await signedIn(), test]) {
      const all = tableOf(await browser.get("/partner/costs?match=rejected"));
      const wrong = await browser.get("/partner/costs?match=rejected&after=x");
      expect([wrong.status, tableOf(wrong)]).toEqual([400, all]);
      expect(wrong.text).toContain("The position in the list is not a cursor from this list.");
      const days = [13, 14, 15].map((day) => `/partner/costs?match=rejected&day=2026-03-${day}`);
      const found = await Promise.all(days.map(async (path) => tableOf(await browser.get(path))));
      expect(all.length).toBeGreaterThan(0);
      expect(found.flat().toSorted()).toEqual(all.toSorted());
    }
    const costs = tableOf(await test.get("/partner/costs"));
    const days = new Map(costs.map((cells) => [cells[4], cells.at(4)?.split(" ")[0]?.padStart(2, "0")]));
    expect(days.size).toBeGreaterThan(1);
    for (const [name, day] of days)
      expect(tableOf(await test.get(`/partner/costs?day=2026-03-${day}`))).toEqual(
        costs.filter((cells) => cells[4] === name),
      );
  });

  it("of a day is what the totals of the day lead to, as long as its costs are kept", async () => {
    const totals = await browser.get("/partner/totals?from=2026-02-28&to=2026-03-03");
    const links = totals.markup.matchAll(/<a href="(\/partner\/costs\?day=[^"]*)">(\d+ \w+ 2026)<\/a>/g);
    const days = new Map([...links].map(([, href = "", day]) => [href, day]));
    expect([...days.values()]).toEqual(["3 Mar 2026", "2 Mar 2026"]);
    for (const day of ["1 Mar 2026", "28 Feb 2026"]) expect(totals.text).toContain(day);
    for (const [href, day] of days)
      expect(new Set(tableOf(await browser.get(href)).map((cells) => cells[4]))).toEqual(new Set([day]));
  });

  it("pages through a filtered list", async () => {
    const first = await browser.get("/partner/costs?match=matched&cost_id=demo-spend-");
    const path = /href="([^"]+)">Next page/.exec(first.markup)?.[1]?.replaceAll("&amp;", "&") ?? "";
    const second = await browser.get(path);
    expect(second.status).toBe(200);
    expect(tableOf(second)).toHaveLength(50);
    expect(tableOf(second)[0]?.[0]).not.toBe(tableOf(first)[0]?.[0]);
    expect(second.markup).toContain(
      'rel="prev" href="/partner/costs?match=matched&amp;cost_id=demo-spend-&amp;page=1"',
    );
  });

  it("finds every ID with a prefix, whatever its last character is", async () => {
    for (const last of ["\u{e000}", "é", "😀", "~", "!", "0", "\u{10fffd}"]) {
      const cost_id = `prefix-id${last}-1`;
      await sendCost({ cost_id, cost_amount: "1" });
      const query = new URLSearchParams({ cost_id: `prefix-id${last}` });
      expect(tableOf(await browser.get(`/partner/costs?${query}`)).map(([id]) => id)).toEqual([cost_id]);
    }
    expect(tableOf(await browser.get("/partner/costs?cost_id=prefix-id"))).toHaveLength(7);
  });

  it("has the same list as a CSV file with more rows", async () => {
    const file = await browser.get("/partner/costs.csv?match=matched&cost_id=&sort=cost_id");
    expect(file.headers.get("content-disposition")).toBe('attachment; filename="costs.csv"');
    const api = await call("/cost?match=matched&limit=1000", {
      token: DEMO.costToken,
      headers: { accept: "text/csv" },
    });
    expect(file.markup).toBe(await api.text());
  });

  it("says what to do while there are no costs", async () => {
    await addRival();
    const { text } = await (await signedIn(RIVAL)).get("/partner/costs");
    expect(text).toContain("No costs yet. Costs are listed here until 14 days after");
    expect(text).toContain("Set up costs Upload costs");
  });
});

describe("the page of a cost", () => {
  const at = (id: string) => `/partner/costs/${encodeURIComponent(id)}`;

  it("shows a matched cost with its click", async () => {
    await sendCost({ cost_id: "demo-click-recent-0001", cost_amount: "0.25", tag: "july" });
    const { text } = await browser.get(at("demo-click-recent-0001"));
    expect(text).toContain("demo-click-recent-0001 Matched Matched to its click or impression.");
    expect(text).toContain("Amount $0.25");
    expect(text).toContain("Tag july");
    expect(text).toContain(`Click 14 Mar 2026, 12:00 UTC , link ${DEMO.linkToken}`);
  });

  it("shows a pending cost, why it does not match, and until when it can", async () => {
    await sendCost({ cost_id: "demo-click-recent-0001", cost_type: "cpm", cost_amount: "2" });
    const page = await browser.get(at("demo-click-recent-0001"));
    expect(page.text).toContain("Pending It waits for its click or impression.");
    expect(page.text).toContain(
      "The click or impression with this ID doesn't fit the cost type: cpc fits a click, cpi and cpe a click or an impression, cpm an impression.",
    );
    expect(page.text).toContain("Amount $2.00 per 1,000 impressions");
    expect(page.text).toContain("Can match until 22 Mar 2026, 12:00 UTC");
  });

  it("shows the price on the URL that counts beside a pending call", async () => {
    await click("listed-priced-001", { query: "&cost_type=cpc&cost_currency=USD&cost_amount=0.3" });
    await sendCost({ cost_id: "listed-priced-001", cost_type: "cpm", cost_amount: "2" });
    const { text } = await browser.get(at("listed-priced-001"));
    expect(text).toContain("Price on the URL $0.30, cpc.");
  });

  it("shows a lapsed cost, which can no longer be voided", async () => {
    await sendCost({ cost_id: "listed-lapsed-001", cost_amount: "2" });
    const later = { now: NOW + 7 * DAY + 1 };
    const page = await (await signedIn(DEMO.costToken, later)).get(at("listed-lapsed-001"), later);
    expect(page.text).toContain("Lapsed No click or impression came in seven days.");
    expect(page.text).toContain(
      "It's too late to void this cost: that was possible until 22 Mar 2026, 12:00 UTC",
    );
    expect(page.markup).not.toContain("/void");
  });

  it("says that a cost without an amount does not count", async () => {
    await sendCost({ cost_id: "demo-click-recent-0001" });
    const { text } = await browser.get(at("demo-click-recent-0001"));
    expect(text).toContain("This cost has no amount, so it doesn't count as spend.");
  });

  it("works for an ID with any characters", async () => {
    const cost_id = "a/b?c&d=#é '\"<";
    await sendCost({ cost_id, cost_amount: "1" });
    const list = await browser.get("/partner/costs?match=pending");
    const path = /href="(\/partner\/costs\/[^"]+)"/.exec(list.markup)?.[1]?.replaceAll("&#39;", "'") ?? "";
    expect((await browser.get(path)).text).toContain(`${cost_id} Pending`);
    expect((await browser.post(`${path}/void`)).status).toBe(303);
  });

  it("returns 404 for an unknown ID and 400 for what is no ID", async () => {
    expect((await browser.get(at("unknown-cost-001"))).status).toBe(404);
    expect((await browser.get(at("short"))).status).toBe(404);
    expect((await browser.get(at("x".repeat(257)))).status).toBe(400);
  });
});

describe("a void", () => {
  const PATH = "/partner/costs/demo-spend-00-0";

  it("removes the cost, is confirmed, and changes nothing again", async () => {
    expect((await browser.get(PATH)).markup).toContain(`action="${PATH}/void"`);
    const done = await browser.post(`${PATH}/void`);
    expect([done.status, done.headers.get("location")]).toEqual([303, `${PATH}?notice=voided`]);
    const page = await browser.get(`${PATH}?notice=voided`);
    expect(page.text).toContain("Cost voided. It no longer counts.");
    expect(page.text).toContain("This cost is voided.");
    expect(page.markup).not.toContain(`action="${PATH}/void"`);
    const again = await browser.post(`${PATH}/void`);
    expect(again.headers.get("location")).toBe(`${PATH}?notice=already-voided`);
  });

  it("is possible up to seven days after the click, and not a millisecond later", async () => {
    await sendCost({ cost_id: "demo-click-recent-0001", cost_amount: "1" });
    const path = "/partner/costs/demo-click-recent-0001";
    const [last, late] = [{ now: NOW + 6 * DAY }, { now: NOW + 6 * DAY + 1 }];
    const browser = await signedIn(DEMO.costToken, last);
    expect((await browser.get(path, last)).markup).toContain(`action="${path}/void"`);
    const tooLate = await browser.get(path, late);
    expect(tooLate.markup).not.toContain(`action="${path}/void"`);
    expect(tooLate.text).toContain("It's too late to void this cost");
    const rejected = await browser.post(`${path}/void`, {}, late);
    expect(rejected.status).toBe(400);
    expect(rejected.text).toContain("It is too late to void this cost");
    expect((await browser.post(`${path}/void`, {}, last)).status).toBe(303);
  });

  it("is possible for a stopped partner", async () => {
    await setPartner(`stopped_at = ${NOW}`);
    expect((await browser.post(`${PATH}/void`)).status).toBe(303);
  });

  it("leads back to the cost when its address is opened", async () => {
    expect((await browser.get(`${PATH}/void`)).headers.get("location")).toBe(PATH);
  });
});

describe("another partner", () => {
  it("sees and voids none of the costs, with any ID", async () => {
    await addRival();
    const browser = await signedIn(RIVAL);
    const before = await rows("SELECT * FROM ledger_entries WHERE partner_id = 1");
    expect((await browser.get("/partner/costs")).text).toContain("No costs yet.");
    expect((await browser.get("/partner/costs.csv")).markup.split("\r\n")).toHaveLength(2);
    for (const id of ["demo-spend-00-0", "demo-click-recent-0001"]) {
      expect((await browser.get(`/partner/costs/${id}`)).status).toBe(404);
      expect((await browser.post(`/partner/costs/${id}/void`)).status).toBe(404);
    }
    for (const path of ["/partner", "/partner/setup"]) {
      const { text } = await browser.get(path);
      expect(text).toContain("Corsair Media");
      expect(text).not.toMatch(/Acme|acme_cost_id/);
    }
    const file = "cost_type,cost_currency,cost_id,cost_amount,tag\ncpc,EUR,demo-spend-00-0,9,t";
    const checked = await browser.upload(file);
    // Never a conflict, which would reveal that the other partner has this ID.
    expect(tableOf(checked)[0]).toEqual(["2", "demo-spend-00-0", "ready", ""]);
    await browser.confirm(checked);
    expect(await rows("SELECT * FROM ledger_entries WHERE partner_id = 1")).toEqual(before);
  });
});

describe("a test credential", () => {
  it("leads to its round, with each mismatch and how to fix it", async () => {
    const browser = await signedIn(DEMO.testCostToken);
    expect((await browser.get("/partner")).markup).toContain('href="/partner/round"');
    const { text, markup } = await browser.get("/partner/round");
    expect(text).toContain("Round 1: Corsair Media");
    expect(text).toContain("8 open mismatches. No match yet for cpe.");
    expect(text).toContain("Expected, and how to fix it");
    expect(markup).not.toContain("Dismiss");
  });

  it("shows the costs that were sent with it, in the page, its file and the page of each, without a void", async () => {
    const browser = await signedIn(DEMO.testCostToken);
    const page = await browser.get("/partner/costs?match=matched&sort=cost_id");
    const { body } = await ask<{ items: { cost_id: string }[] }>("/cost?match=matched", {
      token: DEMO.testCostToken,
    });
    const ids = body.items.map(({ cost_id }) => cost_id);
    // One of them differs from its URL, which only the report says.
    expect(ids).toHaveLength(6);
    expect(tableOf(page).map(([id]) => id)).toEqual(ids);
    const file = await call("/cost?match=matched", {
      token: DEMO.testCostToken,
      headers: { accept: "text/csv" },
    });
    const csv = await browser.get("/partner/costs.csv?match=matched&sort=cost_id");
    expect(csv.markup).toBe(await file.text());
    const newest = tableOf(await browser.get("/partner/costs?match=matched"));
    const received = newest.map((cells) => Date.parse(cells.at(-1)?.replace(",", "") ?? ""));
    expect(received).toEqual(received.toSorted((one, other) => other - one));
    expect(new Set(received).size).toBeGreaterThan(1);
    const one = await browser.get(`/partner/costs/${ids[0]}`);
    expect(one.text).toContain("A test cost never counts, so it can't be voided.");
    expect(one.markup).not.toContain("/void");
  });

  it("sees nothing of the ledger, also of its own partner, and sends nothing to it", async () => {
    await env.DB.exec("UPDATE credentials SET partner_id = 1 WHERE mode = 'test'");
    const browser = await signedIn(DEMO.testCostToken);
    expect((await browser.get("/partner/costs/demo-spend-00-0")).status).toBe(404);
    expect((await browser.get("/partner/costs")).markup).not.toContain("demo-spend");
    const file = "cost_type,cost_currency,cost_id,cost_amount,tag\ncpc,EUR,round-upload-01,9,t";
    const before = await rows("SELECT * FROM ledger_entries");
    for (const answer of [
      await browser.post("/partner/costs/corsair-click-0001/void"),
      await browser.get("/partner/upload"),
      await browser.upload(file),
    ]) {
      expect(answer.status).toBe(403);
      expect(answer.text).toContain("You are signed in with a test credential");
    }
    expect(await rows("SELECT * FROM ledger_entries")).toEqual(before);
  });

  it("still shows the report after the round has ended", async () => {
    const browser = await signedIn(DEMO.testCostToken);
    await call("/operator/v1/rounds/1/close", { method: "POST", token: DEMO.operatorToken });
    const { text, status } = await browser.get("/partner/round");
    expect([status, text.includes("Closed")]).toEqual([200, true]);
  });

  it("is what the round page needs", async () => {
    const { status, text } = await browser.get("/partner/round");
    expect(status).toBe(404);
    expect(text).toContain("Only a test credential has a round.");
  });
});

describe("the setup", () => {
  it("shows the templates byte for byte, their macros, and the first request with its answer", async () => {
    const { text } = await browser.get("/partner/setup");
    expect(text).toContain(
      "campaign={campaign_name}&adgroup=[adgroup]&gps_adid={gps_adid}&note=%%ACME MACRO%%",
    );
    expect(text).toContain("note %%ACME MACRO%% macro");
    expect(text).toContain("cost_currency USD Send your first cost");
    expect(text).toContain('curl -s -H "Authorization: Token token=$COST_TOKEN"');
    expect(text).toContain('"match":"matched","duplicate":false,"amount":"0.25","request_id":"…"}');
  });

  it("leads a test credential to the commands of its overview", async () => {
    const { text } = await (await signedIn(DEMO.testCostToken)).get("/partner/setup");
    expect(text).toContain("Overview has the commands, with your link and a new cost ID.");
  });

  it("warns of cost parameters without a cost ID, and shows missing templates", async () => {
    await setPartner("cost_parameters = 'my_cost_id={x}', click_parameters = ''");
    const { text } = await browser.get("/partner/setup");
    expect(text).toContain("Your cost parameters don't contain a cost_id .");
    expect(text).toContain("Click URLs No parameters.");
  });
});

it.each([
  ["live", DEMO.costToken],
  ["test", DEMO.testCostToken],
])("every page of a %s credential makes at most two calls to a database", async (_, credential) => {
  const browser = await signedIn(credential);
  const shards = ledgerOn().shards.length;
  for (const path of [
    "/partner",
    "/partner/missing",
    "/partner/totals",
    "/partner/costs?cost_id=demo",
    "/partner/costs.csv",
    "/partner/costs/demo-spend-00-0",
    "/partner/upload",
    "/partner/setup",
    "/partner/round",
  ]) {
    const { database, counts } = countingDatabase();
    await browser.get(path, { env: { DB: database } });
    // With shards, one call to each, and one for the links.
    expect(counts.calls, path).toBeLessThanOrEqual(shards === 0 ? 2 : 3 + shards);
  }
});
