/**
 * The alerts of the cron: reads what the rules look at, opens and closes alerts, and adds their events, so that a repetition at any
 * point changes nothing twice. The rules of operators come first, then those of apps, some apps at a time.
 */

import {
  addCounts,
  countsOf,
  expectedAnywhere,
  expectedInApps,
  type Scope,
  storeActivity,
  storedActivity,
} from "./db/alerts/activity.ts";
import { type AlertRow, type Closed, changeAlerts, type Opened, openAlerts } from "./db/alerts/alerts.ts";
import { allApps, allPartners, type PartnerRow, readFigures, readLastPurge } from "./db/alerts/figures.ts";
import { rulesOfApps, scopes, toRule } from "./db/alerts/rules.ts";
import { readSpend } from "./db/alerts/spend.ts";
import { databasesOf, type Ledger, runGated } from "./db/ledger/shards.ts";
import { runBatch } from "./db/statement.ts";
import { toBody } from "./db/webhooks/outbox.ts";
import { type Activity, nextActivity, withoutWaiting } from "./domain/alerts/activity.ts";
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
import { COST_WINDOW_MS, DAY_MS, dayOf, hourOf, RETENTION_MS } from "./domain/time.ts";
import { describeAlert, describeEnd } from "./pages/alerts/sentences.ts";

/** As in partner-activity.ts: a cost can arrive for an engagement of this many days before, or wait as long in the queue. */
const COUNTED_DAYS = (COST_WINDOW_MS + RETENTION_MS) / DAY_MS + 1;
/** After a pause of the cron that is longer, nothing is new in the first run. */
const MAX_DAYS = 2 * COUNTED_DAYS;
/** How many apps are judged together, and in how many calls to D1 a run may judge apps. */
const APPS = 100;
const MAX_CALLS = 60;
const CALLS_OF_PART = 5;

const NO_FIGURES: Figures = {
  ...{ activity: [], spend: new Map(), rates: [], purges: [], sizes: [], heldPrices: [], fullOfSubLinks: [] },
  nameOfPartner: (id) => `Partner ${id}`,
};

interface Known {
  /** Alerts of operators are sent by email. */
  hasEmail: boolean;
  apps: string[];
  partners: Map<number, PartnerRow>;
}

/** For the hourly cron. `hasEmail`: alerts of operators are sent by email too. */
export async function judgeAlerts(ledger: Ledger, now: number, hasEmail: boolean): Promise<void> {
  const { control } = ledger;
  const [apps, partners, found] = await runBatch(
    control,
    allApps(control, {}),
    allPartners(control, {}),
    scopes(control, {}),
  );
  const known = {
    apps: apps.map(({ token }) => token),
    partners: new Map(partners.map((row) => [row.id, row])),
    hasEmail,
  };
  await judgePart(ledger, [null], known, now);
  const parts = Math.ceil(found.length / APPS);
  const most = Math.max(1, Math.floor(MAX_CALLS / (databasesOf(ledger).length + CALLS_OF_PART)));
  // If not all have their turn in this run, the others have it in the next ones.
  const first = parts > most ? (hourOf(now) * most) % parts : 0;
  for (let turn = 0; turn < Math.min(parts, most); turn++) {
    const from = ((first + turn) % parts) * APPS;
    const some = found.slice(from, from + APPS).map(({ appToken }) => appToken);
    await judgePart(ledger, some, known, now);
  }
}

/** For the cron of each minute: the only rule that is about the hourly one. */
export async function judgePurge(ledger: Ledger, now: number, hasEmail: boolean): Promise<void> {
  const { control } = ledger;
  const { rules, open } = await readRules(ledger, [null]);
  const late = rules.filter(({ kind }) => kind === "purge_late");
  if (late.length === 0) return;
  const figures = { ...NO_FIGURES, purges: await readLastPurge(ledger) };
  const seen = new Set(figures.purges.map(({ database }) => `database ${database}`));
  const changes = compare(
    late,
    figures,
    open.filter(({ kind, subject }) => kind === "purge_late" && seen.has(subject)),
    { now, hasEmail },
  );
  const statements = changeAlerts(control, changes, now);
  if (statements.length > 0) await runBatch(control, ...statements);
}

async function readRules({ control }: Ledger, apps: (string | null)[]) {
  const values = { apps: JSON.stringify(apps) };
  const [rows, open, activity] = await runBatch(
    control,
    rulesOfApps(control, values),
    openAlerts(control, values),
    storedActivity(control, { apps: JSON.stringify(apps.map((app) => app ?? "")) }),
  );
  return { rules: rows.flatMap(toRule), open, activity };
}

/** Judges the rules of these apps, or of operators: `[null]`. */
async function judgePart(ledger: Ledger, apps: (string | null)[], known: Known, now: number): Promise<void> {
  const { control } = ledger;
  const { rules, open, activity } = await readRules(ledger, apps);
  const rulesOf = Map.groupBy(rules, ({ appToken }) => appToken);
  const watching = apps.filter((app) =>
    rulesOf.get(app)?.some(({ kind }) => kind === "partner_silent" || kind === "costs_rejected"),
  );
  const next = await readActivity(ledger, watching, activity, known, now);
  const spend = await readSpend(
    ledger,
    rules.flatMap((rule) => (rule.kind === "spend_above" ? [toSpendOf(rule, known, now)] : [])),
  );
  const nameOfPartner = (id: number) => known.partners.get(id)?.name ?? `Partner ${id}`;
  const more = apps[0] === null ? await readFigures(ledger, nameOfPartner, now) : NO_FIGURES;
  const changes = apps.map((app) => {
    const ofApp = (next.get(app ?? "") ?? []).map((row) => ({
      ...row,
      partner: nameOfPartner(row.partnerId),
    }));
    const figures = { ...more, spend, nameOfPartner, activity: ofApp };
    const openOf = open.filter(({ appToken }) => appToken === app);
    return compare(rulesOf.get(app) ?? [], figures, openOf, { now, hasEmail: known.hasEmail });
  });
  const all = {
    opened: changes.flatMap(({ opened }) => opened),
    closed: changes.flatMap(({ closed }) => closed),
  };
  const statements = [
    ...changeAlerts(control, all, now),
    ...[...next].flatMap(([of, rows]) => storeActivity(control, of, rows)),
  ];
  if (statements.length > 0) await runBatch(control, ...statements);
}

/** What the apps' partners did since the run before, by app; '' for operators. */
async function readActivity(
  ledger: Ledger,
  apps: (string | null)[],
  stored: ({ appToken: string } & Activity)[],
  known: Known,
  now: number,
): Promise<Map<string, Activity[]>> {
  const { control } = ledger;
  if (apps.length === 0) return new Map();
  const today = dayOf(now);
  const first = today - COUNTED_DAYS;
  const before = Map.groupBy(
    stored.filter(({ firstDay }) => firstDay >= today - MAX_DAYS),
    ({ appToken }) => appToken,
  );
  const scopes = apps.flatMap((app): Scope[] => {
    const of = app ?? "";
    const since = Math.min(first, before.get(of)?.[0]?.firstDay ?? first);
    return (app === null ? ["", ...known.apps] : [app]).map((one) => ({ app: one, of, first, since }));
  });
  const parts = await Promise.all(
    databasesOf(ledger).map((db) => runGated(ledger, db, countsOf(db, scopes))),
  );
  const counts = addCounts(parts);
  const run = { hour: hourOf(now), firstDay: first };
  const next = apps.map((app) => {
    const of = app ?? "";
    const rows = (before.get(of) ?? []).map(({ appToken: _, ...row }) => row);
    return [of, nextActivity(rows, counts.get(of) ?? [], run)] as const;
  });
  const pairs = next.flatMap(([app, rows]) =>
    rows
      .filter(({ partnerId, waitingSince }) => waitingSince !== null && sends(known.partners.get(partnerId)))
      .map(({ partnerId }) => ({ app, partner: partnerId })),
  );
  const asked = apps[0] === null ? expectedAnywhere : expectedInApps;
  const [on] =
    pairs.length > 0 ? await runBatch(control, asked(control, { pairs: JSON.stringify(pairs) })) : [[]];
  const isOn = new Set(on.map(({ app, partner }) => `${app} ${partner}`));
  return new Map(
    next.map(([app, rows]) => [
      app,
      rows.map((row) => withoutWaiting(row, isOn.has(`${app} ${row.partnerId}`))),
    ]),
  );
}

const sends = (partner: PartnerRow | undefined) =>
  partner?.supportsCostData === 1 && partner.stoppedAt === null;

function toSpendOf(
  { id, appToken, settings }: Extract<Rule, { kind: "spend_above" }>,
  known: Known,
  now: number,
) {
  const app = appToken ?? settings.of_app_token;
  const periods = spendPeriods(settings.period, now);
  return {
    periods: periods.map((period) => ({ ...period, key: spendKey(id, period) })),
    apps: app === undefined ? known.apps : [app],
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
