/** The audit log of every operation and form: a write adds an entry for each object that it changes, with the right action. */
import { beforeAll, beforeEach, expect, it } from "vitest";
import type { Bulk } from "../../src/workspace/bulk/actions.ts";
import { sampled } from "../faults/operations.ts";
import { restoreState, startState } from "../faults/state.ts";
import { DEMO, NOW, rows } from "../harness.ts";
import { SINGLE_SIGN_ON } from "../support.ts";
import { DEMO_LINKS, reviewedOf, shownOf } from "./support.ts";

beforeAll(startState);
beforeEach(restoreState);

/** Entries as `subject (by user): action`, where `new` is a random token, or why there are none. */
type Expected = string[] | { none: string };
const costs = { none: "the ledger has the costs" };
const clicks = { none: "the ledger has the engagements" };
const check = { none: "it only shows what an import would do" };

const NEW_LINK = "link new (by 1): create link";
const DEMO_LINK = `link ${DEMO.linkToken} (by 1): update link`;
const VOID_BY_PARTNER = "partner 1 (by null): void cost";
const PARTNER = "partner 1 (by 2): update partner";
const APP = `app ${DEMO.appToken} (by 2): update app`;
const USER = "user 1 (by 2): update user";
const ERASE_USER = "user 1 (by 2): erase user";
const ADD_MEMBER = `app ${DEMO.otherAppToken} (by 2): add member`;
const REMOVE_MEMBER = `app ${DEMO.appToken} (by 2): remove member`;

/** The sample of each operation that writes, by operation ID or, for pages, by method and pattern. */
const ENTRIES: Record<string, Expected> = {
  createLink: [NEW_LINK],
  createLinks: [NEW_LINK, NEW_LINK],
  updateLink: [DEMO_LINK],
  submitCost: costs,
  submitBatch: costs,
  voidCost: [VOID_BY_PARTNER],
  openLink: clicks,
  openImpression: clicks,
  createApp: ["app new (by 2): create app"],
  updateApp: [APP],
  addMember: [ADD_MEMBER],
  removeMember: [REMOVE_MEMBER],
  createUser: ["user 41 (by 2): create user"],
  updateUser: [USER],
  resetPassword: [USER],
  issueToken: ["user 40 (by 2): issue API token"],
  turnOffTwoFactor: ["user 2 (by 2): reset two-factor"],
  eraseUser: [ERASE_USER],
  createPartner: ["partner 6 (by 2): create partner"],
  updatePartner: [PARTNER],
  createCredential: ["credential 7 (by 2): issue credential"],
  revokeCredential: ["credential 1 (by 2): revoke credential"],
  openRound: ["round 51 (by 2): open round"],
  approveRound: ["round 50 (by 2): approve round"],
  closeRound: ["round 50 (by 2): close round"],
  dismissFinding: ["round 1 (by 2): dismiss mismatch"],
  undoDismissal: ["round 1 (by 2): undo dismissal"],
  createTestLink: ["link new (by 2): create test link"],
  voidPartnerCost: ["partner 1 (by 2): void cost"],
  // There are no held prices.
  decideUrlPrices: [],
  callMcp: [],
  createAlertRule: ["rule 103 (by 2): create alert rule"],
  updateAlertRule: ["rule 1 (by 2): update alert rule"],
  deleteAlertRule: ["rule 1 (by 2): delete alert rule"],
  createWebhook: ["webhook 103 (by 2): create webhook"],
  deleteWebhook: ["webhook 1 (by 2): delete webhook"],
  rotateWebhookSecret: ["webhook 1 (by 2): rotate webhook secret"],
  turnOnWebhook: ["webhook 90 (by 2): turn on webhook"],
  testWebhook: ["webhook 1 (by 2): test webhook"],
  resendWebhookDelivery: ["webhook 1 (by 2): send delivery again"],
  createAdjustment: ["adjustment 2 (by 2): create adjustment"],
  "POST /login": ["user 1 (by 1): sign in"],
  "POST /login/code": ["user 2 (by 2): sign in"],
  "POST /logout": ["user 1 (by 1): sign out"],
  "POST /account/token/show": ["user 1 (by 1): show API token"],
  "POST /account/token/reset": ["user 1 (by 1): reset API token"],
  "POST /account/tokens": ["user 1 (by 1): create access token"],
  "POST /account/tokens/end": ["user 1 (by 1): end access token"],
  "POST /account/password": ["user 1 (by 1): change password"],
  "POST /account/two-factor": ["user 1 (by 1): turn on two-factor"],
  "POST /account/two-factor/recovery-codes": ["user 2 (by 2): create recovery codes"],
  "POST /account/two-factor/off": ["user 2 (by 2): turn off two-factor"],
  "POST /account/sessions/end": ["user 1 (by 1): end session"],
  "POST /account/sign-out-everywhere": ["user 1 (by 1): sign out everywhere"],
  "POST /apps/:app_token/links/new": [NEW_LINK, NEW_LINK],
  "POST /apps/:app_token/attention/hide": [`app ${DEMO.appToken} (by 1): hide item`],
  "POST /apps/:app_token/attention/show": [`app ${DEMO.appToken} (by 1): show hidden items`],
  "POST /apps/:app_token/alerts/webhooks/new": ["webhook 103 (by 1): create webhook"],
  "POST /apps/:app_token/alerts/webhooks/:id": ["webhook 101 (by 1): delete webhook"],
  "POST /operator/alerts/webhooks/new": ["webhook 103 (by 2): create webhook"],
  "POST /operator/alerts/webhooks/:id": ["webhook 1 (by 2): delete webhook"],
  "POST /apps/:app_token/alerts/new": ["rule 103 (by 1): create alert rule"],
  "POST /apps/:app_token/alerts/rules/:id": ["rule 101 (by 1): update alert rule"],
  "POST /operator/alerts/new": ["rule 103 (by 2): create alert rule"],
  "POST /operator/alerts/rules/:id": ["rule 1 (by 2): update alert rule"],
  "POST /apps/:app_token/performance/views": [`app ${DEMO.appToken} (by 1): save view`],
  "POST /apps/:app_token/performance/views/:view_id/delete": [`app ${DEMO.appToken} (by 1): delete view`],
  "POST /apps/:app_token/links/import": check,
  "POST /apps/:app_token/links/import/rows": [NEW_LINK],
  "POST /apps/:app_token/links/undo": [`link ${DEMO.linkToken} (by 1): undo change`],
  "POST /apps/:app_token/links/unused": [`app ${DEMO.appToken} (by 1): archive sub-links`],
  "POST /apps/:app_token/links/bulk": [DEMO_LINK, "link demo1nk008 (by 1): update link"],
  "POST /apps/:app_token/links/:link_token/settings/name": [DEMO_LINK],
  "POST /apps/:app_token/links/:link_token/settings/archived": [DEMO_LINK],
  "POST /apps/:app_token/links/:link_token/settings/partner": [DEMO_LINK],
  "POST /apps/:app_token/links/:link_token/settings/target": [DEMO_LINK],
  "POST /partner": ["partner 1 (by null): sign in"],
  "POST /partner/sign-out": ["partner 1 (by null): sign out"],
  "POST /partner/costs/:cost_id/void": [VOID_BY_PARTNER],
  "POST /partner/upload": check,
  "POST /partner/upload/import": costs,
  "POST /operator/apps/new": ["app new (by 2): create app"],
  "POST /operator/apps/:token": [APP],
  "POST /operator/apps/:token/archive": [APP],
  "POST /operator/apps/:token/members": [ADD_MEMBER],
  "POST /operator/apps/:token/members/remove": [REMOVE_MEMBER],
  "POST /operator/users/new": ["user 41 (by 2): create user"],
  "POST /operator/users/:id": [USER],
  "POST /operator/users/:id/apps": [ADD_MEMBER],
  "POST /operator/users/:id/password": [USER],
  "POST /operator/users/:id/two-factor": ["user 2 (by 2): reset two-factor"],
  "POST /operator/users/:id/token": ["user 40 (by 2): issue API token"],
  "POST /operator/users/:id/identity": ["user 40 (by 2): link identity"],
  "POST /operator/users/:id/identity/unlink": ["user 39 (by 2): unlink identity"],
  "POST /operator/users/:id/erase": [ERASE_USER],
  "POST /operator/partners/new": ["partner 6 (by 2): create partner"],
  "POST /operator/partners/:id": [PARTNER],
  "POST /operator/partners/:id/costs": [PARTNER],
  "POST /operator/partners/:id/credentials": ["credential 7 (by 2): issue credential"],
  "POST /operator/partners/:id/rounds": ["round 51 (by 2): open round"],
  "POST /operator/partners/:id/setup": [PARTNER],
  "POST /operator/partners/:id/setup/credential": ["credential 7 (by 2): issue credential"],
  "POST /operator/partners/:id/setup/round": ["round 51 (by 2): open round"],
  "POST /operator/partners/:id/url-prices": [],
  "POST /operator/partners/:id/url-prices/voids": [],
  "POST /operator/partners/:id/voids": ["partner 1 (by 2): void cost"],
  "POST /operator/credentials/:id/revoke": ["credential 1 (by 2): revoke credential"],
  "POST /operator/rounds/:id/approve": ["round 50 (by 2): approve round"],
  "POST /operator/rounds/:id/close": ["round 50 (by 2): close round"],
  "POST /operator/rounds/:id/dismissals": ["round 1 (by 2): dismiss mismatch"],
  "POST /operator/rounds/:id/dismissals/undo": ["round 1 (by 2): undo dismissal"],
  "POST /operator/rounds/:id/link": ["link new (by 2): create test link"],
  "POST /operator/adjustments/new": ["adjustment 2 (by 2): create adjustment"],
};

const { ofPartner, plain } = DEMO_LINKS;
const bulk = (action: Bulk["action"], ...links: (typeof ofPartner | typeof plain)[]) =>
  `action=${action}&links=${links.map(({ token }) => token).join()}&back=&reviewed=${reviewedOf(action, ...links)}`;
const rowsToImport = (...lines: string[]) =>
  `--boundary\r\ncontent-disposition: form-data; name="rows"\r\n\r\n${lines.join("\n")}\r\n--boundary--\r\n`;

/** What forms do beside their samples: the bodies, sent one after the other, and the entries of all of them. */
const MORE: [what: string, name: string, bodies: string[], entries: string[]][] = [
  [
    "archives and restores a link",
    "POST /apps/:app_token/links/:link_token/settings/archived",
    ["archived=yes", "archived=no"],
    [DEMO_LINK, DEMO_LINK],
  ],
  [
    "detaches a link",
    "POST /apps/:app_token/links/:link_token/settings/partner",
    [`partner=none&cost=off&reviewed=${shownOf("partner", {}, ofPartner).reviewed}`],
    [DEMO_LINK],
  ],
  [
    "archives and restores selected links",
    "POST /apps/:app_token/links/bulk",
    [bulk("archive", ofPartner), bulk("restore", ofPartner)],
    [DEMO_LINK, DEMO_LINK],
  ],
  [
    "turns cost data of selected links off and on",
    "POST /apps/:app_token/links/bulk",
    [bulk("cost-off", ofPartner), bulk("cost-on", { ...ofPartner, costSwitch: 0 })],
    [DEMO_LINK, DEMO_LINK],
  ],
  [
    "detaches selected links, of which one has no partner",
    "POST /apps/:app_token/links/bulk",
    [bulk("detach", ofPartner, plain)],
    [DEMO_LINK],
  ],
  [
    "imports a network, a second one with a campaign, and a row whose links exist",
    "POST /apps/:app_token/links/import/rows",
    [rowsToImport("row,network,campaign", "1,One,", "2,Two,Below", "3,Acme,Spring")],
    [NEW_LINK, NEW_LINK, NEW_LINK],
  ],
  [
    "changes a link that a row of an import names by its token, and one that has these values",
    "POST /apps/:app_token/links/import/rows",
    [rowsToImport("row,link_token,cost_data,archived", `1,${DEMO.linkToken},off,`, "2,demo1nk002,,no")],
    [DEMO_LINK],
  ],
  [
    "archives and restores an app",
    "POST /operator/apps/:token/archive",
    ["archived=yes", "archived=no"],
    [APP, APP],
  ],
  ["disables and enables a user", "POST /operator/users/:id", ["disabled=yes", "disabled=no"], [USER, USER]],
  ["changes an email", "POST /operator/users/:id", ["email=other%40example.com"], [USER]],
  ["changes a role", "POST /operator/users/:id", ["role=operator"], [USER]],
  ["switches to single sign-on", "POST /operator/users/:id", ["sign_in=sso"], [USER]],
  [
    "resets a password and revokes the API token",
    "POST /operator/users/:id/password",
    ["revoke_api_token=yes"],
    [USER],
  ],
  [
    "stops and resumes a partner",
    "POST /operator/partners/:id/costs",
    ["stopped=yes", "stopped=no"],
    [PARTNER, PARTNER],
  ],
  [
    "dismisses two mismatches of a kind",
    "POST /operator/rounds/:id/dismissals",
    ["kind=engagement_without_cost"],
    ["round 1 (by 2): dismiss mismatch"],
  ],
];

const writes = sampled.filter(({ isWrite }) => isWrite);
const cases = [
  ...Object.entries(ENTRIES).map(([name, expected]) => ({ name, bodies: [undefined], expected })),
  ...MORE.map(([what, name, bodies, expected]) => ({ name, what, bodies, expected })),
].map((one): [string, typeof one] => {
  const what = "what" in one ? one.what : Array.isArray(one.expected) ? undefined : one.expected.none;
  return [what === undefined ? one.name : `${one.name}, ${what}`, one];
});

async function readEntries() {
  const found = await rows<{ happened_at: number; user_id: number | null; action: string; subject: string }>(
    "SELECT happened_at, user_id, action, subject FROM audit_log ORDER BY id",
  );
  return found.map(({ happened_at, user_id, action, subject }) => ({
    happened_at,
    text: `${subject.replace(NEW_TOKEN, "$1$2 new")} (by ${user_id}): ${action}`,
  }));
}
/** The demo links have vowels in their tokens, random tokens of links have none. */
const NEW_TOKEN = /^(link) [0-9b-df-hj-np-tv-z]{10}$|^(app) (?!demoapp|otherapp)\w{12}$/;

it("are expected of every operation that writes, and of no others", () => {
  expect(Object.keys(ENTRIES).toSorted()).toEqual(writes.map(({ name }) => name).toSorted());
  expect(MORE.filter(([, name]) => ENTRIES[name] === undefined)).toEqual([]);
});

it.each(cases)("are added for exactly what changed: %s", async (_, { name, bodies, expected }) => {
  const one = writes.find((write) => write.name === name);
  const before = await readEntries();
  for (const body of bodies) {
    const response = await one?.send(SINGLE_SIGN_ON, body === undefined ? {} : { body });
    expect(response?.status).toBeLessThan(400);
  }
  const added = (await readEntries()).slice(before.length);
  expect(added.map(({ text }) => text)).toEqual(Array.isArray(expected) ? expected : []);
  expect([...new Set(added.map(({ happened_at }) => happened_at))]).toEqual(added.length > 0 ? [NOW] : []);
});
