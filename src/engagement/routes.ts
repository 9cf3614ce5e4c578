/** The routes of the links' URLs. */
import { routesOf } from "../http/operation.ts";
import { openImpression } from "./open-impression.ts";
import { openLink } from "./open-link.ts";

export const engagementRoutes = routesOf([openImpression, openLink]);
