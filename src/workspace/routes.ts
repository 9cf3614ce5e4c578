/** The routes of the workspace: pages for the members of an app. */
import { asReport, userKey } from "../auth/report-limits.ts";
import { type Session, withSession } from "../auth/sessions.ts";
import type { Context } from "../env.ts";
import type { Route } from "../http/router.ts";
import { chartScript } from "../pages/chart/chart.ts";
import { alertPages } from "./alerts.ts";
import { appsPage } from "./apps.ts";
import { bulkPage, submitBulk } from "./bulk/pages.ts";
import { submitUnused, unusedPage } from "./bulk/unused.ts";
import { createLinks, newLinkPage } from "./create/new.ts";
import { backToSettings, SETTING_FORMS } from "./edit/changes.ts";
import { historyPage } from "./edit/history.ts";
import { settingsPage } from "./edit/settings.ts";
import { type Show, type Tab, withApp } from "./frame.ts";
import { linkTestPage } from "./links/link-test.ts";
import { linksPage } from "./links/list.ts";
import { linkPage } from "./links/page.ts";
import { qrCode } from "./links/qr.ts";
import { overviewPage } from "./overview.ts";
import { partnersPage } from "./partners/list.ts";
import { partnerPage } from "./partners/page.ts";
import { rejectionsPage } from "./partners/rejections.ts";
import { performanceCsv, performancePage } from "./performance/page.ts";
import { backToPerformance, submitDeletion, submitView } from "./performance/views.ts";
import { backToOverview, submitHidden, submitShown } from "./reports/hide.ts";
import { ignoredPage } from "./reports/ignored.ts";
import {
  createScript,
  linkStyles,
  linksScript,
  linkTestScript,
  performanceStyles,
  workspaceScript,
  workspaceStyles,
} from "./script.ts";
import { linksCsv } from "./transfer/export.ts";
import { checkImport, confirmImport, importPage } from "./transfer/import.ts";
import { submitUndo, undoPage } from "./undo.ts";

const page = (path: string, tab: Tab, show: Show, submit?: Show): Route => ({
  path: `/apps/:app_token${path}`,
  methods: { GET: withApp(tab, show), ...(submit && { POST: withApp(tab, submit) }) },
});

/** Limits a page that adds up totals or reads all links. */
const report =
  (show: Show): Show =>
  (context, member) =>
    asReport(context, userKey(member.session.userId), () => show(context, member));

const appsReport = (context: Context, session: Session) =>
  asReport(context, userKey(session.userId), () => appsPage(context, session));

/** A form on a page with another path, to which a GET leads back. */
const form = (path: string, tab: Tab, back: Show, act: Show): Route => ({
  path: `/apps/:app_token${path}`,
  methods: { GET: withApp(tab, back), POST: withApp(tab, act) },
});

export const workspaceRoutes: Route[] = [
  workspaceScript.route,
  linksScript.route,
  linkTestScript.route,
  workspaceStyles.route,
  performanceStyles.route,
  linkStyles.route,
  createScript.route,
  chartScript.route,
  { path: "/apps", methods: { GET: withSession(appsReport) } },
  page("", "overview", report(overviewPage)),
  form("/attention/hide", "overview", backToOverview, submitHidden),
  form("/attention/show", "overview", backToOverview, submitShown),
  page("/ignored", "overview", report(ignoredPage)),
  page("/links", "links", report(linksPage)),
  page("/links/bulk", "links", bulkPage, submitBulk),
  page("/links/unused", "links", unusedPage, report(submitUnused)),
  page("/links.csv", "links", report(linksCsv)),
  page("/links/new", "links", newLinkPage, createLinks),
  page("/links/import", "links", importPage, checkImport),
  page("/links/import/rows", "links", importPage, confirmImport),
  page("/links/undo", "links", undoPage, submitUndo),
  page("/links/:link_token", "links", report(linkPage)),
  page("/links/:link_token/test", "links", report(linkTestPage)),
  page("/links/:link_token/history", "links", historyPage),
  page("/links/:link_token/settings", "links", settingsPage),
  ...Object.entries(SETTING_FORMS).map(([section, submit]) =>
    form(`/links/:link_token/settings/${section}`, "links", backToSettings, submit),
  ),
  page("/links/:link_token/qr.svg", "links", qrCode),
  page("/performance", "performance", report(performancePage)),
  page("/performance.csv", "performance", report(performanceCsv)),
  form("/performance/views", "performance", backToPerformance, submitView),
  form("/performance/views/:view_id/delete", "performance", backToPerformance, submitDeletion),
  page("/partners", "partners", report(partnersPage)),
  page("/partners/:partner_id", "partners", report(partnerPage)),
  page("/partners/:partner_id/rejections", "partners", rejectionsPage),
  ...alertPages.map(([path, show, submit]) => page(`/alerts${path}`, "alerts", show, submit)),
];
