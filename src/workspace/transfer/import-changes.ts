/**
 * The rows of an import that name a link by its token: they change its partner, its cost data setting, its target, and whether it
 * is archived.
 */
import * as z from "zod/mini";
import type { Partners } from "../../db/links/partner-catalog.ts";
import type { InputError } from "../../errors.ts";
import { idText } from "../../http/input/fields.ts";
import { parsePart } from "../../http/input/parse.ts";
import { linkTarget, namesOf, type StoredLink } from "../../usecases/links/link.ts";
import { asUpdate, type LinkUpdate, type UpdateResult } from "../../usecases/links/updates.ts";

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

/** Without what the link has already: an export that is imported again changes nothing, whatever its partners support today. */
export function toUpdate(link: StoredLink, change: RowChange): LinkUpdate {
  const now: Record<string, unknown> = asUpdate(link);
  return Object.fromEntries(Object.entries(change).filter(([name, value]) => value !== now[name]));
}

/** What differs in columns that are only for people. */
export function noteDifferences(
  cells: Record<string, string>,
  names: string[],
  { before }: UpdateResult,
  partners: Partners,
): string[] {
  const sentPath = names.filter((name) => name !== "").join(" > ");
  const own = partners.get(before.partnerId ?? 0)?.displayName ?? "";
  const sent = cells.partner_id === String(before.partnerId) ? (cells.partner ?? own) : own;
  return [
    ...(sentPath !== "" && sentPath !== namesOf(before).join(" > ")
      ? [`The file has another path: ${sentPath}.`]
      : []),
    ...(sent !== own ? ["The name of the partner is not read, because the row has a partner ID."] : []),
  ];
}
