/** The routes of all surfaces. */
import { loadRoutes } from "../src/surfaces.ts";

export const routes = await loadRoutes();
