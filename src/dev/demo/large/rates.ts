/** The rates of the partners of the large app, as the daily job stores them. */
import { COST_TYPE, toTypes } from "../../../domain/cost-types.ts";
import { RATE_DAYS } from "../../../domain/figures/rates.ts";
import { DAY_MS, dayOf } from "../../../domain/time.ts";
import type { DemoRow } from "../rows.ts";
import { LARGE } from "./links.ts";
import { ALL_TYPES, PARTNERS } from "./partners.ts";

/** `rows`: all of the ledger and of the counts. `now` in milliseconds since 1970. */
export function rates(rows: DemoRow[], now: number): DemoRow[] {
  const from = dayOf(now) - RATE_DAYS + 1;
  const groups = Map.groupBy(rows, ({ table, values }) => `${table} ${values.partner_id}`);
  return PARTNERS.filter(({ isIntegrated }) => isIntegrated).flatMap(({ id }) => {
    const rowsOf = (table: string) => (groups.get(`${table} ${id}`) ?? []).map(({ values }) => values);
    const entries = rowsOf("ledger_entries");
    const counts = rowsOf("daily_engagements").filter(({ day }) => Number(day) >= from);
    return toTypes(ALL_TYPES).flatMap((cost_type): DemoRow[] => {
      const [kind] = COST_TYPE[cost_type].fits;
      const ids = entries.filter((values) => Number(values[`${kind}_at`]) >= from * DAY_MS);
      const costs = ids.filter((values) => values.cost_type !== null && !values.void_state);
      const matched = costs.filter((values) => values.cost_type === cost_type);
      const hasDiscrepancy = COST_TYPE[cost_type].conversion === null;
      const recorded = counts.filter((values) => values.kind === kind);
      const discrepancy = {
        expected: ids.length - (costs.length - matched.length),
        agreeing: matched.filter(({ amount }) => amount !== null).length,
      };
      const values = {
        ...{ partner_id: id, cost_type, computed_at: now, matched: matched.length },
        recorded: recorded.reduce((sum, values) => sum + Number(values.recorded), 0),
      };
      if (!hasDiscrepancy)
        return [{ table: "partner_rates", values: { ...values, expected: null, agreeing: null } }];
      return [
        { table: "partner_rates", values: { ...values, ...discrepancy } },
        {
          table: "app_rates",
          values: { app_token: LARGE.appToken, partner_id: id, cost_type, ...discrepancy },
        },
      ];
    });
  });
}
