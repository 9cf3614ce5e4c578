/**
 * `npm start -- --demo large`: an app of a customer's size for the demo users, with the same random values each time. The ledger has
 * the days whose IDs are remembered, the days before have totals and counts only.
 */
import type { AuditAction } from "../../domain/audit-actions.ts";
import { type CostType, type Kind, toMask } from "../../domain/cost-types.ts";
import { DEFAULT_MAX_URL_AMOUNT, formatAmount, formatMoney } from "../../domain/money.ts";
import { DAY_MS, dayOf, formatDate, HOUR_MS, RETENTION_MS } from "../../domain/time.ts";
import type { DemoRow, Values } from "./rows.ts";

export const LARGE = { appToken: "demoapp00003", name: "Atlas Travel" } as const;
const DAYS = 90;
const DAYS_IN_LEDGER = RETENTION_MS / DAY_MS;
const LINKS = 5_000;
const CAMPAIGNS = 8;
const ADGROUPS = 5;
/** Links with engagements, of which two thirds have some on a day. */
const ACTIVE_LINKS = 600;
/** After the partners and links of the default demo. */
const [FIRST_PARTNER, FIRST_LINK] = [6, 1_000];

/** Names of partners. A long one without a place to break, and letters from right to left, are hard for a page. */
const PARTNERS = [
  ...[
    "Northwind Ads",
    "Überregional Medien GmbH & Co. KG",
    "شبكة الخليج للإعلان",
    "רשת הפרסום הגדולה",
    "旅行アドネットワーク",
  ],
  ...["Blueshift Performance", "Voyage Média", "Kairos DSP", "Pulse Rewarded Video", "Meridian Search"],
  "Internationalewerbevermarktungsgesellschaftfuermobileanwendungen",
  ...["Tern & Co.", "Skylark Social", "Halcyon Native", "Quarry Exchange", "Ember Mobile", "Łódź Media 🚀"],
  ...[
    "Cobalt Video",
    "Pinecone Ads",
    "Aurora CTV",
    "Drift Affiliates",
    "Harbor Push",
    "Saffron Audio",
    "Zephyr OEM",
  ],
];
const WITHOUT_PARTNER = ["Newsletter and loyalty program", "Airport posters (QR)"];
const CAMPAIGN_NAMES = [
  ...[
    "Winter sun",
    "City breaks",
    "Last minute",
    "Familienurlaub am Mittelmeer 2026/27",
    "حملة الصيف للرحلات",
  ],
  ...[
    "חופשה אחרונה לפני החגים",
    "冬の温泉旅行キャンペーン",
    "Islands 🏝 and beaches 🌊",
    "Retargeting: abandoned searches, all markets",
  ],
  ...["Brand", "Flights_DE_AT_CH_prospecting_value_optimized_2026Q4", "Hotels", "Ski", "Weekend"],
];
const ADGROUP_NAMES = [
  "iOS",
  "Android",
  "Lookalike 1%",
  "Frequent flyers, 30 days",
  "Exact match",
  "東京",
  "الرياض",
];
const CREATIVE_NAMES = [
  ...["Video 15s", "Video 30s", "Carousel", "Banner 320×50", "Playable", "Story", "Native headline B"],
  "Interstitial_portrait_1080x1920_summer_v12_final_approved",
];

/** What the partners pay for, in their currencies: the average amount of each type, and how often a link has it on a day. */
const TYPES: [costType: CostType, kind: Kind, amount: number, share: number][] = [
  ["cpc", "click", 0.55, 1],
  ["cpm", "impression", 6.5, 0.7],
  ["cpi", "click", 3.2, 0.5],
  ["cpe", "click", 9, 0.2],
];
const UNPRICED_SHARE = 0.083;
/** The units of an amount in one of its currency. */
const UNITS = 100_000;
/** How much of a currency is a US dollar. */
const CURRENCIES = { USD: 1, EUR: 0.9, JPY: 150 };
type Currency = keyof typeof CURRENCIES;

/** A generator of numbers from 0 to 1 that gives the same ones each time (Park and Miller). */
function createRandom(): () => number {
  let state = 20_261;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

interface Partner {
  id: number;
  currency: Currency;
  /** Whether it sends costs. */
  isIntegrated: boolean;
  isStopped: boolean;
}

interface Link {
  id: number;
  level: number;
  partner: Partner | undefined;
}

/** The rows of the app, for the two users of the default demo. `now` in milliseconds since 1970. */
export function largeRows(now: number): DemoRow[] {
  const created_at = now - 200 * DAY_MS;
  const partners = PARTNERS.map((_, index): Partner => {
    const isIntegrated = index % 8 !== 7;
    const currency = index % 3 === 1 ? "EUR" : index % 6 === 2 ? "JPY" : "USD";
    return { id: FIRST_PARTNER + index, currency, isIntegrated, isStopped: index === 3 };
  });
  const { links, rows: linkRows } = createLinks(partners, created_at);
  return [
    {
      table: "apps",
      values: {
        token: LARGE.appToken,
        name: LARGE.name,
        default_url: "https://example.com/travel",
        redirect_hosts: JSON.stringify(["example.com"]),
        redirect_schemes: JSON.stringify(["https", "atlastravel"]),
        created_at,
      },
    },
    ...[1, 2].map((user_id) => ({ table: "memberships", values: { user_id, app_token: LARGE.appToken } })),
    ...partners.map((partner) => partnerRow(partner, now, created_at)),
    ...linkRows,
    ...withVoids(createActivity(links, now), now),
    ...partners.flatMap((partner) => pendingCosts(partner, now)),
    ...links.flatMap((link) => adjustments(link, now)),
    ...rounds(partners, now),
  ];
}

function partnerRow(
  { id, currency, isIntegrated, isStopped }: Partner,
  now: number,
  created_at: number,
): DemoRow {
  return {
    table: "partners",
    values: {
      id,
      display_name: PARTNERS[id - FIRST_PARTNER] ?? "",
      supports_cost_data: Number(isIntegrated),
      integrated_types: isIntegrated ? toMask(TYPES.map(([costType]) => costType)) : 0,
      server_to_server: Number(id % 5 === 0),
      click_parameters: "campaign={campaign}&adgroup={adgroup}&creative={creative}",
      impression_parameters: "campaign={campaign}&adgroup={adgroup}&creative={creative}",
      cost_parameters: `cost_id={click_id}&cost_type={model}&cost_amount={price}&cost_currency=${currency}`,
      max_url_amount: DEFAULT_MAX_URL_AMOUNT,
      stopped_at: isStopped ? now - 4 * DAY_MS : null,
      created_at,
    },
  };
}

/** Four levels of links: a network for each partner and two without one, and the same names below each. */
function createLinks(partners: Partner[], created_at: number): { links: Link[]; rows: DemoRow[] } {
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
      },
    });
    return link;
  };
  const pick = (names: string[], index: number) => names[index % names.length] ?? "";
  const numbered = (names: string[], index: number) =>
    pick(names, index) + (index < names.length ? "" : ` ${Math.floor(index / names.length) + 1}`);
  const networks = [...PARTNERS, ...WITHOUT_PARTNER].map((name, index) =>
    add(name, undefined, partners[index]),
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

/** Clicks, impressions and costs of the links that are active on each day. */
function createActivity(links: Link[], now: number): DemoRow[] {
  const random = createRandom();
  const entries: DemoRow[] = [];
  const totals: DemoRow[] = [];
  const counts: DemoRow[] = [];
  let number = 0;
  const creatives = links.filter(({ level }) => level === 4);
  const step = Math.floor(creatives.length / ACTIVE_LINKS);
  // All networks, and creatives of all campaigns. Few links have most of the clicks.
  const active = [
    ...links.filter(({ level }) => level === 1).map((link) => ({ link, weight: 12 })),
    ...Array.from({ length: ACTIVE_LINKS }, (_, index) => ({
      link: creatives[index * step] as Link,
      weight: 1.5 + 30 / (1 + (index % 97)),
    })),
  ];
  for (let daysAgo = DAYS - 1; daysAgo >= 0; daysAgo--) {
    const day = dayOf(now) - daysAgo;
    const length = Math.min(now - day * DAY_MS, DAY_MS);
    const season = 1 + 0.3 * Math.sin((day % 7) * 0.9) + (DAYS - daysAgo) / 200;
    for (const { link, weight } of active) {
      if (link.level === 4 && random() > 0.64) continue;
      const scale = weight * season * (length / DAY_MS);
      const place = { app_token: LARGE.appToken, day, link_id: link.id, partner_id: link.partner?.id ?? 0 };
      const recorded = { click: 0, impression: 0 };
      const { partner } = link;
      const currency = partner?.currency ?? "USD";
      const sendsCosts = partner?.isIntegrated && !(partner.isStopped && daysAgo < 4);
      for (const [cost_type, kind, average, share] of sendsCosts ? TYPES : []) {
        if (random() > share) continue;
        const isUnpriced = cost_type === "cpc" && random() < UNPRICED_SHARE;
        const sent = Math.max(1, Math.round(scale * share * (0.4 + random())));
        // Some have no cost.
        recorded[kind] += sent + Math.round(sent * 0.2 * random());
        const digits = currency === "JPY" ? 1 : 100;
        const amounts = Array.from({ length: sent }, () => {
          const price = average * CURRENCIES[currency] * (0.6 + 0.8 * random());
          return Math.max(1, Math.round(price * digits)) * (UNITS / digits);
        });
        if (daysAgo >= DAYS_IN_LEDGER) {
          const states = isUnpriced ? { matched: sent - 1, unpriced: 1 } : { matched: sent };
          for (const [state, count] of Object.entries(states)) {
            if (count === 0) continue;
            const amount = state === "matched" ? sumOf(amounts.slice(0, count)) : 0;
            totals.push({
              table: "daily_totals",
              values: { ...place, cost_type, currency, state, count, amount },
            });
          }
          continue;
        }
        for (const [index, amount] of amounts.entries()) {
          const at = day * DAY_MS + Math.floor(random() * length);
          entries.push({
            table: "ledger_entries",
            values: {
              ...engagement(kind, place, `atlas-${String(number++).padStart(9, "0")}`, at),
              cost_type,
              currency,
              amount: isUnpriced && index === 0 ? null : amount,
              tag: "demo",
              received_at: Math.min(at + Math.floor(random() * 6 * HOUR_MS), now),
            },
          });
        }
      }
      const clicks = Math.max(recorded.click, Math.round(scale * (1 + random() / 3)));
      const views = recorded.impression + Math.round(scale * 12 * random());
      for (const [kind, count] of Object.entries({ click: clicks, impression: views })) {
        if (count === 0) continue;
        counts.push({
          table: "daily_engagements",
          values: { ...place, kind, count, recorded: recorded[kind as Kind] },
        });
      }
    }
  }
  // Rows with the same columns follow each other, so that they are inserted together.
  const isView = ({ values }: DemoRow) => Number("impression_at" in values);
  return [...counts, ...totals, ...entries.sort((one, other) => isView(one) - isView(other))];
}

const sumOf = (amounts: number[]) => amounts.reduce((sum, amount) => sum + amount, 0);

function engagement(kind: Kind, place: Values, cost_id: string, at: number): Values {
  return {
    partner_id: place.partner_id ?? null,
    cost_id,
    [`${kind}_app_token`]: LARGE.appToken,
    [`${kind}_link_id`]: place.link_id ?? null,
    [`${kind}_at`]: at,
    [`${kind}_cost_data_on`]: 1,
  };
}

/** The rows with a few of the costs voided by an operator. */
function withVoids(rows: DemoRow[], now: number): DemoRow[] {
  let number = 0;
  const audits: DemoRow[] = [];
  const changed = rows.map((row): DemoRow => {
    const { partner_id, cost_id, cost_type, currency, amount } = row.values;
    if (row.table !== "ledger_entries" || amount == null || ++number % 1_000 !== 0) return row;
    const detail = { cost_id, cost_type, currency, amount: formatAmount(amount), reason: "Invalid traffic" };
    audits.push(audit(now - DAY_MS, "void cost", `partner ${partner_id}`, detail));
    return { table: row.table, values: { ...row.values, void_state: "voided" } };
  });
  return [...changed, ...audits];
}

function audit(happened_at: number, action: AuditAction, subject: string, detail: object): DemoRow {
  const values = { happened_at, user_id: 2, action, subject, detail: JSON.stringify(detail) };
  return { table: "audit_log", values };
}

/** Costs that wait for their click, some of them in vain. */
function pendingCosts({ id, currency, isIntegrated, isStopped }: Partner, now: number): DemoRow[] {
  if (!isIntegrated || isStopped) return [];
  return Array.from({ length: 8 }, (_, index) => ({
    table: "ledger_entries",
    values: {
      partner_id: id,
      cost_id: `atlas-pending-${id}-${index}`,
      cost_type: "cpc",
      currency,
      amount: CURRENCIES[currency] * UNITS,
      tag: "demo",
      received_at: now - index * 30 * HOUR_MS - HOUR_MS,
    },
  }));
}

/** A credit of some networks for a day of the last month. */
function adjustments({ id, level, partner }: Link, now: number): DemoRow[] {
  if (level > 1 || !partner?.isIntegrated || partner.id % 2 === 0) return [];
  const day = dayOf(now) - 10 - (id % 20);
  const { currency } = partner;
  const amount = -25 * CURRENCIES[currency];
  const place = { app_token: LARGE.appToken, partner_id: partner.id, cost_type: "cpc", currency };
  const reason = "Credit note for invalid clicks";
  const adjustment = { ...place, amount: amount * UNITS * 1_000, reason };
  const detail = { ...place, day: formatDate(day), amount: formatMoney(BigInt(adjustment.amount)), reason };
  return [
    {
      table: "adjustments",
      values: { ...adjustment, id, day, link_id: id, user_id: 2, created_at: now - DAY_MS },
    },
    audit(now - DAY_MS, "create adjustment", `adjustment ${id}`, detail),
  ];
}

/** Open rounds of the partners that are not integrated. */
function rounds(partners: Partner[], now: number): DemoRow[] {
  const open = partners.filter(({ isIntegrated }) => !isIntegrated);
  return open.map(({ id: partner_id }, index) => ({
    table: "rounds",
    values: {
      partner_id,
      cost_types: toMask(["cpc", "cpi"]),
      state: "open",
      opened_at: now - (index + 2) * DAY_MS,
    },
  }));
}
