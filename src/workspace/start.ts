/** What a new app does first, in the place of figures that are all zero. What is done follows from the data. */
import { html } from "hono/html";
import { findAttachments, findFirstDay } from "../db/ledger/attention.ts";
import { readSums } from "../db/ledger/reports/sums.ts";
import { firstLinks } from "../db/links/browse.ts";
import type { Partners } from "../db/links/partner-catalog.ts";
import { dayOf } from "../domain/time.ts";
import type { Context } from "../env.ts";
import { withContact } from "../pages/contact.ts";
import { badge, buttonLink, card, copyable, nameText } from "../pages/elements.ts";
import { form } from "../pages/forms/form.ts";
import { describeDay, showList } from "../pages/locale.ts";
import type { Markup } from "../pages/markup.ts";
import { type Link, toLink } from "../usecases/links/link.ts";
import { authorizeApp, type Member } from "./frame.ts";
import { missingCondition, type Partnered } from "./reports/attention.ts";
import { findingText } from "./reports/finding.ts";

/** So many days after its first click, an app without costs is one that has none. */
const NEW_DAYS = 7;
/** For so many days, the first clicks of an app can all be those that test a partner. */
const TEST_DAYS = 30;

export interface Start extends Partnered {
  firstDay: number | null;
  /** The link to share. */
  link: Link | undefined;
}

/** The first day of an app with clicks that don't only test a partner; null if there are none yet. */
export async function readFirstDay({ ledger, now }: Context, { app }: Member): Promise<number | null> {
  const isOld = app.firstDay !== null && dayOf(now) - app.firstDay > TEST_DAYS;
  return isOld ? app.firstDay : findFirstDay(ledger, app.token);
}

/** Whether the first cost of an app may still be missing because the app is new. */
export function isNew(firstDay: number | null, now: number, costs: unknown[]): boolean {
  return costs.length === 0 && firstDay !== null && dayOf(now) - firstDay <= NEW_DAYS;
}

/** What an app has that has no costs, and no clicks or impressions but those that test a partner; undefined for an app with costs. */
export async function readStart(context: Context, { viewer, app }: Member): Promise<Start | undefined> {
  const { ledger, now } = context;
  // With shards, the first day of the app is only that of clicks without a cost ID.
  if (app.firstDay === null && ledger.shards.length > 0 && (await findFirstDay(ledger, app.token)) !== null)
    return undefined;
  const ever = { from: 0, to: dayOf(now), groups: [] };
  const [withPartner, byName] = firstLinks(ledger.control, viewer, app.token);
  const found = await readSums(
    ledger,
    {
      whose: { viewer, appToken: app.token },
      parts: { spend: { report: "spend", ...ever } },
      canBeCut: true,
    },
    { attachments: findAttachments(ledger.control, viewer, app.token), withPartner, byName },
  );
  authorizeApp(found.access);
  if (found.rowsOf("spend").length > 0) return undefined;
  const {
    attachments,
    withPartner: [attached],
    byName: [named],
  } = found.more;
  const { partners } = found;
  const row = attached ?? named;
  return { attachments, partners, firstDay: null, link: row && toLink(row, partners, context) };
}

type Step = [name: string, isDone: boolean, body: Markup | string];

export function startCard(member: Member, start: Start): Markup {
  const { app, path } = member;
  const { link, partners, attachments, firstDay } = start;
  const hasClick = firstDay !== null;
  const hasLink = link !== undefined || hasClick;
  const steps: Step[] = [
    ["Create a link", hasLink, createStep(path)],
    ["Share the click URL", hasClick, link ? shareStep(path, link) : AFTER],
    ["First click", hasClick, hasClick ? `On ${describeDay(firstDay)}.` : CLICK],
    ["Attach a partner", attachments.length > 0, attachStep(member, partners, link)],
    ["First cost", false, costStep(member, start)],
  ];
  return card(
    { id: "start", title: html`Start with ${nameText(app.name)}` },
    html`<ol class="start">${steps.map(
      ([name, isDone, body]) =>
        html`<li><h3>${name} ${isDone ? badge("Done", "ok") : badge("To do")}</h3>${isDone && name !== "First click" ? "" : body}</li>`,
    )}</ol>`,
    html`<p class="actions">${buttonLink("/docs/members", "Read the member guide")}</p>`,
  );
}

const AFTER = html`<p class="muted">The URL is here once you have created a link.</p>`;
const CLICK = html`<p class="muted">Waiting. Open the click URL on a phone, then reload this page.</p>`;

const createStep = (path: string) =>
  form({
    id: "first",
    action: `${path}/links/new`,
    fields: {
      network: { label: "Network", required: true, maxlength: 512, hint: "For example Acme Ads." },
      campaign: { label: "Campaign", maxlength: 512, hint: "For example Spring sale. Optional." },
    },
    button: "Create link",
  });

function attachStep({ path, env }: Member, partners: Partners, link: Link | undefined): Markup {
  const able = [...partners.values()].filter(
    ({ supportsCostData, stoppedAt }) => supportsCostData && stoppedAt === null,
  );
  const more = able.length - MOST_NAMES;
  const names = able.slice(0, MOST_NAMES).map(({ displayName }) => displayName);
  const text =
    able.length > 0
      ? html`These partners send cost data: ${nameText(showList(more > 0 ? [...names, `${more} more`] : names))}.`
      : withContact(env, NO_PARTNER);
  const choose = link
    ? html`<p class="actions">${buttonLink(`${path}/links/${link.token}/settings`, "Choose a partner", "")}</p>`
    : html`<p><a href="${path}/links">Go to links</a></p>`;
  return html`<p>${text}</p>${choose}`;
}

const MOST_NAMES = 5;
const NO_PARTNER = "No partner sends cost data yet. Ask your operator for an integration round.";

const shareStep = (path: string, { token, label, click_url, partner_id }: Link) => html`
  <p>${
    partner_id === null
      ? html`Put the click URL of <a href="${path}/links/${token}">${nameText(label)}</a> into an email, a post or an ad.`
      : html`Give the partner the click URL of <a href="${path}/links/${token}">${nameText(label)}</a>, unchanged.`
  }</p>
  <p>${copyable("first-url", click_url, `click URL of ${label}`)}</p>
  <p class="actions"><a href="${path}/links/${token}/qr.svg">QR code</a> <a href="${path}/links/${token}/test">Test link</a></p>`;

function costStep(member: Member, start: Start): Markup {
  const missing = start.attachments.length > 0 ? missingCondition(member, start) : undefined;
  if (!missing)
    return html`<p class="muted">Waiting. A cost appears here once it matches a click or an impression.</p>`;
  const [name, href] = missing.fix;
  return html`<p>${findingText(member, missing)} <a href="${href}">${name}</a></p>`;
}
