/** The scripts and the stylesheets of the workspace. A page loads only those that it needs. */
import { servedScript, servedStyles } from "../http/served-file.ts";
import compact from "../pages/assets/compact.css";
import lowCharts from "../pages/assets/low-charts.css";
import { script as creation } from "./create/create.client.js";
import { script as linkTest } from "./link-test.client.js";
import link from "./links/link.css";
import { script as links } from "./links/links.client.js";
import performance from "./performance/performance.css";
import { script as text } from "./workspace.client.js";
import stylesheet from "./workspace.css";

export const workspaceScript = servedScript("/workspace.js", text);
export const workspaceStyles = servedStyles("/workspace.css", stylesheet + compact);
/** For the Performance page, in the place of those of the workspace. */
export const performanceStyles = servedStyles("/performance.css", lowCharts + performance);
/** For a link's page, in the place of those of the workspace. */
export const linkStyles = servedStyles("/link.css", stylesheet + compact + lowCharts + link);
/** For the list of links, before that of the workspace. */
export const linksScript = servedScript("/links.js", links);
/** For a link's page, in the place of that of the workspace. */
export const linkTestScript = servedScript("/link-test.js", linkTest);
/** Only for the form that creates one link. */
export const createScript = servedScript("/create.js", creation);
