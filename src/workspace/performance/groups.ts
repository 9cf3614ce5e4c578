/** How the Performance page names its groups and their rows. What a group is, is in domain/figures/groups.ts. */
import { html } from "hono/html";
import type { CostType } from "../../domain/cost-types.ts";
import { type PerformanceGroup, REPORT_GROUPS } from "../../domain/figures/groups.ts";
import { countryName, platformName } from "../../pages/costs/audience.ts";
import type { Markup } from "../../pages/markup.ts";
import type { PerformanceRow } from "../../usecases/performance/rows.ts";
import { LEVEL_NAMES } from "../links/query.ts";
import { describeType } from "../reports/lines.ts";

interface ShownGroup {
  /** What a row is; of links, for each level. */
  names: readonly string[];
  /** The name of a row as plain text. */
  nameOf: (row: PerformanceRow) => string;
  /** The same in the table, if there is more to say. */
  describe?: (row: PerformanceRow) => string;
}

const text = (value: unknown) => String(value ?? "");
const byKey = ({ key }: PerformanceRow) => key;

const SHOWN_GROUPS: Record<PerformanceGroup, ShownGroup> = {
  link: { names: LEVEL_NAMES, nameOf: ({ fields }) => text(fields.link_name).replaceAll("::", " › ") },
  partner: { names: ["Partner"], nameOf: ({ fields }) => text(fields.partner_name ?? "No partner") },
  cost_type: { names: ["Cost type"], nameOf: byKey, describe: ({ key }) => describeType(key as CostType) },
  day: { names: ["Day"], nameOf: byKey },
  week: { names: ["Week"], nameOf: byKey },
  country: { names: ["Country"], nameOf: ({ key }) => countryName(key || null) },
  platform: { names: ["Platform"], nameOf: ({ key }) => platformName(key || null) },
};

export interface GroupChoice {
  group_by: PerformanceGroup;
  level: number;
}

export const rowName = (group: PerformanceGroup, row: PerformanceRow): string =>
  SHOWN_GROUPS[group].nameOf(row);

export function describeRow(group: PerformanceGroup, row: PerformanceRow): string {
  const { nameOf, describe = nameOf } = SHOWN_GROUPS[group];
  return describe(row);
}

/** Whether a row has only adjustments, which are of no country and no platform. */
export const isAdjustments = (group: PerformanceGroup, { key }: PerformanceRow): boolean =>
  (group === "country" || group === "platform") && key === "";

/** Whether a row by link has only what is recorded on the link itself: its level is above that of the rows. */
export const isDirect = ({ level = 4 }: PerformanceRow, rows: number): boolean => level < rows;

/** What pages write after the name of such a row. */
export const DIRECT: Markup = html` <span class="muted" title="Recorded on the link itself">direct</span>`;

/** The parameters that show only a link: with what is below it, by links of a level, or without it (0), by day. */
export const onlyLink = (link: string, level: number): Record<string, string> =>
  level === 0 ? { link, direct: "1", group_by: "day" } : { link, level: String(Math.min(level, 4)) };

/** The name of what a row is. */
export function groupName({ group_by, level }: GroupChoice): string {
  const { names } = SHOWN_GROUPS[group_by];
  return names[level - 1] ?? names.join();
}

/** Whether its rows have levels. */
export const hasLevels = (group: PerformanceGroup): boolean => SHOWN_GROUPS[group].names.length > 1;

/** Campaigns first. Groups without levels have the default. */
const LEVELS = [2, 1, 3, 4];

/** The groups that the page offers, each with its parameters. */
export const GROUP_CHOICES: GroupChoice[] = REPORT_GROUPS.performance.flatMap((group_by) =>
  LEVELS.slice(0, SHOWN_GROUPS[group_by].names.length).map((level) => ({ group_by, level })),
);
