/**
 * Placeholders in the URLs that links lead to, which a click fills: `{campaign}` becomes the value of that parameter of its URL,
 * percent-encoded once, and `{{campaign}}` twice, for a value inside a value such as the `referrer` of Google Play. A value can change
 * neither the scheme nor the host nor another parameter. Pure functions, in linear time.
 */

/** A name in one or two pairs of braces. */
const PLACEHOLDER = /\{\{([\w.-]{1,64})\}\}|\{([\w.-]{1,64})\}/g;

/** The value for a name; undefined if the click has none. */
export type ValueFor = (name: string) => string | undefined;

const MAX_VALUE = 512;
/** What browsers and proxies take as a Location. */
export const MAX_LOCATION = 8_192;

/** The URL with a text in the place of each placeholder, which is how its other parts are judged. */
export const withSample = (saved: string): string => saved.replace(PLACEHOLDER, "x");

/** What is wrong with the placeholders of a URL that is being saved; undefined if nothing is. */
export function judgePlaceholders(saved: string): string | undefined {
  const brace = saved.replace(PLACEHOLDER, (found) => "x".repeat(found.length)).search(/[{}]/);
  if (brace >= 0)
    return `must have one name in each pair of braces, of at most 64 letters, digits, _, . and -, for example {campaign}; not ${saved.slice(brace, brace + 40)}`;
  const [fixed = ""] = FIXED.exec(saved) ?? [];
  const [inFixed] = fixed.match(PLACEHOLDER) ?? [];
  if (inFixed) return `must not have ${inFixed} in its scheme, host or port; it can follow them`;
  const hash = /^intent:/i.test(saved) ? saved.indexOf("#") : -1;
  const [inIntent] = (hash >= 0 && saved.slice(hash).match(PLACEHOLDER)) || [];
  if (inIntent) return `must not have ${inIntent} after the # of an intent`;
  const [sample, empty] = [URL.parse(withSample(saved)), URL.parse(fill(saved, () => ""))];
  if (sample && !(empty && isSame(sample, empty)))
    return `must lead to the same place if its placeholders are empty`;
  return undefined;
}

/** Scheme, host and port. The slashes after http and https are optional, and backslashes are like them. */
const FIXED = /^https?:[\\/]*[^\\/?#]*|^[^:/?#]*:(?:\/\/[^/?#]*)?/i;

/**
 * The URL with the values of a click, as the parser serializes it; unchanged if it has no placeholder. Values that are missing, that are
 * a segment of a path for going up, or that are longer than 512 characters are empty. All are empty if the URL would be longer than
 * 8,192 characters, or another one than was saved.
 */
export function fillPlaceholders(saved: string, valueFor: ValueFor): string {
  if (!saved.includes("{")) return saved;
  const filled = fill(saved, (name) => usable(valueFor(name)));
  if (filled === saved) return saved;
  const [sample, target] = [URL.parse(withSample(saved)), URL.parse(filled)];
  const isRight = sample && target && isSame(sample, target) && target.href.length <= MAX_LOCATION;
  return (isRight ? target : URL.parse(fill(saved, () => "")))?.href ?? saved;
}

function fill(saved: string, valueFor: (name: string) => string): string {
  return saved.replace(PLACEHOLDER, (_, twice?: string, once = "") => {
    const value = encodeURIComponent(valueFor(twice ?? once));
    return twice === undefined ? value : encodeURIComponent(value);
  });
}

function usable(value = ""): string {
  const isUsable =
    value !== "." && value !== ".." && value.length <= 2 * MAX_VALUE && [...value].length <= MAX_VALUE;
  return isUsable ? value.toWellFormed() : "";
}

/** Of two fillings of a URL, whether they lead to the same place: dots of two values next to each other could remove a segment. */
function isSame(one: URL, other: URL): boolean {
  const lengthOf = ({ pathname }: URL) => pathname.split("/").length;
  return one.protocol === other.protocol && one.host === other.host && lengthOf(one) === lengthOf(other);
}
