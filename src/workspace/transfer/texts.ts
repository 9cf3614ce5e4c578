/** The words for the rows of an import and of pasted paths, and their columns in a file of results. */
import { html } from "hono/html";
import type { Markup } from "../../pages/markup.ts";
import type { UploadTexts } from "../../pages/uploads/pages.ts";
import type { Outcome } from "../../pages/uploads/rows.ts";
import { LEVEL_FIELDS } from "../../usecases/links/path-rows.ts";
import type { Member } from "../frame.ts";

export const LINK_TEXTS: UploadTexts = {
  noun: ["link", "links"],
  name: "Path",
  states: {
    ready: { word: "new", color: "ok", meaning: "Would be created" },
    imported: { word: "created", color: "ok", meaning: "Created" },
    duplicate: { word: "exists", color: "", meaning: "Exist already, nothing changes" },
    rejected: { word: "rejected", color: "error", meaning: "Rejected" },
  },
  said: { ready: "would be created", imported: "created", duplicate: "exist already" },
  levels: LEVEL_FIELDS.slice(1),
  columns: ["row", "path", "state", "link_token", "message"],
};

/** The path leads to its link, if there is one. The token is the fourth cell of a result. */
export function showPath({ path }: Member) {
  return ({ name, cells: [, , , token] }: Outcome): Markup =>
    token ? html`<a href="${path}/links/${token}">${name}</a>` : html`${name}`;
}
