/** The script of the account page. */
import { servedFile } from "../http/pages.ts";
import text from "./account.client.js";

export const script = servedFile("/account.js", "text/javascript; charset=utf-8", text);
