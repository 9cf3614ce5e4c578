/** The stylesheet of the partner's pages. */
import { servedFile } from "../http/served-file.ts";
import stylesheet from "./partner.css";

export const partnerStyles = servedFile("/partner.css", "text/css; charset=utf-8", stylesheet);
