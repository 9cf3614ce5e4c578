/** Alerts, their rules and webhooks in a browser: members and operators, by keyboard and without scripts. */
import { expect, test } from "vitest";
import { DEMO } from "../../src/dev/demo.ts";
import { checkEveryWidth, db, useDemoUsers } from "./browser.ts";

const openAs = useDemoUsers();
const OPERATOR = "/operator/alerts";
const MEMBER = `/apps/${DEMO.appToken}/alerts`;

/** What is open, closed, turned off and tried again, so that a page has each of its states. */
async function addExamples(app: string | null): Promise<number> {
  const first = app === null ? 1_000 : 2_000;
  const now = Date.now();
  const data = {
    partner_id: 1,
    partner: "Acme Ads",
    last_cost_at: null,
    waiting_since: "2026-03-01T00:00:00Z",
  };
  const alert = "INSERT INTO alerts (rule_id, app_token, kind, subject, data, opened_at, closed_at)";
  await db.batch([
    ...[null, now].map((closed) =>
      db
        .prepare(`${alert} VALUES (?, ?, 'partner_silent', ?, ?, ?, ?)`)
        .bind(first, app, `partner ${closed}`, JSON.stringify(data), now - 1, closed),
    ),
    db
      .prepare(
        `INSERT INTO webhooks (id, app_token, url, secret, created_at, failing_since, ended_at, ended_because)
         VALUES (?1, ?2, 'https://example.com/hooks', 'x', 0, 1, NULL, NULL), (?1 + 1, ?2, 'https://example.com/off', 'x', 0, 1, 1, 'failing')`,
      )
      .bind(first, app),
    db
      .prepare(
        "INSERT INTO webhook_events (id, message_id, type, app_token, body, happened_at, spread_at) VALUES (?1, 'msg_' || ?1, 'partner.stopped', ?2, '{}', 1, 1)",
      )
      .bind(first, app),
    db
      .prepare(
        `INSERT INTO webhook_deliveries (webhook_id, event_id, rank, due_at, attempts, attempted_at, status, error, delivered_at)
         VALUES (?1, ?1, 1, NULL, 1, 1, 204, NULL, 1), (?1, ?1, 1, 9, 2, 1, NULL, 'No response within 10 seconds', NULL), (?1, ?1, 1, NULL, 0, NULL, NULL, NULL, NULL)`,
      )
      .bind(first),
  ]);
  return first;
}

// Members and operators have the same pages, with other frames.
test.each([
  ["operator", OPERATOR, null],
  ["demo", MEMBER, DEMO.appToken],
] as const)("of %s have pages for every state of alerts and webhooks", async (who, path, app) => {
  const id = await addExamples(app);
  const page = await openAs(path, {}, who);
  await checkEveryWidth(page, `${who}-alerts`);
  if (app === null)
    for (const [name, webhook] of [
      ["webhook", id],
      ["webhook-off", id + 1],
    ] as const) {
      await page.goto(`${path}/webhooks/${webhook}`);
      await checkEveryWidth(page, name);
    }
  else await page.goto(`${path}/webhooks/${id + 1}`);
  await expect.poll(() => page.getByText("Off: failed for 5 days").count()).toBe(1);
});

test("a member creates a rule with the keyboard, with the errors of a rejected form, and deletes it", async () => {
  const page = await openAs(`${MEMBER}/new`);
  await page.getByRole("link", { name: "Costs rejected" }).focus();
  await page.keyboard.press("Enter");
  const percent = page.getByLabel("Percentage of that hour's costs");
  await percent.fill("400");
  await page.keyboard.press("Enter");
  const error = page.getByRole("alert").getByRole("link");
  await expect.poll(() => error.textContent()).toBe("Percentage of that hour's costs must be from 0 to 100.");
  await checkEveryWidth(page, "rejected-rule");
  await error.focus();
  await page.keyboard.press("Enter");
  await expect.poll(() => page.evaluate("document.activeElement.name")).toBe("percent");
  await percent.fill("40");
  await page.keyboard.press("Enter");
  await page.getByRole("status").getByText("Rule created.").waitFor();
  const row = page.getByRole("row").filter({ hasText: "more than 40.0%" });
  await row.getByRole("link", { name: /^Change/ }).focus();
  await page.keyboard.press("Enter");
  await page.locator("summary").filter({ hasText: "Delete this rule" }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Delete rule" }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("status").getByText("Rule deleted.").waitFor();
  await expect.poll(() => row.count()).toBe(0);
});

test("an operator creates, tests and deletes a webhook without scripts", async () => {
  const page = await openAs(OPERATOR, { javaScriptEnabled: false }, "operator");
  await page.getByRole("link", { name: "New webhook" }).click();
  await page.getByLabel("URL of the receiver").fill("https://example.com/without-scripts");
  await page.getByRole("button", { name: "Create webhook" }).click();
  await page.getByText(/^whsec_/).waitFor();
  await page.getByRole("link", { name: "Done" }).click();
  await page.getByRole("button", { name: "Send test event" }).click();
  await page.getByRole("status").getByText("Test event created.").waitFor();
  await page.getByText("Delete this webhook").click();
  await page.getByRole("button", { name: "Delete webhook" }).click();
  await page.getByRole("status").getByText("Webhook deleted.").waitFor();
  await expect.poll(() => page.getByText("https://example.com/without-scripts").count()).toBe(0);
});
