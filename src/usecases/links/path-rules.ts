/** Judges rows that name links by path: which links they would create, and why not. No I/O. */

import type { PathSettings } from "../../db/links/lists.ts";
import type { Partner, Partners } from "../../db/links/partner-catalog.ts";
import type * as db from "../../db/links/paths.ts";
import { expectDefined } from "../../domain/expect-defined.ts";
import { findNear } from "../../domain/near-name.ts";
import { inEnglish } from "../../domain/texts.ts";
import { AppError, type InputError } from "../../errors.ts";
import { invalidRequest } from "../../http/input/parse.ts";
import { inheritedFrom, newRow } from "./link.ts";
import { keyOf, type PathRow } from "./path-rows.ts";
import { judgeUpdate } from "./updates.ts";

/** The link of a row: the one that exists or was created, or that would be created. */
export interface PathResult {
  state: "ready" | "created" | "exists";
  /** Null if it would be created. */
  token: string | null;
  createdAt: number | null;
  /** What an existing link has instead of the settings of its row, in sentences. */
  differences: string[];
  /** What a new link creates: the links above it that are missing, and itself. Empty for one that exists. */
  added: AddedLink[];
  /** The name of a link that exists, or that an earlier row creates, and differs only in case from one that this row creates. */
  similar: string | undefined;
  found: db.FoundPath;
}

export interface AddedLink {
  /** Identifies it among the rows. */
  key: string;
  level: number;
  name: string;
}

/** Links with fewer names first, so that the settings of a link are those of its own row. */
export function inOrder<Row extends { names: string[] }>(rows: Row[]): Row[] {
  return rows.toSorted((one, other) => one.names.length - other.names.length);
}

/** How a text names a partner whose name is not clear. */
export const withId = ({ id, displayName }: Pick<Partner, "id" | "displayName">) => `${displayName} (${id})`;

/** The row with the ID of its partner, or why that cannot be found. */
export function findPartner(row: PathRow, partners: Partners): PathRow | AppError {
  const { partnerId, partnerName } = row;
  if (partnerName === undefined) return row;
  const reject = (message: string) => invalidRequest([{ param: "partner", message }]);
  const all = [...partners.values()];
  const named = all.filter((one) => one.displayName === partnerName || withId(one) === partnerName);
  const known = partners.get(partnerId ?? 0);
  if (known && !named.includes(known))
    return reject(`is ${partnerName}, but partner_id ${partnerId} is ${known.displayName}`);
  if (known) return row;
  const [only, other] = named;
  if (other) return reject(`is the name of several partners; add the ID to it, for example ${withId(other)}`);
  if (only) return { ...row, partnerId: partnerId ?? only.id };
  const names = all.map(({ displayName }) => displayName);
  const near = findNear(partnerName, names);
  return reject(`There's no partner “${partnerName}”.${near ? ` Did you mean ${near}?` : ""}`);
}

/** What becomes of each row. Nothing is created below a link whose own row is rejected: it would have other settings. */
export function judge(
  rows: PathRow[],
  found: (db.FoundPath | undefined)[],
  { room, maxLinks, partners }: db.FoundPaths,
): (PathResult | AppError)[] {
  const results: (PathResult | AppError)[] = [];
  /** The keys of the rejected rows. */
  const rejected = new Set<string>();
  /** The partner of each link that these rows create. */
  const planned = new Map<string, number | null>();
  /** The name of each of them, by its key without case. */
  const names = new Map<string, string>();
  let left = room;
  const sorted = inOrder(rows.map((row, index) => ({ row, index, names: row.names })));
  for (const { row, index } of sorted) {
    const place = found[index];
    const level = place?.base?.level ?? 0;
    const added = row.names
      .map((name, at): AddedLink => ({ key: keyOf(row, at + 1), level: level + at + 1, name }))
      .filter(({ key }, at) => at >= (place?.nodes.length ?? 0) && !planned.has(key));
    const above = added.find(({ key }) => rejected.has(key));
    const result =
      row.error ??
      (above
        ? belowRejected(above)
        : judgeRow(row, expectDefined(place), { planned, left, maxLinks, added }, partners));
    results[index] = result;
    if (result instanceof AppError) rejected.add(keyOf(row));
    if (result instanceof AppError || result.state !== "ready") continue;
    left -= added.length;
    for (const { key, name } of added) {
      const lower = key.toLowerCase();
      result.similar ??= names.get(lower);
      names.set(lower, name);
      planned.set(key, null);
    }
    planned.set(keyOf(row), row.partnerId);
  }
  return results;
}

const belowRejected = ({ name }: AddedLink) =>
  invalidRequest([{ param: "row", message: `The row of “${name}” is rejected.` }]);

interface Plan {
  planned: ReadonlyMap<string, number | null>;
  left: number;
  maxLinks: number;
  added: AddedLink[];
}

function judgeRow(
  row: PathRow,
  place: db.FoundPath,
  { planned, left, maxLinks, added }: Plan,
  partners: Partners,
): PathResult | AppError {
  const rejection = judgePlace(row, place);
  if (rejection) return rejection;
  const last = place.nodes.at(-1);
  if (last && place.nodes.length === row.names.length) {
    const { token, createdAt } = last;
    const differences = compare(row, last, partners);
    return { state: "exists", token, createdAt, differences, added: [], similar: undefined, found: place };
  }
  const errors = judgeSettings(row, place, planned, partners);
  if (errors.length > 0) return invalidRequest(errors);
  if (added.length > left) return appFull(maxLinks);
  const isFirstOwn = added.length === row.names.length - place.nodes.length;
  const similar = (isFirstOwn && place.similar) || undefined;
  return { state: "ready", token: null, createdAt: null, differences: [], added, similar, found: place };
}

export function appFull(maxLinks: number): AppError {
  const most = inEnglish(maxLinks);
  return new AppError(
    "app_full",
    `Users can create ${most} ${maxLinks === 1 ? "link" : "links"} in this app. Ask an operator to raise this number.`,
  );
}

function judgePlace({ names, base }: PathRow, place: db.FoundPath): AppError | undefined {
  if (place.base === null)
    return new AppError("not_found", `${base} isn't a link of this app.`, {
      errors: [{ param: "parent", message: "isn't a link of this app" }],
    });
  const level = (place.base?.level ?? 0) + names.length;
  if (level <= 4) return undefined;
  return new AppError(
    "level_limit",
    "A path has at most four levels: network, campaign, ad group, creative.",
  );
}

/** The errors of the settings of a new link: those of an update of a link that has only what it inherits. */
function judgeSettings(
  row: PathRow,
  { base, nodes }: db.FoundPath,
  planned: Plan["planned"],
  partners: Partners,
): InputError[] {
  const errors: InputError[] = [];
  if (row.archived) errors.push({ param: "archived", message: "can't be yes for a new link" });
  const above = row.names
    .slice(0, -1)
    .map((_, at) => nodes[at]?.partnerId ?? planned.get(keyOf(row, at + 1)) ?? null);
  const inheritedPartner =
    above.findLast((id) => id !== null) ?? base?.partnerId ?? base?.inheritedPartner ?? null;
  const link = {
    ...newRow({ token: "", label: "", level: 1 }),
    ...inheritedFrom(undefined),
    inheritedPartner,
  };
  const update = { partner_id: row.partnerId ?? undefined, cost_data_enabled: row.costSwitch ?? undefined };
  const { rejection, partner } = judgeUpdate(link, update, partners);
  if (rejection === "unknown_partner") errors.push({ param: "partner", message: "doesn't exist" });
  else if (rejection) {
    const reason = partner
      ? `${partner.displayName} has no cost data yet`
      : "no partner is attached to this link or above it";
    errors.push({ param: "cost_data", message: `can't be on: ${reason}` });
  }
  return errors;
}

/** What an existing link has instead of the settings of its row. */
function compare(row: PathRow, link: db.PathNode, partners: Partners): string[] {
  const partner = partners.get(link.partnerId ?? 0);
  const isOther = row.partnerId !== null && row.partnerId !== link.partnerId;
  const isSwitchOther = row.costSwitch !== null && Number(row.costSwitch) !== link.costSwitch;
  const differences: Record<keyof PathSettings | "archived", string | false | undefined> = {
    partnerId:
      (isOther || (row.partnerName !== undefined && row.partnerName !== partner?.displayName)) &&
      (partner ? `Its partner is ${partner.displayName}.` : "It has no partner of its own."),
    costSwitch:
      isSwitchOther &&
      (link.costSwitch === null
        ? "It inherits its cost data setting."
        : `Its cost data is ${link.costSwitch ? "on" : "off"}.`),
    target:
      row.target !== null &&
      row.target !== link.target &&
      (link.target === null
        ? "It has no target of its own."
        : `Its target is ${link.target === "" ? "the app's URLs" : link.target}.`),
    archived:
      (link.archived ? !row.archived : row.archived) &&
      (link.archived ? "It's archived." : "It isn't archived."),
  };
  return Object.values(differences).filter((difference) => typeof difference === "string");
}
