/** Everything that is for operators: the JSON interface and the console. */
import type { Route } from "../http/router.ts";
import { apiRoutes } from "./api/routes.ts";
import { consoleRoutes } from "./console/routes.ts";

export const operatorRoutes: Route[] = [...apiRoutes, ...consoleRoutes];
