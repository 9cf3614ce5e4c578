/** The script of the account page. */
import { servedScript } from "../http/served-file.ts";
import { script as text } from "./account.client.js";

export const script = servedScript("/account.js", text);
