/** The routes of the operator console: pages, and forms that redirect back to a page. */
import type { Route } from "../../http/router.ts";
import { adjustmentsPage, submitAdjustment } from "./adjustments.ts";
import * as apps from "./apps.ts";
import { auditPage } from "./audit.ts";
import { credentialsPage, submitRevocation } from "./credentials.ts";
import { type Act, type Show, withForm, withPage } from "./layout.ts";
import * as overview from "./overview.ts";
import * as partners from "./partners.ts";
import * as rounds from "./rounds.ts";
import * as users from "./users.ts";
import { submitVoid } from "./voids.ts";

const page = (path: string, show: Show): Route => ({ path, methods: { GET: withPage(show) } });
type IsSensitive = Parameters<typeof withForm>[2];
/** A page with a form that posts to the same path. */
const pageWithForm = (path: string, show: Show, act: Act, isSensitive?: IsSensitive): Route => ({
  path,
  methods: { GET: withPage(show), POST: withForm(act, show, isSensitive) },
});
/** A form on a page with another path. */
const form = (path: string, act: Act, show: Show, isSensitive?: IsSensitive): Route => ({
  path,
  methods: { POST: withForm(act, show, isSensitive) },
});
/** Forms that show or issue a secret, or change a role or a password. */
const always = () => true;

export const consoleRoutes: Route[] = [
  page("/operator", overview.overviewPage),
  pageWithForm("/operator/partners", overview.overviewPage, overview.submitNewPartner),
  pageWithForm("/operator/partners/:id", partners.partnerPage, partners.submitPartner),
  form("/operator/partners/:id/costs", partners.submitCostSwitch, partners.partnerPage),
  form("/operator/partners/:id/rounds", partners.submitNewRound, partners.partnerPage, always),
  form("/operator/partners/:id/credentials", partners.submitNewCredential, partners.partnerPage, always),
  pageWithForm("/operator/partners/:id/voids", partners.partnerPage, submitVoid),
  page("/operator/rounds", overview.overviewPage),
  page("/operator/rounds/:id", rounds.roundPage),
  form("/operator/rounds/:id/approve", rounds.submitApproval, rounds.roundPage),
  form("/operator/rounds/:id/close", rounds.submitClosing, rounds.roundPage),
  form("/operator/rounds/:id/dismissals", rounds.submitDismissal, rounds.roundPage),
  pageWithForm("/operator/apps", apps.appsPage, apps.submitNewApp),
  pageWithForm("/operator/apps/:token", apps.appPage, apps.submitApp),
  form("/operator/apps/:token/members", apps.submitMember, apps.appPage),
  form("/operator/apps/:token/members/remove", apps.submitRemoval, apps.appPage),
  pageWithForm("/operator/users", users.usersPage, users.submitNewUser, always),
  pageWithForm("/operator/users/:id", users.userPage, users.submitUser, users.isSensitive),
  form("/operator/users/:id/password", users.submitPasswordReset, users.userPage, always),
  form("/operator/users/:id/token", users.submitTokenIssue, users.userPage, always),
  page("/operator/credentials", credentialsPage),
  form("/operator/credentials/:id/revoke", submitRevocation, credentialsPage),
  pageWithForm("/operator/adjustments", adjustmentsPage, submitAdjustment),
  page("/operator/audit", auditPage),
];
