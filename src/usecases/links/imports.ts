/** Undoes what an import changed of links, where nobody changed it since. */
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
export async function undoImport({ env, now }: Context, scope: AppScope, id: number): Promise<Undone> {
  const found = await findImport(env.DB, scope.appToken, id, now);
  if (!found) throw new AppError("not_found", "This import was undone, or it is more than 24 hours old.");
  const changes = new Map(found.map((change) => [change.token, change]));
  const updateOf = (link: StoredLink) => {
    const change = changes.get(link.token);
    return change ? toUndo(change, link) : {};
  };
  const { access, partners, results } = await changeLinks(env.DB, scope, [...changes.keys()], updateOf, {
    now,
    alsoStore: () => [removalStatement(env.DB, scope, id)],
  });
  const links = found.map((change) => {
    const result = results.get(change.token);
    return { change, result, isKept: result !== undefined && hasOther(change, result.before) };
  });
  return { access, partners, links };
}

const CHANGED = ["archived", "partnerId", "costSwitch"] as const;

/** Whether somebody changed one of the values since. */
const hasOther = ({ before, after }: LinkChange, link: StoredLink) =>
  CHANGED.some((key) => before[key] !== after[key] && link[key] !== after[key]);

/** The values before the import, of those that it changed and nobody changed since. */
function toUndo({ before, after }: LinkChange, link: StoredLink): LinkUpdate {
  const goesBack = (key: (typeof CHANGED)[number]) => before[key] !== after[key] && link[key] === after[key];
  return {
    ...(goesBack("archived") && { archived: before.archived === 1 }),
    // Another partner could switch cost data off, so the setting goes with it.
    ...(goesBack("partnerId") && {
      partner_id: before.partnerId,
      cost_data_enabled: toSwitch(link.costSwitch),
    }),
    ...(goesBack("costSwitch") && { cost_data_enabled: toSwitch(before.costSwitch) }),
  };
}
