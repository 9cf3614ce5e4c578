/** The frame of the workspace: who may see an app, the app switcher, the tabs, and errors with a way back. */
import { html } from "hono/html";
import { type Session, withSession } from "../auth/sessions.ts";
import type { OwnApp } from "../db/accounts/sessions.ts";
import type { AppAccess, Viewer } from "../db/accounts/viewers.ts";
import type { Actor } from "../db/audit.ts";
import type { Context, Env } from "../env.ts";
import { AppError, ERRORS } from "../errors.ts";
import { wantsPage } from "../http/accept.ts";
import { asDownload } from "../http/csv.ts";
import type { Handler } from "../http/router.ts";
import { buttonLink, nameText } from "../pages/elements.ts";
import { describeWrong, errorBody, withoutWrong } from "../pages/error.ts";
import { pageResponse } from "../pages/frame.ts";
import { withQuery } from "../pages/lists/query.ts";
import type { Markup } from "../pages/markup.ts";
import { rejectedDates } from "../pages/periods.ts";
import { workspaceStyles } from "./script.ts";

/** A signed-in member of an app. Statements that take `viewer` check the session and the membership again, in their own batch. */
export interface Member {
  session: Session;
  viewer: Viewer;
  app: OwnApp;
  /** The path of the app's overview. */
  path: string;
  /** Whom to ask. */
  env: Pick<Env, "OPERATOR_CONTACT">;
}

const TABS = {
  ...{ overview: "", performance: "/performance", links: "/links", partners: "/partners" },
  alerts: "/alerts",
} as const;
const TAB_NAMES = {
  ...{ overview: "Overview", performance: "Performance", links: "Links", partners: "Partners" },
  alerts: "Alerts",
};
export type Tab = keyof typeof TABS;

/** A page of an app, or a response that is no page. */
export type Show = (context: Context, member: Member) => Promise<AppPage | Response>;

export interface AppPage {
  /** Plain text. The names of the app and the product are appended. */
  title: string;
  body: Markup;
  status?: number;
  headers?: Record<string, string>;
  scripts?: string[];
  /** Its stylesheets in the place of that of the workspace. */
  styles?: string[];
}

/** Shows a page of the app in the path to a member of it. An error is shown in the frame. */
export function withApp(tab: Tab, show: Show): Handler {
  return withSession(async (context, session) => {
    const app = session.apps.find(({ token }) => token === context.params.app_token);
    if (!app) throw appNotFound();
    const member = {
      session,
      viewer: toViewer(context, session),
      app,
      path: `/apps/${app.token}`,
      env: context.env,
    };
    try {
      const shown = await show(context, member);
      return shown instanceof Response ? asDownload(shown) : await appPage(context, member, tab, shown);
    } catch (error) {
      const page = await withoutWrong(context, error, (other) => show(other, member));
      if (page) return appPage(context, member, tab, { ...page, title: `Error: ${page.title}` });
      const isPage = context.request.method !== "POST" || wantsPage(context);
      if (!(error instanceof AppError) || !isPage) throw error;
      context.trace.outcome = error.code;
      return appPage(context, member, tab, errorOf(context, member, tab, error));
    }
  });
}

export function toViewer({ now }: Context, { idHash }: Session): Viewer {
  return { by: "session", idHash, now };
}

/** The app, for statements that check the session and the membership. */
export const scopeOf = ({ viewer, app }: Member) => ({ ...viewer, appToken: app.token });

/** Who changes something that the page has checked. */
export const actorOf = ({ now }: Context, { session }: Member): Actor => ({ userId: session.userId, now });

/** Throws what the session or the membership lost since the page was requested. */
export function authorizeApp(access: AppAccess | undefined): void {
  if (!access) throw new AppError("session_ended");
  if (access.appToken === null) throw appNotFound();
}

function appNotFound(): AppError {
  return new AppError("not_found", "No app of yours has this token.");
}

const ARCHIVED = html`
  <p class="notice warn">This app is archived. It isn't in the list of your apps. Its links still redirect and count clicks and impressions.</p>`;

function appPage(context: Context, { app, path, session }: Member, tab: Tab, page: AppPage) {
  // An archived app is reached by its address only.
  const listed = session.apps.filter((one) => one.archivedAt === null || one.token === app.token);
  const hasWrongDates = page.status === undefined && rejectedDates(context.url) !== undefined;
  const days = page.status === undefined && !hasWrongDates ? daysOf(context.url) : "";
  const tabs = Object.entries(TABS).map(
    ([name, below]) => [path + below + days, TAB_NAMES[name as Tab]] as const,
  );
  return pageResponse(context, {
    ...page,
    ...(hasWrongDates && { status: 400 }),
    wide: true,
    styles: page.styles ?? [workspaceStyles.href],
    body: html`${app.archivedAt === null ? "" : ARCHIVED}${page.body}`,
    title: `${hasWrongDates ? "Error: " : ""}${page.title} · ${app.name}`,
    user: session,
    switcher: html`
      <details class="menu switcher">
        <summary><span class="visually-hidden">App: </span><span>${nameText(app.name)}</span></summary>
        <div>
          ${listed.map(
            ({ token, name }) =>
              html`<a href="/apps/${token}${TABS[tab]}${days}" ${token === app.token ? html`aria-current="true"` : ""}>${nameText(name)}</a>`,
          )}
          ${listed.length > 1 ? html`<a class="all" href="/apps">All apps</a>` : ""}
        </div>
      </details>`,
    tabs: { label: app.name, items: tabs, current: TAB_NAMES[tab] },
  });
}

/** The days of a page, for the other pages of the app and the same page of another app. */
function daysOf({ searchParams }: URL): string {
  const given = ["period", "from", "to"].flatMap((name) => {
    const value = searchParams.get(name);
    return value === null ? [] : [[name, value]];
  });
  return given.length > 0 ? `?${new URLSearchParams(given)}` : "";
}

const TODAY = { period: "today", from: null, to: null, compare: null };

function errorOf(context: Context, { path }: Member, tab: Tab, error: AppError): AppPage {
  const { request, url } = context;
  const { status, title } = ERRORS[error.code];
  const isTooLarge = error.code === "report_too_large";
  const isView = (error.code === "invalid_request" || isTooLarge) && request.method !== "POST";
  const heading = isView && !isTooLarge ? "Check the filters and dates" : title;
  const back = isView
    ? buttonLink(url.pathname, "Reset filters and dates", "")
    : buttonLink(path + TABS[tab], `Back to ${TAB_NAMES[tab].toLowerCase()}`, "");
  const today = isTooLarge ? buttonLink(withQuery(url, TODAY), "Show only today") : "";
  return {
    title: heading,
    status,
    headers: error.headers,
    body: errorBody(context, error, {
      heading,
      ...(isView && {
        sentences: error.errors.map(describeWrong),
      }),
      actions: html`${today}${back}`,
    }),
  };
}
