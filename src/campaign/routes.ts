/** The routes of the campaign API (spec §4.1 to §4.5). */
import { routesOf } from "../http/operation.ts";
import { createLink, createLinks } from "./create-links.ts";
import { listApps } from "./list-apps.ts";
import { listDropped } from "./list-dropped.ts";
import { listChildren, listLinks } from "./list-links.ts";
import { listPartners } from "./list-partners.ts";
import { readChanges } from "./read-changes.ts";
import { readEngagements } from "./read-engagements.ts";
import { readLink } from "./read-link.ts";
import { readPartner } from "./read-partner.ts";
import { readPerformance } from "./read-performance.ts";
import { readSpend } from "./read-spend.ts";
import { updateLink } from "./update-link.ts";

export const campaignRoutes = routesOf([
  listApps,
  listPartners,
  listLinks(1),
  createLink,
  listLinks(2),
  createLinks,
  readLink,
  updateLink,
  listChildren(1),
  listChildren(2),
  listDropped,
  readSpend,
  readEngagements,
  readPerformance,
  readChanges,
  readPartner,
]);
