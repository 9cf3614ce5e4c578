/** The script and the stylesheet of the workspace. */
import { servedFile } from "../http/served-file.ts";
import text from "./workspace.client.js";
import stylesheet from "./workspace.css";

export const workspaceScript = servedFile("/workspace.js", "text/javascript; charset=utf-8", text);
export const workspaceStyles = servedFile("/workspace.css", "text/css; charset=utf-8", stylesheet);
