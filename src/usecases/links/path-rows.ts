/** The rows that name links by path: reads their names, and says why one was rejected. */
import type { PathSettings } from "../../db/links/lists.ts";
import type * as db from "../../db/links/paths.ts";
import { type AppError, ERRORS, type InputError } from "../../errors.ts";
import { invalidRequest, parsePart, toSentence } from "../../http/input/parse.ts";
import { linkName } from "./link-name.ts";

/** The fields with the names of a path, by level. */
export const LEVEL_FIELDS = ["network", "campaign", "ad_group", "creative"] as const;
type LevelField = (typeof LEVEL_FIELDS)[number];
/** What exports of ad platforms and of measurement products call some of them, each also with "name". */
export const OTHER_HEADINGS: Readonly<Record<string, LevelField>> = {
  ad_network: "network",
  media_source: "network",
  ad_set: "ad_group",
  ad: "creative",
};

/** A link that must exist, with its settings. Null: not given. */
export interface PathRow extends db.LinkPath, PathSettings {
  /** Why it is rejected, if that is known without the database. Its names are those that could be read. */
  error?: AppError | undefined;
  /** The partner by its name. */
  partnerName?: string | undefined;
  /** For files that name existing links: a new link is never archived. */
  archived?: boolean | undefined;
}

/** The names of a path that begins at a level. Adds an error for each name that is invalid, or missing above another one. */
export function readNames(
  sent: Partial<Record<LevelField, string>>,
  firstLevel: number,
  errors: InputError[],
): string[] {
  const fields = LEVEL_FIELDS.slice(firstLevel - 1);
  const last = fields.findLastIndex((field) => sent[field]?.trim());
  const needed = fields.slice(0, Math.max(last, 0) + 1);
  return needed.map((field, index) => {
    const text = sent[field] ?? "";
    if (text.trim() === "" && index < last) {
      errors.push({ param: field, message: "is required, because there is a name below it" });
    } else if (text.trim() === "") {
      errors.push({ param: field, message: "is required" });
    } else {
      return parsePart(linkName, text, errors, field) ?? "";
    }
    return "";
  });
}

/** Rejects a row with the same path as an earlier one. `numberOf` is what people call the row with this index. */
export function rejectRepeats<Row extends PathRow>(rows: Row[], numberOf: (index: number) => number): Row[] {
  const seen = new Map<string, number>();
  return rows.map((row, index) => {
    if (row.error) return row;
    const key = keyOf(row);
    const first = seen.get(key);
    if (first === undefined) seen.set(key, numberOf(index));
    const message = `Row ${first} has the same link. Remove one of them.`;
    return first === undefined ? row : { ...row, error: invalidRequest([{ param: "row", message }]) };
  });
}

/** Identifies the link at a depth of a path. */
export const keyOf = ({ base, names }: db.LinkPath, depth = names.length) =>
  JSON.stringify([base, ...names.slice(0, depth)]);

/** Why a row was rejected, in sentences. */
export function describeRejection({ code, errors, message }: AppError): string {
  if (errors.length > 0) return errors.map(describeError).join(" ");
  return `${ERRORS[code].title}. ${message}`.replaceAll("`", "");
}

function describeError(error: InputError): string {
  return toSentence({ ...error, param: FIELD_NAMES[error.param] ?? error.param });
}

/** What people call the columns. */
export const FIELD_NAMES: Record<string, string> = {
  network: "Network",
  campaign: "Campaign",
  ad_group: "Ad group",
  creative: "Creative",
  partner: "Partner",
  partner_id: "Partner ID",
  cost_data: "Cost data",
  archived: "Archived",
  target: "Target",
  link_token: "Link token",
};
