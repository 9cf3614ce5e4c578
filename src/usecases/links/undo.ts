/**
 * Undoes what a request changed of links, where nobody changed it since; links that it created are archived. The audit log says
 * whether somebody did, and not the values: somebody may have changed one twice, and want it so.
 */
import type { AppAccess } from "../../db/accounts/viewers.ts";
import { findChanges, type LinkChange, removalStatement } from "../../db/links/changes.ts";
import { type AppScope, LINK_SETTINGS } from "../../db/links/lists.ts";
import type { Partners } from "../../db/links/partner-catalog.ts";
import { type LinkSettings, SETTINGS } from "../../db/links/updates.ts";
import type { Context } from "../../env.ts";
import { AppError } from "../../errors.ts";
import type { StoredLink } from "./link.ts";
import { asUpdate, changeLinks, type LinkUpdate, type UpdateResult } from "./updates.ts";

export interface Undone {
  access: AppAccess | undefined;
  partners: Partners;
  /** In the order of the change. The result is undefined for a link that is gone. */
  links: { change: LinkChange; result: UpdateResult | undefined; isKept: boolean }[];
  /** More is left of the change than one request undoes. */
  isMore: boolean;
}

/** The most links that one transaction restores, unless one part of a change has more. */
const MAX_RESTORED = 1_000;

/** Throws not_found for a change that the app does not have, or that was undone or is older than 24 hours. */
export async function undoChange(context: Context, scope: AppScope, undoId: string): Promise<Undone> {
  const { env, now } = context;
  const found = await findChanges(env.DB, scope.appToken, undoId, now);
  if (!found) throw new AppError("not_found", "This change was undone, or it is more than 24 hours old.");
  const { since, until, isMore } = found;
  /** The settings that were changed, and whether others changed them since, so that they are kept. */
  const settingsOf = ({ token, before, after }: LinkChange, link: StoredLink) =>
    SETTINGS.filter((key) => before[key] !== after[key]).map((key) => {
      const isKept = (since.get(token)?.[key] ?? 0) !== 0 || link[key] !== after[key];
      return { key, isKept };
    });
  const links: Undone["links"] = [];
  let read: Pick<Undone, "access" | "partners"> = { access: undefined, partners: new Map() };
  // Those above others were created first, and each part is undone whole or not at all.
  for (const part of inTransactions(found.parts)) {
    const changes = new Map(part.changes.map((change) => [change.token, change]));
    const updateOf = (link: StoredLink) => {
      const change = changes.get(link.token);
      const settings = change ? settingsOf(change, link).filter(({ isKept }) => !isKept) : [];
      return change
        ? toUndo(
            change,
            link,
            settings.map(({ key }) => key),
          )
        : {};
    };
    const { results, ...rest } = await changeLinks(context, scope, [...changes.keys()], updateOf, {
      action: "undo change",
      until,
      alsoStore: [removalStatement(env.DB, scope, part.ids)],
    });
    read = rest;
    for (const change of part.changes) {
      const result = results.get(change.token);
      const isKept = result !== undefined && settingsOf(change, result.before).some((one) => one.isKept);
      links.push({ change, result, isKept });
    }
  }
  return { ...read, links, isMore };
}

/** Parts of a change that are undone together. */
function inTransactions(parts: { id: number; changes: LinkChange[] }[]) {
  const joined: { ids: number[]; changes: LinkChange[] }[] = [];
  for (const { id, changes } of parts) {
    const last = joined.at(-1);
    if (last && last.changes.length + changes.length <= MAX_RESTORED) {
      last.ids.push(id);
      last.changes.push(...changes);
    } else {
      joined.push({ ids: [id], changes: [...changes] });
    }
  }
  return joined;
}

/** The values before the change, of the settings that go back. */
function toUndo({ before }: LinkChange, link: StoredLink, goesBack: (keyof LinkSettings)[]): LinkUpdate {
  // Another partner could switch cost data off, so the setting goes with it.
  const keys = goesBack.includes("partnerId") ? [...goesBack, "costSwitch" as const] : goesBack;
  const update = asUpdate({ ...link, ...Object.fromEntries(goesBack.map((key) => [key, before[key]])) });
  return Object.fromEntries(keys.map((key) => [LINK_SETTINGS[key], update[LINK_SETTINGS[key]]]));
}
