/** The scripts and the stylesheets of the workspace. A page loads only those that it needs. */
import { servedFile } from "../http/served-file.ts";
import creation from "./create/create.client.js";
import linkTest from "./link-test.client.js";
import links from "./links/links.client.js";
import performance from "./performance/performance.css";
import text from "./workspace.client.js";
import stylesheet from "./workspace.css";

export const workspaceScript = servedFile("/workspace.js", "text/javascript; charset=utf-8", text);
export const workspaceStyles = servedFile("/workspace.css", "text/css; charset=utf-8", stylesheet);
/** For the Performance page, in the place of those of the workspace. */
export const performanceStyles = servedFile("/performance.css", "text/css; charset=utf-8", performance);
/** For the list of links, before that of the workspace. */
export const linksScript = servedFile("/links.js", "text/javascript; charset=utf-8", links);
/** For a link's page, in the place of that of the workspace. */
export const linkTestScript = servedFile("/link-test.js", "text/javascript; charset=utf-8", linkTest);
/** Only for the form that creates one link. */
export const createScript = servedFile("/create.js", "text/javascript; charset=utf-8", creation);
