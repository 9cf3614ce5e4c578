/** The routes of the account pages (spec §5.2, §5.3). */
import { currentSession, type Session, withSession } from "../auth/sessions.ts";
import type { Context } from "../env.ts";
import { AppError } from "../errors.ts";
import { readInput } from "../http/input.ts";
import type { Route } from "../http/router.ts";
import { readReport, reportCsvResponse } from "../usecases/reports.ts";
import { load } from "./confirm.ts";
import * as contract from "./contract.ts";
import { landingPage } from "./landing.ts";
import * as pages from "./pages.ts";
import { changePassword, readPassword } from "./password.ts";
import { script } from "./script.ts";
import { readCode, submitCode } from "./sign-in/code.ts";
import { endSession, readSignIn, signIn, signOut, signOutEverywhere } from "./sign-in/sign-in.ts";
import { resetToken, showToken } from "./token.ts";
import { createCodes, readTwoFactor, turnOffTwoFactor, turnOnTwoFactor } from "./two-factor/two-factor.ts";

export const accountRoutes: Route[] = [
  script.route,
  { path: "/", methods: { GET: readLanding } },
  { path: "/login", methods: { GET: readSignIn, POST: signIn } },
  { path: "/login/code", methods: { GET: readCode, POST: submitCode } },
  { path: "/logout", methods: { POST: signOut } },
  { path: "/account", methods: { GET: withSession(readAccount) } },
  { path: "/account/apps/:app_token/spend.csv", methods: { GET: withSession(readSpendCsv) } },
  { path: "/account/token/show", methods: { POST: withSession(showToken) } },
  { path: "/account/token/reset", methods: { POST: withSession(resetToken) } },
  {
    path: "/account/password",
    methods: { GET: withSession(readPassword), POST: withSession(changePassword) },
  },
  {
    path: "/account/two-factor",
    methods: { GET: withSession(readTwoFactor), POST: withSession(turnOnTwoFactor) },
  },
  { path: "/account/two-factor/recovery-codes", methods: { POST: withSession(createCodes) } },
  { path: "/account/two-factor/off", methods: { POST: withSession(turnOffTwoFactor) } },
  { path: "/account/sessions/end", methods: { POST: withSession(endSession) } },
  { path: "/account/sign-out-everywhere", methods: { POST: withSession(signOutEverywhere) } },
];

async function readLanding(context: Context): Promise<Response> {
  return landingPage(context, await currentSession(context));
}

const NOTICES = new Map([["session-ended", "Session ended."]]);

async function readAccount(context: Context, session: Session): Promise<Response> {
  const message = NOTICES.get(context.url.searchParams.get("notice") ?? "");
  return pages.accountPage(context, session, await load(context, session), message ? { message } : {});
}

/** The CSV spend report of the campaign API for the signed-in user. */
async function readSpendCsv(context: Context, { userId }: Session): Promise<Response> {
  const { path, query } = await readInput(context, contract.readSpendCsv);
  const request = { report: "spend", appToken: path.app_token, query, now: context.now } as const;
  const report = await readReport(context.ledger, { kind: "user", userId }, request);
  if (!report.access) {
    throw new AppError("not_found", "There is no app with this token, or you are not a member of it.");
  }
  if (!report.hasLink) throw new AppError("not_found", "This app has no link with this token.");
  return reportCsvResponse(report);
}
