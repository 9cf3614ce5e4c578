/** What waits for an operator, as data: the most urgent first, then what has spend, then the oldest. */
import type { Start } from "../../../db/operator/start.ts";
import { LARGE_DATABASE_BYTES, MAX_DATABASE_BYTES } from "../../../db/upkeep/sizes.ts";
import { type AlertKind, WEBHOOK_FAILING } from "../../../domain/alerts/kinds.ts";
import { HOUR_MS, PURGE_OVERDUE_MS } from "../../../domain/time.ts";
import { KIND_NAMES, sentenceOf } from "../../../pages/alerts/sentences.ts";
import { describeTime, showBytes, showList, showPlural } from "../../../pages/locale.ts";
import { byUrgency, FEW, type Item, partnerSteps } from "../partners/steps.ts";

/** So many wrong passwords in an hour are not a typing error. */
const MANY_FAILURES = 10;

export function listWaiting(
  start: Start,
  { now, hasSingleSignOn }: { now: number; hasSingleSignOn: boolean },
  /** The place of a partner by its spend, Infinity without any. */
  placeOf: (partnerId: number) => number,
): Item[] {
  const items = [
    ...serviceItems(start, now),
    ...alertItems(start),
    ...start.partners.flatMap((partner) => partnerSteps(partner).filter(({ isOptional }) => !isOptional)),
    ...userItems(start, now),
    ...(hasSingleSignOn ? [] : lockedOutItems(start)),
  ];
  const place = ({ partnerIds = [] }: Item) => Math.min(...partnerIds.map(placeOf));
  // Infinity minus itself is no number.
  const byPlace = (one: Item, other: Item) => (place(one) === place(other) ? 0 : place(one) - place(other));
  const byAge = (one: Item, other: Item) => (one.since ?? now) - (other.since ?? now);
  return group(items.sort(byPlace)).sort(
    (one, other) => byUrgency(one, other) || byPlace(one, other) || byAge(one, other),
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
