/** The addresses of the Spend page, which Performance replaced: it leads there, and its CSV is still read. */
import { redirectResponse } from "../http/redirect.ts";
import type { Show } from "./frame.ts";
import { readSpendView, spendCsvResponse } from "./reports/spend-view.ts";

/** The parameters that Performance has too, by their earlier names. */
const KEPT = {
  by: "group_by",
  partner: "partner_id",
  period: "period",
  from: "from",
  to: "to",
  link: "link",
  cost_type: "cost_type",
  currency: "currency",
  level: "level",
};

export const redirectSpend: Show = async ({ url }, { path }) => {
  const query = new URLSearchParams();
  for (const [earlier, name] of Object.entries(KEPT)) {
    const value = url.searchParams.get(earlier);
    if (value !== null) query.set(name, name === "level" && value === "own" ? "4" : value);
  }
  return redirectResponse(`${path}/performance${query.size > 0 ? `?${query}` : ""}`, {}, 302);
};

export const spendCsv: Show = async (context, member) =>
  spendCsvResponse(member.app.token, await readSpendView(context, member));
