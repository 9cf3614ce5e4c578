/** Files of pages begin with a byte order mark, for Excel; those of the APIs do not. */
import { beforeAll, describe, expect, it } from "vitest";
import { Browser } from "../account/support.ts";
import { call, DEMO, freshDemo } from "../harness.ts";
import { signedIn as partnerSignedIn } from "../partner/support.ts";
import { APP } from "./page-text.ts";

const MARK = [0xef, 0xbb, 0xbf];
const cookies: Record<string, string> = {};
beforeAll(async () => {
  await freshDemo();
  for (const [who, email, password] of [
    ["member", DEMO.email, DEMO.password],
    ["operator", DEMO.operatorEmail, DEMO.operatorPassword],
  ] as const) {
    const browser = new Browser();
    await browser.signIn(email, password);
    cookies[who] = `__Host-session=${browser.session}`;
  }
  cookies.partner = (await partnerSignedIn()).cookie;
});

async function fileAt(path: string, options: Parameters<typeof call>[1]) {
  const response = await call(path, options);
  expect([response.status, response.headers.get("content-type")]).toEqual([
    200,
    "text/csv; charset=utf-8; header=present",
  ]);
  return new Uint8Array(await response.arrayBuffer());
}

describe("a file of", () => {
  it.each([
    ["member", `${APP}/links.csv`, "link_token,"],
    ["member", `${APP}/performance.csv`, "link_token,"],
    ["partner", "/partner/costs.csv", "cost_id,"],
    ["operator", "/operator/audit.csv", "id,"],
  ])("the pages of a %s begins with one byte order mark: %s", async (who, path, header) => {
    const file = await fileAt(path, { headers: { cookie: cookies[who] ?? "" } });
    expect([...file.slice(0, 3)]).toEqual(MARK);
    expect(new TextDecoder().decode(file.slice(3))).toMatch(new RegExp(`^${header}`));
  });

  it.each([
    [`/public/v1/apps/${DEMO.appToken}/spend`, DEMO.apiToken, "day,"],
    ["/cost", DEMO.costToken, "cost_id,"],
  ])("an API has none: %s", async (path, token, header) => {
    const file = await fileAt(path, { token, headers: { accept: "text/csv" } });
    expect(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(file)).toMatch(
      new RegExp(`^${header}`),
    );
  });
});
