/** The pages of alerts and webhooks, for the members of an app. */
import { html } from "hono/html";
import { runWithPartners } from "../db/links/partner-catalog.ts";
import { runBatch } from "../db/statement.ts";
import type { Context } from "../env.ts";
import { AppError, ERRORS } from "../errors.ts";
import { readFields } from "../http/input/form.ts";
import { noticesOf } from "../http/notices.ts";
import { ALERT_NOTICES } from "../pages/alerts/notices.ts";
import type { Owner } from "../pages/alerts/owner.ts";
import { SCREENS } from "../pages/alerts/screens.ts";
import { errorSummary, RejectedForm } from "../pages/forms/fields.ts";
import { showNotice } from "../pages/notice.ts";
import { actorOf, type Member, type Show } from "./frame.ts";

const NOTICES = noticesOf(ALERT_NOTICES);

const ownerOf = (context: Context, member: Member): Owner => ({
  ...actorOf(context, member),
  appToken: member.app.token,
  path: `${member.path}/alerts`,
  async readNames() {
    const [partners] = await runWithPartners(runBatch, context.env.DB, member.viewer);
    const names = [...partners.values()].map(({ id, displayName }) => [id, displayName] as const);
    return { partners: new Map(names), apps: new Map() };
  },
});

/** Each with what it shows, and what its forms do. */
export const alertPages = SCREENS.map(({ path, show, act }): [path: string, show: Show, submit?: Show] => {
  const shown: Show = async (context, member) => {
    const { title, body } = await show(context, ownerOf(context, member));
    return { title, body: html`${showNotice(NOTICES, context)}${body}` };
  };
  if (!act) return [path, shown];
  const submit: Show = async (context, member) => {
    const sent = await readFields(context);
    const owner = ownerOf(context, member);
    try {
      const result = await act(context, owner, sent);
      return "notice" in result ? NOTICES.redirect(result.to, result.notice) : result;
    } catch (error) {
      if (!(error instanceof AppError) || !["invalid_request", "limit_reached"].includes(error.code))
        throw error;
      context.trace.outcome = error.code;
      const rejected = new RejectedForm(error, sent);
      const { title, body } = await show(context, owner, rejected);
      return {
        title: `Error: ${title}`,
        status: ERRORS[error.code].status,
        body: html`${errorSummary(rejected)}${body}`,
      };
    }
  };
  return [path, shown, submit];
});
