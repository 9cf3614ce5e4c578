/** The script and the stylesheets of the workspace. */
import { servedFile } from "../http/served-file.ts";
import creation from "./create/create.client.js";
import performance from "./performance/performance.css";
import text from "./workspace.client.js";
import stylesheet from "./workspace.css";

export const workspaceScript = servedFile("/workspace.js", "text/javascript; charset=utf-8", text);
export const workspaceStyles = servedFile("/workspace.css", "text/css; charset=utf-8", stylesheet);
/** Only for the Performance page, so that the first view of the others is smaller. */
export const performanceStyles = servedFile("/performance.css", "text/css; charset=utf-8", performance);
/** Only for the form that creates one link. */
export const createScript = servedFile("/create.js", "text/javascript; charset=utf-8", creation);
