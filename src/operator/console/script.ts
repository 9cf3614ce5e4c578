/** The script of the console. */
import { servedFile } from "../../http/served-file.ts";
import text from "./console.client.js";

export const consoleScript = servedFile("/console.js", "text/javascript; charset=utf-8", text);
