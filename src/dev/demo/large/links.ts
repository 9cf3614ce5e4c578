/** The links of the large app: a network for each partner and two without one, and the same names below each. */
import type { DemoRow } from "../rows.ts";
import { ADGROUP_NAMES, CAMPAIGN_NAMES, CREATIVE_NAMES, PARTNER_NAMES, WITHOUT_PARTNER } from "./names.ts";
import { PARTNERS, type Partner } from "./partners.ts";

export const LARGE = { appToken: "demoapp00003", name: "Atlas Travel" } as const;
const LINKS = 5_000;
const CAMPAIGNS = 8;
const ADGROUPS = 5;
/** After the links of the default demo. */
const FIRST_LINK = 1_000;

/** Of two networks, by the position of their links. */
const TARGETS: Record<number, string> = {
  24: "https://example.com/travel/newsletter?from={link_token}",
  25: "https://example.com/travel/airport",
};

export type Link = { id: number; level: number; partner: Partner | undefined };

const pick = (names: string[], index: number) => names[index % names.length] ?? "";
const numbered = (names: string[], index: number) =>
  pick(names, index) + (index < names.length ? "" : ` ${Math.floor(index / names.length) + 1}`);

export function createLinks(created_at: number): { links: Link[]; rows: DemoRow[] } {
  const links: Link[] = [];
  const rows: DemoRow[] = [];
  const add = (label: string, parent: Link | undefined, partner: Partner | undefined): Link => {
    const link: Link = { id: FIRST_LINK + links.length, level: (parent?.level ?? 0) + 1, partner };
    links.push(link);
    const own = parent ? undefined : partner;
    rows.push({
      table: "links",
      values: {
        id: link.id,
        token: `atlas${String(link.id).padStart(5, "0")}`,
        app_token: LARGE.appToken,
        parent_id: parent?.id ?? null,
        level: link.level,
        label,
        archived: Number(link.level === 2 && link.id % 9 === 0),
        partner_id: own?.id ?? null,
        cost_switch: own ? Number(own.isIntegrated) : null,
        created_at: created_at + links.length * 60_000,
        from_engagement: Number(link.level > 2 && link.id % 7 === 0),
        target: TARGETS[links.length - 1] ?? null,
      },
    });
    return link;
  };
  const networks = [...PARTNER_NAMES, ...WITHOUT_PARTNER].map((name, index) =>
    add(name, undefined, PARTNERS[index]),
  );
  const campaigns = networks.flatMap((network, index) =>
    Array.from({ length: CAMPAIGNS }, (_, at) =>
      add(pick(CAMPAIGN_NAMES, index + at * 3), network, network.partner),
    ),
  );
  const adgroups = campaigns.flatMap((campaign, index) =>
    Array.from({ length: ADGROUPS }, (_, at) =>
      add(pick(ADGROUP_NAMES, index + at), campaign, campaign.partner),
    ),
  );
  for (let index = 0; links.length < LINKS; index++) {
    const adgroup = adgroups[index % adgroups.length];
    add(
      numbered(CREATIVE_NAMES, (index % 3) + 3 * Math.floor(index / adgroups.length)),
      adgroup,
      adgroup?.partner,
    );
  }
  return { links, rows };
}
