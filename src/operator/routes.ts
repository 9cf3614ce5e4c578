/** The routes for operators: the operator API and the console. */
import { type Routed, routesOf } from "../http/operation.ts";
import type { Route } from "../http/router.ts";
import * as adjustments from "./api/adjustments.ts";
import * as alerts from "./api/alerts.ts";
import * as apps from "./api/apps/apps.ts";
import * as members from "./api/apps/members.ts";
import * as archive from "./api/archive.ts";
import * as audit from "./api/audit.ts";
import * as costs from "./api/costs.ts";
import * as credentials from "./api/credentials.ts";
import * as partners from "./api/partners.ts";
import * as rates from "./api/rates.ts";
import * as rejections from "./api/rejections.ts";
import * as rounds from "./api/rounds.ts";
import * as testLinks from "./api/test-links.ts";
import * as urlPrices from "./api/url-prices.ts";
import * as signIn from "./api/users/sign-in.ts";
import * as users from "./api/users/users.ts";
import * as voids from "./api/voids.ts";
import * as webhooks from "./api/webhooks.ts";
import { consoleRoutes } from "./console/routes.ts";

const nouns = [
  apps,
  members,
  users,
  signIn,
  partners,
  credentials,
  rounds,
  testLinks,
  rates,
  rejections,
  costs,
  voids,
  urlPrices,
  adjustments,
  alerts,
  webhooks,
  archive,
  audit,
];

export const operatorRoutes: Route[] = [
  ...routesOf(nouns.flatMap(({ operations }): Routed[] => operations)),
  ...consoleRoutes,
];
