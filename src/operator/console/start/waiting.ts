/** What waits for an operator, as data: the most urgent first, then what has spend, then the oldest. */
import type { Start, StartPartner } from "../../../db/operator/start.ts";
import type { StoredRate } from "../../../db/operator/stored-rates.ts";
import { LARGE_DATABASE_BYTES, MAX_DATABASE_BYTES } from "../../../db/upkeep/sizes.ts";
import { type AlertKind, WEBHOOK_FAILING } from "../../../domain/alerts/kinds.ts";
import { COST_TYPE, type Kind, toTypes } from "../../../domain/cost-types.ts";
import { DISCREPANCY_THRESHOLD, toCoverage, toRates } from "../../../domain/figures/rates.ts";
import { judgeTemplates } from "../../../domain/templates.ts";
import { DAY_MS, HOUR_MS, PURGE_OVERDUE_MS } from "../../../domain/time.ts";
import { KIND_NAMES, sentenceOf } from "../../../pages/alerts/sentences.ts";
import type { Tone } from "../../../pages/elements.ts";
import { describeTime, showBytes, showList, showPercent, showPlural } from "../../../pages/locale.ts";
import { toTemplates } from "../../api/partners.ts";
import { hasCostId, type Step } from "../partners/next-step.ts";
import { FEW, list, otherAppItems, urlPriceItems } from "./urls.ts";

export interface Item extends Step {
  tone: Tone;
  /** What it is about. */
  name: string;
  what: string;
  /** Milliseconds since 1970; null if that is not known. */
  since: number | null;
  /** The partners that it is about. */
  partnerIds?: number[];
  /** Whether `name` says how many it is about, so that both are one sentence. */
  isGroup?: true;
  /** Several items of a kind become one. */
  kind?: { what: string; nouns: [one: string, many: string]; href: string };
}

/** So many wrong passwords in an hour are not a typing error. */
const MANY_FAILURES = 10;

const ORDER: Tone[] = ["error", "warn", "", "ok"];

export function listWaiting(
  start: Start,
  { now, hasSingleSignOn }: { now: number; hasSingleSignOn: boolean },
  hasSpend: (partnerId: number) => boolean,
): Item[] {
  const items = [
    ...serviceItems(start, now),
    ...alertItems(start),
    ...start.partners.flatMap((partner) => partnerItems(start, partner)),
    ...userItems(start, now),
    ...(hasSingleSignOn ? [] : lockedOutItems(start)),
  ];
  const rank = ({ tone, partnerIds = [] }: Item) =>
    2 * ORDER.indexOf(tone) + (partnerIds.some(hasSpend) ? 0 : 1);
  return group(items).sort(
    (one, other) => rank(one) - rank(other) || (one.since ?? now) - (other.since ?? now),
  );
}

/** One item in the place of many of a kind, since the oldest of them. */
function group(items: Item[]): Item[] {
  return [...Map.groupBy(items, (item) => item.kind?.what ?? item)].flatMap(([, same]) => {
    const [first] = same;
    if (!first?.kind || same.length <= FEW) return same;
    const { what, nouns, href } = first.kind;
    const times = same.flatMap(({ since }) => since ?? []);
    const named = [...same.slice(0, FEW).map(({ name }) => name), `${same.length - FEW} more`];
    const name = showPlural(same.length, ...nouns);
    const partnerIds = same.flatMap((item) => item.partnerIds ?? []);
    const since = times.length > 0 ? Math.min(...times) : null;
    return [
      {
        ...first,
        name,
        what: `${what}: ${showList(named)}`,
        since,
        partnerIds,
        text: "Show all",
        href,
        isGroup: true,
      },
    ];
  });
}

function serviceItems({ archiveFailingSince, purgedAt, sizes }: Start, now: number): Item[] {
  const items = sizes
    .filter(({ bytes }) => bytes >= LARGE_DATABASE_BYTES)
    .map(
      ({ name, bytes }): Item => ({
        tone: "warn",
        name,
        what: `the database has ${showBytes(bytes)} of ${showBytes(MAX_DATABASE_BYTES)}`,
        since: null,
        text: "Read what to do",
        href: "/docs/watch#how-full-a-database-is",
        kind: {
          what: `have ${showBytes(LARGE_DATABASE_BYTES)} or more`,
          nouns: ["database", "databases"],
          href: "/readyz",
        },
      }),
    );
  if (archiveFailingSince !== null)
    items.push({
      tone: "error",
      name: "Archive",
      what: "the bucket rejects objects, so nothing is purged",
      since: archiveFailingSince,
      text: "Read what to do",
      href: "/docs/archive",
    });
  if (purgedAt !== null && now - purgedAt > PURGE_OVERDUE_MS)
    items.push({
      tone: "warn",
      name: "Hourly job",
      what: "it hasn't run for more than three hours",
      since: purgedAt,
      text: "Read what to do",
      href: "/docs/watch#what-to-poll",
    });
  return items;
}

/** Alerts about what no other item is about. */
const ALERTS: AlertKind[] = [
  "partner_silent",
  "costs_rejected",
  "spend_above",
  "sub_links_full",
  WEBHOOK_FAILING,
];

const alertItems = ({ openAlerts }: Start): Item[] =>
  openAlerts
    .filter(({ kind }) => ALERTS.includes(kind))
    .map((alert) => {
      const { partner_id } = JSON.parse(alert.data) as { partner_id?: number | null };
      return {
        ...{ tone: "warn", name: KIND_NAMES[alert.kind], what: sentenceOf(alert), since: alert.openedAt },
        ...(partner_id && { partnerIds: [partner_id] }),
        ...{ text: "Show alerts", href: "/operator/alerts" },
        kind: {
          what: `alerts: ${KIND_NAMES[alert.kind].toLowerCase()}`,
          nouns: ["open alert", "open alerts"],
          href: "/operator/alerts",
        },
      };
    });

function partnerItems(start: Start, partner: StartPartner): Item[] {
  if (partner.stoppedAt !== null) return [];
  const { id, displayName: name, integratedTypes } = partner;
  const path = `/operator/partners/${id}`;
  const own = start.openRounds.filter(({ partnerId }) => partnerId === id);
  const about = { name, partnerIds: [id] };
  const items = own.map(({ id: round, entryCount, openedAt, costTypes }): Item => {
    const what = `round ${round} for ${showList(toTypes(costTypes))} has ${entryCount === 0 ? "no submissions yet" : showPlural(entryCount, "submission")}`;
    return entryCount > 0
      ? {
          ...about,
          ...{ tone: "warn", what, since: openedAt, text: "Review", href: `/operator/rounds/${round}` },
          kind: list("have a round to review", "?state=round"),
        }
      : {
          ...about,
          ...{ tone: "", what, since: openedAt, text: "Hand over", href: `${path}/setup#step-4` },
          kind: list("have a round without submissions", "?state=round"),
        };
  });
  const held = start.held.filter(({ partnerId }) => partnerId === id);
  if (held.length > 0) {
    const count = held.reduce((sum, part) => sum + part.count, 0);
    items.push({
      ...about,
      ...{ tone: "warn", what: `${showPlural(count, "held price", "held prices")} on URLs` },
      since: DAY_MS * Math.min(...held.map(({ since }) => since)),
      ...{ text: "Accept or drop", href: `${path}/url-prices` },
      kind: list("have held prices on URLs"),
    });
  }
  items.push(
    ...urlPriceItems(start, partner).map((item) => ({ ...about, tone: "warn" as const, ...item })),
    ...otherAppItems(start, partner).map((item) => ({ ...about, tone: "warn" as const, ...item })),
  );
  const [problem] = judgeTemplates(toTemplates(partner));
  if (problem)
    items.push({
      ...about,
      ...{ tone: "warn", what: `its ${problem.param} ${problem.message}`, since: null },
      ...{ text: "Edit templates", href: `${path}#templates` },
      kind: list("have templates that lose values"),
    });
  if (integratedTypes === 0) {
    if (own.length > 0) return items;
    const what = "not set up yet";
    const kind = list("are not set up yet", "?state=none");
    return [
      {
        ...about,
        tone: "",
        what,
        since: partner.createdAt,
        text: "Continue setup",
        href: `${path}/setup`,
        kind,
      },
    ];
  }
  const since = start.approvedAt.get(id) ?? null;
  const kind = list("have no live credential", "?state=integrated");
  if (!start.live.has(id))
    items.push({
      ...about,
      ...{ tone: "warn", what: "no live credential", since, kind },
      ...{ text: "Issue a live credential", href: `${path}#credentials` },
    });
  if (!hasCostId(partner) && !problem)
    items.push({
      ...about,
      ...{ tone: "warn", what: "no cost_id in its cost parameters", since },
      ...{ text: "Edit templates", href: `${path}#templates` },
      kind: list("have no cost_id in their cost parameters", "?state=integrated"),
    });
  const over = start.rates.filter((rate) => rate.partnerId === id && isOver(rate));
  if (over.length > 0) {
    const rates = over.map((rate) => `${rate.costType} ${showPercent(discrepancyOf(rate) ?? 0)}`);
    items.push({
      ...about,
      ...{
        tone: "warn",
        what: `discrepancy of ${showList(rates)}`,
        text: "Show rates",
        href: `${path}#rates`,
      },
      since: Math.min(...over.map(({ computedAt }) => computedAt)),
      kind: list(`are over ${showPercent(DISCREPANCY_THRESHOLD)} discrepancy`),
    });
  }
  return items;
}

const isOver = (rate: StoredRate) => (discrepancyOf(rate) ?? 0) >= DISCREPANCY_THRESHOLD;

export const discrepancyOf = ({ expected, agreeing, ...rate }: StoredRate) =>
  toRates({ ...rate, discrepancy: expected === null || agreeing === null ? null : { expected, agreeing } })
    .discrepancyRate;

/** Of a partner's stored rates. Each cost type has the number of all recorded engagements of its kind. */
export function coverageOf(stored: StoredRate[]) {
  const of = (kind: Kind) => stored.filter(({ costType }) => COST_TYPE[costType].fits[0] === kind);
  const matched = (kind: Kind) => of(kind).reduce((sum, rate) => sum + rate.matched, 0);
  const recorded = (kind: Kind) => of(kind)[0]?.recorded ?? null;
  return toCoverage({
    matched: { click: matched("click"), impression: matched("impression") },
    recorded: { click: recorded("click"), impression: recorded("impression") },
  });
}

/** Users who have no password and no other way in. */
const lockedOutItems = ({ users }: Start): Item[] =>
  users
    .filter(({ hasPassword }) => !hasPassword)
    .map(({ id, email, createdAt }) => ({
      ...{ tone: "warn", name: email, what: "can't sign in: single sign-on isn't set up", since: createdAt },
      ...{ text: "Open user", href: `/operator/users/${id}#sign-in` },
      kind: {
        what: "can't sign in: single sign-on isn't set up",
        nouns: ["user", "users"],
        href: "/operator/users?sign_in=sso",
      },
    }));

function userItems({ users, failures }: Start, now: number): Item[] {
  const passwords = users.flatMap(({ id, email, createdAt, passwordExpiresAt }): Item[] => {
    if (passwordExpiresAt === null) return [];
    const isExpired = passwordExpiresAt <= now;
    return [
      {
        tone: isExpired ? "warn" : "",
        name: email,
        what: `temporary password ${isExpired ? "expired" : "expires"} ${describeTime(passwordExpiresAt)}`,
        since: createdAt,
        text: "Open user",
        href: `/operator/users/${id}`,
      },
    ];
  });
  const guessed = failures
    .filter(({ count }) => count >= MANY_FAILURES)
    .map(
      ({ userId, email, hour, count }): Item => ({
        tone: "warn",
        name: email,
        what: `${showPlural(count, "wrong password or code", "wrong passwords and codes")} in an hour`,
        since: hour * HOUR_MS,
        text: "Show activity",
        href: `/operator/audit?object=user%20${userId}`,
      }),
    );
  const without = users.filter(({ role, hasApp }) => role === "member" && !hasApp);
  const members = without.map(
    ({ id, email, createdAt }): Item => ({
      ...{ tone: "", name: email, what: "no app yet", since: createdAt },
      ...{ text: "Add to an app", href: `/operator/users/${id}#apps` },
      kind: { what: "have no app yet", nouns: ["member", "members"], href: "/operator/users?role=member" },
    }),
  );
  return [...passwords, ...guessed, ...members];
}
