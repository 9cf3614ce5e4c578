/** Which settings each kind of rule has. */
import { inEnglish } from "../texts.ts";
import { HOUR_MS, PURGE_OVERDUE_MS } from "../time.ts";
import type { RuleKind } from "./kinds.ts";

interface Range {
  min: number;
  max: number;
  /** What the form has at first. */
  usual: number;
}
export const NUMBERS = ["hours", "count", "percent", "gigabytes"] as const;
export type NumberName = (typeof NUMBERS)[number];

interface Needs {
  numbers: Partial<Record<NumberName, Range>>;
  hasAmount?: true;
  /** What it can be about. */
  of: readonly ("partner_id" | "link_token" | "of_app_token")[];
}

export const PERIODS = ["day", "month"] as const;

export const NEEDS: Record<RuleKind, Needs> = {
  // A void hides one cost of its hour, so one hour is too short.
  partner_silent: { numbers: { hours: { min: 2, max: 336, usual: 24 } }, of: ["partner_id"] },
  costs_rejected: {
    numbers: { count: { min: 0, max: 1_000_000, usual: 10 }, percent: { min: 0, max: 100, usual: 5 } },
    of: ["partner_id"],
  },
  spend_above: { numbers: {}, hasAmount: true, of: ["partner_id", "link_token", "of_app_token"] },
  discrepancy: { numbers: { percent: { min: 1, max: 100, usual: 5 } }, of: ["partner_id"] },
  purge_late: { numbers: { hours: { min: 2, max: 336, usual: PURGE_OVERDUE_MS / HOUR_MS } }, of: [] },
  database_large: { numbers: { gigabytes: { min: 1, max: 10, usual: 7 } }, of: [] },
  url_prices_limited: { numbers: {}, of: [] },
  sub_links_full: { numbers: {}, of: [] },
};

/** What was sent, each of the right type. */
export interface SentSettings extends Partial<Record<NumberName, number | undefined>> {
  amount?: number | undefined;
  currency?: string | undefined;
  period?: (typeof PERIODS)[number] | undefined;
  partner_id?: number | undefined;
  link_token?: string | undefined;
  of_app_token?: string | undefined;
}

/** Everything that is wrong with the settings of a rule. `isOfApp`: it is not a rule of operators. A program learns of which kind it is. */
export function judgeSettings(
  kind: RuleKind,
  sent: SentSettings,
  isOfApp: boolean,
  reader: "program" | "person",
) {
  const { numbers, hasAmount, of } = NEEDS[kind];
  const needed = [...Object.keys(numbers), ...(hasAmount ? ["amount", "currency", "period"] : [])];
  const possible = [...needed, ...of.filter((name) => !isOfApp || name !== "of_app_token")];
  const given = Object.entries(sent).filter(([, value]) => value !== undefined);
  const ofKind = (text: string) => (reader === "program" ? `${text}${kind}` : "");
  const errors = [
    ...needed
      .filter((name) => sent[name as keyof SentSettings] === undefined)
      .map((param) => ({ param, message: `is required${ofKind(" for a rule of ")}` })),
    ...given
      .filter(([name]) => !possible.includes(name))
      .map(([param]) => ({ param, message: `is not a setting of ${kind}${isOfApp ? " in an app" : ""}` })),
    ...Object.entries(numbers).flatMap(([param, { min, max }]) => {
      const value = sent[param as NumberName];
      const message = `must be from ${inEnglish(min)} to ${inEnglish(max)}${ofKind(" for ")}`;
      return value !== undefined && (value < min || value > max) ? { param, message } : [];
    }),
  ];
  return { errors, settings: Object.fromEntries(given) };
}
