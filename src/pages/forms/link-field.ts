/** The field that names a link by its path. */
import { MAX_LINK_NAMES } from "../../db/alerts/subjects.ts";
import type { Field, Option } from "./fields.ts";
import type { FieldSpec } from "./form.ts";

/**
 * All links of the app to choose from, if these are all; else the field for a token, with the newest as suggestions. `given`: what was
 * entered. `none`: what it means to choose no link; without it, one must be chosen.
 */
export function linkField(
  field: Omit<Field, "name" | "value">,
  links: { token: string; name: string }[],
  given: string | null,
  none?: string,
): FieldSpec {
  const paths = links.map(({ token, name }) => ({ token, path: name.replaceAll("::", " › ") }));
  const isKnown = given === null || given === "" || links.some(({ token }) => token === given);
  if (links.length === MAX_LINK_NAMES || !isKnown)
    return { ...field, suggestions: paths.map(({ token, path }): Option => [token, path]) };
  return {
    label: "Link",
    options: [
      ["", none ?? "Choose a link"],
      ...paths.map(({ token, path }): Option => [token, none === undefined ? `${path} (${token})` : path]),
    ],
    ...(none === undefined && { required: true }),
  };
}
