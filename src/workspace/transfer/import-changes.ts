/** The rows of an import that name a link by its token: they change its partner, its cost data setting, its target, and whether it is archived. */
import * as z from "zod/mini";
import type { AppAccess } from "../../db/accounts/viewers.ts";
import type { AppScope } from "../../db/links/lists.ts";
import type { Partners } from "../../db/links/partner-catalog.ts";
import { readLinks } from "../../db/links/updates.ts";
import type { Context } from "../../env.ts";
import type { AppError, InputError } from "../../errors.ts";
import { idText } from "../../http/input/fields.ts";
import { invalidRequest, parsePart } from "../../http/input/parse.ts";
import { linkTarget, namesOf, type StoredLink } from "../../usecases/links/link.ts";
import { describeRejection } from "../../usecases/links/path-rows.ts";
import {
  changeLinks,
  judgeUpdates,
  type LinkUpdate,
  type UpdateResult,
} from "../../usecases/links/updates.ts";
import { describeChange } from "../bulk/update.ts";
import { partnerOf } from "../links/cells.ts";

const choice = <T extends string>(words: [T, ...T[]], message: string) =>
  z.optional(z.pipe(z.string().check(z.toLowerCase()), z.enum(words, message)));

/** The settings that a row can have. An empty cell is absent. */
export const settingColumns = {
  partner_id: z.optional(z.union([z.literal("none"), idText], "must be the ID of a partner or none")),
  cost_data: choice(["on", "off", "inherit"], "must be on, off or inherit"),
  archived: choice(["yes", "no"], "must be yes or no"),
  target: z.optional(linkTarget),
};

/** What a row changes of its link. An absent key changes nothing. */
export type RowChange = Pick<LinkUpdate, "partner_id" | "cost_data_enabled" | "archived" | "target">;

const SWITCH_OF = { on: true, off: false, inherit: null };

/** What a cell says. An empty one is absent, so "the URLs of the app" and "inherited" have words. */
export const readTarget = (cell: string): string | null =>
  /^inherit$/i.test(cell) ? null : /^none$/i.test(cell) ? "" : cell;

/** Adds an error for each cell that is invalid. */
export function readChange(cells: Record<string, string>, errors: InputError[]): RowChange {
  const { partner_id, cost_data, archived, target } = settingColumns;
  const partner = parsePart(partner_id, cells.partner_id?.trim().toLowerCase(), errors, "partner_id");
  const cost = parsePart(cost_data, cells.cost_data, errors, "cost_data");
  const leads = parsePart(target, cells.target?.trim(), errors, "target");
  const isArchived = parsePart(archived, cells.archived, errors, "archived");
  return {
    ...(partner !== undefined && { partner_id: partner === "none" ? null : partner }),
    ...(cost !== undefined && { cost_data_enabled: SWITCH_OF[cost] }),
    ...(isArchived !== undefined && { archived: isArchived === "yes" }),
    ...(leads !== undefined && { target: readTarget(leads) }),
  };
}

/** What an import would change of a link, or did. */
export interface ChangeResult {
  state: "ready" | "changed" | "same";
  before: StoredLink;
  /** What it changes, in sentences. */
  detail: string[];
  partners: Partners;
}

interface Changed {
  access: AppAccess | undefined;
  /** By the token of the link. */
  results: Map<string, ChangeResult | AppError>;
}

/** Finds what the rows would change. Stores nothing. */
export async function checkChanges(
  { env }: Context,
  scope: AppScope,
  rows: ReadonlyMap<string, RowChange>,
): Promise<Changed> {
  const { access, partners, links } = await readLinks(env.DB, scope, [...rows.keys()]);
  const judged = await judgeUpdates(env.DB, scope, { links, partners }, (link) => toUpdate(link, rows));
  return { access, results: toResults(rows, [...judged.values()], partners, "ready") };
}

/** Changes the links of the rows that are accepted, all in one transaction, which also stores what it changed. */
export async function makeChanges(
  context: Context,
  scope: AppScope,
  rows: ReadonlyMap<string, RowChange>,
): Promise<Changed> {
  const updateOf = (link: StoredLink) => toUpdate(link, rows);
  const { access, partners, results } = await changeLinks(context, scope, [...rows.keys()], updateOf, {
    source: "import",
  });
  return { access, results: toResults(rows, [...results.values()], partners, "changed") };
}

/** Without what the link has already: an export that is imported again changes nothing, whatever its partners support today. */
function toUpdate(link: StoredLink, rows: ReadonlyMap<string, RowChange>): LinkUpdate {
  const { partner_id, cost_data_enabled: cost, archived, target } = rows.get(link.token) ?? {};
  const costSwitch = cost === undefined || cost === null ? cost : Number(cost);
  return {
    ...(partner_id !== undefined && partner_id !== link.partnerId && { partner_id }),
    ...(cost !== undefined && costSwitch !== link.costSwitch && { cost_data_enabled: cost }),
    ...(archived !== undefined && Number(archived) !== link.archived && { archived }),
    ...(target !== undefined && target !== link.target && { target }),
  };
}

function toResults(
  rows: ReadonlyMap<string, RowChange>,
  judged: UpdateResult[],
  partners: Partners,
  done: "ready" | "changed",
): Changed["results"] {
  const results = judged.map((result): [string, ChangeResult | AppError] => {
    const { before, after, isChanged } = result;
    const rejected = rejectionOf(result, rows.get(before.token) ?? {}, partners);
    if (rejected) return [before.token, rejected];
    const detail = isChanged ? [describeChange(before, after, partners)] : [];
    return [before.token, { state: isChanged ? done : "same", before, detail, partners }];
  });
  return new Map(results);
}

/** Why a change of a link is rejected; undefined if it is not. */
export function rejectionOf(
  { before, rejection, targetError }: UpdateResult,
  { partner_id }: RowChange,
  partners: Partners,
): AppError | undefined {
  if (!rejection || targetError) return targetError;
  if (rejection === "unknown_partner")
    return invalidRequest([
      { param: "partner_id", message: "is not the ID of a partner; copy one from an export" },
    ]);
  const partner = partnerOf(
    partner_id === undefined ? before : { ...before, partnerId: partner_id },
    partners,
  );
  const message = partner
    ? `can't be on: ${partner.displayName} doesn't support cost data yet`
    : "can't be on: no partner is attached to this link or above it";
  return invalidRequest([{ param: "cost_data", message }]);
}

export const pathOf = (link: StoredLink) => namesOf(link).join(" > ");

/** What differs in columns that are only for people. */
export function noteDifferences(
  cells: Record<string, string>,
  names: string[],
  { before, partners }: ChangeResult,
  { partner_id }: RowChange,
): string[] {
  const sentPath = names.filter((name) => name !== "").join(" > ");
  const own = partners.get(before.partnerId ?? 0)?.displayName ?? "";
  const isRead = partner_id !== undefined && partner_id !== before.partnerId;
  const sent = cells.partner?.trim() ?? "";
  return [
    ...(sentPath !== "" && sentPath !== pathOf(before) ? [`The file has another path: ${sentPath}.`] : []),
    ...(sent !== "" && sent !== own && !isRead
      ? ["The partner of an existing link is changed by partner_id, not by its name."]
      : []),
  ];
}

export const unknownToken = (): string =>
  describeRejection(
    invalidRequest([{ param: "link_token", message: "is not a link of this app; copy it from an export" }]),
  );
