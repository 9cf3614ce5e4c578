/** The names of the figures that performance has of each row: those of the API, and those in the code. */

export const FIGURES = {
  spend: "spend",
  clicks: "clicks",
  impressions: "impressions",
  matched: "matched",
  cost_per_click: "costPerClick",
  effective_cost_per_click: "effectiveCostPerClick",
  coverage: "coverage",
  impression_coverage: "impressionCoverage",
} as const;
/** The names of the figures that are numbers, as the API has them. */
export type FigureName = keyof typeof FIGURES;
export const FIGURE_NAMES = Object.keys(FIGURES) as FigureName[];
