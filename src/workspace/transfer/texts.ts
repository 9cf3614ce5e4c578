/** The words for the rows of an import, and their columns in a file of results. */
import { html } from "hono/html";
import { withContact } from "../../pages/contact.ts";
import { nameText } from "../../pages/elements.ts";
import { showList } from "../../pages/locale.ts";
import type { ShowOutcome } from "../../pages/uploads/outcomes.ts";
import type { UploadTexts } from "../../pages/uploads/pages.ts";
import type { Outcome } from "../../pages/uploads/rows.ts";
import { LEVEL_FIELDS, OTHER_HEADINGS } from "../../usecases/links/path-rows.ts";
import type { PathResult } from "../../usecases/links/path-rules.ts";
import type { Member } from "../frame.ts";

export const LINK_TEXTS: UploadTexts = {
  noun: ["link", "links"],
  check: "Check rows",
  name: "Path",
  states: {
    ready: { word: "new", color: "ok", meaning: "Would be created" },
    imported: { word: "created", color: "ok", meaning: "Created" },
    duplicate: { word: "exists", color: "", meaning: "Exist already, nothing changes" },
    rejected: { word: "rejected", color: "error", meaning: "Rejected" },
  },
  changes: {
    ready: { word: "change", color: "ok", meaning: "Would be changed" },
    imported: { word: "changed", color: "ok", meaning: "Changed" },
    duplicate: { word: "same", color: "", meaning: "Have these values already" },
  },
  said: { ready: "would be created", imported: "created", duplicate: "exist already" },
  levels: LEVEL_FIELDS.slice(1).map((level) =>
    [level, ...Object.keys(OTHER_HEADINGS).filter((heading) => OTHER_HEADINGS[heading] === level)].join("|"),
  ),
  columns: ["row", "path", "state", "link_token", "message"],
};

const NOUNS = ["network", "campaign", "ad group", "creative"] as const;

/** What a row creates beside its own link, and what to look at before that: networks and names can be typing errors. */
export function describeAdded({
  state,
  added,
  similar,
  differences,
}: PathResult): Pick<Outcome, "creates" | "marks"> & { detail: string[] } {
  const above = added.slice(0, -1).map(({ level, name }) => `the ${NOUNS[level - 1]} “${name}”`);
  const marks = [
    ...(added.some(({ level }) => level === 1) ? ["New network"] : []),
    ...(similar === undefined ? [] : ["Similar name"]),
  ];
  return {
    ...(added.length > 0 && { creates: added.map(({ key, level }) => `${NOUNS[level - 1]}:${key}`) }),
    marks: state === "ready" ? marks : differences.length > 0 ? ["Other settings"] : [],
    detail: [
      ...differences,
      ...(above.length > 0 ? [`Also ${state === "ready" ? "creates" : "created"} ${showList(above)}.`] : []),
      ...(similar === undefined ? [] : [`“${similar}” already exists. Only the capital letters differ.`]),
    ],
  };
}

/** The path leads to its link, if there is one. The token is the fourth cell of a result. */
export const showLinks = ({ path, env }: Member): ShowOutcome => ({
  name: ({ name, cells: [, , , token] }) =>
    token ? html`<a href="${path}/links/${token}">${nameText(name ?? "")}</a>` : nameText(name ?? ""),
  detail: (text) => withContact(env, text),
});
