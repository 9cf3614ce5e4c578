/** Updates of links, for the API and the pages: judged, changed and recorded in one round trip. */
import type * as z from "zod/mini";
import type { Inherited } from "../../db/links/links.ts";
import type { AppScope, LinkRow } from "../../db/links/lists.ts";
import type { Partners } from "../../db/links/partner-catalog.ts";
import * as db from "../../db/links/updates.ts";
import type { linkUpdate } from "./link.ts";

export type LinkUpdate = z.output<typeof linkUpdate>;

/** `link_changed`: somebody else changed the link since it was seen. */
export type UpdateRejection = "unknown_partner" | "partner_without_cost_data" | "link_changed";

export type StoredLink = LinkRow & Inherited;

/** What an update does to a link. */
export interface UpdateResult {
  before: StoredLink;
  /** The same as before if the update is rejected. */
  after: StoredLink;
  rejection: UpdateRejection | undefined;
  isChanged: boolean;
}

/**
 * Judges the update of a link; SQL holds the same rules (db/links/updates.ts). Cost data can be on only while the partner in
 * effect supports it: switching it on is rejected without such a partner. Detaching the link's own partner, or attaching one
 * without support, switches it off.
 */
export function judgeUpdate(
  before: StoredLink,
  update: LinkUpdate,
  partners: Partners,
  seen: db.SeenLink = {},
): UpdateResult {
  const own = update.partner_id === undefined ? before.partnerId : update.partner_id;
  const inEffect = partners.get(own ?? before.inheritedPartner ?? 0);
  const rejected = (rejection: UpdateRejection) => ({ before, after: before, rejection, isChanged: false });
  if (update.partner_id != null && !partners.has(update.partner_id)) return rejected("unknown_partner");
  if (update.cost_data_enabled && !inEffect?.supportsCostData) return rejected("partner_without_cost_data");
  const isSeen = (Object.keys(seen) as (keyof db.SeenLink)[]).every((key) => seen[key] === before[key]);
  const switchesOff =
    update.partner_id === null
      ? before.partnerId !== null
      : update.partner_id !== undefined && !inEffect?.supportsCostData;
  const costSwitch = update.cost_data_enabled ?? (switchesOff ? false : undefined);
  const after = {
    ...before,
    label: update.name ?? before.label,
    archived: update.archived === undefined ? before.archived : Number(update.archived),
    partnerId: own,
    costSwitch: costSwitch === undefined ? before.costSwitch : Number(costSwitch),
  };
  const keys = ["label", "archived", "partnerId", "costSwitch"] as const;
  const isChanged = keys.some((key) => before[key] !== after[key]);
  if (isChanged && !isSeen) return rejected("link_changed");
  return { before, after, rejection: undefined, isChanged };
}

/**
 * Updates links of an app. There is no result for a link that the app does not have. Without access to the app, there is none at
 * all. `seen`: see `db.updateLinks`.
 */
export async function changeLinks(
  database: D1Database,
  scope: AppScope,
  tokens: string[],
  update: LinkUpdate,
  at: { now: number; seen?: db.SeenLinks | undefined },
) {
  const change = {
    label: update.name,
    archived: update.archived,
    partnerId: update.partner_id,
    costSwitch: update.cost_data_enabled,
  };
  const { access, partners, before, updated } = await db.updateLinks(database, scope, tokens, change, at);
  const results = new Map(
    [...before].map(([token, link]) => [token, judgeUpdate(link, update, partners, at.seen?.[token])]),
  );
  const expected = [...results].flatMap(([token, { isChanged }]) => (isChanged ? token : []));
  if (String(expected.sort()) !== String(updated.sort())) {
    throw new Error("the updated links differ from the accepted ones");
  }
  return { access, partners, results };
}
