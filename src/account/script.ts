/** The script of the account page. */
import { servedFile } from "../http/served-file.ts";
import text from "./account.client.js";

export const script = servedFile("/account.js", "text/javascript; charset=utf-8", text);
