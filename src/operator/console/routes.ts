/** The routes of the operator console: pages, and forms that redirect back to a page. */
import { asReport, userKey } from "../../auth/report-limits.ts";
import { asDownload } from "../../http/csv.ts";
import type { Route } from "../../http/router.ts";
import { adjustmentsPage, newAdjustmentPage, submitAdjustment } from "./adjustments.ts";
import { alertPages } from "./alerts.ts";
import * as appList from "./apps/list.ts";
import * as apps from "./apps/page.ts";
import { archivePage } from "./archive.ts";
import { auditCsv, auditPage } from "./audit/page.ts";
import { credentialsPage, submitRevocation } from "./credentials.ts";
import { type Act, type Show, withForm, withPage, withRedirect } from "./layout.ts";
import { costsPage } from "./partners/costs.ts";
import * as partnerList from "./partners/list.ts";
import * as partners from "./partners/page.ts";
import { rejectionsPage } from "./partners/rejections.ts";
import * as settings from "./partners/settings.ts";
import * as setup from "./partners/setup.ts";
import { submitDayVoid, submitDecision, urlPricesPage } from "./partners/url-prices.ts";
import { costPage, submitVoid } from "./partners/voids.ts";
import * as rounds from "./rounds/page.ts";
import * as testLinks from "./rounds/test-link.ts";
import { withOperatorSession } from "./session.ts";
import { spendPage } from "./spend/page.ts";
import { startPage } from "./start/page.ts";
import * as identity from "./users/identity.ts";
import * as userList from "./users/list.ts";
import * as users from "./users/page.ts";

const page = (path: string, show: Show): Route => ({ path, methods: { GET: withPage(show) } });
type IsSensitive = Parameters<typeof withForm>[2];
/** A page with a form that posts to the same path. */
const pageWithForm = (path: string, show: Show, act: Act, isSensitive?: IsSensitive): Route => ({
  path,
  methods: { GET: withPage(show, true), POST: withForm(act, show, isSensitive) },
});
/** A form on the page whose path is that of the form without its last segments: reloading a rejected form leads there. */
const form = (path: string, act: Act, show: Show, isSensitive?: IsSensitive, segments = 1): Route => ({
  path,
  methods: { GET: withRedirect(segments), POST: withForm(act, show, isSensitive) },
});
/** Limits a page that adds up totals or reads a whole list. */
const report =
  (show: Show): Show =>
  (context, formError, session) =>
    asReport(context, userKey(session.userId), () => show(context, formError, session));
const partnersPage = report(partnerList.partnersPage);
const setupPage = report(setup.setupPage);
const partnerPage = report(partners.partnerPage);
const pricesPage = report(urlPricesPage);
const roundPage = report(rounds.roundPage);
const testLinkPage = report(testLinks.testLinkPage);
const appPage = report(apps.appPage);
const auditReport = withOperatorSession((context, { userId }) =>
  asReport(context, userKey(userId), async () => asDownload(await auditCsv(context))),
);

/** Forms that show or issue a secret, change a password, or cannot be undone. */
const always = () => true;

export const consoleRoutes: Route[] = [
  page("/operator", report(startPage)),
  page("/operator/partners", partnersPage),
  pageWithForm("/operator/partners/new", setup.newPartnerPage, setup.submitNewPartner),
  pageWithForm("/operator/partners/:id", partnerPage, settings.submitPartner),
  pageWithForm("/operator/partners/:id/setup", setupPage, setup.submitTemplates),
  form("/operator/partners/:id/setup/round", setup.submitRound, setupPage, always),
  form("/operator/partners/:id/setup/credential", setup.submitCredential, setupPage, always),
  setup.templatesScript.route,
  {
    path: "/operator/partners/:id/costs",
    methods: { GET: withPage(report(costsPage)), POST: withForm(settings.submitCostSwitch, partnerPage) },
  },
  form("/operator/partners/:id/rounds", partners.submitNewRound, partnerPage, always),
  form("/operator/partners/:id/credentials", partners.submitNewCredential, partnerPage, always),
  pageWithForm("/operator/partners/:id/voids", costPage, submitVoid),
  pageWithForm("/operator/partners/:id/url-prices", pricesPage, submitDecision),
  form("/operator/partners/:id/url-prices/voids", submitDayVoid, pricesPage),
  page("/operator/partners/:id/rejections", rejectionsPage),
  page("/operator/spend", report(spendPage)),
  page("/operator/rounds", partnersPage),
  page("/operator/rounds/:id", roundPage),
  pageWithForm("/operator/rounds/:id/link", testLinkPage, testLinks.submitTestLink),
  form("/operator/rounds/:id/approve", rounds.submitApproval, roundPage),
  form("/operator/rounds/:id/close", rounds.submitClosing, roundPage),
  form("/operator/rounds/:id/dismissals", rounds.submitDismissal, roundPage),
  form("/operator/rounds/:id/dismissals/undo", rounds.submitUndo, roundPage, undefined, 2),
  page("/operator/apps", appList.appsPage),
  pageWithForm("/operator/apps/new", appList.newAppPage, appList.submitNewApp),
  pageWithForm("/operator/apps/:token", appPage, apps.submitApp),
  form("/operator/apps/:token/archive", apps.submitArchiving, appPage),
  form("/operator/apps/:token/members", apps.submitMember, appPage),
  form("/operator/apps/:token/members/remove", apps.submitRemoval, appPage, undefined, 2),
  page("/operator/users", userList.usersPage),
  pageWithForm("/operator/users/new", userList.newUserPage, userList.submitNewUser),
  pageWithForm("/operator/users/:id", users.userPage, users.submitUser),
  form("/operator/users/:id/apps", users.submitUserApp, users.userPage),
  form("/operator/users/:id/password", users.submitPasswordReset, users.userPage, always),
  form("/operator/users/:id/two-factor", users.submitTwoFactorOff, users.userPage, always),
  form("/operator/users/:id/token", users.submitTokenIssue, users.userPage, always),
  form("/operator/users/:id/identity", identity.submitIdentity, users.userPage, always),
  form("/operator/users/:id/identity/unlink", identity.submitUnlink, users.userPage, always, 2),
  form("/operator/users/:id/erase", users.submitErasure, users.userPage, always),
  page("/operator/credentials", credentialsPage),
  form("/operator/credentials/:id/revoke", submitRevocation, credentialsPage, undefined, 2),
  page("/operator/adjustments", adjustmentsPage),
  pageWithForm("/operator/adjustments/new", newAdjustmentPage, submitAdjustment),
  ...alertPages.map(({ path, show, act, isSensitive }) =>
    act ? pageWithForm(path, show, act, isSensitive) : page(path, show),
  ),
  { path: "/operator/archive", methods: { GET: withPage(archivePage, true) } },
  page("/operator/audit", auditPage),
  { path: "/operator/audit.csv", methods: { GET: auditReport } },
];
