/** The routes for operators: the operator API and the console. */
import type { Route } from "../http/router.ts";
import { apiRoutes } from "./api/routes.ts";
import { consoleRoutes } from "./console/routes.ts";

export const operatorRoutes: Route[] = [...apiRoutes, ...consoleRoutes];
