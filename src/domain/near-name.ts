/** Which known name somebody meant who made a typing error. Linear in the length of the names. */

/** Letters and digits only, without case. */
const fold = (name: string) => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");

/** Shorter names than this are near to too many others. */
const MIN_LENGTH = 3;

/**
 * The only one of the names that is the same but for case and punctuation; else that is one letter away; else that goes on where
 * it ends.
 */
export function findNear(name: string, names: string[]): string | undefined {
  const sent = fold(name);
  if (sent.length < MIN_LENGTH) return undefined;
  const rules = [
    (known: string) => known === sent,
    (known: string) => isOneLetterAway(known, sent),
    (known: string) => known.startsWith(sent),
  ];
  for (const isNear of rules) {
    const [only, ...others] = new Set(names.filter((one) => isNear(fold(one))));
    if (only !== undefined) return others.length === 0 ? only : undefined;
  }
  return undefined;
}

/** Whether one letter was added, left out or replaced, or two beside each other were swapped. */
function isOneLetterAway(one: string, other: string): boolean {
  if (Math.abs(one.length - other.length) > 1) return false;
  let start = 0;
  while (start < one.length && one[start] === other[start]) start++;
  let [end, otherEnd] = [one.length, other.length];
  while (end > start && otherEnd > start && one[end - 1] === other[otherEnd - 1]) {
    end--;
    otherEnd--;
  }
  const [left, right] = [one.slice(start, end), other.slice(start, otherEnd)];
  const isSwapped = left.length === 2 && left === [...right].toReversed().join("");
  return isSwapped || (left.length <= 1 && right.length <= 1);
}
