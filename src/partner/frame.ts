/** The frame of the partner's pages: the tabs, the notice of the last action, and errors with a way back. */

import { html } from "hono/html";
import type { CostCaller } from "../auth/guards.ts";
import { type SignedInPartner, withPartner } from "../auth/partner-sessions.ts";
import { asReport } from "../auth/report-limits.ts";
import type { Context } from "../env.ts";
import { AppError, ERRORS } from "../errors.ts";
import { wantsPage } from "../http/accept.ts";
import { asDownload } from "../http/csv.ts";
import { noticesOf } from "../http/notices.ts";
import type { Handler } from "../http/router.ts";
import { servedStyles } from "../http/served-file.ts";
import { badge, buttonLink, nameText } from "../pages/elements.ts";
import { errorBody, withoutWrong } from "../pages/error.ts";
import { form } from "../pages/forms/form.ts";
import { cardStyles, pageResponse } from "../pages/frame.ts";
import type { Markup } from "../pages/markup.ts";
import { showNotice } from "../pages/notice.ts";
import stylesheet from "./partner.css";

export const partnerStyles = servedStyles("/partner.css", stylesheet);

const TABS = {
  live: [
    ["/partner", "Overview"],
    ["/partner/costs", "Costs"],
    ["/partner/totals", "Totals"],
    ["/partner/upload", "Upload"],
    ["/partner/setup", "Setup"],
  ],
  test: [
    ["/partner", "Overview"],
    ["/partner/costs", "Costs"],
    ["/partner/round", "Round"],
    ["/partner/setup", "Setup"],
  ],
} as const;
type Tab = (typeof TABS)["live" | "test"][number][0];

export interface PartnerPage {
  /** Plain text. The names of the partner and of the product are appended. */
  title: string;
  body: Markup;
  status?: number;
  headers?: Record<string, string>;
  scripts?: string[];
}

/** Shows a page, or returns a response that is no page. */
export type Show = (
  context: Context,
  partner: SignedInPartner,
  caller: CostCaller,
) => Promise<PartnerPage | Response>;

/** Handles a request of a signed-in partner. An error is shown in the frame. */
export function withFrame(tab: Tab, show: Show): Handler {
  const handle: Parameters<typeof withPartner>[0] = async (context, partner, caller) => {
    const shown = await show(context, partner, caller).catch(async (error) => {
      const page = await withoutWrong(context, error, (other) => show(other, partner, caller));
      if (!page) throw error;
      return page;
    });
    return shown instanceof Response ? asDownload(shown) : framed(context, partner, tab, shown);
  };
  return withPartner(handle, (context, partner, error) => {
    if (!wantsPage(context)) throw error;
    return framed(context, partner, tab, toPage(context, error));
  });
}

/** Limits a page that adds up totals or reads a whole list. */
export const report =
  (show: Show): Show =>
  (context, partner, caller) =>
    asReport(context, caller.tokenHash, () => show(context, partner, caller));

/** Like `withFrame`, for a page that changes the ledger. Throws test_credential for a partner with a test credential. */
export function withLedger(tab: Tab, show: Show): Handler {
  return withFrame(tab, async (context, partner, caller) => {
    if (partner.mode === "test") throw new AppError("test_credential", NO_LEDGER);
    return show(context, partner, caller);
  });
}

const NO_LEDGER =
  "This page is about costs that count. You are signed in with a test credential, whose costs are only in the integration round. Sign in with your live credential.";

function toPage(context: Context, error: AppError): PartnerPage {
  const { status, title } = ERRORS[error.code];
  context.trace.outcome = error.code;
  const actions = buttonLink("/partner", "Back to overview");
  return { title, status, headers: error.headers, body: errorBody(context, error, { actions }) };
}

export const PARTNER_NOTICES = noticesOf({
  voided: "Cost voided. It no longer counts.",
  "already-voided": "This cost was already voided. Nothing changed.",
});

function framed(context: Context, partner: SignedInPartner, tab: Tab, page: PartnerPage): Promise<Response> {
  const items = TABS[partner.mode];
  return pageResponse(context, {
    title: `${page.title} · ${partner.displayName}`,
    ...(page.status && { status: page.status }),
    ...(page.headers && { headers: page.headers }),
    styles: [partnerStyles.href, cardStyles.href],
    ...(page.scripts && { scripts: page.scripts }),
    navigation: html`
      <span class="who">${nameText(partner.displayName)} ${badge(partner.mode === "live" ? "Live credential" : "Test credential")}</span>
      ${form({ action: "/partner/sign-out", button: "Sign out" })}`,
    tabs: { label: "Partner", items: [...items], current: items.find(([href]) => href === tab)?.[1] ?? "" },
    body: html`
      ${page.status ? "" : showNotice(PARTNER_NOTICES, context)}
      ${page.body}`,
  });
}
