/** The stylesheet and the script of the partner's pages. */
import { servedFile } from "../http/pages.ts";
import script from "./partner.client.js";
import stylesheet from "./partner.css";

export const partnerStyles = servedFile("/partner.css", "text/css; charset=utf-8", stylesheet);
export const partnerScript = servedFile("/partner.js", "text/javascript; charset=utf-8", script);
