/** A link in the API: built from its row and what it inherits. Judges new links. No I/O, no clock. */
import * as z from "zod/mini";
import type { NewLink } from "../../db/links/creation.ts";
import type { Inherited } from "../../db/links/links.ts";
import type { LinkRow, LinkSetting } from "../../db/links/lists.ts";
import type { Partner, Partners } from "../../db/links/partner-catalog.ts";
import { trimInvisible } from "../../domain/characters.ts";
import { MAX_TARGET_LENGTH } from "../../domain/engagements/click-target.ts";
import { inEnglish } from "../../domain/texts.ts";
import { idNumber, nameText } from "../../http/input/fields.ts";
import { createLinkToken, linkName } from "./link-name.ts";

/** A stored link, and what it inherits. */
export type StoredLink = LinkRow & Inherited;

export type Origins = { clickUrl: string; impressionUrl: string };

/** A link in the API (spec §2.2). */
export const link = z
  .strictObject({
    name: z.string().with(z.describe("The names of the links above it and its own, joined by ::")),
    token: z.string().with(z.describe("Identifies the link, in its URLs too")),
    label: z.string().with(z.describe("The link's own name")),
    level: z
      .int()
      .check(z.minimum(1), z.maximum(4))
      .with(z.describe("1: network, 2: campaign, 3: ad group, 4: creative")),
    archived: z.boolean().with(z.describe("An archived link still redirects and records")),
    has_subtrackers: z.boolean().with(z.describe("Whether there are links below it")),
    partner_id: z
      .nullable(z.int())
      .with(z.describe("The link's own partner; null if it inherits one or has none")),
    cost_data_enabled: z
      .boolean()
      .with(z.describe("Whether cost data is on, by its own setting or an inherited one")),
    url: z.string().with(z.describe("The URL without parameters")),
    click_url: z.string().with(z.describe("A template with the partner's macros, unencoded")),
    impression_url: z.string().with(z.describe("A template with the partner's macros, unencoded")),
  } satisfies Record<Exclude<LinkSetting, "target">, z.ZodMiniType> & Record<string, z.ZodMiniType>)
  .with(z.meta({ id: "Link" }));

export type Link = z.output<typeof link>;

/** One link, with what it does not inherit. */
export const linkWithOwn = z
  .strictObject({
    ...link.shape,
    own: z
      .strictObject({
        partner_id: z.nullable(z.int()),
        cost_data_enabled: z.nullable(z.boolean()),
        target: z.nullable(z.string()),
      })
      .with(z.describe("The link's own settings; null for one that it inherits")),
  })
  .with(z.meta({ id: "LinkWithOwn" }));

/** For the documentation. */
export const LINK_EXAMPLE: Link = {
  name: "Summer",
  token: "q2r7kd0n5x",
  label: "Summer",
  level: 1,
  archived: false,
  has_subtrackers: false,
  partner_id: null,
  cost_data_enabled: false,
  url: "https://links.example.com/q2r7kd0n5x",
  click_url: "https://links.example.com/q2r7kd0n5x",
  impression_url: "https://links.example.com/impression/q2r7kd0n5x",
};

/** What the direct sub-links of a link inherit. Links of level 1 inherit nothing. */
export function inheritedFrom(parent: StoredLink | undefined): Inherited {
  if (!parent)
    return { inheritedName: null, inheritedPartner: null, inheritedSwitch: null, inheritedTarget: null };
  return {
    inheritedName: toName(parent),
    inheritedPartner: parent.partnerId ?? parent.inheritedPartner,
    inheritedSwitch: parent.costSwitch ?? parent.inheritedSwitch,
    inheritedTarget: parent.target ?? parent.inheritedTarget,
  };
}

/** The row that a link has when it is created. The database assigns the ID. */
export const newRow = (own: Pick<LinkRow, "token" | "label" | "level">): LinkRow => ({
  id: 0,
  archived: 0,
  partnerId: null,
  costSwitch: null,
  target: null,
  childCount: 0,
  ...own,
});

/** Why a link cannot be created below this parent; undefined if it can, and for a link of level 1. */
export function judgeParent(
  parentToken: string | null,
  parent: Pick<LinkRow, "level"> | undefined,
): "not_found" | "level_limit" | undefined {
  if (parentToken === null) return undefined;
  if (!parent) return "not_found";
  return parent.level === 4 ? "level_limit" : undefined;
}

/** The names from the network down to the link. */
export const namesOf = ({ inheritedName, label }: Pick<StoredLink, "inheritedName" | "label">): string[] => [
  ...(inheritedName?.split("::") ?? []),
  label,
];

function toName(row: StoredLink): string {
  return row.inheritedName === null ? row.label : `${row.inheritedName}::${row.label}`;
}

/** `partner_id` is the link's own. The URLs and `cost_data_enabled` follow from the partner and the switch in effect. */
export function toLink(row: StoredLink, partners: Partners, origins: Origins): Link {
  const partner = partners.get(row.partnerId ?? row.inheritedPartner ?? 0);
  const switchedOn = (row.costSwitch ?? row.inheritedSwitch) === 1;
  const costDataEnabled = switchedOn && partner?.supportsCostData === 1;
  return {
    name: toName(row),
    token: row.token,
    label: row.label,
    level: row.level,
    archived: row.archived === 1,
    has_subtrackers: row.childCount > 0,
    partner_id: row.partnerId,
    cost_data_enabled: costDataEnabled,
    url: `${origins.clickUrl}/${row.token}`,
    ...toUrls(row.token, partner, costDataEnabled, origins),
  };
}

export const toLinkWithOwn = (row: StoredLink, partners: Partners, origins: Origins) => ({
  ...toLink(row, partners, origins),
  own: { partner_id: row.partnerId, cost_data_enabled: toSwitch(row.costSwitch), target: row.target },
});

/** Null: inherited. */
export const toSwitch = (costSwitch: number | null) => (costSwitch === null ? null : costSwitch === 1);

/** Templates are text, not URLs: macros, spaces and `%%` must stay byte for byte, so this code does not parse them. */
function toUrls(token: string, partner: Partner | undefined, costDataEnabled: boolean, origins: Origins) {
  const cost = costDataEnabled ? partner?.costParameters : "";
  const s2s = partner?.serverToServer ? "s2s=1" : "";
  return {
    click_url: withQuery(`${origins.clickUrl}/${token}`, [partner?.clickParameters, cost]),
    impression_url: withQuery(`${origins.impressionUrl}/impression/${token}`, [
      partner?.impressionParameters,
      cost,
      s2s,
    ]),
  };
}

function withQuery(url: string, parts: (string | undefined)[]): string {
  const query = parts.filter((part) => part).join("&");
  return query ? `${url}?${query}` : url;
}

/** The text of a target, without what copying adds at its ends; `judgeTarget` judges it with the app. "" stays "". */
export const linkTarget = z
  .string()
  .check(z.overwrite(trimInvisible), nameText(0, MAX_TARGET_LENGTH))
  .with(
    z.describe(
      `Where clicks on the link and those below it lead, if their URLs name no other target: a URL with an allowed scheme and host, up to ${inEnglish(MAX_TARGET_LENGTH)} characters, which can have placeholders (see \`/docs/rules#parameters-that-are-passed-on\`). An empty string: to the URLs of the app, even if a link above has a target. null: inherited`,
    ),
  );

/** The body of a POST (spec §4.4). */
export const newLink = z.strictObject({
  name: linkName,
  parent_token: z
    .optional(z.string())
    .with(z.describe("The token of the link above the new one. Without it, the link has level 1")),
  target: z.nullish(linkTarget),
});

export function toNewLink(sent: z.output<typeof newLink>): NewLink {
  const { name: label, parent_token: parentToken = null, target = null } = sent;
  return { token: createLinkToken(), label, parentToken, target };
}

const changeFields = {
  name: z.optional(linkName),
  archived: z.optional(z.boolean()).with(z.describe("true archives the link, false restores it")),
  partner_id: z.nullish(idNumber).with(z.describe("The partner to attach; null detaches it")),
  cost_data_enabled: z
    .nullish(z.boolean())
    .with(
      z.describe(
        "true requires a partner that supports cost data, on this link or above it; null inherits the setting of the link above",
      ),
    ),
  target: z.nullish(linkTarget),
} satisfies Record<LinkSetting, z.ZodMiniType>;

/** The body of a PATCH (spec §4.5). An absent key keeps the current value; null returns to inheriting. */
export const linkUpdate = z
  .strictObject(changeFields)
  .check(
    z.refine(
      (body) => Object.values(body).some((value) => value !== undefined),
      `must contain at least one of ${Object.keys(changeFields).join(", ")}`,
    ),
  );
