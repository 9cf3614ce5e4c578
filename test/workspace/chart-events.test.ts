/** What happened to partners is marked on each chart by day that has figures of them, and listed beside it. */
import { beforeEach, expect, it } from "vitest";
import { signedIn as asUser, type Browser, freshSession } from "../account/support.ts";
import { DAY, DEMO, env, freshWholeDemo, NOW } from "../harness.ts";
import { signedIn as asPartner } from "../partner/support.ts";
import { inLedger } from "../support.ts";
import { APP, mainOf, open, textOf } from "./page-text.ts";

const DAYS = "from=2026-03-08&to=2026-03-14";
const MEMBER = [
  `${APP}?${DAYS}`,
  `${APP}/performance?${DAYS}`,
  `${APP}/links/demo1nk003?${DAYS}`,
  `${APP}/partners/1?${DAYS}`,
];
const OPERATOR = ["/operator/partners/1", `/operator/spend?${DAYS}`, `/operator/spend?${DAYS}&partner_id=1`];
const PARTNER = ["/partner", `/partner/totals?${DAYS}`];

let member: Browser;
beforeEach(async () => {
  member = await freshSession(freshWholeDemo);
});

/** The labels of marked days, by page. */
async function marksOn(pages: string[], read: (path: string) => Promise<string>) {
  const found = new Map<string, string>();
  for (const path of pages) {
    const page = mainOf(await read(path));
    const marks = [...page.matchAll(/<svg class="event"[^>]*><title>([^<]*)</g)].map(([, text]) => text);
    found.set(path, marks.join("\n"));
    // The list has the same.
    if (marks.length > 0) expect([path, /<ul class="events"/.test(page)]).toEqual([path, true]);
  }
  return found;
}
const onAllPages = async () => {
  const operator = await asUser(DEMO.operatorEmail, DEMO.operatorPassword);
  const partner = await asPartner();
  return new Map([
    ...(await marksOn(MEMBER, (path) => open(member, path))),
    ...(await marksOn(OPERATOR, (path) => open(operator, path))),
    ...(await marksOn(PARTNER, async (path) => (await partner.get(path)).markup)),
  ]);
};

it("marks a stop that the audit log does not have", async () => {
  await env.DB.exec(`UPDATE partners SET stopped_at = ${NOW - 3 * DAY} WHERE id = 1`);
  const marks = await onAllPages();
  for (const [path, text] of marks)
    expect([path, text]).toEqual([
      path,
      expect.stringContaining("12 Mar 2026:\nAcme Ads was stopped by an operator"),
    ]);
});

it("marks the first day on which a partner has sent no cost", async () => {
  await env.DB.exec(
    `INSERT INTO partner_activity VALUES (1, ${NOW / 3_600_000}, 0, 1, 1, ${NOW - 3 * DAY}, ${NOW}, 0)`,
  );
  await inLedger(`DELETE FROM daily_totals WHERE partner_id = 1 AND day > ${Math.floor(NOW / DAY) - 3}`);
  const marks = await onAllPages();
  for (const [path, text] of marks)
    expect([path, text]).toEqual([
      path,
      expect.stringContaining("13 Mar 2026:\nNo cost from Acme Ads after 12 Mar"),
    ]);
  const page = textOf(mainOf(await open(member, MEMBER[2] ?? "")));
  expect(page).toContain("No cost after 12 Mar from Acme Ads . Ask the partner.");
});

it("marks on a link's page what was switched on it, and what operators changed of its partner", async () => {
  const log = (action: string, subject: string, detail: object) =>
    env.DB.prepare(
      "INSERT INTO audit_log (happened_at, user_id, action, subject, detail) VALUES (?, 2, ?, ?, ?)",
    ).bind(NOW - 2 * DAY, action, subject, JSON.stringify(detail));
  await env.DB.batch([
    log("update link", "link demo1nk003", { cost_data_enabled: { from: null, to: true } }),
    log("update partner", "partner 1", { click_parameters: { from: "", to: "a=b" } }),
    // No cost of the link is of this partner.
    log("update partner", "partner 5", { click_parameters: { from: "", to: "a=b" } }),
  ]);
  const [, , link = ""] = MEMBER;
  const text = (await marksOn([link], (path) => open(member, path))).get(link);
  expect(text).toContain("Cost data was turned on for the link Runners of Acme Ads");
  expect(text).toContain("The URL parameters of Acme Ads changed");
  expect(text).not.toContain("Echo Media");
});

it("has no events of partners that are paid in another currency", async () => {
  const operator = await asUser(DEMO.operatorEmail, DEMO.operatorPassword);
  // Delta Reach is paid in USD, and was stopped three days ago.
  const text = "Delta Reach was stopped by an operator";
  for (const path of [APP, `${APP}/performance`])
    for (const [query, isShown] of [
      ["currency=EUR", false],
      ["currency=USD", true],
    ] as const) {
      const page = mainOf(await open(member, `${path}?${DAYS}&${query}`));
      expect([path, query, page.includes(text)]).toEqual([path, query, isShown]);
    }
  // Clicks have no currency.
  const clicks = await open(member, `${APP}/performance?${DAYS}&currency=EUR&metric=clicks`);
  expect(mainOf(clicks)).toContain(text);
  const spend = mainOf(await open(operator, `/operator/spend?${DAYS}`));
  const [usd, eur] = ["USD", "EUR"].map(
    (currency) => new RegExp(`aria-labelledby="chart-${currency}"[\\s\\S]*?</figure>`).exec(spend)?.[0],
  );
  expect([usd?.includes(text), eur?.includes(text)]).toEqual([true, false]);
});
