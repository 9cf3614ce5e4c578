/** A link elsewhere does not make a page say that something was done. */
import { beforeAll, describe, expect, it } from "vitest";
import { call, DEMO, freshDemo } from "../harness.ts";
import { SESSIONS, startSessions } from "./support.ts";

beforeAll(async () => {
  await freshDemo();
  await startSessions();
});

const LINK = `/apps/${DEMO.appToken}/links/${DEMO.linkToken}`;

describe.each([
  ["/account", SESSIONS.member, "session-ended", "Session ended."],
  [LINK, SESSIONS.member, "created", "Link created."],
  [`${LINK}/settings`, SESSIONS.member, "restored", "Link restored."],
  ["/operator/users/1", SESSIONS.operator, "user-erased", "User erased."],
  ["/partner/costs/demo-spend-00-0", SESSIONS.partner, "voided", "Cost voided."],
])("%s", (path, cookie, notice, text) => {
  const read = async (site: string | undefined) => {
    const headers = { accept: "text/html", cookie, ...(site !== undefined && { "sec-fetch-site": site }) };
    const response = await call(`${path}?notice=${notice}`, { headers });
    expect(response.status).toBe(200);
    return response.text();
  };

  it.each([["same-origin"], [undefined]])(
    "says what was done after a form: Sec-Fetch-Site %s",
    async (site) => expect(await read(site)).toContain(text),
  );

  it.each(["cross-site", "same-site", "none", ""])(
    "says nothing after a link elsewhere: Sec-Fetch-Site %j",
    async (site) => expect(await read(site)).not.toContain(text),
  );
});

it("a sign-in page says that the session has ended, wherever the link was", async () => {
  for (const path of ["/login", "/partner"]) {
    const headers = { accept: "text/html", "sec-fetch-site": "cross-site" };
    const response = await call(`${path}?notice=ended`, { headers });
    expect(await response.text()).toMatch(/Your session (expired|ended)/);
  }
});
