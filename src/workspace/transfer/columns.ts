/** The columns of a file of links. An export has all of them, and an import accepts them. */
import type { BrowsedLink } from "../../db/links/browse.ts";
import type { Partners } from "../../db/links/partner-catalog.ts";
import type { Cell } from "../../http/csv.ts";
import type { Origins } from "../../usecases/links/link.ts";
import { toLink } from "../../usecases/links/link.ts";

/** The partner and the settings are the link's own: they are empty where it inherits them. */
export const COLUMNS = [
  "link_token",
  "network",
  "campaign",
  "ad_group",
  "creative",
  "partner",
  "partner_id",
  "cost_data",
  "archived",
  "target",
  "click_url",
  "impression_url",
  "created_at",
] as const;
export type Column = (typeof COLUMNS)[number];

export const writeSwitch = (costSwitch: number | null) =>
  costSwitch === null ? "" : costSwitch ? "on" : "off";
export const writeFlag = (flag: number) => (flag ? "yes" : "no");

/** The cells of a link, in the order of the columns. */
export function toCells(row: BrowsedLink, partners: Partners, origins: Origins): Cell[] {
  const link = toLink(row, partners, origins);
  const [network = "", campaign = "", adGroup = "", creative = ""] = link.name.split("::");
  const cells: Record<Column, Cell> = {
    link_token: row.token,
    network,
    campaign,
    ad_group: adGroup,
    creative,
    partner: partners.get(row.partnerId ?? 0)?.displayName ?? null,
    partner_id: row.partnerId,
    cost_data: writeSwitch(row.costSwitch),
    archived: writeFlag(row.archived),
    target: row.target === "" ? "none" : row.target,
    click_url: link.click_url,
    impression_url: link.impression_url,
    created_at: new Date(row.createdAt).toISOString(),
  };
  return COLUMNS.map((column) => cells[column]);
}
