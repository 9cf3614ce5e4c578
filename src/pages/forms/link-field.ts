/** The field that names a link by its path, and in an app with many links the form that finds it by words of its path. */
import { asReport, userKey } from "../../auth/report-limits.ts";
import { listLinkNames, MAX_LINK_NAMES } from "../../db/alerts/subjects.ts";
import type { Context } from "../../env.ts";
import { card } from "../elements.ts";
import { showCount, showPlural } from "../locale.ts";
import type { Markup } from "../markup.ts";
import { type Field, type Option, tokenOption } from "./fields.ts";
import { type FieldSpec, form } from "./form.ts";

interface LinkChoice {
  appToken: string;
  /** Who searches. */
  userId: number;
  /** The form or the query: `find` has the words. */
  sent: URLSearchParams;
  /** The token of the chosen link. */
  chosen: string | null;
  /** For a token. */
  field: Omit<Field, "name" | "value">;
  /** What it means to choose no link; without it, one must be chosen. */
  none?: string;
  /** The page of the form, and the parameters of its query that stay. */
  action: string;
  kept: Record<string, string>;
}

/** The field, the words to send with it, and the form that finds a link; `""` if the field offers all links. */
export async function chooseLink(context: Context, choice: LinkChoice) {
  const { DB } = context.env;
  const find = choice.sent.get("find") ?? "";
  const read = () => listLinkNames(DB, choice.appToken, find);
  const links = await (find === "" ? read() : asReport(context, userKey(choice.userId), read));
  const isFinder = find !== "" || links.length === MAX_LINK_NAMES;
  return {
    field: linkField(choice, links, find),
    hidden: { find },
    finder: isFinder ? finder(choice, find, links.length) : "",
  };
}

/** The links to choose from, if these are all that were found; else the field for a token, with the newest as suggestions. */
function linkField(
  { field, chosen, none }: LinkChoice,
  links: { token: string; name: string }[],
  find: string,
): FieldSpec {
  const paths = links.map(({ token, name }): Option => [token, name.replaceAll("::", " › ")]);
  const isOffered = !chosen || links.some(({ token }) => token === chosen);
  if (links.length === MAX_LINK_NAMES || (!isOffered && find === "")) return { ...field, suggestions: paths };
  const found = none === undefined ? paths.map(([token, name]) => tokenOption({ token, name })) : paths;
  return {
    label: "Link",
    options: [["", none ?? "Choose a link"], ...(isOffered ? [] : [[chosen, chosen] as Option]), ...found],
    ...(none === undefined && { required: true }),
  };
}

/** `count`: how many links were found. */
function finder({ action, kept }: LinkChoice, find: string, count: number): Markup {
  const most = showCount(MAX_LINK_NAMES);
  const few = count === 0 ? "No link has all of these words." : `${showPlural(count, "link")} found.`;
  const found = count === MAX_LINK_NAMES ? `The newest ${most} are offered. Add words.` : few;
  return card(
    { id: "find-link", title: "Find the link" },
    form({
      method: "get",
      action,
      fields: {
        find: {
          label: "Words of its path",
          hint:
            find === "" ? `The app has more links than the newest ${most}, which are offered below.` : found,
        },
      },
      values: { find },
      hidden: kept,
      button: "Find link",
      kind: "secondary",
    }),
  );
}
