/** The names of countries and platforms on pages. */
import { type Platform, UNKNOWN_COUNTRY } from "../../domain/engagements/audience.ts";
import { describeCountry } from "../locale.ts";

const PLATFORM_NAMES: Record<Platform, string> = {
  ios: "iOS",
  android: "Android",
  windows: "Windows",
  macos: "macOS",
  linux: "Linux",
  other: "Other",
};

/** What has neither: adjustments, and what was counted before this version or while the app did not count its audience. */
const NOT_RECORDED = "Not recorded";

/** The English name. Null: not recorded. */
export function countryName(code: string | null): string {
  if (code === null) return NOT_RECORDED;
  return code === UNKNOWN_COUNTRY ? "Unknown" : describeCountry(code);
}

/** Null: not recorded. */
export function platformName(platform: string | null): string {
  return platform === null ? NOT_RECORDED : (PLATFORM_NAMES[platform as Platform] ?? platform);
}
