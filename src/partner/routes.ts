/** The routes of the partner's pages. */
import type { Route } from "../http/router.ts";
import { backToCost, costPage, voidCost } from "./costs/cost.ts";
import { costsFile, costsPage } from "./costs/list.ts";
import { missingFile, missingPage } from "./costs/missing.ts";
import { totalsFile, totalsPage } from "./costs/totals.ts";
import { partnerStyles } from "./frame.ts";
import { overview } from "./overview.ts";
import { roundPage } from "./round.ts";
import { setupPage } from "./setup.ts";
import { orSignIn, signIn, signOut } from "./sign-in.ts";
import { backToUpload, checkUpload, importUpload, showUpload } from "./upload/routes.ts";

export const partnerRoutes: Route[] = [
  partnerStyles.route,
  { path: "/partner", methods: { GET: orSignIn(overview), POST: signIn } },
  { path: "/partner/sign-out", methods: { POST: signOut } },
  { path: "/partner/missing", methods: { GET: missingPage } },
  { path: "/partner/missing.csv", methods: { GET: missingFile } },
  { path: "/partner/totals", methods: { GET: totalsPage } },
  { path: "/partner/totals.csv", methods: { GET: totalsFile } },
  { path: "/partner/costs", methods: { GET: costsPage } },
  { path: "/partner/costs.csv", methods: { GET: costsFile } },
  { path: "/partner/costs/:cost_id", methods: { GET: costPage } },
  { path: "/partner/costs/:cost_id/void", methods: { GET: backToCost, POST: voidCost } },
  { path: "/partner/upload", methods: { GET: showUpload, POST: checkUpload } },
  { path: "/partner/upload/import", methods: { GET: backToUpload, POST: importUpload } },
  { path: "/partner/round", methods: { GET: roundPage } },
  { path: "/partner/setup", methods: { GET: setupPage } },
];
