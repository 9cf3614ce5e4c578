/** What the pages that change a link share: the link, its partners and its history, and the way back to its page. */

import { appUrlsStatement } from "../../db/links/app-urls.ts";
import { type PageLink, pageLinkStatement } from "../../db/links/browse.ts";
import { toDestination } from "../../db/links/destinations.ts";
import { type HistoryRow, historyStatement } from "../../db/links/history.ts";
import { type Partners, runWithPartners } from "../../db/links/partner-catalog.ts";
import { type LinkSettings, SETTINGS } from "../../db/links/updates.ts";
import { runBatch } from "../../db/statement.ts";
import type { Destination } from "../../domain/engagements/click-target.ts";
import type { Context } from "../../env.ts";
import { AppError } from "../../errors.ts";
import { breadcrumb } from "../../pages/elements.ts";
import type { Markup } from "../../pages/markup.ts";
import { type Link, toLink } from "../../usecases/links/link.ts";
import { versionOf } from "../../usecases/links/updates.ts";
import type { Member } from "../frame.ts";

export interface EditedLink {
  row: PageLink;
  link: Link;
  destination: Destination;
  partners: Partners;
  history: HistoryRow[];
  /** The path of the link's page. */
  path: string;
  /** Whom to ask. */
  env: Member["env"];
}

/** The section of the settings page that shows and changes each setting. */
const SECTION_OF = {
  label: "name",
  partnerId: "partner",
  costSwitch: "partner",
  target: "target",
  archived: "archived",
} as const satisfies Record<keyof LinkSettings, string>;
export type SectionName = (typeof SECTION_OF)[keyof LinkSettings];
export const settingsIn = (section: SectionName): (keyof LinkSettings)[] =>
  SETTINGS.filter((setting) => SECTION_OF[setting] === section);
/** For a hidden field: a form changes nothing if a setting that it showed is another one now. */
export const shownVersion = (section: SectionName, row: Parameters<typeof versionOf>[0][number]) =>
  versionOf([row], settingsIn(section));

export function linkNotFound(): AppError {
  return new AppError("not_found", "This app has no link with this token.");
}

/** Reads the link in the path. Throws not_found, also if the session or the membership ended. */
export async function readLink(
  context: Context,
  { viewer, app, path, env }: Member,
  range: { before?: number | undefined; limit: number } = { limit: 1 },
): Promise<EditedLink> {
  const scope = { ...viewer, appToken: app.token, linkToken: context.params.link_token ?? "" };
  const [partners, [row], history, [urls]] = await runWithPartners(
    runBatch,
    context.env.DB,
    viewer,
    pageLinkStatement(context.env.DB, scope),
    historyStatement(context.env.DB, scope, { now: context.now, ...range }),
    appUrlsStatement(context.env.DB, scope),
  );
  if (!row || !urls) throw linkNotFound();
  const link = toLink(row, partners, context);
  return {
    row,
    link,
    destination: toDestination(urls),
    partners,
    history,
    path: `${path}/links/${row.token}`,
    env,
  };
}

/** The breadcrumb of a page below a link's page. */
export const linkTrail = ({ path }: Member, { token, label }: PageLink, here: string): Markup =>
  breadcrumb(
    [
      ["Links", `${path}/links`],
      [label, `${path}/links/${token}`],
    ],
    here,
  );
