/** Voids and adjustments of operators in the large app, with their entries in the audit log. */
import { formatAmount, formatMoney } from "../../../domain/money.ts";
import { DAY_MS, dayOf, formatDate } from "../../../domain/time.ts";
import { auditEntry, type DemoRow } from "../rows.ts";
import { LARGE, type Link } from "./links.ts";
import { CURRENCIES, UNITS } from "./partners.ts";

const IN_APP = { app_token: LARGE.appToken };

/** The rows with a few of the costs voided by an operator. */
export function withVoids(rows: DemoRow[], now: number): DemoRow[] {
  let number = 0;
  const audits: DemoRow[] = [];
  const changed = rows.map((row): DemoRow => {
    const { partner_id, cost_id, cost_type, currency, amount } = row.values;
    if (row.table !== "ledger_entries" || amount == null || ++number % 1_000 !== 0) return row;
    const detail = {
      cost_id,
      cost_type,
      currency,
      amount: formatAmount(amount),
      ...IN_APP,
      reason: "Invalid traffic",
    };
    audits.push(auditEntry(now - DAY_MS, "void cost", `partner ${partner_id}`, detail));
    return { table: row.table, values: { ...row.values, void_state: "voided" } };
  });
  return [...changed, ...audits];
}

/** A credit of some networks for a day of the last month. */
export function adjustments({ id, level, partner }: Link, now: number): DemoRow[] {
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
    auditEntry(now - DAY_MS, "create adjustment", `adjustment ${id}`, detail),
  ];
}
