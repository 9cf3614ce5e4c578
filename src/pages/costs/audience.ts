/** The names of countries and platforms on pages. */
import { COUNTRY_CODES, type Platform, UNKNOWN_COUNTRY } from "../../domain/engagements/audience.ts";
import { listOf } from "../../domain/texts.ts";
import { describeCountry } from "../locale.ts";

const PLATFORM_NAMES: Record<Platform, string> = {
  ios: "iOS",
  android: "Android",
  windows: "Windows",
  macos: "macOS",
  linux: "Linux",
  other: "Other",
};

/** What has neither. */
const ADJUSTMENTS = "Adjustments";

/** The English name. Null: adjustments. */
export function countryName(code: string | null): string {
  if (code === null) return ADJUSTMENTS;
  return code === UNKNOWN_COUNTRY ? "Unknown" : describeCountry(code);
}

/** Null: adjustments. */
export function platformName(platform: string | null): string {
  return platform === null ? ADJUSTMENTS : (PLATFORM_NAMES[platform as Platform] ?? platform);
}

/** Names that people write in the place of those of `describeCountry`. */
const OTHER_NAMES: Record<string, string> = {
  america: "US",
  usa: "US",
  "united states of america": "US",
  "great britain": "GB",
  uae: "AE",
  "czech republic": "CZ",
  "ivory coast": "CI",
  turkey: "TR",
};

/** Names that differ only in case, accents, punctuation, "&" and "St." are the same. */
const fold = (name: string) =>
  name
    .normalize("NFD")
    .toLowerCase()
    .replaceAll("&", "and")
    .replace(/[^\p{L}\p{N}]+/gu, "")
    .replaceAll("saint", "st");

let codes: Map<string, string> | undefined;

/** The code of each name and of each code, folded. */
function codesByName(): Map<string, string> {
  codes ??= new Map([
    ...[...COUNTRY_CODES].map((code) => [fold(code), code] as const),
    ...Object.entries(OTHER_NAMES).map(([name, code]) => [fold(name), code] as const),
    ...[...COUNTRY_CODES].flatMap((code) =>
      [describeCountry(code, "short"), countryName(code)].map((name) => [fold(name), code] as const),
    ),
  ]);
  return codes;
}

/** Names that an error lists, and the letters from which on it looks for some. */
const MOST_NAMES = 3;
const LEAST_LETTERS = 3;

/** The code of a country that a person entered by its name or its code, or what is wrong with the text. */
export function findCountry(text: string): { code: string } | { error: string } {
  const folded = fold(text);
  const code = codesByName().get(folded);
  if (code !== undefined) return { code };
  const similar = [...COUNTRY_CODES].filter((one) => {
    const name = fold(countryName(one));
    return name.includes(folded) || folded.includes(name);
  });
  const examples =
    folded.length >= LEAST_LETTERS && similar.length > 0 ? similar.slice(0, MOST_NAMES) : ["DE"];
  const names = listOf([...examples.map(countryName), ...examples.slice(0, 1)], "or");
  return { error: `must be a full name in English or a code of two letters, for example ${names}` };
}
