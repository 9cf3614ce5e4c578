/** The routes of the account pages (spec §5.2, §5.3). */
import { currentSession, type Session, withSession } from "../auth/sessions.ts";
import type { Context } from "../env.ts";
import { redirectResponse } from "../http/redirect.ts";
import type { Route } from "../http/router.ts";
import { createAccessToken, endAccessToken, readAccessTokens } from "./access-tokens/access-tokens.ts";
import { load } from "./confirm.ts";
import { landingPage, landingStyles } from "./landing.ts";
import * as pages from "./pages.ts";
import { changePassword, readPassword } from "./password.ts";
import { script } from "./script.ts";
import { endSession, signOutEverywhere } from "./sessions/sessions.ts";
import { readCode, submitCode } from "./sign-in/code.ts";
import { readSignIn, signIn, signOut } from "./sign-in/sign-in.ts";
import { resetToken, showToken } from "./token.ts";
import { createCodes, readTwoFactor, turnOffTwoFactor, turnOnTwoFactor } from "./two-factor/two-factor.ts";

/** Reloading a rejected form leads back to its page. */
const backTo = (path: string) => withSession(async () => redirectResponse(path));

/** Its library is set up with the first request for it. */
const singleSignOn = () => import("./single-sign-on/flow.ts");

export const accountRoutes: Route[] = [
  script.route,
  landingStyles.route,
  { path: "/", methods: { GET: readLanding } },
  { path: "/login", methods: { GET: readSignIn, POST: signIn } },
  { path: "/login/code", methods: { GET: readCode, POST: submitCode } },
  {
    path: "/login/sso",
    methods: { GET: async (context) => (await singleSignOn()).readSingleSignOn(context) },
  },
  {
    path: "/login/sso/callback",
    methods: { GET: async (context) => (await singleSignOn()).readCallback(context) },
  },
  { path: "/logout", methods: { GET: backTo("/account"), POST: signOut } },
  { path: "/account", methods: { GET: withSession(readAccount) } },
  { path: "/account/token/show", methods: { GET: backTo("/account"), POST: withSession(showToken) } },
  { path: "/account/token/reset", methods: { GET: backTo("/account"), POST: withSession(resetToken) } },
  {
    path: "/account/tokens",
    methods: { GET: withSession(readAccessTokens), POST: withSession(createAccessToken) },
  },
  {
    path: "/account/tokens/end",
    methods: { GET: backTo("/account/tokens"), POST: withSession(endAccessToken) },
  },
  {
    path: "/account/password",
    methods: { GET: withSession(readPassword), POST: withSession(changePassword) },
  },
  {
    path: "/account/two-factor",
    methods: { GET: withSession(readTwoFactor), POST: withSession(turnOnTwoFactor) },
  },
  {
    path: "/account/two-factor/recovery-codes",
    methods: { GET: backTo("/account/two-factor"), POST: withSession(createCodes) },
  },
  {
    path: "/account/two-factor/off",
    methods: { GET: backTo("/account/two-factor"), POST: withSession(turnOffTwoFactor) },
  },
  { path: "/account/sessions/end", methods: { GET: backTo("/account"), POST: withSession(endSession) } },
  {
    path: "/account/sign-out-everywhere",
    methods: { GET: backTo("/account"), POST: withSession(signOutEverywhere) },
  },
];

/** What the service is for visitors. A signed-in person continues where they work. */
async function readLanding(context: Context): Promise<Response> {
  const session = await currentSession(context);
  if (!session) return landingPage(context);
  const worksInConsole = session.role === "operator" && session.apps.length === 0;
  return redirectResponse(worksInConsole ? "/operator" : "/apps");
}

async function readAccount(context: Context, session: Session): Promise<Response> {
  return pages.accountPage(context, session, await load(context, session));
}
