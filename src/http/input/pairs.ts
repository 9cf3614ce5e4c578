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
 * an error; with "same value", only if the values differ. If there is any error, adds it to the list and returns undefined.
 */
export function parsePairs<T extends z.ZodMiniObject>(
  schema: T,
  pairs: Pair[],
  repeats: "rejected" | "same value",
  errors: InputError[],
): z.output<T> | undefined {
  const values = new Map<string, string>();
  const found = new Map<string, InputError>();
  const isStrict = schema._zod.def.catchall?._zod.def.type === "never";
  for (const { name, value, isUtf8 } of pairs) {
    if (!isStrict && !Object.hasOwn(schema.shape, name)) continue;
    const first = values.get(name);
    if (first === undefined) values.set(name, value);
    else if (repeats === "rejected") found.set(name, { param: name, message: "is given more than once" });
    else if (first !== value && !isSame(schema.shape[name], first, value))
      found.set(name, { param: name, message: "is given twice with different values; send it once" });
    if (!isUtf8) found.set(name, { param: name, message: "must be percent-encoded UTF-8" });
  }
  errors.push(...found.values());
  const parsed = parsePart(schema, Object.fromEntries(values), errors);
  return found.size > 0 ? undefined : parsed;
}

/** Whether two texts have the same meaning, for example `0.5` and `0.50`. */
function isSame(field: z.core.$ZodType | undefined, first: string, second: string): boolean {
  if (!field) return false;
  const [one, other] = [z.safeParse(field, first), z.safeParse(field, second)];
  return one.success && other.success && one.data === other.data;
}

/** The parameters of a partner's template as they are written: it is not decoded, because its macros can contain any character. */
export function templatePairs(template: string): { name: string; value: string }[] {
  return template.split("&").map((pair) => {
    const [name = "", ...value] = pair.split("=");
    return { name, value: value.join("=") };
  });
}
