/** The routes of the operator console: pages, and forms that redirect back to a page. */
import type { Context } from "../../env.ts";
import type { Handler, Route } from "../../http/router.ts";
import * as apps from "./apps.ts";
import { auditPage } from "./audit.ts";
import { credentialsPage, revokeCredential } from "./credentials.ts";
import { type Form, type FormError, type OperatorSession, withForm, withOperatorSession } from "./layout.ts";
import * as overview from "./overview.ts";
import * as partners from "./partners.ts";
import * as rounds from "./rounds.ts";
import * as users from "./users.ts";

type Show = (context: Context, operatorSession: OperatorSession, formError?: FormError) => Promise<Response>;
type Act = (context: Context, operatorSession: OperatorSession, form: Form) => Promise<Response>;

const page = (show: Show): Handler =>
  withOperatorSession((context, operatorSession) => show(context, operatorSession));
/** A page with a form that posts to the same path. */
const pageWithForm = (path: string, show: Show, act: Act): Route => ({
  path,
  methods: { GET: page(show), POST: withForm(act, show) },
});
/** A form on a page with another path. */
const form = (path: string, act: Act, show: Show): Route => ({
  path,
  methods: { POST: withForm(act, show) },
});

export const consoleRoutes: Route[] = [
  { path: "/operator", methods: { GET: page(overview.overviewPage) } },
  pageWithForm("/operator/partners", overview.overviewPage, overview.createPartner),
  pageWithForm("/operator/partners/:id", partners.partnerPage, partners.updatePartner),
  form("/operator/partners/:id/costs", partners.switchCosts, partners.partnerPage),
  form("/operator/partners/:id/rounds", partners.openPartnerRound, partners.partnerPage),
  form("/operator/partners/:id/credentials", partners.issueCredential, partners.partnerPage),
  { path: "/operator/rounds", methods: { GET: page(overview.overviewPage) } },
  { path: "/operator/rounds/:id", methods: { GET: page(rounds.roundPage) } },
  form("/operator/rounds/:id/approve", rounds.approveRound, rounds.roundPage),
  form("/operator/rounds/:id/close", rounds.closeRound, rounds.roundPage),
  form("/operator/rounds/:id/dismissals", rounds.dismissFinding, rounds.roundPage),
  pageWithForm("/operator/apps", apps.appsPage, apps.createApp),
  pageWithForm("/operator/apps/:token", apps.appPage, apps.updateApp),
  form("/operator/apps/:token/members", apps.addMember, apps.appPage),
  form("/operator/apps/:token/members/remove", apps.removeMember, apps.appPage),
  pageWithForm("/operator/users", users.usersPage, users.createUser),
  pageWithForm("/operator/users/:id", users.userPage, users.updateUser),
  form("/operator/users/:id/password", users.resetPassword, users.userPage),
  form("/operator/users/:id/token", users.issueToken, users.userPage),
  { path: "/operator/credentials", methods: { GET: page(credentialsPage) } },
  form("/operator/credentials/:id/revoke", revokeCredential, credentialsPage),
  { path: "/operator/audit", methods: { GET: withOperatorSession(auditPage) } },
];
