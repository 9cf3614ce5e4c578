/** Name-value pairs, as a query string and the body of a form have them. */
import * as z from "zod/mini";
import type { InputError } from "../../errors.ts";
import { parsePart } from "./parse.ts";

export interface Pair {
  name: string;
  value: string;
  /** Percent-encoding that is not UTF-8 is an error: decoded leniently, two different IDs would become equal. */
  isUtf8: boolean;
}

/** The name-value pairs of a query string or a form body. */
export function readPairs(encoded: string): Pair[] {
  const parts = encoded.split("&").filter((part) => part !== "");
  // URLSearchParams gives one pair for each part that is not empty. The leading ampersand keeps it from dropping a
  // question mark.
  return [...new URLSearchParams(`&${encoded}`)].map(([name, value], index) => ({
    name,
    value,
    isUtf8: isUtf8(parts[index] ?? ""),
  }));
}

function isUtf8(encoded: string): boolean {
  if (!encoded.includes("%")) return true;
  try {
    encoded.replace(/(?:%[0-9A-Fa-f]{2})+/g, decodeURIComponent);
    return true;
  } catch {
    return false;
  }
}

/**
 * Parses the pairs that a schema knows. Other names are ignored, or errors if the schema is a strict object. A repeated name is
 * an error if the values differ. With "same meaning", `0.5` is the same as `0.50`, and an empty value of an optional parameter, or
 * beside another one, is like none. If there is any error, adds it to the list and returns undefined.
 */
export function parsePairs<T extends z.ZodMiniObject>(
  schema: T,
  pairs: Pair[],
  repeats: "same text" | "same meaning",
  errors: InputError[],
): z.output<T> | undefined {
  const values = new Map<string, string>();
  const found = new Map<string, InputError>();
  const isStrict = schema._zod.def.catchall?._zod.def.type === "never";
  const isFree = repeats === "same meaning";
  for (const { name, value, isUtf8 } of pairs) {
    if (!isStrict && !Object.hasOwn(schema.shape, name)) continue;
    const field = schema.shape[name];
    const first = values.get(name);
    if (isFree && value === "" && (first !== undefined || isOptional(field))) continue;
    if (first === undefined || (isFree && first === "")) values.set(name, value);
    else if (first !== value && !(isFree && isSame(field, first, value)))
      found.set(name, { param: name, message: "is given twice with different values; send it once" });
    if (!isUtf8) found.set(name, { param: name, message: "must be percent-encoded UTF-8" });
  }
  // What is left out because it is wrong is not missing too.
  const leftOut = new Set(errors.map(({ param }) => param).filter((param) => !values.has(param)));
  const others: InputError[] = [];
  const parsed = parsePart(schema, Object.fromEntries(values), others);
  errors.push(...found.values(), ...others.filter(({ param }) => !leftOut.has(param)));
  return found.size > 0 ? undefined : parsed;
}

const isOptional = (field: z.core.$ZodType | undefined) =>
  field !== undefined && z.safeParse(field, undefined).success;

/** Whether two texts have the same meaning, for example `0.5` and `0.50`. */
function isSame(field: z.core.$ZodType | undefined, first: string, second: string): boolean {
  if (!field) return false;
  const [one, other] = [z.safeParse(field, first), z.safeParse(field, second)];
  return one.success && other.success && one.data === other.data;
}
