/** Two writers of a link at the same time: what happens between the read and the write of an update, in a fixed order of calls. */
import { beforeEach, expect, it } from "vitest";
import { signedIn } from "../account/support.ts";
import { ask, call, DEMO, env, freshDemo, rows, withMethods, wrapDatabases } from "../harness.ts";
import { DEMO_LINKS, reviewedOf, shownOf } from "../security/support.ts";
import { changedBefore } from "../support.ts";
import { LINKS, patchLink, readLink } from "./support.ts";

beforeEach(freshDemo);

const NETWORK = DEMO.linkToken;
const AD_GROUP = "demo1nk003";
const PLAIN = "demo1nk008";
const exec = (change: string) => () => env.DB.exec(change);
/** Updates a link, while something else happens between its read and its write. */
const updateAround = (token: string, json: object, change: () => Promise<unknown>) =>
  ask(`${LINKS}/${token}`, {
    method: "PATCH",
    token: DEMO.apiToken,
    json,
    env: { DB: changedBefore(2, change) },
  });
const entries = async () =>
  (
    await rows<{ subject: string; detail: string }>(
      "SELECT subject, detail FROM audit_log WHERE action = 'update link' ORDER BY id",
    )
  ).map(({ subject, detail }) => [subject, JSON.parse(detail)]);

it.each<[string, object, object, object]>([
  ["rename", { name: "first" }, { name: "second" }, { name: { from: "first", to: "second" } }],
  ["archive", { archived: true }, { name: "second" }, { name: { from: "Newsletter", to: "second" } }],
  ["attach a partner to", { partner_id: 1 }, { archived: true }, { archived: { from: false, to: true } }],
  [
    "switch cost data off for",
    { cost_data_enabled: false },
    { partner_id: 1, cost_data_enabled: true },
    { partner_id: { from: null, to: 1 }, cost_data_enabled: { from: false, to: true } },
  ],
])(
  "if one writer happens to %s a link while another updates it, both take effect, one after the other",
  async (_, first, second, last) => {
    const response = await updateAround(PLAIN, second, () => patchLink(PLAIN, first));
    expect(response.status).toBe(200);
    expect(await readLink(PLAIN)).toMatchObject({ ...first, ...second });
    expect((await entries()).map(([subject]) => subject)).toEqual(Array(2).fill(`link ${PLAIN}`));
    expect((await entries())[1]).toEqual([`link ${PLAIN}`, last]);
  },
);

it("the second of two writers with the same values writes nothing", async () => {
  const response = await updateAround(PLAIN, { name: "same" }, () => patchLink(PLAIN, { name: "same" }));
  expect(response.status).toBe(200);
  expect(await entries()).toEqual([[`link ${PLAIN}`, { name: { from: "Newsletter", to: "same" } }]]);
});

it.each<[string, string, object, string]>([
  [
    "its new partner loses cost data",
    PLAIN,
    { partner_id: 1, cost_data_enabled: true },
    "UPDATE partners SET supports_cost_data = 0 WHERE id = 1",
  ],
  [
    "the link above gets a partner without it",
    AD_GROUP,
    { cost_data_enabled: true },
    "UPDATE links SET partner_id = 2 WHERE token = 'demo1nk002'",
  ],
  [
    "the network two levels above loses its partner",
    AD_GROUP,
    { cost_data_enabled: true },
    `UPDATE links SET partner_id = NULL WHERE token = '${NETWORK}'`,
  ],
])("does not switch cost data on if %s between the read and the write", async (_, token, json, change) => {
  await rows("UPDATE links SET cost_switch = 0 WHERE token = ?", AD_GROUP);
  const response = await updateAround(token, json, exec(change));
  expect(response).toMatchObject({ status: 400, body: { code: "partner_without_cost_data" } });
  expect(await rows("SELECT coalesce(cost_switch, 0) AS isOn FROM links WHERE token = ?", token)).toEqual([
    { isOn: 0 },
  ]);
  expect(await entries()).toEqual([]);
});

it.each([
  ["404 without the membership", 404, "DELETE FROM memberships WHERE user_id = 1"],
  ["401 without the token", 401, "DELETE FROM api_tokens WHERE user_id = 1"],
])("writes nothing and returns %s that was valid at the read", async (_, status, change) => {
  expect((await updateAround(PLAIN, { name: "late" }, exec(change))).status).toBe(status);
  expect(await rows("SELECT label FROM links WHERE token = ?", PLAIN)).toEqual([{ label: "Newsletter" }]);
  expect(await entries()).toEqual([]);
});

it("returns 503 after five attempts if others keep changing the link, and writes nothing", async () => {
  let calls = 0;
  const DB = wrapDatabases((real) =>
    withMethods(real, {
      batch: async (statements: D1PreparedStatement[]) => {
        calls++;
        if (calls % 2 === 0)
          await rows("UPDATE links SET label = ? WHERE token = ?", `other ${calls}`, PLAIN);
        return real.batch(statements);
      },
    }),
  );
  const options = { method: "PATCH", token: DEMO.apiToken, json: { name: "mine" }, env: { DB } };
  const response = await call(`${LINKS}/${PLAIN}`, options);
  expect(response.status).toBe(503);
  expect(response.headers.get("retry-after")).toBe("1");
  // Five reads, five writes, and the check of the token before an error is shown.
  expect(calls).toBe(11);
  expect(await entries()).toEqual([]);
  expect(await readLink(PLAIN)).toMatchObject({ name: "other 10" });
});

it("changes every link of a selection if one of them changes between the read and the write", async () => {
  const browser = await signedIn();
  // The first call is for the session.
  const DB = changedBefore(3, () => patchLink(PLAIN, { name: "Letter" }));
  const reviewed = reviewedOf("archive", DEMO_LINKS.plain, { ...DEMO_LINKS.plain, token: AD_GROUP });
  const form = { action: "archive", links: `${PLAIN},${AD_GROUP}`, reviewed };
  const { status } = await browser.post(`/apps/${DEMO.appToken}/links/bulk`, form, { env: { DB } });
  expect(status).toBe(200);
  expect(await readLink(PLAIN)).toMatchObject({ name: "Letter", archived: true });
  expect(await readLink(AD_GROUP)).toMatchObject({ archived: true });
  expect(await entries()).toHaveLength(3);
});

it("changes no link of a selection if, between the read and the write, one gets what was not reviewed", async () => {
  const browser = await signedIn();
  const DB = changedBefore(3, () => patchLink(PLAIN, { partner_id: 3 }));
  const reviewed = reviewedOf("attach", DEMO_LINKS.plain, DEMO_LINKS.ofPartner);
  const form = { action: "attach", partner: "2", links: `${PLAIN},${DEMO.linkToken}`, reviewed };
  const { status } = await browser.post(`/apps/${DEMO.appToken}/links/bulk`, form, { env: { DB } });
  expect(status).toBe(409);
  expect(await readLink(PLAIN)).toMatchObject({ partner_id: 3 });
  expect(await readLink(DEMO.linkToken)).toMatchObject({ partner_id: 1 });
});

it("rejects a form that was judged by what a person saw, if that changes between the read and the write", async () => {
  const browser = await signedIn();
  const DB = changedBefore(3, () => patchLink(PLAIN, { name: "Letter" }));
  const form = { name: "Mail", ...shownOf("name") };
  const response = await browser.post(`/apps/${DEMO.appToken}/links/${PLAIN}/settings/name`, form, {
    env: { DB },
  });
  expect(response.status).toBe(409);
  expect(await readLink(PLAIN)).toMatchObject({ name: "Letter" });
});
