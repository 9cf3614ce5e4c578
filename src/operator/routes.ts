/** Everything that is for operators: the JSON interface and the console. */
import type { Route } from "../http/router.ts";
import { apiRoutes } from "./api.ts";

export const operatorRoutes: Route[] = [...apiRoutes];
