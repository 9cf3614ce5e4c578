/** The names of the rows of the Performance page, as plain text. */
import { countryName, platformName } from "../../pages/costs/audience.ts";
import type { PerformanceRow } from "../../usecases/performance/rows.ts";

export function rowName({ fields, key }: PerformanceRow): string {
  if ("link_name" in fields) return String(fields.link_name ?? "").replaceAll("::", " › ");
  if ("partner_name" in fields) return String(fields.partner_name ?? "No partner");
  if ("country" in fields) return countryName(fields.country as string | null);
  if ("platform" in fields) return platformName(fields.platform as string | null);
  return key;
}
