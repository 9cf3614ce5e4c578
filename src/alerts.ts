/**
 * The alerts of the cron: reads what the rules look at, opens and closes alerts, and adds their events, so that a repetition at any
 * point changes nothing twice. The rules of operators come first, then those of apps, many apps at a time.
 */

import {
  addCounts,
  type CountRow,
  countsOf,
  expectedAnywhere,
  expectedInApps,
  type OfApp,
  type Scope,
  storeActivity,
  storedActivity,
} from "./db/alerts/activity.ts";
import { type AlertRow, type Closed, changeAlerts, type Opened, openAlerts } from "./db/alerts/alerts.ts";
import { ratesOfApps } from "./db/alerts/app-rates.ts";
import { allApps, allPartners, type PartnerRow, readFigures } from "./db/alerts/figures.ts";
import { rulesOfApps, scopes, toRule } from "./db/alerts/rules.ts";
import { addSpend, prepareSpend, type SpendOf } from "./db/alerts/spend.ts";
import { databasesOf, type Ledger, runGated } from "./db/ledger/shards.ts";
import { runBatch } from "./db/statement.ts";
import { lastPurge } from "./db/upkeep/health.ts";
import { toBody } from "./db/webhooks/outbox.ts";
import { nextActivity, withoutWaiting } from "./domain/alerts/activity.ts";
import { type AlertKind, WEBHOOK_FAILING } from "./domain/alerts/kinds.ts";
import {
  type Figures,
  type Finding,
  findAll,
  looksAt,
  type Rule,
  spendKey,
  spendPeriods,
} from "./domain/alerts/rules.ts";
import { COUNTED_DAYS, dayOf, hourOf, MAX_PAUSE_DAYS } from "./domain/time.ts";
import { logError } from "./log.ts";
import { describeAlert, describeEnd } from "./pages/alerts/sentences.ts";

/** How many apps are judged together, and how many of their rules about a link and those below it. */
const APPS = 100;
const RULES_WITH_LINK = 20;
/** The calls to D1 of a part, beside one to each database. */
const CALLS_OF_PART = 4;

const NO_FIGURES: Figures = {
  ...{ activity: [], spend: new Map(), rates: [], purges: [], sizes: [], heldPrices: [], fullOfSubLinks: [] },
  nameOf: () => null,
};

interface Known {
  /** Alerts of operators are sent by email. */
  hasEmail: boolean;
  /** Their names, by token. */
  apps: Map<string, string>;
  partners: Map<number, PartnerRow>;
}

/**
 * For the hourly cron. `hasEmail`: alerts of operators are sent by email too. `left` says how many calls to D1 can be made: the apps
 * that have no turn in this run are the first ones in the next.
 */
export async function judgeAlerts(
  ledger: Ledger,
  now: number,
  hasEmail: boolean,
  left = () => Number.POSITIVE_INFINITY,
): Promise<void> {
  const { control } = ledger;
  const [apps, partners, waiting] = await runBatch(
    control,
    allApps(control, {}),
    allPartners(control, {}),
    scopes(control, {}),
  );
  const known = {
    apps: new Map(apps.map(({ token, name }) => [token, name])),
    partners: new Map(partners.map((row) => [row.id, row])),
    hasEmail,
  };
  const failures: unknown[] = [];
  const judge = (appTokens: (string | null)[]) =>
    judgePart(ledger, appTokens, known, now).catch((error) => failures.push(error));
  await judge([null]);
  while (waiting.length > 0 && left() >= databasesOf(ledger).length + CALLS_OF_PART) {
    let links = 0;
    const end = waiting.findIndex(({ rulesWithLink }, index) => {
      links += rulesWithLink;
      return index === APPS || (index > 0 && links > RULES_WITH_LINK);
    });
    await judge(waiting.splice(0, end === -1 ? waiting.length : end).map(({ appToken }) => appToken));
  }
  // What cannot be judged does not keep the rest waiting.
  for (const failure of failures.slice(1)) logError("cron", failure);
  if (failures.length > 0) throw failures[0];
}

/** For the cron of each minute: the only rule that is about the hourly one. */
export async function judgePurge({ control }: Ledger, now: number, hasEmail: boolean): Promise<void> {
  const operators = { apps: "[null]" };
  const [rules, open, [last]] = await runBatch(
    control,
    rulesOfApps(control, operators),
    openAlerts(control, operators),
    lastPurge(control, {}),
  );
  const purges = [{ database: "DB", purgedAt: last?.purgedAt || null }];
  const changes = compare(
    rules.flatMap(toRule).filter(({ kind }) => kind === "purge_late"),
    { ...NO_FIGURES, purges },
    // The alerts of shards are left to the hourly run.
    open.filter(({ kind, subject }) => kind === "purge_late" && subject === "database DB"),
    { now, hasEmail },
  );
  const statements = changeAlerts(control, changes, now);
  if (statements.length > 0) await runBatch(control, ...statements);
}

/** Judges the rules of these apps, or of operators: `[null]`. */
async function judgePart(ledger: Ledger, apps: (string | null)[], known: Known, now: number): Promise<void> {
  const { control } = ledger;
  const values = { apps: JSON.stringify(apps) };
  const [ruleRows, open, stored, rates] = await runBatch(
    control,
    rulesOfApps(control, values),
    openAlerts(control, values),
    storedActivity(control, { apps: JSON.stringify(apps.map((app) => app ?? "")) }),
    ratesOfApps(control, values),
  );
  const rules = ruleRows.flatMap(toRule);
  const allTokens = [...known.apps.keys()];
  const { linkNames, sumsIn } = await prepareSpend(
    control,
    rules.flatMap((rule) => (rule.kind === "spend_above" ? [toSpendOf(rule, now)] : [])),
    allTokens,
  );
  const today = dayOf(now);
  const before = Map.groupBy(
    stored.filter(({ firstDay }) => firstDay >= today - MAX_PAUSE_DAYS),
    ({ appToken }) => appToken,
  );
  const counted = apps.flatMap((app) => scopesOf(app, allTokens, today, before.get(app ?? "")));
  const parts = await Promise.all(
    databasesOf(ledger).map(async (db) => {
      const counts = countsOf(db, counted);
      const rows = await runGated(ledger, db, [...counts, ...sumsIn(db)]);
      return {
        counts: rows.slice(0, counts.length) as CountRow[][],
        sums: rows.slice(counts.length).flat() as Parameters<typeof addSpend>[0],
      };
    }),
  );
  const counts = addCounts(parts.map((part) => part.counts));
  const run = { hour: hourOf(now), firstDay: today - COUNTED_DAYS };
  const next = apps.flatMap((app) => {
    const appToken = app ?? "";
    const activity = nextActivity(before.get(appToken) ?? [], counts.get(appToken) ?? [], run);
    return activity.map((row): OfApp => ({ ...row, appToken }));
  });
  const activity = Map.groupBy(
    await withoutUnexpected(control, next, known.partners),
    ({ appToken }) => appToken,
  );
  const nameOfPartner = (id: number) => known.partners.get(id)?.name ?? `Partner ${id}`;
  const nameOf: Figures["nameOf"] = (what, id) =>
    what === "partner"
      ? nameOfPartner(Number(id))
      : ((what === "app" ? known.apps : linkNames).get(String(id)) ?? null);
  const more = apps[0] === null ? await readFigures(ledger, nameOfPartner, now) : NO_FIGURES;
  const spend = addSpend(parts.flatMap(({ sums }) => sums));
  const rulesOf = Map.groupBy(rules, ({ appToken }) => appToken);
  const named = <Row extends { partnerId: number }>(rows: Row[] = []) =>
    rows.map((row) => ({ ...row, partner: nameOfPartner(row.partnerId) }));
  const ratesOf = Map.groupBy(rates, ({ appToken }) => appToken);
  const changes = apps.map((app) => {
    const ofApp = app === null ? {} : { rates: named(ratesOf.get(app)) };
    const figures = { ...more, ...ofApp, spend, nameOf, activity: named(activity.get(app ?? "")) };
    const openOf = open.filter(({ appToken }) => appToken === app);
    return compare(rulesOf.get(app) ?? [], figures, openOf, { now, hasEmail: known.hasEmail });
  });
  const all = {
    opened: changes.flatMap(({ opened }) => opened),
    closed: changes.flatMap(({ closed }) => closed),
  };
  await runBatch(
    control,
    ...changeAlerts(control, all, now),
    ...storeActivity(control, [...activity.values()].flat()),
  );
}

/** What is counted for an app; for operators, null, in all of them. */
function scopesOf(app: string | null, all: string[], today: number, before: OfApp[] = []): Scope[] {
  const first = today - COUNTED_DAYS;
  const since = Math.min(first, before[0]?.firstDay ?? first);
  return (app === null ? ["", ...all] : [app]).map((one) => ({ app: one, of: app ?? "", first, since }));
}

/** Nobody waits for the costs of a partner that sends none, or has no link whose cost data is on. */
async function withoutUnexpected(
  control: D1Database,
  rows: OfApp[],
  partners: Known["partners"],
): Promise<OfApp[]> {
  const pairs = rows
    .filter(({ partnerId, waitingSince }) => waitingSince !== null && sends(partners.get(partnerId)))
    .map(({ appToken, partnerId }) => ({ app: appToken, partner: partnerId }));
  const asked = rows[0]?.appToken === "" ? expectedAnywhere : expectedInApps;
  const [on] =
    pairs.length > 0 ? await runBatch(control, asked(control, { pairs: JSON.stringify(pairs) })) : [[]];
  const isOn = new Set(on.map(({ app, partner }) => `${app} ${partner}`));
  return rows.map((row) => ({
    ...withoutWaiting(row, isOn.has(`${row.appToken} ${row.partnerId}`)),
    appToken: row.appToken,
  }));
}

const sends = (partner: PartnerRow | undefined) =>
  partner?.supportsCostData === 1 && partner.stoppedAt === null;

function toSpendOf({ id, appToken, settings }: Extract<Rule, { kind: "spend_above" }>, now: number): SpendOf {
  return {
    periods: spendPeriods(settings.period, now).map((period) => ({ ...period, key: spendKey(id, period) })),
    app: appToken ?? settings.of_app_token ?? null,
    currency: settings.currency,
    partnerId: settings.partner_id ?? null,
    linkToken: settings.link_token ?? null,
  };
}

/** Which alerts to open and to close, of rules that all have the same app. */
function compare(
  rules: Rule[],
  figures: Figures,
  open: AlertRow[],
  { now, hasEmail }: { now: number; hasEmail: boolean },
) {
  const keyOf = (ruleId: number, subject: string) => `${ruleId} ${subject}`;
  const isOpen = new Set(open.map(({ ruleId, subject }) => keyOf(ruleId, subject)));
  const found = findAll(rules, figures, now).flatMap(({ rule, findings }) =>
    findings.map((finding) => ({ rule, finding })),
  );
  const isFound = new Set(found.map(({ rule, finding }) => keyOf(rule.id, finding.subject)));
  const ruleOf = new Map(rules.map((rule) => [rule.id, rule]));
  const opened = found
    .filter(({ rule, finding }) => !isOpen.has(keyOf(rule.id, finding.subject)))
    .map(({ rule: { id: ruleId, appToken, kind }, finding: { subject, data } }): Opened => {
      const about = { ruleId, appToken, kind, subject };
      const body = bodyOf("alert.opened", about, data, describeAlert(kind, data, "opened"), now);
      const emailDueAt = hasEmail && appToken === null ? now : null;
      return { ...about, data: JSON.stringify(data), emailDueAt, body };
    });
  const closed = open
    .filter(({ ruleId, subject, kind }) => kind !== WEBHOOK_FAILING && !isFound.has(keyOf(ruleId, subject)))
    .map(({ id, data: stored, ...about }): Closed => {
      const data: Finding["data"] = JSON.parse(stored);
      const rule = ruleOf.get(about.ruleId);
      const isJudged = rule !== undefined && looksAt(rule, about.subject, now);
      const text = isJudged
        ? describeAlert(about.kind, data, "closed")
        : describeEnd(about.kind, data, rule === undefined);
      return { id, body: bodyOf("alert.closed", about, data, text, now) };
    });
  return { opened, closed };
}

const bodyOf = (
  type: "alert.opened" | "alert.closed",
  about: { ruleId: number; appToken: string | null; kind: AlertKind; subject: string },
  data: Finding["data"],
  text: string,
  now: number,
) =>
  toBody(
    {
      type,
      text,
      data: {
        ...{ alert_id: 0, rule_id: about.ruleId, kind: about.kind, subject: about.subject },
        ...data,
        // A rule of operators may be about an app.
        app_token: about.appToken ?? data.app_token ?? null,
      },
    },
    now,
  );
