/** The routes of the workspace: pages for the members of an app. */
import { withSession } from "../auth/sessions.ts";
import type { Route } from "../http/router.ts";
import { appsPage } from "./apps.ts";
import { chartScript } from "./chart.ts";
import { type Show, type Tab, withApp } from "./frame.ts";
import { linkPage } from "./links/link.ts";
import { qrCode } from "./links/qr.ts";
import { linksPage } from "./links.ts";
import { overviewPage } from "./overview.ts";
import { partnersPage } from "./partners.ts";
import { workspaceScript, workspaceStyles } from "./script.ts";
import { spendCsv, spendPage } from "./spend.ts";

const page = (path: string, tab: Tab, show: Show): Route => ({
  path: `/apps/:app_token${path}`,
  methods: { GET: withApp(tab, show) },
});

export const workspaceRoutes: Route[] = [
  workspaceScript.route,
  workspaceStyles.route,
  chartScript.route,
  { path: "/apps", methods: { GET: withSession(appsPage) } },
  page("", "overview", overviewPage),
  page("/links", "links", linksPage),
  page("/links/:link_token", "links", linkPage),
  page("/links/:link_token/qr.svg", "links", qrCode),
  page("/spend", "spend", spendPage),
  page("/spend.csv", "spend", spendCsv),
  page("/partners", "partners", partnersPage),
];
