/** Whom people ask: every sentence that says so names the contact of the deployment, if it has one. */
import { beforeEach, describe, expect, it } from "vitest";
import { Browser, freshSession } from "../account/support.ts";
import { DEMO, freshWholeDemo, rows } from "../harness.ts";
import { APP } from "../workspace/page-text.ts";

const env = { OPERATOR_CONTACT: "ops@example.com" };
const LINKED = 'your operator (<a href="mailto:ops@example.com">ops@example.com</a>)';
const PLAIN = "your operator (ops@example.com)";

let browser: Browser;
beforeEach(async () => {
  browser = await freshSession(freshWholeDemo);
});

describe("is named", () => {
  it.each([
    ["of a partner that cannot send costs", `${APP}/partners/2`, LINKED],
    ["in the review of a change", `${APP}/links/bulk?action=cost-on&links=demo1nk006`, LINKED],
    ["beside the settings of a link", `${APP}/links/demo1nk006/settings`, LINKED],
    ["at a rejected setting", `${APP}/links/demo1nk006/settings?partner=2&cost=on`, PLAIN],
    ["below every page", "/docs/errors", "<span>Operator: <a"],
  ])("%s", async (_, path, text) => {
    expect((await browser.get(path, { env })).text).toContain(text);
    expect((await browser.get(path)).text).not.toContain("ops@example.com");
  });

  it.each([
    ["on Overview", APP],
    ["on Performance", `${APP}/performance?period=today`],
    ["at the cost data of a new link", `${APP}/links/new`],
    ["on the page of a link", `${APP}/links/${DEMO.linkToken}`],
  ])("%s, if no partner supports cost data", async (_, path) => {
    await rows("UPDATE partners SET supports_cost_data = 0, integrated_types = 0");
    await rows("DELETE FROM daily_totals");
    await rows("DELETE FROM daily_engagements");
    expect((await browser.get(path, { env })).text).toContain(LINKED);
  });

  it("to somebody whose temporary password has expired", async () => {
    await rows("UPDATE users SET password_expires_at = 1 WHERE id = 1");
    const form = { email: DEMO.email, password: DEMO.password };
    expect((await new Browser().post("/login", form, { env })).text).toContain(PLAIN);
  });

  it("in the error of an app that is full", async () => {
    await rows("UPDATE apps SET max_links = created_link_count");
    const { text } = await browser.post(`${APP}/links/new`, { network: "One too many" }, { env });
    expect(text).toContain(PLAIN);
  });
});
