/** The rules of alerts: what each looks at, and from which figures on it finds something. No I/O, no clock. */
import type { CostType } from "../cost-types.ts";
import { MIN_EXPECTED } from "../figures/rates.ts";
import { formatMoney } from "../money.ts";
import { DAY_MS, dayOf, formatDate, HOUR_MS, toIso } from "../time.ts";
import type { RuleKind } from "./kinds.ts";

/** The thresholds of each kind. A rule with a partner is in the place of one without, for this partner. */
export interface Settings {
  partner_silent: { hours: number; partner_id?: number | undefined };
  costs_rejected: { count: number; percent: number; partner_id?: number | undefined };
  /** The amount is in units of 0.00001. Operators name an app, or a partner in all apps, or both. */
  spend_above: {
    amount: number;
    currency: string;
    period: "day" | "month";
    partner_id?: number | undefined;
    /** Only in rules of operators. */
    of_app_token?: string | undefined;
    link_token?: string | undefined;
  };
  discrepancy: { percent: number; partner_id?: number | undefined };
  purge_late: { hours: number };
  database_large: { gigabytes: number };
  url_prices_limited: object;
  sub_links_full: object;
}

export type Rule = {
  [K in RuleKind]: { id: number; appToken: string | null; kind: K; settings: Settings[K] };
}[RuleKind];

type OfPartner = { partnerId: number; partner: string };

/** What the rules of an app, or of operators, look at. */
export interface Figures {
  /** Times are hours since 1970. */
  activity: (OfPartner & {
    newAccepted: number;
    newRejected: number;
    /** In which the new ones came; 0 if that is not known yet. */
    hours: number;
    lastCostAt: number | null;
    waitingSince: number | null;
    hour: number;
  })[];
  /** By `spendKey`, in units of 0.00000001. */
  spend: Map<string, bigint>;
  nameOf: (what: "partner" | "app" | "link", id: string | number) => string | null;
  /** Engagements that should have a cost of the type, and those whose cost agrees. Null where there is no discrepancy. */
  rates: (OfPartner & { costType: CostType; expected: number | null; agreeing: number | null })[];
  /** In milliseconds since 1970; null before the first one. */
  purges: { database: string; purgedAt: number | null }[];
  sizes: { database: string; bytes: number }[];
  heldPrices: (OfPartner & { count: number })[];
  fullOfSubLinks: { appToken: string; app: string; linkToken: string | null; link: string | null }[];
}

/** What a rule found. `data` is what its event has, by the names of the API. */
export interface Finding {
  /** What it is about: a rule has at most one open alert for it. */
  subject: string;
  data: Record<string, string | number | null>;
}

const GIGABYTE = 1_000_000_000;
const PERCENT = 100;

type Judge<K extends RuleKind> = (settings: Settings[K], figures: Figures, now: number) => Finding[];

const about = ({ partnerId, partner }: OfPartner, data: Finding["data"], more = ""): Finding => ({
  subject: `partner ${partnerId}${more}`,
  data: { partner_id: partnerId, partner, ...data },
});
const atHour = (hour: number) => toIso(hour * HOUR_MS);

const JUDGES: { [K in RuleKind]: Judge<K> } = {
  partner_silent: ({ hours }, { activity }) =>
    activity.flatMap(({ hour, waitingSince, lastCostAt, ...partner }) =>
      waitingSince !== null && hour - waitingSince >= hours
        ? about(partner, {
            last_cost_at: lastCostAt === null ? null : atHour(lastCostAt),
            waiting_since: atHour(waitingSince),
          })
        : [],
    ),
  costs_rejected: ({ count, percent }, { activity }) =>
    activity.flatMap(({ newAccepted, newRejected, hours, ...partner }) => {
      const all = newAccepted + newRejected;
      const isOver = newRejected > count * hours && newRejected * PERCENT > percent * all;
      return hours > 0 && isOver ? about(partner, { rejected: newRejected, costs: all, hours }) : [];
    }),
  // The spend of the rule itself is looked up by `findAll`.
  spend_above: () => [],
  discrepancy: ({ percent }, { rates }) =>
    rates.flatMap(({ expected, agreeing, costType, ...partner }) => {
      const missing = (expected ?? 0) - (agreeing ?? 0);
      return expected !== null && expected >= MIN_EXPECTED && missing * PERCENT >= percent * expected
        ? about(partner, { cost_type: costType, discrepancy: missing / expected }, ` ${costType}`)
        : [];
    }),
  purge_late: ({ hours }, { purges }, now) =>
    purges.flatMap(({ database, purgedAt }) =>
      purgedAt !== null && now - purgedAt > hours * HOUR_MS
        ? { subject: `database ${database}`, data: { database, purged_at: toIso(purgedAt) } }
        : [],
    ),
  database_large: ({ gigabytes }, { sizes }) =>
    sizes.flatMap(({ database, bytes }) =>
      bytes > gigabytes * GIGABYTE ? { subject: `database ${database}`, data: { database, bytes } } : [],
    ),
  url_prices_limited: (_, { heldPrices }) =>
    heldPrices.map(({ count, ...partner }) => about(partner, { held_prices: count })),
  sub_links_full: (_, { fullOfSubLinks }) =>
    fullOfSubLinks.map(({ appToken, app, linkToken, link }) => ({
      subject: linkToken === null ? `app ${appToken}` : `link ${linkToken}`,
      data: { app_token: appToken, app, link_token: linkToken, link },
    })),
};

interface SpendPeriod {
  /** `2026-03-14`, or `2026-03`. */
  name: string;
  from: number;
  to: number;
}

function periodUntil(period: "day" | "month", at: number): SpendPeriod {
  const name = formatDate(dayOf(at)).slice(0, period === "day" ? 10 : 7);
  return { name, from: dayOf(Date.parse(period === "day" ? name : `${name}-01`)), to: dayOf(at) };
}

/** The periods that a rule looks at: the present one, and for a day after its end the one before, because costs arrive late. */
export function spendPeriods(period: "day" | "month", now: number): SpendPeriod[] {
  const [present, before] = [periodUntil(period, now), periodUntil(period, now - DAY_MS)];
  return present.name === before.name ? [present] : [present, before];
}

export const spendKey = (ruleId: number, { name }: Pick<SpendPeriod, "name">) => `${ruleId} ${name}`;

/** Whether a rule still looks at the subject of an alert. */
export const looksAt = ({ kind, settings }: Rule, subject: string, now: number): boolean =>
  kind !== "spend_above" || spendPeriods(settings.period, now).some(({ name }) => name === subject);

function findSpend(
  { id, settings }: Extract<Rule, { kind: "spend_above" }>,
  { spend, nameOf }: Figures,
  now: number,
): Finding[] {
  const { amount, currency, period, partner_id = null, of_app_token = null, link_token = null } = settings;
  const limit = BigInt(amount) * 1_000n;
  return spendPeriods(period, now).flatMap((one) => {
    const found = spend.get(spendKey(id, one)) ?? 0n;
    if (found <= limit) return [];
    const data = {
      ...{ spend: formatMoney(found), limit: formatMoney(limit), currency, period, [period]: one.name },
      ...{ partner_id, partner: partner_id === null ? null : nameOf("partner", partner_id) },
      ...{ app_token: of_app_token, app: of_app_token === null ? null : nameOf("app", of_app_token) },
      ...{ link_token, link: link_token === null ? null : nameOf("link", link_token) },
    };
    return { subject: one.name, data };
  });
}

/** What each of these rules finds, all of which have the same app. */
export function findAll(rules: Rule[], figures: Figures, now: number): { rule: Rule; findings: Finding[] }[] {
  const partnerOf = ({ settings }: Rule) => ("partner_id" in settings ? settings.partner_id : undefined);
  return rules.map((rule) => {
    if (rule.kind === "spend_above") return { rule, findings: findSpend(rule, figures, now) };
    const judge = JUDGES[rule.kind] as Judge<RuleKind>;
    const own = partnerOf(rule);
    const others = rules.filter((other) => other.kind === rule.kind && other !== rule);
    const isOwn = ({ data }: Finding) =>
      own === undefined
        ? !others.some((other) => partnerOf(other) !== undefined && partnerOf(other) === data.partner_id)
        : data.partner_id === own;
    return { rule, findings: judge(rule.settings as never, figures, now).filter(isOwn) };
  });
}
