/**
 * What goes wrong in the large app: a partner that sends no costs any more, one whose costs were rejected yesterday and whose macro was
 * not replaced, and when each partner was last active.
 */
import type { RejectionCode } from "../../../domain/matching.ts";
import { COST_WINDOW_MS, COUNTED_DAYS, DAY_MS, dayOf, HOUR_MS, hourOf } from "../../../domain/time.ts";
import { type DemoRow, Sums, type Values } from "../rows.ts";
import { LARGE } from "./links.ts";
import { PARTNERS, pendingCosts, REJECTED, SILENT } from "./partners.ts";

const SILENT_DAYS = 3;

/** The rows without the costs that the silent partner did not send, and with the others. */
export function withProblems(given: DemoRow[], now: number): DemoRow[] {
  const silentSince = (dayOf(now) - SILENT_DAYS) * DAY_MS;
  const rows = given.map((row): DemoRow => {
    const { values } = row;
    if (row.table !== "ledger_entries" || values.partner_id !== SILENT || openedAt(values) < silentSince)
      return row;
    return { ...row, values: { ...values, ...NO_COST } };
  });
  const pending = PARTNERS.filter(({ id }) => id !== SILENT).flatMap((partner) => pendingCosts(partner, now));
  return [
    ...rows,
    ...pending,
    ...rejections(rows, now),
    ...droppedIds(rows, now),
    ...activity([...rows, ...pending], now, silentSince),
  ];
}

const NO_COST = { cost_type: null, currency: null, amount: null, tag: null, received_at: null };
const openedAt = ({ click_at, impression_at }: Values) => Number(click_at ?? impression_at);

const SENT: [code: RejectionCode, count: number][] = [
  ["window_closed", 32],
  ["cost_data_disabled", 9],
  ["invalid_request", 7],
];

/** Yesterday's, for clicks without a cost that are too old; those that are invalid are for no app. */
function rejections(rows: DemoRow[], now: number): DemoRow[] {
  const free = rows.filter(
    ({ table, values }) =>
      table === "ledger_entries" &&
      values.partner_id === REJECTED &&
      values.received_at === null &&
      openedAt(values) < now - COST_WINDOW_MS - DAY_MS,
  );
  const at = (dayOf(now) - 1) * DAY_MS + 9 * HOUR_MS;
  let next = 0;
  return SENT.flatMap(([code, count]) => {
    const app_token = code === "invalid_request" ? "" : LARGE.appToken;
    const known = { partner_id: REJECTED, app_token, code };
    return [
      { table: "daily_rejections", values: { ...known, day: dayOf(at), count } },
      ...Array.from({ length: count }, (_, index): DemoRow => {
        const cost_id = app_token === "" ? `bad-${index}` : String(free[next++]?.values.cost_id ?? null);
        const values = {
          ...known,
          number: index + 1,
          rejected_at: at + index * 60_000,
          cost_id,
          tag: "demo",
        };
        return { table: "recent_rejections", values };
      }),
    ];
  });
}

const SHARE_OF_MACROS = 0.15;

/** Clicks of the last two weeks whose cost ID was the macro. */
function droppedIds(rows: DemoRow[], now: number): DemoRow[] {
  const sums = new Sums();
  for (const { table, values } of rows) {
    if (
      table !== "daily_engagements" ||
      values.partner_id !== REJECTED ||
      Number(values.day) < dayOf(now) - 14
    )
      continue;
    const count = Math.floor((Number(values.count) - Number(values.recorded)) * SHARE_OF_MACROS);
    const { link_id = null, day = null } = values;
    if (count > 0) sums.add({ link_id, day, param: "cost_id", reason: "unfilled_macro" }, { count });
  }
  return sums.rows("dropped_parameters");
}

/** As the cron finds it. */
function activity(rows: DemoRow[], now: number, silentSince: number): DemoRow[] {
  const first_day = dayOf(now) - COUNTED_DAYS;
  const costs = new Map<unknown, number>();
  const clicks = new Map<unknown, number>();
  const lastCosts = new Map<unknown, number>();
  const add = (sums: Map<unknown, number>, { partner_id }: Values, count: unknown) =>
    sums.set(partner_id, (sums.get(partner_id) ?? 0) + Number(count));
  for (const { table, values } of rows) {
    const isCounted = Number(values.day) >= first_day;
    if (table === "ledger_entries" && values.received_at !== null) {
      add(costs, values, 1);
      const last = Math.max(lastCosts.get(values.partner_id) ?? 0, Number(values.received_at));
      lastCosts.set(values.partner_id, last);
    }
    if (table === "daily_totals" && isCounted) add(costs, values, values.count);
    if (table === "daily_engagements" && isCounted && values.kind === "click")
      add(clicks, values, values.count);
  }
  for (const [, count] of SENT) add(costs, { partner_id: REJECTED }, count);
  const hour = hourOf(now);
  const thisHour = hour * HOUR_MS;
  const lastCostOf = (id: number) => {
    const last = lastCosts.get(id);
    return last === undefined ? null : hourOf(last) * HOUR_MS;
  };
  return PARTNERS.map(({ id, isIntegrated, isStopped }) => ({
    table: "partner_activity",
    values: {
      ...{ partner_id: id, hour, first_day, costs: costs.get(id) ?? 0, clicks: clicks.get(id) ?? 0 },
      last_cost_at:
        id === SILENT ? silentSince - HOUR_MS : isIntegrated && !isStopped ? thisHour : lastCostOf(id),
      last_click_at: thisHour,
      open_mismatches: 0,
    },
  }));
}
