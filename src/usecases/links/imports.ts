/**
 * Undoes what an import changed of links, where nobody changed it since. The audit log says so, and not the values: somebody may have
 * changed one twice, and want it so.
 */
import type { AppAccess } from "../../db/accounts/viewers.ts";
import { findImport, type LinkChange, removalStatement } from "../../db/links/imports.ts";
import type { AppScope } from "../../db/links/lists.ts";
import type { Partners } from "../../db/links/partner-catalog.ts";
import type { Context } from "../../env.ts";
import { AppError } from "../../errors.ts";
import { type StoredLink, toSwitch } from "./link.ts";
import { changeLinks, type LinkUpdate, type UpdateResult } from "./updates.ts";

export interface Undone {
  access: AppAccess | undefined;
  partners: Partners;
  /** In the order of the import. The result is undefined for a link that is gone. */
  links: { change: LinkChange; result: UpdateResult | undefined; isKept: boolean }[];
}

/** Throws not_found for an import that the app does not have, or that was undone or is older than 24 hours. */
export async function undoImport(context: Context, scope: AppScope, id: number): Promise<Undone> {
  const { env, now } = context;
  const found = await findImport(env.DB, scope.appToken, id, now);
  if (!found) throw new AppError("not_found", "This import was undone, or it is more than 24 hours old.");
  const { since, until } = found;
  const changes = new Map(found.changes.map((change) => [change.token, change]));
  /** The settings that the import changed, and whether others changed them since, so that they are kept. */
  const settingsOf = ({ token, before, after }: LinkChange, link: StoredLink) =>
    CHANGED.filter((key) => before[key] !== after[key]).map((key) => {
      const isKept = (since.get(token)?.[key] ?? 0) !== 0 || link[key] !== after[key];
      return { key, isKept };
    });
  const updateOf = (link: StoredLink) => {
    const change = changes.get(link.token);
    const settings = change ? settingsOf(change, link).filter(({ isKept }) => !isKept) : [];
    return change ? toUndo(change, link, new Set(settings.map(({ key }) => key))) : {};
  };
  const { access, partners, results } = await changeLinks(context, scope, [...changes.keys()], updateOf, {
    action: "undo import",
    until,
    alsoStore: () => [removalStatement(env.DB, scope, id)],
  });
  const links = found.changes.map((change) => {
    const result = results.get(change.token);
    return {
      change,
      result,
      isKept: result !== undefined && settingsOf(change, result.before).some(({ isKept }) => isKept),
    };
  });
  return { access, partners, links };
}

const CHANGED = ["archived", "partnerId", "costSwitch", "target"] as const;
type Changed = (typeof CHANGED)[number];

/** The values before the import, of the settings that go back. */
function toUndo({ before }: LinkChange, link: StoredLink, goesBack: ReadonlySet<Changed>): LinkUpdate {
  return {
    ...(goesBack.has("archived") && { archived: before.archived === 1 }),
    // Another partner could switch cost data off, so the setting goes with it.
    ...(goesBack.has("partnerId") && {
      partner_id: before.partnerId,
      cost_data_enabled: toSwitch(link.costSwitch),
    }),
    ...(goesBack.has("target") && { target: before.target ?? null }),
    ...(goesBack.has("costSwitch") && { cost_data_enabled: toSwitch(before.costSwitch) }),
  };
}
