/** Requests for statements that the samples of the operations do not run: filters and pages of lists, wrong codes, batches of a round. */
import { codeAt } from "../../src/auth/sign-in/totp.ts";
import {
  confirmSession,
  findLinkedUser,
  insertAttempt,
  insertLinkedSession,
  markStateUsed,
} from "../../src/db/accounts/identities.ts";
import { Browser } from "../account/support.ts";
import { LINKS, PARTNERS } from "../campaign/support.ts";
import { ROUND_TEST } from "../faults/state.ts";
import { ask, type Call, DEMO, NOW } from "../harness.ts";
import { SESSIONS } from "../security/support.ts";

type Env = NonNullable<Call["env"]>;

interface Request extends Call {
  path: string;
}

const APP = `/apps/${DEMO.appToken}`;
const CHILDREN = `${LINKS}/demo1nk003/children`;
const at = (paths: string[], options: Call): Request[] => paths.map((path) => ({ path, ...options }));
const post = (path: string, cookie: string, fields: Record<string, string>): Request => ({
  path,
  method: "POST",
  headers: { cookie, "content-type": "application/x-www-form-urlencoded" },
  body: new URLSearchParams(fields).toString(),
});
const pageOf = (cookie: string): Call => ({ headers: { accept: "text/html", cookie } });
const cost = { cost_type: "cpc", cost_currency: "USD", cost_amount: "1", tag: "t" };

const OF_LINK = `link=${DEMO.linkToken}`;
/** One report of each form: the groups decide the order in which totals are read, and the audience and the link which. */
const REPORTED = {
  pages: ["level=2", `level=2&${OF_LINK}`, "group_by=partner", "group_by=country", "country=DE"],
  api: {
    spend: [
      ...["link&level=1", "day,link,partner,cost_type", "country", "day,country", "cost_type&country=DE"],
      ...[`day&${OF_LINK}`, `country&${OF_LINK}`],
    ],
    engagements: ["link&level=1", "country", "day,country", "kind&country=DE", `country&${OF_LINK}`],
    performance: ["link", "country", `link&${OF_LINK}`],
  },
};

export const UNSAMPLED: Request[] = [
  ...at(["/cost", "/cost/corsair-click-0001"], { token: DEMO.testCostToken }),
  ...at(["/partner"], pageOf(SESSIONS.partnerInRound)),
  ...at(
    ["archived=true", "partner_id=1", "name=a"].flatMap((filter) => [
      `${LINKS}?${filter}`,
      `${CHILDREN}?${filter}`,
    ]),
    { token: DEMO.apiToken },
  ),
  ...at(
    [`adjustments?app_token=${DEMO.appToken}`, "audit?subject=user%201", "credentials?partner_id=1"].map(
      (list) => `/operator/v1/${list}`,
    ),
    { token: DEMO.operatorToken },
  ),
  ...at(
    [
      "q=v",
      "partner=1",
      "cost=on",
      "level=1&cost=on",
      "sort=-clicks&cost=on",
      "level=2&sort=-clicks",
      "open=demo1nk001&sort=-clicks",
      "archived=all",
    ].map((filter) => `${APP}/links?${filter}`),
    pageOf(SESSIONS.member),
  ),
  ...at(
    [
      ...[
        "object=demo1nk001",
        "action=sign%20out",
        "to=2026-03-15",
        "from=2026-03-15&to=2026-03-15",
        `who=${DEMO.email}`,
        `who=${DEMO.email}&action=sign%20out`,
      ].map((filter) => `/operator/audit?${filter}`),
      ...["/operator/apps", "/operator/users", "/operator"].map((list) => `${list}?sort=-created&q=a`),
    ],
    pageOf(SESSIONS.operator),
  ),
  ...at(
    [
      `${APP}/links/${DEMO.linkToken}?period=7d`,
      ...REPORTED.pages.map((query) => `${APP}/performance?${query}`),
    ],
    pageOf(SESSIONS.member),
  ),
  ...at(
    Object.entries(REPORTED.api).flatMap(([report, queries]) =>
      queries.map((groups) => `/public/v1${APP}/${report}?group_by=${groups}`),
    ),
    { token: DEMO.apiToken },
  ),
  ...at(["/apps", "/operator/partners?sort=-created", "/operator/adjustments"], pageOf(SESSIONS.operator)),
  ...at(["/public/v1/apps?limit=1", `${LINKS}?archived=false&partner_id=1&name=a`], { token: DEMO.apiToken }),
  ...at(
    ["audit?limit=1", "audit?from=2026-03-01&to=2026-03-02", "audit?action=sign%20out"].map(
      (list) => `/operator/v1/${list}`,
    ),
    {
      token: DEMO.operatorToken,
    },
  ),
  // Sub-links that are missing.
  ...at(
    ["campaign=A", "campaign=A&adgroup=B"].map((names) => `/${DEMO.linkToken}?s2s=1&${names}`),
    {},
  ),
  {
    path: "/cost/batch",
    token: DEMO.costToken,
    method: "POST",
    json: { costs: [{ ...cost, cost_id: "short" }] },
  },
  {
    path: "/operator/v1/users/1",
    token: DEMO.operatorToken,
    method: "PATCH",
    json: { sign_in: "sso", your_password: DEMO.operatorPassword },
  },
  // The session was last seen more than five minutes ago.
  { path: "/account", ...pageOf(SESSIONS.member), now: NOW + 600_000 },
  post("/login", "", { email: DEMO.email, password: "wrong-password" }),
  post("/login/code", SESSIONS.waiting, { code: "000000" }),
  post("/account/password", SESSIONS.member, {
    current_password: "wrong-password",
    new_password: "another-password-1",
    repeat_password: "another-password-1",
  }),
  post(`${APP}/links/new`, SESSIONS.member, { network: "A", campaign: "B", ad_group: "C", creative: "D" }),
  {
    path: "/cost/batch",
    token: ROUND_TEST,
    json: { costs: ["faulty-round-001", "faulty-round-002"].map((cost_id) => ({ ...cost, cost_id })) },
  },
];

/** Reads the second page of each list, and then the first one backward. */
export async function readBackward(bindings: Env): Promise<void> {
  for (const path of [LINKS, CHILDREN, PARTNERS]) {
    const read = async (query: string) => {
      const { body } = await ask<{ data: { paging: { cursors: { after: string; before: string } } } }>(
        `${path}?limit=1${query}`,
        { token: DEMO.apiToken, env: bindings },
      );
      return body.data.paging.cursors;
    };
    const { after } = await read("");
    const { before } = await read(`&after=${after}`);
    await read(`&before=${before}`);
  }
}

/** Turns two-factor authentication on, and enters a wrong code and a right one in the same browser, which is then known. */
export async function guessCodes(bindings: Env): Promise<void> {
  const options = { env: bindings };
  const browser = new Browser();
  await browser.signIn(DEMO.email, DEMO.password, options);
  const { text } = await browser.get("/account/two-factor", options);
  const [, secret = ""] = /name="secret" value="([A-Z2-7]{32})"/.exec(text) ?? [];
  const turnOn = (code: string, password: string) =>
    browser.post("/account/two-factor", { secret, code, password }, options);
  await turnOn("000000", DEMO.password);
  await turnOn(codeAt(secret, NOW - 30_000), DEMO.password);
  await browser.signIn(DEMO.email, DEMO.password, options);
  for (const code of ["000000", codeAt(secret, NOW)]) await browser.post("/login/code", { code }, options);
}

/** What single sign-on does after the provider has answered: links, signs in, confirms, and notes somebody who is not linked. */
export async function signInAtProvider(db: D1Database): Promise<void> {
  const now = NOW;
  const identity = { issuer: "https://login.test", subject: "first" };
  await markStateUsed(db, { stateHash: "state", expiresAt: now });
  await findLinkedUser(db, { ...identity, verifiedEmail: undefined, now });
  const user = await findLinkedUser(db, { ...identity, verifiedEmail: "sso@example.com", now });
  const session = { ...identity, userId: user?.userId ?? 0, now, idHash: "session" };
  const started = {
    ...session,
    ...{ expiresAt: now + 1000, waitingSecret: null, browser: "", passwordAt: 0, onlyPassword: 0 },
  };
  await insertLinkedSession(db, { ...started, previous: null });
  await confirmSession(db, { ...session, newHash: "renewed", onlyPassword: 1 });
  const attempt = { email: "sso@example.com", isVerified: 1, code: "K7F2QX", now };
  await insertAttempt(db, { ...identity, subject: "another", ...attempt });
}
